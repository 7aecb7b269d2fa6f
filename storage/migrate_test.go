package storage

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/storage/pgtest"
)

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

// migrate runs a set of migrations on the database at path.
func migrate(t *testing.T, path string, files fstest.MapFS) ([]string, error) {
	t.Helper()
	c, err := openLite(path, time.Second)
	require.NoError(t, err)
	defer c.close()
	m := &migrator{conn: c, path: path, files: files, log: slog.New(slog.DiscardHandler)}
	return m.apply(context.Background())
}

func count(t *testing.T, path, query string) (n int64) {
	t.Helper()
	c, err := openLite(path, time.Second)
	require.NoError(t, err)
	defer c.close()
	require.NoError(t, c.query(query, nil, func(row scanner) error { return row.Scan(&n) }))
	return n
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	files := fstest.MapFS{"migrations/0001_init.sql": file("CREATE TABLE a (seq {{SEQ}}, b {{BLOB}}); INSERT INTO a (b) VALUES ('x')")}
	applied, err := migrate(t, path, files)
	require.NoError(t, err)
	require.Equal(t, []string{"0001_init"}, applied)
	require.NoFileExists(t, path+".before-0001_init", "a new database needs no copy")
	applied, err = migrate(t, path, files)
	require.NoError(t, err)
	require.Empty(t, applied)

	files["migrations/0002_more.sql"] = file("INSERT INTO a (b) VALUES ('y'); CREATE TABLE c (x TEXT)")
	files["migrations/0003_rest.sql"] = file("INSERT INTO c VALUES ('z')")
	applied, err = migrate(t, path, files)
	require.NoError(t, err)
	require.Equal(t, []string{"0002_more", "0003_rest"}, applied)
	require.EqualValues(t, 2, count(t, path, "SELECT count(*) FROM a"))
	copied := path + ".before-0002_more"
	require.EqualValues(t, 1, count(t, copied, "SELECT count(*) FROM a"), "the copy has the state before the migration")
	st, err := os.Stat(copied)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), st.Mode().Perm())

	// A migration that fails leaves nothing behind. It can be repaired as long as it was not applied.
	files["migrations/0004_wrong.sql"] = file("INSERT INTO c VALUES ('lost'); INSERT INTO nowhere VALUES (1)")
	for range 2 { // the second time the copy exists already
		applied, err = migrate(t, path, files)
		require.ErrorContains(t, err, "migration 0004_wrong: ")
		require.Empty(t, applied)
		require.EqualValues(t, 1, count(t, path, "SELECT count(*) FROM c"))
	}
	files["migrations/0004_wrong.sql"] = file("INSERT INTO c VALUES ('right')")
	_, err = migrate(t, path, files)
	require.NoError(t, err)
	require.EqualValues(t, 2, count(t, path, "SELECT count(*) FROM c"))

	delete(files, "migrations/0004_wrong.sql")
	_, err = migrate(t, path, files)
	require.ErrorContains(t, err, "0004_wrong, which this binary does not know: it is newer")

	files["migrations/0004_wrong.sql"] = file("INSERT INTO c VALUES ('right') -- and a word")
	_, err = migrate(t, path, files)
	require.ErrorContains(t, err, "must not be changed")
}

// TestMigrateRefusesNodes: a database is not changed under the nodes of an earlier release. An empty database, and one that lacks nothing, need no look.
func TestMigrateRefusesNodes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	files := fstest.MapFS{"migrations/0001_init.sql": file("CREATE TABLE a (b TEXT)")}
	lock, err := os.Create(path + ".node_1.lock")
	require.NoError(t, err)
	require.NoError(t, lockFile(lock))
	_, err = migrate(t, path, files)
	require.NoError(t, err)
	_, err = migrate(t, path, files)
	require.NoError(t, err)
	files["migrations/0002_more.sql"] = file("CREATE TABLE c (d TEXT)")
	applied, err := migrate(t, path, files)
	require.ErrorContains(t, err, "stop all nodes first")
	require.Empty(t, applied)
	require.NoError(t, lock.Close())
	applied, err = migrate(t, path, files)
	require.NoError(t, err)
	require.Equal(t, []string{"0002_more"}, applied)

	dsn := pgtest.Empty(t)
	refused := func() (err error) {
		return withMigrator(dsn, func(m *migrator) error { return m.conn.inUse(m) })
	}
	require.NoError(t, refused())
	db, err := Open(t.Context(), dsn, Options{})
	require.NoError(t, err)
	require.NoError(t, db.Writable()) // it has connections from now on
	require.NoError(t, db.NoteNode(t.Context(), Running{Name: "node_a"}))
	require.NoError(t, db.NoteNode(t.Context(), Running{})) // by a release whose nodes could be without a name
	require.ErrorContains(t, refused(), "stop all nodes first")
	require.ErrorContains(t, refused(), "nodes that were seen within two minutes: node_a)")
	require.Error(t, RefuseInUse(t.Context(), dsn))
	require.NoError(t, db.Close())
	require.Eventually(t, func() bool { return refused() == nil }, 10*time.Second, 10*time.Millisecond)
}

// duringCopy lets something happen while a migration copies the database.
type duringCopy struct {
	schemaConn
	then func()
}

// backUp implements schemaConn.
func (c duringCopy) backUp(m *migrator, next string) error {
	c.then()
	return c.schemaConn.backUp(m, next)
}

