-- Operations on processors' own references, without a payment. A row is durable before its operation is sent.
CREATE TABLE relays (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  type         TEXT NOT NULL,
  status       TEXT NOT NULL,
  resource_id  TEXT NOT NULL,
  reference_id TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  signature    {{BLOB}},
  UNIQUE (merchant_id, id)
);
