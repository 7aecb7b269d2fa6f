package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/fault"
	"payswitch/engine/vault"
)

// signedTable is a table whose rows carry a signature by the engine. The signature covers every column but seq and the free ones. A new
// column is signed, unless it is named as free.
type signedTable struct {
	name    string
	key     []string // columns that identify a row
	columns []string // in the order of reads and inserts, without the signature, which comes last
	signed  []int    // indexes of the signed columns, sorted by name
	whole   bool     // the table has few rows and no seq to page by: one window has all rows
}

// signedTables are all signed tables by name.
var signedTables = byName(merchantRows, profileRows, accountRows, keyRows, customerRows, paymentRows, attemptRows, operationRows, exchangeRows,
	eventRows, evidenceRows, idempotencyRows, cardTokenRows, cardRows, shortTermRows, authenticationRows, methodRows, mandateRows,
	ephemeralRows, customerAccountRows, refundRows, accountVersionRows, endpointRows, routingRows, errorRuleRows, configKeyRows, disputeRows,
	adapterRows, linkRows, staffUserRows, staffLoginRows, staffOnceRows, staffTriesRows, staffAuditRows, staffChainRows, blockedRows, blockJobRows,
	blockPartRows, healthRows, volumeRows, issuerRows, relayRows, proposalRows)

func byName(list ...*signedTable) map[string]*signedTable {
	out := map[string]*signedTable{}
	for _, s := range list {
		out[s.name] = s
	}
	return out
}

// signs describes a table. columns are those of its SELECTs, which end with the signature. Free columns are written many times by statements
// that do not have the whole row: an operation's owner and the end of its lease, and the time of a saved method's last use.
func signs(name, key, columns string, free ...string) *signedTable {
	list := splitColumns(columns)
	last := len(list) - 1
	if list[last] != "signature" {
		panic("storage: the columns of " + name + " do not end with the signature")
	}
	s := &signedTable{name: name, key: splitColumns(key), columns: list[:last]}
	for i, c := range s.columns {
		if !slices.Contains(free, c) {
			s.signed = append(s.signed, i)
		}
	}
	slices.SortFunc(s.signed, func(a, b int) int { return strings.Compare(list[a], list[b]) })
	return s
}

// inOneWindow marks a table with few rows.
func (s *signedTable) inOneWindow() *signedTable {
	s.whole = true
	return s
}

func splitColumns(columns string) []string {
	list := strings.Split(columns, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// appendRow appends the signed text of a row: its columns that hold a value, by name. Names and values carry their lengths, so that no two
// rows have the same text. Empty columns are left out, so a column that is added later, empty, changes nothing.
func (s *signedTable) appendRow(b []byte, values []any) ([]byte, error) {
	for _, i := range s.signed {
		switch v := values[i].(type) {
		case nil:
		case string:
			b = appendText(b, s.columns[i], v)
		case *string:
			b = appendText(b, s.columns[i], *v)
		case []byte:
			b = appendText(b, s.columns[i], v)
		case *[]byte:
			b = appendText(b, s.columns[i], *v)
		case int:
			b = appendNumber(b, s.columns[i], int64(v))
		case *int:
			b = appendNumber(b, s.columns[i], int64(*v))
		case int64:
			b = appendNumber(b, s.columns[i], v)
		case *int64:
			b = appendNumber(b, s.columns[i], *v)
		case bool:
			b = appendNumber(b, s.columns[i], truth(v))
		case *bool:
			b = appendNumber(b, s.columns[i], truth(*v))
		default:
			return nil, fmt.Errorf("sign %s: column %s holds a %T", s.name, s.columns[i], v)
		}
	}
	return b, nil
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

func appendText[T string | []byte](b []byte, column string, value T) []byte {
	if len(value) == 0 {
		return b
	}
	b = append(appendName(b, column), 's')
	return append(binary.AppendUvarint(b, uint64(len(value))), value...)
}

func appendNumber(b []byte, column string, value int64) []byte {
	if value == 0 {
		return b
	}
	return binary.BigEndian.AppendUint64(append(appendName(b, column), 'n'), uint64(value))
}

func appendName(b []byte, column string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(column))), column...)
}

