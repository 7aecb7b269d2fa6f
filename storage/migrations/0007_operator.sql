-- What operators decide about connector accounts, and the rules that their adapters broke: the newest of each account. NULL decisions are
-- none.
ALTER TABLE accounts ADD COLUMN operator TEXT;

CREATE TABLE violations (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  at           BIGINT NOT NULL,
  operation_id TEXT NOT NULL,
  operation    TEXT NOT NULL,
  adapter      TEXT NOT NULL,
  adapter_hash TEXT NOT NULL,
  rule         TEXT NOT NULL,
  place        TEXT NOT NULL,
  FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id) ON DELETE CASCADE
);
CREATE INDEX violations_account ON violations (merchant_id, account_id, seq);
