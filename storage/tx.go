package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/vault"
)

// session runs statements within one transaction. Each database has its own session; the SQL is the same. Placeholders are $1, $2 …;
// arguments are string, int, int64, bool, []byte (nil is NULL) or nil.
type session interface {
	// exec runs a statement and returns the number of changed rows. A violated unique key is fault.ErrConflict.
	exec(query string, args ...any) (int64, error)
	// expect is exec for a statement that nearly always changes want rows; anyNumber stands for any. The session may answer want before the
	// database has answered. If that was wrong, the transaction is undone and its function runs again, with the database's own answers.
	expect(want int64, query string, args ...any) (int64, error)
	// query calls each for every row. each must not run statements.
	query(query string, args []any, each func(row scanner) error) error
	// expectRow is query for a SELECT of one row that is nearly always there. It returns the number of rows. The session may answer before the
	// database has answered: each then gets the row before the commit, and again if the function of the transaction runs again.
	expectRow(query string, args []any, each func(row scanner) error) (int64, error)
	// dialect returns the clauses that differ between databases.
	dialect() dialect
}

// scanner is a row being read. Destinations are *string, *int, *int64, *bool, *[]byte (nil for NULL) or *any for the database's own type.
type scanner interface{ Scan(dest ...any) error }

// dialect holds the clauses that only some databases have.
type dialect struct {
	lockRow    string // follows a SELECT: locks the row until the transaction ends
	skipLocked string // the same, but skips rows that others have locked
	onceOpen   string // around a SELECT with LIMIT that must run once: PostgreSQL may run a SELECT inside of IN for every row, and so exceed the limit
	onceClose  string
	// writesIndexes is true if an UPDATE writes the indexes of every column that it sets, also where the value stays.
	writesIndexes bool
}

// among returns the condition that a column has one of the values that a SELECT with LIMIT finds.
func (d dialect) among(selected string) string { return d.onceOpen + selected + d.onceClose }

// tx implements engine.Tx over a session.
type tx struct {
	s   session
	now time.Time
	// signer signs rows when they are written and checks them when they are read; nil: no signatures. row is a buffer.
	signer vault.RowSigner
	row    []byte
	// raised are the Versions raised so far. undo restores them when the writes are rolled back, so that f can run again.
	raised []*int64
	wrote  bool // rows were changed, or may have been
	// versioned is true if the transaction has raised the version of the configuration.
	versioned bool
	// lists names the merchants whose block lists' versions the transaction has raised.
	lists []string
}

var _ engine.Tx = (*tx)(nil)

// Now implements engine.Reader.
func (t *tx) Now() time.Time { return t.now }

// raise increments the Version in the caller's value.
func (t *tx) raise(version *int64) {
	*version++
	t.raised = append(t.raised, version)
}

// undo restores the Versions after the writes were rolled back.
func (t *tx) undo() {
	for i := len(t.raised) - 1; i >= 0; i-- {
		*t.raised[i]--
	}
	t.raised = t.raised[:0]
	t.versioned, t.lists = false, nil
}

func (t *tx) exec(doing, query string, args ...any) (int64, error) {
	n, err := t.s.exec(query, args...)
	t.wrote = t.wrote || n > 0 || err != nil
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	return n, nil
}

// anyNumber is expect's number of rows for a statement whose result has no use.
const anyNumber = -1

// expect is exec for a statement that nearly always changes want rows.
func (t *tx) expect(doing string, want int64, query string, args ...any) (int64, error) {
	n, err := t.s.expect(want, query, args...)
	t.wrote = t.wrote || n != 0 || err != nil
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	return n, nil
}

// put runs a statement whose number of rows has no use.
func (t *tx) put(doing, query string, args ...any) error {
	_, err := t.expect(doing, anyNumber, query, args...)
	return err
}

// insert runs an INSERT … ON CONFLICT DO NOTHING. A row that exists is ErrConflict; the transaction stays usable.
func (t *tx) insert(doing, query string, args ...any) error {
	n, err := t.expect(doing, 1, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", doing, fault.ErrConflict)
	}
	return err
}

// errNoParent is a session's error for a violated foreign key.
var errNoParent = errors.New("the row refers to a row that does not exist")

// errOtherType is a scanner's error for a value whose type is not that of its column.
var errOtherType = errors.New("the value has another type than its column")

// insertUnder is insert for a row of a merchant. It returns ErrNotFound if the merchant does not exist.
func (t *tx) insertUnder(doing, query string, args ...any) error {
	err := t.insert(doing, query, args...)
	if errors.Is(err, errNoParent) {
		err = fmt.Errorf("%s: merchant %w", doing, fault.ErrNotFound)
	}
	return err
}

// change runs a statement on exactly one row. It returns ErrNotFound if the row does not exist.
func (t *tx) change(doing, query string, args ...any) error {
	n, err := t.expect(doing, 1, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", doing, fault.ErrNotFound)
	}
	return err
}

// compareAndSet runs an UPDATE guarded by *version, and raises the version. If no row matches, it runs exists, a SELECT of the row without
// the version, with the arguments key: a row that exists is ErrConflict, a missing one ErrNotFound.
func (t *tx) compareAndSet(doing string, version *int64, exists string, key []any, query string, args ...any) error {
	n, err := t.expect(doing, 1, query, args...)
	if err != nil {
		return err
	}
	if n == 1 {
		t.raise(version)
		return nil
	}
	found := false
	if err := t.s.query(exists, key, func(scanner) error { found = true; return nil }); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if found {
		return fmt.Errorf("%s: %w", doing, fault.ErrConflict)
	}
	return fmt.Errorf("%s: %w", doing, fault.ErrNotFound)
}

// one reads the single row that query selects. No row is ErrNotFound.
func one[T any](t *tx, doing string, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var out T
	found := false
	err := t.s.query(query, args, func(row scanner) (err error) {
		found = true
		out, err = scan(row)
		return err
	})
	if err == nil && !found {
		err = fault.ErrNotFound
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%s: %w", doing, err)
	}
	return out, nil
}

// countRows runs a query at once, and counts its rows.
func countRows(s session, query string, args []any, each func(scanner) error) (n int64, err error) {
	err = s.query(query, args, func(row scanner) error { n++; return each(row) })
	return n, err
}

func scanCount(row scanner) (n int, err error) {
	err = row.Scan(&n)
	return n, err
}

// all reads the rows of query in its order. No row is an empty list, not an error. all leaves out altered rows and returns the list with an
// vault.AlteredError that names them.
func all[T any](t *tx, doing string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	var altered *vault.AlteredError
	err := t.s.query(query, args, func(row scanner) error {
		v, err := scan(row)
		var a *vault.AlteredError
		switch {
		case err == nil:
			out = append(out, v)
		case errors.As(err, &a):
			altered = altered.And(a)
			err = nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if altered != nil {
		return out, fmt.Errorf("%s: %w", doing, altered)
	}
	return out, nil
}

// millis returns t in its stored form: Unix milliseconds, 0 for the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// moment is the reverse of millis.
func moment(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// text returns JSON in its stored form: NULL for nil.
func text(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// encode returns v as the JSON document of a details column.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // documents hold JSON of merchants, which must come back unchanged
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// decode reads a document as encoding/json does, in half the time.
func decode(doc []byte, v any) error {
	if err := jsonv1.Unmarshal(doc, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}