// onBoth runs a test on a new database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, dsn string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, "sqlite:"+filepath.Join(t.TempDir(), "x.db")) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, pgtest.Empty(t)) })
}

// TestMigrateRefusesNodesThatStart: while a migration copies the database, a node of the earlier release starts. The database stays as it is, and the
// node goes on.
func TestMigrateRefusesNodesThatStart(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		_, err := Migrate(t.Context(), dsn)
		require.NoError(t, err)
		files := fstest.MapFS{"migrations/9999_more.sql": file("CREATE TABLE more (b TEXT)")}
		list, err := readMigrations(migrationFiles)
		require.NoError(t, err)
		for _, k := range list {
			files["migrations/"+k.name+".sql"] = file(k.text)
		}
		var node *DB
		migrate := func(then func()) (applied []string, err error) {
			err = withMigrator(dsn, func(m *migrator) error {
				m.files, m.conn = files, duringCopy{m.conn, then}
				applied, err = m.apply(t.Context())
				return err
			})
			return applied, err
		}
		applied, err := migrate(func() {
			node, err = Open(t.Context(), dsn, Options{})
			require.NoError(t, err)
			_, _, err = node.LockNode("late")
			require.NoError(t, err)
			require.NoError(t, node.Writable())
		})
		require.ErrorContains(t, err, "stop all nodes first")
		require.Empty(t, applied)
		require.NoError(t, node.Writable())
		require.NoError(t, node.Close())
		require.Eventually(t, func() bool {
			applied, err = migrate(func() {})
			return err == nil
		}, 10*time.Second, 10*time.Millisecond)
		require.Equal(t, []string{"9999_more"}, applied)
	})
}

// TestNodeOfEarlierRelease: the database is migrated before a node has the lock of its name, or while the node has no connection. The node writes nothing.
func TestNodeOfEarlierRelease(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		db, err := Open(t.Context(), dsn, Options{})
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.Writable())
		require.NoError(t, withMigrator(dsn, func(m *migrator) error {
			return m.conn.script("INSERT INTO schema_migrations (name, sha256, applied_at) VALUES ('9999_more', 'x', 1)")
		}))
		if !isPostgres(dsn) {
			_, _, err = db.LockNode("late")
			require.ErrorIs(t, err, errOtherSchema)
			return
		}
		require.NoError(t, pgtest.Run(dsn, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"))
		require.Eventually(t, func() bool { return errors.Is(db.Writable(), errOtherSchema) }, 10*time.Second, 10*time.Millisecond)
		require.ErrorContains(t, db.Writable(), "migrations, and had")
	})
}

func TestMigrationNames(t *testing.T) {
	for _, files := range []fstest.MapFS{
		{"migrations/1_init.sql": file("")},
		{"migrations/0001.sql": file("")},
		{"migrations/0001_a.sql": file(""), "migrations/0001_b.sql": file("")},
	} {
		_, err := readMigrations(files)
		require.ErrorContains(t, err, "a unique number of four digits")
	}
}

func TestMigrateCommand(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	dsn := "sqlite:" + path
	pending, err := Pending(ctx, dsn)
	require.NoError(t, err)
	all, err := readMigrations(migrationFiles)
	require.NoError(t, err)
	require.Equal(t, nameList(all), pending)
	require.Equal(t, "0001_init", pending[0])
	require.NoFileExists(t, path)
	applied, err := Migrate(ctx, dsn)
	require.NoError(t, err)
	require.Equal(t, pending, applied)
	for range 2 {
		pending, err = Pending(ctx, dsn)
		require.NoError(t, err)
		require.Empty(t, pending)
		applied, err = Migrate(ctx, dsn)
		require.NoError(t, err)
		require.Empty(t, applied)
		db, err := Open(ctx, dsn, Options{})
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

// TestOpenOld opens a database that lacks migrations.
func TestOpenOld(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "x.db")
	_, err := migrate(t, path, fstest.MapFS{"migrations/0000_before.sql": file("CREATE TABLE before (x TEXT)")})
	require.NoError(t, err)
	init, err := fs.ReadFile(migrationFiles, "migrations/0001_init.sql")
	require.NoError(t, err)
	migrations := fstest.MapFS{"migrations/0000_before.sql": file("CREATE TABLE before (x TEXT)"), "migrations/0001_init.sql": file(string(init))}

	_, err = openWith(ctx, "sqlite:"+path, Options{}, migrations)
	require.ErrorContains(t, err, "needs migrations (0001_init): run `payswitch migrate`")
	db, err := openWith(ctx, "sqlite:"+path, Options{Migrate: true}, migrations)
	require.NoError(t, err)
	require.NoError(t, db.Update(ctx, func(tx engine.Tx) error { return tx.InsertKeyset("k", []byte("v")) }))
	require.NoError(t, db.Close())
	require.FileExists(t, path+".before-0001_init")
}

func TestOpenForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	c, err := openLite(path, time.Second)
	require.NoError(t, err)
	require.NoError(t, c.script("CREATE TABLE theirs (x TEXT)"))
	require.NoError(t, c.close())
	_, err = Open(context.Background(), "sqlite:"+path, Options{Migrate: true})
	require.ErrorContains(t, err, "is not a payswitch database")
	require.EqualValues(t, 1, count(t, path, "SELECT count(*) FROM sqlite_master"), "the foreign database stays as it is")
}

// TestOpenTogether opens a new file with several stores at once, as several processes would.
func TestOpenTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			db, err := Open(context.Background(), "sqlite:"+path, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
