package storage

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
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
	require.NoError(t, os.Remove(filler))
	require.NoError(t, db.Writable())
}
