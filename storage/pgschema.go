package storage

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// This file is what a migrator needs of PostgreSQL, and the comparison of its schema with SQLite's.

var _ schemaConn = (*pgConn)(nil)

// prepareSchema implements schemaConn: it lifts the time limits, because a migration may take long, and may wait for the migration of another
// process.
func (c *pgConn) prepareSchema() error {
	return c.script("SET statement_timeout = 0; SET lock_timeout = 0")
}

// beginSchema implements schemaConn. The lock is the row of the migration itself: of several processes that insert it, all but the first wait,
// and then find it there.
func (c *pgConn) beginSchema() error {
	const table = `CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL)`
	err := c.script(table)
	if err != nil { // another process may make the table at this moment: PostgreSQL then refuses in several ways, and the table is there the next time
		err = c.script(table)
	}
	if err != nil {
		return err
	}
	return c.script(beginWrite)
}

// tokens implements schemaConn.
func (c *pgConn) tokens() *strings.Replacer { return pgSchema }

// tables implements schemaConn.
func (c *pgConn) tables() (out []string, err error) {
	err = c.query(`SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()`, nil, func(row scanner) error {
		out = append(out, "")
		return row.Scan(&out[len(out)-1])
	})
	if err == nil && slices.Equal(out, []string{"schema_migrations"}) { // beginSchema made it, and then the process ended
		var n int
		err = c.query(`SELECT count(*) FROM schema_migrations`, nil, func(row scanner) error { return row.Scan(&n) })
		if n == 0 {
			out = nil
		}
	}
	return out, err
}

// backUp implements schemaConn. The operator backs PostgreSQL up.
func (c *pgConn) backUp(*migrator, string) error { return nil }

// seenLately is how long ago a node that runs was last seen at most: nodes note that they run every minute.
const seenLately = 2 * time.Minute

// inUse implements schemaConn. It counts the connections of payswitch: nodes, and commands that run. The error names the machines that they come from,
// and the nodes that have lately noted that they run.
func (c *pgConn) inUse(m *migrator) error {
	var n int64
	var from string
	err := c.query(`SELECT count(*), coalesce(string_agg(DISTINCT coalesce(host(client_addr), 'a socket'), ', '), '') FROM pg_catalog.pg_stat_activity
		WHERE datname = current_database() AND application_name = $1 AND pid <> pg_backend_pid()`,
		[]any{applicationName}, func(row scanner) error { return row.Scan(&n, &from) })
	if err != nil {
		return fmt.Errorf("look for nodes on %s: %w", m.path, err)
	}
	if n == 0 {
		return nil
	}
	var nodes []string
	if tables, err := c.tables(); err == nil && slices.Contains(tables, "running_nodes") { // the names only help
		c.query(`SELECT name FROM running_nodes WHERE seen_at > `+nowPG+` - $1 AND name <> '' ORDER BY name`, []any{seenLately.Milliseconds()}, func(row scanner) error {
			nodes = append(nodes, "")
			return row.Scan(&nodes[len(nodes)-1])
		})
	}
	if len(nodes) > 0 {
		from += "; nodes that were seen within two minutes: " + strings.Join(nodes, ", ")
	}
	return fmt.Errorf("payswitch has %d other connections to %s (from %s): stop all nodes first, and end other commands. "+
		"A connection that is left of a machine that has gone ends with SELECT pg_terminate_backend(pid)", n, m.path, from)
}

// planted implements schemaConn: triggers, and rules that rewrite statements.
func (c *pgConn) planted() (out []plant, err error) {
	err = c.query(`SELECT 'trigger'::text, t.tgname::text, c.relname::text FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
			JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND NOT t.tgisinternal
		UNION ALL SELECT 'rule'::text, r.rulename::text, c.relname::text FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
			JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND r.rulename <> '_RETURN'
		UNION ALL SELECT 'policy'::text, p.policyname::text, p.tablename::text FROM pg_catalog.pg_policies p WHERE p.schemaname = current_schema()
		ORDER BY 3, 2`, nil, func(row scanner) error {
		var p plant
		err := row.Scan(&p.kind, &p.name, &p.table)
		out = append(out, p)
		return err
	})
	return out, err
}

// part is a piece of a schema in words that both databases share: a column, a key, an index. name is the table or the index.
type part struct{ table, name, text string }

