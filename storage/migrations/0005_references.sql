-- Our reference at the processor in a column of its own, and how an attempt is found by what a processor's message names: the
-- processor's id of the payment, or our reference.

ALTER TABLE attempts ADD COLUMN reference TEXT NOT NULL DEFAULT '';
UPDATE attempts SET reference = COALESCE(CAST(details AS {{JSON}}) ->> 'reference', '');
CREATE INDEX attempts_transaction ON attempts (merchant_id, account_id, transaction_id) WHERE transaction_id <> '';
CREATE INDEX attempts_reference ON attempts (merchant_id, account_id, reference) WHERE reference <> '';
