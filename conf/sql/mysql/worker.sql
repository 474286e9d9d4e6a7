-- The table of worker IDs leased from the database (snowflake.registry = "database") in MySQL and MariaDB. `frond init`
-- creates it if it is missing and changes and drops nothing; the statement can also be run by hand. Do not delete rows
-- while a server of that name runs.
--   name       of those who draw from one set of numbers (snowflake.name), compared byte for byte
--   worker_id  the worker ID of this record; -1: the one row of the name itself
--   version    of a record: grows with each write, the token for compare-and-set. Of the name: how many worker IDs
--              were handed out; never to be lowered
--   record     JSON: the lease, or what all who share the name agree on
--   maker      the lease for which the record was made
--   modified   time of the last write, in ms since the Unix epoch, by the clock of this server
CREATE TABLE IF NOT EXISTS frond_worker (
  name varchar(128) NOT NULL,
  worker_id bigint NOT NULL,
  version bigint NOT NULL,
  record text NOT NULL,
  maker varchar(64) NOT NULL DEFAULT '',
  modified bigint NOT NULL,
  PRIMARY KEY (name, worker_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