// describeLite describes the schema of a SQLite database.
func describeLite(c *liteConn) (out []part, err error) {
	tables, err := c.tables()
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		if strings.HasPrefix(table, "sqlite_") || table == "schema_migrations" {
			continue
		}
		err := c.query(`SELECT name, type, "notnull", pk, coalesce(dflt_value, '') FROM pragma_table_info($1)`, []any{table}, func(row scanner) error {
			var name, kind, without string
			var notNull, key int
			if err := row.Scan(&name, &kind, &notNull, &key, &without); err != nil {
				return err
			}
			kind = map[string]string{"INTEGER": "bigint", "BIGINT": "bigint", "TEXT": "text", "BOOLEAN": "boolean", "BLOB": "bytea"}[kind]
			out = append(out, columnPart(table, name, kind, notNull != 0 || key != 0, without))
			if key != 0 {
				out = append(out, part{table, "", "primary key (" + name + ")"})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		type index struct {
			name            string
			unique, partial bool
			made            bool // by CREATE INDEX
		}
		var indexes []index
		err = c.query(`SELECT name, "unique", partial, origin FROM pragma_index_list($1) WHERE origin <> 'pk'`, []any{table}, func(row scanner) error {
			var i index
			var origin string
			err := row.Scan(&i.name, &i.unique, &i.partial, &origin)
			i.made = origin == "c"
			indexes = append(indexes, i)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, i := range indexes {
			var columns []string
			err := c.query(`SELECT name FROM pragma_index_info($1) ORDER BY seqno`, []any{i.name}, func(row scanner) error {
				columns = append(columns, "")
				return row.Scan(&columns[len(columns)-1])
			})
			if err != nil {
				return nil, err
			}
			if !i.made {
				i.name = ""
			}
			out = append(out, indexPart(table, i.name, strings.Join(columns, ", "), i.unique, i.partial))
		}
		err = c.query(`SELECT "table", group_concat("from", ', '), on_delete FROM (SELECT * FROM pragma_foreign_key_list($1) ORDER BY id, seq) GROUP BY id`,
			[]any{table}, func(row scanner) error {
				var to, columns, then string
				err := row.Scan(&to, &columns, &then)
				out = append(out, part{table, "", "foreign key (" + columns + ") to " + to + " " + strings.ToLower(then)})
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func columnPart(table, name, kind string, notNull bool, without string) part {
	text := "column " + name + " " + kind
	if notNull {
		text += " not null"
	}
	if without, _, _ = strings.Cut(without, "::"); without != "" {
		text += " default " + without
	}
	return part{table, "", text}
}

func indexPart(table, name, columns string, unique, partial bool) part {
	text := "index on (" + columns + ")"
	if unique {
		text = "unique key (" + columns + ")"
	}
	if partial {
		text += " of some rows"
	}
	return part{table, name, text}
}

// describePG describes the schema of a PostgreSQL database.
func describePG(c *pgConn) (out []part, err error) {
	err = c.query(`SELECT table_name::text, column_name::text, data_type::text, is_nullable::text, coalesce(column_default, '')::text
		FROM information_schema.columns WHERE table_schema = current_schema() AND table_name <> 'schema_migrations' ORDER BY table_name, ordinal_position`,
		nil, func(row scanner) error {
			var table, name, kind, null, without string
			if err := row.Scan(&table, &name, &kind, &null, &without); err != nil {
				return err
			}
			if name == "seq" && (strings.HasPrefix(without, "nextval(") || without == "unique_rowid()") {
				without = ""
			}
			out = append(out, columnPart(table, name, kind, null == "NO", without))
			return nil
		})
	if err != nil {
		return nil, err
	}
	err = c.query(`SELECT t.relname::text, i.relname::text, x.indisunique, x.indisprimary, x.indpred IS NOT NULL,
			i.oid IN (SELECT k.conindid FROM pg_catalog.pg_constraint k),
			(SELECT coalesce(string_agg(coalesce(a.attname::text, 'an expression'), ', ' ORDER BY k.place), '')
				FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place) LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number)
		FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
		JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
		WHERE n.nspname = current_schema() AND t.relname <> 'schema_migrations' AND x.indisvalid ORDER BY 1, 2`, nil, func(row scanner) error {
		var table, name, columns string
		var unique, primary, partial, constraint bool
		if err := row.Scan(&table, &name, &unique, &primary, &partial, &constraint, &columns); err != nil {
			return err
		}
		if constraint {
			name = ""
		}
		if primary {
			out = append(out, part{table, "", "primary key (" + columns + ")"})
			return nil
		}
		out = append(out, indexPart(table, name, columns, unique, partial))
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = c.query(`SELECT t.relname::text, f.relname::text, k.confdeltype::text,
			(SELECT string_agg(a.attname::text, ', ' ORDER BY p.place) FROM unnest(k.conkey) WITH ORDINALITY AS p (number, place)
				JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.number)
		FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class t ON t.oid = k.conrelid JOIN pg_catalog.pg_class f ON f.oid = k.confrelid
		JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace WHERE n.nspname = current_schema() AND k.contype = 'f' ORDER BY 1, 2`, nil, func(row scanner) error {
		var table, to, then, columns string
		err := row.Scan(&table, &to, &then, &columns)
		then = map[string]string{"a": "no action", "c": "cascade", "r": "restrict", "n": "set null", "d": "set default"}[then]
		out = append(out, part{table, "", "foreign key (" + columns + ") to " + to + " " + then})
		return err
	})
	return out, err
}

// expectedParts describes the schema that the migrations of this binary make, by SQLite in memory: the two schemas are the same, but for onlyLite.
var expectedParts = sync.OnceValues(func() (out []part, err error) {
	err = inMemory(migrationFiles, func(c *liteConn) error { out, err = describeLite(c); return err })
	return slices.DeleteFunc(out, func(p part) bool { return p == onlyLite }), err
})

// onlyLite is a key that costs SQLite nothing. PostgreSQL would look the status up, and lock it, for each change of a payment. It has the constraint
// payments_status_known there.
var onlyLite = part{"payments", "", "foreign key (status) to payment_statuses no action"}

// checkSchema implements schemaConn. It allows further tables and further indexes that are not unique.
func (c *pgConn) checkSchema(m *migrator) error {
	want, err := expectedParts()
	if err != nil {
		return err
	}
	have, err := describePG(c)
	if err != nil {
		return fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	for _, w := range want {
		if !slices.Contains(have, w) {
			return fmt.Errorf("%s: table %s lacks its %s. Restore the database, or repair its schema", m.path, w.table, w)
		}
	}
	for _, h := range have {
		ours := slices.ContainsFunc(want, func(w part) bool { return w.table == h.table })
		if ours && !slices.Contains(want, h) && !strings.HasPrefix(h.text, "index ") {
			return fmt.Errorf("%s: table %s has the %s, which payswitch did not make. Restore the database, or repair its schema", m.path, h.table, h)
		}
	}
	return nil
}

func (p part) String() string { return strings.TrimSpace(p.text + " " + p.name) }
