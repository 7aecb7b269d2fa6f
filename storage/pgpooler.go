package storage

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// This file finds out that a pooler is between payswitch and the server, and does harm.

const withoutPooler = ": name the server itself in storage.dsn, without a pooler in between; payswitch pools its connections"

// errPooler refuses a connection whose settings have not reached the server: statements would have no time limit, and later settings would be lost
// too.
var errPooler = errors.New("the server has not taken payswitch's settings, as behind PgBouncer with ignore_startup_parameters" + withoutPooler)

// errSharing refuses a pooler that gives the server's connection to another client after each transaction: settings and prepared statements would get
// lost, durable commits among them, and reach other clients.
var errSharing = errors.New("a pooler shares the server's connections by transaction, as PgBouncer does with pool_mode = transaction" + withoutPooler)

// timeLimits are the settings that bound statements and transactions.
var timeLimits = []string{"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"}

// sameLimit reports whether two time limits are equal. A form that it does not know equals all but "0".
func sameLimit(wanted, shown string) bool {
	a, known := limitTime(wanted)
	b, shownKnown := limitTime(shown)
	if !known || !shownKnown {
		return wanted == shown || wanted != "0" && shown != "0"
	}
	return a == b
}

// limitTime reads a time limit as PostgreSQL writes it, such as 1500, 10s or 5min.
func limitTime(s string) (time.Duration, bool) {
	number := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz ")
	unit, known := map[string]time.Duration{"us": time.Microsecond, "": time.Millisecond, "ms": time.Millisecond, "s": time.Second, "min": time.Minute,
		"h": time.Hour, "d": 24 * time.Hour}[strings.TrimSpace(s[len(number):])]
	n, err := strconv.ParseFloat(number, 64)
	return time.Duration(n * float64(unit)), known && err == nil
}

// refuseSharing returns errSharing if a pooler shares the server's connections by transaction. A connection without a pooler knows the number of its
// server process from the start. Behind a pooler, two transactions of one connection at two processes prove the sharing, or two connections at one
// process.
func refuseSharing(ctx context.Context, c *pgconn.PgConn, config *pgconn.Config) error {
	first, err := serverProcess(ctx, c)
	if err != nil || first == strconv.FormatUint(uint64(c.PID()), 10) {
		return err
	}
	second, err := serverProcess(ctx, c)
	if err != nil {
		return err
	}
	other := config.Copy()
	other.AfterConnect, other.ValidateConnect = nil, nil
	o, err := pgconn.ConnectConfig(ctx, other)
	if err != nil {
		return err
	}
	defer o.Close(ctx)
	third, err := serverProcess(ctx, o)
	if err == nil && (second != first || third == first) {
		return errSharing
	}
	return err
}

// serverProcess returns the number of the process that serves a transaction, "" where the database does not know it.
func serverProcess(ctx context.Context, c *pgconn.PgConn) (string, error) {
	results, err := c.Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err != nil || len(results) != 1 || len(results[0].Rows) != 1 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}
