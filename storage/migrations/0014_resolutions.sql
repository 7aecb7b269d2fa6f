-- An operator's word on an operation whose outcome payswitch could not find out, as JSON; '' for an operation that ended in another way.

ALTER TABLE operations ADD COLUMN resolution TEXT NOT NULL DEFAULT '';
CREATE INDEX operations_resolved ON operations (closed_at, seq) WHERE resolution <> '';
