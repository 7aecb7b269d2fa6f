-- Row signatures: what the vault makes of a row's other columns, under a key of its own. Rows from before get theirs when the vault is
-- first opened. NULL is a row that the vault has not signed. A later migration may add columns whose default is '', 0 or NULL: they leave
-- the signatures good. One that gives a signed column another value spoils the signature of its row.

ALTER TABLE merchants ADD COLUMN signature {{BLOB}};
ALTER TABLE profiles ADD COLUMN signature {{BLOB}};
ALTER TABLE accounts ADD COLUMN signature {{BLOB}};
ALTER TABLE api_keys ADD COLUMN signature {{BLOB}};
ALTER TABLE customers ADD COLUMN signature {{BLOB}};
ALTER TABLE payments ADD COLUMN signature {{BLOB}};
ALTER TABLE attempts ADD COLUMN signature {{BLOB}};
ALTER TABLE operations ADD COLUMN signature {{BLOB}};
ALTER TABLE exchanges ADD COLUMN signature {{BLOB}};
ALTER TABLE events ADD COLUMN signature {{BLOB}};
ALTER TABLE evidence ADD COLUMN signature {{BLOB}};
ALTER TABLE idempotency ADD COLUMN signature {{BLOB}};
ALTER TABLE card_tokens ADD COLUMN signature {{BLOB}};
ALTER TABLE cards ADD COLUMN signature {{BLOB}};
ALTER TABLE short_term_keys ADD COLUMN signature {{BLOB}};
ALTER TABLE authentications ADD COLUMN signature {{BLOB}};
ALTER TABLE payment_methods ADD COLUMN signature {{BLOB}};
ALTER TABLE mandates ADD COLUMN signature {{BLOB}};
ALTER TABLE ephemeral_keys ADD COLUMN signature {{BLOB}};
ALTER TABLE customer_accounts ADD COLUMN signature {{BLOB}};
