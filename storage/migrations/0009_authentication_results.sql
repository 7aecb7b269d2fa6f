-- The authenticator's id of a transaction (threeDSServerTransID) in a column of its own: how an authentication is found by what an
-- authenticator's message names.

ALTER TABLE authentications ADD COLUMN server_trans_id TEXT NOT NULL DEFAULT '';
UPDATE authentications SET server_trans_id = COALESCE(CAST(details AS {{JSON}}) ->> 'server_trans_id', '');
CREATE INDEX authentications_server_trans ON authentications (merchant_id, account_id, server_trans_id) WHERE server_trans_id <> '';
