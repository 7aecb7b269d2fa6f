package storage_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/storage"
)

// TestBundles: few candidates are kept, and the last five installed bundles of each adapter.
func TestBundles(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") },
		"postgres": func() string { return postgresDSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, clock := context.Background(), time.Now().UTC().Truncate(time.Millisecond)
			db, err := storage.Open(ctx, dsn(), storage.Options{Clock: func() time.Time { return clock }})
			require.NoError(t, err)
			defer db.Close()
			put := func(id, adapter string) {
				clock = clock.Add(time.Second)
				require.NoError(t, db.PutBundle(ctx, port.Bundle{SHA256: id, Name: adapter, Version: "1.0.0", GivenBy: "Ada"}, []byte("file "+id)))
			}
			ids := func(adapter string) (out []string) {
				list, err := db.Bundles(ctx, adapter)
				require.NoError(t, err)
				for _, b := range list {
					out = append(out, b.SHA256)
				}
				return out
			}
			for i := range 6 {
				put(fmt.Sprint("c", i), "acme")
			}
			require.Equal(t, []string{"c5", "c4", "c3", "c2"}, ids(""))
			put("c2", "acme")
			b, file, err := db.Bundle(ctx, "c5")
			require.NoError(t, err)
			require.Equal(t, "file c5", string(file))
			require.True(t, b.InstalledAt.IsZero())
			_, _, err = db.Bundle(ctx, "none")
			require.ErrorIs(t, err, fault.ErrNotFound)
			require.ErrorIs(t, db.InstallBundle(ctx, "none", "Ada", &storage.Adapter{Name: "acme", SHA256: "m"}, []byte("module")), fault.ErrNotFound)
			for i := range 7 {
				put(fmt.Sprint("i", i), "acme")
				require.NoError(t, db.InstallBundle(ctx, fmt.Sprint("i", i), "Ada", nil, nil))
			}
			put("z", "zeta")
			installed, err := db.Adapters(ctx)
			require.NoError(t, err)
			require.Empty(t, installed, "what failed installed nothing")
			require.NoError(t, db.InstallBundle(ctx, "z", "Ada", &storage.Adapter{Name: "zeta", Version: "1.0.0", SHA256: "m", Pin: "{}"}, []byte("module")))
			installed, err = db.Adapters(ctx)
			require.NoError(t, err)
			require.Equal(t, "zeta", installed[0].Name)
			require.Equal(t, []string{"z"}, ids("zeta"))
			require.Subset(t, ids("acme"), []string{"i6", "i5", "i4", "i3", "i2"})
			require.NotContains(t, ids("acme"), "i1")
			clock = clock.Add(48 * time.Hour)
			put("late", "zeta")
			require.Equal(t, []string{"z", "i6", "i5", "i4", "i3", "i2", "late"}, ids(""), "the candidates of yesterday are gone")
		})
	}
}
