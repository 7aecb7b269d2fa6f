-- How many attempts of each connector account ended on a day, as each node has counted them. Contracts about volumes read it.

CREATE TABLE account_volumes (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  node        TEXT NOT NULL,
  day         BIGINT NOT NULL,
  attempts    BIGINT NOT NULL,
  saved_at    BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, account_id, node, day)
);
CREATE INDEX account_volumes_saved ON account_volumes (saved_at);
CREATE INDEX account_volumes_expires ON account_volumes (expires_at);