// keyOf returns the values that identify the row.
func (s *signedTable) keyOf(values []any) (key []string) {
	for _, column := range s.key {
		switch v := values[slices.Index(s.columns, column)].(type) {
		case *string:
			key = append(key, *v)
		case *int:
			key = append(key, fmt.Sprint(*v))
		case *int64:
			key = append(key, fmt.Sprint(*v))
		default:
			key = append(key, fmt.Sprint(v))
		}
	}
	return key
}

// signature returns the signature of a row, nil without a signer. values are the row's columns.
func (t *tx) signature(s *signedTable, values []any) any {
	if t.signer == nil {
		return nil
	}
	row, err := s.appendRow(t.row[:0], values)
	if err != nil {
		panic(err) // no statement has arguments of other types
	}
	t.row = row
	return t.signer.SignRow(s.name, row)
}

// signed returns a row's columns with its signature: the arguments of an INSERT.
func (t *tx) signed(s *signedTable, values ...any) []any {
	return append(values, t.signature(s, values))
}

// genuine wraps scan for rows of a signed table that were selected with their signatures. An altered row is an vault.AlteredError. asked are
// the columns by which the query selects rows, each followed by its value.
func genuine[T any](t *tx, s *signedTable, scan func(scanner) (T, error), asked ...any) func(scanner) (T, error) {
	return func(row scanner) (T, error) { return scan(&signedRow{row: row, t: t, table: s, asked: asked}) }
}

// signedRow is a row whose signature is checked when the row is scanned.
type signedRow struct {
	row   scanner
	t     *tx
	table *signedTable
	asked []any // column, value, column, value …
}

// Scan implements scanner.
func (r *signedRow) Scan(dest ...any) error {
	var signature []byte
	if err := r.row.Scan(append(dest, &signature)...); err != nil {
		if r.t.signer != nil && errors.Is(err, errOtherType) {
			return r.t.signer.Altered(r.table.name, r.table.keyOf(dest))
		}
		return err
	}
	if err := r.t.check(r.table, dest, signature); err != nil {
		return err
	}
	if r.t.signer != nil && !r.isAsked(dest) {
		return r.t.signer.Altered(r.table.name, r.table.keyOf(dest))
	}
	return nil
}

