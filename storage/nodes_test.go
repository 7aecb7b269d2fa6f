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

// Every node on PostgreSQL has a name of its own, also one without a configured name: lists of nodes and counts of accounts have a row for each node.
func TestLockNodePostgres(t *testing.T) {
	seen := map[string]bool{}
	for _, configured := range []string{"", "", "alpha", "alpha"} {
		name, err := lockNodePostgres(configured)
		require.NoError(t, err)
		require.Regexp(t, `^[A-Za-z0-9][A-Za-z0-9._-]*~[0-9a-f]{8}$`, name)
		require.Contains(t, name, configured)
		require.False(t, seen[name], "two nodes are called %s", name)
		seen[name] = true
	}
	_, err := lockNodePostgres("a b")
	require.ErrorContains(t, err, "use at most 64 letters")
}
