package storage

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	read     func() (*pgconn.Config, error) // reads the dsn and the files that it names; nil: config stays as it is
	name     string                         // for messages; it holds no password
	patience time.Duration
	clock    func() time.Time

	mu     sync.Mutex
	config *pgconn.Config
	failed error // of the latest attempt
	next   time.Time
	pause  time.Duration
	trying bool
	// separate is true for a database that does not know statements for several rows.
	separate atomic.Bool
	// ours is true once a connection has shown that no pooler shares it among its clients.
	ours atomic.Bool
	// migrations is how many migrations the database had at the start; 0 before.
	migrations int
	silent     time.Time // when the database last left a connection, or an attempt to connect, without an answer
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
	config, err := readDSN(dsn, o.Postgres)
	if err != nil {
		return nil, err
	}
	d := &pgDialer{config: config, patience: o.Postgres.StatementTimeout + answerTime, clock: o.Clock,
		read: func() (*pgconn.Config, error) { return readDSN(dsn, o.Postgres) }}
	d.name = (&url.URL{Scheme: "postgres", Host: config.Host + ":" + strconv.Itoa(int(config.Port)), Path: "/" + config.Database}).String()
	if strings.HasPrefix(config.Host, "/") {
		d.name = "postgres:" + config.Host + " database " + config.Database
	}
	return d, nil
}

// CheckDSN returns what is wrong with the address of a database, or with a file that it names. It does not connect.
func CheckDSN(dsn string) error {
	if isPostgres(dsn) {
		_, err := readDSN(dsn, Postgres{})
		return err
	}
	_, err := parseDSN(dsn)
	return err
}

// readDSN reads the dsn and the files that it names, such as those of PGPASSFILE and sslrootcert.
func readDSN(dsn string, p Postgres) (*pgconn.Config, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return nil, errors.New("storage.dsn: the address cannot be read, perhaps because of a character in the password that must be written as %..: " + pgForm)
	}
	config, err := pgconn.ParseConfig(dsn)
	if err != nil {
		inner := errors.Unwrap(err)
		var file *fs.PathError
		switch {
		case inner == nil:
		case errors.As(inner, &file):
			return nil, fmt.Errorf("storage.dsn: names a file that cannot be read: %w", file)
		case strings.Contains(inner.Error(), "sslmode"):
			return nil, errors.New("storage.dsn: a part of the address is wrong: sslmode must be one of verify-full, verify-ca, require, prefer, allow, disable")
		case strings.Contains(inner.Error(), "CA to cert pool"):
			return nil, errors.New("storage.dsn: a part of the address is wrong: the file of sslrootcert has no certificate: name one in PEM")
		case u.User == nil && u.RawQuery == "":
			return nil, fmt.Errorf("storage.dsn: a part of the address is wrong: %w: %s", inner, pgForm)
		}
		return nil, errors.New("storage.dsn: a part of the address, or a file or variable that it names, is wrong (sslmode, sslrootcert, port, connect_timeout …): " + pgForm)
	}
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
		config.ValidateConnect = takesWrites
	}
	params := config.RuntimeParams
	config.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error { return prepareConnection(ctx, c, params) }
	config.OnNotice = func(*pgconn.PgConn, *pgconn.Notice) {}
	return config, nil
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// errEncoding refuses a database that cannot hold every text.
var errEncoding = errors.New("the database's encoding is not UTF8: create it with ENCODING 'UTF8'")

// errReadOnly refuses a server that takes no writes.
var errReadOnly = errors.New("the server takes no writes: name the primary in storage.dsn, not a replica; or end default_transaction_read_only of the role and the database")

// takesWrites refuses a replica and a session that cannot write.
func takesWrites(ctx context.Context, c *pgconn.PgConn) error {
	err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, c)
	if errors.Is(err, pgconn.ErrReadOnlyConnection) {
		return errReadOnly
	}
	return err
}

// prepareConnection checks the database and makes commits durable: a server that does not wait for its log would lose payments. Every statement of
// payswitch has an index to read. Of a table that was empty when its plan was made, the server would go on reading all rows. A plan that reads all
// rows of a catalogue looks costly to the server. It would compile the plan to machine code, which takes 100 times as long as running it. So jit is
// off. The connection must have the time limits of params.
func prepareConnection(ctx context.Context, c *pgconn.PgConn, params map[string]string) error {
	results, err := c.Exec(ctx, "SET enable_seqscan = off; SET jit = off; SHOW server_encoding; SHOW synchronous_commit; SHOW "+strings.Join(timeLimits, "; SHOW ")).ReadAll()
	if err != nil {
		return err
	}
	if results = results[2:]; len(results) != 2+len(timeLimits) || slices.ContainsFunc(results, func(r *pgconn.Result) bool { return len(r.Rows) != 1 }) {
		return errors.New("the database does not show its settings")
	}
	for i, name := range timeLimits {
		if !sameLimit(params[name], string(results[2+i].Rows[0][0])) {
			return fmt.Errorf("%w (%s is %s instead of %s)", errPooler, name, results[2+i].Rows[0][0], params[name])
		}
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
		if d.read != nil { // the password or the authority's certificate may have changed meanwhile
			if config, err := d.read(); err == nil {
				d.config = config
			}
		}
	}
	config := d.config
	d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), config.ConnectTimeout)
	c, err := pgconn.ConnectConfig(ctx, config)
	if err == nil && !d.ours.Load() {
		if err = refuseSharing(ctx, c, config); err != nil {
			c.Close(ctx)
		}
		d.ours.Store(err == nil)
	}
	if err == nil && d.migrations > 0 {
		if err = sameSchema(ctx, c, d.migrations); err != nil {
			c.Close(ctx)
		}
	}
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

// sameSchema refuses a database that was migrated, or replaced, while this process had no connection: it would write rows as another release reads them.
func sameSchema(ctx context.Context, c *pgconn.PgConn, migrations int) error {
	results, err := c.Exec(ctx, "SELECT count(*) FROM schema_migrations").ReadAll()
	if err != nil {
		return err
	}
	if n := string(results[0].Rows[0][0]); n != strconv.Itoa(migrations) {
		return fmt.Errorf("it has %s migrations, and had %d when this process started: %w", n, migrations, errOtherSchema)
	}
	return nil
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
	case "08P01": // PgBouncer refuses a setting of a new connection with it
		return withoutPooler
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
