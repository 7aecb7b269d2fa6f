-- Each line of the audit holds the hash of itself and of the line before it. Lines from before this migration hold none.

ALTER TABLE staff_audit ADD COLUMN chain TEXT NOT NULL DEFAULT '';

-- Where the chain ends: one row. It is signed, so that lines cannot be taken away unnoticed.
CREATE TABLE staff_chains (
  seq       {{SEQ}},
  id        TEXT NOT NULL,
  lines     BIGINT NOT NULL,
  chain     TEXT NOT NULL,
  signature {{BLOB}},
  UNIQUE (id)
);

-- Bundles of adapters that operators gave to the dashboard: candidates, and those that were installed. about is what the page shows of a bundle;
-- an installation examines the bundle anew. release is the adapter's version: a column named version counts the changes of its row.
CREATE TABLE adapter_bundles (
  seq          {{SEQ}},
  sha256       TEXT NOT NULL,
  name         TEXT NOT NULL,
  release      TEXT NOT NULL,
  about        TEXT NOT NULL,
  bundle       {{BLOB}},
  given_at     BIGINT NOT NULL,
  given_by     TEXT NOT NULL,
  installed_at BIGINT NOT NULL,
  installed_by TEXT NOT NULL,
  UNIQUE (sha256)
);
