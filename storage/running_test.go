package storage_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/storage"
)

// TestRunningNodes: a node's note moves on with it, a restart replaces it; the note of a node that has been gone for a day is removed.
func TestRunningNodes(t *testing.T) {
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
			list := func() (names []string, seen []time.Time) {
				nodes, err := db.RunningNodes(ctx)
				require.NoError(t, err)
				for _, n := range nodes {
					names, seen = append(names, n.Name+" "+n.Version), append(seen, n.Seen.UTC())
				}
				return names, seen
			}
			began := clock
			require.NoError(t, db.NoteNode(ctx, storage.Running{Name: "b", Version: "1", Started: began}))
			require.NoError(t, db.NoteNode(ctx, storage.Running{Name: "a", Version: "1", Started: began}))
			clock = clock.Add(23 * time.Hour)
			require.NoError(t, db.NoteNode(ctx, storage.Running{Name: "a", Version: "2", Started: clock}))
			names, seen := list()
			require.Equal(t, []string{"a 2", "b 1"}, names)
			require.Equal(t, []time.Time{clock, began}, seen)
			clock = clock.Add(2 * time.Hour)
			require.NoError(t, db.NoteNode(ctx, storage.Running{Name: "a", Version: "2", Started: clock}))
			names, _ = list()
			require.Equal(t, []string{"a 2"}, names)
		})
	}
}

// TestFactsOfADatabase: what doctor, the dashboard and a node that starts ask of a database, both databases answer.
func TestFactsOfADatabase(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func() string{
		"sqlite":   func() string { return "sqlite:" + filepath.Join(t.TempDir(), "p.db") },
		"postgres": func() string { return postgresDSN(t) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			db, err := storage.Open(ctx, dsn(), storage.Options{})
			require.NoError(t, err)
			defer db.Close()
			made, err := db.MadeAt(ctx)
			require.NoError(t, err)
			require.WithinRange(t, made, time.Now().Add(-24*time.Hour), time.Now().Add(time.Second))
			at, err := db.Position(ctx)
			require.NoError(t, err)
			require.Zero(t, at)
			last, err := db.LastChange(ctx)
			require.NoError(t, err)
			require.True(t, last.IsZero())
			damage, err := db.QuickCheck(ctx)
			require.NoError(t, err)
			require.Empty(t, damage)
			require.NoError(t, db.Update(ctx, func(tx engine.Tx) error {
				err := tx.InsertMerchant(&account.Merchant{ID: "m"})
				for i, connector := range []string{"stripe", "adyen", "stripe", "nmi"} {
					a := &account.Account{MerchantID: "m", ID: fmt.Sprint("mca_", i), Label: fmt.Sprint(i), Connector: connector, Disabled: connector == "nmi"}
					err = errors.Join(err, tx.InsertAccount(a))
				}
				return err
			}))
			used, err := db.Connectors(ctx)
			require.NoError(t, err)
			require.Equal(t, []string{"adyen", "stripe"}, used)
		})
	}
}
