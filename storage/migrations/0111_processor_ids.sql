-- The processors' ids of payments, captures and refunds, and the payment, refund or relay that each belongs to. The unique key keeps two that are answered
-- with one id at the same instant apart. Ids from before this table keep their first owner.

CREATE TABLE processor_ids (
  seq          {{SEQ}},
  merchant_id  TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  kind         TEXT NOT NULL,
  processor_id TEXT NOT NULL,
  owner        TEXT NOT NULL,
  UNIQUE (merchant_id, account_id, kind, processor_id)
);
INSERT INTO processor_ids (merchant_id, account_id, kind, processor_id, owner)
  SELECT merchant_id, account_id, 'payment', transaction_id, payment_id FROM attempts WHERE transaction_id <> '' ORDER BY seq ON CONFLICT DO NOTHING;
INSERT INTO processor_ids (merchant_id, account_id, kind, processor_id, owner)
  SELECT merchant_id, account_id, 'refund', processor_id, id FROM refunds WHERE processor_id <> '' ORDER BY seq ON CONFLICT DO NOTHING;

-- Relays of one transaction are held against each other.
CREATE INDEX relays_of ON relays (merchant_id, account_id, resource_id);
