package storage

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// Setting returns a setting of a connection that writes to PostgreSQL.
func Setting(t *testing.T, db *DB, name string) (value string) {
	require.NoError(t, db.Update(context.Background(), func(etx engine.Tx) error {
		return etx.(*tx).s.query("SELECT current_setting($1)", []any{name}, func(row scanner) error { return row.Scan(&value) })
	}))
	return value
}
