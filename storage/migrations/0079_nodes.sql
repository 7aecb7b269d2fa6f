-- Nodes that run or ran, as each notes it of itself. release is the node's version: a column named version counts the changes of its row.

CREATE TABLE running_nodes (
  seq        {{SEQ}},
  name       TEXT NOT NULL,
  release    TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at    BIGINT NOT NULL,
  UNIQUE (name)
);
