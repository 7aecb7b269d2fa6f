package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"payswitch/engine/fault"
)

// This file is one connection to PostgreSQL, as a session and as a worker's connection. It uses only what CockroachDB and YugabyteDB have too.

// pgWrites is the dialect of transactions that write: a row that a decision reads is locked until the commit.
var pgWrites = dialect{lockRow: " FOR UPDATE", skipLocked: " FOR UPDATE SKIP LOCKED", onceOpen: " = ANY (ARRAY(", onceClose: "))"}

// pgSchema replaces the tokens in the migrations. BIGSERIAL is a sequence in PostgreSQL. It is a number from the clock and the node in
// CockroachDB, which has no counter that all nodes wait for.
var pgSchema = strings.NewReplacer("{{POSTGRES}}", "", "{{SEQ}}", "BIGSERIAL PRIMARY KEY", "{{BLOB}}", "BYTEA", "{{JSON}}", "JSONB",
	"{{CAPTURES_OF_A}}", `jsonb_array_elements(CASE WHEN a.details LIKE '%"captures":[%' THEN a.details::jsonb -> 'captures' END)`,
	"{{PROCESSOR_ID_OF_C}}", `(c.value ->> 'processor_id')`)

// pgConn is one connection with its prepared statements. It implements session and writeConn. It is not safe for concurrent use.
//
// Statements that are expected to change a known number of rows wait in the connection. They leave with the next statement whose answer somebody
// needs, or before the commit: one journey over the network for all of them. If the database then answers otherwise, the batch runs again.
// The closure that got a wrong number gets a savepoint and the database's own answers.
type pgConn struct {
	dial    *pgDialer
	clauses dialect
	pg      *pgconn.PgConn // nil: not connected
	stmts   map[string]*pgStmt
	pending []pgCall
	groups  []pgGroup // reused by join
	sending []pgCall  // reused by join
	apart   bool      // the statements of this batch are not joined: an answer to joined ones was wrong
	row     pgRow     // reused
	tag     string    // of the last statement

	beginning bool // the statements begin a transaction

	eager   bool   // answers statements before the database does
	careful bool   // every statement has a savepoint
	owner   *write // the closure that runs
	rerun   bool   // an answer was wrong
	broken  error

	clock func() time.Time // nil: the database's
	read  time.Time        // the database's clock at taken
	taken time.Time
}

var _ writeConn = (*pgConn)(nil)

// pgStmt is a prepared statement. description is nil until the database has prepared it.
type pgStmt struct {
	name        string
	description *pgconn.StatementDescription
	many        map[int]string // the texts for several rows, by their number
}

// pgCall is a statement with its arguments.
type pgCall struct {
	query   string
	values  [][]byte
	formats []int16
	want    int64
	owner   *write
	each    func(scanner) error // of a SELECT whose caller does not wait for its row; nil for other statements
	joined  *pgJoined           // nil: the statement stays where it is
	parts   int                 // the number of calls that were joined; 0 for one call
}

const (
	beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED"
	beginRead  = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
	readClock  = "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
)

var binaryFormat = []int16{1}

// errNotDone is the error of a transaction whose connection was lost before the commit.
var errNotDone = errors.New("the connection to the database was lost; nothing was done")

// ErrOutcome is the error of a transaction whose connection was lost during its commit: it may have happened.
var ErrOutcome = fault.ErrOutcome

func newPGConn(d *pgDialer, dialect dialect) *pgConn {
	return &pgConn{dial: d, clauses: dialect, clock: d.clock}
}

func (c *pgConn) dialect() dialect { return c.clauses }

// exec implements session.
func (c *pgConn) exec(query string, args ...any) (int64, error) {
	call, err := c.bind(query, args, anyNumber)
	if err != nil {
		return 0, err
	}
	return c.guarded(call, nil)
}

