package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// Migrate brings the database that dsn names up to date, and sets it up if it is new. It returns the names of the applied migrations, in
// order. Before it changes a SQLite database with data, it writes a copy next to it (<file>.before-<migration>). It refuses to change a database on
// which nodes run.
func Migrate(ctx context.Context, dsn string) (applied []string, err error) {
	err = withMigrator(dsn, func(m *migrator) error {
		applied, err = m.apply(ctx)
		return err
	})
	return applied, err
}

// Pending lists the migrations that Migrate would apply. It changes nothing and creates no database.
func Pending(ctx context.Context, dsn string) ([]string, error) {
	if isPostgres(dsn) {
		return pendingOf(ctx, dsn)
	}
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
	return pendingOf(ctx, dsn)
}

func pendingOf(ctx context.Context, dsn string) (out []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	err = withMigrator(dsn, func(m *migrator) error {
		list, _, err := m.pending()
		out = nameList(list)
		return err
	})
	return out, err
}

func withMigrator(dsn string, f func(*migrator) error) error {
	if isPostgres(dsn) {
		var o Options
		o.Postgres.defaults()
		dial, err := newPGDialer(dsn, o)
		if err != nil {
			return err
		}
		conn := newPGConn(dial, dialect{})
		defer conn.close()
		return f(&migrator{conn: conn, path: dial.name, files: migrationFiles, log: slog.New(slog.DiscardHandler)})
	}
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

// schemaConn is what a migrator needs of a connection.
type schemaConn interface {
	session
	// script runs several statements without arguments.
	script(text string) error
	// prepareSchema makes the connection ready for statements that take long.
	prepareSchema() error
	// beginSchema begins a transaction that no other migrator can overtake.
	beginSchema() error
	// tables lists the tables.
	tables() ([]string, error)
	// tokens replaces the tokens in migrations.
	tokens() *strings.Replacer
	// planted lists what could change rows within the transactions of payswitch: triggers, rules.
	planted() ([]plant, error)
	// checkSchema compares the schema with the one that the migrations make.
	checkSchema(m *migrator) error
	// inUse fails if nodes run on the database.
	inUse(m *migrator) error
	// backUp copies the database before the migration that is next.
	backUp(m *migrator, next string) error
}

// plant is an object of the schema that payswitch did not make, and must not be there.
type plant struct{ kind, name, table string }

// migrator compares the migration files with those that a database has, and applies the rest. It goes only forward.
type migrator struct {
	conn  schemaConn
	path  string // for messages
	files fs.FS
	log   *slog.Logger
}

// pending compares the database with the files. isNew is true for an empty database.
func (m *migrator) pending() (list []migration, isNew bool, err error) {
	known, err := readMigrations(m.files)
	if err != nil {
		return nil, false, err
	}
	if err := m.conn.prepareSchema(); err != nil {
		return nil, false, fmt.Errorf("open %s: %w", m.path, err)
	}
	tables, err := m.conn.tables()
	if err != nil {
		return nil, false, fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	if len(tables) == 0 {
		return known, true, nil
	}
	if !slices.Contains(tables, "schema_migrations") {
		return nil, false, fmt.Errorf("%s is not a payswitch database: it has tables, but no table schema_migrations; name another database", m.path)
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
		return m.applyTogether(list, nil)
	}
	if err := m.conn.inUse(m); err != nil { // an earlier release takes a row with a new column for altered
		return nil, err
	}
	if err := m.conn.backUp(m, list[0].name); err != nil {
		return nil, err
	}
	for i := range list {
		if err := ctx.Err(); err != nil {
			return applied, err
		}
		ran, err := m.applyTogether(list[i:i+1], m.conn.inUse)
		if err != nil {
			return applied, err
		}
		applied = append(applied, ran...)
	}
	return applied, nil
}

// applyTogether runs migrations in one transaction. It skips those that another process has run in the meantime. It rolls back if last, unless nil, fails
// before the commit: a node that has started since the copy began has read the schema of before.
func (m *migrator) applyTogether(list []migration, last func(*migrator) error) (ran []string, err error) {
	c := m.conn
	if err := c.beginSchema(); err != nil {
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
		if err := c.script(c.tokens().Replace(k.text)); err != nil {
			return nil, err
		}
		ran = append(ran, k.name)
	}
	if last != nil {
		if err := last(m); err != nil {
			return nil, err
		}
	}
	if err := c.script("COMMIT"); err != nil {
		return nil, err
	}
	if n := len(ran); n > 0 {
		m.log.Info("the database was migrated", "migrations", n, "first", ran[0], "last", ran[n-1])
	}
	return ran, nil
}

// refusePlanted refuses triggers and the like. payswitch has none. A trigger changes rows within the transactions of payswitch: an intruder who
// has lost access could still undo every revocation of a key.
func (m *migrator) refusePlanted() error {
	list, err := m.conn.planted()
	if err != nil {
		return fmt.Errorf("read schema of %s: %w", m.path, err)
	}
	for _, p := range list {
		return fmt.Errorf("%s has the %s %s on %s, which payswitch did not make; nothing was changed. Find out how the %s got there, then remove it (DROP %s)",
			m.path, p.kind, p.name, p.table, p.kind, strings.ToUpper(p.kind))
	}
	return nil
}

func (m *migrator) checkSchema() error { return m.conn.checkSchema(m) }

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
