-- Payment links and collect links: hosted pages. subject is the payment's id, or the customer's.

CREATE TABLE links (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  kind        TEXT NOT NULL,
  id          TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  subject     TEXT NOT NULL,
  status      TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  details     TEXT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, kind, id)
);
CREATE INDEX links_created ON links (merchant_id, kind, created_at, seq);