// guarded runs a statement. In a careful closure it has a savepoint: without one, an error would end the transaction.
func (c *pgConn) guarded(call pgCall, each func(scanner) error) (int64, error) {
	if !c.careful {
		return c.run(call, each)
	}
	c.pending = append(c.pending, c.plain("SAVEPOINT statement"))
	n, err := c.run(call, each)
	if c.broken != nil || c.rerun {
		return n, err
	}
	if err != nil {
		c.pending = append(c.pending, c.plain("ROLLBACK TO SAVEPOINT statement"))
	}
	c.pending = append(c.pending, c.plain("RELEASE SAVEPOINT statement"))
	return n, err
}

// expect implements session.
func (c *pgConn) expect(want int64, query string, args ...any) (int64, error) {
	if !c.eager || c.careful {
		return c.exec(query, args...)
	}
	switch {
	case c.broken != nil:
		return 0, c.broken
	case c.rerun:
		return 0, errAgain
	}
	call, err := c.bind(query, args, want)
	if err != nil {
		return 0, err
	}
	if call.joined = joinedStatements[query]; call.joined != nil && call.joined.bare != "" && !c.apart {
		call.query = call.joined.bare
	}
	c.pending = append(c.pending, call)
	return want, nil
}

// expectRow implements session. A row that is missing, or that each refuses, makes the batch run again with a careful closure.
func (c *pgConn) expectRow(query string, args []any, each func(scanner) error) (int64, error) {
	if !c.eager || c.careful {
		return countRows(c, query, args, each)
	}
	switch {
	case c.broken != nil:
		return 0, c.broken
	case c.rerun:
		return 0, errAgain
	}
	call, err := c.bind(query, args, 1)
	if err != nil {
		return countRows(c, query, args, each)
	}
	call.each, call.joined = each, joinedStatements[query]
	c.pending = append(c.pending, call)
	return 1, nil
}

// query implements session.
func (c *pgConn) query(query string, args []any, each func(scanner) error) error {
	call, err := c.bind(query, args, anyNumber)
	if errors.Is(err, errNoText) && strings.HasPrefix(query, "SELECT") {
		return nil // no row holds such a text
	}
	if err != nil {
		return err
	}
	_, err = c.guarded(call, each)
	return err
}

// script runs several statements without arguments.
func (c *pgConn) script(text string) error {
	if err := c.connected(); err != nil {
		return err
	}
	c.pg.Conn().SetDeadline(time.Time{})
	_, err := c.pg.Exec(context.Background(), text).ReadAll()
	return c.failed(err)
}

func (c *pgConn) plain(query string) pgCall {
	return pgCall{query: query, want: anyNumber, owner: c.owner}
}

// errNoText is bind's error for a text that PostgreSQL cannot hold.
var errNoText = errors.New("the text is not UTF-8, or holds the character NUL, which PostgreSQL does not keep")

// bind encodes the arguments. The values are copies, as the statement may leave later.
func (c *pgConn) bind(query string, args []any, want int64) (pgCall, error) {
	call := pgCall{query: query, want: want, owner: c.owner}
	if len(args) == 0 {
		return call, nil
	}
	call.values, call.formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case nil:
		case string:
			if !utf8.ValidString(v) || strings.IndexByte(v, 0) >= 0 {
				return call, fmt.Errorf("argument %d: %w", i+1, errNoText)
			}
			call.values[i] = []byte(v)
			if v == "" {
				call.values[i] = []byte{}
			}
		case []byte:
			call.formats[i] = 1
			if v != nil {
				call.values[i] = append(make([]byte, 0, len(v)), v...)
			}
		case int:
			call.values[i] = strconv.AppendInt(nil, int64(v), 10)
		case int64:
			call.values[i] = strconv.AppendInt(nil, v, 10)
		case bool:
			call.values[i] = []byte(strconv.FormatBool(v))
		default:
			return call, fmt.Errorf("argument %d is a %T", i+1, a)
		}
	}
	return call, nil
}

// run sends the waiting statements and then last, and reads all answers. It returns the number of rows that last changed.
func (c *pgConn) run(last pgCall, each func(scanner) error) (int64, error) {
	c.pending = append(c.pending, last)
	return c.flush(each, true)
}

