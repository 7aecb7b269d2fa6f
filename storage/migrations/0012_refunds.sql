-- Refunds. A refund's operation is a row of operations; its amount counts against payments.refunded until the refund fails. Messages of
-- processors name a refund by the processor's id or by our reference.

CREATE TABLE refunds (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  attempt_id   TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  status       TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       BIGINT NOT NULL,
  processor_id TEXT NOT NULL,
  reference    TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  signature    {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX refunds_payment ON refunds (merchant_id, payment_id, seq);
CREATE INDEX refunds_created ON refunds (merchant_id, created_at, seq);
CREATE INDEX refunds_processor ON refunds (merchant_id, account_id, processor_id) WHERE processor_id <> '';
CREATE INDEX refunds_reference ON refunds (merchant_id, account_id, reference) WHERE reference <> '';
