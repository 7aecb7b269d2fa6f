package storage_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/storetest"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// postgresDSN returns the address of a new database with the schema.
func postgresDSN(t testing.TB) string {
	return pgtest.Migrated(t, "payswitch_template", func(dsn string) error {
		_, err := storage.Migrate(context.Background(), dsn)
		return err
	}, "schema_migrations", "payment_statuses")
}

func openPostgres(t testing.TB, o storage.Options) *storage.DB {
	t.Helper()
	db, err := storage.Open(context.Background(), postgresDSN(t), o)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestConformancePostgres(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return openPostgres(t, storage.Options{}) })
}
