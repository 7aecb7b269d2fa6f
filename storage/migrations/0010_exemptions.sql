-- Exemptions from strong customer authentication: what cards have paid as low value since their payers were last authenticated (card is the
-- vault's keyed fingerprint, of no use without its key), and what issuers, by BIN, made of claims. Both are kept until expires_at.

CREATE TABLE low_value_uses (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  card        TEXT NOT NULL,
  count       BIGINT NOT NULL,
  eur_cents   BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, card)
);
CREATE INDEX low_value_uses_expires ON low_value_uses (expires_at);

CREATE TABLE exemption_rates (
  seq           {{SEQ}},
  merchant_id   TEXT NOT NULL,
  bin           TEXT NOT NULL,
  exemption     TEXT NOT NULL,
  claimed       BIGINT NOT NULL,
  soft_declined BIGINT NOT NULL,
  expires_at    BIGINT NOT NULL,
  UNIQUE (merchant_id, bin, exemption)
);
CREATE INDEX exemption_rates_expires ON exemption_rates (expires_at);
