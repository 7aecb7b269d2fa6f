package storage

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"payswitch/engine"
	"payswitch/engine/fault"
)

// Copied describes a copy of a database.
type Copied struct {
	Bytes   int64
	Took    time.Duration
	TakenAt time.Time // what was committed later is not in the copy
}

// Copy writes a consistent copy of the database that dsn names to the new file path, readable by its owner alone. Nodes may run meanwhile. The copy
// records that it is one, so that a node that opens it asks the processors about all that happened later. An existing file is an error. The file
// path with ".sha256" behind it gets the digest of the copy, as sha256sum writes it. When Copy returns, both are on disk.
func Copy(ctx context.Context, dsn, path string) (c Copied, err error) {
	from, err := fileOf(dsn)
	if err != nil {
		return c, err
	}
	if err := ctx.Err(); err != nil {
		return c, err
	}
	began := time.Now()
	if _, err := os.Stat(from); err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	if _, err := os.Lstat(path); err == nil {
		return c, fmt.Errorf("back up: %s exists already: name a new file, a back-up never overwrites one", path)
	}
	list, err := Pending(ctx, dsn)
	if err != nil {
		return c, err
	}
	if len(list) > 0 {
		return c, fmt.Errorf("back up: database %s needs migrations first (%s): run `payswitch migrate`, which keeps a copy", from, strings.Join(list, ", "))
	}
	part, err := os.OpenFile(path+".part", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600) // VACUUM INTO fills an empty file, with this mode
	if errors.Is(err, os.ErrExist) {
		return c, fmt.Errorf("back up: %s is left by another back-up, or one runs: remove it if none runs", path+".part")
	}
	if err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	defer func() { // also after a link: both names were one file
		err = errors.Join(err, part.Close(), removeIfThere(part.Name()))
	}()
	if c.TakenAt, err = copyInto(ctx, from, part.Name()); err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	if err := part.Sync(); err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	sum, err := digest(ctx, part.Name())
	if err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	err = os.Link(part.Name(), path) // fails if another program has made the file meanwhile
	if err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Lstat(path); errors.Is(there, os.ErrNotExist) { // a file system without links
			err = os.Rename(part.Name(), path)
		}
	}
	if err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	st, err := os.Stat(path)
	if err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	if err := writeDigest(path, sum); err != nil {
		return c, fmt.Errorf("back up: %w", err)
	}
	c.Bytes, c.Took = st.Size(), time.Since(began)
	return c, syncFolder(path)
}

// digest returns the SHA-256 of a file, in hexadecimal.
func digest(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, ctxReader{ctx, f})
	return hex.EncodeToString(h.Sum(nil)), err
}

