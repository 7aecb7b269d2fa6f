-- When the clock of the database jumped last, as far as a node noticed: a process that starts later believes no time of a send from before. There is one
-- row, 'last'.
CREATE TABLE clock_jumps (
  seq        {{SEQ}},
  name       TEXT NOT NULL UNIQUE,
  noticed_at BIGINT NOT NULL
);
