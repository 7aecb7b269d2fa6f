-- The first schema. One text for every database: {{SEQ}} is its growing row number and {{BLOB}} its type for bytes.
--
-- Amounts are minor units. Times are Unix milliseconds UTC, 0 for none. Text is '' for none. Bytes and JSON are NULL for none.
-- seq is the order of insertion; ids sort by time, so that indexes grow at their ends. Sealed columns are encrypted by the engine.

CREATE TABLE merchants (
  id              TEXT PRIMARY KEY,
  publishable_key TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  default_profile TEXT NOT NULL,
  details         TEXT,
  sealed          {{BLOB}},
  created_at      BIGINT NOT NULL,
  modified_at     BIGINT NOT NULL,
  version         BIGINT NOT NULL
);
CREATE UNIQUE INDEX merchants_publishable_key ON merchants (publishable_key) WHERE publishable_key <> '';

CREATE TABLE profiles (
  seq           {{SEQ}},
  merchant_id   TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id            TEXT NOT NULL,
  name          TEXT NOT NULL,
  settings      TEXT NOT NULL,
  fallback      TEXT NOT NULL,
  details       TEXT,
  sealed        {{BLOB}},
  created_at    BIGINT NOT NULL,
  modified_at   BIGINT NOT NULL,
  version       BIGINT NOT NULL,
  UNIQUE (merchant_id, id),
  UNIQUE (merchant_id, name)
);

CREATE TABLE accounts (
  seq             {{SEQ}},
  merchant_id     TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id              TEXT NOT NULL,
  profile_id      TEXT NOT NULL,
  type            TEXT NOT NULL,
  connector       TEXT NOT NULL,
  label           TEXT NOT NULL,
  disabled        BOOLEAN NOT NULL,
  active          BOOLEAN NOT NULL,
  test_mode       BOOLEAN NOT NULL,
  auth_type       TEXT NOT NULL,
  sealed          {{BLOB}},
  metadata        TEXT,
  base_url        TEXT NOT NULL,
  hosts           TEXT NOT NULL,
  payment_methods TEXT,
  details         TEXT,
  created_at      BIGINT NOT NULL,
  modified_at     BIGINT NOT NULL,
  version         BIGINT NOT NULL,
  UNIQUE (merchant_id, id),
  UNIQUE (merchant_id, profile_id, label)
);

CREATE TABLE api_keys (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id          TEXT NOT NULL,
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  prefix      TEXT NOT NULL,
  hash        {{BLOB}} NOT NULL UNIQUE,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  revoked_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, id)
);

CREATE TABLE customers (
  seq               {{SEQ}},
  merchant_id       TEXT NOT NULL,
  id                TEXT NOT NULL,
  sealed            {{BLOB}},
  metadata          TEXT,
  default_method_id TEXT NOT NULL,
  redacted          BOOLEAN NOT NULL,
  created_at        BIGINT NOT NULL,
  modified_at       BIGINT NOT NULL,
  version           BIGINT NOT NULL,
  UNIQUE (merchant_id, id)
);
CREATE INDEX customers_created ON customers (merchant_id, created_at, seq);

CREATE TABLE keysets (
  name    TEXT PRIMARY KEY,
  wrapped {{BLOB}} NOT NULL
);

-- A table, not a CHECK: a status is added by one INSERT.
CREATE TABLE payment_statuses (
  status TEXT PRIMARY KEY
);
INSERT INTO payment_statuses (status) VALUES
  ('requires_payment_method'), ('requires_confirmation'), ('requires_customer_action'), ('requires_merchant_action'),
  ('processing'), ('requires_capture'), ('partially_captured_and_capturable'), ('partially_captured_and_processing'),
  ('partially_authorized_and_requires_capture'), ('succeeded'), ('partially_captured'), ('failed'), ('cancelled'),
  ('cancelled_post_capture'), ('expired'), ('conflicted'), ('review');

