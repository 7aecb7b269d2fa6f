-- The register of card issuers, for rules that name them. folded is the name as rules compare it with the issuer of a card's range.
CREATE TABLE card_issuers (
  seq         {{SEQ}},
  id          TEXT NOT NULL,
  name        TEXT NOT NULL,
  folded      TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (id),
  UNIQUE (name)
);
CREATE INDEX card_issuers_folded ON card_issuers (folded);
