-- The table of worker IDs leased from the database (snowflake.registry = "database") in SQLite. `frond init` creates it
-- if it is missing and changes and drops nothing. conf/sql/mysql/worker.sql tells what the columns mean; modified is by
-- the clock of the writer.

CREATE TABLE IF NOT EXISTS frond_worker (
  name varchar(128) NOT NULL,
  worker_id bigint NOT NULL,
  version bigint NOT NULL,
  record text NOT NULL,
  maker varchar(64) NOT NULL DEFAULT '',
  modified bigint NOT NULL,
  PRIMARY KEY (name, worker_id)
);
