package storage

import (
	"context"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
	"payswitch/storage/pgtest"
)

// While the database is away, callers fail without an attempt of their own, and the pauses between attempts grow.
func TestDialPauses(t *testing.T) {
	var o Options
	o.Postgres.defaults()
	d, err := newPGDialer("postgres://u:hunter2@127.0.0.1:1/db?sslmode=disable", o)
	require.NoError(t, err)
	_, first := d.connect()
	require.ErrorIs(t, first, fault.ErrAway)
	require.NotContains(t, first.Error(), "hunter2")
	d.next = time.Now().Add(time.Hour)
	for range 100 {
		_, err := d.connect()
		require.Same(t, first, err, "no attempt")
	}
	for pause := dialPause; pause < dialPauseMost; {
		require.Equal(t, pause, d.pause)
		d.next = time.Time{}
		_, err := d.connect()
		require.NotSame(t, first, err, "an attempt")
		pause = min(2*pause, dialPauseMost)
		require.Equal(t, pause, d.pause)
	}
	d.next, d.trying = time.Time{}, true
	was := d.failed
	_, err = d.connect()
	require.Same(t, was, err, "one caller tries at a time")
}

// A refusal by the server says what to do.
func TestRefusedConnectionsNameTheRemedy(t *testing.T) {
	d := &pgDialer{name: "postgres://127.0.0.1:5432/db"}
	for code, remedy := range map[string]string{"28P01": "password in storage.dsn", "28000": "pg_hba.conf", "3D000": "create the database", "42501": "GRANT CONNECT",
		"53300": "lower storage.postgres.connections", "08P01": "without a pooler"} {
		require.ErrorContains(t, d.refused(&pgconn.PgError{Severity: "FATAL", Code: code}), remedy)
	}
	require.ErrorContains(t, d.refused(fmt.Errorf("tls: %w", x509.UnknownAuthorityError{})), "sslrootcert")
}

// A server that takes no writes is refused with the remedy: a replica, or a role that a DBA has made read-only.
func TestReadOnlyServerNamesTheRemedy(t *testing.T) {
	dsn := pgtest.Empty(t)
	_, err := Open(context.Background(), dsn+"&default_transaction_read_only=on", Options{})
	require.ErrorContains(t, err, "name the primary in storage.dsn")
}

// A password that changes at the server and in PGPASSFILE counts with the next connections, without a restart of the node.
func TestPasswordChangesUnderTheNode(t *testing.T) {
	server := pgtest.Own(t)
	passfile := filepath.Join(t.TempDir(), "pgpass")
	change := func(password string) {
		require.NoError(t, pgtest.Run(server.DSN("postgres"), "ALTER ROLE keeper PASSWORD '"+password+"'"))
	}
	write := func(password string) {
		require.NoError(t, os.WriteFile(passfile, []byte("*:*:*:keeper:"+password+"\n"), 0o600))
	}
	require.NoError(t, pgtest.Run(server.DSN("postgres"), "CREATE ROLE keeper LOGIN"))
	change("one")
	write("one")
	hba := pgtest.Rows(t, server.DSN("postgres"), "SHOW hba_file")[0]
	require.NoError(t, os.WriteFile(hba, []byte("local all keeper scram-sha-256\nlocal all all trust\n"), 0o600))
	require.NoError(t, pgtest.Run(server.DSN("postgres"), "SELECT pg_reload_conf()"))
	t.Setenv("PGPASSFILE", passfile)

	d, err := newPGDialer(strings.Replace(server.DSN("postgres"), "postgres@", "keeper@", 1), Options{Postgres: Postgres{StatementTimeout: time.Second}})
	require.NoError(t, err)
	connects := func() error {
		c, err := d.connect()
		if err == nil {
			require.NoError(t, c.Close(context.Background()))
		}
		return err
	}
	require.Eventually(t, func() bool { return connects() == nil }, 10*time.Second, 50*time.Millisecond)
	change("two")
	require.Eventually(t, func() bool { return connects() != nil }, 10*time.Second, 50*time.Millisecond)
	require.ErrorContains(t, connects(), "correct user or password")
	write("two")
	require.Eventually(t, func() bool { return connects() == nil }, 10*time.Second, 50*time.Millisecond)
}

// An address with a mistake is refused without a connection. The error names the part, and never the password.
func TestCheckDSN(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	for query, want := range map[string]string{"sslmode=verifyfull": "sslmode must be one of verify-full", "sslmode=verify-full&sslrootcert=/none.pem": "open /none.pem",
		"sslmode=verify-full&sslrootcert=" + empty: "sslrootcert has no certificate", "connect_timeout=soon": "connect_timeout"} {
		err := CheckDSN("postgres://payswitch:hidden@127.0.0.1/payswitch?" + query)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "storage.dsn: ")
		require.NotContains(t, err.Error(), "hidden")
	}
	require.NoError(t, CheckDSN("postgres://payswitch:hidden@127.0.0.1/payswitch?sslmode=disable"))
	require.NoError(t, CheckDSN("sqlite:payswitch.db"))
	require.ErrorContains(t, CheckDSN("sqlite::memory:"), "loses payments")
}

// A database whose folder is missing is refused with the setting that names it.
func TestMissingFolderNamesTheRemedy(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "none")
	_, err := Open(context.Background(), "sqlite:"+filepath.Join(folder, "p.db"), Options{})
	require.ErrorContains(t, err, "make the folder "+folder+", or correct storage.dsn")
}
