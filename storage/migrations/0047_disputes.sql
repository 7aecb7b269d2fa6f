-- Disputes. What a dispute claims counts in its payment's details; this is its record. Messages of processors name it by payment and processor_id.

CREATE TABLE disputes (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  attempt_id   TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  stage        TEXT NOT NULL,
  status       TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       BIGINT NOT NULL,
  processor_id TEXT NOT NULL,
  reason       TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  signature    {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX disputes_payment ON disputes (merchant_id, payment_id, seq);
CREATE INDEX disputes_created ON disputes (merchant_id, created_at, seq);