// isAsked reports whether the row is one that the query asked for. An intruder who can write to the database can make an index or a view that
// leads from one row's key to another, genuine row.
func (r *signedRow) isAsked(dest []any) bool {
	for i := 0; i < len(r.asked); i += 2 {
		at := slices.Index(r.table.columns, r.asked[i].(string))
		switch v := dest[at].(type) {
		case *string:
			if want, ok := r.asked[i+1].(string); !ok || *v != want {
				return false
			}
		case *[]byte:
			if want, ok := r.asked[i+1].([]byte); !ok || !bytes.Equal(*v, want) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// check compares a row with its signature. values are its columns, or pointers to them.
func (t *tx) check(s *signedTable, values []any, signature []byte) error {
	if t.signer == nil {
		return nil
	}
	row, err := s.appendRow(t.row[:0], values)
	if err != nil {
		return err
	}
	t.row = row
	if t.signer.Genuine(s.name, row, signature) {
		return nil
	}
	return t.signer.Altered(s.name, s.keyOf(values))
}

func signedTableOf(name string) (*signedTable, error) {
	if s := signedTables[name]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("rows of table %q are not signed", name)
}

// SignedTables implements engine.Reader.
func (t *tx) SignedTables() []string {
	var out []string
	for name := range signedTables {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// SignedRows implements engine.Reader.
func (t *tx) SignedRows(table string, behind int64, window int) (rows []vault.SignedRow, next int64, err error) {
	s, err := signedTableOf(table)
	if err != nil {
		return nil, 0, err
	}
	query, args := `SELECT seq, `+s.names()+` FROM `+s.name+` WHERE seq > $1 ORDER BY seq LIMIT $2`+t.s.dialect().lockRow, []any{behind, window}
	if s.whole {
		query, args = `SELECT 0, `+s.names()+` FROM `+s.name+` ORDER BY `+strings.Join(s.key, ", ")+t.s.dialect().lockRow, nil
	}
	rows, err = all(t, "read signed rows", s.scan, query, args...)
	if len(rows) == window && !s.whole {
		next = rows[len(rows)-1].Position
	}
	return rows, next, err
}

func (s *signedTable) names() string { return strings.Join(s.columns, ", ") + ", signature" }

// scan reads any row of the table.
func (s *signedTable) scan(row scanner) (r vault.SignedRow, err error) {
	values := make([]any, len(s.columns))
	var signature any
	dest := []any{&r.Position}
	for i := range values {
		dest = append(dest, &values[i])
	}
	if err := row.Scan(append(dest, &signature)...); err != nil {
		return r, err
	}
	switch v := signature.(type) {
	case []byte:
		r.Signature = v
	case string:
		r.Signature = []byte(v)
	}
	r.Key = s.keyOf(values)
	for i, name := range s.columns {
		r.Columns = append(r.Columns, vault.SignedColumn{Name: name, Value: values[i], Free: !slices.Contains(s.signed, i)})
	}
	if r.Row, err = s.appendRow(nil, values); err == nil {
		err = s.checkTypes(values)
	}
	if err != nil {
		r.Row = []byte(err.Error()) // the vault signs no such text
	}
	return r, nil
}

// bytesColumns are the columns of signed tables that hold bytes.
var bytesColumns = splitColumns(`body, client_secret_hash, email_hash, hash, headers, instrument, key, outcome, request, request_hash, sealed, seed, wrapped_key`)

// checkTypes refuses bytes in a column of text or numbers: readers of such a row cannot scan it.
func (s *signedTable) checkTypes(values []any) error {
	for i, v := range values {
		if _, bytes := v.([]byte); bytes && !slices.Contains(bytesColumns, s.columns[i]) {
			return fmt.Errorf("%s: column %s holds bytes", s.name, s.columns[i])
		}
	}
	return nil
}

// where returns the condition that finds a row again.
func (s *signedTable) where(r vault.SignedRow, args []any) (string, []any) {
	if !s.whole {
		args = append(args, r.Position)
		return fmt.Sprintf("seq = $%d", len(args)), args
	}
	var and []string
	for i, column := range s.key {
		args = append(args, r.Key[i])
		and = append(and, fmt.Sprintf("%s = $%d", column, len(args)))
	}
	return strings.Join(and, " AND "), args
}

// PutSignature implements engine.Tx.
func (t *tx) PutSignature(table string, r vault.SignedRow, signature []byte) error {
	s, err := signedTableOf(table)
	if err != nil {
		return err
	}
	where, args := s.where(r, []any{signature})
	return t.change("put signature", `UPDATE `+s.name+` SET signature = $1 WHERE `+where, args...)
}

// resigned runs a statement that changes one signed row without the whole row at hand. The row must match its signature, and is signed again.
// becomes returns the value that the statement gives to a column. resigned does not read the row again, so that it does not sign a trigger's
// changes.
func (t *tx) resigned(table string, r vault.SignedRow, becomes func(column string, was any) any, change func() (bool, error)) (bool, error) {
	s := signedTables[table]
	if s == nil || t.signer == nil {
		return change()
	}
	seq := "seq"
	if s.whole {
		seq = "0"
	}
	where, args := s.where(r, nil)
	query := `SELECT ` + seq + `, ` + s.names() + ` FROM ` + s.name + ` WHERE ` + where + t.s.dialect().lockRow
	before, err := one(t, "read signed row", s.scan, query, args...)
	if errors.Is(err, fault.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !t.signer.Genuine(s.name, before.Row, before.Signature) {
		return false, t.signer.Altered(s.name, before.Key)
	}
	if did, err := change(); err != nil || !did {
		return did, err
	}
	values := make([]any, len(s.columns))
	for i, c := range before.Columns {
		values[i] = becomes(c.Name, c.Value)
	}
	after, err := s.appendRow(nil, values)
	if err != nil {
		return false, err
	}
	return true, t.PutSignature(table, before, t.signer.SignRow(s.name, after))
}