// flush sends the waiting statements and reads their answers. If answer is true, the caller wants that of the last one: each gets its rows.
func (c *pgConn) flush(each func(scanner) error, answer bool) (n int64, err error) {
	calls := c.pending
	defer func() {
		clear(c.pending)
		clear(c.sending)
		c.pending = c.pending[:0]
	}()
	switch {
	case c.broken != nil:
		return 0, c.broken
	case c.rerun && c.eager:
		return 0, errAgain
	}
	if err := c.connected(); err != nil {
		return 0, err
	}
	limit := c.dial.patience
	if c.beginning {
		limit = c.dial.beginTime(c.taken)
	}
	c.pg.Conn().SetDeadline(time.Now().Add(limit))
	calls = c.join(calls, answer)
	p := c.pg.StartPipeline(context.Background())
	prepared := make([]*pgStmt, len(calls)) // statements that leave with their preparation
	for i := range calls {
		prepared[i] = c.send(p, &calls[i])
	}
	if err := p.Sync(); err != nil {
		p.Close()
		return 0, c.failed(err)
	}
	var own error
	for i := range calls {
		if s := prepared[i]; s != nil {
			d, err := p.GetResults()
			if err != nil {
				return 0, c.end(p, &calls[i], err)
			}
			if s.description, _ = d.(*pgconn.StatementDescription); s.description != nil {
				s.description.Name = s.name // pgconn leaves it out in pipelines
			}
		}
		isLast := i == len(calls)-1
		wanted, problem := calls[i].each, error(nil)
		if isLast && wanted == nil {
			wanted = each
		}
		n, err = c.result(p, isLast, wanted, &problem)
		if err != nil {
			return 0, c.end(p, &calls[i], err)
		}
		if isLast && calls[i].each == nil {
			own = problem
		}
		if w := calls[i].want; w != anyNumber && (n != w || problem != nil) {
			c.suspect(&calls[i])
		}
	}
	if err := p.Close(); err != nil {
		return 0, c.failed(err)
	}
	if c.rerun && c.eager {
		return 0, errAgain
	}
	return n, own
}

// errAgain ends a closure whose batch runs again.
var errAgain = errors.New("the batch runs again, because an answer given before the database's was wrong")

// send puts one statement into the pipeline. It returns the statement if its preparation goes with it.
func (c *pgConn) send(p *pgconn.Pipeline, call *pgCall) *pgStmt {
	s := c.stmts[call.query]
	if s != nil && s.description != nil {
		p.SendQueryStatement(s.description, call.values, call.formats, binaryFormat)
		return nil
	}
	if s != nil || len(c.stmts) >= statementsKept { // being prepared in this pipeline, or one too many
		p.SendQueryParams(call.query, call.values, nil, call.formats, binaryFormat)
		return nil
	}
	s = &pgStmt{name: "s" + strconv.Itoa(len(c.stmts))}
	c.stmts[call.query] = s
	p.SendPrepare(s.name, call.query, nil)
	p.SendQueryPrepared(s.name, call.values, call.formats, binaryFormat)
	return s
}

// result reads the answer to one statement. each may be nil, and own is its error.
func (c *pgConn) result(p *pgconn.Pipeline, isLast bool, each func(scanner) error, own *error) (int64, error) {
	r, err := p.GetResults()
	if err != nil {
		return 0, err
	}
	reader, ok := r.(*pgconn.ResultReader)
	if !ok {
		return 0, fmt.Errorf("the database answered a statement with a %T", r)
	}
	for reader.NextRow() {
		if each != nil && *own == nil {
			c.row.fields, c.row.values = reader.FieldDescriptions(), reader.Values()
			*own = each(&c.row)
		}
	}
	tag, err := reader.Close()
	if isLast {
		c.tag = tag.String()
	}
	return tag.RowsAffected(), err
}

// end closes a pipeline in which a statement failed. A careful closure gets the error. Otherwise the error has ended the transaction, so the
// batch runs again, and the closure is careful then.
func (c *pgConn) end(p *pgconn.Pipeline, call *pgCall, err error) error {
	p.Close()
	for query, s := range c.stmts {
		if s.description == nil { // the database has not prepared it
			delete(c.stmts, query)
		}
	}
	var e *pgconn.PgError
	if call.parts > 0 && errors.As(err, &e) && strings.HasPrefix(e.Code, "42") { // the database does not know such a statement
		c.dial.separate.Store(true)
	}
	err = c.failed(err)
	if c.broken != nil || !c.eager || c.careful && call.owner == c.owner {
		return err
	}
	c.suspect(call)
	return errAgain
}

