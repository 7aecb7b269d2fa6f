package storage

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrate brings the database that dsn names up to date, and sets it up if it is new. It returns the names of the applied migrations, in
// order. Before it changes a database with data, it writes a copy next to it (<file>.before-<migration>).
func Migrate(ctx context.Context, dsn string) (applied []string, err error) {
	err = withMigrator(dsn, func(m *migrator) error {
		applied, err = m.apply(ctx)
		return err
	})
	return applied, err
}

// Pending lists the migrations that Migrate would apply. It changes nothing and creates no database.
func Pending(ctx context.Context, dsn string) ([]string, error) {
	file, err := parseDSN(dsn)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if st, err := os.Stat(file); os.IsNotExist(err) || err == nil && st.Size() == 0 {
		list, err := readMigrations(migrationFiles)
		return nameList(list), err
	}
	var out []string
	err = withMigrator(dsn, func(m *migrator) error {
		list, _, err := m.pending()
		out = nameList(list)
		return err
	})
	return out, err
}

func withMigrator(dsn string, f func(*migrator) error) error {
	file, err := parseDSN(dsn)
	if err != nil {
		return err
	}
	if err := createPrivate(file); err != nil {
		return err
	}
	conn, err := openLite(file, 10*time.Second)
	if err != nil {
		return err
	}
	defer conn.close()
	return f(&migrator{conn: conn, path: file, files: migrationFiles, log: slog.New(slog.DiscardHandler)})
}

// migration is one file: 0001_init.sql has the version 0001 and the name 0001_init.
type migration struct {
	version, name, text, hash string
}

// migrator compares the migration files with those that a database has, and applies the rest. It goes only forward.
type migrator struct {
	conn  *liteConn
	path  string
	files fs.FS
	log   *slog.Logger
}

