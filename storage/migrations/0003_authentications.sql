-- 3-D Secure authentications run by the switch. due_at is when background work looks at one next, 0 for never; the lease keeps those
-- who ask the authenticator apart, and is no change of the row's version.
CREATE TABLE authentications (
  seq          {{SEQ}},
  id           TEXT NOT NULL UNIQUE,
  merchant_id  TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  attempt_id   TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  adapter_hash TEXT NOT NULL,
  state        TEXT NOT NULL,
  outcome      TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  deadline     BIGINT NOT NULL,
  due_at       BIGINT NOT NULL,
  owner        TEXT NOT NULL,
  lease_until  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  sealed       {{BLOB}},
  request      {{BLOB}},
  instrument   {{BLOB}}
);
CREATE INDEX authentications_payment ON authentications (merchant_id, payment_id);
CREATE INDEX authentications_due ON authentications (due_at) WHERE due_at > 0;
