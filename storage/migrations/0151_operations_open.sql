-- Each payment wrote operations_open three times, and SQLite made a table in memory each time for its list of statuses. Few calls read it: they find the
-- open operations of an account in operations_due.
DROP INDEX operations_open;