// writeDigest writes the digest of the copy at path into the file of the copy's name with digestSuffix.
func writeDigest(path, sum string) error {
	f, err := os.OpenFile(path+digestSuffix, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(sum + "  " + filepath.Base(path) + "\n")
	return errors.Join(err, f.Sync(), f.Close())
}

const digestSuffix = ".sha256"

// compareDigest compares the copy at path with its file of writeDigest. there is false without that file: another program has made the copy.
func compareDigest(ctx context.Context, path string) (there bool, err error) {
	said, err := os.ReadFile(path + digestSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	sum, err := digest(ctx, path)
	if want, _, _ := strings.Cut(string(said), " "); err == nil && want != sum {
		err = fmt.Errorf("%s was changed after the back-up: its SHA-256 is not the one in %s: use another back-up", path, path+digestSuffix)
	}
	return true, err
}

// fileOf returns the path of a SQLite database, which alone is copied and restored here.
func fileOf(dsn string) (string, error) {
	if isPostgres(dsn) {
		return "", errors.New("the database is PostgreSQL: back it up and restore it with its own tools (pg_basebackup with archived logs, or pg_dump); see Back-up in cmd/payswitch/OPERATIONS.md")
	}
	return parseDSN(dsn)
}

// copyInto writes the database at from into the empty file to, and the mark of a copy.
func copyInto(ctx context.Context, from, to string) (takenAt time.Time, err error) {
	conn, err := openLite(from, 10*time.Second) // query_only forbids VACUUM INTO too
	if err != nil {
		return takenAt, err
	}
	takenAt = wholeMillis(time.Now()) // the snapshot begins later, so the copy lacks nothing from before
	_, err = conn.conn.(driver.ExecerContext).ExecContext(ctx, "VACUUM INTO '"+strings.ReplaceAll(to, "'", "''")+"'", nil)
	if err = errors.Join(err, conn.close()); err != nil {
		return takenAt, fmt.Errorf("copy the database: %w", err)
	}
	return takenAt, MarkCopy(to, takenAt)
}

// MarkCopy records in the database file at path, which no program has open, that it is a copy of takenAt. A file that says so already keeps its
// own time.
func MarkCopy(path string, takenAt time.Time) error {
	conn, err := openFile(path, "rw")
	if err != nil {
		return err
	}
	_, err = conn.exec(`INSERT INTO restores (taken_at, started_at) SELECT $1, 0 WHERE NOT EXISTS (SELECT 1 FROM restores WHERE started_at = 0)`, millis(takenAt))
	for _, table := range []string{"copies", "copy_changes"} { // a copy to another database does not go on from an older state
		if err == nil {
			_, err = conn.exec(`DELETE FROM ` + table)
		}
	}
	if err = errors.Join(err, conn.close()); err != nil {
		return fmt.Errorf("mark %s as a copy: %w", path, err)
	}
	return nil
}

// openFile opens a database file as it is: no pragma changes it, and no log is made next to it. mode is rw or ro; with ro the file must not change.
func openFile(path, mode string) (*liteConn, error) {
	q := url.Values{"mode": {mode}, "_pragma": {"busy_timeout(1000)", "synchronous(FULL)", "temp_store(MEMORY)"}}
	if mode == "ro" {
		q.Set("immutable", "1")
	}
	conn, err := new(sqlite.Driver).Open("file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &liteConn{conn: conn, stmts: map[string]*liteStmt{}}, nil
}

// syncFolder makes the name of a file durable.
func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// TableCount is the number of rows of a table.
type TableCount struct {
	Table string `json:"table"`
	Rows  int64  `json:"rows"`
}

// Examined is what Examine finds in a copy.
type Examined struct {
	Bytes   int64
	Pending []string // migrations that the copy lacks: an earlier release has written it
	TakenAt time.Time
	Newest  time.Time // the creation of the newest payment; zero without payments
	Digest  bool      // the file with the copy's digest is there, and right
	Tables  []TableCount
}

// Examine checks the copy at path and changes nothing: it has its digest, if that was kept; SQLite finds no damage; and the schema is
// payswitch's. The file must not be in use.
func Examine(ctx context.Context, path string) (x Examined, err error) {
	if x.Bytes, err = unused(path); err != nil {
		return x, err
	}
	if x.Digest, err = compareDigest(ctx, path); err != nil {
		return x, err
	}
	conn, err := openFile(path, "ro")
	if err != nil {
		return x, fmt.Errorf("%s is no whole database, do not restore it: %w", path, err)
	}
	defer func() { err = errors.Join(err, conn.close()) }()
	var damage []string
	err = conn.query(`PRAGMA integrity_check(10)`, nil, func(row scanner) error {
		var text string
		err := row.Scan(&text)
		if text != "ok" {
			damage = append(damage, text)
		}
		return errors.Join(err, ctx.Err())
	})
	if err != nil || len(damage) > 0 {
		return x, fmt.Errorf("%s is damaged, do not restore it: %w", path, errors.Join(err, errors.New(strings.Join(damage, "; "))))
	}
	m := &migrator{conn: conn, path: path, files: migrationFiles, log: slog.New(slog.DiscardHandler)}
	list, isNew, err := m.pending()
	if err != nil {
		return x, err
	}
	if isNew {
		return x, fmt.Errorf("%s is empty: it holds no database of payswitch", path)
	}
	if x.Pending = nameList(list); len(list) == 0 {
		if err := m.checkSchema(); err != nil {
			return x, err
		}
		err = conn.query(`SELECT taken_at FROM restores WHERE started_at = 0`, nil, func(row scanner) error {
			var at int64
			err := row.Scan(&at)
			x.TakenAt = moment(at)
			return err
		})
		if err != nil {
			return x, fmt.Errorf("read when the copy was taken: %w", err)
		}
	}
	return x, x.count(ctx, conn)
}

func (x *Examined) count(ctx context.Context, conn *liteConn) error {
	list, err := objects(conn)
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.kind != "table" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		t := TableCount{Table: o.name}
		if err := conn.query(`SELECT count(*) FROM "`+strings.ReplaceAll(o.name, `"`, `""`)+`"`, nil, func(row scanner) error { return row.Scan(&t.Rows) }); err != nil {
			return fmt.Errorf("count the rows of %s: %w", o.name, err)
		}
		x.Tables = append(x.Tables, t)
	}
	var newest any
	if err := conn.query(`SELECT max(created_at) FROM payments`, nil, func(row scanner) error { return row.Scan(&newest) }); err != nil {
		return fmt.Errorf("find the newest payment: %w", err)
	}
	if at, ok := newest.(int64); ok {
		x.Newest = moment(at)
	}
	return nil
}

// unused returns the size of a database file that no program has open.
func unused(path string) (int64, error) {
	st, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return 0, fmt.Errorf("%s has a write-ahead log: it is in use, or was copied from a running payswitch and is not whole; make a copy with `payswitch backup`", path)
	}
	return st.Size(), nil
}

// OpenCopy opens the copy at path to read it. The file does not change: an Update that writes fails.
func OpenCopy(path string, log *slog.Logger) (*DB, error) {
	if _, err := unused(path); err != nil {
		return nil, err
	}
	conn, err := openFile(path, "ro")
	if err != nil {
		return nil, err
	}
	reader, err := openFile(path, "ro")
	if err != nil {
		return nil, errors.Join(err, conn.close())
	}
	conn.clock = time.Now
	d := &DB{name: path, path: path, log: log, signer: new(signer)}
	d.readers = &readers{path: path, idle: make(chan *liteConn, 1), quit: make(chan struct{}), size: 1, signer: d.signer, clock: time.Now}
	d.readers.idle <- reader
	d.view, d.writable = d.readers.view, d.writableSQLite
	d.writer = newWriter(d.signer, nil, nil, batchMax)
	d.writer.start(conn, false)
	d.close = func() error {
		d.writer.close()
		d.readers.close()
		return conn.close()
	}
	return d, nil
}

// Restore puts a copy of the file from in the place of the database that dsn names. It records in it that it is a copy of takenAt, unless the copy
// says when it was taken. It renames an earlier database to kept, "" if there was none. A database that a process has open is an error.
func Restore(ctx context.Context, dsn, from string, takenAt time.Time) (kept string, err error) {
	to, err := fileOf(dsn)
	if err != nil {
		return "", err
	}
	if a, err := os.Stat(from); err == nil {
		if b, err := os.Stat(to); err == nil && os.SameFile(a, b) {
			return "", fmt.Errorf("%s is the database itself: name a back-up", from)
		}
	}
	if err := refuseInUse(to); err != nil {
		return "", err
	}
	part := to + ".restoring"
	if err := copyFile(ctx, from, part); err != nil {
		return "", errors.Join(fmt.Errorf("restore: %w", err), removeIfThere(part))
	}
	if _, err = Migrate(ctx, "sqlite:"+part); err == nil {
		err = MarkCopy(part, takenAt)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("restore: %w", err), removeIfThere(part))
	}
	if kept, err = keepEarlier(to); err != nil {
		return kept, fmt.Errorf("restore: keep the earlier database: %w", err)
	}
	if err := os.Rename(part, to); err != nil {
		return kept, fmt.Errorf("restore: %w", err)
	}
	return kept, syncFolder(to)
}

