-- How connector accounts fare, as each node knows it. Nodes save now and then, and read what the others have saved.

CREATE TABLE account_health (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  node        TEXT NOT NULL,
  counts      TEXT NOT NULL,
  saved_at    BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, account_id, node)
);
CREATE INDEX account_health_saved ON account_health (saved_at);
CREATE INDEX account_health_expires ON account_health (expires_at);
