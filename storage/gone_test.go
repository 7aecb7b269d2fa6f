//go:build !windows

package storage_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/storage"
)

// TestFileGone: a database whose file was moved, deleted or replaced under the running switch takes no write, because the next start would not find
// it. The error names the file and the remedy. The database goes on when the same file is back.
func TestFileGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file   string // the change to the file, by the ending behind the database's name
		change func(t *testing.T, file string)
		back   bool
		text   string
	}{
		"moved":         {"", func(t *testing.T, file string) { require.NoError(t, os.Rename(file, file+".moved")) }, true, "is missing"},
		"deleted":       {"", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }, false, "is missing"},
		"replaced":      {"", replaceFile, true, "is another file"},
		"log deleted":   {"-wal", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }, false, "p.db-wal is missing"},
		"log replaced":  {"-wal", replaceFile, true, "p.db-wal is another file"},
		"index deleted": {"-shm", func(t *testing.T, file string) { require.NoError(t, os.Remove(file)) }, false, "p.db-shm is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "p.db")
			db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
			require.NoError(t, err)
			defer db.Close()
			fillForMove(t, db, 0, 2)
			c.change(t, file+c.file)
			ran := false
			err = db.Update(t.Context(), func(tx engine.Tx) error { ran = true; return tx.InsertRestore(time.Now()) })
			require.True(t, ran)
			require.ErrorIs(t, err, fault.ErrGone)
			require.ErrorIs(t, err, fault.ErrAway, "the caller may try again")
			require.ErrorContains(t, err, c.text)
			require.ErrorContains(t, err, "put it back")
			require.NotContains(t, err.Error(), "does not answer")
			require.ErrorIs(t, db.Writable(), fault.ErrGone)
			require.Equal(t, fault.KindUnavailable, fault.Internal(err, "write").Kind)
			if c.back {
				require.NoError(t, os.Rename(file+c.file+".moved", file+c.file))
				require.NoError(t, db.Writable(), "the same file is back")
				require.NoError(t, db.View(context.Background(), func(r engine.Reader) error {
					list, err := r.Restores()
					require.Empty(t, list, "nothing was written meanwhile")
					return err
				}))
			}
		})
	}
}

// TestCloseLeavesAnothersLog: a switch whose file was replaced does not remove the write-ahead log of the database that has the name now.
func TestCloseLeavesAnothersLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "p.db")
	first, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
	require.NoError(t, err)
	fillForMove(t, first, 0, 2)
	for _, ending := range []string{"", "-wal", "-shm"} {
		require.NoError(t, os.Rename(file+ending, file+".moved"+ending))
	}
	second, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
	require.NoError(t, err)
	defer second.Close()
	fillForMove(t, second, 0, 3)
	require.ErrorIs(t, first.Writable(), fault.ErrGone)
	require.NoError(t, first.Close())
	require.FileExists(t, file+"-wal")
	require.NoError(t, second.Writable())
	moved, err := storage.Open(t.Context(), "sqlite:"+file+".moved", storage.Options{})
	require.NoError(t, err)
	defer moved.Close()
	at, err := moved.Position(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2, at, "the moved database has all that it had")
}

// replaceFile moves a file away, and puts a copy in its place.
func replaceFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Rename(file, file+".moved"))
	require.NoError(t, os.WriteFile(file, text, 0o600))
}
