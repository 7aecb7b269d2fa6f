package storage

import (
	"crypto/x509"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"payswitch/engine/fault"
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
		"53300": "lower storage.postgres.connections"} {
		require.ErrorContains(t, d.refused(&pgconn.PgError{Severity: "FATAL", Code: code}), remedy)
	}
	require.ErrorContains(t, d.refused(fmt.Errorf("tls: %w", x509.UnknownAuthorityError{})), "sslrootcert")
}
