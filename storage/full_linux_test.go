package storage

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
)

// A full disk ends writes, a checkpoint and a back-up with an error, and callers may try again. Nothing that was acknowledged is lost, nothing is half
// done, and the database goes on when there is room. A limit on the size of files makes the disk full for a process of its own. SQLite reports that
// limit in another way than a full file system, as it does a user's quota. Where mounting is allowed, a small file system is filled too.
func TestFullDisk(t *testing.T) {
	t.Run("limit on files", func(t *testing.T) {
		if dir, own := inOwnProcess(t); own {
			var lift func()
			writeToFullDisk(t, dir, "takes no write", func(size int64) { lift = limitFiles(t, uint64(size)+5*4096) }, func() { lift() })
		}
	})
	t.Run("file system", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=12m"); err != nil {
			t.Skip("no right to mount a file system, and a limit on files has shown the same:", err)
		}
		defer syscall.Unmount(dir, 0)
		filler := filepath.Join(dir, "filler")
		writeToFullDisk(t, dir, "full", func(int64) {
			f, err := os.Create(filler)
			require.NoError(t, err)
			for block := make([]byte, 4096); err == nil; {
				_, err = f.Write(block)
			}
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.NoError(t, f.Close())
		}, func() { require.NoError(t, os.Remove(filler)) })
	})
}

// inOwnProcess runs t again in a process of its own, because a limit on files counts for a whole process. It returns true and a folder in that process.
func inOwnProcess(t *testing.T) (dir string, own bool) {
	const variable = "TEST_FULL_DISK"
	if dir := os.Getenv(variable); dir != "" {
		return dir, true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+t.TempDir())
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return "", false
}

// limitFiles limits the size of the files that this process writes. lift ends the limit.
func limitFiles(t *testing.T, size uint64) (lift func()) {
	signal.Ignore(syscall.SIGXFSZ)
	var free syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &free))
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: free.Max}))
	return func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &free)) }
}

// writeToFullDisk writes to a database in dir before, while and after the disk is full. fill gets the size of the database's file.
func writeToFullDisk(t *testing.T, dir, says string, fill func(size int64), empty func()) {
	ctx, path := context.Background(), filepath.Join(dir, "p.db")
	db, err := Open(ctx, "sqlite:"+path, Options{Migrate: true})
	require.NoError(t, err)
	defer func() { db.Close() }()
	var acknowledged []string
	write := func() error {
		text := strings.Repeat("x", 4000) + strconv.Itoa(len(acknowledged))
		err := db.Update(ctx, func(tx engine.Tx) error {
			return tx.InsertEvidence(drive.Evidence{OperationID: "op", MerchantID: "m", At: tx.Now(), Source: "test", Outcome: []byte("{}"), Note: text})
		})
		if err == nil {
			acknowledged = append(acknowledged, text)
		}
		return err
	}
	whole := func() {
		var there []string
		require.NoError(t, db.View(ctx, func(r engine.Reader) error {
			list, err := r.Evidence("op")
			for _, e := range list {
				there = append(there, e.Note)
			}
			return err
		}))
		require.Equal(t, acknowledged, there)
	}
	checkpoint := func() error {
		conn, err := openLite(path, time.Second)
		require.NoError(t, err)
		defer conn.close()
		return conn.script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	for range 300 {
		require.NoError(t, write())
	}
	require.NoError(t, checkpoint())
	require.NoError(t, write())
	st, err := os.Stat(path)
	require.NoError(t, err)

	fill(st.Size())
	for range 4000 { // until the log has used the room that it has
		if err = write(); err != nil {
			break
		}
	}
	require.ErrorContains(t, err, says)
	require.ErrorIs(t, err, fault.ErrAway, "the caller may try again")
	refused := fault.Internal(err, "store payment")
	require.Equal(t, fault.KindUnavailable, refused.Kind)
	require.Contains(t, refused.Message, "takes no write")
	for range 5 { // a smaller write may fit into what is left
		if err = db.Writable(); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, fault.ErrAway)
	whole()
	require.ErrorIs(t, checkpoint(), fault.ErrAway)
	whole()
	_, err = Copy(ctx, "sqlite:"+path, filepath.Join(dir, "copy.db"))
	require.Error(t, err)
	copies, err := filepath.Glob(filepath.Join(dir, "copy.db*"))
	require.NoError(t, err)
	require.Empty(t, copies, "a part of a back-up would look like a whole one")
	require.Error(t, write())

	empty()
	require.NoError(t, db.Writable())
	require.NoError(t, write())
	require.NoError(t, checkpoint())
	_, err = Copy(ctx, "sqlite:"+path, filepath.Join(dir, "copy.db"))
	require.NoError(t, err)
	_, err = Examine(ctx, filepath.Join(dir, "copy.db"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "copy.db")))
	require.NoError(t, db.Close())
	db, err = Open(ctx, "sqlite:"+path, Options{})
	require.NoError(t, err)
	whole()
}

// A copy before a migration that does not end leaves nothing under the name of a copy: an operator would take the part for the whole.
func TestFullDiskAtTheCopyOfAMigration(t *testing.T) {
	dir, own := inOwnProcess(t)
	if !own {
		return
	}
	path := filepath.Join(dir, "p.db")
	files := fstest.MapFS{"migrations/0001_init.sql": file("CREATE TABLE a (x BLOB); INSERT INTO a VALUES (zeroblob(2200000))")}
	_, err := migrate(t, path, files)
	require.NoError(t, err)
	left := filepath.Join(dir, "p.db.before-0002_more-123.part")
	require.NoError(t, os.WriteFile(left, []byte("of a migration that was killed"), 0o600))
	require.NoError(t, os.Chtimes(left, time.Now(), time.Now().Add(-time.Hour)))

	files["migrations/0002_more.sql"] = file("CREATE TABLE c (x TEXT)")
	lift := limitFiles(t, 2<<20) // the whole copy has more, and nothing else that the migration writes before it
	_, err = migrate(t, path, files)
	require.ErrorContains(t, err, path+".before-0002_more before the migration, which needs as much room as the database")
	require.ErrorIs(t, err, fault.ErrAway)
	copies, err := filepath.Glob(path + ".before-*")
	require.NoError(t, err)
	require.Empty(t, copies)
	lift()
	_, err = migrate(t, path, files)
	require.NoError(t, err)
	require.Equal(t, int64(1), count(t, path+".before-0002_more", "SELECT count(*) FROM a"))
}
