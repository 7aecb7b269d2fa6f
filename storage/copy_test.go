package storage_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/storage"
)

func openFileDB(t *testing.T, file string) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func note(t *testing.T, db *storage.DB, text string) {
	t.Helper()
	require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error {
		return tx.InsertEvidence(drive.Evidence{OperationID: "op", MerchantID: "m", At: tx.Now(), Source: "test", Outcome: []byte("{}"), Note: text})
	}))
}

func notes(t *testing.T, db *storage.DB) (out []string) {
	t.Helper()
	require.NoError(t, db.View(t.Context(), func(r engine.Reader) error {
		list, err := r.Evidence("op")
		for _, k := range list {
			out = append(out, k.Note)
		}
		return err
	}))
	return out
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// A copy that is taken while the database is written to is whole, private, alone in its folder, and says that it is a copy.
func TestCopyOfADatabaseInUse(t *testing.T) {
	dir := t.TempDir()
	dsn, file := "sqlite:"+filepath.Join(dir, "p.db"), filepath.Join(dir, "out", "copy's.db")
	require.NoError(t, os.Mkdir(filepath.Dir(file), 0o700))
	db := openFileDB(t, filepath.Join(dir, "p.db"))
	note(t, db, "before")
	stop := make(chan struct{})
	var writes sync.WaitGroup
	writes.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				note(t, db, strings.Repeat("x", 4000))
			}
		}
	})
	c, err := storage.Copy(t.Context(), dsn, file)
	close(stop)
	writes.Wait()
	require.NoError(t, err)
	st, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())
	require.Equal(t, st.Size(), c.Bytes)
	require.Equal(t, []string{"copy's.db", "copy's.db.sha256"}, filesIn(t, filepath.Dir(file)), "nothing else is left")

	x, err := storage.Examine(t.Context(), file)
	require.NoError(t, err)
	require.True(t, x.TakenAt.Equal(c.TakenAt))
	require.Empty(t, x.Pending)
	require.True(t, x.Newest.IsZero())
	require.Len(t, filesIn(t, filepath.Dir(file)), 2, "the check leaves nothing either")

	after, err := storage.OpenCopy(file, nil)
	require.NoError(t, err)
	require.Equal(t, "before", notes(t, after)[0])
	require.Error(t, after.Update(t.Context(), func(tx engine.Tx) error { return tx.InsertRestore(time.Now()) }), "a copy is read-only")
	require.NoError(t, after.Close())

	var marks int
	require.NoError(t, db.View(t.Context(), func(r engine.Reader) error { list, err := r.Restores(); marks = len(list); return err }))
	require.Zero(t, marks, "the database itself is no copy")
}