// keepEarlier gives a database file a second name, so that a rename onto the first is all that is left to do. It empties the write-ahead log before;
// the log of a database that is too damaged for that gets the second name too, because it must not meet another database.
func keepEarlier(path string) (kept string, err error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	kept = path + ".before-restore-" + wholeMillis(time.Now()).Format("20060102T150405.000")
	if conn, err := openLite(path, time.Second); err == nil {
		err = conn.script("PRAGMA wal_checkpoint(TRUNCATE)")
		if e := conn.close(); err == nil {
			err = e
		}
		if errors.Is(err, fault.ErrLocked) {
			return "", err
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := os.Rename(path+suffix, kept+suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return kept, err
		}
	}
	return kept, os.Link(path, kept)
}

// refuseInUse fails if a node holds the lock of its name, or a copy to another database holds its lock. It names them.
func refuseInUse(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	locks, err := filepath.Glob(globEscape(real) + ".*.lock")
	if err != nil {
		return err
	}
	var nodes []string
	for _, name := range locks {
		f, err := os.OpenFile(name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = lockFile(f)
		f.Close()
		if !errors.Is(err, errLocked) {
			continue
		}
		if name == real+moveLock {
			return fmt.Errorf("`payswitch migrate copy` runs on %s: let it end, or end it first", path)
		}
		nodes = append(nodes, strings.TrimSuffix(strings.TrimPrefix(name, real+"."), ".lock"))
	}
	if len(nodes) > 0 {
		return fmt.Errorf("nodes run on %s (%s): stop all nodes first", path, strings.Join(nodes, ", "))
	}
	return nil
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func copyFile(ctx context.Context, from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, ctxReader{ctx, in})
	return errors.Join(err, out.Sync(), out.Close())
}

// ctxReader fails when its context ends.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// RefuseInUse fails if nodes run on the database that dsn names. The error names them. The connections of a node that has just ended stay for a moment on
// PostgreSQL, so RefuseInUse waits for two seconds.
func RefuseInUse(ctx context.Context, dsn string) error {
	if !isPostgres(dsn) {
		path, err := parseDSN(dsn)
		if err != nil {
			return err
		}
		return refuseInUse(path)
	}
	for until := time.Now().Add(2 * time.Second); ; {
		err := withMigrator(dsn, func(m *migrator) error { return m.conn.inUse(m) })
		if err == nil || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// NoteRestored records in the database that d is a copy of takenAt: the next start of a node asks the processors about what happened later.
// No node may run, because a node that runs does not notice it.
func (d *DB) NoteRestored(ctx context.Context, takenAt time.Time) error {
	return d.Update(ctx, func(tx engine.Tx) error { return tx.InsertRestore(takenAt) })
}
