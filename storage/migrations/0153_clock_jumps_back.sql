-- By how much the clock has jumped back, as far as nodes noticed, together: an operation from before looks younger than it is.
ALTER TABLE clock_jumps ADD COLUMN back_ms BIGINT NOT NULL DEFAULT 0;
