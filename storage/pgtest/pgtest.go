// Package pgtest runs a throw-away PostgreSQL server for the tests of one process, with a database for each test.
//
// The server listens on a socket in a folder of its own. It ends with the process, whichever way that ends.
package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a running server.
type Server struct {
	folder string
	input  *os.File // the server ends when this is closed
	mu     sync.Mutex
	made   map[string]error    // template databases
	free   map[string][]string // databases made from a template that a test has given back, empty again
}

var shared = sync.OnceValues(func() (*Server, error) {
	programs, err := find()
	if err != nil {
		return nil, err
	}
	return start(programs, fresh, false)
})

// durable is shared with every commit on the disk, for benchmarks.
var durable = sync.OnceValues(func() (*Server, error) {
	programs, err := find()
	if err != nil {
		return nil, err
	}
	s, err := start(programs, fresh, true)
	if err == nil {
		err = s.run("CHECKPOINT") // what initdb has left unsynced
	}
	return s, err
})

// find returns the folder of the server's programs: that of PATH, or the newest of Debian's.
func find() (string, error) {
	list, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.Sort(list)
	if len(list) > 0 {
		return filepath.Dir(list[len(list)-1]), nil
	}
	p, err := exec.LookPath("initdb")
	if err != nil {
		return "", fmt.Errorf("PostgreSQL is not installed: %w", err)
	}
	return filepath.Dir(p), nil
}

// fresh is the command that makes the data of a new server.
const fresh = "initdb -D data -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync"

// start makes a cluster with a command of PostgreSQL, and runs it. Root runs it as the user postgres, since PostgreSQL refuses root.
func start(programs, making string, syncs bool) (*Server, error) {
	folder, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		return nil, err
	}
	shell := []string{"sh", "-c"}
	if os.Getuid() == 0 {
		u, err := user.Lookup("postgres")
		if err != nil {
			return nil, fmt.Errorf("PostgreSQL does not run as root, and there is no user postgres: %w", err)
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		if err := os.Chown(folder, uid, gid); err != nil {
			return nil, err
		}
		shell = []string{"su", "postgres", "-s", "/bin/sh", "-c"}
	}
	settings := "-c fsync=off -c shared_buffers=64MB"
	if syncs {
		settings = "-c fsync=on -c shared_buffers=256MB -c max_wal_size=4GB"
	}
	script := fmt.Sprintf(`cd %[1]s && PATH=%[2]s:$PATH && {
		%[4]s
		} >log 2>&1 || exit 1
		run() { %[2]s/postgres -D data -k %[1]s -c listen_addresses= -c max_connections=400 %[3]s >>log 2>&1 </dev/null & server=$!; }
		run
		while read -r order; do
			case $order in
			kill) kill -QUIT $server; wait $server; echo killed >killed ;;
			start) run ;;
			esac
		done
		kill -INT $server; wait $server; cd / && rm -rf %[1]s`, folder, programs, settings, making)
	input, output, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(shell[0], append(shell[1:], script)...)
	cmd.Stdin = input
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	input.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s := &Server{folder: folder, input: output, made: map[string]error{}, free: map[string][]string{}}
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		err := s.run("SELECT 1")
		if err == nil {
			return s, nil
		}
		select {
		case <-ended:
			log, _ := os.ReadFile(filepath.Join(folder, "log"))
			return nil, fmt.Errorf("PostgreSQL did not start: %s", log)
		default:
		}
		if time.Since(began) > time.Minute {
			return nil, err
		}
	}
}

// Own starts a server for one test alone, which the test may kill.
func Own(t testing.TB) *Server {
	t.Helper()
	Need(t)
	programs, err := find()
	var s *Server
	if err == nil {
		s, err = start(programs, fresh, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.input.Close() })
	return s
}

// Replica starts a server that follows s, and has every commit of s wait for it.
func (s *Server) Replica(t testing.TB) *Server {
	t.Helper()
	programs, err := find()
	var r *Server
	if err == nil {
		r, err = start(programs, "pg_basebackup -D data -h "+s.folder+" -U postgres -R -X stream -c fast --no-sync", false)
	}
	if err == nil {
		t.Cleanup(func() { r.input.Close() })
		err = s.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
	}
	if err == nil {
		err = s.run("SELECT pg_reload_conf()")
	}
	if err != nil {
		t.Fatal(err)
	}
	for began := time.Now(); len(Rows(t, s.DSN("postgres"), "SELECT 'yes' FROM pg_stat_replication WHERE sync_state = 'sync'")) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the replica does not follow")
		}
	}
	return r
}

// Archive has the server keep its log from now on, and takes a base copy. At needs both.
func (s *Server) Archive(t testing.TB) {
	t.Helper()
	programs, err := find()
	if err == nil {
		err = s.run("ALTER SYSTEM SET archive_mode = on")
	}
	if err == nil {
		err = s.run("ALTER SYSTEM SET archive_command = 'mkdir -p " + s.folder + "/archive && cp %p " + s.folder + "/archive/%f'")
	}
	if err != nil {
		t.Fatal(err)
	}
	s.Kill(t)
	s.Start(t) // archive_mode takes a start
	err = s.run("COPY (SELECT 1) TO PROGRAM 'cat >/dev/null; " + programs + "/pg_basebackup -D " + s.folder + "/base -h " + s.folder + " -U postgres -X fetch -c fast --no-sync'")
	if err != nil {
		t.Fatal(err)
	}
}

