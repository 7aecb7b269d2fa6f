package storage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"payswitch/engine"
)

// session runs statements inside one transaction. Each database has its own; the SQL they are given is the same. Placeholders are
// $1, $2 …; arguments are string, int, int64, bool, []byte (nil is NULL) or nil.
type session interface {
	// exec runs a statement and says how many rows it changed. A broken unique key is engine.ErrConflict.
	exec(query string, args ...any) (int64, error)
	// query calls each for every row; each must not run statements.
	query(query string, args []any, each func(row scanner) error) error
	// dialect is what differs in the SQL itself.
	dialect() dialect
}

// scanner is a row being read. Destinations are *string, *int, *int64, *bool, *[]byte (nil for NULL) or *any, as the database has it.
type scanner interface{ Scan(dest ...any) error }

// dialect holds the clauses that not every database has.
type dialect struct {
	lockRow    string // after a SELECT: keeps the row locked until the transaction ends
	skipLocked string // the same, leaving out rows that others hold
}

// tx implements engine.Tx over a session.
type tx struct {
	s   session
	now time.Time
	// signer signs rows that are written and checks those that are read; nil: nobody does. row is reused.
	signer engine.RowSigner
	row    []byte
	// raised are the Versions raised so far; they are put back when the writes are undone, so that f can run again.
	raised []*int64
	wrote  bool // rows were changed, or may have been
}

var _ engine.Tx = (*tx)(nil)

// Now implements engine.Reader.
func (t *tx) Now() time.Time { return t.now }

// raise counts a change of a row in the value it was given in.
func (t *tx) raise(version *int64) {
	*version++
	t.raised = append(t.raised, version)
}

// undo puts back the versions of the values whose writes were undone.
func (t *tx) undo() {
	for i := len(t.raised) - 1; i >= 0; i-- {
		*t.raised[i]--
	}
	t.raised = t.raised[:0]
}

func (t *tx) exec(doing, query string, args ...any) (int64, error) {
	n, err := t.s.exec(query, args...)
	t.wrote = t.wrote || n > 0 || err != nil
	if err != nil {
		return 0, fmt.Errorf("%s: %w", doing, err)
	}
	return n, nil
}

// insert runs an INSERT … ON CONFLICT DO NOTHING: a row that exists is ErrConflict and leaves the transaction usable.
func (t *tx) insert(doing, query string, args ...any) error {
	n, err := t.exec(doing, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", doing, engine.ErrConflict)
	}
	return err
}

// errNoParent is what a session answers to a foreign key that points nowhere.
var errNoParent = errors.New("what the row belongs to does not exist")

// errOtherType is what a scanner answers to a value of another type than the column's.
var errOtherType = errors.New("the value has another type than its column")

// insertUnder is insert for a row that belongs to a merchant: ErrNotFound when there is no such merchant.
func (t *tx) insertUnder(doing, query string, args ...any) error {
	err := t.insert(doing, query, args...)
	if errors.Is(err, errNoParent) {
		err = fmt.Errorf("%s: merchant %w", doing, engine.ErrNotFound)
	}
	return err
}

// change runs a statement that must meet exactly the row it names, else ErrNotFound.
func (t *tx) change(doing, query string, args ...any) error {
	n, err := t.exec(doing, query, args...)
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: %w", doing, engine.ErrNotFound)
	}
	return err
}

// compareAndSet runs an UPDATE guarded by *version and raises it. When no row fits, exists (a SELECT of that row, whatever its
// version, with the arguments key) tells whether it is gone or was changed.
func (t *tx) compareAndSet(doing string, version *int64, exists string, key []any, query string, args ...any) error {
	n, err := t.exec(doing, query, args...)
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
		return fmt.Errorf("%s: %w", doing, engine.ErrConflict)
	}
	return fmt.Errorf("%s: %w", doing, engine.ErrNotFound)
}

// one reads the single row that query names; none is ErrNotFound.
func one[T any](t *tx, doing string, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var out T
	found := false
	err := t.s.query(query, args, func(row scanner) (err error) {
		found = true
		out, err = scan(row)
		return err
	})
	if err == nil && !found {
		err = engine.ErrNotFound
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%s: %w", doing, err)
	}
	return out, nil
}

func scanCount(row scanner) (n int, err error) {
	err = row.Scan(&n)
	return n, err
}

// all reads the rows of query in its order; none is an empty list, not an error. Rows that were altered are left out: the list comes with
// an engine.AlteredError that names them.
func all[T any](t *tx, doing string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	var out []T
	var altered *engine.AlteredError
	err := t.s.query(query, args, func(row scanner) error {
		v, err := scan(row)
		var a *engine.AlteredError
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

// millis is t as it is stored: Unix milliseconds, 0 for the zero time.
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

// text is JSON as it is stored: NULL for none.
func text(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// encode makes the JSON document of a details column.
func encode(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // documents hold JSON of merchants, which is to come back as it went in
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("encode %T: %w", v, err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

func decode(doc []byte, v any) error {
	if err := json.Unmarshal(doc, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}
