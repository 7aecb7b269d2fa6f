-- When this database was restored from a copy. `payswitch backup` writes the row into the copy; started_at is 0 until a node has begun to ask
-- the processors about what the copy cannot know.
CREATE TABLE restores (
  seq        {{SEQ}},
  taken_at   BIGINT NOT NULL,
  started_at BIGINT NOT NULL
);
