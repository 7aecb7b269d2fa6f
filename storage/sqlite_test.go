package storage_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/storetest"
	"payswitch/storage"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, storage.Options{Readers: 2}) })
}

// The suite runs again with a log guard that works after every commit that allows it.
func TestConformanceSmallLog(t *testing.T) {
	storetest.Run(t, func(t *testing.T) engine.Store { return open(t, storage.Options{LogLimit: 1, Readers: 1}) })
}

func TestDSN(t *testing.T) {
	dir := t.TempDir()
	for dsn, want := range map[string]string{
		"":                              "has no scheme",
		"payswitch.db":                  "has no scheme",
		"sqlite:":                       "names no file",
		"sqlite::memory:":               "loses payments",
		"sqlite://payswitch.db":         "no // after sqlite:",
		"sqlite:x.db?synchronous=off":   "parameters are not supported",
		"postgres:u:hunter2@host/db":    "// is missing after postgres",
		"postgres://u:hunter2@:x/db":    "the address cannot be read",
		"postgres://u:hun%ter2@host/db": "the address cannot be read",
		"postgres://u@127.0.0.1:1/db?password=hunter2&sslmode=hunter2": "a part of the address",
		"postgres://u:hunter2@127.0.0.1:1/db":                          "the database does not answer",
		"postgres://u:hunter2@127.0.0.1:1,localhost:1/db":              "the database does not answer",
		"postgresql://127.0.0.1:1/db?user=u&password=hunter2":          "the database does not answer",
		"mysql://u:hunter2@host/db":                                    `unknown scheme "mysql"`,
		"sqlite:" + dir:                                                "is a directory",
		"sqlite:" + dir + "/no/x.db":                                   "no such file or directory",
	} {
		for name, call := range map[string]func() error{
			"open":    func() error { _, err := storage.Open(context.Background(), dsn, storage.Options{}); return err },
			"migrate": func() error { _, err := storage.Migrate(context.Background(), dsn); return err },
		} {
			err := call()
			require.ErrorContains(t, err, want, "%s %q", name, dsn)
			require.NotContains(t, err.Error(), "hunter2", "a password")
		}
	}
	odd := filepath.Join(dir, "50% of #1 é.db")
	db, err := storage.Open(context.Background(), "sqlite:"+odd, storage.Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	require.FileExists(t, odd)

	t.Chdir(dir)
	db, err = storage.Open(context.Background(), "sqlite:relative.db", storage.Options{})
	require.NoError(t, err)
	for _, name := range []string{"relative.db", "relative.db-wal"} {
		st, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), st.Mode().Perm(), "%s: only its owner may read it", name)
	}
	require.NoError(t, db.Close())
	require.NoFileExists(t, "relative.db-wal", "closing leaves one file")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = storage.Open(ctx, "sqlite:never.db", storage.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.NoFileExists(t, "never.db")
}

func TestNotADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	require.NoError(t, os.WriteFile(path, []byte("this is a text file, and rather a long one, so that it has a whole header in it .........................."), 0o600))
	_, err := storage.Open(context.Background(), "sqlite:"+path, storage.Options{})
	require.ErrorContains(t, err, "not a database")
}