// suspect makes the batch run again, because the answer to call was not the expected one. If the call is several, they run apart then, so that the answers
// show which one it is.
func (c *pgConn) suspect(call *pgCall) {
	c.rerun = true
	if call.parts > 0 {
		c.apart = true
	}
	if call.owner != nil {
		call.owner.careful = true
	}
}

// failed translates an error of the database, and records errors that break the transaction.
func (c *pgConn) failed(err error) error {
	if err == nil {
		return nil
	}
	var e *pgconn.PgError
	if !errors.As(err, &e) || len(e.Code) != 5 {
		return c.lost(err)
	}
	// The text of the database may hold values of rows (Detail), so it stays out.
	text := fmt.Sprintf("%s (SQLSTATE %s)", e.Message, e.Code)
	switch {
	case e.Code == "40003" || e.Code == "08007": // a distributed database does not know whether it committed
		return c.lost(errors.New(text))
	case e.SeverityUnlocalized == "FATAL" || e.SeverityUnlocalized == "PANIC" || e.Severity == "FATAL" || c.pg != nil && c.pg.IsClosed():
		return c.lost(errors.New(text))
	case e.Code == "23505":
		return fmt.Errorf("%w: %s", fault.ErrConflict, text)
	case e.Code == "23503":
		return fmt.Errorf("%w: %s", errNoParent, text)
	case e.Code == "40001" || e.Code == "40P01":
		c.broken = &pgRetry{text}
	case e.Code == "25006" || e.Code == "0A000" || e.Code == "26000": // it became a replica; another node has changed the schema; a pooler swapped connections
		c.drop()
		c.broken = &pgRetry{text}
	case slices.Contains([]string{"53", "57", "58", "XX"}, e.Code[:2]) || e.Code == "55P03" || e.Code[:4] == "25P0" && e.Code != "25P02":
		c.broken = fmt.Errorf("%w: %s", fault.ErrAway, text)
	default:
		return errors.New(text)
	}
	return c.broken
}

// lost gives up the connection.
func (c *pgConn) lost(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.dial.fellSilent()
	}
	c.drop()
	c.broken = &pgLost{err}
	return c.broken
}

// pgRetry is an error after which the same transaction can succeed.
type pgRetry struct{ text string }

func (e *pgRetry) Error() string { return e.text }

func (e *pgRetry) Is(target error) bool { return target == fault.ErrLocked }

// pgLost is the error of a lost connection.
type pgLost struct{ cause error }

func (e *pgLost) Error() string { return errNotDone.Error() + ": " + e.cause.Error() }

func (e *pgLost) Is(target error) bool { return target == fault.ErrAway || target == errNotDone }

// drop closes the connection without a message to the server, and forgets the statements that were prepared on it.
func (c *pgConn) drop() {
	if c.pg != nil {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		c.pg.Close(ctx)
	}
	c.pg, c.stmts = nil, nil
}

// close ends the connection.
func (c *pgConn) close() {
	if c.pg == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	c.pg.Close(ctx)
	c.pg = nil
}

// connected opens the connection if it is not open.
func (c *pgConn) connected() error {
	if c.pg != nil {
		return nil
	}
	pg, err := c.dial.connect()
	if err != nil {
		c.broken = err
		return err
	}
	if c.clauses == pgWrites {
		// Joined statements find each row by its key. The server plans no statement for its arguments, so each must name the condition of a partial index, as
		// for SQLite. Another database may not know the settings, and a lost connection shows soon.
		pg.Conn().SetDeadline(time.Now().Add(c.dial.patience))
		pg.Exec(context.Background(), "SET enable_hashjoin = off; SET enable_mergejoin = off").ReadAll()
		pg.Exec(context.Background(), "SET plan_cache_mode = force_generic_plan").ReadAll() // settings of one message fail together
	}
	c.pg, c.stmts, c.taken = pg, map[string]*pgStmt{}, time.Now()
	return nil
}

