-- An operator's word on an operation whose outcome payswitch could not find out, as JSON; '' for an operation that ended in another way.

ALTER TABLE operations ADD COLUMN resolution TEXT NOT NULL DEFAULT '';
CREATE INDEX operations_resolved ON operations (closed_at, seq) WHERE resolution <> '';

-- How often the processor answered an operation that was sent again, without a decision.
ALTER TABLE operations ADD COLUMN resend_answers BIGINT NOT NULL DEFAULT 0;