// At starts a server with the data that s had at a time after Archive.
func (s *Server) At(t testing.TB, at time.Time) *Server {
	t.Helper()
	log := Rows(t, s.DSN("postgres"), "SELECT pg_walfile_name(pg_switch_wal())")[0]
	until := func(what string, is func() bool) {
		for began := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatal(what)
			}
		}
	}
	until("the log is not archived", func() bool {
		return len(Rows(t, s.DSN("postgres"), "SELECT 'yes' FROM pg_stat_archiver WHERE last_archived_wal >= '"+log+"'")) == 1
	})
	programs, err := find()
	var r *Server
	if err == nil {
		r, err = start(programs, fmt.Sprintf(`cp -a %[1]s/base data && touch data/recovery.signal && cat >>data/postgresql.auto.conf <<END
archive_mode = off
restore_command = 'cp %[1]s/archive/%%f %%p'
recovery_target_time = '%[2]s'
recovery_target_action = promote
END
`, s.folder, at.UTC().Format("2006-01-02 15:04:05.000000+00")), false)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.input.Close() })
	until("the copy does not end its recovery", func() bool { return Rows(t, r.DSN("postgres"), "SELECT pg_is_in_recovery()::text")[0] == "false" })
	return r
}

// Promote makes a replica take writes.
func (s *Server) Promote(t testing.TB) {
	t.Helper()
	if err := s.run("SELECT pg_promote()"); err != nil {
		t.Fatal(err)
	}
}

// Or adds servers to the address of a database, in the order in which clients try them.
func Or(dsn string, more ...*Server) string {
	u, err := url.Parse(dsn)
	if err != nil {
		panic(err) // DSN made it
	}
	q := u.Query()
	for _, s := range more {
		q.Set("host", q.Get("host")+","+s.folder)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// Kill ends the server at once, as a crash does, and returns once it has ended.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	fmt.Fprintln(s.input, "kill")
	mark := filepath.Join(s.folder, "killed")
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if os.Remove(mark) == nil {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatal("the server does not end")
		}
	}
}

// Start starts the server again, and returns once it serves.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	fmt.Fprintln(s.input, "start")
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := s.run("SELECT 1")
		if err == nil {
			return
		}
		if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
}

// Create makes an empty database.
func (s *Server) Create(t testing.TB) (dsn string) {
	t.Helper()
	name, err := s.create("template0")
	if err != nil {
		t.Fatal(err)
	}
	return s.DSN(name)
}

// Durable returns the address of an empty database on a server that syncs its files.
func Durable(b testing.TB) string {
	b.Helper()
	Need(b)
	s, err := durable()
	if err != nil {
		b.Fatal(err)
	}
	return s.Create(b)
}

// DSN returns the address of a database of the server.
func (s *Server) DSN(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/" + database, RawQuery: url.Values{"host": {s.folder}}.Encode()}
	return u.String()
}

// run runs statements in the database postgres.
func (s *Server) run(sql string) error { return Run(s.DSN("postgres"), sql) }

// Run runs statements in the database at dsn.
func Run(dsn, sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	c, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, sql).ReadAll()
	return err
}

// Rows returns the first column of the last result of sql, as text.
func Rows(t testing.TB, dsn, sql string) (out []string) {
	t.Helper()
	c, err := pgconn.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	results, err := c.Exec(context.Background(), sql).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range results[len(results)-1].Rows {
		out = append(out, string(row[0]))
	}
	return out
}

// Need returns the server of this process. Without PostgreSQL it skips the test; with TEST_ALL, as make test sets it, the test fails.
func Need(t testing.TB) *Server {
	t.Helper()
	s, err := shared()
	switch {
	case err != nil && os.Getenv("TEST_ALL") != "":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	return s
}

var serial atomic.Int64

// Empty returns the address of a new database, which is dropped at the end of the test.
func Empty(t testing.TB) string {
	t.Helper()
	s := Need(t)
	name, err := s.create("template0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return s.DSN(name)
}

func (s *Server) create(template string) (name string, err error) {
	name = fmt.Sprintf("test_%d", serial.Add(1))
	return name, s.run("CREATE DATABASE " + name + " TEMPLATE " + template)
}

// clear empties a database. That is much quicker than making one.
const clear = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
	DO $$ DECLARE r record; BEGIN
		FOR r IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND NOT tablename = ANY ('{%s}') LOOP
			EXECUTE 'DELETE FROM ' || quote_ident(r.tablename);
		END LOOP;
	END $$`

// Migrated returns the address of a database that migrate has set up, and that is empty otherwise. name names that migrate. The test must not
// change the schema. The rows of the tables in keep stay.
func Migrated(t testing.TB, name string, migrate func(dsn string) error, keep ...string) string {
	t.Helper()
	s := Need(t)
	database, err := s.take(name, migrate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Run(s.DSN(database), fmt.Sprintf(clear, strings.Join(keep, ","))); err != nil {
			t.Error(err)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free[name] = append(s.free[name], database)
	})
	return s.DSN(database)
}

func (s *Server) take(name string, migrate func(dsn string) error) (string, error) {
	s.mu.Lock() // also because two copies of one template at a time disturb each other
	defer s.mu.Unlock()
	if list := s.free[name]; len(list) > 0 {
		s.free[name] = list[:len(list)-1]
		return list[len(list)-1], nil
	}
	err, made := s.made[name]
	if !made {
		if err = s.run("CREATE DATABASE " + name + " TEMPLATE template0"); err == nil {
			err = migrate(s.DSN(name))
		}
		s.made[name] = err
	}
	if err != nil {
		return "", err
	}
	return s.create(name)
}
