-- The time at which an operation's due time was written. A due time that was written in the future is from before a jump of the clock back.

ALTER TABLE operations ADD COLUMN due_set_at BIGINT NOT NULL DEFAULT 0;
