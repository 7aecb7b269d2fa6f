package storage

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clears are the tables that a migration empties or drops, because a loop fills them again or because their rows end within minutes.
var clears = map[string][]string{
	"0008_short_term_keys": {"card_tokens"},
	"0110_facets_of_lists": {"payment_facets", "facet_marks"},
	"0145_facets_again":    {"facets", "facet_marks"},
}

// TestMigrationsWithRows applies the migrations one by one, each to a database with rows in all its tables. The rows are equal but for their keys.
// So a new key that present rows may break fails here, and a new column that they have no value for. No row is lost.
func TestMigrationsWithRows(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		list, err := readMigrations(migrationFiles)
		require.NoError(t, err)
		conn, err := openLite(":memory:", time.Second) // it says which columns and keys there are
		require.NoError(t, err)
		defer conn.close()
		rows := rowMaker{t, conn, &migrator{conn: conn, path: ":memory:", files: migrationFiles, log: slog.New(slog.DiscardHandler)}, nil}
		require.NoError(t, withMigrator(dsn, func(m *migrator) error {
			had := map[string]int{}
			for i, k := range list {
				for _, c := range []*migrator{rows.shadow, m} {
					_, err := c.applyTogether(list[i:i+1], nil)
					require.NoError(t, err, "present rows break %s", k.name)
				}
				for table, n := range had {
					if !slices.Contains(clears[k.name], table) {
						require.GreaterOrEqual(t, rows.count(m.conn, table), n, "%s: rows of %s", k.name, table)
					}
				}
				had = rows.fill(m.conn)
			}
			require.Greater(t, len(had), 50)
			var rare string
			require.NoError(t, m.conn.query(`SELECT max(rare_status) FROM payments`, nil, func(row scanner) error { return row.Scan(&rare) }))
			require.Equal(t, "requires_capture", rare)
			return m.checkSchema()
		}))
	})
}

// rowMaker makes rows for any table. conn has the schema, without rows.
type rowMaker struct {
	*testing.T
	conn   *liteConn
	shadow *migrator
	known  map[string][]column // of tables
}

// count returns how many rows a table has.
func (r rowMaker) count(c schemaConn, table string) (n int) {
	require.NoError(r, c.query(`SELECT count(*) FROM `+table, nil, func(row scanner) error { return row.Scan(&n) }))
	return n
}

// fill inserts two rows into each empty table, and returns how many rows each table has.
func (r rowMaker) fill(c schemaConn) map[string]int {
	had := map[string]int{}
	r.known = map[string][]column{}
	var tables []string
	require.NoError(r, r.conn.query(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_migrations' ORDER BY rowid`, nil, func(row scanner) error {
		tables = append(tables, "")
		return row.Scan(&tables[len(tables)-1])
	}))
	for _, table := range tables {
		for n := 1; n <= 2 && r.count(c, table) < 2; n++ {
			r.insert(c, table, n)
		}
		had[table] = r.count(c, table)
	}
	return had
}

// column is a column of a table. key is true for a part of a key: its values differ.
type column struct {
	name, kind    string
	key           bool
	other, column string // where a foreign key leads
}

func (r rowMaker) columns(table string) (out []column) {
	if out = r.known[table]; out != nil {
		return out
	}
	require.NoError(r, r.conn.query(`SELECT name, type, pk, coalesce(f."table", ''), coalesce(f."to", '') FROM pragma_table_info($1) c LEFT JOIN (SELECT "from", "table", "to" FROM
		pragma_foreign_key_list($1) ORDER BY id) f ON f."from" = c.name`, []any{table}, func(row scanner) error {
		var c column
		var pk int
		err := row.Scan(&c.name, &c.kind, &pk, &c.other, &c.column)
		c.key = pk != 0
		if !slices.ContainsFunc(out, func(o column) bool { return o.name == c.name }) {
			out = append(out, c)
		}
		return err
	}))
	require.NoError(r, r.conn.query(`SELECT i.name FROM pragma_index_list($1) l, pragma_index_info(l.name) i WHERE l."unique" = 1`, []any{table}, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		for i := range out {
			out[i].key = out[i].key || out[i].name == name
		}
		return err
	}))
	r.known[table] = out
	return out
}

// value returns what a row's column holds.
func (r rowMaker) value(table, name string, n int) any {
	if table == "payment_statuses" || table == "payments" && name == "status" {
		return []string{"succeeded", "requires_capture"}[n-1]
	}
	all := r.columns(table)
	c := all[slices.IndexFunc(all, func(c column) bool { return c.name == name })]
	switch {
	case c.other != "":
		return r.value(c.other, c.column, n)
	case !c.key:
		n = 1
	}
	switch c.kind {
	case "TEXT":
		return fmt.Sprintf(`{"reference": "%s %d"}`, c.name, n)
	case "BLOB":
		return []byte{byte(n)}
	case "BOOLEAN":
		return n == 2
	}
	return int64(n)
}

func (r rowMaker) insert(c schemaConn, table string, n int) {
	names, places, values := "", "", []any(nil)
	for _, k := range r.columns(table) {
		if k.name == "seq" {
			continue
		}
		values = append(values, r.value(table, k.name, n))
		if names != "" {
			names, places = names+", ", places+", "
		}
		names, places = names+k.name, places+fmt.Sprint("$", len(values))
	}
	_, err := c.exec(`INSERT INTO `+table+` (`+names+`) VALUES (`+places+`)`, values...)
	require.NoError(r, err, "%s %v", table, values)
}
