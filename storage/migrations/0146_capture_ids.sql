-- The processors' ids of captures from before migration 0111, and the payment that each belongs to. A capture with the payment's own id has none.

INSERT INTO processor_ids (merchant_id, account_id, kind, processor_id, owner)
  SELECT a.merchant_id, a.account_id, 'capture', {{PROCESSOR_ID_OF_C}}, a.payment_id FROM attempts a, {{CAPTURES_OF_A}} c
  WHERE a.details LIKE '%"captures"%' AND a.account_id <> '' AND {{PROCESSOR_ID_OF_C}} <> '' AND {{PROCESSOR_ID_OF_C}} <> a.transaction_id
  ORDER BY a.seq ON CONFLICT DO NOTHING;
