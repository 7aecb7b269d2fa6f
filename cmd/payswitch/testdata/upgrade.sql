-- A database as payswitch wrote it on 2026-11-23, at migration 0053, with rows of all kinds that it knew. TestUpgradeOfOldDatabase opens it with this release.
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
INSERT INTO schema_migrations VALUES ('0001_init', '5d915ab7c7625c748088332b8bb0cbfceffb1b40cf8f08742d5d35d98ebedf5c', 1796011472686);
INSERT INTO schema_migrations VALUES ('0002_cards', '4dd9d5b2a709f3fb127a66130839e68e3396aa19da59599bede8c9568a171483', 1796011472694);
INSERT INTO schema_migrations VALUES ('0003_authentications', 'b20dc85980cea62c0b8c2ff1c3fa875319b71b378d4f1af5bf0128c2edafb54d', 1796011472695);
INSERT INTO schema_migrations VALUES ('0004_methods', '9db09a54b9c6740a160a28151ec394b812a2b10c6f758e673479ac7363d1589d', 1796011472695);
INSERT INTO schema_migrations VALUES ('0005_references', 'a8698d3b038c392c48d9f3e8069bb5584709351f06086701cb8e04a2e593f7f6', 1796011472710);
INSERT INTO schema_migrations VALUES ('0006_journal', '8b70a846f9f8096f40adff90a5bdec77c5c65475b3ecffb17ed02c952171eb27', 1796011472711);
INSERT INTO schema_migrations VALUES ('0007_operator', 'bea0e2a140f4eaddeaeaba54044b014a75c34e0a8c5bb272e9ec7a6b5db49aab', 1796011472712);
INSERT INTO schema_migrations VALUES ('0008_short_term_keys', '8eab0f5d70dc7fef5820bfc8d4bbd684cc68e9bd1ee994152b1c3251ca287122', 1796011472713);
INSERT INTO schema_migrations VALUES ('0009_authentication_results', 'adee23b72e97ce41f5338b68dfe7436c44d7dbd572ff4215b0d569aacb3c05ba', 1796011472713);
INSERT INTO schema_migrations VALUES ('0010_exemptions', 'f76781ae786c7840195539058d5bd750f88e57963096fae56ade0714b494072c', 1796011472733);
INSERT INTO schema_migrations VALUES ('0011_row_signatures', 'c8577f347825b736df7709c4a47f8e307b4595e0493859f05fc67e4f1236fcd6', 1796011472755);
INSERT INTO schema_migrations VALUES ('0012_refunds', '5e1acc8762aa0c16e9d5785faf96e74c61d6a8b195a1cb0aa793cf2fae7bbc4c', 1796011472832);
INSERT INTO schema_migrations VALUES ('0013_account_versions', 'a01a7588aba8807005c1ac60a0925bd176a2f42fd9588de0ade1cf2434d3e0b8', 1796011472833);
INSERT INTO schema_migrations VALUES ('0014_resolutions', '5885f2c0288c12d38f50be59702bc7aefd34afa3f9e7c6f30ec494fd3e22bec9', 1796011472835);
INSERT INTO schema_migrations VALUES ('0015_clock', '93d1b11f9fd9ccaaee3b567bfa1e5f5d36402cb1c72b2e5b7788c04aaaf248c8', 1796011472856);
INSERT INTO schema_migrations VALUES ('0020_webhooks', 'aa168743f912cc37c9d9c7f5bb303108e6fdfdb9c7c7630e4ffa8569e957f529', 1796011472858);
INSERT INTO schema_migrations VALUES ('0035_restores', '81a7baa5251c6cb179dd15a4fffecfe02b42b4c1aad10d30a9181cb13170ed0b', 1796011472872);
INSERT INTO schema_migrations VALUES ('0040_routing', 'dde75d90353b84241e0859447ede3bc7754d2b0abc45f8b094df585920bb2957', 1796011472872);
INSERT INTO schema_migrations VALUES ('0041_error_rules', 'de8989335f645ac952a01119c1c41635cb58e991db7a6254c83376f5684cd224', 1796011472878);
INSERT INTO schema_migrations VALUES ('0047_disputes', '19d3166567f963cec68eba5981bb2119fb933e6272c0888ff8d5c9d79b76961e', 1796011472879);
INSERT INTO schema_migrations VALUES ('0048_payments_exceptional', '88cd9f0666185852c411f2ac051bcd6373eed17e8a5821978fcdc8b9f07f7b2f', 1796011472879);
INSERT INTO schema_migrations VALUES ('0050_adapters', '28dabde0bcb18d8a6ee72fbde533dce57abb642293a4327d87366ce83bee125f', 1796011472879);
INSERT INTO schema_migrations VALUES ('0053_copies', 'e593a75c5557425acce84557cfe251a6375908872696f399bb6c1de4068b6459', 1796011472880);
INSERT INTO merchants VALUES ('old', 'pk_dev_5a5c4e32489a0927fe20c163d3a69847', 'org_0VcQT6mQ3qFwZljx0juU', 'pro_0VcQT6mQDbRUpHqGmRer', '{"enable_payment_response_hash":true,"primary_business_details":[],"redirect_to_merchant_with_http_post":false}', X'01f8279918758128e47ba55e0e00aee1f9a2c2ae9e6615c7fad2bc18af620b9b2ac2d7944d76498a9901a3b4fca2d820456831b4ff67cf4e62b0240bf0f8d2bd4729ca44f58a67f1ee3c0ca590721b49f466bb28989fc1b4118bfe20e7e96373966a96bda8eb10487f8ceadc7d3b64f6328b266ea5f04484d85841fbff2d662eac', 1796011473034, 1796011473034, 1, X'754c707966d31d006cbac74a0a205294c002f7c000d79beb9a36ca0bd9e5df56');
INSERT INTO profiles VALUES (1, 'old', 'pro_0VcQT6mQDbRUpHqGmRer', 'default', '{"ReturnURL":"","EnableResponseHash":true,"RedirectWithPost":false,"SessionExpirySeconds":900,"FulfillmentSeconds":900,"ManualRetry":false,"AgnosticMIT":false,"Force3DSChallenge":false,"AlwaysOvercapture":false,"UseBillingAsMethodBilling":true,"AuthenticationConnectors":["simulator3ds"],"RequestorURL":"https://shop.example","RequestorAppURL":"","ActiveRouting":{"payment":"routing_0VcQT7CZOrkX8LwEraL1"},"WebhookURL":"https://127.0.0.1:9/hook","PaymentStatusesEnabled":null,"RefundStatusesEnabled":null}', '["mca_0VcQT6mtWXJ4xb3WscUt"]', '{"authentication_connector_details":{"authentication_connectors":["simulator3ds"],"three_ds_requestor_url":"https://shop.example","three_ds_requestor_app_url":null},"enable_payment_response_hash":true,"merchant_category_code":"5999","merchant_country_code":"DK","redirect_to_merchant_with_http_post":false}', X'01f8279918c7ca22f7083670c9d27d563e9bd5d00d34ac7816df4f5e56d4ff0f007b8570e18299e24c56e4bdcab65f2ea950e5dee00a1a09b060ee8cad5020fb2f772c20b062f792604f22f99cd347a020a7da5965e58001bd3d9ac6fd8a6542322456f7d3d65458e78753d0a02a31ec0bc8dfdcfabd809ada975506baff7239e7fba3dca0a719f5ecb94e12b463c5ea27330d4750495a20d1a43f8eb518fd220d5d1eaa06f536f897281bb1cdb118f639d153bd9607d4be53429b01139ec2e278bd6d2baeedaee4f797c35c129496ddb1ff3875aacc6c5d305e48640dd399934012137ef7e50c1c0ab1fe5d1af216f14d1f049bc14134a44ae142f932ef382ff0b404bb0b67a2ee3dfee0091648f2db6dbbbb745cc096693a830929e38ef6121aab7a0ea69045513f2920b4b4946445263ad518aea9097c9f599d53804d58712f89a5e3871926ef4dbe4e753a31df719f6568e325869fb19ff9d5406f5cb616f051d92a9bb3400a9e8f0ff3a453781d61834d79cfc0950efbaf97d533f76c6c7ad79f2143660e95019243ea180a264ca70df0ff3ed9fed5a0139d4b5422fce13d5f0cd6f2772dafcc074115985627be31400633dcbb4504e714fcaec5c199d585f42606', 1796011473034, 1796011474702, 5, X'0764474cc08e5df1f38354e6473155f3e4475a90e2d24b7082e095b4f8b49d9f');
INSERT INTO accounts VALUES (1, 'old', 'mca_0VcQT6mtWXJ4xb3WscUt', 'pro_0VcQT6mQDbRUpHqGmRer', 'payment_processor', 'simulator', 'simulator', 0, 1, 1, 'HeaderKey', X'01f827991819dd1d1a1330e627e3a88b9c491fd97e43cffe7c7a220d74ed74ef0bf31f38491d08067e213287156115670226db57ecca95bfaca169ac9f332867ccc4f06a300af6b67382b8ae8f580e049f3fa8566885d5097d4a592758915d726ac76b821b7856ef70f5804abb103fda3dc8e445135a9e460321455a9acba2f8bfaba91f556b15257d0f340151a1b3285c9804c9c31382703184da0d83eb95f68e4edffefaae5d5a717f3550c14ea171de946502aa27a4081e', '{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"DEMO0000417","acquirer_country_code":"DK"}}', '', 'null', NULL, '{}', 1796011473063, 1796011473063, 1, '{"approvals":[{"at":"2026-11-30T04:04:33.063Z","by":"creation","adapter":"simulator","version":"1.0.0","sha256":"c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce","reach":{"credentials":["api_key as api_key (secret)","key1 as key1 (secret)","api_secret as api_secret (secret)","key2 as key2 (secret)","webhook_secret as webhook_secret (secret)"]}}]}', X'5394b3806adb78429c889a4c37452e27bae8127c9cb8b31c5bd53047bf4ec196');
INSERT INTO accounts VALUES (2, 'old', 'mca_0VcQT6nHHgmyunJcPhum', 'pro_0VcQT6mQDbRUpHqGmRer', 'authentication_processor', 'simulator3ds', 'simulator3ds', 0, 1, 1, 'HeaderKey', X'01f8279918d602d6ef7b110804ea8d259ef29014ab1583f2546eff4199a99c44f3a8ff67812b90112b70639c0ca7b3320f838493d025fdd583b6da49df564b5ba42bc654ed045190cf584957857ce9b07f35cef74bd60e94ef40d9e4e6d0e1962d402ac894a0ba81611287b327d49a6495adbbf7e5749c94e7a8ce19dc4d09756f2458201884d8b447e73d2d6c322eca023cf913dfe37fe36e66fbba4e5ee5de6d0ef723e016720fe9715e99297fa9e8a5fc86e2168fe1c0ab', NULL, '', 'null', NULL, '{}', 1796011473087, 1796011473087, 1, '{"approvals":[{"at":"2026-11-30T04:04:33.087Z","by":"creation","adapter":"threedsecureio","version":"1.0.0","sha256":"e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1","reach":{"hosts":{"live":["service.3dsecure.io"],"test":["service.sandbox.3dsecure.io"]},"credentials":["api_key as api_key (secret)"],"config":["acquirer_bin as acquirer_bin (text)","acquirer_merchant_id as acquirer_merchant_id (text)","acquirer_country_code as acquirer_country_code (text)","mcc as mcc (text)","merchant_name as merchant_name (text)","merchant_country_code as merchant_country_code (text)","three_ds_requestor_id as three_ds_requestor_id (text)","three_ds_requestor_name as three_ds_requestor_name (text)"],"authentication":[{"secret":"api_key","in":"header","field":"APIKey"}],"placements":[{"secret":"card_number","operation":"prepare","method":"POST","path":"/preauth","in":"body","field":"acctNumber"},{"secret":"card_number","operation":"authenticate","method":"POST","path":"/auth","in":"body","field":"acctNumber"}]}}]}', X'efb75b566976a1a7a2bae810574bf1fe8654f1df3b75d402b1d54af03f57131a');
INSERT INTO api_keys VALUES (1, 'old', 'dev_0VcQT6mdTEvFjZj0TBk3', 'k', '', 'dev_aksbrXkn', X'16fc7e8fb198ddffbc7e88b71731ec8359832b246c50c384a83836e17c628480', 1796011473047, 0, 0, X'86dc19d35598ba4552efceb4b1d5f6678c67ae0f0dce72d173022ce0ee420f67');
INSERT INTO customers VALUES (1, 'old', 'ada', X'01f8279918c03165a39c9bf3f1ebad69bf30ec5e4baf53becd8923c0a9cd016f21465bf22b417edbeeda69ae98c94e91d8dc75e73288f469bca1524d0e18d4388a8afc3ef76ebf52eb17', NULL, 'pm_0VcQT73Tyk3k3xUQeup9', 0, 1796011473110, 1796011474091, 2, X'964d5c78e49c1a3a3ca49fad209f216492ed3cbcbbac141db12ac3fa77a6a2c6');
INSERT INTO keysets VALUES ('data', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22456f67422f332b767a58364a70337a627052714876434e35744e7a59564759466f6e3363465a2b433857323049754a62627a51374e7a557a364475762b613363447a507164676f6241786131343535584f367330397850434175673441356851364a4846456e31576f7967754a49774675315a4d50576748694d4d42695867662b56775a3259566a3678434169467a7846492f473568625859797a50522b4433586d686b412f52707768496f336e6d762b4f42483043437765513d3d222c226b657973223a5b7b226964223a226638323739393138222c22637265617465645f6174223a22323032362d31312d33305430343a30343a33322e3937355a222c2270726f6d6f7465645f6174223a22323032362d31312d33305430343a30343a33322e3937355a227d5d7d');
INSERT INTO keysets VALUES ('hash', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22457667427548346c6e6e6b68614e5937616c4d2f4e72584f695a442f506e504d6e336556616459704d5933304a73636b71564a467a47356b4859496147384b56434b41644a7355694e6b51576646655562486b4d7379713665457146665a73424b3537394f306e67657777384651437a43314761426252596b726135387878467269622f654544314b334e31634f70306546554b354f79756e6942506e706369465873366e3072785869646d375a53485476363271776e6d71474c666d313169777a36474d4e79596e52794142414a6570483954792b74474c562f4a445241765343372b6d474a58327771367932525a7476646a435041312f4a304271476b57643357666a4144645941362b3171316469784b786936464349556a506c4c48354754727647336f6b6649366878466f5478424b6e437a75614833384c544a486361692b46747a6f456a4b6b48384d413d222c226b657973223a5b7b226964223a226231613964633439222c22637265617465645f6174223a22323032362d31312d33305430343a30343a33322e3938395a222c2270726f6d6f7465645f6174223a22323032362d31312d33305430343a30343a33322e3938395a227d2c7b226964223a223764613734366462222c22637265617465645f6174223a22323032362d31312d33305430343a30343a33322e3938395a222c2270726f6d6f7465645f6174223a22323032362d31312d33305430343a30343a33322e3938395a227d5d7d');
INSERT INTO keysets VALUES ('cards', X'7b226d6173746572223a226c6f63616c3a3033326161623766222c2277726170706564223a22456f6742362b32733433324157736b36744562556d756876444c47654b5952575a7866652b69454971436d3252414d414678706869386e6146486f5572385769506b4f7135316b574b4d706a4b562f44546457506a33636b413551753962657a375863314733654d5049705548544a61393749764a6863563677746133396554366f457252596774615679302b42536e34626d72655454456d727330414e33574d5938554b6849314d437968554e4542345756562b66733850673d3d222c226b657973223a5b7b226964223a223233333730653839222c22637265617465645f6174223a22323032362d31312d33305430343a30343a33322e3939335a222c2270726f6d6f7465645f6174223a22323032362d31312d33305430343a30343a33322e3939335a227d5d7d');
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
INSERT INTO payments VALUES (1, 'old', 'held', 'pro_0VcQT6mQDbRUpHqGmRer', 'ada', 'requires_capture', 'USD', 5000, 5000, 5000, 0, 0, 1, 'held_1', '', X'006dd61624e5f9e484b98da51253af6b70dff33529979c4734d627e3cd4ae706', 1796012373161, 1796011473161, 1796011473679, 2, '{"capture_method":"manual","metadata":{"order":"7"},"request":"pay_0VcQT6ntlBT1CyKMEPYr","announced":"requires_capture/1","events":1}', X'01f8279918400b4dbfea2c42d1965e950be4cf72ef6a35a62b2139a3e7d7375af1e5e663f95f5685cabc59bfcc2dea5c515227b799aeb22a040440072c6fa8f6b94375f2933158283ccee39de4a0a6353186f7adc5a63c6117d37de3635d2539427938c48a8c1c73319b4c2f03', X'78f813772b77cb6c9e1d9dd6af2a16b132d5e8502c006fcdd090290d6c727d26');
INSERT INTO payments VALUES (2, 'old', 'part', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'partially_captured_and_capturable', 'USD', 9000, 9000, 6500, 2500, 0, 1, 'part_1', '', X'ec9f7d2c6326648a5206f794b513c46c513aed9a21fdca2b2ed4cfd89779ba58', 1796012373730, 1796011473730, 1796011473819, 6, '{"capture_method":"manual_multiple","announced":"partially_captured_and_capturable/1/2500","events":3}', X'01f8279918a5771beb19f0cf6a02b6515f836a498c89902a96c68ef432e322304fe95a81012d00e24f73db5bef5a85c131f7590916b97a8348403818ba441de463620db65747340d431c9c579d15e329588badddd9', X'9c81f6b0363d03013a1bd30350e65c8c630c3846260f0e1f10a095d28045ebcf');
INSERT INTO payments VALUES (3, 'old', 'taken', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'succeeded', 'USD', 3000, 3000, 0, 3000, 1200, 1, 'taken_1', '', X'02f4210c803d984e43fd1b4f96c301f8894a1eaba9ee5d227896d9c1aa6576a2', 1796012373836, 1796011473836, 1796011474020, 5, '{"capture_method":"automatic","announced":"succeeded/1/3000","events":3,"refunded_total":1200,"refund_count":1,"disputes":[{"id":"dp_1","attempt_id":"taken_1","status":"opened","amount":500}]}', X'01f827991836f9bcb924056490dfcf4dc672656d2c03ba83b33e55057fd7d9dc338220053df7258574b227ab9bb73e878aff5b9d315b3a0fa2c1aefe7ab773e8bf290c15eec51e583933d2713f35993724c1a3536c8d', X'f4a3aabeec3fdf94d52e28df3654b8760af4370c26e8af385880ee6363d916c8');
INSERT INTO payments VALUES (4, 'old', 'slow', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'succeeded', 'USD', 4000, 4000, 0, 4000, 1000, 1, 'slow_1', '', X'84badbda60183e19a6381b6f40541b8cd7f03915e44acb6bcf841d5304834b27', 1796012374033, 1796011474033, 1796011474049, 3, '{"capture_method":"automatic","announced":"succeeded/1/4000","events":1,"refund_count":1}', X'01f8279918831cc8b874cd9fc631530ea77c0d3036efb803112b9548b5a7420a1ce7dde89e7d63d5c6d1e127f52d5dab9c76123df4539a1cbfad182821a55c09a1455c2efccc5e5016c9c8d10a713d8ba7f76f71e2', X'1fc0280a0602be8d0d1f736de780600ba99e14f8bb5552c858ffecf0a75971b7');
INSERT INTO payments VALUES (5, 'old', 'unknown', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'processing', 'USD', 900000030, 900000030, 900000030, 0, 0, 1, 'unknown_1', 'op_01a22aa03c9a3f19e33af36f8989cc90', X'f48c3e8e358e6e1e6b139bfbaf04aafe292d2298f944289c882c67e932617469', 1796012374074, 1796011474074, 1796011474076, 2, '{"capture_method":"automatic","announced":"processing/1","events":1}', X'01f82799187f302b1fa091b751fe2bc5dd4ac6046245a557df2baa271a7d540fdae3b1da105753486ef50116675b98cce8b2c1b9b7728aaabaaa1a6cf5490fb0696a571edff23d78c9d0db0ca30a97d576b2f7e21126993c', X'dbdc000a0a4b73c069b0c94649bb1b25608a4e9952bd84909a06c8a4aa17c401');
INSERT INTO payments VALUES (6, 'old', 'declined', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'failed', 'USD', 800, 800, 0, 0, 0, 1, 'declined_1', '', X'85c49cf5c3b4c9b9c2bcac65f54ceab3363f2dccd4106487b4b41a984b27d1e5', 1796012374083, 1796011474083, 1796011474086, 2, '{"capture_method":"automatic","announced":"failed/1","events":1}', X'01f82799184f92b7b0c9e394054c94ce42290edb53a2578e1b9880a9dffef1f189c2eaf96a8369c57f1b7ae59c1a6c9b096f5f43974468e1c1273ded65da1abc3d1398b288e39b781fa97a2496ddc23117e5b2d07d4d8fa702', X'8e2ceb6186849c129d25573a86727677415ae87c858e0faecccfb40ed6d0c199');
INSERT INTO payments VALUES (7, 'old', 'saved', 'pro_0VcQT6mQDbRUpHqGmRer', 'ada', 'succeeded', 'USD', 1600, 1600, 0, 1600, 0, 1, 'saved_1', '', X'0ae3e68738ab3d362b9a746a1f65384af7ce96df36a100c572e15970649298b0', 1796012374089, 1796011474089, 1796011474091, 2, '{"capture_method":"automatic","setup_future_usage":"off_session","announced":"succeeded/1/1600","events":1,"mandate":{"amount":99999,"currency":"USD"},"mandate_id":"man_0VcQT73TrYQqAjRwtWzz"}', X'01f82799184fd7da0f276ed4bb16bcc4d23d773aa2890189962c3da23403a42b154a32a36010a580fa81c211d3d6ec1252eaa2380618bd747bcc7bb935f21b6638d2c88fc994e81ff4a42da0b3d3718f489048ada6fcf6b1f82fec6231a99fdbf60d7203b9bc4314d82fcb2f44d4af85976be0780f56f172fc708c9b9dd4bef9b7ff0af52ecc2185e1da812b750f6a2cfe1e25ba8839c002943bdfd161575118', X'2bbf2ae1a9e7b7efb83ba4b04ac941bd4db19aa26e03d1d5b96d968c8819512a');
INSERT INTO payments VALUES (8, 'old', 'asked', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'requires_customer_action', 'USD', 4600, 4600, 4600, 0, 0, 1, 'asked_1', '', X'b9abbcbac2498f0f9f9c379f44488181802fd4f8f8257bc82bf46b9f58d45b0f', 1796012374094, 1796011474094, 1796011474636, 3, '{"capture_method":"automatic","authentication_type":"three_ds","external_3ds":true,"announced":"requires_customer_action/1","events":1}', X'01f827991854d8924877b6e9d6de74a7e86b1ed24ca3e71736602050e00cee6d17afb6b58aaf359654ae09ecc826cfef9cdf871a1217d135a4236301ba2770e38497c9b61e0be0122427a8dca4b0e2664db9084ef9ec8d41da861a2ebb1b8d5c9f93b3a218b6a930fd19e7338b847e057a8d812f24ebac389756bd7a3135409d858dd3a9', X'2a13b4124ee42a6ffd40e2bbe59d4e726ec3a479624c7413592f9f246d375de9');
INSERT INTO payments VALUES (9, 'old', 'last', 'pro_0VcQT6mQDbRUpHqGmRer', '', 'requires_capture', 'USD', 100, 100, 100, 0, 0, 1, 'last_1', '', X'df89deb639f48f26156dba0a9a36537677c3a22034b21a0ddec99fc33e0ae081', 1796012374709, 1796011474709, 1796011474722, 2, '{"capture_method":"manual","announced":"requires_capture/1","events":1}', X'01f827991899e171bbaee7131fd90b53e77e21bcfabfb2c471a612e41ea88d0edd3e22d7670e1d660e0a11cba82c1836e397ae6add658426f26139c4fbeb8c8da7740d33f8b73bdf76e4df63f7c6f1bdddbddb90f8', X'eb1e0c5efc69acfa9a17e999ed5d5f3a80de0af89d65c70869ef0c2431680330');
INSERT INTO attempts VALUES (1, 'old', 'held', 'held_1', 1, 'authorized', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 5000, 5000, 0, 'sim_held_1', 1796011473161, 1796011473679, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"held_1","network_transaction_id":"645417847175202","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:33.679Z","confirmed":true,"routed":{"by":"default"}}', X'01f8279918f8d716d1c5d422c34fb97b92157b95f563e69c82bac3fe46186bef2c7eea145d3eb7e22b131e8b0913019d4f75b0356ecded98cb88', 'held_1', X'd42a0fa9b1f54532674a5ea78c1a99b411e8af9759a569a40b9db32d4d3834ec', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (2, 'old', 'part', 'part_1', 1, 'partial_charged_and_chargeable', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 9000, 9000, 2500, 'sim_part_1', 1796011473730, 1796011473819, 6, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"part_1","network_transaction_id":"290814346532300","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","captures":[{"id":"part_1_1","sequence":1,"operation_id":"op_01a22aa03b756c3a6b3f237f7bc5d482","amount":1000,"status":"charged","processor_id":"sim_part_1_c0","at":"2026-11-30T04:04:33.781Z"},{"id":"part_1_2","sequence":2,"operation_id":"op_01a22aa03b9650d34d20f638ffb45faf","amount":1500,"status":"charged","processor_id":"sim_part_1_c1000","at":"2026-11-30T04:04:33.814Z"}],"ended_at":"2026-11-30T04:04:33.759Z","confirmed":true,"routed":{"by":"default"}}', X'01f8279918361fc819aea93dce7eee2f3900e5d9bdeebccd960744632696784e47afcab5d78eeddb10a76fb8a6b7a2ee2ffe81c8807c3825b022', 'part_1', X'8fddba66282dd7c4a165c5e2ed51b798a9627a9bd3a845bcb92c788087791e6a', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (3, 'old', 'taken', 'taken_1', 1, 'charged', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 3000, 3000, 3000, 'sim_taken_1', 1796011473836, 1796011473890, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"taken_1","network_transaction_id":"088664351545898","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:33.89Z","confirmed":true,"routed":{"by":"default"}}', X'01f8279918c38f14c610fd717b2227bb3d9d0bce043852072087161d200fc0f0db8157128d1de5eaa028937e2516c966fa989e16ee121cd65af2', 'taken_1', X'4e1b19f171780ff23f024226a9cff057b8f115e1fef8a86a3b88197250f9ce69', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (4, 'old', 'slow', 'slow_1', 1, 'charged', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 4000, 4000, 4000, 'sim_slow_1', 1796011474033, 1796011474042, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"7726","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"slow_1","network_transaction_id":"257940277527018","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:34.042Z","confirmed":true,"routed":{"by":"default"}}', X'01f827991810aead0f58d1ef9b1f7e1385ca79cf00a531bd3d4ae183e022c093262493c8409e454bdaf7dfd7db66fb102dcf8ca6e5116fe7e5ff', 'slow_1', X'3335141d8d46e18f0cb32b30246436c748fa97bf558ca23eeaed4b3de1deb325', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (5, 'old', 'unknown', 'unknown_1', 1, 'authorizing', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 900000030, 0, 0, '', 1796011474074, 1796011474076, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"unknown_1","card_discovery":"manual","confirmed":true,"routed":{"by":"default"}}', X'01f8279918d98eb94587522258515c60ecc88fcb68c4c61cd8792b428e2b64fb6c5c3ea2b715a255280972b1491006b201b9fa17153309802b7c', 'unknown_1', X'848b6f25dbb4b1893f0329e09c0ffcb9d110139e947435f00c8490f299e63804', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (6, 'old', 'declined', 'declined_1', 1, 'failure', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 800, 0, 0, 'sim_declined_1', 1796011474083, 1796011474086, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"0002","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"declined_1","error":{"operation":"authorize","code":"card_declined","message":"message - Your card was declined., decline_code - generic_decline","reason":"generic_decline","network_code":"05"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:34.086Z","confirmed":true,"routed":{"by":"default"}}', X'01f82799180926e62fb7ce86f5ccb3d6664d6c8a035d82779d7275caba5a0990efad2ed618423df46a4696e9afd342892ec17dd9e546d0552b04', 'declined_1', X'9d562a7b0c03f18eb7549c86cd2c86a1cccded868f70e8053caf727e907fc5c9', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (7, 'old', 'saved', 'saved_1', 1, 'charged', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 1600, 1600, 1600, 'sim_saved_1', 1796011474089, 1796011474091, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"saved_1","network_transaction_id":"843919105054740","stored_credential":{"id":"simcard_424242x4242_sim_saved_1"},"connector_data":{"version":1,"payment":"s"},"checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:34.091Z","confirmed":true,"save":"off_session","routed":{"by":"default"},"method_id":"pm_0VcQT73Tyk3k3xUQeup9"}', X'01f82799189cede50fe4d3fd9cdd618038ccc94da5706ca36855ebe486d6a87d16936e4b73fd7b89fbf3ddf29d16718b0e618529c02ea71557e7', 'saved_1', X'bfc1cf8eb207e8a63c143b528a3d434f29b1b88c7bb2896200d557c8c36917ed', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (8, 'old', 'asked', 'asked_1', 1, 'authentication_pending', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 4600, 0, 0, '', 1796011474094, 1796011474636, 3, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"400000","last_four":"3220","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"INTL HDQTRS CENTER OWNED","country":"UNITED STATES OF AMERICA","country_code":"US"},"reference":"asked_1","card_discovery":"manual","authentication":{"id":"auth_0VcQT73W8dIc8BYeADle","connector":"simulator3ds","state":"challenge_pending","status":"pending","flow":"challenge","server_trans_id":"ae5e051a-c51c-41e5-bffa-8242ee6f1dc4","ds_trans_id":"513d5004-fb6d-8d23-861c-0000000011f8","acs_trans_id":"a7b95a4d-0724-4f42-8729-c3cc4318d100","version":"2.3.1","network":"Visa","trans_status":"C"},"confirmed":true,"routed":{"by":"default"}}', X'01f8279918e858b967c94bb8c6178c94f80132dc104de51d1cb25c63314e52b5eb00e206603dda93c93e95913b60f6e07d563a92f48ea6336f04648170bfcb45ac5ac882ff1d53df2031f6444908c80b6a358d169dd019a11d79268c83933691c59297ed611c1a6909086cb26d48442a59ddf2a87af24219dd814ae6c0522ae190f091da571285aff6fe98b5e4ad5aa0a4468b0a21e2f79d0a37db1f5dc2b8f3c135f19e1b93ed4a060281d12934154232e6ac35532927c0906fe130eec08a7dc2eda76e248ca522c91e04a0a0c458dbc4b5209c918864484f91c3c26a03633c5f66fd5477d02adb61c71708952c99ac21016eec790fbb06c5b38e297adec539f8981f2ecb536cccb5005f990c27445235983c19633c639ed9475bb1df3a6ecc50f44479b057a76d28dbf9b457c9f7e421dddcfadcee77eb6eac38266154afae61cf07829d12edd4c04b465d1d94c3183e7f7455d7cce7bd4641e15612760499f89d8e1f5f4324f02f018d11a41a4ee79345bbf5714eb45af7b56721ffe58f90b9aa6a3d1ffa43727f62620d98682a39ed', 'asked_1', X'7f70befc5a66475933714580282e4b9a89a2a06dd24046b2358c036cd0578037', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO attempts VALUES (9, 'old', 'last', 'last_1', 1, 'authorized', 'simulator', 'mca_0VcQT6mtWXJ4xb3WscUt', 100, 100, 0, 'sim_last_1', 1796011474709, 1796011474722, 2, '{"payment_method":"card","payment_method_type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"reference":"last_1","network_transaction_id":"145415149565124","checks":{"cvc":"pass","address_line1":"pass","postal_code":"pass"},"card_discovery":"manual","ended_at":"2026-11-30T04:04:34.722Z","confirmed":true,"routed":{"by":"config","cfg":"routing_0VcQT7CZOrkX8LwEraL1"}}', X'01f8279918572bf09290ff370e010a02471e9edc6dc167274d65d00d8cdc5626c18e1bb365225989d4d26e91a806c822baccab478d3ec69967e6', 'last_1', X'0e08ddd0109f0af34a83c7c27c3c0bb8dc40b1b7b33276f510521d2ec280d88e', '98fd37cf0a424a6a9db5d2643bef53d5');
INSERT INTO operations VALUES (1, 'op_01a22aa039095b5be24427946b78b8eb', 'old', 'held', 'held_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 5000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'4b38061c8cb1b423bd8b2542687b65558af4022db27b8e0fe762fb2099cc0bb1', 1796011473161, 1796011473679, 1796011473679, 0, 0, NULL, X'01f8279918638c58be6b62dc3008c002932ac6762991c54a1c9ff4f618278ff532be5dac5915f21164d82a938f427ce9c62b67276560fa377ba4434db83fb5dd12a896955386077705868cdc697025eeb5879b8f101b2be2db7f791e44b46f039206166cd7915e5847e53e3508098d5808033bc456e6c04533c872a1f526d38283c253f4906a8c6938ad32dc931bc47f72b4eb33dc39787b7f6228dce456a89e7820e02573c7e8458823b337451c8da91cde505776a2590ee42baeeeac', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f68656c645f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22363435343137383437313735323032222c22616d6f756e74223a7b226d696e6f72223a353030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a353030302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'5420c23787811c078d42bc06cd276e25d0180962ee66ed5508959ff67a738820', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011473681);
INSERT INTO operations VALUES (2, 'op_01a22aa03b42e572b65cca4a49b5a7f0', 'old', 'part', 'part_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 9000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'b9ed7ba8a8b92b4bd85fa2dab83f43a18f2c60b606354b9e01770bc06c9c40be', 1796011473730, 1796011473759, 1796011473759, 0, 0, NULL, X'01f8279918d2627e69b9d78b1b5c2781a4d05c12d4b7933b8cca09ab13218c712c41e5ff78b8161dcc4b18cd75162bd8df68039863191ea850c5d268f3cb142f969f1caca787a2050a1a70162cf64ab7ee105d918a5aa4cb51e06ba7897d6332d0d88c41423082e64b3cd3c20f6685cb21b9fb922f317849b184ff331d9d9481dfe9488ddbd2442a71a00ff36ad03906bc113989ca6efeefac08e4', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22323930383134333436353332333030222c22616d6f756e74223a7b226d696e6f72223a393030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'e39a1781a8fdadeeae43c1e8b96b8c830f9ddf269a33f3459a564e99f81b17b3', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011473759);
INSERT INTO operations VALUES (3, 'op_01a22aa03b756c3a6b3f237f7bc5d482', 'old', 'part', 'part_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'capture', 'succeeded', 1000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'739474faa0bcfce046f5cc4d62e7af50ec4a3ff6d93a722f94853c6a93865999', 1796011473781, 1796011473785, 1796011473785, 0, 0, NULL, X'01f82799187b1ab72d909bb453b8633092cd4be2f5de9119b9bf8f26e737552c08cc8d450a3d450d6c75fd64c47d73b33a1bce39459fc84ad31ce9a11c81a3a3b6746bf776297227b9c84d5bc3fc9be2b8161ec6541dab6cf54cee0b62c1deedb5bb3e514382510890a241b28cac09c0a9d47615dc33fc9e1dc026ab8b27d4e21f6652d6c9e873856ab4d2fa64d766db04986e55ce98abf6f1f2c38484e2dc6a3e05612e3e82f27ed59094d871e40044a3af6b2dcfb510f609c0d0e5e5008c35f5a944', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c22636170747572655f6964223a2273696d5f706172745f315f6330222c22616d6f756e74223a7b226d696e6f72223a313030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a313030302c22726566756e646564223a307d7d', '', X'e2359c87ddd5bfe49e21e2ca7e1ac4f480ffd7299bc5b819e76b40782edc165e', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011473786);
INSERT INTO operations VALUES (4, 'op_01a22aa03b9650d34d20f638ffb45faf', 'old', 'part', 'part_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'capture', 'succeeded', 1500, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'fc4800c802c1a1e54b3d2f0b81433e0f674955cebf87c320889cdb94c4d3f07e', 1796011473814, 1796011473819, 1796011473819, 0, 0, NULL, X'01f8279918458c2a816b12fe08e6872e5d6572bc3f6fb5c4eb9e10766b61b6d0d6bc23a25fbfbab59e3d300bd708f00b6965e64e808ab61688f710d268df0528ad05efd626b549dfe21f45af8597bb1ce5c1e29a3ba009181372a1c12378318240bd60278f2adf4bb4966f6145671d5003dbea390efd7b3ec16a66fbbc230d3adda83ac7a6ed0dd3344f6d55e0f93e7f3086161fe4ec58a0f3108fa2eff696f5552f50825be4494a6275300f4636181d9a7da38ab65a1eeae0b0ff4c355f58c453b47630', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f706172745f31222c22636170747572655f6964223a2273696d5f706172745f315f6331303030222c22616d6f756e74223a7b226d696e6f72223a313530302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a393030302c226361707475726564223a323530302c22726566756e646564223a307d7d', '', X'2aaebaf92dfb0f8ca6d317e6025afb6466265453fabe0ffb499097dd8dd2b7e2', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011473819);
INSERT INTO operations VALUES (5, 'op_01a22aa03bac0af6a5a50d2e7aad1fee', 'old', 'taken', 'taken_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 3000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'8145676f819de499ffd4573e5dbccec3be3b87791e6eb7b18b251cc949c6089f', 1796011473836, 1796011473890, 1796011473890, 0, 0, NULL, X'01f82799188f68ea099a74f10605a83ae3012ea1dba7782aa0a10d54de754087acd471d2cf946450eac06c93891f6b95c71568fa11daf7068ac1af00f866e308caa28fd3ab9a06534855c372cb263979ccd81551a519ebc9a5c1e1874f06c821777c065bdd1277746d034cc5b746dfa0bb20005bce1a24f876d2d68dfbace9224856a77882b78a4b763de87911e43d135704cda5e14e8a1b96bfdd1b2b', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f74616b656e5f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22303838363634333531353435383938222c22616d6f756e74223a7b226d696e6f72223a333030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a333030302c226361707475726564223a333030302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'30b96778429b789c5cabb3138d9f0dea833747899ea4c25453e08e74f605c596', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011473890);
INSERT INTO operations VALUES (6, 'op_01a22aa03c1e5953318e598d8b220e57', 'old', 'taken', 'taken_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'refund', 'succeeded', 1200, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'cf799680bec29f58aeb3c2ac82bcf1885aec5d54a1159789df28969d89d296e8', 1796011473950, 1796011474007, 1796011474007, 0, 0, NULL, X'01f82799183c412d69280ac859192e6c59b7a6748b2d8ae75e048011122cf5f7be822cba9cfddcef99e942de1a3bed3c526fd66202f1b4d2e23f714a542fba3b4f5a371f6e1ab7872c3575d5432f8630f112f31477e3d768822c8a76c5f76a7cba9dac946ae926c80a0d01313f84832675005ccdce4c08e331f6c77fd201a2b71c15599e4ce6bc4a61be708c956fae4de4e985e5f14340179e639d6bbb4a60d942992cec745ae1784c2acefa8118fcc827d11d8bd792087ef34a42f9a1dbbb96', NULL, X'7b22737461747573223a22726566756e646564222c227472616e73616374696f6e5f6964223a2273696d5f74616b656e5f31222c22726566756e645f6964223a2273696d725f6261636b222c22616d6f756e74223a7b226d696e6f72223a313230302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a333030302c226361707475726564223a333030302c22726566756e646564223a313230307d7d', '', X'f4e72057d5a5424a8799e57b50ee45e9747378edb546d3b5d8e7005e867e3f11', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474007);
INSERT INTO operations VALUES (7, 'op_01a22aa03c71cae75817b0e41f08c4d7', 'old', 'slow', 'slow_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 4000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'45264ac82862ee9cc4cdde8c9782b83e2b0209168333879d69945ab7fac78f34', 1796011474033, 1796011474042, 1796011474042, 0, 0, NULL, X'01f8279918c9f4fd27c150511e0e87c1faaf4572c4736e02cf4551e9baa50986a92d54c7b83a2c815cbe2e865e78c72928cbf9353adfea7db2da46491af05a6e549cf2f1083b2c0e6e0e86d1c44816244a75c5c4989a27fe2e545bc0c0929e7cb53bab0f1b65d79f5a02b6152fd927308da0cb4c14989754a1753d7116b120c4e922c611e14dbd6c48d0f23f775038084baafd02d787f1946c831144458d0a17cffec33401cfdbdf81ae', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f736c6f775f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22323537393430323737353237303138222c22616d6f756e74223a7b226d696e6f72223a343030302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a343030302c226361707475726564223a343030302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'd317e5ba6d1992142f72374af96f1ada819b83816076f609e3fb9c1986c417ec', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474042);
INSERT INTO operations VALUES (8, 'op_01a22aa03c8118a2c60d2581c33b0854', 'old', 'slow', 'slow_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'refund', 'pending', 1000, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'd2a0029b3dc018c909e575c2c58ac876c299309ff7bdf23fe2e9284024cf845a', 1796011474049, 1796011474058, 0, 0, 1796011534058, 1796011534058, X'01f8279918224f5c5fe49ddaa0e3a403843f6837d93a23a19242916c3a860cb1034d3dcbef06a3cd19286e4601bcfeba16904905b88900f1854cb4b79a6ab0003913c61cf4b2ff084405e38deb83dc4ec7c7b9e249983adcdac8d1e86220a41156d9703f001e3a259a2c0c2d0cd66ec9787271ee3489616b5e3bf4bde604528efeec95576d321968aa8243b6b92f5abeea379ee61d00dad4538ca65d761e38be7eb40d2bf61144001990249d69730f6f8519e325a68861dda33a6765435a940b4abb588032', NULL, X'7b22737461747573223a2270656e64696e67222c227472616e73616374696f6e5f6964223a2273696d5f736c6f775f31222c22726566756e645f6964223a2273696d725f7761697473227d', '', X'7e5e3276c84ac27170b2e7048fb51e2f637c6b761fdc0d8f8c12f4a4b0d68ee6', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474058);
INSERT INTO operations VALUES (9, 'op_01a22aa03c9a3f19e33af36f8989cc90', 'old', 'unknown', 'unknown_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'unknown', 900000030, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'3f6332bc19753a33123ef1a98f38a5e0e890251d7a71f3bc75f2a3f0a47bfc1e', 1796011474074, 1796011474076, 0, 0, 1796011476076, 1796011476076, X'01f827991872b2222a8041f2bf4c37a46a3ec40b4201f5a8e12980246dfc16d175ac60388105769aa57188be996d74a136795aaa0c98e8216583940c730cc657a0490ace4934af429fcdd610cf85ff2432586c2716a6f47dd5d4462ea247f7d8fc831f5cc114e32ebb7ae7351f155667e23907d3ae676687f9b0afe0ce3855ef596275af77c8773b46237e217fd8a2a7483cc3d0375588fb28cd58e4ca8c5eac', X'6e179256051cfb34062fad5095cbdfc41588ab68d457810e55a24f8dce12b6af6c5a6dba18026eb20127f729be19760cb9e18e5f6b0b9d8e80f21f51d1ecf1a8e1d4c4c44b', NULL, 'simulated time-out', X'b0a4ff617a919f1d4dff2a9f64edee651d2729808646467b8841cbe46f06472d', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474079);
INSERT INTO operations VALUES (10, 'op_01a22aa03ca3ef07cb190954e45c0289', 'old', 'declined', 'declined_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'declined', 800, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'a0376d295a37d6defe67d0b25742e2a1c2324536cfd7a7ccfc409a384eb0fa86', 1796011474083, 1796011474086, 1796011474086, 0, 0, NULL, X'01f827991813d665beb3b2d2360e93c0a760f3618b3753a69663e3fffa0176bf9e75433f39c71be020903a0f8520335b2b16c6ab9c5fd085ca816b87a52a974416fd990b13e7fa4e401d36f2719ae2a8ebc540259a03fdde3f71ff59c04f25122125b5b5798fa84a9292297a95c7f5554921af24b8be11a0c0e0a50d315c8c18d51bf4aa52d4fe74e6ef49c42cd638f03afa867593810d073cf9ceeefac9cb0a23d0ddb9cb8e9ef739bc09b933', NULL, X'7b22737461747573223a226465636c696e6564222c227472616e73616374696f6e5f6964223a2273696d5f6465636c696e65645f31222c226465636c696e65223a7b22636f6465223a22636172645f6465636c696e6564222c226d657373616765223a226d657373616765202d20596f7572206361726420776173206465636c696e65642e2c206465636c696e655f636f6465202d2067656e657269635f6465636c696e65222c226e6574776f726b5f636f6465223a223035222c22726561736f6e223a2267656e657269635f6465636c696e65227d7d', '', X'53b0da3b7fa99ae14c1f7c1f864e0ea39ebe760b5abc03a379e032d2a756f0fe', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474086);
INSERT INTO operations VALUES (11, 'op_01a22aa03ca967773c79c67cf87283e3', 'old', 'saved', 'saved_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 1600, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'1eb2cdb1dcd4c1a71b6ecc6517e56a17818c9e591428ffdbb1e8b402c4905ec9', 1796011474089, 1796011474091, 1796011474091, 0, 0, NULL, X'01f82799184a90e79062e0a560d65d82e5f1f9e437f2acb5cebb5f87289b1928ae5e36e6981afed951a6e5fd08d02f55e630cb3ed5a9501e2cc12457419db1adb56f7f686160ab55b39b368b9b2a68f7581bfdec5855f66546e4f358b13f4698d5415b7b3c35e22fb769785949edf6d0dfe1edca988b131f268596a0fc5744dbd5c839f5c267d4185514a0b4b86174e2826836864067cf057a87ef8cb911b406b7d9b6ae0b7116510a970e3a165097a65db54e59a358eee48c6db239e50730ad86879b158504f762a924c0c482d710c37cbf8d037c9af5', NULL, X'7b22737461747573223a226361707475726564222c227472616e73616374696f6e5f6964223a2273696d5f73617665645f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22383433393139313035303534373430222c2273746f7265645f63726564656e7469616c223a7b226964223a2273696d636172645f34323432343278343234325f73696d5f73617665645f31227d2c22616d6f756e74223a7b226d696e6f72223a313630302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a313630302c226361707475726564223a313630302c22726566756e646564223a307d2c22636f6e6e6563746f725f64617461223a7b2276657273696f6e223a312c227061796d656e74223a2273227d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'b00f83b1ef2094ee6e8823b6c9727ac80530811363296fb3d478f1bc7e12795b', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474091);
INSERT INTO operations VALUES (12, 'op_01a22aa03caeeabd9beed48e111aaa10', 'old', 'asked', 'asked_1', 'mca_0VcQT6nHHgmyunJcPhum', 'prepare', 'succeeded', 4600, '', 0, 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', X'a7d2528516c02e22ed058c3e4af6b88d2c3254ec0d012629578f6ff41a4c1880', 1796011474094, 1796011474566, 1796011474581, 0, 0, NULL, X'01f827991829f6f99ba6b605bf570053ad3a6a433fc6d5895c4d4d133a532d3d83fbfbaa901893301294bb8941c1b4d27bdea654ff7089fb43b386c8657cce11118da4263d78023cf17a9dc2d46f0b0eebc86ce016a981965bf2b25edbea90b892e521e51af0aea87fc5b3f76505455e7bca46ad936162a45dda3389fa3c5a0c5c27df414461f30161c89ec59ea301e2aaa24ae8b4ac08d8c27b47a92f8f9d1b5d0809baf240bec54d69afc2d3acdd44c6ada00115d0d2afd170a9f0b6767d1b91c8512dd6380dc23fd6cc3f89e77b8dd49d093658f22f81506cff9e954815b9530ea768c226bf7a0b7e8475b77d4a49b28a307cd33ec0815b999907b9d8141fbb905fe4bcbfbecc78fbab6aeb416699a80f7b2e41313fa3abeb5fc65632360cf755ad24ee6bbdbe90743011f0a56815123dbe3b3ec40e139a733f50b2b69265af74806da1d692af3b23d1f4cc5bc1e8fa8e719e6eb0bc846393791bc15af188273fb9a51d2b2c76205e1594e671a3726f01e91a3efb3234ea8eed10d6e11fb17f8a212c107467e3d1573e348969b4f5205724565abf17777b48c45b8bb5fbeddc73d7e5339b05d55e8b23287f392a1dccbb8f64694d053e961367399b997f22dcdb53add56ae8d915e82feee4a9bf8d0600090ad31a4619e4320cb2a5', NULL, X'7b22737461747573223a227072657061726564222c2261757468656e7469636174696f6e223a7b2272616e676573223a5b7b226e6574776f726b223a2256697361222c2276657273696f6e73223a5b7b2276657273696f6e223a22322e312e30222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d2c7b2276657273696f6e223a22322e322e30222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d2c7b2276657273696f6e223a22322e332e31222c226d6574686f645f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6d6574686f64222c226163735f696e666f223a5b223031222c223032225d7d5d7d5d2c227365727665725f7472616e735f6964223a2261653565303531612d633531632d343165352d626666612d383234326565366631646334227d7d', '', X'e34174bba9e52f659f12136f52b30256099a9f35d264f2f5c4b807e655698b6e', '', '', 0, 1796011474582);
INSERT INTO operations VALUES (13, 'op_01a22aa03ea6ae89f0da276b03c12b2f', 'old', 'asked', 'asked_1', 'mca_0VcQT6nHHgmyunJcPhum', 'authenticate', 'succeeded', 4600, '', 0, 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', X'2f695ac5c9aa7e6740ccb56f08c3ecb43cb80d54aa6214667ffcb65b2920a7a8', 1796011474598, 1796011474623, 1796011474636, 0, 0, NULL, X'01f8279918218f4d25e3ff3f46b26a7e339bd2f9618bbb3caeaff3ab1ea1988415927678255da6a284a7a0036cb9d33f93cd8d18762e36100a0b5cd0073f188e806b67bed18ccc8f5148b5b29d46607de3184f03787073a143e3584c0fb21487f3c11185020941418dd0d5df6f153596a599da39ab276d471e24e199177fcfce62b153aa65bdb52eb55cbe421103d69d00f0040d5432b4841a6f903a3fa321bf733b9be1907b1ec4721b89cafb8cbc8ba69082ecf0a135999b49a25b1d0e1dbb3dac2bd39444882c92e4d231095f98ae5e5a1e827f89da617d250ec9ec2dcf364a1aee77fb95d1e203ddcf924c2361635a7de7298c28f47bd6b48a037a05769ac79504678614b6b9d50820146cb8ec2a2bec3820f405d51faa21af0f386d1c9ed68dc53b520e622b8b2439c0abefc1adad26e2f552399a05478a9d9cd2e599a68588c43521a0611191e3371716a09d88d67376d4c496b8266eb64d71db520f8c0ac59ec80fdc6ac5d65adfb571880b356b22a2a3f7a18ce3ed32fe474ba2bc6b500859acc5bca6987a66cd75d6e584e3c67286dedbc43fe1792bc86495ef1c2569181505ab5df92e4035cf55fb071660bb15205f42419dc4973031c29badde3a9d32027f0b277bbf04ebc0fd5d134c12bd9e5c36774afb2f1b30c1c175971e0335b17e4d0388e8fad6e24b2fc631165ecf34a6da449c92d9aaa937af5eff89840bab30d48937fd323bb0526d40e628fe179c39987ee00a32a5790d0db8f93c0411bc1ff4e7b917aafc75ccfe68d8', NULL, X'7b22737461747573223a2261757468656e74696361746564222c2261757468656e7469636174696f6e223a7b227472616e735f737461747573223a2243222c226d6573736167655f76657273696f6e223a22322e332e31222c227365727665725f7472616e735f6964223a2261653565303531612d633531632d343165352d626666612d383234326565366631646334222c2264735f7472616e735f6964223a2235313364353030342d666236642d386432332d383631632d303030303030303031316638222c226163735f7472616e735f6964223a2261376239356134642d303732342d346634322d383732392d633363633433313864313030222c226163735f7265666572656e6365223a225041595357495443485f53494d5f4143535f3031222c2264735f7265666572656e6365223a225041595357495443485f53494d5f44535f3031222c226163735f75726c223a22687474703a2f2f3132372e302e302e313a32313033302f73696d2f6163732f6368616c6c656e6765222c226368616c6c656e67655f6d616e6461746564223a2259227d7d', '', X'ff2ab96e01af432e6c2bb0c95be3645215893017c14fcdf97b5c98eb8f4fe80f', '', '', 0, 1796011474637);
INSERT INTO operations VALUES (14, 'op_01a22aa03f166e6d654e48e1a7b475aa', 'old', 'last', 'last_1', 'mca_0VcQT6mtWXJ4xb3WscUt', 'authorize', 'succeeded', 100, '', 0, 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', X'5b3d868741c3488a8d3ee2a3e20b26f4ee2a9bed011406a797552f475ae04b82', 1796011474710, 1796011474722, 1796011474722, 0, 0, NULL, X'01f82799188af42cb6cb22976dcfba8a7b858f64802be264a35eb8e469c95756dbe6320c0e33dfad2722cc04ad182ea0f46bc99de6bf6e0d4e57c77c10288b27fcf095c62a4858a9f450f17e6c134a6ed396aca894c8c3a18ddc26c25dd2451d036045c49fca78cc0aec97dc865c9efca2831e95064745068b35ef5dba64ec6896bf0acd557939f44ce10f17e9f32a5e21c5accf67389518a07c6cc1a1599877adda', NULL, X'7b22737461747573223a22617574686f72697a6564222c227472616e73616374696f6e5f6964223a2273696d5f6c6173745f31222c226e6574776f726b5f7472616e73616374696f6e5f6964223a22313435343135313439353635313234222c22616d6f756e74223a7b226d696e6f72223a3130302c2263757272656e6379223a22555344227d2c22746f74616c73223a7b22617574686f72697a6564223a3130302c226361707475726564223a302c22726566756e646564223a307d2c22636865636b73223a7b22637663223a2270617373222c22616464726573735f6c696e6531223a2270617373222c22706f7374616c5f636f6465223a2270617373227d7d', '', X'ae6e8dc5027816d2d6b2e5bdd9c832861b4552b6ee9202269e9085f791030acb', '98fd37cf0a424a6a9db5d2643bef53d5', '', 0, 1796011474723);
INSERT INTO exchanges VALUES (1, 'op_01a22aa03caeeabd9beed48e111aaa10', 0, 1796011474094, '65e806e9fec4a78415c086d71edfe32878407431da4b0a1358e06e9a1e4ee26d', X'01f82799180cc25c91f79ead432e317179c2bcf127cca16f60356802424dec9e4ac346f036ed3da4b0d7e9a0971a3798f533de9023b46c898a5e03160aec4a5d4c4525deec2922d29822dfe77ab936362815fb6a41703aed83d8da6fc9b8cc', 0, 0, 0, '', 0, X'3cf421da7d6e04601aaea6d436396381176eb4f4e228d6e5065c13f81424fb8b');
INSERT INTO exchanges VALUES (2, 'op_01a22aa03ea6ae89f0da276b03c12b2f', 0, 1796011474598, 'ed6a6a0aa996fddd9a4e9170c690ec367f79490bf9e537d4a48c6d95b1340611', X'01f8279918f1f14433e0d9750304daa2da078ac9bd623de7bc66f6599ba4a6578907e077201a6a2f28f15240adf73c8c20c655f8b03215b8bc0883bff3c4b542b37a3bf502dc32d2c63e65ea63c247fc1c79bf5d348e87f2ba4a32cd', 0, 0, 0, '', 0, X'78cf98c03b239f1bdba60f9dfd51bc220c4dc4cccdf229cc2c0cb28c6331a271');
INSERT INTO events VALUES (1, 'old', 'held', 'evt_01a22aa03b0f70a583d35ef227ae3dd0', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_authorized', X'01f8279918c17480f49ff8007d568b6cb34788a214490b35b82c635989f9295b961e21bf65687a9a056a598b66d3864d9048e12adeda64317b82e3b70aeb4fa858a34dcb0b8981581e2d6bbcd3d26c4bc158b945f872894bf3fbddf3f19a88f2108ecaa4d186906f0359ec6149d9f43de6d3f3be8bd19ac6a097bb42d9cb405017dc985417349343b49aa4ce9575cb586e4bf676aa67bafa897308fe2afc9cbfa258bef319d9cf2b38e9495b3d7d6240fe8edd1951bd87363de9bdfb92bd225cbd766543ea8f0dc718832a7cec934def1975c0c5b81594d629e0d1a91f3a2cb35ffb272e74f253046e949efc2b6fb29671b533e5e1bf0af5f574b11fb22437e96ae99b1e286e11a41388db5d1fb70aae8b18966f65a10d08ecdde951ab8285b2182ebbd2941d64a74ba42926313a27d6a3abe7ab7ccbb334de4ad9604b86cde9ec7315f504fb91930d776011929eca9cb3de4a38fa7635cef24fd308d900ec7802f2a4d92dc7c723067dfc0387bee1b650bdc346b7b4ec9c42cdcefb5e490302d56471bd90faa5ab0657d498d2bcb1d0a182686b0e0660d075984d93bee3043c56d3e0121d4b77f5f5c8909b78759e06117226f47cd9ad3c283eb779b206ce9c88bf07b33f77944c0417f91de29d23cd6110954fb664', 1796011473679, X'e34489c2c83e1abc53350e052deb9492318615a14f741b85a05c9f844b689896', '', 1, 0);
INSERT INTO events VALUES (2, 'old', 'part', 'evt_01a22aa03b5f740e93e9f036d2c889bc', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_authorized', X'01f8279918fa2b0528a14a518a9e16e51f38d7b4e7163a414131b35f3ef256f67ccf7b772dd65e9d965c1aa77a8cda82a64ed3215d92c720d51d0b92274646198129d19c2bdcf6d8b44b232dc076f56b15b74157692398d7758b29db34f375698009037b0496bb2ad211d95338c2d166269ce92673c85134caa7986f6ff07f96b2015cf555432776cb52c2c691a78029c28a299deabe0a23191aa9cf6ae8a5dc38e88c1340244baae65a0c281868dc3402631aa2c364805e5d9eeeb9eb644ab33f3cae2ed52d37d5f8ab4cc17f490bb01b24ed5645dd8eea1b93a8806ac2d6e79ef40ad3b534dc570571e7e35bff0b5acb3b7b4ea2db0efd44d6a579abd5bfe487c30acb9b19e994bffdb2b5e985288b8ea2294f3055058faa3314149ec02be1afcc297add2d53a787743aa631be7d232035cafb6032ee0933830f4f091522961a67df5bbfe58829f9c853161f5f5be65516a05b27cee46df6e25b73ffcf35cc899ad4628cc17fb232016c7642c6372e969a51c51a325bba3f9bb0fdd0792e69d653ac3a32a7c42ac7f1591487527dfec634bf5888057462e077f54f1305a35e928e97a7e0bf5f174a69241c52953b55ee294efbd45a2d70dd61710f06ffb6355f08411b2a99bc41aba88199399589ea0f14427cced7d2a5', 1796011473759, X'5d3e1d4654273f99bd034e83a206c85ccf5b199ccfd9fe05313d0b1cf8d4d296', '', 1, 0);
INSERT INTO events VALUES (3, 'old', 'part', 'evt_01a22aa03b79722ab01e57d86910842f', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_captured', X'01f82799186c71b67105cf9accbdcb289491b9aad49a8ce2b9aa288f8bd28dff8f26c57af0d233e3727bc595fa40918dcbbd43d14722e8b0031ed85ebde742a33df5072d6fdede0bf06786ef6e3f0afc96db286e7ac1e0e516c05b20e4ee3853396f3963959493bce6f990d0b2239c0b2b04a5141647964a5b5e1a81c19e4b093ffc74eec6c1a72fdb9a032ef0603005d226c7f6603bad46383af00cefcd45eb0a1ad8fc79551bd80d95a7a395027a58e58461807728a392ce67d75e14571358f0b4e96ae96ea6376e95d3f43e0bab9d1ebc3e75def4f891ea6f246ab1836d5cb05ab54732b2ddb63df3cc06c542918acdfd1b16c266eca2bec59c37f087117059d9aea497097c2ca198af275a55c72bd39afc4731acd9ed63b69450a965a934dd56c5ca6caa9bf74f01e0cc727e3f64f1ca6d27e7b0d2fce96c0109b7df42d2b558011b236559311699da6d4a8c12d883f57b027b74209eab4ce63e9502422afe9abdc8369bacf6ee8e9aa9bee53bc08545e4907fa4eb04725bab7fef17ad48664251914a726b1284d4efa75c6aeb77223edb929cc821cf3932f0cda06935b5d7a11f1c7fc8e6e9e3de39d2d93af22fc04cc53c3d60f62383b83e5b481a1ba03923d5f47079bbc776b28f74e91b9372742cce4f22aed9bf15530e2a3530f87635aeff61289bf35f', 1796011473785, X'f91d5898ea5396c636945c0f478259831e5fda8cd5ece80a8b6d64674c2286f6', '', 2, 0);
INSERT INTO events VALUES (4, 'old', 'part', 'evt_01a22aa03b9b775da87da6e8aa5b4219', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_captured', X'01f8279918e648b3ef1e5169d777f62cf038ceee52994885269fd32efdd5bcbb55963f80b3ed0a5a099d541992ec58a44d36b1d855b792b4651b008840c93270db8013d4698c202322a4f2f784ba59bf6a6329f22135e004f5f0032f52f09755b8e0700be8b4e0df5a8146feb649e70172cfd2d61479bf59182f27a03fae06f5daa222f43ac8b71a0a3da200fc24089c0db61146cf41ff6b1e26f8e9a9399b47981f3e557b15e37b73d704cc13d0986876c5f087c447bdc091741521492deef5b85e3a2c61ab67bf07db8e04f6639a14e2732c2c40eeebac14ad54a0765a23a32fe290a6e31ec28d032655c6959597e3eecf13b31ad72b229dedbe967ae2791e013e5f226e2c08850150ad2163fdf650fdc873c9ee010e474092b6275b1445e49aa40ed7aba0458484f001745a4da83ede05a3f5dcb489126a69188f18f88368fe50bb137aa8a94ad2a87c897f468a9e3a581e8489298f6f184fc4c1d95e86ea0d19ee7a755598d5a499bc8e242c7faa72eb4c1d1d41a04eca9ec0123f3680d69f641105c7a037dbe24d269fcf38918e0464aec5caae4ab1bfc58188579352da1de6910762f962fa4a7a93ca32f5a7877a205fb05c6fa4d1eecf3ef15c278970b2cb50442c4d7161221cd2d4d9b32a4c568a92a74217f75dc7467bf2835fcf1fb55a', 1796011473819, X'dde432d118f2b9c1fd8e6996162f42f7a24ea37d8d97f48c7765457e668993e1', '', 3, 0);
INSERT INTO events VALUES (5, 'old', 'taken', 'evt_01a22aa03be27fe19343c9d0c2d144aa', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_succeeded', X'01f8279918f21d575f6b3af869c0f8ef8bd22aa0dd04cee49d5e88bf7e68a73f6c3e43f3a29d4bef6dd0418ca16d50c9c20dbacf6982754bf9b56c939a13e160b563acee49036f803b3bb041aeba21d489dc2c6d05786fe216fbfe9a3993264fc8907b0ca596d785b5acf94c0c9ee8a7c3999dce8b995974c013a66487f5a8e410d182293d63440cad3dd8735aba2b5695a1eef539a42582c48a34cbe2dee88cccb54529d4ac2b94a335d9193a13a7b532e1c99265a2cbd623af507df61d7ecf9d7e3651092bc47b9c7da38834082e2d79caf1b34e553843f988934621a823595b93aa8b21003737ec414615ab8bd2264aac7f623cca267a0deb4163ba053ec21724ee1b01be880f04fb6780d51744abaa4c873f2144306197dea9ee8546427d408010b8f743ac04b141a46cc238c26b9d024cc9864810507e0b475d6497922ba0ceeaaeace0d801637ad95c04d00c48f31b6443b0cbd5ee113218a8e425ee3d392cb8d8de34ab40e0d9c6e947e73d28e6f131a69a54f264c762812df46e192f735b0beda8e7525bbc7c456a5ade614585e9421c92ccb392b20e7057218279eaaf7794c4df0c1c211cb572f9bd2f8aa105890e42b7cfbddb7b64319cf4f2e1dcf53cbc357e', 1796011473890, X'85d6e624c5224a6c83f9ab82ab8261c899c6c429cdb91f37a76af52ad1f6cdc2', '', 1, 0);
INSERT INTO events VALUES (6, 'old', 'back', 'evt_01a22aa03c5770abad098f57e0583f39', 'pro_0VcQT6mQDbRUpHqGmRer', 'refunds', 'refund_succeeded', X'01f8279918acbcef668c2173c7c0ce10c8c1f502e501a3e35459f520376e527a7ce8c98f953644a74e3e3db1f86f7de9e1d07153968214ac2644cbd2cfcecd0d4f7530094ea59bb126af15da17e99a2bc7f9b83e4a162fb265d37e0af8981dfd4be195cf21f3a51fd445250d35cd4357da57f1a833a05af92aae81d0abf396471f04346c319e4a2296b3385190b7b140afc49923e3edeb44a7047220253fcbef6042c77cd0cbcd2c91e637539d5a2f9ba11374d5287bb1af31727610f690b874aab6c3b871a9acf84afb9ecbfc51aeffc9da79e5463fad70415a57f56174d99626e8c5800ec9f8a9faef9b7a0042c615bef3448fd998bafae56010705dcb5bcd1ee6839daf39ffa95255e7d64b5baf2e84861a59dcdcc4da4ee693a502173eb4bc7d285fa4447e536ab5c85e2425209e4401f7822f47e148', 1796011474007, X'ccc05bfa7ab526e7386bf90b1b403c512e0ae279949cf9c4f791bd2e30c230ba', 'taken', 2, 0);
INSERT INTO events VALUES (7, 'old', 'dp_0VcQT72KnhOREztMEtzC', 'evt_01a22aa03c647bf59a99d65a1e067aa3', 'pro_0VcQT6mQDbRUpHqGmRer', 'disputes', 'dispute_opened', X'01f8279918cf46625a287066a43169a34175a9340189c3d2215753b6f7f3a3e7fc34bf4bab3cbc08754f97fb34f50955b51f4a3b7c90d1655c7214374b744f5cb8b28a276097ca7b1b67cee369c7542e4617a98a7921bd3c1532944bece8017bb1f65c3fd0d8ccf218a57ef98a2e4b901118d8f01332972f0e2229e9c94461f5fd96c8f46e031be0465ccae4bc295265b8a4d23f287cc4a188a8e49b8d4d1015a8b7bf6770b120e9d77f9185953a961f45826b6e18ade5420725b78c9ed8091a82caa5a7f07505206fe8b2dfb28c3dcc9af40bc67dd50daf86e4fb3ca10a00a1de4e2d5f8e1a1a1ed71f054e494d62ab6458876e2f9e3fdcf64569c3f4cac35417a8b472217b62f64c130442c76f838d62d8886e9ce7530c1debe866c9d6608f4f606ecc43726ef436057892ec7dd2e17fb2f0614e29b4588e1a20523d309631d37ccc5ae7d3200311160df7b110108637ced3cfbd46e7770697159dbc2ebb04b30864a38cf99614471114f374fad436', 1796011474020, X'4aabf42b141a3119b57ad44b706161e948b061c2f16294ef1993b346b3285926', 'taken', 3, 0);
INSERT INTO events VALUES (8, 'old', 'slow', 'evt_01a22aa03c7a7e90b0858e96d417fd38', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_succeeded', X'01f8279918a5ec4de3ac371e2df4c0175f765bfe1e79670ef686a0947b3d43b4600c49282031894df0a500d71f0bddacd4cb72a729691d80ab9aef37d1f420b7e4c79f15080a75b0709420378031a9467b2d2c4f8cf448b3f241e852927a48030dc5b849c2fa51db0db10b59fad73a7d6edfde398fcbf87983de426b5857cbda0b80f726cf0a5413c20ebd5e9c9b31ce06033fd79ffd425f9d2c8edc9e2bf96bae16f74c9e783a02a787eefe10ecda5878b5d826ee0277241b65636b570df3d5c4735f6ffb8ad1290f095a14eb82e765c226f3d17b9a3dc8ea646ae7df5ad64141f58b17f22d3d6d933378722d5087bfe06666c6030a488e2a0b48ca04d5738506537d05dc44025d4be0638c5bce61ae20fd2f4eb5d66b486d2b62f8844b9bdc836e653a540ba850179a0c607583bdb51e04abfbe997dfa6cc49dfb5bc345751615befbc1f790e229b00c5e04683a78b6a90a29732dae097f58f4665bcb674e55cfd2f6cf6b528601acf04c11dd8a062d4453f828d560db3777febbf94bd80ab1e9e1f3a28696c7d5bff99da6c3b5bcdb02e6d128c7b9909059ba9f11792bc94a7e76a832d501798408bdef080145fdf9b04f760f332946e99357a97fe67b18636ed5f4e906405639a3db25f8d6097e034107ce80034bb38bc5ef2bfdf5cb4f350cb6d809134c0c865de6a741c0aa21da7a247bf91aadd0a1bf23bdcf1055c', 1796011474042, X'8562b8420061f5329c1df7ca1338363589cf132ff1033591b3ca345a3ef095d5', '', 1, 0);
INSERT INTO events VALUES (9, 'old', 'unknown', 'evt_01a22aa03c9c7b5885065402c51c3ae3', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_processing', X'01f82799182e8c478f62bcb95e8d54432db88953a2e384f4cd0f167918b905c92d18418f5dcb30f735d73328413bf575d7b6c159059b8c61ec9cb5cc37fd08be47da61a031600a1e92cb9acbc4989494e056206adbbcb593ed8e5370ad5fa4ce3bccd2a7b080af8c151e10a5e09eee0826cc466a3fad9ffe151bf4474b16acf55b80f185fc5d216a9e04a9e2e513fbf1c7fca8df0b36bca2d0cce837a900fccc8105c3a1ce62ab1d4d1f8076ca9047f3c4efb3a86d79ef9461194ad43a83aa55bbcf712a468eb73e3d7d8450f39dafd5fa41679e5f7c3af27e72197b44420cca5b8d0c9be73db655ee081c7d8ea9a36ded03fa5f79071b9e3398c2a4a545b9be6c7dca7b61fee6213fb69fdd9028a58891f731edd338fd8f63c100f8b0342c5e92e2a9171a0c5029f2d1f2db2ae0287e2c9633a7a8e3c08db50a0a9918a765293b3a91d58c446eb2fb8f46dfce89d5477d8d6a0407544b20b89660c7bec1f59fbb933f1a863d5c56655b1a55c296c354d767bd55f8aec8aadc3a4b2d6cff92acfbd0e0767ed9b66834a53e4af3cf8cf4999cb5c8fee3e44b5d8edfdb399170a2f5ffb36a88d90769a14d2c1a01b9a7ce7ba3a14e295fd2135fa4c4ea04a1a7dcee709bd6334e40924d783b8b08f5db65fd282d44', 1796011474076, X'5099dd70070663ecda0770c89ce1ade361c570728b86e1959926fb5ba0973902', '', 1, 0);
INSERT INTO events VALUES (10, 'old', 'declined', 'evt_01a22aa03ca67724953b13072a302d45', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_failed', X'01f8279918770ddd942c97a05ddd69f3358fa19b59ba8cfa65e58748d161abb8f221405a3f16ec593989c472b846e2dbf9ed53a99fdb8f0826370285b5fcb9fcaaf8bfd2f5945affee778b8284c57b75fcadad1c0cce5990269470fa40d49ec8955e383e8ae5569e1878797ed968c1473ec0660061d3128c7334e447e10e4b654ae1be8a263f68ffd1a416dc571a2241f07e750226326d4a18b11af6f0413bc8d17d60992e09aa7ad8c625a6b2eff786f2bb3e9d4ddc771a2250d416ec4fb1a2a778072a7321834785ad6ae96646216d7a06440e8c828cceaae26484199d741b12e122be9fe035f23aad7f38d3c44bd72dd5ea7c78d72f1a603011e1248dc1216330b4c39bc4c057fca20efe907259a500e02b0c75170b4e8c4ab26e09b2925488fe812730ce2e5f30af581e60bfb1c133990c4042f4d13d419dad322f5b8e0887151dc9d09b3896c2d89191b96e8c71cc9bb70f2fcf4be4074d3f5e303906941f52e901135d788d69581accd092326a83e461b73210cbd269e0bf3ecbb7692b6c8d3fee9dff414e1f93b2c731c44ab2a2aff9c36484b0cf110a63e9f912e46c8275fbb18252887be1dc6babaa6d9fe69d865f3eebd8936af1c8e0854ef48a6a55d9b364588aaae1c81acbba434314650d13399c638e4c6f2d5cbcee11ecca6f977475feb3b3c25b137d6ada073dfd8e5336e61ea69d53bd82d901d678a8dc023abf36eac3d5d482623660c73644e6876fc8ea01c12e83ee6f4f61686d976146d06b6ca42b766e4fc6a3ac7287ec7c47f31b0fec22b18b121bccb4f0d0500bc1d51a058197a986dd24513610dc3995654503e8f84b792848ff7cb4428c411e55600550a510adc19a1301215fe71ce518ef8f', 1796011474086, X'ae4170eade7d9267a8da68b7681b508b47b972a8eea26a5391f21d318ac274d0', '', 1, 0);
INSERT INTO events VALUES (11, 'old', 'saved', 'evt_01a22aa03cab72eb995f329bec88e0ec', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_succeeded', X'01f827991867090efb2abc795e470c30c863e6a3c6fc5614587e73ce3eb26e34a0b693f4c567b2f1c3918e9d4d367e451d714850d294710fcfb51fe9cc27abe28628f0e11e0bd05e6cd1e65b08cbc18e190ee72a75871200ba57cf37c4b99e95c204825559ea9cfc37985e678237d9f79adc50b47e606b6678b7eaf2c0d29feb8a7ed40e7285a9a66869f068f1e7bf17e34a37030bc1c0cbae66dfb7be78ef525521cdfb24d5bd5b895532c308eae19f1a24832c251a69a2b651c21bdceef43795adffa623fb77391b3e60cc5e5599f2cf4552af1e11936c83a1ccc7cdc60b14335606e07b1132b5d03ef24da8012500ab049ac70e8b1ebc7e25c18826246495db687ff9d71c87cbe07e88db5270bd3f51d06e5a8adb56895ea014cc4612145e6738c114e1847d0b7726a37399ef75adaed591ff8e1461c4e92d2b84a73fd4467a0b6594877b9846acf8125150f2ab2967638938c22b221844ff07b3170dd74a5da549502ed08630c1517aa7040ae38c3e0d17ec1c96d2f84b634f7df1608149d495854fa6dd42def1a85227e5be4d5b8fd25b87bebada7aabebb06cd0cbc6e4c56a5a365c83d5e3040fa7770257174ae9381b1e926675f7e671bd1da8b4a4c33714548522e8e7aee31e454d18d4ac0faa945d3b372a7051089e42fe06d350a7f5faad95a871f688e27150e74b98e580b3f15405ed913ba3f7a490272f55aee23bf1bf8e3f281086847f6ca6ee0ba9ffd0f2079064df46722a5eabb28ed1a6c21543968cfb0ef6d2cda322b3317423e8bb279937136e7106c16e6d907894769adfa6a9c00628aa8b370dde1ba76a77cd18494828778df55ccdb284dbd490ee5e6cb7ecbcdc251212ba0f4f60906f606b6e2bc3db65ea35c792bb18116456029b67ba24442774718a525c0901e26a5fc44013a13b0771828eb8e62c3e6fef880a233ecd9aee894bf69694efaf28684a6f36debac96a0991acaa13b1795f0fa912428fa29e0a0cd73d5dd2415e92440c831f447332d674acb421e9d542161274635225d3cf69f7b5', 1796011474091, X'f4a7f921d555eb50f7fed9d16a7739ef59410524d08e50190b29eabaf97db232', '', 1, 0);
INSERT INTO events VALUES (12, 'old', 'asked', 'evt_01a22aa03e957fafaa81a9093653de22', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'action_required', X'01f8279918ed5240889797b089d62be76f5f16d281e4f851d50fbfb65c831a9554cbbb176df08b70df7b6d385f2683417708366ce268374b2bfa1269c4ced44e21571581127eafb85340be039648e385795ce80b26965082771fa541eefa89432b340df00597b349276c414f7e31a66935f602ba1f6f45476db922a78c4da7fb149787a39f4611845b3eb663501b125ec19385eb5ffc7bc9af1399a248b1fcbc0cbdaf7f60d9b0133fb481cbe48e75e86d3e6160f9c8218ac2bd995bbdc43afbb02dd2a08a5f38252bb2a402c05f2439167d73bb60ab9809ce4bbd1fa09800cd974bfa7cfd06c7bf9d22d29f39dbdc6f834b14a6d62259e860cd09a41d74cf44bfd1ecc01394489ca6604649e27eeb513294c623dd075c83226ba9f44c455f349506b88b7494dcb70a98645c16debffa58ac84c55d40fffdb14e1177877e30d024a58da7eb261ae0ae820f7b11786b345af519464dd928236e1482097fdb4c5be8ad2b7b7b4ee1bc641698e9e7ec3d6a1a75a3c35788479bfe2fc1db67ea53cb11418a918690ef1941caaa83b5c697f6c1a446e30546f04cd489683dc3825a61538cd33d78b6f58536f3e4f054d0f7947fbed3e6bc353260782a60ff49a5c90c23e357cd80583ba6383d490c093c61e57c598b0bfc7bccb412fbbb4adaae02eddd6eb0f8766200cdc234638ca75be7b96f53d0f55157afe959bd75486659d8d8bbc55458dbd82ae7fcfd32bd77ef91a8dd22b235a9db26069a780f56da34ff18d3c4e096248e529887587c5776820d73eaad6231adc09784aa89127ee0e0a8e2567ebf0d2eddbf771170bc374c41cba2b5c8f9c5a4454e81d593b7b1f2f58af4ded432c02a51d4638fb337b57ee775c87aee54e5be928d34337ec4021048379025270ff87c17ad2011434ade28bedf9f8072f3b1956c69ce9a05a81698f83262c63c4350c0eb4478d6c1f3ff7d3fae41930e75653c7004d4aa26e4fa0afa7dc5c456e313c196d860c4855b9aa495153f4bd2de1583597376b6351800493036c7374535eec04a64e9701f70382ae35fa630c2ffd3a6bf74d80b54f4c17ae8cadc710f5a71c6160ed4afa39bd10bce75f06f2fbcaf0a8182fb6e7aad9f7669437fc5114db5d7fc05de2ab4e55336e27cb219a1f6532162285fd0142440084f8fe5508dd81f7a152bf8bf451e4798c909052e8ab8b7f9ce192b80f8b670f677ca0f638993d92e8174541a0a5c5bf982aeeb3409c6ef394fea0e8e401e50cd9a67dcdbbfd08d849c081622eeee458457b030faca48219f22e36dbd03ef18d1ae5fe6db95508a497cfc9d5f5c6bc5d72ca076346969822210a8c6bf8016641cc7974394072c15f653af41ff8adf5ebed77d6e6974e348652decc5010928f53f63cc0a16ce5b3daa36f30e3ba27df8b22be95211a4e813c0658db48155aed177f60949ae84bd576dd09ba4f3c45bb5b24a113b138037b3c597c96203fad66e8db06dd05cbf16d04269c6bf9ececf4ffe0fc6bd3b011a703a50440e5a47fffeec746c2b415c33e628141671f4d9e81df06835462f382a9fff5a54ac1c0436f809cbb2a689337bea261c1a9d2dd06678684274806bd40cb87adf2a549ed68d0c107feb4c0238f8f46edb015915ebd747617107012d6f58648c179502fcbb2ca0dbc14b7fc322a90d4f02345527d842bc60b176f4c23a9b7ec959e0de7834934e4c752d9e16b5adc344fbdede2d0bc101c38f86e453bf00b086704334cfd347b39261d0a7d559ebe79841877c84747c855ef1883ad09b', 1796011474581, X'a3d25ae5557312aafd0e83c50b8dff08a94153c0410dad213baf76288749d8c9', '', 1, 0);
INSERT INTO events VALUES (13, 'old', 'last', 'evt_01a22aa03f227033a66e626d3317abb1', 'pro_0VcQT6mQDbRUpHqGmRer', 'payments', 'payment_authorized', X'01f827991802a142e972c968016ce4429a1d2f69c561fd23a43d34dd8119b43e2e86112e91d877fff65ed22dc68de2edc58ee4c9dbce56b0165fbe8ae1565c0bec85164d9019b663ca9af53f315db3bae4aec4523071beb71095bbbab9b6b098caf94789ae3f84c137396d869fcc8a76852b839dc0186fed32dd5b073dd3a92dbf5e07970669ed15d7f6a29cb096b1eff41a0b32a0a2a8090b5c4ceeee1b9febcefc118d521f5d84f3edeb46d1fabe29337947dc7d665ce139f28a6019929ff59175b346f9c696c28f05db02bf4e77fdb232dfa7eb51c55379a9589de55ea3cc3ee8caec8b1dd120a5e027b1e87cf2096583566a6800c63b5a1a61a9b82ffc8eb830684fd7308b581108f7859e37747a2ef875120217dd7e8052e2a8f8d6eda13fe50474ff89320454d97d9cc69c49c2de93c785645b7599b70b2f60e088981633f05fe65357edca76f36d0cf12037c0851ca88abff2ca394bc38eca6ecf73996e993a4b0381e6e2cb7323e0a8ff93d38c6ed72d9d14bfee65edd1cb424976be9e50d805424f1bdd6ac377f51fcb96aae6528aeb83e9bbe252c755033337fbf27044a7a1de956eee011ecfde7bae02ad941f6ef00d73b524757e3eb2215c285ab9ce', 1796011474722, X'687ae9311ce4a6399c83a4b33e9e383fcc849dd710ca53d04666779bb660fa24', '', 1, 0);
INSERT INTO idempotency VALUES (1, 'old', 'key-1', X'81297b284f52351e420ac25a00356c55fe78f63ffe1fc7c993de4f881537bc7f', 200, X'01f8279918fcd4b55b9eba4fc6b00e4942a7b62f2336ac4f08eae7dc95fc91f4bac7618fd543c7f4e85f919d663a5dcff516de4e9f9d798067402a731db9c448b7a8cd54f87dd2a2746836751dbac7f567a48673c0db9b941c5ead4b30b9b0987700ae078fb37a12f79068a53f206f821b57bd548d18cceecd5c0adc320c021d89cad825255eb955f1dec56f73419dcad244016767a08bc2f9eb4a9e24a7cbca3045ff5952152ba77afebcd9a0d98b38a9aa20180a35f60ad5b92567e88052be25b203663a36659ce2b39c705c689363822e81213e4da74c9a12d0dc5af703d5fb664e7b2b307299f48e131ae43fce080a137cbd62d4704024782e59e75edc3ca09d10240ccfcd339c54379f3a94e7f6733a41d52c3dee257d07d9a0fd1604b813367a233693b1131b25772f3bdb29da77fab9525d4bc3fc73565c2ca285ec257b2d69ba9b0702a171588574273ecb358baeb3290cbce051d9da123ffeda5da2525172b018af1a8c65802abb364dae74b526e8871c5e385f29c5bd1747f9ccf43c087e9b9d4e62e110c011e3457cdab0f258c2d0fe3e90fd8d3eb647de9d7c34d3ea82ce53137dac0e3868aa4ef076c4d55f43c0a6c93e067373447cb861fcfb5c150a4e471a4a030b0be5253fd123af943369927809213c4fe89106346cfe7e919f1d0f1b29f41f36cc957bf85788d8eca128c8880f502ea30248eb0cc754896a82e1e694d99393c4d73e294943176fb60310706acc6abfd6778c13a8123648f218163bf56c85edcb6177657fea7f35eb4908b052431dad7cb4ed3232fc52c7f5031b5f72053e1443cd4026e5accd927af05382f2892862d5fe98eb82efa61cd0f0312f690705d572b16d674ba45a67985c91a34fdb15e58ccb5a74ae06f3f6b29e62b659afa463dca05c880652e6a204a8a975deb7b60c4d3df0700a3fa41d37dea2bc218eaf4a9a19803b001930742eba8c2e265d60492a3d8763ae443259fc95b3823e80906079008a834b8fdc62e053177f014ea2ec6f0ed6fab0b038235ff2c8ebdebd8b70c5b6023cbd9700f9a148a17117d742ac1dcf5100c471303ec90ca06c012e1e46e7c1f64805bc0b4aae268aa0b82f2e7ece7a9d3685d27235d88b56c1e27ae123e901d3960f64ffd90e68691f4f2bbe0e90244666daa607067c8b2a4fc18fd513c1bdfbfa386690cd26c54a19f0e9b829fd5b9735ca5c1ce611d5fe7fa35571aca3d20628649dcbd60502ef829902c01a1d5b51e23109deb59a8a143dd6276bf6dd810e57a92b6c93023ec1e4dc47bfdd241a2cf4d51add22e41e3aeab2429a8dbd32a1f3771a6fdc816ab1661c7645602e313d7c57e965abfd5a7dc5e81cb381c3cd14cafeb95387e1226dffd88848c80e9925b05597bb3a9cdabceff6d9afe5e38e4c42e28aadb8bee88aaa56b1e596ce352329827730cfe80a59ea2814d51e859717aac6ab47ddf1ab54d0ebf95d15bb4d06bf9c64a892d9faebd53fb33e058bcd2b3e60211aa9dc24873a7522da9e3a9ed3ae0efc21e44298ba2c7fd616bafc74902f2a26ee3ad3ca6053ed59ff084c96d0dbb59e2807d9724e9e422b7105bb177a8850a3664a784f4486a390c215e3dfd602f8e132086de20b130c26d88ed81f2de874a1ea131c6c5b9f23b822e816c4823ac5d9750ea300fbc958b780e662f787beb34174895e9c3a9bb349ccba40386c7812ae3fe75920f03b536451f0cd8884edc4fe27da599547447bad4f71c122f7806d52e46c9d822634461f7c550bef989dab46af329388294860d4ef76184de6e15b2a571fef8ea64d2e443b42c7e9e52270cd951d0a7497b551e39c9586e4a338eae34de21fbacb6f97db52849aadc46f5c695820677f4fc0bf2ee580ee8a1d5e858c791d2172e62889e8a3be4a45f84e861558ced32df24ea8f9b29490eae1f280726a6f5c237ff651d7d1a9e44bde7bc11837d4604c3954eae4e993d4e98af8085adbebfa1ca4aacdb766d670e2be915e36918462b9673d286eb385cbbbe74970639b5267f84d27d500797d0ee54d1046ee364fac3cec46296bbf9acc756d182008b4afb0290c8f954e6f00d9c30de79b55648cd913e5768156a042ac990ffea2443d0fbe3ac4ca230b02e8c1d1cd6062d1c329119314d805a3a7288c2d6a8f7a85204a542793585658a0c2d9478f2121077d90ccf24fc9eaee2ec57b9514a7df5596365cd2501d902b7214526cdf626ba59aa85064cb438b7d6911fb5b4590ea5a2da7a4ba4f4b0677dc7263e4b16ab1c0875d40306d78499314d38035da059fbcb2947ff5e81ae73c59725515fa68755e20b859a40c059630506e36017a9f2a722af781d68318a9db68c6e06ad984a4bc15ecd652f21e989237ddf3b01c132d65c3a51052906f32ed57a55286e43acc722f1891c5a3a22fde9167371ddbdae36bf7eab51e85baef92740536a41ad3a703f03fcc54892d2396ac8732eda7d13be4b35810357375a80063ffeba9b8dc7f0d1f9ddde8f252d95d5483d0df035d90e08e0cbc10dac231d9da53938e8e1290efd4ab36305e3ae9a6f088b5726164cadd1016a452e5d4888319c6b22509c0b730e6aaac51848fca4665353b1cd13e7f9d2d1864dccd7a135d2fd6b10df408983e8ac4bd56d77447a29cb837c6a77ee30948d14ffc1982eee92df51cc895a6de33b774877f7c5439955b85094e7660a5d052f155d98b9e8701bb80d35da81217c150bca1d49262d618365c3a0ab328caff0c56a1f689da589c932ecee72bac862a660df399bb6db1af9295e1001d5faa7f8922d1546a92a4339f4b99b2e30406d70c3c34ae8ec28b2fb102a17d0802696e2b59ad02486019146223db669dec633910655381e2375ba477c6078838d7a3be43b60d6f65edb199de3c6da23fe91665a9c858c92163d73adf066837f6d8e7a34561b97b3f8118811e75d06de5c297a6245a6a1909820b2ca01e6fec1d4ee9e34b25997db40b98cc02de6e54b18002e32427bb8008ed80ddd638f9b9755c32997721c53e898fceb290c721b45fe8360f2eb46b8db560030bfc504ae22d1a4bb68129b94ba6d5f2cd26d5151dfbca52915eabb2989ca3c2bc6a03908eb5812316f8c9e3e936be7d49ff650ba3709bd46cc4269cf933870e44259ff8a068d07c6898fc1e690f1e3f042c3f181162cfe365545df1470e571f0a8c4ad561a3ad96af1eca12b5f29e1d89bab3b16f8f51883c39994925aabb9ea88c65a08a88e6f9a5137d2b91014be78d9923c29f4ba2912ccdb0910f8293fbb91ce07e4c1b033678a6ab8f28a4e90b3349894a1a953391761b0e292a9c735dfb7ab520881f6f34d267eb2964f7078b87c96a383b4709dd45e6176aeb6f69cfe9a3d97702658131a363242a7c4f2f2fce5fa5320329646a413aaa35f3efb105303a8c3e474c28b7041bb65c83a22be7b931411193c85858a02e83db056b4516914d6dae0ffbebb9ed4c92e627af42a843f8b2f77a89f7ecd24e33bc07b76c364eb177aec84948db223855b3abbb03b4cabc2ecfd242e2b0395e25f0d5e804583b64badd1ce34ff9f3967992f2bb5a59f936a60b825a8ab77fa3cc85828a864c8e01357cc596eca61c393ad499584f7de0217dd6', NULL, 'pay_0VcQT6ntlBT1CyKMEPYr@node_1', 1796011473125, 1796097873125, X'f9abdd42bf03fa0e72937cf4772812ef4633c0c563065bd47c94d56c0c3c0fca');
INSERT INTO cards VALUES (1, 'old', 'pm_0VcQT73Tyk3k3xUQeup9', '11da6347d1066c46ced9dfc00c5c767e', '23370e89', X'0123370e899b16ddb954d329ad3128c4ffda560167111b4d05173adcd8522ff4d1b57a9f544fd02b16f56771d3d2a1c5591de0fb45171cb86106e5e6baf590f234', X'259fb54751a79971a1359eed28e27dfe959670b749ad187af9e26bfe2c9785a5628f50c343040d1b9dc727b6f6249708e32a727e5d4ed5d8452cc56be567505a128f5a675d045ae1f1ef74c0485bd60bc03c2cbec8a44af53ce0d103ec2f0c7190d487c45f037f4eb0b7cdb8202617f5d1f8', 1796011474091, 1796011474091, 1, X'c139d6f40cd16c5706b3b9d469ab0a0ec8990a2bb577710776ade59c26cbb832');
INSERT INTO authentications VALUES (1, 'auth_0VcQT73W8dIc8BYeADle', 'old', 'asked', 'asked_1', 'pro_0VcQT6mQDbRUpHqGmRer', 'mca_0VcQT6nHHgmyunJcPhum', 'simulator3ds', 'e36c9900d48858988a9289391bbb6b88a557115067467c8bcf38a1a69960a4b1', 'challenge_pending', '', 1796011474094, 1796011474636, 1796012374636, 1796011534636, '', 0, 4, '{"token_hashes":{"a":"PtQAVCBQbYjvNj7Wfqnyr7RWxTnGwiA+bgFL82UwENg=","c":"MvMclvIaW8RcTqUjZ/ajbbqLjOlISBHxtYE2XdiUz/4=","e":"ELdDhKENKZXFE88eRIWisBd6VLRSqRH1fI0+dtvqOxo=","f":"XdJ8Xf5WVYrS3kAmmvRbsvelej8DQ6qFYPlQvOM2MTA=","g":"VpcQvH76XFWmOnAqVL32OZysCpY1KhYENMFphToe2RE=","m":"w8yadYFctQnDa9ksR/Iv7Pv4mY5CWCF8MSjpe4hFp2g=","p":"RHQw5G8tmmg/5Cy9F2MTm09/Ka9dQI4+bHd9l+RP8V0=","r":"J+mSQ++k+1m8ItDuJMPDW+OS4X7yDE6Ut+jeQYH32Jw="},"channel":"BRW","category":"01","authentication_ind":"01","network":"Visa","message_version":"2.3.1","versions_offered":["2.1.0","2.2.0","2.3.1"],"server_trans_id":"ae5e051a-c51c-41e5-bffa-8242ee6f1dc4","acs_trans_id":"a7b95a4d-0724-4f42-8729-c3cc4318d100","ds_trans_id":"513d5004-fb6d-8d23-861c-0000000011f8","acs_reference":"PAYSWITCH_SIM_ACS_01","method_url":"http://127.0.0.1:21030/sim/acs/method","method_completion":"N","first_status":"C","trans_status":"C","challenge_inds":["01"],"challenge_window":"05","bound":{"amount":4600,"currency":"USD","card":"jOIof9LEcDWLrabB0halloF4s2bfM01qoKHMOrW5yrk=","account_id":"mca_0VcQT6mtWXJ4xb3WscUt","acquirer_bin":"412345","acquirer_mid":"DEMO0000417"},"merchant":{"acquirer_country":"DK","country":"DK","mcc":"5999"},"prepared_at":"2026-11-30T04:04:34.581Z","session_expires_at":"2026-11-30T04:05:54.581Z","asked_at":"2026-11-30T04:04:34.598Z","answered_at":"2026-11-30T04:04:34.636Z","tries":1}', X'01f8279918c08468a34264b1d5813e2f305164fd0e6e267e01b7ca719c2645358371935a6d646e41f872069f2be4a3dcbd368b9000d6af1e5776fbb6a625720ddc7eb0916bcc179072403cc82a163fd2eef7b5a6304fdbbe136b3d295ed6fac9dec40fd6041b0acc84f48f0b2406c817bfa4914fafa8dc9f92a02ec8bbdf03fec8e8311c0862cb5745191522bb7a0b6f68deccddbad4105fe8c095e99fc341b36daa57521f235fc33b9f594733c148f61aeec9319b0c87350717f76f23896928c865812ed2f3e0d8d204a0d1abd52c3f4cc4b784e9b5a504af587f0abac6a0c34d9badaabf04bff53e6caf1aeecf07892c4e8e308fa853a4de70497b3a4eacf039b25a696bf12ce0932366ec19ef79c5868d8cd5ba223a1055dde478f69c0d3165c4e3e9e927183c5554caf8cfa25bcb84489f37b70ba6ddf6ecc9eddf7a036db6cef410e134f0064a68c9ca32abde3617d739c5b8e91a5af58ab65f10688206d0ed79f5c33bf577f117ea57bfbb292686bfc2398053aecf0d43a2214cb6e95ccb36218dc0a6e66a78b2bf4d5a2fcd77b87112d39683c6503127345ea11218a86142910cbd3cff619813807607ff86b027bf7d1c8ada72a32df0e5b8894b18015cb72d3b4cf6b8f42a42c970bcb5b3de8582429f5e4fcd33900338961ecbb404343163d09da62ca9b11ff2977d856c446403ac0b8d6cf61f491e4c14c84aaa4cfaacba5b3e6a91190d56e2f758274614e57895f76f123b3c0a060cc1c1a4fbfdb57b6f7a78ce5d77f98435f4ef4a27ca2f288837bb73d73165e911e10b425897d31134761aff0c85f92467d64e68986a4331ae7ee26bb1662c608e9f53c181e8224c99c18c537ac11261b89ad1c1a7879ad71a5d13919a7e1b088e43c8d9d69d23be54b1bb5170bbe00870f0099fc75b66a41dee8209cd94fc06fda67c0e2a26744815235803176b0adc41bcfea09ebb14514c79b80301ccd96ffe46650eda', X'01f8279918d879f17a5e581cb3d53725f64a9b146c9a0e5a02e66c501921fb6739185a6bc33c9be6ceda7e96a701029e91efbed93d2760a7c2186e6eeb1d19195712f6b146d9f42ffbffc89470dbbf3c83d5e968a93678f3c8a2cf81b19bd99c2997def44907b5ac958ca6b9d7943cd9e59bff18e9d05ed47e31b1ad411c33687237679b1404c0484a55171698f68621ae5e3b51aaea22f1b80b4722d9683e0173cb4f8a97f31c80e2cd6a6186d40b456b0e5316f1ad76d857fbd85d5b57cfd3450e3828ee1054ee6b242d876e1bd7810dd4c1ed1eea', X'bef87027ba37e5648d4b927f88a88e8768ae0b2a9177fdd9eb4e4b5a6cbee206611df61c45db9c4563d57afe893f302e56ee6c7b61b4da7a5a297fad6865e57ce9f9301c44', 'ae5e051a-c51c-41e5-bffa-8242ee6f1dc4', X'36aae5a20884d99347c96a1dd090f52b0d6e570ac3bb2ff4f80fc30fc5030f34');
INSERT INTO payment_methods VALUES (1, 'old', 'pm_0VcQT73Tyk3k3xUQeup9', 'ada', 'active', 0, '11da6347d1066c46ced9dfc00c5c767e', 1, 1796011474091, 1796011474091, 1796011474091, 1, '{"method":"card","type":"credit","card":{"bin":"424242","last_four":"4242","length":16,"exp_month":"10","exp_year":"50","network":"Visa","type":"CREDIT","issuer":"STRIPE PAYMENTS UK LIMITED","country":"UNITEDKINGDOM","country_code":"GB"},"network_transaction_id":"843919105054740","accounts":{"mca_0VcQT6mtWXJ4xb3WscUt":{"connector":"simulator","credential":{"id":"simcard_424242x4242_sim_saved_1"},"data_version":1,"currency":"USD","payment_id":"saved","at":"2026-11-30T04:04:34.091Z"}}}', X'01f8279918432d664e93c50eba511490493ee1bb1bf97d2d7a6a146318b416132f51afe1062d8d380ad48534bef3daa1eec1eb6781a25915a1dd8c353c304889d99820c2374f84b97462afc45d9a7f18808760d8dd655c446aeb3bf55d034349e2444eca93dbfabd7d039d9797fa74b6db4653f68017ae3e9ebe08cf83048ad2b3d066391c05b5050e8560b1d5f1385f130705d941c03eb81c99cf8fdc683dd869f13dec90c912cdfef62bf26d095adca84fccc1e9c93da506fc3d55639d320c59bec2657908b26457870a81b99fcd8e5d09ba7df1730d948ac576dc6f6dd709754e5ace3b8c6b465a2f6708ad', X'2b0c4d4d5f1a7119b03d3d5920c12e93e420f71a9ac92f88956c85f4bf6c48ef');
INSERT INTO mandates VALUES (1, 'old', 'man_0VcQT73TrYQqAjRwtWzz', 'ada', 'pm_0VcQT73Tyk3k3xUQeup9', 'saved', 'active', '', 1796011474091, 1796011474091, 1, '{"terms":{"amount":99999,"currency":"USD"}}', X'01f82799186552369a681b9f02150e55e25d48169a167c3132fc28bc8d4ce8108f6510d3be1862dbed8252cd202d48a23755cd5c1bedc57d4f23db66940e2361bcebbbc29e3649e086187d6001f27a631f6c2dc9ac4221fa70557de96c6a4bc23bd415c0d2e2fcf3e9607c85755885c810f0793cf583ef15ee19', X'f10525f870c0bfc4be2140a55cbd5dde7a66c9d0de74c729ef9b35f01c08c512');
INSERT INTO ephemeral_keys VALUES (1, 'old', 'eki_0VcQT7DDMl8UxSRXAGLh', 'ada', X'0dfc113f7049df24c72d4536a8679a4048f8ec1a2cba7b20330d8fd484efb4d7', 1796011474695, 1796015074695, X'f69cea09c3747c9fc62c4f3ce2e319c52aa6fbc85d59be10432641a768d23181');
INSERT INTO journal VALUES (1, 'op_01a22aa039095b5be24427946b78b8eb', 'old', 'held', 'mca_0VcQT6mtWXJ4xb3WscUt', 'simulator', 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', 'authorize', 1796011473201, X'01f8279918ab6578070077ecec1688a34e2b557b35490fb5309efd114252867dbad5fd052e58556707c98a69df53a3d86570ac8250164b29a5c926c6fecbb25e7daea2b03eecab6acd3467572ba8387be64c22fb44bbe676171fde2229138bf1e03da9a73aab0d532519f11779f89302811edf34ed51905c1fb7511f09b322bd392da2e30d999aaa50c663689583e1bf9e25fed41602fe4cbb62001f2349e13db8e52cf4669dcb831477cdd41603c919c80c38d6cb264b33c632495d69d63a65e7711819c5ae799f73910eac0e6ef0296f2e6c4d14a277c4ed14b8e8ae6d5054a094097a532b5aa853c0ebb43bf3169c37e6e02537951a563b342a5c7be1704316497ceabc30273e0e0a03d44e572a9270338da1578b5c2830d4636667bf6872760ffc98136cd36675a1f1278d854d514e4af3d8f1e2c746e47f2c7f1988d8f773f9301bed41a18e7485b4ba537b2ece267b48f8af8c50dad4920fb0b2ae52ed23400886a09f4077810d4ce33c6d8ee1088e92a7ce9a1750ee55920f248d9bd193e0912af61e1ad6a67de4c1dd49d780fdf2bc9833c2d45d6e129ba09911925a63b0660499596347b2fbddfeb7fe59da829b69efb4fd161c2a300428bf8f4bd753471b6854b4de8e8a89ae3feb4d963d35758026223ce621ef8f0f7f044f02429a1f804df845a186508cdcad1d2b7b0c63c5f1333a4e9118f4e3247dc7db4c59f128057701c51230c52b6c1b86');
INSERT INTO journal VALUES (10, 'op_01a22aa03c9a3f19e33af36f8989cc90', 'old', 'unknown', 'mca_0VcQT6mtWXJ4xb3WscUt', 'simulator', 'simulator', 'c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce', 'authorize', 1796011474076, X'01f8279918bbf18852fd867899aed9acfcb33f966caf1c6cf4f7ac34f56264ac89b81b001b65d5c86df2fc3da00d9ee888d45aed34217d643a90c1fa13850e9f14a815dce643f3d10965c0295aa67d62fed4369353cb6e63c9f0a75fbf21a6aee2e6e2e34ce969aa8300a471848ac84576d6e13169232d0acc0e96f10b50916ad5df4a519303f1ec019a25317ccd907b3d4a3d624d2b1393500c080b51bacb3a25493c4ff7815767f7c433b508d81db38826ec881323e7a62b51d2d1975e3af0700fba69d08870f1b998be22ce3b1207f910d1ecb6ced7a125485dc5f28e4cc5aae5594615c308b21540ed3f7cfb7b479f22b10e8d44679e20ab7c0c04f9f26bd4f3d01485c267fe568b666d248a3b8a1c4df94afaa64129a06662fd29012cd14fb1d6fa06cd0959a58c7c9da8c58140f81915a8f3605745be01db7836607302ef324396c37cad31cb994984061618c488f8aa626afb7f2afb979492503238efe953120264768c9b2b2bde0000e005a95a582457c2953e1d8e32750393fc1abd87dbe988ab55293d0fd4dd0aff10aff83e24aa9d817db2fd6f8372ef230fac65f4b2e9217822c39c1c27f04b22bbbf13e405dc797030353691aabf4624c1fc28cf87eb680296216cc5af079c9f570036c1c700e85cdc0a5409c29ab434d3548195910ea02d4c4a1cdf21d1d51a0b');
INSERT INTO short_term_keys VALUES (1, 'old', 'operation/op_01a22aa03c9a3f19e33af36f8989cc90', '23370e89', X'0123370e8927e4481d294f035bceaa208fc9799a480a1f7dc20d532cf9370e16650304e897e1eed5a3a7a8822761f3fed0110fcfed7f734a5f63123748f966451d', 1796101474074, X'a20ff67602f8190aaf4c9b50c28c7512e223e9005e29b9095f091f3c0db1febc');
INSERT INTO short_term_keys VALUES (2, 'old', 'authentication/auth_0VcQT73W8dIc8BYeADle', '23370e89', X'0123370e89ee9616da6f506a66f3deaaecd8f125d185564fc1ecee1512e64218e5055659c41f40f272efdea9ffdf291c7036aaf2e97d45f0e0c9a6248bad337271', 1796014174094, X'5c931e792fe88a2b0d0f4af2a5146329edae3da2d431b40e617eeca4ec8b256d');
INSERT INTO refunds VALUES (1, 'old', 'back', 'taken', 'taken_1', 'pro_0VcQT6mQDbRUpHqGmRer', 'mca_0VcQT6mtWXJ4xb3WscUt', 'simulator', 'succeeded', 'USD', 1200, 'simr_back', 'back', 'op_01a22aa03c1e5953318e598d8b220e57', 1796011473950, 1796011474007, 2, '{}', X'543be9e4a48e1d1d94ef8a6bd3f3a70703eb6da92db7d529fb47e9fc6d81cca4');
INSERT INTO refunds VALUES (2, 'old', 'waits', 'slow', 'slow_1', 'pro_0VcQT6mQDbRUpHqGmRer', 'mca_0VcQT6mtWXJ4xb3WscUt', 'simulator', 'pending', 'USD', 1000, 'simr_waits', 'waits', 'op_01a22aa03c8118a2c60d2581c33b0854', 1796011474049, 1796011474058, 2, '{}', X'a02b34a08c726ad8f88c9c1f388d13c6f19bdf859ffec4bad348522d778352ab');
INSERT INTO account_versions VALUES (1, 'old', 'mca_0VcQT6mtWXJ4xb3WscUt', '98fd37cf0a424a6a9db5d2643bef53d5', '98fd37cf0a424a6a9db5d2643bef53d5', 1, 1, '{"profile_id":"pro_0VcQT6mQDbRUpHqGmRer","type":"payment_processor","connector":"simulator","label":"simulator","environment":"test","test_mode":true,"metadata":{"acquirer_details":{"acquirer_bin":"412345","acquirer_merchant_id":"DEMO0000417","acquirer_country_code":"DK"}},"operator":{"approvals":[{"at":"2026-11-30T04:04:33.063Z","by":"creation","adapter":"simulator","version":"1.0.0","sha256":"c92987efebf13fa0e5817e4ce194a8d173c61324a2cffa47b15401cc335135ce","reach":{"credentials":["api_key as api_key (secret)","key1 as key1 (secret)","api_secret as api_secret (secret)","key2 as key2 (secret)","webhook_secret as webhook_secret (secret)"]}}]}}', X'01f82799185bdb406ffdf3e43938b312cd29f7d6a6685bda0f4483db6b777f5f0f3c0548907008d57142c01016d89dea93c38e7a43ed64012e80560ccdec1b4f6d5fa65d1fa1413a6f5589c10406554fc5c2d1d1dd335144bc70094fbf3c2615c65597a1d5d7fc834f1befa6b9b206402a8f5f1d6171c14e2b2304b68d6de65a73820fb5ff269c0d52f3923e439110d0c479d8604a554f7491fafc2d907fbd82f66d4bcfe6951ef88f6a6c4a5cabd1cdf8be331ce4862b8764', 1796011473190, 1796011473190, X'fa47b550a6156bd13194e8ace5ffea4515c45552a37a63b482141e4986d71331');
INSERT INTO deliveries VALUES (1, 'old', 'evt_01a22aa03f227033a66e626d3317abb1', 'pro_0VcQT6mQDbRUpHqGmRer', 'pro_0VcQT6mQDbRUpHqGmRer', 'last', 'last', 1, 'payments', 'payment_authorized', 1796011474722, 'open', 1, 1796011542395, '', 0, 'att_0VcQT7DtL2xHOP4ov4vl');
INSERT INTO delivery_attempts VALUES (1, 'old', 'evt_01a22aa03f227033a66e626d3317abb1', 'pro_0VcQT6mQDbRUpHqGmRer', 'att_0VcQT7DtL2xHOP4ov4vl', 'initial_attempt', 1796011474737, 1, 0, 'the endpoint does not take connections', NULL);
INSERT INTO routing_configs VALUES (1, 'old', 'routing_0VcQT7CZOrkX8LwEraL1', 'pro_0VcQT6mQDbRUpHqGmRer', 'priority', 'payment', 'r1', 'd', '{"type":"priority","data":[{"connector":"simulator","merchant_connector_id":"mca_0VcQT6mtWXJ4xb3WscUt"}]}', 1796011474654, 1796011474654, X'156bbf28f8115a8b2d95cc6a5d05ddbecb1067836c074815d5ac53579b3c5e59');
INSERT INTO error_rules VALUES (1, 'simulator', 'Authorize', 'sub_flow', 'card_declined', 'm', '{"status":"Failure","decision":"retry"}', 1796011474687, 1796011474687, X'3ae6b5083c49db06590f3f9d40fa6a162cae16935fe0d32c4fdc046808b27650');
INSERT INTO disputes VALUES (1, 'old', 'dp_0VcQT72KnhOREztMEtzC', 'taken', 'taken_1', 'pro_0VcQT6mQDbRUpHqGmRer', 'mca_0VcQT6mtWXJ4xb3WscUt', 'simulator', 'dispute', 'opened', 'USD', 500, 'dp_1', 'fraud', 1796011474020, 1796011474020, 1, '{"connector_status":"opened","reason":"fraud"}', X'f7713384314f28490ec9e7136810a3c89502e352ab2696991d1ee68b5f6b299b');
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
