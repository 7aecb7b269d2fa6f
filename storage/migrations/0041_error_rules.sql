-- What follows from processors' errors, and settings by key. Both belong to the installation.

CREATE TABLE error_rules (
  seq         {{SEQ}},
  connector   TEXT NOT NULL,
  flow        TEXT NOT NULL,
  sub_flow    TEXT NOT NULL,
  code        TEXT NOT NULL,
  message     TEXT NOT NULL,
  details     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (connector, flow, sub_flow, code, message)
);

CREATE TABLE config_keys (
  seq         {{SEQ}},
  name        TEXT NOT NULL,
  value       TEXT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (name)
);
