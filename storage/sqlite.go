package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"payswitch/engine/fault"
)

// This file holds all code that only SQLite or its driver needs.

// sqlitePragmas apply to every connection, before the journal mode; the driver sorts them. synchronous stays FULL: a faster setting could
// lose payments.
var sqlitePragmas = []string{
	"page_size(8192)",
	"synchronous(FULL)",
	"wal_autocheckpoint(1000)",
	"cache_size(-16384)", // KiB; keys are time-ordered, so the rows in use are few. A page needs half as much again in memory
	"temp_store(MEMORY)",
	"foreign_keys(ON)",
	"secure_delete(ON)", // SQLite overwrites deleted data, in its page and in freed pages (FAST does not overwrite freed ones)
}

// Operations that SQLite reports of a row.
const (
	sqliteInsert = sqlite3.SQLITE_INSERT
	sqliteDelete = sqlite3.SQLITE_DELETE
)

// sqliteDialect needs no row locks: one connection writes, in immediate transactions.
var sqliteDialect = dialect{onceOpen: " IN (", onceClose: ")", writesIndexes: true}

// sqliteSchema replaces the tokens in the migrations.
var sqliteSchema = strings.NewReplacer("{{POSTGRES}}", "--", "{{SEQ}}", "INTEGER PRIMARY KEY", "{{BLOB}}", "BLOB", "{{JSON}}", "TEXT",
	"{{CAPTURES_OF_A}}", `json_each(a.details, '$.captures')`, "{{PROCESSOR_ID_OF_C}}", `json_extract(c.value, '$.processor_id')`)

// liteConn is one connection with its prepared statements. It implements session. It is not safe for concurrent use.
//
// It uses the driver itself. One goroutine at a time owns a connection, so the pool, the locks and the conversions of database/sql would only
// cost time.
type liteConn struct {
	conn   driver.Conn
	stmts  map[string]*liteStmt
	args   []driver.NamedValue // reused
	values liteRow             // reused
	// broken is an error after which SQLite may have rolled back the whole transaction (disk full, I/O …). The writer must then commit
	// nothing.
	broken error
	clock  func() time.Time // nil: this connection writes for no caller

	files *openFiles // nil: this connection writes for no caller

	follows bool       // the connection notes what it changes while a copy is under way
	changes *changeLog // nil: no copy is under way
}

var _ writeConn = (*liteConn)(nil)

// liteStmt is a prepared statement. Its parameters have no names, because the driver would ask for each name whenever the statement runs.
type liteStmt struct {
	stmt  driverStmt
	order []int // the argument of each parameter: its index among the caller's
}

type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// statementsKept limits the prepared statements of a connection. Only lists with unusual filters go beyond it.
const statementsKept = 256

// openLite opens a connection to the file at path. more are additional pragmas.
func openLite(path string, busy time.Duration, more ...string) (*liteConn, error) {
	pragmas := append([]string{fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())}, sqlitePragmas...)
	// The journal mode has a parameter of its own and comes last: it writes the first page of a new database, and so fixes the page size.
	q := url.Values{"_pragma": append(pragmas, more...), "_journal_mode": {"WAL"}}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
	conn, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", path, err)
	}
	c := &liteConn{conn: conn, stmts: map[string]*liteStmt{}}
	c.leavesLog() // the first use of the connection reports what is wrong with the file
	return c, nil
}

// litestreamTable is a table that Litestream makes in each database that it copies.
const litestreamTable = "_litestream_lock"

