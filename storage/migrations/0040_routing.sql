-- Routing configurations and the programs of decisions. A row never changes. The profile, or the merchant, names the row in force.

CREATE TABLE routing_configs (
  seq              {{SEQ}},
  merchant_id      TEXT NOT NULL,
  id               TEXT NOT NULL,
  profile_id       TEXT NOT NULL,
  kind             TEXT NOT NULL,
  transaction_type TEXT NOT NULL,
  name             TEXT NOT NULL,
  description      TEXT NOT NULL,
  algorithm        TEXT,
  created_at       BIGINT NOT NULL,
  modified_at      BIGINT NOT NULL,
  signature        {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX routing_configs_modified ON routing_configs (merchant_id, transaction_type, modified_at, seq);
