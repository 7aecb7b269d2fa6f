package storage

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A node name belongs to one open database at a time, and is free again after Close.
func TestLockNode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.db")
	open := func() *DB {
		db, err := Open(context.Background(), "sqlite:"+file, Options{Migrate: true})
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		return db
	}
	a, b := open(), open()
	name, sole, err := a.LockNode("")
	require.NoError(t, err)
	require.Equal(t, "node_1", name)
	require.True(t, sole)
	name, sole, err = b.LockNode("")
	require.NoError(t, err)
	require.Equal(t, "node_2", name)
	require.True(t, sole)
	_, _, err = b.LockNode("node_1")
	require.EqualError(t, err, `another process runs as node "node_1" on `+file+`: end it, or choose another name`)
	require.NoError(t, a.Close())
	name, sole, err = open().LockNode("node_1")
	require.NoError(t, err)
	require.Equal(t, "node_1", name)
	require.True(t, sole)
	link := filepath.Join(t.TempDir(), "link.db")
	require.NoError(t, os.Symlink(file, link))
	other, err := Open(context.Background(), "sqlite:"+link, Options{})
	require.NoError(t, err)
	defer other.Close()
	_, _, err = other.LockNode("node_1")
	require.ErrorContains(t, err, "another process runs as node", "another name of the same file")
	for _, bad := range []string{"../x", "a b", ".x", "a/b"} {
		_, _, err = b.LockNode(bad)
		require.ErrorContains(t, err, "use at most 64 letters")
	}
}
