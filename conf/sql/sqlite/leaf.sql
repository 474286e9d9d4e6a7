-- The tables of segment mode in SQLite, schema "leaf". `frond init` creates those that are missing and changes and
-- drops nothing. conf/sql/mysql/leaf.sql tells what the columns mean.

CREATE TABLE IF NOT EXISTS leaf_alloc (
  biz_tag varchar(128) NOT NULL DEFAULT '' PRIMARY KEY,
  max_id bigint NOT NULL DEFAULT 1,
  step int NOT NULL,
  description varchar(256) DEFAULT NULL,
  update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
);

CREATE TABLE IF NOT EXISTS frond_key (
  key_name varchar(128) NOT NULL PRIMARY KEY,
  delta bigint NOT NULL DEFAULT 1,
  remainder bigint NOT NULL DEFAULT 0,
  max_step bigint NOT NULL DEFAULT 1000000,
  disabled tinyint NOT NULL DEFAULT 0,
  deleted tinyint NOT NULL DEFAULT 0,
  floor bigint NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
);
