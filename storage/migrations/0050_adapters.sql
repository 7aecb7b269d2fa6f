-- Adapters that are installed for all nodes of the database. sha256 names the module. pin is the installation's record as JSON, with the signature
-- of the adapter's author. release is the adapter's version: a column named version counts the changes of its row.

CREATE TABLE adapters (
  seq          {{SEQ}},
  name         TEXT NOT NULL,
  release      TEXT NOT NULL,
  sha256       TEXT NOT NULL,
  pin          TEXT NOT NULL,
  installed_at BIGINT NOT NULL,
  signature    {{BLOB}},
  UNIQUE (name)
);

-- Modules by their hash: installed ones, and those that operations began with. packed is compressed.
CREATE TABLE adapter_modules (
  seq     {{SEQ}},
  sha256  TEXT NOT NULL,
  packed  {{BLOB}},
  used_at BIGINT NOT NULL,
  UNIQUE (sha256)
);
