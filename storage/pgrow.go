package storage

import (
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Types of PostgreSQL that the schema has, by their numbers.
const (
	pgBool    = 16
	pgBytes   = 17
	pgChar    = 18
	pgName    = 19
	pgInt8    = 20
	pgInt2    = 21
	pgInt4    = 23
	pgText    = 25
	pgVarchar = 1043
)

// pgRow is a row as PostgreSQL sends it, in its binary format. It implements scanner.
type pgRow struct {
	fields []pgconn.FieldDescription
	values [][]byte
}

// Scan implements scanner.
func (r *pgRow) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("scan: the row has %d columns, the caller expects %d", len(r.values), len(dest))
	}
	for i, d := range dest {
		if !scanPG(r.values[i], r.fields[i].DataTypeOID, d) {
			return fmt.Errorf("scan: column %d (%s) has the type %d, which does not fit %T: %w", i+1, r.fields[i].Name, r.fields[i].DataTypeOID, d, errOtherType)
		}
	}
	return nil
}

func scanPG(v []byte, oid uint32, dest any) (ok bool) {
	switch d := dest.(type) {
	case *string:
		if ok = v != nil && isPGText(oid); ok {
			*d = string(v)
		}
	case *int64:
		*d, ok = pgInt(v, oid)
	case *int:
		n, isInt := pgInt(v, oid)
		*d, ok = int(n), isInt
	case *bool:
		if ok = oid == pgBool && len(v) == 1; ok {
			*d = v[0] != 0
		}
	case *[]byte:
		if ok = oid == pgBytes || isPGText(oid); ok {
			*d = copyOf(v)
		}
	case *any:
		ok = true
		switch n, isInt := pgInt(v, oid); {
		case v == nil:
			*d = nil
		case isInt:
			*d = n
		case oid == pgBool && len(v) == 1:
			*d = int64(v[0])
		case isPGText(oid):
			*d = string(v)
		default:
			*d = copyOf(v)
		}
	}
	return ok
}

func isPGText(oid uint32) bool {
	return oid == pgText || oid == pgVarchar || oid == pgName || oid == pgChar
}

func pgInt(v []byte, oid uint32) (int64, bool) {
	switch {
	case oid == pgInt8 && len(v) == 8:
		return int64(binary.BigEndian.Uint64(v)), true
	case oid == pgInt4 && len(v) == 4:
		return int64(int32(binary.BigEndian.Uint32(v))), true
	case oid == pgInt2 && len(v) == 2:
		return int64(int16(binary.BigEndian.Uint16(v))), true
	}
	return 0, false
}

// copyOf keeps nil.
func copyOf(v []byte) []byte {
	if v == nil {
		return nil
	}
	return append(make([]byte, 0, len(v)), v...)
}
