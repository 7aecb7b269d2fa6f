-- What merchants do not accept, and how often payments have failed.

-- data is the beginning of card numbers, or the keyed fingerprint of one number. kind is card_bin, extended_card_bin or payment_method.
CREATE TABLE blocked_cards (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  data        TEXT NOT NULL,
  kind        TEXT NOT NULL,
  metadata    TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, data)
);
CREATE INDEX blocked_cards_created ON blocked_cards (merchant_id, kind, created_at, seq);

-- Files of entries that are still to be added, or were added. parts counts the rows of block_job_parts that are left.
CREATE TABLE block_jobs (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  status      TEXT NOT NULL,
  total       BIGINT NOT NULL,
  succeeded   BIGINT NOT NULL,
  failed      BIGINT NOT NULL,
  parts       BIGINT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, id)
);
CREATE INDEX block_jobs_created ON block_jobs (merchant_id, created_at, seq);

CREATE TABLE block_job_parts (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  job_id      TEXT NOT NULL,
  number      BIGINT NOT NULL,
  entries     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, job_id, number)
);

-- Failures of payments by a keyed hash of card, customer or address, until counted_until. held counts the payments under way, until held_until.
CREATE TABLE guard_counts (
  seq           {{SEQ}},
  merchant_id   TEXT NOT NULL,
  counter       TEXT NOT NULL,
  failures      BIGINT NOT NULL,
  counted_until BIGINT NOT NULL,
  held          BIGINT NOT NULL,
  held_until    BIGINT NOT NULL,
  expires_at    BIGINT NOT NULL,
  UNIQUE (merchant_id, counter)
);
CREATE INDEX guard_counts_expires ON guard_counts (expires_at);
