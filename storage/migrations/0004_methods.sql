-- Saved payment methods and what belongs to them.

-- The card itself is in the vault. A deleted method keeps its row, emptied, so that its id stays taken. fingerprint is '' without a
-- card: a customer has one method for each card.
CREATE TABLE payment_methods (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  customer_id  TEXT NOT NULL,
  status       TEXT NOT NULL,
  deleted      BOOLEAN NOT NULL,
  fingerprint  TEXT NOT NULL,
  has_card     BOOLEAN NOT NULL,
  last_used_at BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  sealed       {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE UNIQUE INDEX payment_methods_card ON payment_methods (merchant_id, customer_id, fingerprint) WHERE fingerprint <> '';
CREATE INDEX payment_methods_used ON payment_methods (merchant_id, customer_id, last_used_at, seq) WHERE status = 'active';
CREATE INDEX payment_methods_customer ON payment_methods (merchant_id, customer_id);

CREATE TABLE mandates (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  method_id   TEXT NOT NULL,
  payment_id  TEXT NOT NULL,
  status      TEXT NOT NULL,
  used_by     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  details     TEXT NOT NULL,
  sealed      {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX mandates_customer ON mandates (merchant_id, customer_id, created_at, seq);
CREATE INDEX mandates_created ON mandates (merchant_id, created_at, seq);

CREATE TABLE ephemeral_keys (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  hash        {{BLOB}} NOT NULL UNIQUE,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, id)
);
CREATE INDEX ephemeral_keys_expires ON ephemeral_keys (expires_at);

-- What an adapter wants to be told again of a customer at one connector account.
CREATE TABLE customer_accounts (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  version     BIGINT NOT NULL,
  data        TEXT NOT NULL,
  UNIQUE (merchant_id, customer_id, account_id)
);
