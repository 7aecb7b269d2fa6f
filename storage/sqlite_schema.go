package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// This file is what a migrator needs of SQLite.

var _ schemaConn = (*liteConn)(nil)

// prepareSchema implements schemaConn.
func (c *liteConn) prepareSchema() error { return nil }

// beginSchema implements schemaConn.
func (c *liteConn) beginSchema() error { return c.script("BEGIN IMMEDIATE") }

// tokens implements schemaConn.
func (c *liteConn) tokens() *strings.Replacer { return sqliteSchema }

// tables implements schemaConn.
func (c *liteConn) tables() (out []string, err error) {
	err = c.query(`SELECT name FROM sqlite_master WHERE type = 'table'`, nil, func(row scanner) error {
		out = append(out, "")
		return row.Scan(&out[len(out)-1])
	})
	return out, err
}

// inUse implements schemaConn, by the locks of the nodes' names.
func (c *liteConn) inUse(m *migrator) error { return refuseInUse(m.path) }

// partKept is how long the part of a copy stays after its last write. A migration under way writes to its own part all the time.
const partKept = 10 * time.Minute

// backUp implements schemaConn. It writes a complete and consistent copy of the database next to it. The file has the name of a copy once it is whole.
func (c *liteConn) backUp(m *migrator, next string) (err error) {
	to := fmt.Sprintf("%s.before-%s", m.path, next)
	if _, err := os.Lstat(to); err == nil {
		to += "-" + wholeMillis(time.Now()).Format("20060102T150405.000")
	}
	removeParts(m.path)
	part, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+"-*.part") // VACUUM INTO fills an empty file, with this mode
	if err != nil {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	defer func() {
		err = errors.Join(err, part.Close(), removeIfThere(part.Name()))
	}()
	if _, err := c.exec(`VACUUM INTO $1`, part.Name()); err != nil {
		return fmt.Errorf("copy the database to %s before the migration, which needs as much room as the database: %w", to, err)
	}
	if err := part.Sync(); err != nil {
		return fmt.Errorf("copy the database to %s before the migration: %w", to, err)
	}
	if err := os.Rename(part.Name(), to); err != nil {
		return fmt.Errorf("copy the database before the migration: %w", err)
	}
	m.log.Info("the database was copied before its migration", "copy", to)
	return nil
}

// removeParts removes what killed migrations have left of their copies: it holds as much as a copy, and opens as none.
func removeParts(path string) {
	left, _ := filepath.Glob(globLiteral.Replace(path) + ".before-*.part*") // "part-journal" too
	for _, name := range left {
		if st, err := os.Lstat(name); err == nil && time.Since(st.ModTime()) > partKept {
			os.Remove(name)
		}
	}
}

// globLiteral makes a pattern of filepath.Match of a text that stands for itself.
var globLiteral = strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`, `\`, `\\`)

// dbObject is a table, an index, a trigger or a view.
type dbObject struct{ kind, name, table, text string }

func (o dbObject) String() string { return o.kind + " " + o.name }

// objects returns the objects of a database's schema, without SQLite's own.
func objects(c *liteConn) (out []dbObject, err error) {
	err = c.query(`SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY type DESC, name`, nil, func(row scanner) error {
		var o dbObject
		err := row.Scan(&o.kind, &o.name, &o.table, &o.text)
		out = append(out, o)
		return err
	})
	return out, err
}

// planted implements schemaConn.
func (c *liteConn) planted() (out []plant, err error) {
	list, err := objects(c)
	for _, o := range list {
		if o.kind == "trigger" {
			out = append(out, plant{o.kind, o.name, o.table})
		}
	}
	return out, err
}

// checkSchema implements schemaConn. It compares tables and indexes with those that the migrations make. It allows further tables, views and indexes.
func (c *liteConn) checkSchema(m *migrator) error {
	made := ourSchema
	if m.files != fs.FS(migrationFiles) {
		made = func() ([]dbObject, error) { return schemaOf(m.files) }
	}
	want, err := made()
	if err != nil {
		return err
	}
	have, err := objects(c)
	if err != nil {
		return fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	byName := map[string]dbObject{}
	for _, o := range have {
		byName[o.name] = o
	}
	for _, o := range want {
		is, found := byName[o.name]
		if found && is.kind == o.kind && is.text == o.text {
			continue
		}
		problem := "is missing"
		if found {
			problem = "is not as payswitch made it: it reads " + is.text
		}
		if found && is.kind != o.kind {
			problem = "is missing: a " + is.String() + " has its name"
		}
		return fmt.Errorf("%s: the %s %s. Restore the database, or repair its schema to: %s", m.path, o, problem, o.text)
	}
	return nil
}

// ourSchema is schemaOf for the migrations of this binary. It is computed once, since it takes about 15 ms.
var ourSchema = sync.OnceValues(func() ([]dbObject, error) { return schemaOf(migrationFiles) })

// schemaOf returns the schema that the migrations make of an empty database.
func schemaOf(files fs.FS) (out []dbObject, err error) {
	err = inMemory(files, func(c *liteConn) error { out, err = objects(c); return err })
	return out, err
}

// inMemory calls f with an empty database that has the migrations.
func inMemory(files fs.FS, f func(c *liteConn) error) error {
	conn, err := openLite(":memory:", time.Second)
	if err != nil {
		return err
	}
	defer conn.close()
	list, err := readMigrations(files)
	if err != nil {
		return err
	}
	m := &migrator{conn: conn, path: ":memory:", files: files, log: slog.New(slog.DiscardHandler)}
	if _, err := m.applyTogether(list, nil); err != nil {
		return err
	}
	return f(conn)
}
