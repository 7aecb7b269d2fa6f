-- People who use the dashboard. sealed holds name, address, password hash and factors. email_hash is a keyed hash.
CREATE TABLE staff_users (
  seq         {{SEQ}},
  id          TEXT NOT NULL,
  email_hash  {{BLOB}} NOT NULL,
  state       TEXT NOT NULL,
  details     TEXT NOT NULL,
  sealed      {{BLOB}},
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (id),
  UNIQUE (email_hash)
);

-- Their logins. hash is a keyed hash of the cookie's token.
CREATE TABLE staff_logins (
  seq        {{SEQ}},
  hash       {{BLOB}} NOT NULL,
  id         TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  details    TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  ends_at    BIGINT NOT NULL,
  signature  {{BLOB}},
  UNIQUE (hash)
);
CREATE INDEX staff_logins_user ON staff_logins (user_id, created_at);
CREATE INDEX staff_logins_end ON staff_logins (ends_at);

-- One-time links, and challenges of passkeys. A use deletes the row.
CREATE TABLE staff_onces (
  seq        {{SEQ}},
  hash       {{BLOB}} NOT NULL,
  kind       TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  data       TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  ends_at    BIGINT NOT NULL,
  signature  {{BLOB}},
  UNIQUE (hash)
);
CREATE INDEX staff_onces_user ON staff_onces (user_id);
CREATE INDEX staff_onces_end ON staff_onces (ends_at);

-- Attempts to log in, by the hash of an address of the network or of a user. All nodes share them.
CREATE TABLE staff_tries (
  seq         {{SEQ}},
  key         {{BLOB}} NOT NULL,
  level       BIGINT NOT NULL,
  at          BIGINT NOT NULL,
  locked_till BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (key)
);
CREATE INDEX staff_tries_at ON staff_tries (at);

-- What people did. Rows are only ever inserted.
CREATE TABLE staff_audit (
  seq         {{SEQ}},
  id          TEXT NOT NULL,
  at          BIGINT NOT NULL,
  user_id     TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  action      TEXT NOT NULL,
  merchant_id TEXT NOT NULL,
  target      TEXT NOT NULL,
  details     TEXT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (id)
);
CREATE INDEX staff_audit_merchant ON staff_audit (merchant_id, seq);
CREATE INDEX staff_audit_user ON staff_audit (user_id, seq);
