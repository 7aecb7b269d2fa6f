package storage

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// A connection whose time limits got lost on the way is refused: a pooler that ignores them is in between, and would lose later settings too.
// Another limit, such as one of the role, is no better than none.
func TestPoolerIsRefused(t *testing.T) {
	dsn := pgtest.Empty(t)
	for name, instead := range map[string]string{"statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "1min"} {
		config, err := readDSN(dsn, Postgres{StatementTimeout: 10 * time.Second, LockTimeout: 5 * time.Second})
		require.NoError(t, err)
		d := &pgDialer{config: config}
		c, err := d.connect()
		require.NoError(t, err)
		require.NoError(t, c.Close(context.Background()))
		given := config.Copy()
		given.RuntimeParams[name] = instead // as PgBouncer does with ignore_startup_parameters
		d.config = given
		_, err = d.connect()
		require.ErrorIs(t, err, errPooler, name)
		require.ErrorContains(t, err, "without a pooler in between")
		require.ErrorContains(t, err, fmt.Sprintf("(%s is %s instead of ", name, instead))
	}
}

// Time limits are equal in every form in which an address may give them.
func TestSameLimit(t *testing.T) {
	for _, same := range [][2]string{{"10000", "10s"}, {"60000", "1min"}, {"1min", "1min"}, {"1500", "1500ms"}, {"1.5s", "1500ms"}, {"0", "0"}, {"10 s", "10s"}, {"x", "10s"}} {
		require.True(t, sameLimit(same[0], same[1]), same)
	}
	for _, other := range [][2]string{{"10000", "30s"}, {"10000", "0"}, {"0", "10s"}, {"x", "0"}} {
		require.False(t, sameLimit(other[0], other[1]), other)
	}
}

// PgBouncer itself: its transaction mode is refused, also where the role has payswitch's time limits. Its session mode is taken then.
func TestPgBouncer(t *testing.T) {
	bouncer, err := exec.LookPath("/usr/sbin/pgbouncer")
	if err != nil {
		require.Empty(t, os.Getenv("TEST_ALL"), "make test skips nothing: install pgbouncer")
		t.Skip("PgBouncer is not installed")
	}
	server := pgtest.Own(t)
	for _, statement := range []string{"CREATE ROLE pooled LOGIN", "CREATE DATABASE session OWNER pooled", "CREATE DATABASE transaction OWNER pooled"} {
		require.NoError(t, pgtest.Run(server.DSN("postgres"), statement))
	}
	at, err := url.Parse(server.DSN("session"))
	require.NoError(t, err)
	folder, err := os.MkdirTemp("", "bouncer") // PgBouncer refuses root, so that another user must get in
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o777))
	settings := `[databases]
* = host=` + at.Query().Get("host") + `
session = host=` + at.Query().Get("host") + ` pool_mode=session
transaction = host=` + at.Query().Get("host") + ` pool_mode=transaction
[pgbouncer]
listen_addr =
unix_socket_dir = ` + folder + `
listen_port = 6432
auth_type = any
`
	for _, base := range []string{"session", "transaction"} {
		settings = strings.Replace(settings, base+" = ", base+" = user=pooled ", 1)
	}
	file := filepath.Join(folder, "pgbouncer.ini")
	run := func(settings string) (stop func()) {
		require.NoError(t, os.WriteFile(file, []byte(settings), 0o644))
		args := []string{file}
		if os.Getuid() == 0 {
			args = append([]string{"-u", "postgres"}, args...)
		}
		cmd := exec.Command(bouncer, args...)
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(folder, ".s.PGSQL.6432")); return err == nil }, 10*time.Second, 10*time.Millisecond)
		return func() { cmd.Process.Kill(); cmd.Wait(); os.Remove(filepath.Join(folder, ".s.PGSQL.6432")) }
	}
	open := func(database string) error {
		db, err := Open(t.Context(), "postgres://pooled@/"+database+"?port=6432&host="+url.QueryEscape(folder), Options{Migrate: true})
		if err == nil {
			err = db.Writable()
			require.NoError(t, db.Close())
		}
		return err
	}

	stop := run(settings)
	for _, mode := range []string{"session", "transaction"} {
		require.ErrorContains(t, open(mode), "unsupported startup parameter", mode)
		require.ErrorContains(t, open(mode), withoutPooler, mode)
	}
	stop()
	settings += "ignore_startup_parameters = " + strings.Join(timeLimits, ", ") + "\n"
	stop = run(settings)
	for _, mode := range []string{"session", "transaction"} {
		require.ErrorContains(t, open(mode), withoutPooler, mode)
	}
	stop()
	for name, value := range map[string]string{"statement_timeout": "10s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "15s"} {
		require.NoError(t, pgtest.Run(server.DSN("postgres"), "ALTER ROLE pooled SET "+name+" = '"+value+"'"))
	}
	t.Cleanup(run(settings))
	require.ErrorIs(t, open("transaction"), errSharing)
	require.NoError(t, open("session"))
}
