-- The vault: each card under a data key of its own. key_id names the vault's key that wraps it; sealed opens with it alone.

CREATE TABLE cards (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  wrapped_key {{BLOB}},
  sealed      {{BLOB}},
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  UNIQUE (merchant_id, id)
);
CREATE INDEX cards_fingerprint ON cards (merchant_id, fingerprint);
CREATE INDEX cards_key ON cards (key_id, seq);
