-- Declines of cards, for the limits that card schemes set for retries. card is a keyed hash. times has the latest declines, oldest first, each as eight
-- hex digits of Unix seconds. held counts the repeats under way, until held_until.

CREATE TABLE scheme_declines (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  card        TEXT NOT NULL,
  times       TEXT NOT NULL,
  never_until BIGINT NOT NULL,
  wait_until  BIGINT NOT NULL,
  held        BIGINT NOT NULL,
  held_until  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, card)
);
CREATE INDEX scheme_declines_expires ON scheme_declines (expires_at);
