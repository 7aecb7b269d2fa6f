package storage

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// This file is the rows of a copy to another database: as bytes that both databases make alike, and their checksums.

// movedTable is a table to copy.
type movedTable struct {
	name    string
	columns []string // the first is the row's number seq, or the key of a table without one
	kinds   []string // of PostgreSQL: bigint, text, boolean, bytea
	whole   bool     // the table has few rows and no seq: it is copied whole, at the end
}

func (t *movedTable) names() string { return strings.Join(t.columns, ", ") }

// tally is the number of rows and their checksum: the sum of the SHA-256 of each row, modulo 2^128. The order of the rows does not matter.
type tally struct {
	Rows int64  `json:"rows"`
	High uint64 `json:"high"`
	Low  uint64 `json:"low"`
}

func (t *tally) add(frame []byte) {
	sum := sha256.Sum256(frame)
	var carry uint64
	t.Rows++
	t.Low, carry = bits.Add64(t.Low, binary.BigEndian.Uint64(sum[8:]), 0)
	t.High, _ = bits.Add64(t.High, binary.BigEndian.Uint64(sum[:]), carry)
}

// plus adds what other counts; minus takes it away.
func (t *tally) plus(other tally) {
	var carry uint64
	t.Rows += other.Rows
	t.Low, carry = bits.Add64(t.Low, other.Low, 0)
	t.High, _ = bits.Add64(t.High, other.High, carry)
}

func (t *tally) minus(other tally) {
	var borrow uint64
	t.Rows -= other.Rows
	t.Low, borrow = bits.Sub64(t.Low, other.Low, 0)
	t.High, _ = bits.Sub64(t.High, other.High, borrow)
}

func (t tally) String() string { return fmt.Sprintf("%016x%016x", t.High, t.Low) }

// appendFrame appends a row of SQLite as PostgreSQL's binary COPY format has it.
func (t *movedTable) appendFrame(b []byte, row liteRow) ([]byte, error) {
	b = binary.BigEndian.AppendUint16(b, uint16(len(row)))
	for i, v := range row {
		var ok bool
		if b, ok = appendValue(b, t.kinds[i], v); !ok {
			return b, fmt.Errorf("table %s, row %v: column %s holds a value (%T) that PostgreSQL cannot keep as %s: "+
				"text must be UTF-8 without the character NUL. Nothing of payswitch writes such a value: read Altered rows in OPERATIONS.md",
				t.name, row[0], t.columns[i], v, t.kinds[i])
		}
	}
	return b, nil
}

func appendValue(b []byte, kind string, v any) ([]byte, bool) {
	if v == nil {
		return binary.BigEndian.AppendUint32(b, ^uint32(0)), true
	}
	switch kind {
	case "bigint", "boolean":
		n, ok := v.(int64)
		if yes, isBool := v.(bool); isBool {
			n, ok = truth(yes), true
		}
		if kind == "bigint" {
			return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n)), ok
		}
		return append(binary.BigEndian.AppendUint32(b, 1), byte(n)), ok && (n == 0 || n == 1)
	case "text":
		s, ok := v.(string)
		ok = ok && utf8.ValidString(s) && strings.IndexByte(s, 0) < 0
		return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...), ok
	case "bytea":
		switch v := v.(type) {
		case []byte:
			return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...), true
		case string:
			return append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...), true
		}
	}
	return b, false
}

// appendPGFrame appends a row that PostgreSQL has sent, in the same form.
func appendPGFrame(b []byte, row *pgRow) []byte {
	b = binary.BigEndian.AppendUint16(b, uint16(len(row.values)))
	for _, v := range row.values {
		if v == nil {
			b = binary.BigEndian.AppendUint32(b, ^uint32(0))
			continue
		}
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(v))), v...)
	}
	return b
}

// frames are rows on their way: the text of a COPY, and their tally.
type frames struct {
	text  []byte
	tally tally
	last  int64 // the seq of the last row
}

const copyHeader = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func newFrames() *frames { return &frames{text: append(make([]byte, 0, 1<<20), copyHeader...)} }

func (f *frames) add(t *movedTable, row liteRow) (err error) {
	at := len(f.text)
	if f.text, err = t.appendFrame(f.text, row); err != nil {
		return err
	}
	f.tally.add(f.text[at:])
	f.last, _ = row[0].(int64)
	return nil
}
