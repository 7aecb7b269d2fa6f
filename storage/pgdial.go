package storage

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"payswitch/engine/fault"
)

// Postgres are the settings of a PostgreSQL database. Zero values mean the defaults.
type Postgres struct {
	// Connections is the number of connections of this process; default 16. A quarter of them write.
	Connections int
	// StatementTimeout ends a statement that takes longer; default 10 s.
	StatementTimeout time.Duration
	// LockTimeout ends a statement that waits longer for a lock; default 5 s.
	LockTimeout time.Duration
}

const (
	// dialTime bounds one attempt to connect, unless the dsn has connect_timeout.
	dialTime = 3 * time.Second
	// dialPause and dialPauseMost bound the time between two attempts to connect to a database that does not answer.
	dialPause     = 100 * time.Millisecond
	dialPauseMost = 5 * time.Second
	// answerTime is how long after the database's own time limits a connection waits for an answer before it is given up. The begin of a transaction
	// waits for nothing in the database, so that this is the whole time that it may take.
	answerTime = 5 * time.Second
	// doubtTime is how long the begin of a transaction may take on a connection that has not answered since another connection fell silent.
	doubtTime = time.Second
)

// pgDialer makes connections. While the database does not answer, one caller at a time tries, with growing pauses, and the others fail at once. So
// they do not all connect in one moment when the database is back.
type pgDialer struct {
	config   *pgconn.Config
	name     string // for messages; it holds no password
	patience time.Duration
	clock    func() time.Time

	mu     sync.Mutex
	failed error // of the latest attempt
	next   time.Time
	pause  time.Duration
	trying bool
	silent time.Time // when the database last left a connection, or an attempt to connect, without an answer
}

// isPostgres reports whether dsn names a PostgreSQL database.
func isPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// applicationName names the connections of payswitch in pg_stat_activity.
const applicationName = "payswitch"

const pgForm = "use postgres://user:password@host:5432/database?sslmode=verify-full"

// newPGDialer reads the dsn. Its errors hold no part of it that may be a password.
func newPGDialer(dsn string, o Options) (*pgDialer, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, errors.New("storage dsn: the address cannot be read, perhaps because of a character in the password that must be written as %..: " + pgForm)
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		var cause string
		if inner := errors.Unwrap(err); inner != nil && u.User == nil && u.RawQuery == "" {
			cause = ": " + inner.Error()
		}
		return nil, errors.New("storage dsn: a part of the address, or a file or variable that it names, is wrong (sslmode, sslrootcert, port, connect_timeout …)" + cause + ": " + pgForm)
	}
	p := o.Postgres
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = dialTime
	}
	for name, value := range map[string]string{
		"application_name":                    applicationName,
		"client_encoding":                     "UTF8",
		"statement_timeout":                   milliseconds(p.StatementTimeout),
		"lock_timeout":                        milliseconds(p.LockTimeout),
		"idle_in_transaction_session_timeout": milliseconds(p.StatementTimeout + p.LockTimeout),
	} {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	if config.ValidateConnect == nil { // after a fail-over, an address may lead to a replica
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	config.AfterConnect = prepareConnection
	config.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	d := &pgDialer{config: config, patience: p.StatementTimeout + answerTime, clock: o.Clock}
	d.name = (&url.URL{Scheme: "postgres", Host: config.Host + ":" + strconv.Itoa(int(config.Port)), Path: "/" + config.Database}).String()
	if strings.HasPrefix(config.Host, "/") {
		d.name = "postgres:" + config.Host + " database " + config.Database
	}
	return d, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// errEncoding refuses a database that cannot hold every text.
var errEncoding = errors.New("the database's encoding is not UTF8: create it with ENCODING 'UTF8'")

// prepareConnection checks the database and makes commits durable: a server that does not wait for its log would lose payments. Every statement of
// payswitch has an index to read. Of a table that was empty when its plan was made, the server would go on reading all rows. A plan that reads all
// rows of a catalogue looks costly to the server. It would compile the plan to machine code, which takes 100 times as long as running it. So jit is
// off.
func prepareConnection(ctx context.Context, c *pgconn.PgConn) error {
	results, err := c.Exec(ctx, "SET enable_seqscan = off; SET jit = off; SHOW server_encoding; SHOW synchronous_commit").ReadAll()
	if err != nil {
		return err
	}
	if results = results[2:]; len(results) != 2 || len(results[0].Rows) != 1 || len(results[1].Rows) != 1 {
		return errors.New("the database does not show its settings")
	}
	if e := string(results[0].Rows[0][0]); !strings.EqualFold(e, "UTF8") {
		return errEncoding
	}
	if string(results[1].Rows[0][0]) == "off" {
		_, err = c.Exec(ctx, "SET synchronous_commit = on").ReadAll()
	}
	return err
}

// fellSilent notes that the database did not answer in time: the other connections may lead nowhere too.
func (d *pgDialer) fellSilent() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.silent = time.Now()
}

// beginTime returns how long a connection that last answered at answered waits for the begin of a transaction.
func (d *pgDialer) beginTime(answered time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if answered.Before(d.silent) {
		return doubtTime
	}
	return answerTime
}

// connect makes a connection. It fails at once if an attempt has just failed.
func (d *pgDialer) connect() (*pgconn.PgConn, error) {
	d.mu.Lock()
	if d.failed != nil {
		if d.trying || time.Now().Before(d.next) {
			defer d.mu.Unlock()
			return nil, d.failed
		}
		d.trying = true
	}
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), d.config.ConnectTimeout)
	c, err := pgconn.ConnectConfig(ctx, d.config)
	cancel()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trying = false
	if err == nil {
		d.failed, d.pause = nil, 0
		return c, nil
	}
	d.pause = min(max(2*d.pause, dialPause), dialPauseMost)
	d.next = time.Now().Add(d.pause/2 + rand.N(d.pause))
	d.failed = d.refused(err)
	return nil, d.failed
}

// refused returns the error of an attempt to connect. pgconn's errors hold no password.
func (d *pgDialer) refused(err error) error {
	if errors.Is(err, errEncoding) {
		return fmt.Errorf("database %s: %w", d.name, errEncoding)
	}
	return fmt.Errorf("database %s: %w: %w%s", d.name, fault.ErrAway, err, connectRemedy(err))
}

// connectRemedy says what to do about a refused attempt to connect, "" where the error says it.
func connectRemedy(err error) string {
	var e *pgconn.PgError
	var issuer x509.UnknownAuthorityError
	switch {
	case errors.As(err, &issuer):
		return ": name the file with the certificate of the server's authority in sslrootcert of storage.dsn"
	case !errors.As(err, &e):
		return ""
	}
	switch e.Code {
	case "28P01", "28000":
		return ": correct user or password in storage.dsn, or pg_hba.conf of the server"
	case "3D000":
		return ": create the database, or correct its name in storage.dsn"
	case "42501":
		return ": GRANT CONNECT ON DATABASE to the user of storage.dsn"
	case "53300":
		return ": raise max_connections of the server, or lower storage.postgres.connections of the nodes"
	}
	return ""
}
