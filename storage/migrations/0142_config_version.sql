-- version changes with every transaction that writes merchants, profiles, connector accounts, API keys or config keys. Nodes read it to learn that what they
-- hold in memory is old. There is one row, 'all'.
CREATE TABLE config_version (
  seq     {{SEQ}},
  name    TEXT NOT NULL UNIQUE,
  version BIGINT NOT NULL
);