CREATE TABLE payments (
  seq                {{SEQ}},
  merchant_id        TEXT NOT NULL,
  id                 TEXT NOT NULL,
  profile_id         TEXT NOT NULL,
  customer_id        TEXT NOT NULL,
  status             TEXT NOT NULL REFERENCES payment_statuses (status),
  currency           TEXT NOT NULL,
  amount             BIGINT NOT NULL,
  net_amount         BIGINT NOT NULL,
  capturable         BIGINT NOT NULL,
  received           BIGINT NOT NULL,
  refunded           BIGINT NOT NULL,
  attempt_count      BIGINT NOT NULL,
  attempt_id         TEXT NOT NULL,
  open_operation     TEXT NOT NULL,
  client_secret_hash {{BLOB}},
  expires_at         BIGINT NOT NULL,
  created_at         BIGINT NOT NULL,
  modified_at        BIGINT NOT NULL,
  version            BIGINT NOT NULL,
  details            TEXT NOT NULL,
  sealed             {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX payments_created ON payments (merchant_id, created_at, seq);
CREATE INDEX payments_customer ON payments (merchant_id, customer_id, created_at, seq) WHERE customer_id <> '';

CREATE TABLE attempts (
  seq            {{SEQ}},
  merchant_id    TEXT NOT NULL,
  payment_id     TEXT NOT NULL,
  id             TEXT NOT NULL,
  number         BIGINT NOT NULL,
  status         TEXT NOT NULL,
  connector      TEXT NOT NULL,
  account_id     TEXT NOT NULL,
  amount         BIGINT NOT NULL,
  authorized     BIGINT NOT NULL,
  captured       BIGINT NOT NULL,
  transaction_id TEXT NOT NULL,
  created_at     BIGINT NOT NULL,
  modified_at    BIGINT NOT NULL,
  version        BIGINT NOT NULL,
  details        TEXT NOT NULL,
  sealed         {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX attempts_payment ON attempts (merchant_id, payment_id);

-- due_at is when an open operation may be claimed, worked out from status, lease_until and resolve_at: the largest number for never.
-- NULL once it has closed.
CREATE TABLE operations (
  seq           {{SEQ}},
  id            TEXT NOT NULL UNIQUE,
  merchant_id   TEXT NOT NULL,
  payment_id    TEXT NOT NULL,
  attempt_id    TEXT NOT NULL,
  account_id    TEXT NOT NULL,
  kind          TEXT NOT NULL,
  status        TEXT NOT NULL,
  amount        BIGINT NOT NULL,
  owner         TEXT NOT NULL,
  lease_until   BIGINT NOT NULL,
  connector     TEXT NOT NULL,
  adapter_hash  TEXT NOT NULL,
  seed          {{BLOB}},
  started_at    BIGINT NOT NULL,
  last_send_at  BIGINT NOT NULL,
  closed_at     BIGINT NOT NULL,
  resolve_tries BIGINT NOT NULL,
  resolve_at    BIGINT NOT NULL,
  due_at        BIGINT,
  request       {{BLOB}},
  instrument    {{BLOB}},
  outcome       {{BLOB}},
  error_text    TEXT NOT NULL
);
CREATE INDEX operations_payment ON operations (merchant_id, payment_id);
CREATE INDEX operations_due ON operations (due_at, merchant_id, account_id) WHERE due_at IS NOT NULL;
CREATE INDEX operations_open ON operations (merchant_id, account_id) WHERE status IN ('started', 'unknown', 'pending');

CREATE TABLE exchanges (
  seq          {{SEQ}},
  operation_id TEXT NOT NULL,
  number       BIGINT NOT NULL,
  at           BIGINT NOT NULL,
  request_hash TEXT NOT NULL,
  sealed       {{BLOB}},
  answered     BOOLEAN NOT NULL,
  sent         BOOLEAN NOT NULL,
  status       BIGINT NOT NULL,
  failure      TEXT NOT NULL,
  duration_ns  BIGINT NOT NULL,
  UNIQUE (operation_id, number)
);

CREATE TABLE events (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  object_id   TEXT NOT NULL,
  id          TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  class       TEXT NOT NULL,
  type        TEXT NOT NULL,
  body        {{BLOB}},
  created_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, object_id, id)
);

CREATE TABLE evidence (
  seq          {{SEQ}},
  operation_id TEXT NOT NULL,
  merchant_id  TEXT NOT NULL,
  at           BIGINT NOT NULL,
  source       TEXT NOT NULL,
  outcome      {{BLOB}},
  note         TEXT NOT NULL
);
CREATE INDEX evidence_operation ON evidence (operation_id);

CREATE TABLE idempotency (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  key          TEXT NOT NULL,
  request_hash {{BLOB}},
  status       BIGINT NOT NULL,
  body         {{BLOB}},
  headers      {{BLOB}},
  owner        TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  UNIQUE (merchant_id, key)
);
CREATE INDEX idempotency_expires ON idempotency (expires_at);

CREATE TABLE card_tokens (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  token       TEXT NOT NULL,
  payment_id  TEXT NOT NULL,
  sealed      {{BLOB}},
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, token)
);
CREATE INDEX card_tokens_expires ON card_tokens (expires_at);
