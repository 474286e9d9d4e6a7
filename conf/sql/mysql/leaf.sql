-- The tables of segment mode in MySQL and MariaDB, schema "leaf". `frond init` creates those that are missing and
-- changes and drops nothing; these statements can also be run by hand.

-- Leaf's own table, as Leaf defines it. max_id is the next number never handed out.
CREATE TABLE IF NOT EXISTS leaf_alloc (
  biz_tag varchar(128) NOT NULL DEFAULT '',
  max_id bigint(20) NOT NULL DEFAULT '1',
  step int(11) NOT NULL,
  description varchar(256) DEFAULT NULL,
  update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (biz_tag)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

-- What Frond knows of a key beyond Leaf's columns. A key without a row here has the defaults. A Leaf server knows
-- nothing of this table: do not share a key whose delta is not 1 with one.
--   delta, remainder  the key's IDs are those x with x % delta = remainder
--   max_step          upper bound of the adapted step
--   disabled          not 0: nothing is issued
--   deleted, floor    not 0: gone; when it is created again, its numbers start at floor or above
--   accepted          how often an operator has accepted a table that went backwards
CREATE TABLE IF NOT EXISTS frond_key (
  key_name varchar(128) NOT NULL,
  delta bigint NOT NULL DEFAULT 1,
  remainder bigint NOT NULL DEFAULT 0,
  max_step bigint NOT NULL DEFAULT 1000000,
  disabled tinyint NOT NULL DEFAULT 0,
  deleted tinyint NOT NULL DEFAULT 0,
  floor bigint NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  PRIMARY KEY (key_name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
