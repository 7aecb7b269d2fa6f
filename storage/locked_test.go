package storage

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
)

// A database that another program has locked refuses writes with ErrLocked after the wait, which callers see as unavailable.
func TestLocked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	db, err := Open(context.Background(), "sqlite:"+file, Options{Migrate: true, BusyTimeout: 50 * time.Millisecond})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Writable())
	other, err := openLite(file, time.Second)
	require.NoError(t, err)
	defer other.close()
	_, err = other.exec("BEGIN IMMEDIATE")
	require.NoError(t, err)
	require.ErrorIs(t, db.Writable(), fault.ErrLocked)
	err = db.Update(context.Background(), func(engine.Tx) error { return nil })
	require.ErrorIs(t, err, fault.ErrLocked)
	require.Equal(t, fault.KindUnavailable, fault.Internal(err, "write").Kind)
	require.NoError(t, db.View(context.Background(), func(r engine.Reader) error { return nil }), "reading goes on")
	_, err = other.exec("ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, db.Writable())
}
