-- Endpoints of merchants that do not answer, for the alarm: all nodes share what they see, and a new process goes on from there. alarmed_at is the time of
-- the latest alarm, 0 before the first.
CREATE TABLE webhook_failures (
  seq         {{SEQ}},
  endpoint_id TEXT NOT NULL UNIQUE,
  merchant_id TEXT NOT NULL,
  since       BIGINT NOT NULL,
  alarmed_at  BIGINT NOT NULL
);
