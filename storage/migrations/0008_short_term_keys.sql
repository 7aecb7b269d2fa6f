-- The data keys of what is kept for a short time only: a CVC, a card that is not saved. The ciphertext is with the operation, the card
-- token or the authentication that it belongs to; without its row here it is noise. Rows go when the authorization has ended, or at expires_at.

CREATE TABLE short_term_keys (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  wrapped_key {{BLOB}} NOT NULL,
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, id)
);
CREATE INDEX short_term_keys_expires ON short_term_keys (expires_at);

-- What was sealed before, without such a key, is given up: cards of payments that are not confirmed are typed again, operations whose
-- result is unknown are resolved by asking.
DELETE FROM card_tokens;
UPDATE operations SET instrument = NULL WHERE instrument IS NOT NULL;
UPDATE authentications SET instrument = NULL WHERE instrument IS NOT NULL;
