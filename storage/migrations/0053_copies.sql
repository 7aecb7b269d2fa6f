-- Copies to another database (`payswitch migrate copy`). The role is 'source' or 'target'. A source is 'copying', then 'moved': from then on no
-- node uses it. A target is 'copying', then 'ready' (it holds everything), then 'complete': only then do nodes use it. details is how far the
-- copy has come, as JSON.
CREATE TABLE copies (
  id       TEXT PRIMARY KEY,
  role     TEXT NOT NULL,
  state    TEXT NOT NULL,
  other    TEXT NOT NULL,
  began_at BIGINT NOT NULL,
  ended_at BIGINT NOT NULL,
  details  TEXT NOT NULL
);

-- The rows that SQLite's writers have changed since a copy began: one line for each table, its name and the numbers of its rows. One row is one
-- commit.
CREATE TABLE copy_changes (
  seq     {{SEQ}},
  changed TEXT NOT NULL
);