func TestClosed(t *testing.T) {
	db, err := storage.Open(context.Background(), "sqlite:"+filepath.Join(t.TempDir(), "x.db"), storage.Options{})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for caller := range 8 {
		wg.Go(func() { // callers in time are served, later callers get ErrClosed
			for n := 0; ; n++ {
				name := fmt.Sprint(caller, "/", n)
				err := db.Update(context.Background(), func(tx engine.Tx) error { return tx.InsertKeyset(name, []byte("v")) })
				if err == nil {
					err = db.View(context.Background(), func(r engine.Reader) error { _, err := r.Keyset(name); return err })
				}
				if err != nil {
					if !errors.Is(err, storage.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	require.NoError(t, db.Close())
	wg.Wait()
	require.ErrorIs(t, db.Update(context.Background(), func(engine.Tx) error { return nil }), storage.ErrClosed)
	require.ErrorIs(t, db.View(context.Background(), func(engine.Reader) error { return nil }), storage.ErrClosed)
}

// A test that fails within a transaction's function ends the goroutine of that function, which is the writer's.
func TestFunctionEndsGoroutine(t *testing.T) {
	db := open(t, storage.Options{})
	for range 3 {
		err := db.Update(context.Background(), func(tx engine.Tx) error {
			if err := tx.InsertKeyset("lost", []byte("v")); err != nil {
				return err
			}
			runtime.Goexit()
			return nil
		})
		require.ErrorContains(t, err, "ended its goroutine")
	}
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		_, err := tx.Keyset("lost")
		require.ErrorIs(t, err, fault.ErrNotFound)
		return tx.InsertKeyset("kept", []byte("v"))
	}))
}

// TestCopyOfLiveFiles opens the files that a power cut would leave: copied as they are, without a close.
func TestCopyOfLiveFiles(t *testing.T) {
	dir := t.TempDir()
	db, err := storage.Open(context.Background(), "sqlite:"+filepath.Join(dir, "live.db"), storage.Options{})
	require.NoError(t, err)
	defer db.Close()
	for n := range int64(50) {
		p, a, o := samplePayment(n)
		p.ID = fmt.Sprint("pay_", n)
		write(t, db, p, a, o)
	}
	for _, suffix := range []string{"", "-wal"} { // not -shm: it does not survive a power cut
		copyFile(t, filepath.Join(dir, "live.db"+suffix), filepath.Join(dir, "copy.db"+suffix))
	}
	after, err := storage.Open(context.Background(), "sqlite:"+filepath.Join(dir, "copy.db"), storage.Options{})
	require.NoError(t, err)
	defer after.Close()
	require.NoError(t, after.View(context.Background(), func(r engine.Reader) error {
		for n := range 50 {
			_, err := r.Payment("merchant_1", fmt.Sprint("pay_", n))
			require.NoError(t, err)
		}
		return nil
	}))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.Create(to)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, errors.Join(err, out.Close()))
}

// TestKill kills a process that writes, and checks that every write which the store reported as durable is there.
func TestKill(t *testing.T) {
	const variable = "TEST_KILL"
	if path := os.Getenv(variable); path != "" {
		writeUntilKilled(t, path)
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	path := filepath.Join(t.TempDir(), "x.db")
	acknowledged := map[string]bool{}
	for round := range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), variable+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			acknowledged[lines.Text()] = true
			if n == 200*(round+1) {
				require.NoError(t, cmd.Process.Kill())
			}
		}
		require.Error(t, cmd.Wait(), "the process was killed")

		db, err := storage.Open(context.Background(), "sqlite:"+path, storage.Options{})
		require.NoError(t, err)
		require.NoError(t, db.View(context.Background(), func(r engine.Reader) error {
			for id := range acknowledged {
				p, err := r.Payment("merchant_1", id)
				require.NoError(t, err)
				attempts, err := r.Attempts("merchant_1", id)
				require.NoError(t, err)
				operations, err := r.Operations("merchant_1", id)
				require.NoError(t, err)
				require.Len(t, attempts, 1)
				require.Len(t, operations, 1, "only whole transactions survive")
				require.Equal(t, p.OpenOperation, operations[0].ID)
			}
			return nil
		}))
		require.NoError(t, db.Close())
	}
	require.Greater(t, len(acknowledged), 600)
}

func writeUntilKilled(t *testing.T, path string) {
	db, err := storage.Open(context.Background(), "sqlite:"+path, storage.Options{})
	require.NoError(t, err)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range int64(8) {
		wg.Go(func() {
			for n := int64(0); n < 100000; n++ {
				p, a, o := samplePayment(w*100000 + n)
				p.ID = fmt.Sprintf("%s_%d", p.ID, os.Getpid())
				a.PaymentID, a.ID, o.PaymentID, o.ID = p.ID, p.ID+"_1", p.ID, "op_"+p.ID
				p.OpenOperation = o.ID
				write(t, db, p, a, o)
				mu.Lock()
				fmt.Println(p.ID)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// TestLogIsEmptied holds a snapshot during many writes: the log grows, and shrinks once the snapshot is gone.
func TestLogIsEmptied(t *testing.T) {
	const limit = 1 << 20
	path := filepath.Join(t.TempDir(), "x.db")
	db, err := storage.Open(context.Background(), "sqlite:"+path, storage.Options{LogLimit: limit})
	require.NoError(t, err)
	defer db.Close()
	size := func() int64 {
		st, err := os.Stat(path + "-wal")
		require.NoError(t, err)
		return st.Size()
	}
	n := int64(0)
	one := func() {
		n++
		p, a, o := samplePayment(n)
		write(t, db, p, a, o)
	}
	require.NoError(t, db.View(context.Background(), func(r engine.Reader) error {
		_, err := r.Merchants("")
		require.NoError(t, err)
		for size() < 3*limit {
			one()
		}
		return nil
	}))

	// The reads always overlap: without a pause for them SQLite would never restart the log.
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 3 * time.Millisecond)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := db.View(context.Background(), func(r engine.Reader) error {
					_, err := r.Merchants("")
					time.Sleep(9 * time.Millisecond)
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	defer wg.Wait()
	defer close(stop)
	for deadline := time.Now().Add(20 * time.Second); size() > limit; one() {
		require.True(t, time.Now().Before(deadline), "%d bytes in the log", size())
	}
}
