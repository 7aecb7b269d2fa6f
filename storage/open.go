package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"payswitch/engine"
	"payswitch/engine/port"
	"payswitch/engine/vault"
)

// Options are the store's settings. Zero values mean the defaults.
type Options struct {
	Logger *slog.Logger // nil: the store logs nothing
	// Migrate allows Open to bring an older database up to date, after a copy of the file. Without it Open refuses an older database. Open
	// always sets up a new database.
	Migrate bool
	// Observer is called after every commit with the number of callers in it, and with the time since the first of them began. The writer
	// calls it, so it must not block.
	Observer func(batchSize int, took time.Duration)
	// Readers is the number of concurrent reads; default: one per core, at least 4.
	Readers int
	// Postgres are the settings of a PostgreSQL database. LogLimit, LogAge, Readers and BusyTimeout are SQLite's.
	Postgres Postgres
	// BusyTimeout is the time to wait for another process that writes; default 10 s.
	BusyTimeout time.Duration
	// Clock returns the database's time; default: the host's for SQLite, the server's for PostgreSQL. Tests replace it.
	Clock func() time.Time
	// LogLimit is the size of the write-ahead log, in bytes, above which the writer empties it as soon as it can; default 64 MiB.
	LogLimit int64
	// LogAge is the maximum time between two emptyings of the log, which holds deleted data until then; default 5 minutes.
	LogAge time.Duration
}

// DB is an open database. It implements engine.Store and is safe for concurrent use.
type DB struct {
	name     string // for messages; it holds no password
	log      *slog.Logger
	writer   *writer
	signer   *signer
	view     func(ctx context.Context, f func(r engine.Reader) error) error
	writable func() error
	close    func() error // once
	// closeParts closes what the database's own code has opened.
	closeParts func() error
	migrations int // that the database had at the start

	// The fields below are SQLite's.
	path    string // without symbolic links
	busy    time.Duration
	readers *readers
	guard   *logGuard
	locks   []*os.File // of LockNode
}

var _ engine.Store = (*DB)(nil)

// Open opens the database that dsn names, and sets it up if it is new: sqlite:payswitch.db or sqlite:/absolute/path, whose directory must exist,
// or postgres://user@host/database, which must exist. Close the DB after use.
func Open(ctx context.Context, dsn string, o Options) (*DB, error) {
	return openWith(ctx, dsn, o, migrationFiles)
}

func openWith(ctx context.Context, dsn string, o Options, migrations fs.FS) (*DB, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	open := openSQLite
	if isPostgres(dsn) {
		open = openPostgres
	}
	o.Postgres.defaults()
	d, err := open(ctx, dsn, o, migrations)
	if err != nil {
		return nil, err
	}
	d.close = sync.OnceValue(d.closeParts)
	return d, nil
}

