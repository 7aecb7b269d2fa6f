-- A database as payswitch wrote it on 2024-11-30 (by its clock), at migration 0053, with rows of all kinds that it knew. TestUpgradeOfOldDatabase opens it with this release.
CREATE TABLE schema_migrations (
		name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL);
CREATE TABLE merchants (
  id              TEXT PRIMARY KEY,
  publishable_key TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  default_profile TEXT NOT NULL,
  details         TEXT,
  sealed          BLOB,
  created_at      BIGINT NOT NULL,
  modified_at     BIGINT NOT NULL,
  version         BIGINT NOT NULL
, signature BLOB);
CREATE TABLE profiles (
  seq           INTEGER PRIMARY KEY,
  merchant_id   TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id            TEXT NOT NULL,
  name          TEXT NOT NULL,
  settings      TEXT NOT NULL,
  fallback      TEXT NOT NULL,
  details       TEXT,
  sealed        BLOB,
  created_at    BIGINT NOT NULL,
  modified_at   BIGINT NOT NULL,
  version       BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id),
  UNIQUE (merchant_id, name)
);
CREATE TABLE accounts (
  seq             INTEGER PRIMARY KEY,
  merchant_id     TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id              TEXT NOT NULL,
  profile_id      TEXT NOT NULL,
  type            TEXT NOT NULL,
  connector       TEXT NOT NULL,
  label           TEXT NOT NULL,
  disabled        BOOLEAN NOT NULL,
  active          BOOLEAN NOT NULL,
  test_mode       BOOLEAN NOT NULL,
  auth_type       TEXT NOT NULL,
  sealed          BLOB,
  metadata        TEXT,
  base_url        TEXT NOT NULL,
  hosts           TEXT NOT NULL,
  payment_methods TEXT,
  details         TEXT,
  created_at      BIGINT NOT NULL,
  modified_at     BIGINT NOT NULL,
  version         BIGINT NOT NULL, operator TEXT, signature BLOB,
  UNIQUE (merchant_id, id),
  UNIQUE (merchant_id, profile_id, label)
);
CREATE TABLE api_keys (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL REFERENCES merchants (id) ON DELETE CASCADE,
  id          TEXT NOT NULL,
  name        TEXT NOT NULL,
  description TEXT NOT NULL,
  prefix      TEXT NOT NULL,
  hash        BLOB NOT NULL UNIQUE,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  revoked_at  BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE customers (
  seq               INTEGER PRIMARY KEY,
  merchant_id       TEXT NOT NULL,
  id                TEXT NOT NULL,
  sealed            BLOB,
  metadata          TEXT,
  default_method_id TEXT NOT NULL,
  redacted          BOOLEAN NOT NULL,
  created_at        BIGINT NOT NULL,
  modified_at       BIGINT NOT NULL,
  version           BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE keysets (
  name    TEXT PRIMARY KEY,
  wrapped BLOB NOT NULL
);
CREATE TABLE payment_statuses (
  status TEXT PRIMARY KEY
);
CREATE TABLE payments (
  seq                INTEGER PRIMARY KEY,
  merchant_id        TEXT NOT NULL,
  id                 TEXT NOT NULL,
  profile_id         TEXT NOT NULL,
  customer_id        TEXT NOT NULL,
  status             TEXT NOT NULL REFERENCES payment_statuses (status),
  currency           TEXT NOT NULL,
  amount             BIGINT NOT NULL,
  net_amount         BIGINT NOT NULL,
  capturable         BIGINT NOT NULL,
  received           BIGINT NOT NULL,
  refunded           BIGINT NOT NULL,
  attempt_count      BIGINT NOT NULL,
  attempt_id         TEXT NOT NULL,
  open_operation     TEXT NOT NULL,
  client_secret_hash BLOB,
  expires_at         BIGINT NOT NULL,
  created_at         BIGINT NOT NULL,
  modified_at        BIGINT NOT NULL,
  version            BIGINT NOT NULL,
  details            TEXT NOT NULL,
  sealed             BLOB, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE attempts (
  seq            INTEGER PRIMARY KEY,
  merchant_id    TEXT NOT NULL,
  payment_id     TEXT NOT NULL,
  id             TEXT NOT NULL,
  number         BIGINT NOT NULL,
  status         TEXT NOT NULL,
  connector      TEXT NOT NULL,
  account_id     TEXT NOT NULL,
  amount         BIGINT NOT NULL,
  authorized     BIGINT NOT NULL,
  captured       BIGINT NOT NULL,
  transaction_id TEXT NOT NULL,
  created_at     BIGINT NOT NULL,
  modified_at    BIGINT NOT NULL,
  version        BIGINT NOT NULL,
  details        TEXT NOT NULL,
  sealed         BLOB, reference TEXT NOT NULL DEFAULT '', signature BLOB, account_version TEXT NOT NULL DEFAULT '',
  UNIQUE (merchant_id, id)
);
CREATE TABLE operations (
  seq           INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  merchant_id   TEXT NOT NULL,
  payment_id    TEXT NOT NULL,
  attempt_id    TEXT NOT NULL,
  account_id    TEXT NOT NULL,
  kind          TEXT NOT NULL,
  status        TEXT NOT NULL,
  amount        BIGINT NOT NULL,
  owner         TEXT NOT NULL,
  lease_until   BIGINT NOT NULL,
  connector     TEXT NOT NULL,
  adapter_hash  TEXT NOT NULL,
  seed          BLOB,
  started_at    BIGINT NOT NULL,
  last_send_at  BIGINT NOT NULL,
  closed_at     BIGINT NOT NULL,
  resolve_tries BIGINT NOT NULL,
  resolve_at    BIGINT NOT NULL,
  due_at        BIGINT,
  request       BLOB,
  instrument    BLOB,
  outcome       BLOB,
  error_text    TEXT NOT NULL
, signature BLOB, account_version TEXT NOT NULL DEFAULT '', resolution TEXT NOT NULL DEFAULT '', resend_answers BIGINT NOT NULL DEFAULT 0, due_set_at BIGINT NOT NULL DEFAULT 0);
CREATE TABLE exchanges (
  seq          INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL,
  number       BIGINT NOT NULL,
  at           BIGINT NOT NULL,
  request_hash TEXT NOT NULL,
  sealed       BLOB,
  answered     BOOLEAN NOT NULL,
  sent         BOOLEAN NOT NULL,
  status       BIGINT NOT NULL,
  failure      TEXT NOT NULL,
  duration_ns  BIGINT NOT NULL, signature BLOB,
  UNIQUE (operation_id, number)
);
CREATE TABLE events (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  object_id   TEXT NOT NULL,
  id          TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  class       TEXT NOT NULL,
  type        TEXT NOT NULL,
  body        BLOB,
  created_at  BIGINT NOT NULL, signature BLOB, payment_id TEXT NOT NULL DEFAULT '', number BIGINT NOT NULL DEFAULT 0, waiting BIGINT NOT NULL DEFAULT 0,
  UNIQUE (merchant_id, object_id, id)
);
CREATE TABLE evidence (
  seq          INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL,
  merchant_id  TEXT NOT NULL,
  at           BIGINT NOT NULL,
  source       TEXT NOT NULL,
  outcome      BLOB,
  note         TEXT NOT NULL
, signature BLOB);
CREATE TABLE idempotency (
  seq          INTEGER PRIMARY KEY,
  merchant_id  TEXT NOT NULL,
  key          TEXT NOT NULL,
  request_hash BLOB,
  status       BIGINT NOT NULL,
  body         BLOB,
  headers      BLOB,
  owner        TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, key)
);
CREATE TABLE card_tokens (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  token       TEXT NOT NULL,
  payment_id  TEXT NOT NULL,
  sealed      BLOB,
  expires_at  BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, token)
);
CREATE TABLE cards (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  wrapped_key BLOB,
  sealed      BLOB,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE authentications (
  seq          INTEGER PRIMARY KEY,
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
  sealed       BLOB,
  request      BLOB,
  instrument   BLOB
, server_trans_id TEXT NOT NULL DEFAULT '', signature BLOB);
CREATE TABLE payment_methods (
  seq          INTEGER PRIMARY KEY,
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  customer_id  TEXT NOT NULL,
  status       TEXT NOT NULL,
  deleted      BOOLEAN NOT NULL,
  fingerprint  TEXT NOT NULL,
  has_card     BOOLEAN NOT NULL,
  last_used_at BIGINT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  sealed       BLOB, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE mandates (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  method_id   TEXT NOT NULL,
  payment_id  TEXT NOT NULL,
  status      TEXT NOT NULL,
  used_by     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  details     TEXT NOT NULL,
  sealed      BLOB, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE ephemeral_keys (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  hash        BLOB NOT NULL UNIQUE,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE customer_accounts (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  version     BIGINT NOT NULL,
  data        TEXT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, customer_id, account_id)
);
CREATE TABLE journal (
  seq          INTEGER PRIMARY KEY,
  operation_id TEXT NOT NULL,
  merchant_id  TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  adapter      TEXT NOT NULL,
  adapter_hash TEXT NOT NULL,
  kind         TEXT NOT NULL,
  at           BIGINT NOT NULL,
  sealed       BLOB
);
CREATE TABLE violations (
  seq          INTEGER PRIMARY KEY,
  merchant_id  TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  at           BIGINT NOT NULL,
  operation_id TEXT NOT NULL,
  operation    TEXT NOT NULL,
  adapter      TEXT NOT NULL,
  adapter_hash TEXT NOT NULL,
  rule         TEXT NOT NULL,
  place        TEXT NOT NULL,
  FOREIGN KEY (merchant_id, account_id) REFERENCES accounts (merchant_id, id) ON DELETE CASCADE
);
CREATE TABLE short_term_keys (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  key_id      TEXT NOT NULL,
  wrapped_key BLOB NOT NULL,
  expires_at  BIGINT NOT NULL, signature BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE low_value_uses (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  card        TEXT NOT NULL,
  count       BIGINT NOT NULL,
  eur_cents   BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  UNIQUE (merchant_id, card)
);
CREATE TABLE exemption_rates (
  seq           INTEGER PRIMARY KEY,
  merchant_id   TEXT NOT NULL,
  bin           TEXT NOT NULL,
  exemption     TEXT NOT NULL,
  claimed       BIGINT NOT NULL,
  soft_declined BIGINT NOT NULL,
  expires_at    BIGINT NOT NULL,
  UNIQUE (merchant_id, bin, exemption)
);
CREATE TABLE refunds (
  seq          INTEGER PRIMARY KEY,
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  attempt_id   TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  status       TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       BIGINT NOT NULL,
  processor_id TEXT NOT NULL,
  reference    TEXT NOT NULL,
  operation_id TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  signature    BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE account_versions (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  account_id  TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  family      TEXT NOT NULL,
  rank        BIGINT NOT NULL,
  original    BOOLEAN NOT NULL,
  details     TEXT NOT NULL,
  sealed      BLOB,
  created_at  BIGINT NOT NULL,
  used_at     BIGINT NOT NULL,
  signature   BLOB,
  UNIQUE (merchant_id, account_id, fingerprint)
);
CREATE TABLE webhook_endpoints (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  url         TEXT NOT NULL,
  description TEXT NOT NULL,
  types       TEXT NOT NULL,
  disabled    BOOLEAN NOT NULL,
  sealed      BLOB,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  signature   BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE deliveries (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  payment_id  TEXT NOT NULL,
  object_id   TEXT NOT NULL,
  number      BIGINT NOT NULL,
  class       TEXT NOT NULL,
  type        TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  state       TEXT NOT NULL,
  tries       BIGINT NOT NULL,
  due_at      BIGINT,
  owner       TEXT NOT NULL,
  ended_at    BIGINT NOT NULL,
  first_id    TEXT NOT NULL,
  UNIQUE (merchant_id, event_id, endpoint_id)
);
CREATE TABLE delivery_attempts (
  seq         INTEGER PRIMARY KEY,
  merchant_id TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  kind        TEXT NOT NULL,
  at          BIGINT NOT NULL,
  took_ms     BIGINT NOT NULL,
  status      BIGINT NOT NULL,
  failure     TEXT NOT NULL,
  sealed      BLOB,
  UNIQUE (merchant_id, event_id, id)
);
CREATE TABLE restores (
  seq        INTEGER PRIMARY KEY,
  taken_at   BIGINT NOT NULL,
  started_at BIGINT NOT NULL
);
CREATE TABLE routing_configs (
  seq              INTEGER PRIMARY KEY,
  merchant_id      TEXT NOT NULL,
  id               TEXT NOT NULL,
  profile_id       TEXT NOT NULL,
  kind             TEXT NOT NULL,
  transaction_type TEXT NOT NULL,
  name             TEXT NOT NULL,
  description      TEXT NOT NULL,
  algorithm        TEXT,
  created_at       BIGINT NOT NULL,
  modified_at      BIGINT NOT NULL,
  signature        BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE error_rules (
  seq         INTEGER PRIMARY KEY,
  connector   TEXT NOT NULL,
  flow        TEXT NOT NULL,
  sub_flow    TEXT NOT NULL,
  code        TEXT NOT NULL,
  message     TEXT NOT NULL,
  details     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   BLOB,
  UNIQUE (connector, flow, sub_flow, code, message)
);
CREATE TABLE config_keys (
  seq         INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  value       TEXT NOT NULL,
  modified_at BIGINT NOT NULL,
  signature   BLOB,
  UNIQUE (name)
);
CREATE TABLE disputes (
  seq          INTEGER PRIMARY KEY,
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  payment_id   TEXT NOT NULL,
  attempt_id   TEXT NOT NULL,
  profile_id   TEXT NOT NULL,
  account_id   TEXT NOT NULL,
  connector    TEXT NOT NULL,
  stage        TEXT NOT NULL,
  status       TEXT NOT NULL,
  currency     TEXT NOT NULL,
  amount       BIGINT NOT NULL,
  processor_id TEXT NOT NULL,
  reason       TEXT NOT NULL,
  created_at   BIGINT NOT NULL,
  modified_at  BIGINT NOT NULL,
  version      BIGINT NOT NULL,
  details      TEXT NOT NULL,
  signature    BLOB,
  UNIQUE (merchant_id, id)
);
CREATE TABLE adapters (
  seq          INTEGER PRIMARY KEY,
  name         TEXT NOT NULL,
  release      TEXT NOT NULL,
  sha256       TEXT NOT NULL,
  pin          TEXT NOT NULL,
  installed_at BIGINT NOT NULL,
  signature    BLOB,
  UNIQUE (name)
);
CREATE TABLE adapter_modules (
  seq     INTEGER PRIMARY KEY,
  sha256  TEXT NOT NULL,
  packed  BLOB,
  used_at BIGINT NOT NULL,
  UNIQUE (sha256)
);
CREATE TABLE copies (
  id       TEXT PRIMARY KEY,
  role     TEXT NOT NULL,
  state    TEXT NOT NULL,
  other    TEXT NOT NULL,
  began_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL,
  details  TEXT NOT NULL
);
CREATE TABLE copy_changes (
  seq     INTEGER PRIMARY KEY,
  changed TEXT NOT NULL
);
INSERT INTO schema_migrations VALUES ('0001_init', '5d915ab7c7625c748088332b8bb0cbfceffb1b40cf8f08742d5d35d98ebedf5c', 1732940521114);
INSERT INTO schema_migrations VALUES ('0002_cards', '4dd9d5b2a709f3fb127a66130839e68e3396aa19da59599bede8c9568a171483', 1732940521119);
INSERT INTO schema_migrations VALUES ('0003_authentications', 'b20dc85980cea62c0b8c2ff1c3fa875319b71b378d4f1af5bf0128c2edafb54d', 1732940521120);
INSERT INTO schema_migrations VALUES ('0004_methods', '9db09a54b9c6740a160a28151ec394b812a2b10c6f758e673479ac7363d1589d', 1732940521121);
INSERT INTO schema_migrations VALUES ('0005_references', 'a8698d3b038c392c48d9f3e8069bb5584709351f06086701cb8e04a2e593f7f6', 1732940521123);
INSERT INTO schema_migrations VALUES ('0006_journal', '8b70a846f9f8096f40adff90a5bdec77c5c65475b3ecffb17ed02c952171eb27', 1732940521125);
INSERT INTO schema_migrations VALUES ('0007_operator', 'bea0e2a140f4eaddeaeaba54044b014a75c34e0a8c5bb272e9ec7a6b5db49aab', 1732940521126);
INSERT INTO schema_migrations VALUES ('0008_short_term_keys', '8eab0f5d70dc7fef5820bfc8d4bbd684cc68e9bd1ee994152b1c3251ca287122', 1732940521126);
INSERT INTO schema_migrations VALUES ('0009_authentication_results', 'adee23b72e97ce41f5338b68dfe7436c44d7dbd572ff4215b0d569aacb3c05ba', 1732940521127);
INSERT INTO schema_migrations VALUES ('0010_exemptions', 'f76781ae786c7840195539058d5bd750f88e57963096fae56ade0714b494072c', 1732940521130);
INSERT INTO schema_migrations VALUES ('0011_row_signatures', 'c8577f347825b736df7709c4a47f8e307b4595e0493859f05fc67e4f1236fcd6', 1732940521131);
INSERT INTO schema_migrations VALUES ('0012_refunds', '5e1acc8762aa0c16e9d5785faf96e74c61d6a8b195a1cb0aa793cf2fae7bbc4c', 1732940521146);
INSERT INTO schema_migrations VALUES ('0013_account_versions', 'a01a7588aba8807005c1ac60a0925bd176a2f42fd9588de0ade1cf2434d3e0b8', 1732940521147);
INSERT INTO schema_migrations VALUES ('0014_resolutions', '5885f2c0288c12d38f50be59702bc7aefd34afa3f9e7c6f30ec494fd3e22bec9', 1732940521148);
INSERT INTO schema_migrations VALUES ('0015_clock', '93d1b11f9fd9ccaaee3b567bfa1e5f5d36402cb1c72b2e5b7788c04aaaf248c8', 1732940521149);
INSERT INTO schema_migrations VALUES ('0020_webhooks', 'aa168743f912cc37c9d9c7f5bb303108e6fdfdb9c7c7630e4ffa8569e957f529', 1732940521153);
INSERT INTO schema_migrations VALUES ('0035_restores', '81a7baa5251c6cb179dd15a4fffecfe02b42b4c1aad10d30a9181cb13170ed0b', 1732940521156);
INSERT INTO schema_migrations VALUES ('0040_routing', 'dde75d90353b84241e0859447ede3bc7754d2b0abc45f8b094df585920bb2957', 1732940521156);
INSERT INTO schema_migrations VALUES ('0041_error_rules', 'de8989335f645ac952a01119c1c41635cb58e991db7a6254c83376f5684cd224', 1732940521157);
INSERT INTO schema_migrations VALUES ('0047_disputes', '19d3166567f963cec68eba5981bb2119fb933e6272c0888ff8d5c9d79b76961e', 1732940521157);
INSERT INTO schema_migrations VALUES ('0048_payments_exceptional', '88cd9f0666185852c411f2ac051bcd6373eed17e8a5821978fcdc8b9f07f7b2f', 1732940521157);
INSERT INTO schema_migrations VALUES ('0050_adapters', '28dabde0bcb18d8a6ee72fbde533dce57abb642293a4327d87366ce83bee125f', 1732940521157);
INSERT INTO schema_migrations VALUES ('0053_copies', 'e593a75c5557425acce84557cfe251a6375908872696f399bb6c1de4068b6459', 1732940521158);
INSERT INTO merchants VALUES ('old', 'pk_dev_e92bdade56cd08b2e807681e6d25fc8f', 'org_0UVa5p344pds7HjMH7sh', 'pro_0UVa5p342g2fVaG1GWQA', '{"enable_payment_response_hash":true,"primary_business_details":[],"redirect_to_merchant_with_http_post":false}', X'016f6716d818b33b7644616bbd91f0972940a49bed89243e737e5d14e577e72df856618d47bbc3ae6a20349f38db1c32a793320ff603bcc6c1afbf0d808c15c4b24cb45c45364d38e8acd05662529aaca646f5483fcf0e768955de6dbcffc07a848dbe22f2d8e1df99d1b2e68975201fa99cd1ac235c855d55d128884df79ebff6', 1732940521282, 1732940521282, 1, X'9e78e719fb65d0205aebf35cb8235e50caa7fe83a60320463f6c6e20b69b9960');
INSERT INTO profiles VALUES (1, 'old', 'pro_0UVa5p342g2fVaG1GWQA', 'default', '{"ReturnURL":"","EnableResponseHash":true,"RedirectWithPost":false,"SessionExpirySeconds":900,"FulfillmentSeconds":900,"ManualRetry":false,"AgnosticMIT":false,"Force3DSChallenge":false,"AlwaysOvercapture":false,"UseBillingAsMethodBilling":true,"AuthenticationConnectors":["simulator3ds"],"RequestorURL":"https://shop.example","RequestorAppURL":"","ActiveRouting":{"payment":"routing_0UVa5pgYUZZ5QlgPz52R"},"WebhookURL":"https://127.0.0.1:9/hook","PaymentStatusesEnabled":null,"RefundStatusesEnabled":null}', '["mca_0UVa5p3TfEvoMNiM5atf"]', '{"authentication_connector_details":{"authentication_connectors":["simulator3ds"],"three_ds_requestor_url":"https://shop.example","three_ds_requestor_app_url":null},"enable_payment_response_hash":true,"merchant_category_code":"5999","merchant_country_code":"DK","redirect_to_merchant_with_http_post":false}', X'016f6716d82c75f1101ae69edfd869c979364484a6450f62fbb056f086af62ca0c5ddb7d38ff9099d3af04f73de541e17bce14b97d54d8237091e863251c35850964fadf6830f319f69eaf7bf92d18e53f0648a708679378adb77490c5f5859e7aed8c4c7f55a75f2dc4a70c7fdcfbe23d39c9f4ed07bc4ebd19788ecf96ffb79e46eca09f1b58e07183319fae2610034394fe6c7249a987be7167ba3bd2c14d0bc62411cc28139819892e9b23527f43c3b68758701506bd1ab265da29473656c20db0411ee4201af1ced05f49877e99e8c75e2d0491d9864fe28add72a4c738892a2c66bc50f2f7cda36f031e0ca34690f2df903a7de306103e446112967bd54a470429547e1a380327b3c121fdfeceb571499c4ee89ab6c1d0128e1d0238dec6c5779913770815362f59511047b9e344a09883c992892f63dbd1effc82178a974af7a1adec46bccc5c511ece52b5a21bfcfa56b3d5d7e92d38c4fb46a1f0a91a7558154b76b079b2520724bbe5ac65bf2eb3ab827d7d925531778b63c96e9c80cd97097d4e533de45dd81e82e6ab58ebe920a265a0b01ac36ae5568ac38e57fc37cbecb82577d061769c24406a8690801b392ddc1e9da611e8acea3cf23fc71b032a3f', 1732940521282, 1732940523808, 5, X'd2a262432ba918795378b0ed5663403f05cea91e1e12ad30ecaa793fe659a9fb');
INSERT INTO accounts VALUES (1, 'old', 'mca_0UVa5p3TfEvoMNiM5atf', 'pro_0UVa5p342g2fVaG1GWQA', 'payment_processor', 'simulator', 'simulator', 0, 1, 1, 'HeaderKey', X'016f6716d859d32d498b2232ae12a875819b1ee1f8a946ff6c8aefd76e666931430811314e8025e2c14c91ec90dbe910df77911928db6acfbcd59a3e539ad86ae45488bded0e03e4e2d0e981ea0d55889907daabab2730c9565434666bcdacdf4890f38553e31af6ef3167cf3753346760de4c97a6de62f85c3de10a499bccc9b4b985c01be1d07f26a698510d388f22633523bd04a67d1038daee133ae121b384c44fe095edc5ee0a8817ea7d6a34a824f97287ce2d885a95', '{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"DEMO0000417","acquirer_country_code":"DK"}}', '', 'null', NULL, '{}', 1732940521307, 1732940521307, 1, '{"approvals":[{"at":"2024-11-30T04:22:01.307Z","by":"creation","adapter":"simulator","version":"1.0.0","sha256":"c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce","reach":{"credentials":["api_key as api_key (secret)","key1 as key1 (secret)","api_secret as api_secret (secret)","key2 as key2 (secret)","webhook_secret as webhook_secret (secret)"]}}]}', X'bc7420a43797b4fc51e038c410d92e83ed87e316f3f5881332eb27c6dc161642');
INSERT INTO accounts VALUES (2, 'old', 'mca_0UVa5p3g2KOT7GbqaZC0', 'pro_0UVa5p342g2fVaG1GWQA', 'authentication_processor', 'simulator3ds', 'simulator3ds', 0, 1, 1, 'HeaderKey', X'016f6716d8e0ad430bdf1c1eb9ebffe8f05eb4f4bdec3f9e3dda1d78617eee71791e812ad575d46994e03848678ac30bf5bc792f5e2e3211445e7b8992792181c80583953d0cb0dcfb9e4a02de54bc45b94e97be4fb27ffa42080e084b3a317f32be11ce9ca52c85f00576398e08e735bff72deb5128779fa59e736514966e9002ae287a57360e643486597bbd3505d61c99190d52d7b76c8b6be816ef2ef56a301e5efcc72df78cf46aadfe5970f3732c0b8321003364c36d', NULL, '', 'null', NULL, '{}', 1732940521319, 1732940521319, 1, '{"approvals":[{"at":"2024-11-30T04:22:01.319Z","by":"creation","adapter":"threedsecureio","version":"1.0.0","sha256":"e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1","reach":{"hosts":{"live":["service.3dsecure.io"],"test":["service.sandbox.3dsecure.io"]},"credentials":["api_key as api_key (secret)"],"config":["acquirer_bin as acquirer_bin (text)","acquirer_merchant_id as acquirer_merchant_id (text)","acquirer_country_code as acquirer_country_code (text)","mcc as mcc (text)","merchant_name as merchant_name (text)","merchant_country_code as merchant_country_code (text)","three_ds_requestor_id as three_ds_requestor_id (text)","three_ds_requestor_name as three_ds_requestor_name (text)"],"authentication":[{"secret":"api_key","in":"header","field":"APIKey"}],"placements":[{"secret":"card_number","operation":"prepare","method":"POST","path":"/preauth","in":"body","field":"acctNumber"},{"secret":"card_number","operation":"authenticate","method":"POST","path":"/auth","in":"body","field":"acctNumber"}]}}]}', X'bce6ee827fc4e167f7c511c5664b0bfef4296be1c79c34b83bd9a1f60f86d5cb');
INSERT INTO api_keys VALUES (1, 'old', 'dev_0UVa5p3HOhD4L6fG5T23', 'k', '', 'dev_b2bBN93Y', X'a32d762db2ce708bbf4c5229a166eb368b4668dc1a355f02a157a43f3eb93ecf', 1732940521295, 0, 0, X'241aa4d088a2782ee3b1fbe96698f4fa828a24105789ef92077a7f9ee15bde9d');
INSERT INTO customers VALUES (1, 'old', 'ada', X'016f6716d8c3e1afe6a617af27dd2b5520d38955500dbb6e77f8267c84e0a22535444cb6ffb2e117bda9d2eac5bd7716b4b15ef4c09f62876405367e6bcd600abad564d614bc38a99030', NULL, 'pm_0UVa5pJmrpfcVuKONUBU', 0, 1732940521337, 1732940522318, 2, X'8e35e7594eb4bc160d146ad3059cc7ebc9dbec273936bf7573f4637d55fd46fd');
INSERT INTO keysets VALUES ('data', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22456f674262374a49514c32427134335968553669336635326f377664626b5741344d736e367a586e77734a4f2f76343363334f5a413370697977793050356351696a656b54413356415251656a366254787837477453734f673165504370693073336f6b37636a3641556d677865543673464b704d524b66385a4d34685962716e42684e67434348376d325034747458354641652b4e46304c4655754b54746676476e5445367a785a7531335752327257697a484546453171513d3d222c226b657973223a5b7b226964223a223666363731366438222c22637265617465645f6174223a22323032342d31312d33305430343a32323a30312e3139335a222c2270726f6d6f7465645f6174223a22323032342d31312d33305430343a32323a30312e3139335a227d5d7d');
INSERT INTO keysets VALUES ('hash', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22457667425958703356772b595164745a6964654269584475676f4b684d46524d543462624e694955586d4f5a544d74424f5a2b54376f3655526444474c4d54766771736d71696848667a492b766d643733423342506a69426c4f6a47795064504359596f49714c6a7151464e36345a4f6f47744647434b6c31513159437639376a384b77314c4c455a61716b58414a336334595a6d6346796542654a745342727a7a57385330616e34396230464b47343734627a476c4c6b58666936704c7662356950373033716b6a3046574774366850672b6d503642584e6d4f5468455a6761726c4e656371336a383868654c65494d465578597430626c4b784a703467366e7942554e776e7572434969654d72554a77655a4455615178555a2f6f3138476b436f47565756553354665465517771386c753372694148764e69446d6c323067785552734e6c75412f704937544d3d222c226b657973223a5b7b226964223a223233306264393062222c22637265617465645f6174223a22323032342d31312d33305430343a32323a30312e3230365a222c2270726f6d6f7465645f6174223a22323032342d31312d33305430343a32323a30312e3230365a227d2c7b226964223a223333373234333138222c22637265617465645f6174223a22323032342d31312d33305430343a32323a30312e3230365a222c2270726f6d6f7465645f6174223a22323032342d31312d33305430343a32323a30312e3230365a227d5d7d');
INSERT INTO keysets VALUES ('cards', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22456f6742525842567956317a572f2f657377674d6d374d7459494e6b3878584c564d716848723772335545537a695363716c4f677655427857354461504b384c356e59793472794c5831675658493848397573483070466854504733755166376e495676346c6530627a6e766f5569773058777852494331324d646a2b433366534a4473725970375359557848414c5270456b4d6d4f356276756f764b38695466434c734f524876315232317976762f6d4858797a30324861513d3d222c226b657973223a5b7b226964223a223833663131393930222c22637265617465645f6174223a22323032342d31312d33305430343a32323a30312e3230375a222c2270726f6d6f7465645f6174223a22323032342d31312d33305430343a32323a30312e3230375a227d5d7d');
INSERT INTO payment_statuses VALUES ('requires_payment_method');
INSERT INTO payment_statuses VALUES ('requires_confirmation');
INSERT INTO payment_statuses VALUES ('requires_customer_action');
INSERT INTO payment_statuses VALUES ('requires_merchant_action');
INSERT INTO payment_statuses VALUES ('processing');
INSERT INTO payment_statuses VALUES ('requires_capture');
INSERT INTO payment_statuses VALUES ('partially_captured_and_capturable');
INSERT INTO payment_statuses VALUES ('partially_captured_and_processing');
INSERT INTO payment_statuses VALUES ('partially_authorized_and_requires_capture');
INSERT INTO payment_statuses VALUES ('succeeded');
INSERT INTO payment_statuses VALUES ('partially_captured');
INSERT INTO payment_statuses VALUES ('failed');
INSERT INTO payment_statuses VALUES ('cancelled');
INSERT INTO payment_statuses VALUES ('cancelled_post_capture');
INSERT INTO payment_statuses VALUES ('expired');
INSERT INTO payment_statuses VALUES ('conflicted');
INSERT INTO payment_statuses VALUES ('review');
INSERT INTO payments VALUES (1, 'old', 'held', 'pro_0UVa5p342g2fVaG1GWQA', 'ada', 'requires_capture', 'USD', 5000, 5000, 5000, 0, 0, 1, 'held_1', '', X'2fccf379dc6401d306ea2f127baf00452d92bdafb78f6610fc99be73d9f838c8', 1732941421342, 1732940521342, 1732940522122, 2, '{"capture_method":"manual","metadata":{"order":"7"},"request":"pay_0UVa5p3zt8W0n3PQCvkx","announced":"requires_capture/1","events":1}', X'016f6716d82682304240394f8703c40b4cac329ce5eb24dd0edfc66b43819e8c58a258fc890e7a86646eb17714acf35a154b3df1ab081773b13ad5c3b787eac6dfc596aee3ad92deb91a5157c3002e2c8d15cd0d0a7c90995ff8fea73494872b59568256d75f2fec78204f6baf', X'c58810449fd4f1839b01a173b03e6d91c4dae0851ce7e603858860efce79703a');
INSERT INTO payments VALUES (2, 'old', 'part', 'pro_0UVa5p342g2fVaG1GWQA', '', 'partially_captured_and_capturable', 'USD', 9000, 9000, 6500, 2500, 0, 1, 'part_1', '', X'14ae8b72a769b7c3b23eda2de77bf66e37f382e00c91355efc1ad13d5ee6ab05', 1732941422158, 1732940522158, 1732940522192, 6, '{"capture_method":"manual_multiple","announced":"partially_captured_and_capturable/1/2500","events":3}', X'016f6716d84edc7ed308082de66c2e9fd8770c2b8f8f440c6469762e1950967cc1ac2ac6c25c72911d7fa88a408a5b96792eb214bd9cc736d8cf8df495fbd7b4f04ed88199915e847398f1f8bd3a1c7773630ef27a', X'323eb41efec0b48f133cce5fc6279f256d570456e637d51bce8555cfd8dc6496');
INSERT INTO payments VALUES (3, 'old', 'taken', 'pro_0UVa5p342g2fVaG1GWQA', '', 'succeeded', 'USD', 3000, 3000, 0, 3000, 1200, 1, 'taken_1', '', X'ee5bc48a74470fbca716628e8c4c39be3877b062ed48183fbcf0a2660f4a96f1', 1732941422194, 1732940522194, 1732940522207, 5, '{"capture_method":"automatic","announced":"succeeded/1/3000","events":3,"refunded_total":1200,"refund_count":1,"disputes":[{"id":"dp_1","attempt_id":"taken_1","status":"opened","amount":500}]}', X'016f6716d86058d0e17475597dbb32f81ffe6e624a2c2ba3181a3dd40e3af206ae6f421c65c0d1eaaabf6a36f0052bcc738c7ed3d35ed43d8fdedb55e6afd9b12d0eb3b9ba2a21722f045e0d9e916b5b4b0dcfea4514', X'acde1d0a823d3f24fe802344f906f22a9e9a804dc4c4c13c095eddaea66b0e88');
INSERT INTO payments VALUES (4, 'old', 'slow', 'pro_0UVa5p342g2fVaG1GWQA', '', 'succeeded', 'USD', 4000, 4000, 0, 4000, 1000, 1, 'slow_1', '', X'c64eca9dc7d00f30e97f198f5625bf7ca7744157fbfe05dfb5a8090478755e6b', 1732941422220, 1732940522220, 1732940522231, 3, '{"capture_method":"automatic","announced":"succeeded/1/4000","events":1,"refund_count":1}', X'016f6716d8799b6b966fe9ea181a40592797b1bf9d053d16629c082bf0be7d8f83bf93121bc4309271cbc7d3a945100ed126f2dc93756d517d9231d425ec4fefee5bd6032efe602c6b414c7a1bf17c460b229db3d1', X'eb72cbf7f0a3a61c38a30df09af210ee320722c4dc10a472a5dc8a5d029e7b3e');
INSERT INTO payments VALUES (5, 'old', 'unknown', 'pro_0UVa5p342g2fVaG1GWQA', '', 'processing', 'USD', 900000030, 900000030, 900000030, 0, 0, 1, 'unknown_1', 'op_01937b4de2fc2387f7b310bfa5b2f92b', X'c5cfb7224403fa5c12fea8cd50906428e615256fa3698fa6aae2e2b1a1000f30', 1732941422236, 1732940522236, 1732940522238, 2, '{"capture_method":"automatic","announced":"processing/1","events":1}', X'016f6716d8c5d5803e229164baaebdce9c1ff50989d37d096a66e1a669bdc2da4c4060a789ad9999290d96081ddcd0ee0acba83c1b5b23938aca934fb153f383bd4e0cabb199e731486aa8d850271c1c407efb01961695b6', X'a75e77ecd8f3e7d7caa48fc5e063cfe13f1c29775025c90c7c99163d2e969ad5');
INSERT INTO payments VALUES (6, 'old', 'declined', 'pro_0UVa5p342g2fVaG1GWQA', '', 'failed', 'USD', 800, 800, 0, 0, 0, 1, 'declined_1', '', X'9459dd650d564ab517bb38c7edb4fcb7fb313147c7ca72f22b00fb04407c263e', 1732941422240, 1732940522240, 1732940522249, 2, '{"capture_method":"automatic","announced":"failed/1","events":1}', X'016f6716d8ca62b4ae708365f14393df55b7c3d4a6bfcd90ead2a5d461e71f6f22d44f25ba3515a9550811bd707bdc0740a436adb45459be81306626046dbd3c19d3508901cf1c64ea04356462f56fc12232b510fa497230e5', X'8e4f9e677caf902fc3a998f09a30383c28dc21ea3366a5e6beae00da4863ee06');
INSERT INTO payments VALUES (7, 'old', 'saved', 'pro_0UVa5p342g2fVaG1GWQA', 'ada', 'succeeded', 'USD', 1600, 1600, 0, 1600, 0, 1, 'saved_1', '', X'a90cca983fb292c229855c500419b50677ca88351f876ea608103bf7e936fcda', 1732941422291, 1732940522291, 1732940522318, 2, '{"capture_method":"automatic","setup_future_usage":"off_session","announced":"succeeded/1/1600","events":1,"mandate":{"amount":99999,"currency":"USD"},"mandate_id":"man_0UVa5pJmVynV31OTL4ZN"}', X'016f6716d8059cef6a4fe8a5e9a6181764c8c1ce224e3b62aad0fbcc2d29eb8c4f1ebafc144efa97386ce109c1e9d6a8d178c7d009ca199ba6910cb02c0c57bff96e9346cb73ff95ec8c0d0f77e9b2f1338065fdb82de0243d1d66eea7a57fde390b0b8143a89ed5186241b69af1f8227258789cb7164e3a53a73a0501e08adcd71f2a16283928b58c3b790c7e0407e73e16ad93082788819e8a655831a81a849af412', X'844448ad7aab0259556dc7609271e78c1313a346d4b670e436fb7a8c309155ee');
INSERT INTO payments VALUES (8, 'old', 'asked', 'pro_0UVa5p342g2fVaG1GWQA', '', 'requires_customer_action', 'USD', 4600, 4600, 4600, 0, 0, 1, 'asked_1', '', X'3c0447826da94bdaf524538e37dea24e7cb350d7754743d68739f5731f40b34a', 1732941422375, 1732940522375, 1732940523720, 3, '{"capture_method":"automatic","authentication_type":"three_ds","external_3ds":true,"announced":"requires_customer_action/1","events":1}', X'016f6716d8ab0a04fde104e969fac96f22af4ccdbbd5a261daf21e240c36a2991215d5d18dc312550c5eca85c58f39dc2c0c0d164324c45ec8898800b89ed1eceffa601ea3a519aeedffb45a63d5c7e6daa346c108c0444652b93c804562624ca4e290820651cab18f8a17986489dda98d492ace7fd7fd7de9450edd29bec8b3aa4bff74', X'8a8490950e5a503eb82c8dc10af79a3e5dfd7edeb2a238608f2b6bc601976fd2');
INSERT INTO payments VALUES (9, 'old', 'last', 'pro_0UVa5p342g2fVaG1GWQA', '', 'requires_capture', 'USD', 100, 100, 100, 0, 0, 1, 'last_1', '', X'6eab52f38a9863541ab2c20623d0a2c466a82b374944a3ee4db2eb71c0b7be99', 1732941423810, 1732940523810, 1732940523812, 2, '{"capture_method":"manual","announced":"requires_capture/1","events":1}', X'016f6716d8246f486b69b6f19aaeba923f529e9b08e2a305cd55b54d001f6ef8855532931ba145e4191d45a22f89d5907319e76f17ecfe8d14672d43a1abcf26cf0a8b94db01f92356785bef2ed0517c14315fef14', X'15fe418653e16da64b8a7d62df4caa19a327d4e2415c3fb9e7f40009613bca77');
INSERT INTO attempts VALUES (1, 'old', 'held', 'held_1', 1, 'authorized', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 5000, 5000, 0, 'sim_held_1', 1732940521342, 1732940522122, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"held_1","network_transaction_id":"645417847175202","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:02.122Z","confirmed":true,"routed":{"by":"default"}}', X'016f6716d8d21171fb3c71397123acc1557e1af1d3f922d1cfaee85026cad275ef4dbe7546a6e658a47a22e31659264b65ea2c6ea900d18b506a', 'held_1', X'76185a8979d812474fce55209a5767cc27b2ada16d10aeb8e6f7c5126895fcfb', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (2, 'old', 'part', 'part_1', 1, 'partial_charged_and_chargeable', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 9000, 9000, 2500, 'sim_part_1', 1732940522158, 1732940522192, 6, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"part_1","network_transaction_id":"290814346532300","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","captures":[{"id":"part_1_1","sequence":1,"operation_id":"op_01937b4de2c0b419fb94e868550fb854","amount":1000,"status":"charged","processor_id":"sim_part_1_c0","at":"2024-11-30T04:22:02.176Z"},{"id":"part_1_2","sequence":2,"operation_id":"op_01937b4de2ce282c1807cc113296b271","amount":1500,"status":"charged","processor_id":"sim_part_1_c1000","at":"2024-11-30T04:22:02.19Z"}],"ended_at":"2024-11-30T04:22:02.17Z","confirmed":true,"routed":{"by":"default"}}', X'016f6716d8c0c022e2f1b0e6e8ccd37a350840c3feca5b471e2855f46dd5c12e65637b392253f7bb80b3d47e3ed7a60812b58ca84de70c548a92', 'part_1', X'bd15833a6e380d1930b025214f41dac9ef34d6b7c157624c4a07a5e7d1d4601d', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (3, 'old', 'taken', 'taken_1', 1, 'charged', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 3000, 3000, 3000, 'sim_taken_1', 1732940522194, 1732940522195, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"taken_1","network_transaction_id":"088664351545898","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:02.195Z","confirmed":true,"routed":{"by":"default"}}', X'016f6716d8ad2d7b8e69cacf7af07c24f37ba66bbf2e1efa711776d4dc7b745aafde86bc477001f9fed182e5e1499a3f0af99d96451d0a4cde1b', 'taken_1', X'e4afe92e57ff98618f19e184fd94e27e66365253ebe98ee32f0fb4aa4f29a193', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (4, 'old', 'slow', 'slow_1', 1, 'charged', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 4000, 4000, 4000, 'sim_slow_1', 1732940522220, 1732940522226, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"7726","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"slow_1","network_transaction_id":"257940277527018","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:02.226Z","confirmed":true,"routed":{"by":"default"}}', X'016f6716d810d760c02e3d3828a9ac8d501caefff3518c853a555e1d9af62e22cd3045a75f1a1de0033d4667d93338670c3cc2c9950bd4015536', 'slow_1', X'd96e5c0206a106e36af4228bbfc3c69bf294afbdef96c34eb5f780e9fe0b073b', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (5, 'old', 'unknown', 'unknown_1', 1, 'authorizing', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 900000030, 0, 0, '', 1732940522236, 1732940522238, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"unknown_1","card_discovery":"manual","confirmed":true,"routed":{"by":"default"}}', X'016f6716d818d84312cd0724bba5cc2cdac69dd0f5aed15e4d776f9ce4a2e2923884540a17d556cc01f420a6811c7358da1a6b20d1728fa54373', 'unknown_1', X'd76e4faa760f99063dc0a670485fab73ae890f11efb6de38e7f4fb42e480b145', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (6, 'old', 'declined', 'declined_1', 1, 'failure', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 800, 0, 0, 'sim_declined_1', 1732940522240, 1732940522249, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"0002","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"declined_1","error":{"operation":"authorize","code":"card_declined","message":"message - Your card was declined., decline_code - generic_decline","reason":"generic_decline","network_code":"05"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:02.249Z","confirmed":true,"routed":{"by":"default"}}', X'016f6716d802fcd6a227ddc8a783e5862a9934c696b818086beb91bdda72254c0dbe7f705f7abe32e02267f29161a8ea64a8b84a80cb5d16b534', 'declined_1', X'8afa2f297a317136a3cca1791c6ac1d68090b070c91ff231dc9c029906d4259d', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (7, 'old', 'saved', 'saved_1', 1, 'charged', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 1600, 1600, 1600, 'sim_saved_1', 1732940522291, 1732940522318, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"saved_1","network_transaction_id":"843919105054740","stored_credential":{"id":"simcard_424242x4242_sim_saved_1"},"connector_data":{"version":1,"payment":"s"},"checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:02.318Z","confirmed":true,"save":"off_session","routed":{"by":"default"},"method_id":"pm_0UVa5pJmrpfcVuKONUBU"}', X'016f6716d8083c1797e7c4993eb31f0b88d1591287e28c2258ae5faa6855a2d51e1c4d9c63a97ba8c6dbe55e094fed149123ab32cc9efb940f77', 'saved_1', X'61220fbed0744d316fe3f253aff240caf7f76c51e7862ecd6f963b46bed049d5', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (8, 'old', 'asked', 'asked_1', 1, 'authentication_pending', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 4600, 0, 0, '', 1732940522375, 1732940523720, 3, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"3220","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"asked_1","card_discovery":"manual","authentication":{"id":"auth_0UVa5pKhY7q0CEpQFaoE","connector":"simulator3ds","state":"challenge_pending","status":"pending","flow":"challenge","server_trans_id":"4b19a8fd-a9f1-4c34-b7b0-9045755f1f3e","ds_trans_id":"513d500a-0726-8d22-9be7-0000000011f8","acs_trans_id":"d700edb4-e11e-4640-a409-05d59a5bc736","version":"2.3.1","network":"Visa","trans_status":"C"},"confirmed":true,"routed":{"by":"default"}}', X'016f6716d8758e37e307c1811b4af14780092816bbcda55611d323aae3ebd251430ee56773aee66f10ac4602611a09da986184248cdfa88a83cd86f6f41ca0bc4048199cd31668a8424ad7431cf6b604fbb7ef34e294332381ce361d1033d98ccf3f24212e0b4fb94faaa6f224677f209c32428633247e9a23de7e4712f7d01b2c975dab39df279dd52e479df73c13df3538819eceb21aef1c4495445c7645ccca19205e73b1738756d379692ff671ad77bc522c8075680249286ac428079b5e9d065d63a070ee924a794b5d1d9bb1999a6be0d761e06a1f9facdf3304fb7cabd853e1a064394a56c7807d1492874b3d89f8897d9f8ab38f06c649d93d3882bb1634ce1873eeea915e3f3ec26ef7698524db53f687e7c12dd7573a514a19062efd525c597bacacb5b57529a4ff61f420c5d131b484248eee94cf1d80a9d1519bf5235ad83d091eb06d044aebbfa634862d7ced13c97c00cdaa2a620cbf8f3fb053cc98d43e09fd757c3b62a0cd6a9eba98bedb2abbdd5a481ae803e55e6ec37b35056aa86bf4e242b266ac07e75687cbfd674a2512', 'asked_1', X'0293af485ce1d7be16bb8177cbed3768a730f77976d46aee89f2ecf7fb2d4467', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO attempts VALUES (9, 'old', 'last', 'last_1', 1, 'authorized', 'simulator', 'mca_0UVa5p3TfEvoMNiM5atf', 100, 100, 0, 'sim_last_1', 1732940523810, 1732940523812, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"last_1","network_transaction_id":"145415149565124","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2024-11-30T04:22:03.812Z","confirmed":true,"routed":{"by":"config","cfg":"routing_0UVa5pgYUZZ5QlgPz52R"}}', X'016f6716d893d9dd9cf47a7f405431b2b69979967ab1ae18da713a2847b9aa9227b3547b12a13233e4ce4003a50ec5acf6149403bd8a30141fb0', 'last_1', X'951627be1583eaafa46dc695e74f914eaa0168f189bbddacd7ce8ae2a41df923', '007a9ea3f44f73672b645902f2c0ec2a');
INSERT INTO operations VALUES (1, 'op_01937b4ddf7ea204d636986f99008061', 'old', 'held', 'held_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 5000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'6e892ab137996db2b51cdba1c4d095958c6162746d4561fb390d3955b07640e9', 1732940521342, 1732940522122, 1732940522122, 0, 0, NULL, X'016f6716d89b5b7b4c981edea653b62384f997cdf3acaff6e05dde2756696f9af4bbbc16bb07d6f712de7dc54f5b6bdc8009e62a0c6cfbc5c0207cccd98a1542c58ee3d92688cbfbdbdb8e297c5cbf35ffc304f3b8747b5e6a80b5c5700453c0c8a4af1d14615433ea88e8fe79d9a11002722a3b3c8dacd4c393dfdf11124e81568c87288f555b0068e928a1939aff20bf4f8561a17c68c6f38ed60d6d8d9a15d5ed135e2b977be0303adeb26ccdc6a06c73698f9a3485b00edba0f2e524', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f68656c645f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22363435343137383437313735323032222c22616d6f756e74223a7b226d696e6f72223a353030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a353030302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'588b5c5ef55dd13eb8860b391a3e48656bc1520ed1c41c771eb8c8102154c249', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522122);
INSERT INTO operations VALUES (2, 'op_01937b4de2ae3a309ba7036bf668a715', 'old', 'part', 'part_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 9000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'2af854e19e94b5485ea5beec73b82e7f11ee5eb5e081c4d9433edfb720a9b82d', 1732940522158, 1732940522170, 1732940522170, 0, 0, NULL, X'016f6716d8acbaa1f5a69afa418cff3b0794896d2428125c4a5477b0b4d772e670877f022f66a18a146e552fcf2e1e260aacfb320a886b1a398c116c3702498533679a134aeea8ea8e34903c7c6f07fd26ab8cab36459cebab7bec51ebe2d7a3c74e4f6fb6a788b15622fb4a0a0ad91661f6861093c6b688e9f17635ec43a217c8c76cfa04a7dd1e0d9fb79f4c92a868ec869a7a494ce1504c2b0447', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22323930383134333436353332333030222c22616d6f756e74223a7b226d696e6f72223a393030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'48e0922a3b09119f6456a72169e4f1a7ee0d01166eb981ace42e0d244578cdd5', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522170);
INSERT INTO operations VALUES (3, 'op_01937b4de2c0b419fb94e868550fb854', 'old', 'part', 'part_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'capture', 'succeeded', 1000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'e3fd4e3617ecc4f90469fda3020e4cd8a027a11b3f1112306fd4dc55f8aceb14', 1732940522176, 1732940522186, 1732940522186, 0, 0, NULL, X'016f6716d8e04bc26acc29e21d5a82afa94d7d4ad90a40904d0d06e852ec6f92c750c80aeb2bebe9e8f7caa2e0ba76473d57917fdf39d7f28193d4599b8d636326029757010ab2d58d9d8bbc797aa85b62e0509d3bc6d8048750a75f4c3fafb30044495dbb8303fa1935521d4d9cbae5c30c08d3848aaa87fd5d645066270bf511d4f390fa3e9ac31fca9ab0365501d4d69c477c68a507f443b0c88817be9431ee8cd5d405e27b9b74b528792fddab7d15f14b9c2893c54bab2b605fe80978f80826e0c5ab3c', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c22636170747572655f6964223a2273696d5f706172745f315f6330222c22616d6f756e74223a7b226d696e6f72223a313030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a313030302c22726566756e646564223a307d7d', '', X'975fefda289bc5bcf795fa858d44618768578a8254a4c511c26281acb7473f1b', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522186);
INSERT INTO operations VALUES (4, 'op_01937b4de2ce282c1807cc113296b271', 'old', 'part', 'part_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'capture', 'succeeded', 1500, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'78adf96744f6a0bf912d463d377ce0bb4bd47cadce67ed06731c4fe30eabf911', 1732940522190, 1732940522192, 1732940522192, 0, 0, NULL, X'016f6716d8f62fad2d15adfbe03e04b4ccfc7cee4ec88cd44bab9b54d1ab5c012bdb0925ca04c442692b05979d6e6c1ae6417bcdd4a8010102ac6a701ad4817e07959e1d67059ee37283dfb6213c121bab35c009d8d41cf6f36f6a1e3a7cd5eaee5490ef6577bbc7f3ef7e16a7be0832625ecdd42680fdf92883acd5931813c712a54dc615b96f5e0fa20404b930db55aa9143c80e19c8336d45f87f1eb144b05c0842ab35244c8b14d01044c4025679d59c038f534af1cb3e883564eaf91e288e0c92482e917c', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c22636170747572655f6964223a2273696d5f706172745f315f6331303030222c22616d6f756e74223a7b226d696e6f72223a313530302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a323530302c22726566756e646564223a307d7d', '', X'c73b2d4229d7ed5c499c534d4d4cc5d0c5c12e23dc973cc5639851fe843b2640', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522192);
INSERT INTO operations VALUES (5, 'op_01937b4de2d281282b33ad51b3366f40', 'old', 'taken', 'taken_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 3000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'9fa26e21cba08e0ea4d59055af0af12107038236c7f33959d8c0cb82dde31e6d', 1732940522194, 1732940522195, 1732940522195, 0, 0, NULL, X'016f6716d82e946d557c7f52c6ce5dc7df4f33f967f0568dd60a5c48db88869612609d11855774317e3bf5216313bf19a11580f0eb42533c2f9339bcb3417b39642f4d3f836b3c5a4d6f68128a92c2cdc60eb8ffb6b1ab6f0f4368dccd3dfedae62ee261a15145a5f7d6e59bf748290a7ee5239ed2c1910d4c0c9a654452c766cc1ce29125ed7f250d1cee1ae20f98e4d10f9985bfcc268e19082fa850', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f74616b656e5f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22303838363634333531353435383938222c22616d6f756e74223a7b226d696e6f72223a333030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a333030302c226361707475726564223a333030302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'34fde49600fb59f9b80d985a4096a9e656a884fb71ff45fde16515db399b1b2b', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522196);
INSERT INTO operations VALUES (6, 'op_01937b4de2d62a0694942fd39d9917bc', 'old', 'taken', 'taken_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'refund', 'succeeded', 1200, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'441fc7ec34391c37cec2ad374c33dac4725459fcb0e56344b2d52b7608923d3a', 1732940522198, 1732940522203, 1732940522203, 0, 0, NULL, X'016f6716d84d02cb61fe21adcf12f9ec06eba8e1930d47c15427c20ccc2fae7d2778c9e0eda07b80028a44a12b1e2772c46431a95acb79096e468f4d249f1d7ec875039f850bc7bc1c849cdd480c47032b46b87937b0e61972416e167fb0069c67190452af0edc739f30c52bb699ee9f9e1899b78f26000f3cc1b4ab730cafb84a607bea08ca153b0187d7d0d807296d512fe012ff64f34fdadce2f46df22e6d04a203c6ca66137a1a704a26e6c7d6290024f3d117b13d1d56148dfb05b0b23c65', NULL, X'7b22737461747573223a22726566756e646564222c227472616e73616374696f6e5f6964223a2273696d5f74616b656e5f31222c22726566756e645f6964223a2273696d725f6261636b222c22616d6f756e74223a7b226d696e6f72223a313230302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a333030302c226361707475726564223a333030302c22726566756e646564223a313230307d7d', '', X'2b65864e2ded49f9f54088972ab7286b7d5feae1dd00f206e633f009e68df816', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522203);
INSERT INTO operations VALUES (7, 'op_01937b4de2ece4e5c2d19d5e39962ec8', 'old', 'slow', 'slow_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 4000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'58ae0bb7c86afbb7893ed48b5f12a0c1e152b78172b60a02a58976f91be9b2b8', 1732940522220, 1732940522226, 1732940522226, 0, 0, NULL, X'016f6716d8c736ff737a64b88b0f1bcaf2ae585d32f18342d7127812de08f755b22b52a7a3cf2495f00a6fe7b462b4158db8e28198a856c580663de4576dbf1677e33bdff0ac8e3748049dd50d9745706f3944f488e46c680b6108c7fcc2fa46ed76e6b93fa6a7c5d037b45a50635a354c525628ff86d96c4757392d252079b2295cbbbac11044f15bfc02d69dda4e5e888b661105af49d99f921e0cf2efee0b609aa36d98d3bb569c09f05e', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f736c6f775f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22323537393430323737353237303138222c22616d6f756e74223a7b226d696e6f72223a343030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a343030302c226361707475726564223a343030302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'bd981c0fc8edf8ffebf386ecc8ced06ede5cd5146d71d88b6f35aae275d558fc', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522226);
INSERT INTO operations VALUES (8, 'op_01937b4de2f726a180a15430c3b9362c', 'old', 'slow', 'slow_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'refund', 'pending', 1000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'684918b386526b3524f39370ae897b26b1fdacf13f1a7bf2ab14332ec4f434d7', 1732940522231, 1732940522234, 0, 0, 1732940582234, 1732940582234, X'016f6716d8898808684c4bb26e1a6de3cd0374a0ce6a9c91d59ec0caaf1f0681231a96030c83ded17fb6408b578fd104b3e27a057423f71f67307f6481c808d4c793a6a874ced7b16c88a569fbedac079facc59a9307e8fd56f7fe82ddd0df183281ac60eaac61de21b487df2e8d1bf2afa815f0cc4aa382fbc00d85503fc7f43f7f07d091e8d13e0fd5103bba47c44dedcc36b930d40214e1de329d2db3d33df5d3c953b86bc7464a1da89934cebfc2ea80bf54f1ac1912c5118dbeb109c178d5edcca552818e5932269e37', NULL, X'7b22737461747573223a2270656e64696e67222c227472616e73616374696f6e5f6964223a2273696d5f736c6f775f31222c22726566756e645f6964223a2273696d725f7761697473227d', '', X'a26b2b68d9ac6a39a5bda734e76418967c90bc4c76582d7c7f9ec6b7f2822eea', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522234);
INSERT INTO operations VALUES (9, 'op_01937b4de2fc2387f7b310bfa5b2f92b', 'old', 'unknown', 'unknown_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'unknown', 900000030, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'e3d339587281b5fa998be04b5c0f15058302058c9f0f118c57b30b3d84926b8b', 1732940522236, 1732940522238, 0, 0, 1732940524238, 1732940524238, X'016f6716d8059f5bb0cea5528ae6da6c44dc9430aa3a7f999f7ad0e2eb5fccfd78a019ffcee44da94e3324c56e3a5ad66b0c0020b50ee7394d6b74f1ff756032b42e9b91b30e90a0804d7198721356e65f9765f82fcbaa4d892dc842493758c0b231a324da6d0c831888ba466c25404ede8632963a7d621e4a460049b68f70f2f598ee1e523f7bde99a21cdd862b61163758071825c4724aee9e1b058e46fe44', X'da86257f8e451e047b60008af899ff451dd4003e2bbbffeadb90ec76dad6602c0004c5f71926f456266dc84fd958f8c3fa3845b0a1da0e974e34075e9bca724fa64141f299', NULL, 'simulated time-out', X'20b36d0780f1d81d86260df2cb7f1c8f129361e810c74c206a51605907e8ff49', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522238);
INSERT INTO operations VALUES (10, 'op_01937b4de300e121611abb7718777624', 'old', 'declined', 'declined_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'declined', 800, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'b16cb1b0b5212c932817eab100df5b31dca23dfa5a36947cb3a15a8cf888e418', 1732940522240, 1732940522249, 1732940522249, 0, 0, NULL, X'016f6716d89c7cc6b27b940ce792e50f339258b9463f63e929bce4da1af4653e7046c9dc00b72509c7f2a75edb434e4e524021c9ddc911ad7a2a43944e4df10e12df9085c06276ac6b07d43d9cf98926e60c4b85bd59e23d7dcc0cd9fe1fc8cd9c41cf76a5d93626fcca83bf57c58314394e4f28edc7ff7ceb0fe3bd83d1ea1d9db5138e133eb5cae000f5b6b27d7585f9142e9cfcc9cf077a7dc6f280b8caf1df230bdc63f4df9c0e6e31b0bfbb', NULL, X'7b22737461747573223a226465636c696e6564222c227472616e73616374696f6e5f6964223a2273696d5f6465636c696e65645f31222c226465636c696e65223a7b22636f6465223a22636172645f6465636c696e6564222c226d657373616765223a226d657373616765202d20596f7572206361726420776173206465636c696e65642e2c206465636c696e655f636f6465202d2067656e657269635f6465636c696e65222c226e6574776f726b5f636f6465223a223035222c22726561736f6e223a2267656e657269635f6465636c696e65227d7d', '', X'26e4a61ab91ec8fe7ef0d32f22195703675b94632b4cfbe31a594bcb0185ef6b', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522250);
INSERT INTO operations VALUES (11, 'op_01937b4de3331bbaea632f5eaa6cc894', 'old', 'saved', 'saved_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 1600, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'2ae359107189c359540d9549528830cfb8aab9f7ce266edbb305aedc02c43cca', 1732940522291, 1732940522318, 1732940522318, 0, 0, NULL, X'016f6716d8f90c49d3c026fc0bee77c8e189b0f21f4ac63685caceb1db64d3e341d17a28c22833a452469bd18c83ccda0439eab975c42b4bb3e7301f17343edadb0fc0bc54cbcf77a63b7b297427fec966be5ec598a7fad966b79f6f3615bbe1118ae5c565248660462dee64e223baacc010812f9a4ce25ac256ce2835cf6f9414cc854f9a5e3cd9d6e89bd50e8237ae3329b5e5ba26f36dcd814a8dc43887a89864a523b841c8611f09d9557cadff53d90f079ced97e1576d5391c91e36550171ad935add02e2ccd1e1553873850c4ed492abc12aad6c', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f73617665645f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22383433393139313035303534373430222c2273746f7265645f63726564656e7469616c223a7b226964223a2273696d636172645f34323432343278343234325f73696d5f73617665645f31227d2c22616d6f756e74223a7b226d696e6f72223a313630302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a313630302c226361707475726564223a313630302c22726566756e646564223a307d2c22636f6e6e6563746f725f64617461223a7b2276657273696f6e223a312c227061796d656e74223a2273227d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'58baf05fe23420647aa022e2d3d96e44d92f4396fdcef7bdd28d7b299d283c82', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940522332);
INSERT INTO operations VALUES (12, 'op_01937b4de3874cb6451795673903f705', 'old', 'asked', 'asked_1', 'mca_0UVa5p3g2KOT7GbqaZC0', 'prepare', 'succeeded', 4600, '', 0, 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', X'a672bd36979d1d0fad9583f8e385ad17b07f8230cf7171e4eb7a33767901420b', 1732940522375, 1732940523670, 1732940523684, 0, 0, NULL, X'016f6716d8eb7ac4eabcf648bf3fbca694bf42efb95f8ef267d7676215c95547135d0308e3e10d9258a947a2c13acdaf04b5461f188522d2f59a211e5e88d7ff18c5e1ccb124b0162577df20ef24c46e31f4a496f49dc446737633f9cb6826c8a7d5c422529a98f85bbccd020e8e5fcb88b8b5ecbb4a2cd2d216a245d63d998bee17ab36e4635e300f7dab648c15c1f44c18e592e2705eb0ef97ea8c29dceda9bed682fdd89971cfac0eef8c2480f64ba6c0c055d9060f1ee3db3e101237343cdbebc40433707bba733a90c0f7dda797154e20b9bfbc67d2307ab5c9788b253a0bf0917d74e2de49322f09bd3c4c7bec1e29c6f5968b83801bea6c83f46bba46f33f32939f02f60520ef4ad5cb3bb11d508700f7207e4d1c64ff8a3fd9df2bdafc2fbfd1e5ff829991a9a401e054098aaba246a797d9ee4415e6537ea43b79c322496a70a664a9e0b31689b347fb0efaceeadcfc93efd279fe2e6df812d4b721172cdcae1f45b9b95f7a0152eb67bbdc49c503769e7c60707dcc2b9150807961c6fac20da65611ab373e4413294ea149858533a5b8b515fba8c480b08e4eb3eb915e0c2d65372098508752912e8351648ce33b321d130be02df2d758e9ba1b251d0ff4f2c206a6f3843a62d6e2ddcdee5746f9ea80d9e9d08ebcb38738033808', NULL, X'7b22737461747573223a227072657061726564222c2261757468656e7469636174696f6e223a7b2272616e676573223a5b7b226e6574776f726b223a2256697361222c2276657273696f6e73223a5b7b2276657273696f6e223a22322e312e30222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d2c7b2276657273696f6e223a22322e322e30222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d2c7b2276657273696f6e223a22322e332e31222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d5d7d5d2c227365727665725f7472616e735f6964223a2234623139613866642d613966312d346333342d623762302d393034353735356631663365227d7d', '', X'e38c15baeb0e6c7f04fcca09575be36fdd0b56a6ae1e04c1d7dad75c10b47a62', '', '', 0, 1732940523685);
INSERT INTO operations VALUES (13, 'op_01937b4de8b1f1039ce6f8eae60941d7', 'old', 'asked', 'asked_1', 'mca_0UVa5p3g2KOT7GbqaZC0', 'authenticate', 'succeeded', 4600, '', 0, 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', X'0e168dd981ffcaba765205a297c2ce856bc8af0d110fb175d188eac87882d3de', 1732940523697, 1732940523712, 1732940523720, 0, 0, NULL, X'016f6716d8c8110a00e9f6b3080fe942fb6d187e43439aaf60e7b996a4d12e76049982074494f0f3d9c4de2fe33c9cd5abbf6e8f25b574440240b9ef6155a162f1eb4b7e8293bb500974de06bcd70459de19a9cf2160adef858f5d5550a67e8771ccfd2adb402abde2b4e87b2fd46c054a3427394d3cdeddc163caf72091afe1a31f327c444f835be0048590f646ded8e9cba7b1731f25237ad718181b7a05735fcfc109abb35424fe7e1faf1f027058746ac77b7511b8203bdac50db352087dc639140efe436a5c8b822a80fcaf0f8cb1cfd60eb613b0f17975ae53f223a5be2c2dc4d0c9fbc700774e89f9bc8ba80fa43b62e9c0d523e477dde14915e37b5439f29cf2097cce8c754c2d7c4409691e218cf06000d5337f2047b024769532048ac1559877c13c7012fe8d4fbc48c3f4f50af6fd607afc360f3d6b6bba495c5dfebacb8f3045c1d8215f7c362da747a5a9c63a213c59cdf192a48edca87224e5b66e16ee39e76ae9412619e92b69d18cb65aa64eaa541508347823b03fde1def06e39b3f05a29c15006ff6f12056fcce467c599589d1b0d51add8d31641cd277f1661b70c475b0bfcb5111fdb98d3495a1c0c733bd0c99d1304cfeadef8dd4d81b89cf46d0cca0e2b3ec045f4278f98f67861786c6ada20f06a58229142dfdbcd76e7b0dacf98bd6bd4fff0f5c79eb3304af554e56ef6a15a654afb77f818c99647cb8d982881ded7943856f0fdecdbb38a0892a8d49d50e9f02d92f29977b6ef17cd1465e995ca6a52adb31f6fbe10bee1fb8', NULL, X'7b22737461747573223a2261757468656e74696361746564222c2261757468656e7469636174696f6e223a7b227472616e735f737461747573223a2243222c226d6573736167655f76657273696f6e223a22322e332e31222c227365727665725f7472616e735f6964223a2234623139613866642d613966312d346333342d623762302d393034353735356631663365222c2264735f7472616e735f6964223a2235313364353030612d303732362d386432322d396265372d303030303030303031316638222c226163735f7472616e735f6964223a2264373030656462342d653131652d343634302d613430392d303564353961356263373336222c226163735f7265666572656e6365223a225041595357495443485f53494d5f4143535f3031222c2264735f7265666572656e6365223a225041595357495443485f53494d5f44535f3031222c226163735f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6368616c6c656e6765222c226368616c6c656e67655f6d616e6461746564223a2259227d7d', '', X'c6593b57ef77d283a7dfe7947a053f1dbcf0282377a12efeb3e9758073f4c629', '', '', 0, 1732940523721);
INSERT INTO operations VALUES (14, 'op_01937b4de922497de422a7472df5b0d2', 'old', 'last', 'last_1', 'mca_0UVa5p3TfEvoMNiM5atf', 'authorize', 'succeeded', 100, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'50b9f26729a7572c5a54477ecf7f4a5976fb4bbd2af1c02915bf0fcd7a0bb243', 1732940523810, 1732940523812, 1732940523812, 0, 0, NULL, X'016f6716d8b902d726660187d567c575e2ec3593b7510ed4f8ec3402228e7fdc1f384530cce809d0ca5316de6e2dfc256af9a6d2613e7f20797a746c238718050d7c65df578c312f1c2faa14f7478efe6d908ccb9651a660e31817fa8b3753057c38a1e2c834ac32b98755671f7e27e45bbf061cbaaded2abc98213f16e782e98234debf7df8189de2d811786be381a3a9611380d13531a21c51b20ffe9f3f5643b7f5', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f6c6173745f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22313435343135313439353635313234222c22616d6f756e74223a7b226d696e6f72223a3130302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a3130302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'17d6c07342230498a7bcf0452a4cfe3770052668ad57706787cf97bd4ed80205', '007a9ea3f44f73672b645902f2c0ec2a', '', 0, 1732940523812);
INSERT INTO exchanges VALUES (1, 'op_01937b4de3874cb6451795673903f705', 0, 1732940522375, 'a2245ace0cbba39dbd0c27ff783a5eaed2d943d7afdb315d085130adc8543f01', X'016f6716d8cdd77d2ff47848a43d484effa170cd4902ece0872c37f6e84c24a432fd11a4db77e5bf0bad59f12953201b360a754da2083042f6d58c67126e24b9660290138746c740f7f3e27cc79bbc7a2be9a22998caa9921c36b48414a26d', 0, 0, 0, '', 0, X'302d554525fa2c4b7f00cdeab81ddda1e680b84d2d19df31de69986e7ca9e264');
INSERT INTO exchanges VALUES (2, 'op_01937b4de8b1f1039ce6f8eae60941d7', 0, 1732940523697, 'f060c888072f80e093c5644069764855b37f3a81da17762a84bc9ded23770033', X'016f6716d86b77e395ce91c1924867fa2e01efff8fbe29fd24fed1a467ae459ffd5f20d8177d36f09667d16d73e745d4b9beaeaef703d36b0e2b61572924e68055ee37d2e8def212fb92615ac7df3c61701f7111854cb81905a84d0b', 0, 0, 0, '', 0, X'0e12a3d6570ab6bf73dfd4c85635bdd684c76f822a60ac81add80ac0fdccddf0');
INSERT INTO events VALUES (1, 'old', 'held', 'evt_01937b4de28a74d7b39f636d9126c7bc', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_authorized', X'016f6716d83faf4a99fc6881c113e04e9d31a6c628f1cf299c16c5cb481b02cd745e4611f7eece2c4bfdda86bc3babd94b9b16c364f5b1a669e493e013da5672fb632dffbd2f84b109700efe48ec96cd0f62b275d8c81997e1d1bc907a13bde2334a5c69d43d3864b0f1ecbcc2abccd17d35bef62a1738b6342204926ef7ba949ec4d57e49b759db6ca7adc11043a02730cd36a92587511ad036d1d80c04f1125c39847d1b5ce141870ebe0990ba648fe3285d4145d9e6f8cd440941b6bb36254139f93ee9ba04b3c7042d04b067f626f406873db33452db5f020e549b9e5a369f42c57a5a37728885cd84484c9a33bd3c060a08c83c9dbccfc85b555f713e18e65e350fc126cc390b7bcbfc92f92bd4fe830e4c49ce5517c1cf12f1cc925a20117f1c01a1583d2670ff59186b86a1e6a70db2808a40dcc2fe539e1ac1bcf30266235cc9ba92fde377c1007ada39d969356e45c76050a5ac647176d5d67ab6f88c1a540f9a69e967bac05d5da847642a9df4932b86bcb90bd926d1229c6f5cf44cfb55eaaf6da994fa41d386129086fff20ab74b07adc8891decea7aa468e67d1091d86101d4dc4fc199ff77ac1cbe64bce195131e0f244afdc4d3142a4a655387588481ea6253431e7ddd030358b277702d7e83ae72943d', 1732940522122, X'02daa84364eeb7919ca75e62f2fb974c7bc4e70b0308f0a80269baf2a5f8bb82', '', 1, 0);
INSERT INTO events VALUES (2, 'old', 'part', 'evt_01937b4de2ba72048edf3afb5ee147f0', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_authorized', X'016f6716d84cd4afead1ca249d290479f4855725af4e027774844ec9ffb817f7f085a2356e3405390f4b5f272037ad392b445c36349fb074854530245be6d413719664454620011ba95e7c288521fcfef63f798974114f3817c39ef3898b2f6a9e951b777654909e51b728027e9756023e3437d4384ea7325649f784b083a28a9598ffe3300a283e4588d1dcf151f0a55d6362ce364e477404f517bb26502f675d3394381e358b3195acccd3ca73f52c17b119b8e708630b141479902489e00d0e4f939420bdbd70339c7eebaf20cc06cc0efe4a4403d73d4fc7eb89afbc27067c88c59647fe73a9ee60bafc70219c77a0f7e05c840b647a0625dfb9618f1861718a3c42c699720b71ee4091fdad503847b838592540a0f183d6cba1a65d40dc2f963d9dac00f8ec315617955a905a5f6ad8b0a267a0ec5a27314f2881645ef3e50361184720a17c525d62678da922cccea94fc5a1d3d6d67b50417c31834ff2a1d764fc19462c35c61d8459e8a42fb8ccc987d6179a25d51847c2c4a89cf781025536a4b20bb0855eb8a650d019f4fcea2b850466b3897747522a66e33ca99f02df207235d5cf6ad54c646654260585eaaf22f52305d93262f7459bff63617ba6cbe4c64763972c429d92c3f0f74ac543fe414763e52b', 1732940522170, X'05cdcae400a4b512330e3946ef87c0edf6c7549e509eadf1abbf8d4a7e5e34a1', '', 1, 0);
INSERT INTO events VALUES (3, 'old', 'part', 'evt_01937b4de2ca758cb46994b916f291b5', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_captured', X'016f6716d8cc08e98a6d0712cf4fbcb819a4136b9690bc1981de4fa3e855c3502d5a073f84d509df9e1b4e5873c8fd1fc59208695c1f4ed748a1c4cbd82a6f30ad586ce763061873383f6dd002e2701b711942affb2807e2f941d9553847a33c3a5ac2e8f4cd7c1dd61fc486c2a6e988ace99fb6414d50c4a7ffeec7fc8cb0c9ed3dcb32ca6253a36b346d10f11d7fcc7b1ee312e176779773ea1519ba282ba006271613b2a1e52a8b7329b88f396c3d389ae5b6998bbb784658db2afe684c200586c439a0c278c176de02e645f38bd5bc426c3cdc64df4a3f0d7a2539d74cf4f71fffeb876343851bc77bc00473c000defc9693c35c58d75d1d5198cd883b1fae73105a74b1591ceb6cc0c7d9b070649a0bac4390911ee943533cfaa014056a2e06c593e15b92360574dfc828b488c3f9abc65f81a6b3192c650b00d3f1b0e207caff69991a5f136eacb13411d4b9b8aaf737b6595a526ef76cecd540e0c97b2e9d90ebd6364d65201a4187f50ab1f00280687d5879df15df92adf47fcb8baa06504ff524e9b5eedd5ab8922f67d356c91c025669f9e98b34598bf6509c5c61e7c489c9e6c452379566631efd720599852ac2f9bc5c80de8042feb74051888d184de222883b0848e8604f6ae690f9958b53e2f0b3e6d156dd4705e58896c7a0213b977478b2', 1732940522186, X'6d78856316b4acb05b6e28e90a703d33ad0e8726650f0bac62e77f90acbe37d1', '', 2, 0);
INSERT INTO events VALUES (4, 'old', 'part', 'evt_01937b4de2d074f8a456f3f97be4815a', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_captured', X'016f6716d8e82bf57eae8721e56895e92553e1b1337e8aef6741b0a89ff7915d04961fadbe134d842e52c26f3613c5d17230ec38a7c75761878812ff8c31c611da293eaf5c4b0c40bda89e1ea4334e17ba1b959b610042f8aa179af4412f4beaa654665a61eb5e3a03f81458e14c05770646f55a4422116c0ec3cb9d1f3c18c390f53b274b123f946d4fee06385b72e8e70b7d54dfc0b9c6c28185b015113fa8e675808e1cf0b6d6ac7adca4a9b0f3a77dab9d82fce2ee1ff2f2fce2deb45ba1c839fe5765aae495c9477a4cf0df2c8082293eff0d370034e3570358068f2e3c9461e1ebef1eb86ffc60a7115088f6757d9815fea87ff5f86a54b2041fa87e488e9e301483aab6bac56372b6d01c3a9680aafda9f2e3a3c33c28c82799f21343a21d11db64c3e84d5d95f623a2db5ca64214ca3f8aacc99c98817738e92b8afff1f16af98205f099938ff75277209e726ea04a8c5313e07cbd5e006e4376e14f8e2fd377bca2852d5d5577688994a781d0b81b02adf82b1afccf1718c05ebe862ee60584b3bcc270a8f54493d350a3267c98be030aedb93f300f217f95e4ab5898321fa92e6165f10e32682a63ab0531ed670861782eced5e34924e95fe9fe4e4a6e4aef7e99a208c5ac1c90c8da3d877d1eea20c99c505405132ff7eb596d31d88e64d74bb9', 1732940522192, X'51f6af6f1035e0d7bbb68cd34a02cce61be8a5f5882e80c3041bb892a75a23e8', '', 3, 0);
INSERT INTO events VALUES (5, 'old', 'taken', 'evt_01937b4de2d370d19f6dfc39bf224311', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_succeeded', X'016f6716d8e5865e1da3b8f691e3422a357dda0ff908f676bd6d05571d9d07dea7256ea1d21d13b93a36052b80c3ee204a5ef049bb512375cfa870edfdeb5654f5edfcf0763b3a378df576d31c93fc7eedd1c83ace78afd016c8924a44b98bb39942949f859838c02eda728038f570bba9242574f82606301c4a6c15fc358a571216dfd45ba286d03879c61f6c080d7dec135989f4ac602e08ccbbd2d55d70d1580e320ef40e83295549c90f535628a5011bc605765fda2bb7c847e770561269cd6124cbfcdd4e792653afee716c6a80e0588bcdec8e51ee2704793e42d28d6298d36b50383820ac9f17f69fec78d28b80083b43a54aa3c147baba55b83d83cbb0312d877166bd286525f68b10dd3e54042276ce3662e6c3d85fd4b62cad574c2fb0e8b61d92b194d3ee4074ed09a07964d037acfd04cdbf7d91215face8770412aa12bb8615b2a6aad276ffcc81def37e649210c24336c67b66b4e0ed9ea85ddc40de2a68ddc124c4ae476a5b306d3f44a88ab64ae1d8f06b0afa7513bc891f04119ddf0e0070668210962068ce31ed82e17d26596a4242a56e4cdec811c8aa7356384578a137dcd15f14323efcb2d451aeb7234a989898f57462cf', 1732940522195, X'31ca31beb266c77699a5e8215a7a66ce201110a9d52bb395eb9a1972b89febef', '', 1, 0);
INSERT INTO events VALUES (6, 'old', 'back', 'evt_01937b4de2db7e5f9ca833bd27d95c9d', 'pro_0UVa5p342g2fVaG1GWQA', 'refunds', 'refund_succeeded', X'016f6716d8182cf2266255103feebe3938e490e974298998370f300355a36518619b3ccf789e5addd2f36b82022c89ba4d3f3ad1b0038e8a6652f57a395726b08f71033344868315c4141ee1da2c63404b9b5e241c23a5b56ea8e9296c5f71ba44d4c26b4bc49475eb9e50a96af3bb2c2affa561b7e9b46bf4c465cbaf2fbf301289bf55d11be4b18f13ea84e3f3319cb03ec10696885fb5952d37869481c2c936b4192c67d044eb18f67eadcf56d98a13649d8d11be96b775b47c941cb6af0e1cd7a649625374b9b0a36e7db73952846b8236135772906eb8824b4318615097dd8b68216be03af7777b8ba1a665346e8101b0c9a831b4dc27efc3b00a82afe1c6e0ecb80819f032555d968f413eb3b46fd27f05c5aa0c3a57a7de450f4704d7862fbc2158fedae3fab50f286a569a4602677f006281', 1732940522203, X'001b1b38924282351519b8878bb845bd14671874a30dea7e7290818e5ae88e01', 'taken', 2, 0);
INSERT INTO events VALUES (7, 'old', 'dp_0UVa5pHzKS0zwjbCIVcX', 'evt_01937b4de2df702883aef2d491eece26', 'pro_0UVa5p342g2fVaG1GWQA', 'disputes', 'dispute_opened', X'016f6716d876b5361ae142486896e9b79b24ed048eaf5cd52c4dacf9fea99a209bc1e46e86b4f3848938fdc9ce01a1540977cfa1b53f47f9aa7b77df70cb17ef27914cae58adc9f31b57a2fc5d7597b1f7b0ddd3d9522a367a6a1681a732d3f9681d60233bc32180ab6ae4af1933b4c5621459d6b9ea19b9186822852966f213ef8462935f376a9648f5aa4399b67c3c08c92c60e9c0ae64dbdc5d134518b07dcbd7dc95c43fc6a29981f55149afb3307e170a4a6ff40bbdd82f5f064e0675dcc6a16f1990822b846fb62fe7dbf59b6df10b8b112fd781b2ae20a117de8848a109488c71819f001ea002c81a7a0147735222ee86f4dac502ab48dcf38b76fd085272c47f3439dbabcd1e14417a50a2ddb8e07c2617a5b50aa356c9ac98d2f60f949bdf233e8d756fc13c570f237c8818de1801f2ed0fff805ca77dd4f2d90d97981dfe6b78dd066e221e39a1e83a8721945c06956ad3d723507b33ce1df051f8434e5cc4f5e1ac70af9547cec0efa6', 1732940522207, X'27ec0be1bdfd443de03806b81becda3d89f91e9dd51225f1c53e16171cd83d65', 'taken', 3, 0);
INSERT INTO events VALUES (8, 'old', 'slow', 'evt_01937b4de2f27f57bdb8a8bff2682753', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_succeeded', X'016f6716d818c98598f8b92cbadf6c4b4b51f9ca8d4967951f297b929029ac1325b8163e8c1fae1785d7063fa955e2d1c652b6f4a49fd5b841bf7d8a6985a10e97f3c578915bef4c91d7d9631b68b4a38fd6af638c7748a24c31af946c6cd3cec8fe99db62f4100778b2416526184fea3c1a7cc0464e8dd6e691c934207dda080dadc2fee01448b3cf5d4dc27a34116c02936360f568da0ce66f8c0e6bde62b015c5759b19d710dde58cf3e2d5f44c6a2e8ac026ea68f4af989c9420e5337cfe63309ced538f2112419df9beb62070b2dacab71b180b225263a06c1f12f66c493a089d2756aa2ee241305c47575e2366d8e3bc6c7b4c021e0dfca963d47a7c234d41cd32795d6a0594a79f6adef3877f86abf6fd552e459cb0ab2ea9ee1e6e2a97dc8ee81cff674a3c1cabde83b4b612d04ab49a12c327fd3a664b0b23f950f4624129bb213af6b16e9474747d93361101dde27c1431ca3b49dcd2bdfa1fcd2cfdb2986bae62c7a78578bdc44ca6704efe1058e094d9819c670c9567d4d4fbe1dd5b84fb33a2883b0bc0bd2bbfe37aa94ef58b0f60a17cddb5f8cda029d8de7e2117bd7ed4c4449fed035c12ad3c34a544fa2291738c3c216aea67150a9bdeae31b17565bfcb30364abd92c0e5593f2717f2e501fd0ec7722776b89e72db46b9d81ba709340118c531ac91a364caef7323e3e69650', 1732940522226, X'f322e082ccab3a988619c6d14962ecc4e0603e9de4b84758715d0e42f3d0108f', '', 1, 0);
INSERT INTO events VALUES (9, 'old', 'unknown', 'evt_01937b4de2fe75159ed4d0fedb11a52d', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_processing', X'016f6716d8850dc561b5131d889727fab71e98edac97d46ea478f9a812e09a234cf9d2dd14e653d19197e56b2b6c88e8ceedf5e3e5d1eab6c0ac190dca4ae176a3edca1066da6c772a2b4ed09f5a1b572c86cee809408babe46346a1032a5a33fededb0a817bde12e58a22683da43264ef28aab7ff13f74eecdb8bd40350a69f52dd50989888482eb909fdbc9ebf1e7499c16cffa5ad90e4619c6c6769b2241c341887c2dca7f165b4dc34af95497e9beb2e51d2753caf7b024aa0648310b930638f07721bfbd35f13babcb885068441de70da6b66f3b85072c6d76caa7f78c0332ac7a0042433fe4eb3846e3f8d01cc1ce270f734b842fd97465b9c77173e6190bcdfdfeae438faba56005d3ce28f5110cc8c374f83435aa4ac155502d96d7ff66faa6d6e1a393ac758da519fc112014914d6bec38719d1b64575e7c8becb75dafb49d6f9209938f36a0584d9e46dde81b8a7d61220230012d157423184860909cc1e4d82cc6e520659bce7d8cd6e95898edb3876d972a763862cc816ee64139639d1a414f1b5047d1f7298d8dadab170683e6dc8aa5798c64680f7a44e9f639b002d5bda5bee14feed2b7a6bfad3e2cb8d86f632c01061ffd724c93588e88a64a10a951444c09eff7f6baa5e94', 1732940522238, X'bdd32ecd74609ef94e454cb99f7453db7649ed10cf98527229591aede12f060a', '', 1, 0);
INSERT INTO events VALUES (10, 'old', 'declined', 'evt_01937b4de30978c1b15abb1584bd0b1d', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_failed', X'016f6716d8ac4442ccef08bb71ddcdeed55a6b51850374e14dd298557159325fad46098150f9e1de576dbd51bfec9e78dddc00fc4e2d377269e419c1eaedf559664c8ed0d0ebc1282b72481566df919d8cbad74871466ed86737d9bd764393a033cfc4408a5ea78cd1de88bcfff6b8b7c33beb946bd687b64df2006d7e5f2b0c2acb949326c8910478ed87a9532b6513329dfe6970db6f39bd8625f0bbb056ac5b4c54b42828c096acfc4389d1ada108e3d89103aeed4dbf5427e59557575849ec084bdbe6b7d727680c3d0e204de9e6d0147de7e6511b2ad3bc47a3c49698b26228844f9343287d764ff98167a7d36cea36c52b14d7c496dac9312b8a9f10d595e316b33a5f62d075c20fe2d70e97c80df442cb6fb3b9b3bd64c675c50ccf81cc80d408fd9da239c79e712f40d1b7fdf0943aef451c8b7ee7f69f616736628ab2959bdbcf3832359c3a34dc7ceefb73958e15c86edec84724ec24c3996f8206e3cc60541f4bf8361c3cea25fe6d5de14d4a40ea66134cc01d1858c12263554ee3af14b03dbdf8bbe9e80c54d25473cb0c0f32dd1d5fc8355d3b19ed02432d81445ae354d288bc8f841a0a2a800e12e3e0e3767849a40e359eb44d816a2d6785f3884f345ba26ae7b020d7e39be3d5952099cf8d3cf2f06ba4670595bc0f16f77883d939e6a3c74add87701248c064b7f83b572079a7a6cc61c6b74813947d2c7578d09cee58976ec996160f83f827899abf9a355611d3ee45e9c1596076b2b0591eace13c7d30dd9d5d586b6c757bebcaf8f08631ac3d666a61211349e0587e2374395a06361c8afc745537e34eec66675230aaeada2805b4457c3d8e248412442fd0b8c5c307e4a2856662afbef74b', 1732940522249, X'8c7a1d8c5feac4ad44b986e30fc32d31627980507db47b018e9547b5c2814c7a', '', 1, 0);
INSERT INTO events VALUES (11, 'old', 'saved', 'evt_01937b4de34e7b9db146e09839dd357c', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_succeeded', X'016f6716d8d2b50045203c8631b6d7fe38c21c9ed7c5aa94cc871843f5d2d59d944a5d37f172a1acbce8ce7f3661b587f8375198897a71c332b67d97cd508ee0d175b4a327c1b9ce6dd169dbb15bbbaf8253c40c3b5faa9333878661a0ded88f5d3f83ce8a2a1944319a4022fd81a2330e79558a1cff7546cb3637d0a7c7ca90b2d334042e3cffc0de7942f3b925943c04f2565c7a40b34885ccbb7049a2483e9c1f451c4c29440ba4de0f92612ccae1fc503722d02149d0e5c8c567484a267f843f9d1a78269801a45eb8c9532a74ef3dceb9eb666868f52a273017b164cb5a2d373a61a41fffa825aa625d95abd8a19887118ec1da8a0c52441967e112c2878ec7b7ae5d60090c30c6e7a028b605d874ecf735ebf3d678a1a5ef0252d7eb9f792d24a4337f9bb5cc1bc665787448a259948e769384e76e49c0e10df17e6aaeab2eadeaa09b2c619ddbf5bb0c137080a27738708fb237895128ac29b8ce6a8e8d2cd1f05cdf6fa9142d235dc33b6bef62f3c4e03397b3c287c20850bcd2aac6cff53f2b22762a62344989292e1a4bf5330ef54a1325aa956d5311177753b9f1116893d20ed9ee4b6a8f345f17f9d519413d5a3ea2dc4a13930560ade994d903297b10ab05a6983d74554a85a15aad665c6df886c4e5636592e2d4d490d660fc01a01821d16aa1ec366cbd11d7a2c892c538f4e37115ae917ff420671c6eea002f5fd21f73e1bee1e2234999fb675bee80a8a2b2ea02fb4b1084f18ca594de979a4422c4a8b847d7c9b5feecc461c27e70dfddab7877ea7b8e6b3ecb84a5ddec51b0c70805169b4cb30ae44d9b50f4aa91fab3f4d74205868ad4ac60a6f322f9d62a0d2817738091efe941727bbb086e245d3751c8f6f67619c234e64bf5918da0b96fd87767895193114f9d025e5cd20761ce7f5d81d0329e4beebc9dabe39e8197f0785cfff7f244b8b77d94b1c52ccd8dda85d07829e625af4d7d4d9670d75e5e8ec00277a20a1f0ffe519e2aa1ca3f0288b58b7a1366cf2da7ecb3ed91', 1732940522318, X'8a51627ca1959b18fabbbbd7dc66fe924b84bf8a6269d5b213641aa269f7638d', '', 1, 0);
INSERT INTO events VALUES (12, 'old', 'asked', 'evt_01937b4de8a476958f28d930cad6bfd9', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'action_required', X'016f6716d8466c49389c0d81629c8732749521ad396baff50e9c2ab5b1d9b0c11066ffb5673142a119c98449e0b8d9ab1382c0fdaa698e811369fa27347599aac393cb8160ed19cf1f2b61291535ac1b9726e1d6a225c819fa358c43d96d8276235e6a4422282d52eaa69d12584ecd32558d5b887985764ed096a1e0004aad1aa7810a90ad1570f92f249af786616d1fd82fa0c63f86922bbcfce1ac56f2f32d8ac06d7e52ada98a22a6f7ccc322d54e7199fcfab1d2bfe20fc4a359283b6b9f291eaabf7d7fa80bbab890328de7b02c83c88229871f376b7a9ba513d5505249402c7b99da35c017f528a95ff713241200022ef7ff6b46a8365feb8f8fbdf74660c7f6e5a7d203d165adcf9a5f9f16d23cf727f6623864955b5052f18a169aee0a1aacca18472e4c786c0abedcde9ab79e6621e95cc29f51fb71f368415ad4c64cb48866dc7f4a4fdbc4330b9aa9a1d4f46bd9550e6e1c9e66351ed3d64227e9739855c21c70b2b9e031f52dd81bdbd879443fca7951c6c9aaaad68e7fdd629622a931f91670a32c4e849c8e8de4048c471cb7a261944f2e74dcc58232b0417ad8dbb7c28c3b034799dda150e7d1d9d754047eced2b422982d10a91c05503bd4e3939bf4135f10d5166806f2cf926829fc899bae240f3ecd7f25e737843709b390dc1d41e1b5bdfc404864e2ad1b8814076e43f7ad00b0f9295a521bc2f8758b0d530d7628d8df23e704e83a62906b621e477aa0469cea450c96650ad5e94abc44713cfd12d1a4bb01b224846f8062cc08991a111ef0e022669b8ca67c04baf46ceb283739e68be9b9467a5d6605e22d12e384265a147428bc4d3dc454b3c979ba0d1fb0f29b96e673f8fa8978edb156af1643cf9e9472c45044ed92464a9e76c076e681a2537611d68d5443c594a61287eea720e7f49cd1a9910b416c2ebaaebe062e9125cc9dc1c591d538802995d72e321b2e2b4432fa784e91a8e312fd13138aae20717991483d396825011bfbd35c257653e708e6574396e328691ea71a8061c7b1e1b2da5a64d096fbfce537823a6fa204adef35b74c948bc6258ac8619533af97fad85dee37fa64c40f0ca2ab3776c829347c53346395c5804837f997a2a28137cb38bea4bcdbbac826a2e50066c217b22cfee8382d1b5a1d5a2e98fab6f51954751f5f3607ecd0372d8a578620631cb5bfed03595fff4a9adc710c2b26b36ad7de66fa466552cc57901a43d95a3d18c778bfa9e7d494834a0f6977c690f13bf3e967f3a2e5517d0be2330d8b873915dd4e685553c70f3011e1e0e09c95eb61c7a7b7e412d72271c873c12fe14e6415c8014030615024e24ee7ed9d7df2590ad96c32bd5924c8956e141beb86f4f992fcd1ad68230fef69e88ad7e044ba12b1f73ce92ce2862eedbb687e73598b7d7575001686995c99ac468f563b9478f8e9c7806f0d041fc07755933bdefacbf24a298b8747ac180201bb6330409e80a7e9b17edba7510d9f2601f1478c44b61275f97670f2a5a9e6e2133f2d6bafe312a561e7437c2733102e1cda85afd7eae29574bfa66ce19153e252fc63c0c4b033b12bb2a5713107c18ae776a77a9bfcf1866517af0526c39a9d7660402a34f642d42431069368e0440b4270380cc6f9cae5210a1daa77baa709d68c5c3441382b4d2addb6ec58ccfb314db9222d421863a03729b7dd55e0748b9c3722ad3263574caf4504cb883550197fdb960eba46ef569f92d02a9bedd257d430cc245e2df57e6b4c70e74b6715ae1026d8b64b', 1732940523684, X'594ea81285ebff4108d887cc194c88f445fa2b7fa0b49b3e11f1b9e1965b975f', '', 1, 0);
INSERT INTO events VALUES (13, 'old', 'last', 'evt_01937b4de92477e59480e417d2ffd15b', 'pro_0UVa5p342g2fVaG1GWQA', 'payments', 'payment_authorized', X'016f6716d8969cae5a35d39655b5421b1bfacd9c67def98d7e0df03e2c97ee744ca006ba074996173e139dc7de05afd4e2f3047f52034a89307ce52ab19c53461db04797302b8917c8b71374835419a13398ea2523dd981d957a8df6b5b6df31dfff578cebcf65c5a72d41db2130f05c456bacdf34bff9e28d116d53b36c2da2f73b935b739b6117c0373219193ec7b6182139f8ee1a2942629a4eb7b946cbf4393340b15523a40c6e030b3d88c63a3f1f4fe3b3b27f4ca4a8f660c01f7b186a41372c3be32c3a12cf3eda7e7a0d06978633b87be24f0b0fc9f28070b2e537bf38b4923134800602671d347895d3c113d4853ecf658825b094c727b3297a0a72f9f1ed80c6ea50a04e5fe278e459028c31497d90cb878488d304e985e7b24972fba59484158bd18f20408a16d55b5f4236d934f937076413081576d3748b72400d23f31b3bcc4ab47606bbfa6939162adc86d1512072fb185e34bf74e8e361270ffbb55ffe773f3899068a0f8ca462d0bea2f3e6eca1729ecd5f2b1d16d0ab8e8fc060d27a3e6b82f7dbf4d2e7f177394a4b7985b07a52236a767372be98238b1a086e213ff8e35e69db3e697069660ff25662a7a22ec0d6', 1732940523812, X'2623a0e7fbf13b5b1d55264392938fc03625702fb64849aa15273729bba86e1e', '', 1, 0);
INSERT INTO idempotency VALUES (1, 'old', 'key-1', X'a60d70b80a71683e194736c68c77b9d4976414e9a7f689282be8b10b7a43e39d', 200, X'016f6716d803e85dc775d8e8ae7173853c0cb5f103c1a9e2b86da8b28f7d7d72bb2d1689e9fc7dc83a33076cf0e0aa6796eec6e5e7df7544afd52fb4a25b26ce599a05080346d3c201faa52924ccb2bf3bb0641ec670d3ddf4cd9c4f5f8ebde6377c03f833f7c1f115d0396f75bac424b0b47de7740947b66a7fb9c24395d189b17b8bf6d995d4be21b3ee788846e7903817ad710c554fb9fbc598c6b957019434f8c331f05422e8ac0d41a9c00a16444b4afa3e7e066caf269e1150d9ba92a6911976c5481738ca2622023281e8fa5e602c708ae8579deaca3ac4ac12b2b6d7ea3762009b6f1a35cfa96997763316fbcf6b66a30608e485011c42e627e764950dddafe5b84a19e4e6f95addb777bf6807033da065302c3e8ca230d91f9022f27bcf64bd5b51152f4a81d8a028ffe47980bb6b884187813b00967f8a084888868e0b85d1ae176eb13d30091e7ca72c822c58062bbf72c135762f91e677afc67a6168588468c5249b5394d96038f50e6628b0208e2e6e238c6ea0ccba11c6ebca5e8a43f8fd67dbba9b83b9f6f85f8b5e5be158a58806f0929604a3c73937575af3436cae7b06a8903bedcf1cad8610ddb5065762ceef431ce4c7281524644b292e0e6f4115ecbbecd65ab1da6cff067a666e3cf0322e9ffdddc918a37c868ae4f0ed210a47cfdb853023a8562b48e1777362e1bf68aba823d0a252b864a4ed6bc8cd18342fcb8de79817f39f21198bf70da0c092792c6d019fd3b39a01d9349aca2497b584e13710070230b843b77682f735a61930d1b9a8309e3e77a4358b03a62417b23e98366d8b0478d3a34caa5673849d8ae32d7949225c7825248cfcef32791a98e493c324d2f97d7111d1ca8d4f0450a736a43a962c22c3ba5c1a32785a7df73e671d8283d0ecf120c27f5d819670c461c2b73c886256ecccf392e9d6a33f7088c31cc48f37b3ef44637a9d020733d0d55184d0c7ae6f8f659c921f2b7737083c9da20f993bb5ac190dd714dc383584b9ff8678ea5846e28a2ca233b596b957209eb216be17f32fa78e1694e4b98041b25dd13cf274db064ab91626bd15c7f6e755ac5db1a12afd0e9660ec670957971c16494e08d09fa369cc6ba32e274b8b7a6afb087dc2bd326837e6b84f26acf324c2d4c840d7a3443ec0d29fdbf07131acf3209f86c4954d69ccbcf5a9bf0791bbf523171e41a33c15784d67492e8c7831d67e6cf3017dd430158c79380c362ef7c03f6dff0be0a35ddf59ba0f6a5c08674073ec613c5dbe827bf4fb4be9234b491aeaf1bbd07d75956a440c425d4569fcd4361bbad3ede4abc2908a44e07353ce1f81e237182a728a9330e46355f924f747ce6c786c9e099f5c5d44524f43459320b0d6d666388e9b24f28c16b6fdeb00edefdb8553763d8223943525587f5e8c22f623c3bbb3bd59a528c8438695a71b5396328d6459a26607012de21de445bd6a21c90ac4ebb7da7ba34001300bbe3055cdb9bba82eb3b3fef14979cc312958c3364bdda27f9d02278fdbb8a7adcc0768c57e887aa051ef1b50df6e25967fa6546752e1701cf0fe0ae21ad2b4bb09e4bcfabde064b0fc3120f3c2e4898a4295c0296b7e1858f49e2fc6b3c2f86becd84fd83ae48c1c42485d0a162478b3d8b7d77c0bc6b96680a94bd0239811ece297a4768a8bffda2831961ce855d33316f1b285f57b3aae22674d3bbcc81ba85d3ab169805b009e20b7d09a7704756d879bac93b7fdaa066d81fb301f462471c61b02dbe135d1ade2556a82d25230280af0df11e692dc5133ab5b87c1216b00b000d24dc74d247c339bfb8bde35d966b39d8cd7535375090b105f75bdd29c7a0aa4b63abf74b45b8c8172cf543054aa41f4f93ed070430d5329ad6b002e116387cb49b4a49bed8d384f66de116ae556d453330bd70dadd5ef890637da2900af7365e7ce4ad1a3d3bd25aa1aa0855dda3d9e895e16919f20f0749eebf0ebe16ade9e03ae9ebbfe25363b585c62c325d1cb9636e00d2ed1d84b2391aa18339c3c6014f68543c40daf1824adfb4ba3521974d0da270a6eaba367daf075a793b3e6872724c11ebcadb4e57818d922cc99f57c7bd9867511f5a5b1fab06186b031af32192bb306f4493757e76f8b34c2ec5af52e044a6a9f3acbd789ddbab2a10c1a94c7790ef6d56df9db735cc585a9ce7fe37c0d54e5d58a1630cd2ebda3a99d69afce6f5fc27358e2183ba5c4ba2393b64000618b50652babbb9840be34077036c4fc8d67e08385fa2b63a194878cea5864f023ad0018570b40a17e142a531a0c5ab784a64c377183e19cd93cc8e9b31a0acee0bd1735c90480cf420b9749a6e971ab956f6f0644cc77fff26970fef8084449307fdbab9b37ae0a7fa6d7fc60fa9f6125957b0797253aff8fd95afa0febde62cad0b8084c969a472f10b7a48e9e20b3c4f2e93e2caaa43c6d044b9c03c1d6358f47060cb8056c83703d4a2de4c0e2cca5474885fc6511c2de06418f9eeeeb30c079fc90c98d43638d8378c4fa20c7527530aa6a826e38499d66cec36a2256a98eff9d26f839bb5884d9ee247e7327ca79800527a7b1d679cd14eefb816be68cc081e645d184997afd8f2194a7075b62930b8e58c501499427900b97da89db7a9618f0f3f3f4d355f5e32df54a0dd9dbe2c20c12327259e0b09a67dadd68c9baa9597f54b0f310e3aaef19d322c67f04dfb37f197e279aeea27acbad9047c224ef0a8e45bfd6e3147eb8af0ba9b2ae9f89e3ae646d556a834975a31e9477c57faf515b5c07e5b81df2030906f9be6f9c6779c39ab2a0bf237b3abb68a379e5c98dede8671d23d1cf97263618e6578f005037c35df26cbd1bbb0cd1d4dee972eb7854eb016da21426c857b3f8e71fafe322dc43ebe653f71cdc7a36072b56fcde56fb619a65877892d990f2d55ce1c5ed3c158a5ee9848d7d8a91fc23229cdc29abf1b4c4f192df1784af2f8b4a494c199f066d38d43b5d5691ceec157d4f852b5aaf4ba7ddc3cbfa0afbc1c4e317165a783782bf55e2cb618be2a7e6b5cfede50b4e87a9685735e851f5bac7f84649a6bbe0a5cb7af4c3a0683972ab125048477b1788381ccf5dc363c6b0fd34faf09e456f92e8839a5ab1b043fbe66b8267b4a368924c572d05a04ba2f1cce9f40ee3673fa325e07ba7fd9bd563f07d5769487b8d7900bc9148d5bfcef27a35b66473e9bc2230765fc8212e3144d6a60f6a0df036ae5f1277700b5968322b8681a2c465fe954eeb1c7cb68795f671bcb83355ed79b67e9bcb6da4fc17433f20d57235e49679d91fdd38b91d959522526f555fc10b1c73ab34b045e2fd1b23def485c7a40b3dfc31f720d27a74bc63f05b99c3688cb06a9241b906d19b1d6df1ff8bd004480ea09fd7173d151bc5636ba76ce31f94630aa4948cc5e49240c6d4965e0ffb108dd49c8b6b426427cf3d11a30d1af148fc2e74c417d377de9d071873170b08e0231474921866ba6fa05bc19ec051de6bc868efbe6c39739eb49bbfdc02a8df9c68fbd12ba673d1b559dafe54b82754eadd6154d59e5f9e99f2465e6eeee5e42b97c8e821acaaf010a53aec64e335cd8ef4647545d44fdf917449bc', NULL, 'pay_0UVa5p3zt8W0n3PQCvkx@node_1', 1732940521339, 1733026921339, X'693271886aee904d58fc404155d1529597e8ac4746e1b52bc63e1056ab60bf8a');
INSERT INTO cards VALUES (1, 'old', 'pm_0UVa5pJmrpfcVuKONUBU', 'ece35ad9bf3c32605d40640f88f87088', '83f11990', X'0183f1199000516ca4bb09e253b881737967f531d6a1ce31e9a13663e343750fb820c70baedc829283a7a05164ab2152334d9aeb4d7a46d5b31d7518e06331202c', X'8ee3e3db94a1e4457452a7582f73c2da7c185d1052c34d676d15949a02d2b5a0599bb8ca4bcbfbe44fe9acfe878d61e26d92abc632c70f14b50970b61cb8d3f3d691c3a49c8fb6f8b4dc312509b1dc2131e6661f684e9299b093f9ee02c049e96752214d78950273235e88514cea50705ca0', 1732940522318, 1732940522318, 1, X'fd3a45215735c0be04e36939214d0d7465305ca21d0cda7ef0c71ef4989c6e23');
INSERT INTO authentications VALUES (1, 'auth_0UVa5pKhY7q0CEpQFaoE', 'old', 'asked', 'asked_1', 'pro_0UVa5p342g2fVaG1GWQA', 'mca_0UVa5p3g2KOT7GbqaZC0', 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', 'challenge_pending', '', 1732940522375, 1732940523720, 1732941423720, 1732940583720, '', 0, 4, '{"token_hashes":{"a":"QoinRJkIU6/3aUfeSB9ee1vLX3b59HZKL9MSF2rVIxc=","c":"HILnEblk8+VWe+Trt7Cl81B5p+NPYlqbpnLT5SXHiR4=","e":"rYwJ/oUvOXrK4J0K7urBbKdIP5lwLkd9+bWlUG2Nt8Q=","f":"jllQB1lVhUWWEbSo70y6Kj3N0TgLqn/vO2ZsQ8rnoRo=","g":"FgR7veTvH7ubEVK/44MQOCvkb6ghNzZwxx9AJPHWCXY=","m":"XwBSR9YVy4LHnnqdQjD2+TNHjgIloPU5TZLXdUiqBKk=","p":"pv250oguh6keF1BTJK3P7bt/2GmowXp9crBGylBmivY=","r":"R1NCu2erTKEWRc9sQCZYRLqdQvIBo88jGfj29GB/FUM="},"channel":"BRW","category":"01","authentication_ind":"01","network":"Visa","message_version":"2.3.1","versions_offered":["2.1.0","2.2.0","2.3.1"],"server_trans_id":"4b19a8fd-a9f1-4c34-b7b0-9045755f1f3e","acs_trans_id":"d700edb4-e11e-4640-a409-05d59a5bc736","ds_trans_id":"513d500a-0726-8d22-9be7-0000000011f8","acs_reference":"PAYSWITCH_SIM_ACS_01","method_url":"http://127.0.0.1:21030/sim/acs/method","method_completion":"N","first_status":"C","trans_status":"C","challenge_inds":["01"],"challenge_window":"05","bound":{"amount":4600,"currency":"USD","card":"D2oDWY4jhap0bTn260fRmFqfxMXDgBnMpx0ArznsX/k=","account_id":"mca_0UVa5p3TfEvoMNiM5atf","acquirer_bin":"412345","acquirer_mid":"DEMO0000417"},"merchant":{"acquirer_country":"DK","country":"DK","mcc":"5999"},"prepared_at":"2024-11-30T04:22:03.684Z","session_expires_at":"2024-11-30T04:23:23.684Z","asked_at":"2024-11-30T04:22:03.697Z","answered_at":"2024-11-30T04:22:03.72Z","tries":1}', X'016f6716d8da368146b707d397b67b865780e4c70fe42cccd154298ef35ea997b60ce4d01b76afad34a617b6d40d0aec6ffe43f875a58eddf91a7047c9d6a48a71d10f7a1bce6c55ca0ebeaa9a6b00d5fa985584409f385ab3f568c5bfe9678e43bc35c74d34b3ff0e0340816087edc1afee148ebf73d7ad92d05bca7128f05206f6bf4b9ec155c626cf989e2258c6384415e3fd5fff252a1a946d833bcd45860504b022a3a521c4248d977fd5766072f5f0c355451c5267ce947a4194139486453dfc5e6f8b4b909a73f6c9cff7bdf83583c07419a33c53f6c073f2c6fd87a3554afb48cfc61e2434ba9344dc5237fed14fea9d21e07944685c32d8d14495c6ab460a871c12f179268499247b9cc8d21b17f65c92ebf989582cc93c0a281a600cb9ae615f65831c1794451012dea11a2741b520824d9afcdec276c20aadfacb26d4f538a0b8a93a76f1b825e4f6bdb8c476e0f3eb8dae57fbfb16c95307fc6a7eb6ee6921f6ac35657633154b3b347ba81ec1899113880d084766ab7195e6e312b307604f2684f3b704c20a45d2984bcea6058be99ae7da1bd3ab60ad86c00e7047e85c495713777f4a1b6b314affd60c637ebd8ae913916cb3cb231dce3930ff000f7b53e3af08355e5e9855587e5c35f943696e3a6bf21e2f1de34443cc8981471e6578212b75864a816231ad825ceb7abbcefb45fdb48e29481eebf0ea373b0758a67d92f6e4c6693a75296956b3164d4d446c399474ef71ff0ee2f6abd7321f91879876d3d3da353e9f5be7bc63f9c15d112ed025ce67f9a8516548e2762fbf2f744464570bafd511a1a054f18564718f115f8db489e581ba3590a00a36147918096c0b51e004a02e0262849fa96ce8b8489922304c4bbf8c7f68f583c0cc2f647e90a0944f8d7003475e39d7218eaafaa4f9df0d1f035d1784ee38d9868e08438f5cc26dfe3559a9d56ea943cf9f24f81f8ef712e0582366e95ee7a0afeb', X'016f6716d846ef3bf842a43d993215d0d6feba7412aae4f4ae736cded4d60b5ca09d3df8ac3f4449e63368dc320c819c526c7af95f517f32470c17cc2ed28bcc099cf1811f8e9c0d2425b7a9fedea4ad9ab09e8d24cf617bf67e7fa4b2fb4b904c98b65f07ff0571f8856ea15fa9f4d4c0a0604d01cf4427d9839e0a513c0d01363f5008c6eaab8b8efc0d7056ab2b8cf3fe16490fd09bb0cb671d0083f73a27b29824c71755dc48fd44501d021bdca61f22e41197f6b6c13e29e0a6375bf2960278c9b276f8a107838161b129cc5a68899726624a0b6c', X'1b0d59e5b41b1778561863f810bc5cabc300b71253a650c39cedc87d122173e552783937e2b63cb4ec72d5f9f9684006afa6c67fbc41c3757f6496eeff165b63c3fe3765c3', '4b19a8fd-a9f1-4c34-b7b0-9045755f1f3e', X'54a431b9b4d9d1700f3c3671cdf002223f8e4aa0619b7c1d18728152fd125138');
INSERT INTO payment_methods VALUES (1, 'old', 'pm_0UVa5pJmrpfcVuKONUBU', 'ada', 'active', 0, 'ece35ad9bf3c32605d40640f88f87088', 1, 1732940522318, 1732940522318, 1732940522318, 1, '{"method":"card","type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"network_transaction_id":"843919105054740","accounts":{"mca_0UVa5p3TfEvoMNiM5atf":{"connector":"simulator","credential":{"id":"simcard_424242x4242_sim_saved_1"},"data_version":1,"currency":"USD","payment_id":"saved","at":"2024-11-30T04:22:02.318Z"}}}', X'016f6716d85cad73da3d563d0a0947501dae4d6f3b28e4e92df7aae281c7e89d2a93f62bc9cc2b3d096546df6bb7e6336473a34e519547b956168c7759af501c2384837527d77b3cb30be3edec92f251364582129a34186a382d202999bca38fa744ff2615617d2edba80b7acf08f4caf966fbab911013f3eff9c6985805c1764b576d08d2412edc3df6a24d89ae8fc3fcec9278698405ea5baa55c4e21aad7f13ade6ec9a0ecbfd85ff264918e53d37b267cfeb5e11f2df77f86a0d0afb5cb3e91c2fa1931d34d1afce47c55585a1513305a6174094eb8efd74163a8e73bb58830c995a57ecf6547f90d51d8590453acd1f1d', X'47a91ed62190ce7adb5feee2a21f7d13579934814ec8869c48147be2adb93631');
INSERT INTO mandates VALUES (1, 'old', 'man_0UVa5pJmVynV31OTL4ZN', 'ada', 'pm_0UVa5pJmrpfcVuKONUBU', 'saved', 'active', '', 1732940522318, 1732940522318, 1, '{"terms":{"amount":99999,"currency":"USD"}}', X'016f6716d8d3c014a254c709363e5b2f985c9840422448b6912353545b4ce3697199c1345c8fbadb11b4d135b3cb0d7443cf6527d943303e123139ec80e5acabc082a733f52830c59f2111f9e6abd5c36a81d06593c4a4a8c1c4151f4082afba46964b19c5bc102e88bd840fa5868450e772abb30003b2286135', X'882a0426ea56876fe81928a78b8306bd6ff36ab5c431368c6438e67f7ec3d738');
INSERT INTO ephemeral_keys VALUES (1, 'old', 'eki_0UVa5phnK6gRYNgWZ3of', 'ada', X'bf74418560ab08e2f3e8999074f7ead8b2037a3b7ae8467c4b485afb902f1b71', 1732940523807, 1732944123807, X'2c8eaf83269d549ea907efede853bcc32588dea945c2691a5fed4d17c647bc18');
INSERT INTO journal VALUES (1, 'op_01937b4ddf7ea204d636986f99008061', 'old', 'held', 'mca_0UVa5p3TfEvoMNiM5atf', 'simulator', 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', 'authorize', 1732940521346, X'016f6716d862758a357fd031f9718dddf0723998303947f2055ab1cea6a77081b07d8f95cccc4b7d236510534aaeb8d57a70ab9f550a52f4d3009a8306222bdf4eb8aa27c4eeb87a5439ee9e03b95225768e68a113072bf51328466429750ee65e2ca4267a0abed2def6d61daa90eda5c5271717810fcd7ddec45e7f553b3f24ee97cfa8be21e88fb80543602c97a5a179d554123221c1db2abb9ac1bd55215b77b8fba582d5a824504fee0659dcc722c1ffba564ba7d20242e4874b5020b63bd376ffd97f0a90d0663c8262580c4232d93badab696e7f4b8234d4e4328ec24beacb827700d32af47f55943db62e79783f911c92f269b76820953fdae327180382d1c1322d1d935d462cc2c2f29a6bedaffef88bdff531e410d88f888317b80aeaa4b5e7255bd951a4e00e72c6863bd0e0419919469413ff873287921f42e41b69a10aa9080259e65b59d7272bd8ead063009e5d0aa556506b6f74a710929f0dd41a944ecdf2879d1158653f4c85392c64af422f1d7a478d78b7818366431bd0c85e667ce706866cebd754d002b746aa312e1e7c196fbce2d0037c1710fcedd68fda5ec1df826277aaeb5e373ef9a6120e6f99938c0f3046e1a521bbd5d6636a2345b756781525253bb8b290feacfe4cba436f27dc27d3940c85dc5151460d71da17fa49e313a10875d91c7a5abee501ec11d559a107c35820f4e5519242b5bdb5999bfa93e0455f4419131e3e8e75b10a44b9fdb5b8');
INSERT INTO journal VALUES (10, 'op_01937b4de2fc2387f7b310bfa5b2f92b', 'old', 'unknown', 'mca_0UVa5p3TfEvoMNiM5atf', 'simulator', 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', 'authorize', 1732940522237, X'016f6716d82df93b3c515b0f296f3aa54e74740004f21c9d5757320cadb630dc29b22965687d5804ff6d5f06f3a203365c6cff7b82014004b4daa3ebbe30f86e39ffa73d791dec64ac3c7ae6a888d69300caee7e213b5979fa85c45746126f1079de2a310d12fd59a1adee08b1cacdbdc9752150fe69dc78459be6997dba51d990eff648e780207bb003d2e3eaa1c793113a1a73a3d93e7b092a857ebc2e4d795da7f985366ae83f4f543a866a9ac036dbbed66b718f92acfc82629b23b65dbac5e46dfca113c2ecfc8643fc2c03efd799322e3c6eee7a7993959eb43e167f9f70d6bef176dd0df5124ee53214036f1591d1adf868c5a0c6355488e05a13d76ec0bbb2782ec859802f31af10b6ef03d63e98cd634d2a1ea9da345d0ae97682cb208cfa3990438b362a0affb5d8a199b60b6bda7847970a9d085ab168ddbc1c2502864e1d9893de07700228b59c11f7974ed9fb9b2e6df3c422b68697d06314d180b119e26cf4f9e6b33960bf2d58b1365a6126e0051c6977ae860e242b580c6d2162e399bd22ae8a733f335d723ea7f63d2c60250280481485cd7398299e74ec33a8fac9d4e24d71de3ecb71e01d6881378f26ead8548893a8c9b29a7e7b19d9c81e97e8af7ced1c0b2e2d6ed8e3f8985c6eeabb3b883cff149dc493119ad8365893fcf816c8d8be3c36c325c2084916d4b9fbfbdb');
INSERT INTO short_term_keys VALUES (1, 'old', 'operation/op_01937b4de2fc2387f7b310bfa5b2f92b', '83f11990', X'0183f119901019c35d00f3da18020b9179b5f17dd89226179f3add846e812a9be226a8cd1677ef943708223927544da5ab7f3ff08da7cbd43cbf3383b1db1632ee', 1733030522236, X'7284d08ae52961b5cced5793f7123d423ce81ee9f2a55cd722d12ff2f30e8eb9');
INSERT INTO short_term_keys VALUES (2, 'old', 'authentication/auth_0UVa5pKhY7q0CEpQFaoE', '83f11990', X'0183f11990e637ae02292fcbf844fc21e84cff0cd29b4a8911aed500edb17fbbbcc598712fea3b7f9e24e6a76d486b591caf25a60d2a21f2a0f1dd5a8bac175a7e', 1732943222375, X'64251fc39b82d3413fbf435c3b5448a9f98cc0fd195abf5cf89bb927abcfffda');
INSERT INTO refunds VALUES (1, 'old', 'back', 'taken', 'taken_1', 'pro_0UVa5p342g2fVaG1GWQA', 'mca_0UVa5p3TfEvoMNiM5atf', 'simulator', 'succeeded', 'USD', 1200, 'simr_back', 'back', 'op_01937b4de2d62a0694942fd39d9917bc', 1732940522198, 1732940522203, 2, '{}', X'6ce28c0a1c620307f7b943730757deaa1d2266bda12c71469ba1ff89354dc75b');
INSERT INTO refunds VALUES (2, 'old', 'waits', 'slow', 'slow_1', 'pro_0UVa5p342g2fVaG1GWQA', 'mca_0UVa5p3TfEvoMNiM5atf', 'simulator', 'pending', 'USD', 1000, 'simr_waits', 'waits', 'op_01937b4de2f726a180a15430c3b9362c', 1732940522231, 1732940522234, 2, '{}', X'a7bad3272235a8f50b0e5af49a401fb635bc20f100b9b8509dab1de5ef2cadb9');
INSERT INTO account_versions VALUES (1, 'old', 'mca_0UVa5p3TfEvoMNiM5atf', '007a9ea3f44f73672b645902f2c0ec2a', '007a9ea3f44f73672b645902f2c0ec2a', 1, 1, '{"profile_id":"pro_0UVa5p342g2fVaG1GWQA","type":"payment_processor","connector":"simulator","label":"simulator","environment":"test","test_mode":true,"metadata":{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"DEMO0000417","acquirer_country_code":"DK"}},"operator":{"approvals":[{"at":"2024-11-30T04:22:01.307Z","by":"creation","adapter":"simulator","version":"1.0.0","sha256":"c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce","reach":{"credentials":["api_key as api_key (secret)","key1 as key1 (secret)","api_secret as api_secret (secret)","key2 as key2 (secret)","webhook_secret as webhook_secret (secret)"]}}]}}', X'016f6716d87f29a66257001fe04fffbf349ae3d65f342883534b701e6317af616d6c3b033d657271af3167254a4bbdf134ae1d97b47065d05da5956ecc489dc3846263b56310d20bbfc77cd5a6e0dc227a6e7ec15e2754783c390ffeee54be959bf0825abbe2d855b4227ffbd901f74b8fe59a678a82f4a1f38e8327a0fb277d44183acc8777922348006ce3e4d029b04eeae6d0b5fa2e7f39676ad23c0d7dbe9e5d0b9b5531c47c3f33e1814d2296400f2b4c8ac130f11982', 1732940521343, 1732940521343, X'41410bb2d92fff05c3db0f08e470b8c11395e2900a02c91ceb88d5191a4a68f2');
INSERT INTO deliveries VALUES (1, 'old', 'evt_01937b4de92477e59480e417d2ffd15b', 'pro_0UVa5p342g2fVaG1GWQA', 'pro_0UVa5p342g2fVaG1GWQA', 'last', 'last', 1, 'payments', 'payment_authorized', 1732940523812, 'open', 1, 1732940588213, '', 0, 'att_0UVa5phvBMRbPcJ4KflY');
INSERT INTO delivery_attempts VALUES (1, 'old', 'evt_01937b4de92477e59480e417d2ffd15b', 'pro_0UVa5p342g2fVaG1GWQA', 'att_0UVa5phvBMRbPcJ4KflY', 'initial_attempt', 1732940523815, 1, 0, 'the endpoint does not take connections', NULL);
INSERT INTO routing_configs VALUES (1, 'old', 'routing_0UVa5pgYUZZ5QlgPz52R', 'pro_0UVa5p342g2fVaG1GWQA', 'priority', 'payment', 'r1', 'd', '{"type":"priority","data":[{"connector":"simulator","merchant_connector_id":"mca_0UVa5p3TfEvoMNiM5atf"}]}', 1732940523730, 1732940523730, X'17c354e66456d4acbf1dac75e8abcb99b5da863029c9681863ea4557dd9c258a');
INSERT INTO error_rules VALUES (1, 'simulator', 'Authorize', 'sub_flow', 'card_declined', 'm', '{"status":"Failure","decision":"retry"}', 1732940523805, 1732940523805, X'4fc9764cb8a0473ab11b08246238e2d33ea2dfd92b78603df15a0ba3ef977928');
INSERT INTO disputes VALUES (1, 'old', 'dp_0UVa5pHzKS0zwjbCIVcX', 'taken', 'taken_1', 'pro_0UVa5p342g2fVaG1GWQA', 'mca_0UVa5p3TfEvoMNiM5atf', 'simulator', 'dispute', 'opened', 'USD', 500, 'dp_1', 'fraud', 1732940522207, 1732940522207, 1, '{"connector_status":"opened","reason":"fraud"}', X'37b9980950450aa82c4a5296b740fc9cae6ea65e07be3ba71f4304b479c5cda5');
CREATE UNIQUE INDEX merchants_publishable_key ON merchants (publishable_key) WHERE publishable_key <> '';
CREATE INDEX customers_created ON customers (merchant_id, created_at, seq);
CREATE INDEX payments_created ON payments (merchant_id, created_at, seq);
CREATE INDEX payments_customer ON payments (merchant_id, customer_id, created_at, seq) WHERE customer_id <> '';
CREATE INDEX attempts_payment ON attempts (merchant_id, payment_id);
CREATE INDEX operations_payment ON operations (merchant_id, payment_id);
CREATE INDEX operations_due ON operations (due_at, merchant_id, account_id) WHERE due_at IS NOT NULL;
CREATE INDEX operations_open ON operations (merchant_id, account_id) WHERE status IN ('started', 'unknown', 'pending');
CREATE INDEX evidence_operation ON evidence (operation_id);
CREATE INDEX idempotency_expires ON idempotency (expires_at);
CREATE INDEX card_tokens_expires ON card_tokens (expires_at);
CREATE INDEX cards_fingerprint ON cards (merchant_id, fingerprint);
CREATE INDEX cards_key ON cards (key_id, seq);
CREATE INDEX authentications_payment ON authentications (merchant_id, payment_id);
CREATE INDEX authentications_due ON authentications (due_at) WHERE due_at > 0;
CREATE UNIQUE INDEX payment_methods_card ON payment_methods (merchant_id, customer_id, fingerprint) WHERE fingerprint <> '';
CREATE INDEX payment_methods_used ON payment_methods (merchant_id, customer_id, last_used_at, seq) WHERE status = 'active';
CREATE INDEX payment_methods_customer ON payment_methods (merchant_id, customer_id);
CREATE INDEX mandates_customer ON mandates (merchant_id, customer_id, created_at, seq);
CREATE INDEX mandates_created ON mandates (merchant_id, created_at, seq);
CREATE INDEX ephemeral_keys_expires ON ephemeral_keys (expires_at);
CREATE INDEX attempts_transaction ON attempts (merchant_id, account_id, transaction_id) WHERE transaction_id <> '';
CREATE INDEX attempts_reference ON attempts (merchant_id, account_id, reference) WHERE reference <> '';
CREATE INDEX journal_operation ON journal (operation_id);
CREATE INDEX journal_at ON journal (at, seq);
CREATE INDEX violations_account ON violations (merchant_id, account_id, seq);
CREATE INDEX short_term_keys_expires ON short_term_keys (expires_at);
CREATE INDEX authentications_server_trans ON authentications (merchant_id, account_id, server_trans_id) WHERE server_trans_id <> '';
CREATE INDEX low_value_uses_expires ON low_value_uses (expires_at);
CREATE INDEX exemption_rates_expires ON exemption_rates (expires_at);
CREATE INDEX refunds_payment ON refunds (merchant_id, payment_id, seq);
CREATE INDEX refunds_created ON refunds (merchant_id, created_at, seq);
CREATE INDEX refunds_processor ON refunds (merchant_id, account_id, processor_id) WHERE processor_id <> '';
CREATE INDEX refunds_reference ON refunds (merchant_id, account_id, reference) WHERE reference <> '';
CREATE INDEX account_versions_used ON account_versions (used_at);
CREATE INDEX operations_resolved ON operations (closed_at, seq) WHERE resolution <> '';
CREATE INDEX events_waiting ON events (seq) WHERE waiting = 1;
CREATE INDEX deliveries_payment ON deliveries (merchant_id, payment_id, endpoint_id, number);
CREATE INDEX deliveries_due ON deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_open ON deliveries (endpoint_id, created_at) WHERE state = 'open';
CREATE INDEX routing_configs_modified ON routing_configs (merchant_id, transaction_type, modified_at, seq);
CREATE INDEX disputes_payment ON disputes (merchant_id, payment_id, seq);
CREATE INDEX disputes_created ON disputes (merchant_id, created_at, seq);
CREATE INDEX payments_exceptional ON payments (merchant_id, status, created_at, seq)
  WHERE status NOT IN ('succeeded', 'processing', 'requires_payment_method', 'requires_confirmation', 'requires_customer_action');
