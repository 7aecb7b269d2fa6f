-- Decisions about operations that wait for a second person. A row goes when the decision is confirmed or withdrawn. It stays where the processor's own
-- answer came first.
CREATE TABLE decision_proposals (
  seq          {{SEQ}},
  operation_id TEXT NOT NULL,
  merchant_id  TEXT NOT NULL,
  id           TEXT NOT NULL,
  details      TEXT NOT NULL,
  proposed_at  BIGINT NOT NULL,
  signature    {{BLOB}},
  UNIQUE (operation_id)
);
CREATE INDEX proposals_of ON decision_proposals (merchant_id);
