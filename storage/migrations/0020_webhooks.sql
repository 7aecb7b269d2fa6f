-- Delivery of events to merchants. waiting is 1 until the event has its deliveries. An event from before this migration stays at 0: payswitch
-- does not deliver it. payment_id is '' if object_id is the payment. number counts the events of a payment.

ALTER TABLE events ADD COLUMN payment_id TEXT NOT NULL DEFAULT '';
ALTER TABLE events ADD COLUMN number BIGINT NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0;
CREATE INDEX events_waiting ON events (seq) WHERE waiting = 1;

CREATE TABLE webhook_endpoints (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  profile_id  TEXT NOT NULL,
  url         TEXT NOT NULL,
  description TEXT NOT NULL,
  types       TEXT NOT NULL,
  disabled    BOOLEAN NOT NULL,
  sealed      {{BLOB}},
  created_at  BIGINT NOT NULL,
  modified_at BIGINT NOT NULL,
  version     BIGINT NOT NULL,
  signature   {{BLOB}},
  UNIQUE (merchant_id, id)
);

-- One row for each event and endpoint. due_at is NULL for a delivery that has ended, and for one that waits for an earlier delivery of the
-- same payment to the same endpoint. While a node has the delivery, due_at is the end of the node's lease.
CREATE TABLE deliveries (
  seq         {{SEQ}},
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
CREATE INDEX deliveries_payment ON deliveries (merchant_id, payment_id, endpoint_id, number);
CREATE INDEX deliveries_due ON deliveries (endpoint_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_open ON deliveries (endpoint_id, created_at) WHERE state = 'open';

CREATE TABLE delivery_attempts (
  seq         {{SEQ}},
  merchant_id TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  id          TEXT NOT NULL,
  kind        TEXT NOT NULL,
  at          BIGINT NOT NULL,
  took_ms     BIGINT NOT NULL,
  status      BIGINT NOT NULL,
  failure     TEXT NOT NULL,
  sealed      {{BLOB}},
  UNIQUE (merchant_id, event_id, id)
);
