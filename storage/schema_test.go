package storage

import (
	"context"
	"io/fs"
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

// TestSchemaOfPackedMigrations: make build packs the migrations, so their file system has another type in the program than in tests. The program checks
// the schema nevertheless.
func TestSchemaOfPackedMigrations(t *testing.T) {
	for database, empty := range map[string]func(t *testing.T) string{
		"SQLite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") },
		"PostgreSQL": func(t *testing.T) string { return pgtest.Empty(t) },
	} {
		t.Run(database, func(t *testing.T) {
			dsn := empty(t)
			_, err := Migrate(t.Context(), dsn)
			require.NoError(t, err)
			require.NoError(t, withMigrator(dsn, func(m *migrator) error {
				m.files = struct{ fs.FS }{migrationFiles}
				require.NoError(t, m.checkSchema())
				require.NoError(t, m.conn.script("DROP INDEX operations_due"))
				require.ErrorContains(t, m.checkSchema(), "operations_due")
				return nil
			}))
		})
	}
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