// A back-up never overwrites a file, not even by a link, and leaves nothing behind when it fails.
func TestCopyNeverOverwrites(t *testing.T) {
	dir := t.TempDir()
	dsn, file := "sqlite:"+filepath.Join(dir, "p.db"), filepath.Join(dir, "copy.db")
	db := openFileDB(t, filepath.Join(dir, "p.db"))
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
	_, err := storage.Copy(t.Context(), dsn, file)
	require.ErrorContains(t, err, "never overwrites")
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(got))
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink(filepath.Join(dir, "elsewhere"), file))
	_, err = storage.Copy(t.Context(), dsn, file)
	require.ErrorContains(t, err, "never overwrites")
	require.NoError(t, os.Remove(file))
	require.NoError(t, db.Close())
	_, err = storage.Copy(t.Context(), dsn, file)
	require.NoError(t, err, "without a running node too")
	require.NoFileExists(t, file+".part")
	_, err = storage.Copy(t.Context(), "sqlite:"+filepath.Join(dir, "missing.db"), filepath.Join(dir, "x.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoFileExists(t, filepath.Join(dir, "missing.db"), "a missing database is not made")
}

// What is no whole copy is refused.
func TestExamineRefuses(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "copy.db")
	db := openFileDB(t, filepath.Join(dir, "p.db"))
	for range 200 {
		note(t, db, strings.Repeat("x", 1000))
	}
	_, err := storage.Copy(t.Context(), "sqlite:"+filepath.Join(dir, "p.db"), file)
	require.NoError(t, err)
	_, err = storage.Examine(t.Context(), filepath.Join(dir, "p.db"))
	require.ErrorContains(t, err, "write-ahead log")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	refused := func(name string, content []byte) error {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, err := storage.Examine(t.Context(), path)
		require.Error(t, err, name)
		return err
	}
	refused("cut.db", whole[:len(whole)/2])
	refused("noise.db", []byte(strings.Repeat("no database ", 1000)))
	require.ErrorContains(t, refused("empty.db", nil), "empty")
	spoilt := append([]byte(nil), whole...)
	for i := len(spoilt) / 2; i < len(spoilt)/2+3*8192; i++ {
		spoilt[i] ^= 0x5a
	}
	refused("spoilt.db", spoilt)
	_, err = storage.Examine(t.Context(), filepath.Join(dir, "missing.db"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// No signature covers the place of a back-up, and SQLite checks no text: only the digest of the copy shows that one byte of it was flipped.
func TestExamineComparesTheDigest(t *testing.T) {
	dir := t.TempDir()
	dsn, file := "sqlite:"+filepath.Join(dir, "p.db"), filepath.Join(dir, "copy.db")
	openFileDB(t, filepath.Join(dir, "p.db"))
	require.NoError(t, storage.NoteBackup(t.Context(), dsn, storage.Backup{TakenAt: time.Now(), Place: "the shelf in the cellar"}))
	_, err := storage.Copy(t.Context(), dsn, file)
	require.NoError(t, err)
	x, err := storage.Examine(t.Context(), file)
	require.NoError(t, err)
	require.True(t, x.Digest)

	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	flipped := append([]byte(nil), whole...)
	at := bytes.Index(whole, []byte("the shelf in the cellar"))
	require.Positive(t, at)
	flipped[at] ^= 1
	require.NoError(t, os.WriteFile(file, flipped, 0o600))
	_, err = storage.Examine(t.Context(), file)
	require.ErrorContains(t, err, "use another back-up")
	require.ErrorContains(t, err, "copy.db.sha256")
	require.NoError(t, os.WriteFile(file, whole, 0o600))
	_, err = storage.Examine(t.Context(), file)
	require.NoError(t, err)

	said, err := os.ReadFile(file + ".sha256")
	require.NoError(t, err)
	require.Regexp(t, `^[0-9a-f]{64}  copy\.db\n$`, string(said), "as sha256sum -c reads it")
	for _, damaged := range []string{"", "\n", string(said[:40])} {
		require.NoError(t, os.WriteFile(file+".sha256", []byte(damaged), 0o600))
		_, err = storage.Examine(t.Context(), file)
		require.ErrorContains(t, err, "copy.db.sha256")
	}
	require.NoError(t, os.Remove(file+".sha256"))
	x, err = storage.Examine(t.Context(), file)
	require.NoError(t, err, "a copy by other means has no digest")
	require.False(t, x.Digest)
}

// A restore keeps the earlier database, is refused while a node runs, and marks a copy that does not say that it is one.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	at := filepath.Join(dir, "p.db")
	dsn, file := "sqlite:"+at, filepath.Join(dir, "copy.db")
	db := openFileDB(t, at)
	note(t, db, "first")
	c, err := storage.Copy(t.Context(), dsn, file)
	require.NoError(t, err)
	note(t, db, "second")
	_, _, err = db.LockNode("a")
	require.NoError(t, err)
	_, err = storage.Restore(t.Context(), dsn, file, time.Now())
	require.ErrorContains(t, err, "stop all nodes first")
	require.Equal(t, []string{"first", "second"}, notes(t, db))
	require.NoError(t, db.Close())

	kept, err := storage.Restore(t.Context(), dsn, file, time.Now())
	require.NoError(t, err)
	require.Equal(t, []string{"first", "second"}, notes(t, openFileDB(t, kept)))
	restored := openFileDB(t, at)
	require.Equal(t, []string{"first"}, notes(t, restored))
	require.NoError(t, restored.View(t.Context(), func(r engine.Reader) error {
		list, err := r.Restores()
		require.Len(t, list, 1)
		require.True(t, list[0].TakenAt.Equal(c.TakenAt), "the copy knows when it was taken")
		require.Zero(t, list[0].StartedAt)
		return err
	}))
	require.NoError(t, restored.Close())

	// A database that is damaged beyond opening is kept as it is, with its log.
	require.NoError(t, os.WriteFile(at, []byte(strings.Repeat("damaged", 3000)), 0o600))
	require.NoError(t, os.WriteFile(at+"-wal", []byte("log"), 0o600))
	kept, err = storage.Restore(t.Context(), dsn, file, time.Now())
	require.NoError(t, err)
	require.FileExists(t, kept)
	require.NoFileExists(t, at+"-wal", "the log of another database must not meet this one")
	require.Equal(t, []string{"first"}, notes(t, openFileDB(t, at)))
}
