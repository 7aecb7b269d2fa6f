-- Back-ups of this database, as far as payswitch knows of them, for `payswitch doctor` and an alert. verified_at is 0 until the back-up was checked.
CREATE TABLE backups (
  seq         {{SEQ}},
  taken_at    BIGINT NOT NULL UNIQUE,
  verified_at BIGINT NOT NULL,
  place       TEXT NOT NULL
);
