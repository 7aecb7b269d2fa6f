-- What adapters were given and made of it, one row per drive of an operation. journal_at is for paging by time and for what has been kept
-- long enough.
CREATE TABLE journal (
  seq          {{SEQ}},
  operation_id TEXT NOT NULL,
  merchant_id  TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  adapter      TEXT NOT NULL,
  adapter_hash TEXT NOT NULL,
  kind         TEXT NOT NULL,
  at           BIGINT NOT NULL,
  sealed       {{BLOB}}
);
CREATE INDEX journal_operation ON journal (operation_id);
CREATE INDEX journal_at ON journal (at, seq);