// pending compares the database with the files. isNew is true for an empty database.
func (m *migrator) pending() (list []migration, isNew bool, err error) {
	known, err := readMigrations(m.files)
	if err != nil {
		return nil, false, err
	}
	tables := map[string]bool{}
	if err := m.conn.query(`SELECT name FROM sqlite_master WHERE type = 'table'`, nil, func(row scanner) error {
		var name string
		err := row.Scan(&name)
		tables[name] = true
		return err
	}); err != nil {
		return nil, false, fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	if len(tables) == 0 {
		return known, true, nil
	}
	if !tables["schema_migrations"] {
		return nil, false, fmt.Errorf("%s is not a payswitch database: it has tables, but no table schema_migrations; name another file", m.path)
	}
	if err := m.refusePlanted(); err != nil { // checked before the statements of a migration can fire a trigger
		return nil, false, err
	}
	done := map[string]bool{}
	err = m.conn.query(`SELECT name, sha256 FROM schema_migrations ORDER BY name`, nil, func(row scanner) error {
		var name, hash string
		if err := row.Scan(&name, &hash); err != nil {
			return err
		}
		done[name] = true
		i := slices.IndexFunc(known, func(k migration) bool { return k.name == name })
		switch {
		case i < 0:
			return fmt.Errorf("%s has the migration %s, which this binary does not know: it is newer; run the payswitch that wrote the database, or a later one", m.path, name)
		case known[i].hash != hash:
			return fmt.Errorf("migration %s differs from the one that %s was set up with: migrations must not be changed after they were applied", name, m.path)
		}
		return nil
	})
	for _, k := range known {
		if !done[k.name] {
			list = append(list, k)
		}
	}
	return list, false, err
}

// apply runs the pending migrations, each in a transaction of its own. It sets up a new database in one transaction, so that another process
// that opens it finds it either empty or complete.
func (m *migrator) apply(ctx context.Context) (applied []string, err error) {
	list, isNew, err := m.pending()
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if isNew {
		return m.applyTogether(list)
	}
	if err := m.backUp(list[0].name); err != nil {
		return nil, err
	}
	for i := range list {
		if err := ctx.Err(); err != nil {
			return applied, err
		}
		ran, err := m.applyTogether(list[i : i+1])
		if err != nil {
			return applied, err
		}
		applied = append(applied, ran...)
	}
	return applied, nil
}

// applyTogether runs migrations in one transaction. It skips those that another process has run in the meantime.
func (m *migrator) applyTogether(list []migration) (ran []string, err error) {
	c := m.conn
	if err := c.script("BEGIN IMMEDIATE"); err != nil {
		return nil, fmt.Errorf("migration %s: %w", list[0].name, err)
	}
	doing := list[0].name
	defer func() {
		if err != nil {
			c.script("ROLLBACK")
			ran, err = nil, fmt.Errorf("migration %s: %w", doing, err)
		}
	}()
	if err := c.script(`CREATE TABLE IF NOT EXISTS schema_migrations (
		name TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at BIGINT NOT NULL)`); err != nil {
		return nil, err
	}
	for _, k := range list {
		doing = k.name
		n, err := c.exec(`INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			k.name, k.hash, millis(wholeMillis(time.Now())))
		if err != nil {
			return nil, err
		}
		if n == 0 {
			continue
		}
		if err := c.script(sqliteSchema.Replace(k.text)); err != nil {
			return nil, err
		}
		ran = append(ran, k.name)
	}
	if err := c.script("COMMIT"); err != nil {
		return nil, err
	}
	for _, name := range ran {
		m.log.Info("the database was migrated", "migration", name)
	}
	return ran, nil
}

// backUp writes a complete and consistent copy of the database next to it.
func (m *migrator) backUp(next string) error {
	to := fmt.Sprintf("%s.before-%s", m.path, next)
	if _, err := os.Stat(to); err == nil {
		to += "-" + wholeMillis(time.Now()).Format("20060102T150405.000")
	}
	if _, err := m.conn.exec(`VACUUM INTO $1`, to); err != nil {
		return fmt.Errorf("copy the database to %s before the migration: %w", to, err)
	}
	if err := os.Chmod(to, 0o600); err != nil {
		return fmt.Errorf("restrict the access to the copy of the database: %w", err)
	}
	m.log.Info("the database was copied before its migration", "copy", to)
	return nil
}

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

// refusePlanted refuses triggers. payswitch has none. A trigger changes rows within the transactions of payswitch: an intruder who has lost
// access could still undo every revocation of a key.
func (m *migrator) refusePlanted() error {
	list, err := objects(m.conn)
	if err != nil {
		return fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	for _, o := range list {
		if o.kind == "trigger" {
			return fmt.Errorf("%s has the %s on %s, which payswitch did not make; nothing was changed. Find out how the trigger got there, then remove it (DROP TRIGGER)", m.path, o, o.table)
		}
	}
	return nil
}

// checkSchema compares tables and indexes with those that the migrations make. It allows further tables, views and indexes.
func (m *migrator) checkSchema() error {
	made := ourSchema
	if _, ours := m.files.(embed.FS); !ours {
		made = func() ([]dbObject, error) { return schemaOf(m.files) }
	}
	want, err := made()
	if err != nil {
		return err
	}
	have, err := objects(m.conn)
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
func schemaOf(files fs.FS) ([]dbObject, error) {
	conn, err := openLite(":memory:", time.Second)
	if err != nil {
		return nil, err
	}
	defer conn.close()
	list, err := readMigrations(files)
	if err != nil {
		return nil, err
	}
	m := &migrator{conn: conn, path: ":memory:", files: files, log: slog.New(slog.DiscardHandler)}
	if _, err := m.applyTogether(list); err != nil {
		return nil, err
	}
	return objects(conn)
}

func readMigrations(files fs.FS) ([]migration, error) {
	paths, err := fs.Glob(files, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	var out []migration
	for _, p := range paths {
		b, err := fs.ReadFile(files, p)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(b)
		name := strings.TrimSuffix(path.Base(p), ".sql")
		version, _, ok := strings.Cut(name, "_")
		if !ok || len(version) != 4 || len(out) > 0 && out[len(out)-1].version >= version {
			return nil, fmt.Errorf("migration file %s: its name must be a unique number of four digits, _ and a word", p)
		}
		out = append(out, migration{version: version, name: name, text: string(b), hash: hex.EncodeToString(sum[:])})
	}
	return out, nil
}

func nameList(list []migration) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.name)
	}
	return out
}

func names(list []migration) string { return strings.Join(nameList(list), ", ") }
