package storage

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
)

// A database on a full disk is not writable, and is again when there is room. The test needs the right to mount a small file system.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("no right to mount a file system:", err)
	}
	defer syscall.Unmount(dir, 0)
	db, err := Open(context.Background(), "sqlite:"+filepath.Join(dir, "p.db"), Options{Migrate: true})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Writable())
	filler := filepath.Join(dir, "filler")
	f, err := os.Create(filler)
	require.NoError(t, err)
	for block := make([]byte, 4096); err == nil; {
		_, err = f.Write(block)
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, f.Close())
	for range 2000 { // until the log has used the room that it has
		if err = db.Writable(); err != nil {
			break
		}
	}
	require.ErrorContains(t, err, "full")
	require.ErrorIs(t, err, fault.ErrAway, "the caller may try again")
	refused := fault.Internal(err, "store payment")
	require.Equal(t, fault.KindUnavailable, refused.Kind)
	require.Contains(t, refused.Message, "takes no write")
	require.NoError(t, os.Remove(filler))
	require.NoError(t, db.Writable())
}

// A copy before a migration that does not end leaves nothing under the name of a copy: an operator would take the part for the whole.
func TestFullDiskAtTheCopyOfAMigration(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=16m"); err != nil {
		t.Skip("no right to mount a file system:", err)
	}
	defer syscall.Unmount(dir, 0)
	path := filepath.Join(dir, "p.db")
	files := fstest.MapFS{"migrations/0001_init.sql": file("CREATE TABLE a (x BLOB); INSERT INTO a VALUES (zeroblob(2200000))")}
	_, err := migrate(t, path, files)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 12<<20), 0o600))
	left := filepath.Join(dir, "p.db.before-0002_more-123.part")
	require.NoError(t, os.WriteFile(left, []byte("of a migration that was killed"), 0o600))
	require.NoError(t, os.Chtimes(left, time.Now(), time.Now().Add(-time.Hour)))

	files["migrations/0002_more.sql"] = file("CREATE TABLE c (x TEXT)")
	_, err = migrate(t, path, files)
	require.ErrorContains(t, err, "full")
	copies, err := filepath.Glob(path + ".before-*")
	require.NoError(t, err)
	require.Empty(t, copies)
}
