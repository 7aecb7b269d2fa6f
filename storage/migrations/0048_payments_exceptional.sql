-- Lists of payments with a rare status. A payment that succeeds at once never touches this index.

CREATE INDEX payments_exceptional ON payments (merchant_id, status, created_at, seq)
  WHERE status NOT IN ('succeeded', 'processing', 'requires_payment_method', 'requires_confirmation', 'requires_customer_action');
