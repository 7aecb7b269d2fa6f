package storage

// AccountsAt implements engine.Reader.
func (t *tx) AccountsAt(connector string) (int, error) {
	return one(t, "count accounts of connector", scanCount, `SELECT count(*) FROM accounts WHERE connector = $1`, connector)
}