func openSQLite(ctx context.Context, dsn string, o Options, migrations fs.FS) (*DB, error) {
	path, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.BusyTimeout <= 0 {
		o.BusyTimeout = 10 * time.Second
	}
	if o.Readers <= 0 {
		o.Readers = max(4, runtime.NumCPU())
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.LogLimit <= 0 {
		o.LogLimit = 64 << 20
	}
	if o.LogAge <= 0 {
		o.LogAge = 5 * time.Minute
	}
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	conn, err := openLite(path, o.BusyTimeout, fmt.Sprintf("journal_size_limit(%d)", o.LogLimit))
	if err != nil {
		return nil, err
	}
	conn.clock = o.Clock
	d := &DB{name: path, path: path, log: o.Logger, busy: o.BusyTimeout, signer: new(signer)}
	if err := d.prepare(ctx, conn, migrations, o.Migrate); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	tables, err := conn.tables()
	if err != nil {
		return nil, errors.Join(err, conn.close())
	}
	conn.follows = slices.Contains(tables, "copies")
	if d.readers, err = openReaders(path, o.BusyTimeout, o.Readers, d.signer, o.Clock); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	if d.path, err = filepath.EvalSymlinks(path); err == nil {
		conn.files, err = lookAtFiles(path, d.path, o.Logger)
	}
	if err != nil {
		d.readers.close()
		return nil, errors.Join(err, conn.close())
	}
	d.view, d.writable = d.readers.view, d.writableSQLite
	d.guard = newLogGuard(d, conn, o.LogLimit, o.LogAge)
	d.writer = newWriter(d.signer, o.Observer, d.guard.check, batchMax)
	d.writer.start(conn, false)
	d.closeParts = func() error {
		d.writer.close()
		if conn.files.check() != nil { // the last connection to close would remove the log
			conn.keepLog()
		}
		d.readers.close()
		err := conn.close()
		for _, f := range d.locks {
			err = errors.Join(err, f.Close())
		}
		return err
	}
	return d, nil
}

// prepare checks the schema. It applies missing migrations if migrate is true or the database is new.
func (d *DB) prepare(ctx context.Context, conn schemaConn, migrations fs.FS, migrate bool) error {
	m := &migrator{conn: conn, path: d.name, files: migrations, log: d.log}
	pending, isNew, err := m.pending()
	if err != nil {
		return err
	}
	known, err := readMigrations(migrations)
	if err != nil {
		return err
	}
	d.migrations = len(known)
	if len(pending) > 0 {
		if !isNew && !migrate {
			return fmt.Errorf("database %s needs migrations (%s): run `payswitch migrate`", d.name, names(pending))
		}
		if _, err = m.apply(ctx); err != nil {
			return err
		}
	}
	if err := refuseUnfinished(conn, d.name); err != nil {
		return err
	}
	return m.checkSchema()
}

// Update implements engine.Store. A call within another Update would wait for itself forever. After an error of the database (disk full, I/O) the
// outcome can be open: a crash right after the error may bring the writes back. After ErrOutcome the outcome is open, too.
func (d *DB) Update(ctx context.Context, f func(tx engine.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return port.InTransaction(ctx, f, d.writer.do)
}

// Writable commits a write that changes nothing, and returns why the database takes no write: the disk is full, or another program has locked
// the file. SQLite's write is one page of the log, which SQLite uses again, so asking often does not fill the disk.
func (d *DB) Writable() error { return d.writable() }

func (d *DB) writableSQLite() error {
	return d.writer.do(func(etx engine.Tx) error {
		s := etx.(*tx).s
		var version int64
		if err := s.query("PRAGMA user_version", nil, func(row scanner) error { return row.Scan(&version) }); err != nil {
			return err
		}
		_, err := s.exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
}

// View implements engine.Store.
func (d *DB) View(ctx context.Context, f func(r engine.Reader) error) error {
	return d.view(ctx, f)
}

// SignRows implements engine.Store.
func (d *DB) SignRows(s vault.RowSigner) { d.signer.Store(&s) }

// signer holds the signer of rows, nil before SignRows.
type signer struct {
	atomic.Pointer[vault.RowSigner]
}

func (s *signer) now() vault.RowSigner {
	if p := s.Load(); p != nil {
		return *p
	}
	return nil
}

// Close finishes the writes that were handed over, waits for the views under way, and closes the files or connections. SQLite's log goes into the
// database file. Later calls get ErrClosed.
func (d *DB) Close() error { return d.close() }

const dsnForms = "use sqlite:payswitch.db, sqlite:/absolute/path or postgres://user@host/database"

// parseDSN returns the path of a SQLite database.
func parseDSN(dsn string) (string, error) {
	scheme, path, found := strings.Cut(dsn, ":")
	switch {
	case !found:
		return "", fmt.Errorf("storage.dsn %q has no scheme: %s", dsn, dsnForms)
	case scheme == "postgres" || scheme == "postgresql":
		return "", fmt.Errorf("storage.dsn: // is missing after %s: %s", scheme, pgForm) // the error omits the dsn, which may hold a password
	case scheme != "sqlite":
		return "", fmt.Errorf("storage.dsn has the unknown scheme %q: %s", scheme, dsnForms)
	case path == "":
		return "", fmt.Errorf("storage.dsn %q names no file: %s", dsn, dsnForms)
	case strings.HasPrefix(path, ":memory:"):
		return "", fmt.Errorf("storage.dsn %q: a database in memory loses payments: %s", dsn, dsnForms)
	case strings.HasPrefix(path, "//"):
		return "", fmt.Errorf("storage.dsn %q: no // after sqlite: %s", dsn, dsnForms)
	case strings.Contains(path, "?"):
		return "", fmt.Errorf("storage.dsn %q: parameters are not supported: %s", dsn, dsnForms)
	}
	return path, nil
}

// createPrivate creates a missing file, readable by its owner alone. SQLite gives its log the same mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("open database: %w: make the folder %s, or correct storage.dsn", err, filepath.Dir(path))
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("open database: %w: payswitch writes in the folder %s, so let its user write there, or correct storage.dsn", err, filepath.Dir(path))
	case err != nil:
		return fmt.Errorf("open database: %w", err)
	}
	return f.Close()
}
