package storage

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRowText checks that rows with different signed columns never have the same text.
func TestRowText(t *testing.T) {
	s := signs("x", "a", "a, b, c, n, f, signature", "f")
	text := func(values ...any) string {
		b, err := s.appendRow(nil, values)
		require.NoError(t, err)
		return string(b)
	}
	plain := text("a", "b", []byte("c"), 1, "f")
	require.Equal(t, plain, text("a", []byte("b"), "c", int64(1), "free"), "text and bytes have the same text, and free columns do not count")
	require.Equal(t, plain, text("a", "b", "c", true, ""))
	require.Equal(t, text("a", "", nil, 0, ""), text("a", nil, []byte{}, false, ""), "all empty values have the same text")
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
	require.Equal(t, plain, string(b), "neither the order of the columns nor a further empty column changes a row's text")
	_, err = s.appendRow(nil, []any{1.5, "", "", 0, ""})
	require.ErrorContains(t, err, "column a holds a float64")
}

// TestBytesColumns compares the list with the schema.
func TestBytesColumns(t *testing.T) {
	d := openTest(t, Options{})
	conn, err := openLite(d.path, time.Second)
	require.NoError(t, err)
	defer conn.close()
	found := map[string]bool{}
	for name := range signedTables {
		require.NoError(t, conn.query(`SELECT name FROM pragma_table_info($1) WHERE type = 'BLOB' AND name <> 'signature'`, []any{name}, func(row scanner) error {
			var column string
			err := row.Scan(&column)
			found[column] = true
			return err
		}))
	}
	require.ElementsMatch(t, bytesColumns, slices.Collect(maps.Keys(found)))
}
