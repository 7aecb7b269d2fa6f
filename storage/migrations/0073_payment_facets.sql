-- What lists filter payments by, in columns (engine/facet). A background loop fills these tables from the payments, and may begin again from nothing.
-- late_at is the time of a change of a payment that was no longer young, 0 for none: a payment that ends while it is young never touches its index.

ALTER TABLE payments ADD COLUMN late_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX payments_late ON payments (merchant_id, late_at) WHERE late_at > 0;

-- kind is a facet.Kind. A block has a row for each.
CREATE TABLE payment_facets (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  kind        BIGINT NOT NULL,
  block       BIGINT NOT NULL,
  summary     {{BLOB}} NOT NULL,
  data        {{BLOB}} NOT NULL,
  UNIQUE (merchant_id, kind, block)
);

-- How far the blocks of a merchant go. The row of the merchant '' has the lease of the loop.
CREATE TABLE facet_marks (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL UNIQUE,
  version     BIGINT NOT NULL,
  blocks      BIGINT NOT NULL,
  up_to       BIGINT NOT NULL,
  late_from   BIGINT NOT NULL,
  read_at     BIGINT NOT NULL,
  complete    BOOLEAN NOT NULL,
  owner       TEXT NOT NULL,
  lease_until BIGINT NOT NULL
);