// start begins a transaction and reads the clock. A connection that was lost while it was idle is replaced.
func (c *pgConn) start(begin string) error {
	for {
		idle := c.pg != nil
		clear(c.pending)
		c.broken, c.rerun, c.owner, c.careful, c.eager = nil, false, nil, false, false
		c.pending = append(c.pending[:0], c.plain(begin))
		var ms int64
		c.beginning = true
		_, err := c.run(c.plain(readClock), func(row scanner) error { return row.Scan(&ms) })
		c.beginning = false
		if err == nil {
			c.read, c.taken = time.UnixMilli(ms).UTC(), time.Now() // at most the database's time, so that a later transaction has no earlier time
			return nil
		}
		if idle && c.pg == nil {
			continue
		}
		c.drop()
		return err
	}
}

// begin implements writeConn.
func (c *pgConn) begin() error {
	err := c.start(beginWrite)
	c.eager = true
	return err
}

// now implements writeConn.
func (c *pgConn) now() time.Time {
	if c.clock != nil {
		return c.clock()
	}
	return c.read.Add(time.Since(c.taken))
}

// check implements writeConn.
func (c *pgConn) check() {
	if len(c.pending) > 0 && c.broken == nil {
		c.flush(nil, false) // again and failure hold the result
	}
}

// commit implements writeConn. If the database cancels the wait for a synchronous replica, the commit looks like one that the replica has. So the
// commit has no time limit in the database. The connection has one.
func (c *pgConn) commit() error {
	c.owner, c.careful, c.eager, c.apart = nil, false, false, false
	c.pending = append(c.pending, c.plain("SET LOCAL statement_timeout = 0"))
	_, err := c.run(c.plain("COMMIT"), nil)
	var lost *pgLost
	switch {
	case errors.As(err, &lost):
		return fmt.Errorf("%w: %w", ErrOutcome, lost.cause)
	case err == nil && c.tag != "COMMIT":
		return errors.New("the database rolled the transaction back")
	}
	return err
}

// rollback implements writeConn.
func (c *pgConn) rollback() error {
	clear(c.pending)
	c.pending = c.pending[:0]
	if c.pg == nil {
		return nil // the server rolls back what it has
	}
	c.broken, c.owner, c.careful, c.eager = nil, nil, false, false
	_, err := c.run(c.plain("ROLLBACK"), nil)
	return err
}

// enter implements writeConn.
func (c *pgConn) enter(op *write, careful bool) error {
	c.owner, c.careful = op, careful
	if !careful {
		return nil
	}
	_, err := c.run(c.plain("SAVEPOINT op"), nil)
	return err
}

// leave implements writeConn.
func (c *pgConn) leave(undo bool) error {
	defer func() { c.owner, c.careful = nil, false }()
	if c.broken != nil {
		return c.broken
	}
	if undo {
		c.pending = append(c.pending, c.plain("ROLLBACK TO SAVEPOINT op"))
	}
	_, err := c.run(c.plain("RELEASE SAVEPOINT op"), nil)
	return err
}

func (c *pgConn) again() bool    { return c.rerun }
func (c *pgConn) failure() error { return c.broken }

const (
	// serialTries is how often a batch, and then each of its callers alone, runs after it got in the way of another transaction.
	serialTries = 12
	// lostTries is how often a batch runs whose connection was lost before the commit.
	lostTries = 2
	// pgTime is the longest time after which a batch begins once more. The vault relies on it: a key is destroyed long after its end.
	pgTime = 15 * time.Second
)

// retry implements writeConn. The waits differ at random, so that two transactions do not meet again and again.
func (c *pgConn) retry(err error, times int, began time.Time) bool {
	var serial *pgRetry
	var lost *pgLost
	switch {
	case errors.Is(err, ErrOutcome), time.Since(began) > pgTime:
		return false
	case errors.As(err, &serial):
		if times >= serialTries {
			return false
		}
		time.Sleep(rand.N(time.Millisecond << min(times, 6)))
		return true
	case errors.As(err, &lost):
		return times < lostTries
	}
	return false
}
