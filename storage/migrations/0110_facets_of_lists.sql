-- The lists of refunds and disputes read columns as the list of payments does, and payments are found by their customer's e-mail address. The columns
-- are made again: a background loop fills these tables from the payments, refunds and disputes, and may begin again from nothing.

DROP TABLE payment_facets;
DROP TABLE facet_marks;

-- late_at is the time of a change of a row that was no longer young, 0 for none.
ALTER TABLE refunds ADD COLUMN late_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX refunds_late ON refunds (merchant_id, late_at) WHERE late_at > 0;
ALTER TABLE disputes ADD COLUMN late_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX disputes_late ON disputes (merchant_id, late_at) WHERE late_at > 0;

-- list is a facet.List, kind a facet.Kind. A block has a row for each kind.
CREATE TABLE facets (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  list        BIGINT NOT NULL,
  kind        BIGINT NOT NULL,
  block       BIGINT NOT NULL,
  summary     {{BLOB}} NOT NULL,
  data        {{BLOB}} NOT NULL,
  UNIQUE (merchant_id, list, kind, block)
);

-- How far the blocks of a merchant's list go. The row of the merchant '' has the lease of the loop.
CREATE TABLE facet_marks (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  list        BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  blocks      BIGINT NOT NULL,
  up_to       BIGINT NOT NULL,
  late_from   BIGINT NOT NULL,
  read_at     BIGINT NOT NULL,
  complete    BOOLEAN NOT NULL,
  owner       TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  UNIQUE (merchant_id, list)
);
