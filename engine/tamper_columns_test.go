package engine_test

import (
	"fmt"
	"maps"

	"github.com/stretchr/testify/require"
)

func (w *tamperWorld) tables() (out []string, err error) {
	rows, err := w.Query(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}

// tamper changes a column of the first row in every way, one after the other, and restores it each time. The result is "" for a change that
// was noticed, and otherwise the result of the use.
func (w *tamperWorld) tamper(table, column string, rows []row, at []int64) map[string]string {
	out := map[string]string{}
	try := func(variant string, value any, swap bool) {
		first, second := maps.Clone(rows[0]), maps.Clone(rows[1])
		first[column] = value
		ok := true
		if swap {
			second[column] = rows[0][column]
			ok = w.put(table, at[1], row{column: unlike(rows[1][column])}) // for a unique column
		}
		ok = ok && w.put(table, at[0], row{column: value})
		ok = ok && (!swap || w.put(table, at[1], row{column: second[column]}))
		if ok {
			yes, came := w.notices(table, first)
			if swap && yes {
				yes, came = w.notices(table, second)
			}
			out[variant] = came
			if !yes && came == "" {
				out[variant] = "nothing"
			}
		}
		if column == "seq" {
			require.True(w.t, w.put(table, value.(int64), rows[0]))
		}
		if swap {
			w.put(table, at[0], row{column: unlike(value)}) // for a unique column
		}
		for n := len(rows) - 1; n >= 0; n-- {
			require.True(w.t, w.put(table, at[n], rows[n]))
		}
	}
	differ := at[0] != at[1] && fmt.Sprint(rows[0][column]) != fmt.Sprint(rows[1][column])
	if column == "seq" {
		try("another", rows[0]["seq"].(int64)+1_000_000, false)
		return out
	}
	try("another", another(rows[0][column], rows[1][column]), false)
	if n, ok := rows[0][column].(int64); ok && len(out) == 0 {
		try("another", n+1000, false) // the other numbers are taken
	}
	if z := zero(rows[0][column]); fmt.Sprint(z) != fmt.Sprint(rows[0][column]) {
		try("emptied", z, false)
	}
	if differ {
		try("exchanged", rows[1][column], true)
	}
	return out
}

// unlike returns a value that no row has.
func unlike(value any) any {
	switch value.(type) {
	case int64:
		return int64(-7)
	case []byte:
		return []byte("nobody's")
	}
	return "nobody's"
}
