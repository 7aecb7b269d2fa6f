package storage_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/storage"
)

// TestAdapters installs, replaces and removes adapters, and keeps modules as long as they are used or installed.
func TestAdapters(t *testing.T) {
	for name, dsn := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") },
		"postgres": func() string { return postgresDSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, clock := context.Background(), time.Now().Truncate(time.Millisecond)
			db, err := storage.Open(ctx, dsn(), storage.Options{Clock: func() time.Time { return clock }})
			require.NoError(t, err)
			defer db.Close()
			first := storage.Adapter{Name: "acme", Version: "1.0.0", SHA256: "aa", Pin: `{"name":"acme"}`, InstalledAt: clock.UTC()}
			second := first
			second.Version, second.SHA256 = "1.1.0", "bb"
			require.NoError(t, db.PutAdapter(ctx, first, []byte("one")))
			require.NoError(t, db.PutAdapter(ctx, storage.Adapter{Name: "zeta", Version: "2.0.0", SHA256: "cc", InstalledAt: clock}, []byte("three")))
			require.NoError(t, db.PutAdapter(ctx, second, []byte("two")))
			list, err := db.Adapters(ctx)
			require.NoError(t, err)
			require.Len(t, list, 2)
			list[0].InstalledAt = list[0].InstalledAt.UTC()
			require.Equal(t, second, list[0])
			packed, err := db.Module(ctx, "aa")
			require.NoError(t, err)
			require.Equal(t, "one", string(packed))

			require.NoError(t, db.PutModule(ctx, "dd", []byte("four")))
			require.NoError(t, db.PutModule(ctx, "dd", []byte("other")))
			packed, err = db.Module(ctx, "dd")
			require.NoError(t, err)
			require.Equal(t, "four", string(packed), "a module does not change")
			clock = clock.Add(time.Hour)
			known, err := db.UseModules(ctx, []string{"dd", "ee"})
			require.NoError(t, err)
			require.Equal(t, []string{"dd"}, known)
			require.NoError(t, db.DeleteModules(ctx, time.Minute))
			_, err = db.Module(ctx, "aa")
			require.ErrorIs(t, err, fault.ErrNotFound, "replaced and not used")
			for _, kept := range []string{"bb", "cc", "dd"} {
				_, err = db.Module(ctx, kept)
				require.NoError(t, err, kept)
			}
			require.NoError(t, db.DeleteAdapter(ctx, "acme"))
			require.ErrorIs(t, db.DeleteAdapter(ctx, "acme"), fault.ErrNotFound)
			_, err = db.Module(ctx, "bb")
			require.NoError(t, err, "an operation may have begun with it")
		})
	}
}
