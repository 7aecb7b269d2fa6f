package storage

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// unsigned are the columns that no signature covers, and why. TestUnsignedColumns compares the list with the schema: a new table or column
// is signed, or named here with a reason.
var unsigned = map[string]string{
	"*.seq":                        "the order of insertion; among rows of the same millisecond alone",
	"*.signature":                  "the signature itself: another one is none",
	"operations.owner":             "who drives it; moves with every claim, and the lease guards every send",
	"operations.lease_until":       "moves with every claim; a send leaves only within the lease that the node itself holds",
	"operations.due_at":            "an index over status, lease and resolve_at",
	"authentications.owner":        "who asks the authenticator; moves with every claim",
	"authentications.lease_until":  "moves with every claim",
	"payment_methods.last_used_at": "the order of a list; moves with every charge",

	"journal.*":           "a record for people; what is sealed is bound to its operation",
	"violations.*":        "a record for people",
	"low_value_uses.*":    "a forecast that statements add up; the issuer counts for itself",
	"exemption_rates.*":   "a forecast that statements add up; the issuer decides",
	"keysets.*":           "encrypted by the master key and bound to their names",
	"payment_statuses.*":  "the list of the statuses there are",
	"schema_migrations.*": "what the schema has had",
}

func TestUnsignedColumns(t *testing.T) {
	db := openTest(t, Options{})
	used := map[string]bool{}
	require.NoError(t, db.Update(context.Background(), func(tx engine.Tx) error {
		return conn(tx).query(`SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'`, nil, func(row scanner) error {
			var table, column string
			if err := row.Scan(&table, &column); err != nil {
				return err
			}
			s := signedTables[table]
			if s != nil {
				if i := slices.Index(s.columns, column); i >= 0 && slices.Contains(s.signed, i) {
					require.NotContains(t, unsigned, table+"."+column)
					return nil
				}
			}
			for _, name := range []string{table + "." + column, table + ".*", "*." + column} {
				if unsigned[name] != "" {
					used[name] = true
					return nil
				}
			}
			t.Errorf("%s.%s is not signed: add it to the columns of its table's rows, or to unsigned with the reason", table, column)
			return nil
		})
	}))
	require.ElementsMatch(t, slices.Collect(maps.Keys(unsigned)), slices.Collect(maps.Keys(used)), "reasons for columns that are there")
}

// TestRowText checks that rows that differ in what is signed never read alike.
func TestRowText(t *testing.T) {
	s := signs("x", "a", "a, b, c, n, f, signature", "f")
	text := func(values ...any) string {
		b, err := s.appendRow(nil, values)
		require.NoError(t, err)
		return string(b)
	}
	plain := text("a", "b", []byte("c"), 1, "f")
	require.Equal(t, plain, text("a", []byte("b"), "c", int64(1), "free"), "text is text, and a number a number")
	require.Equal(t, plain, text("a", "b", "c", true, ""))
	require.Equal(t, text("a", "", nil, 0, ""), text("a", nil, []byte{}, false, ""), "nothing is nothing")
	seen := map[string]bool{plain: true}
	for _, values := range [][]any{
		{"ab", "", "c", 1, "f"}, {"", "ab", "c", 1, "f"}, {"a", "c", "b", 1, "f"}, {"a", "bc", "", 1, "f"}, {"a", "b", "c", 0, "f"}, {"a", "b", "c", -1, "f"},
		{"a", "b", "c", 256, "f"}, {"a", "b", "c", "\x00\x00\x00\x00\x00\x00\x00\x01", "f"}, {"a", 1, "c", 1, "f"}, {"a\x01bs\x01b", "", "c", 1, "f"},
	} {
		require.False(t, seen[text(values...)], "%v", values)
		seen[text(values...)] = true
	}
	more := signs("x", "a", "new, n, c, a, b, signature")
	b, err := more.appendRow(nil, []any{nil, 1, "c", "a", "b"})
	require.NoError(t, err)
	require.Equal(t, plain, string(b), "neither order nor an empty column more changes a row's text")
	_, err = s.appendRow(nil, []any{1.5, "", "", 0, ""})
	require.ErrorContains(t, err, "column a holds a float64")
}