// leavesLog reports whether Litestream copies the write-ahead log of this database, and lets SQLite then leave the log alone. Litestream itself
// writes the log back into the database, after it has copied the log. If another connection restarted the log meanwhile, the copy would lack pages,
// and no error would show it.
func (c *liteConn) leavesLog() bool {
	found := false
	err := c.query(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1`, []any{litestreamTable}, func(scanner) error { found = true; return nil })
	return err == nil && found && c.script("PRAGMA wal_autocheckpoint = 0") == nil
}

func (c *liteConn) close() error {
	for _, st := range c.stmts {
		st.stmt.Close()
	}
	return c.conn.Close()
}

func (c *liteConn) dialect() dialect { return sqliteDialect }

// exec implements session.
func (c *liteConn) exec(query string, args ...any) (int64, error) {
	st, keep, err := c.prepare(query)
	if err != nil {
		return 0, c.failed(err)
	}
	if !keep {
		defer st.stmt.Close()
	}
	// The caller's context must not reach SQLite: an interrupt in the writer would hit all callers in the batch.
	r, err := st.stmt.ExecContext(context.Background(), c.bind(st.order, args))
	if err != nil {
		return 0, c.failed(err)
	}
	return r.RowsAffected()
}

// expect implements session. SQLite answers at once.
func (c *liteConn) expect(_ int64, query string, args ...any) (int64, error) {
	return c.exec(query, args...)
}

// expectRow implements session.
func (c *liteConn) expectRow(query string, args []any, each func(scanner) error) (int64, error) {
	return countRows(c, query, args, each)
}

// begin implements writeConn.
func (c *liteConn) begin() error {
	c.broken = nil
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil || !c.follows {
		return err
	}
	err := c.follow()
	if err != nil {
		c.rollback()
	}
	return err
}

// commit implements writeConn.
func (c *liteConn) commit() error {
	if err := c.files.check(); err != nil {
		return err
	}
	if err := c.noteChanges(); err != nil {
		return err
	}
	_, err := c.exec("COMMIT")
	return err
}

// rollback implements writeConn.
func (c *liteConn) rollback() error {
	_, err := c.exec("ROLLBACK")
	return err
}

// enter implements writeConn.
func (c *liteConn) enter(_ *write, careful bool) error {
	if !careful {
		return nil
	}
	_, err := c.exec("SAVEPOINT op")
	if err != nil && c.broken == nil {
		c.broken = err
	}
	return err
}

// leave implements writeConn. If it fails, the whole transaction is broken.
func (c *liteConn) leave(undo bool) error {
	var err error
	if undo {
		_, err = c.exec("ROLLBACK TO op")
	}
	if err == nil {
		_, err = c.exec("RELEASE op")
	}
	if err != nil && c.broken == nil {
		c.broken = err
	}
	return err
}

func (c *liteConn) check()                           {}
func (c *liteConn) again() bool                      { return false }
func (c *liteConn) retry(error, int, time.Time) bool { return false }
func (c *liteConn) failure() error                   { return c.broken }
func (c *liteConn) now() time.Time                   { return c.clock() }

// query implements session.
func (c *liteConn) query(query string, args []any, each func(scanner) error) (err error) {
	st, keep, err := c.prepare(query)
	if err != nil {
		return c.failed(err)
	}
	if !keep {
		defer st.stmt.Close()
	}
	rows, err := st.stmt.QueryContext(context.Background(), c.bind(st.order, args))
	if err != nil {
		return c.failed(err)
	}
	defer func() {
		if e := rows.Close(); err == nil && e != nil {
			err = c.failed(e)
		}
	}()
	n := len(rows.Columns())
	if cap(c.values) < n {
		c.values = make(liteRow, n)
	}
	for {
		row := c.values[:n]
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return c.failed(err)
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// script runs several statements without arguments.
func (c *liteConn) script(text string) error {
	_, err := c.conn.(driver.ExecerContext).ExecContext(context.Background(), text, nil)
	return c.failed(err)
}

func (c *liteConn) prepare(query string) (st *liteStmt, keep bool, err error) {
	if st, ok := c.stmts[query]; ok {
		return st, true, nil
	}
	text, order := unnamed(query)
	p, err := c.conn.Prepare(text)
	if err != nil {
		return nil, false, err
	}
	st = &liteStmt{stmt: p.(driverStmt), order: order}
	if keep = len(c.stmts) < statementsKept; keep {
		c.stmts[query] = st
	}
	return st, keep, nil
}

// unnamed writes a statement's placeholders $1, $2 … as ?, and returns the index of the argument of each.
func unnamed(query string) (text string, order []int) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(query, "$")
		b.WriteString(before)
		if !found {
			return b.String(), order
		}
		digits := len(after) - len(strings.TrimLeft(after, "0123456789"))
		n, _ := strconv.Atoi(after[:digits])
		order = append(order, n-1)
		b.WriteByte('?')
		query = after[digits:]
	}
}

func (c *liteConn) bind(order []int, args []any) []driver.NamedValue {
	c.args = c.args[:0]
	for i, at := range order {
		a := args[at]
		if n, ok := a.(int); ok {
			a = int64(n)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: a})
	}
	return c.args
}

// failed translates an error of the driver, and records errors that break the transaction.
func (c *liteConn) failed(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", fault.ErrConflict, err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", errNoParent, err)
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE: // a quota is used up, or no room is left for the index of the log
		err = fmt.Errorf("%w: %w", fault.ErrFull, err)
		c.broken = err
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		err = fmt.Errorf("%w: %w", fault.ErrLocked, err)
		c.broken = err
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY:
		err = fmt.Errorf("%w: %w", fault.ErrFull, err)
		c.broken = err
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT,
		sqlite3.SQLITE_PROTOCOL:
		c.broken = err
	}
	return err
}

// liteRow is a row as the driver returns it. It implements scanner.
type liteRow []driver.Value

// Scan implements scanner.
func (r liteRow) Scan(dest ...any) error {
	if len(dest) != len(r) {
		return fmt.Errorf("scan: the row has %d columns, the caller expects %d", len(r), len(dest))
	}
	for i, d := range dest {
		if !scanLite(r[i], d) {
			return fmt.Errorf("scan: column %d holds %T, which does not fit %T: %w", i+1, r[i], d, errOtherType)
		}
	}
	return nil
}

func scanLite(v driver.Value, dest any) (ok bool) {
	switch d := dest.(type) {
	case *string:
		*d, ok = v.(string)
	case *int64:
		*d, ok = v.(int64)
	case *int:
		n, isInt := v.(int64)
		*d, ok = int(n), isInt
	case *bool:
		n, isInt := v.(int64)
		*d, ok = n != 0, isInt
	case *any:
		*d, ok = v, true
	case *[]byte:
		switch v := v.(type) {
		case []byte:
			*d, ok = v, true
		case string:
			*d, ok = []byte(v), true
		case nil:
			*d, ok = nil, true
		}
	}
	return ok
}
