-- The credentials, address and environment that operations were begun with. A version is made with the first operation that names it. An
-- operation or attempt from before has the name ''; it belongs to its account's original version, which the engine makes before the account's
-- first change.

CREATE TABLE account_versions (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  family      TEXT NOT NULL,
  rank        BIGINT NOT NULL,
  original    BOOLEAN NOT NULL,
  details     TEXT NOT NULL,
  sealed      {{BLOB}},
  created_at  BIGINT NOT NULL,
  used_at     BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, account_id, fingerprint)
);
CREATE INDEX account_versions_used ON account_versions (used_at);

ALTER TABLE operations ADD COLUMN account_version TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN account_version TEXT NOT NULL DEFAULT '';
