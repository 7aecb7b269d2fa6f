package storage

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// TestSameSchema compares the schemas that the migrations make of the two databases: tables, columns with types, nullability and defaults, keys,
// indexes.
func TestSameSchema(t *testing.T) {
	dsn := pgtest.Empty(t)
	_, err := Migrate(context.Background(), dsn)
	require.NoError(t, err)
	var o Options
	o.Postgres.defaults()
	dial, err := newPGDialer(dsn, o)
	require.NoError(t, err)
	c := newPGConn(dial, dialect{})
	defer c.close()
	have, err := describePG(c)
	require.NoError(t, err)
	want, err := expectedParts()
	require.NoError(t, err)
	require.ElementsMatch(t, want, have)
	require.Greater(t, len(want), 300)
	require.Contains(t, want, part{"payments", "", "unique key (merchant_id, id)"})
	require.Contains(t, want, part{"payments", "payments_customer", "index on (merchant_id, customer_id, created_at, seq) of some rows"})
	require.Contains(t, want, part{"violations", "", "foreign key (merchant_id, account_id) to accounts cascade"})
}

// TestIndexConditions: for a list of three or more values in an index's condition, SQLite makes a table in memory at each write of a row.
func TestIndexConditions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.db")
	_, err := Migrate(t.Context(), "sqlite:"+path)
	require.NoError(t, err)
	conn, err := openLite(path, time.Second)
	require.NoError(t, err)
	defer conn.close()
	partial := 0
	require.NoError(t, conn.query("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% WHERE %'", nil, func(row scanner) error {
		var text string
		require.NoError(t, row.Scan(&text))
		partial++
		require.NotContains(t, text, " IN (")
		return nil
	}))
	require.Greater(t, partial, 10)
}
