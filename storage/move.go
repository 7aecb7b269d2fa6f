package storage

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// This file copies a SQLite database into an empty PostgreSQL database while a switch uses it, and closes it at the end.
//
//  1. Both databases get a mark (copies). From now on every writer of the source notes which rows it changes (copy_changes), and no node uses the
//     target.
//  2. The rows are copied by windows of seq, each in one transaction with how far the copy has come. Then keys and indexes are made.
//  3. The changed rows are copied again, as often as there are some, until no node has the source open.
//  4. With the source locked, the last changes are copied, the rows of both are counted, and the source is marked as moved: no node uses it again.
//     Then the target is marked as complete.
//
// Every row that is written is read back, and compared by checksum with what was read from the source. A crash before the mark of step 4 leaves
// the source in use. Move goes on where it ended.

const (
	// moveTimeout bounds a statement at the target, such as one that makes an index.
	moveTimeout = 2 * time.Hour
	// moveWindow is the number of rows that are copied in one transaction.
	moveWindow = 4000
	// movePause is the time between two looks whether a node still has the source open.
	movePause = 200 * time.Millisecond
)

// MoveOptions are the settings of a Move. Zero values mean the defaults.
type MoveOptions struct {
	// Report gets the progress, a line at a time.
	Report func(line string)
	// Window is the number of rows in one transaction.
	Window int
}

// Moved describes a complete copy.
type Moved struct {
	Tables []MovedTable
	Took   time.Duration // of this call
	Closed time.Duration // from the moment at which no node had the source open; 0 if the source was closed earlier
}

// MovedTable is a table of a copy.
type MovedTable struct {
	Table    string
	Rows     int64
	Checksum string
}

type mover struct {
	MoveOptions
	ctx    context.Context
	path   string // of the source
	conn   *liteConn
	target *moveTarget
	locks  []*os.File
}

// Move copies the SQLite database from into the PostgreSQL database to, which is empty or holds a part of this copy. Nodes may use the source; Move
// waits until they have ended before it closes the source. Then nodes use the target only. After an error Move may be called again.
func Move(ctx context.Context, from, to string, o MoveOptions) (out Moved, err error) {
	began := time.Now()
	m, err := openMover(ctx, from, to, o)
	if err != nil {
		return out, err
	}
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		err = errors.Join(err, m.close())
	}()
	if err := m.openTarget(to); err != nil {
		return out, err
	}
	moved, err := m.begin()
	if err != nil {
		return out, err
	}
	if !moved {
		if err := m.copyAll(); err != nil {
			return out, err
		}
		// The windows were read at different times. Only rows of one moment fit the unique keys.
		if _, err := m.copyChanges(false, nil); err != nil {
			return out, err
		}
		if err := m.target.makeIndexes(ctx, m.Report); err != nil {
			return out, err
		}
		if err := m.waitForNodes(); err != nil {
			return out, err
		}
	}
	closing := time.Now()
	if !moved {
		if err := m.closeSource(); err != nil {
			return out, err
		}
	}
	if err := m.complete(); err != nil {
		return out, err
	}
	if !moved {
		out.Closed = time.Since(closing)
	}
	for _, t := range m.target.tables {
		s := m.target.state.Tables[t.name].Tally
		out.Tables = append(out.Tables, MovedTable{t.name, s.Rows, s.String()})
	}
	out.Took = time.Since(began)
	return out, nil
}

// CancelMove ends a copy of the database from that is not complete: the source is in use again. No node uses the target afterwards. The target
// must be at hand if the source is closed already.
func CancelMove(ctx context.Context, from, to string) (err error) {
	m, err := openMover(ctx, from, to, MoveOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	id, state, other, err := m.mark()
	switch {
	case err != nil:
		return err
	case id == "":
		return fmt.Errorf("no copy of %s is under way", m.path)
	case state == copyMoved:
		if err := m.openTarget(to); err != nil {
			return err
		}
		if err := m.target.cancel(id); err != nil {
			return fmt.Errorf("%s was moved to %s: %w", m.path, other, err)
		}
	}
	return m.locally(m.unmark)
}

// openMover opens the source, and keeps a second copy of it out.
func openMover(ctx context.Context, from, to string, o MoveOptions) (m *mover, err error) {
	if isPostgres(from) || !isPostgres(to) {
		return nil, errors.New("a copy goes from sqlite:… to postgres://… alone: PostgreSQL does not note the changes that a copy must follow")
	}
	path, err := parseDSN(from)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, fmt.Errorf("copy: %w", err)
	}
	list, err := Pending(ctx, from)
	if err != nil {
		return nil, err
	}
	if len(list) > 0 {
		return nil, fmt.Errorf("copy: database %s needs migrations first (%s): stop the switch, run `payswitch migrate`, and start it again", path, strings.Join(list, ", "))
	}
	m = &mover{MoveOptions: o, ctx: ctx, path: path}
	if m.Report == nil {
		m.Report = func(string) {}
	}
	if m.Window <= 0 {
		m.Window = moveWindow
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.close())
		}
	}()
	if err := m.lock(path + moveLock); errors.Is(err, errLocked) {
		return m, fmt.Errorf("copy: another copy of %s runs", path)
	} else if err != nil && !errors.Is(err, errNoLocks) {
		return m, err
	}
	if m.conn, err = openLite(path, 10*time.Second); err != nil {
		return m, err
	}
	if err := (&migrator{conn: m.conn, path: path, files: migrationFiles, log: slog.New(slog.DiscardHandler)}).checkSchema(); err != nil {
		return m, err
	}
	return m, nil
}

func (m *mover) openTarget(to string) (err error) {
	if _, err := Migrate(m.ctx, to); err != nil {
		return err
	}
	m.target, err = openMoveTarget(to)
	return err
}

// moveLock ends the name of the file that keeps a second copy out. A node's lock ends the same way, so that nothing is restored over the source.
const moveLock = ".migrate-copy.lock"

func (m *mover) lock(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := lockFile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	m.locks = append(m.locks, f)
	return nil
}

func (m *mover) close() (err error) {
	if m.target != nil {
		m.target.close()
	}
	if m.conn != nil {
		err = m.conn.close()
	}
	for _, f := range m.locks {
		err = errors.Join(err, f.Close())
	}
	return err
}

// locally runs f in a transaction of the source that no other writer can enter.
func (m *mover) locally(f func() error) error {
	if err := m.conn.script("BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("lock %s: %w", m.path, err)
	}
	err := f()
	if err == nil {
		err = m.conn.script("COMMIT")
	}
	if err != nil {
		m.conn.script("ROLLBACK")
	}
	return err
}

// mark reads the source's mark.
func (m *mover) mark() (id string, state copyState, other string, err error) {
	err = m.conn.query(`SELECT id, state, other FROM copies WHERE role = 'source'`, nil, func(row scanner) error { return row.Scan(&id, (*string)(&state), &other) })
	return id, state, other, err
}

func (m *mover) unmark() error {
	_, err := m.conn.exec(`DELETE FROM copies WHERE role = 'source'`)
	if err == nil {
		_, err = m.conn.exec(`DELETE FROM copy_changes`)
	}
	return err
}

// begin marks both databases, or finds the copy that they have begun. It returns true if the source is closed already.
func (m *mover) begin() (moved bool, err error) {
	schema, err := schemaName(migrationFiles)
	if err != nil {
		return false, err
	}
	id, state, other, err := m.mark()
	if err != nil {
		return false, err
	}
	t := m.target
	same := id != "" && id == t.id
	switch {
	case same && t.state.Schema != schema:
		return false, fmt.Errorf("the copy to %s was begun by another version of payswitch: give it up with --cancel, make an empty database, and copy into that", t.name)
	case same && state == copyMoved:
		return true, nil
	case same && t.status == copyComplete:
		return false, fmt.Errorf("%s is complete, but %s is still in use: two switches may run on two copies. Find out which of them has the latest payments", t.name, m.path)
	case state == copyMoved:
		return false, errMoved(other)
	case same:
		m.Report("the copy goes on where it ended")
		if t.status == copyReady {
			err = t.reopen()
		}
		if err == nil {
			err = m.notOlder()
		}
		return false, err
	case id != "":
		return false, fmt.Errorf("a copy of %s to %s was begun, and is not complete: name that database with --to, and the copy goes on; "+
			"or give it up with --cancel, and begin anew", m.path, other)
	case t.id != "" && (t.status != copyCopying || len(t.state.Tables) > 0 || t.state.Schema != schema):
		return false, fmt.Errorf("%s holds another copy of %s: make an empty database, and copy into that", t.name, t.other)
	}
	if t.id == "" {
		if err := t.begin(rand.Text(), m.path, schema); err != nil {
			return false, fmt.Errorf("begin the copy: %w", err)
		}
	}
	return false, m.locally(func() error {
		if err := m.unmark(); err != nil { // notes of a copy that was given up
			return err
		}
		_, err := m.conn.exec(`INSERT INTO copies (id, role, state, other, began_at, ended_at, details) VALUES ($1, 'source', 'copying', $2, $3, 0, '')`,
			t.id, t.name, millis(time.Now()))
		return err
	})
}

// schemaName names the set of migrations.
func schemaName(files fs.FS) (string, error) {
	list, err := readMigrations(files)
	h := sha256.New()
	for _, k := range list {
		h.Write([]byte(k.name + k.hash))
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// notOlder refuses a source whose file was replaced by an older copy.
func (m *mover) notOlder() error {
	var last int64
	err := m.conn.query(`SELECT coalesce(max(seq), 0) FROM copy_changes`, nil, func(row scanner) error { return row.Scan(&last) })
	if err == nil && last < m.target.state.Applied {
		err = fmt.Errorf("%s is older than what was copied of it: it was restored. Give the copy up with --cancel, make an empty database, and copy into that", m.path)
	}
	return err
}

// copyAll copies the rows of all tables that have row numbers, from where the copy has come to.
func (m *mover) copyAll() error {
	for _, t := range m.target.tables {
		if t.whole {
			continue
		}
		s := m.target.state.Tables[t.name]
		if s == nil {
			s = &tableState{}
			m.target.state.Tables[t.name] = s
		}
		if s.Done {
			continue
		}
		if err := m.copyTable(t, s.Behind); err != nil {
			return err
		}
		m.Report(fmt.Sprintf("%s: %d rows", t.name, s.Tally.Rows))
	}
	return nil
}

// copyTable reads a window while the one before it is being written.
func (m *mover) copyTable(t *movedTable, behind int64) error {
	work, ctx := errgroup.WithContext(m.ctx)
	windows := make(chan *frames)
	work.Go(func() error {
		defer close(windows)
		for {
			f := newFrames()
			err := m.read(t, f, `seq > $1 ORDER BY seq LIMIT $2`, behind, m.Window)
			if err != nil {
				return err
			}
			select {
			case windows <- f:
			case <-ctx.Done():
				return ctx.Err()
			}
			if f.tally.Rows < int64(m.Window) {
				return nil
			}
			behind = f.last
		}
	})
	work.Go(func() error {
		for f := range windows {
			if err := m.target.append(ctx, t, f, f.tally.Rows < int64(m.Window)); err != nil {
				return err
			}
		}
		return nil
	})
	return work.Wait()
}

// read reads rows of the source.
func (m *mover) read(t *movedTable, f *frames, where string, args ...any) error {
	err := m.conn.query(`SELECT `+t.names()+` FROM `+t.name+` WHERE `+where, args, func(row scanner) error { return f.add(t, row.(liteRow)) })
	if err != nil {
		return fmt.Errorf("read rows of %s: %w", t.name, err)
	}
	return nil
}

// copyChanges copies the rows that were changed since they were copied, as they are at one moment: the target then is as the source was at that
// moment. The source is in a transaction already if closing is true.
func (m *mover) copyChanges(closing bool, last func() error) (changes int, err error) {
	if !closing {
		if err := m.conn.script("BEGIN"); err != nil {
			return 0, err
		}
		defer m.conn.script("ROLLBACK")
	}
	s := &m.target.state
	changed, applied := map[string]map[int64]bool{}, s.Applied
	err = m.conn.query(`SELECT seq, changed FROM copy_changes WHERE seq > $1 ORDER BY seq`, []any{s.Applied}, func(row scanner) error {
		var text string
		if err := row.Scan(&applied, &text); err != nil {
			return err
		}
		return readChanges(text, changed)
	})
	if err != nil || len(changed) == 0 && last == nil {
		return 0, err
	}
	return len(changed), m.target.inTransaction(func() error {
		for _, t := range m.target.tables {
			if rows := changed[t.name]; len(rows) > 0 && !t.whole {
				if err := m.copyRows(t, slices.Sorted(maps.Keys(rows))); err != nil {
					return err
				}
			}
		}
		s.Applied = applied
		if last != nil {
			return last()
		}
		return m.target.save()
	})
}

// copyRows copies the rows with the given numbers again. It first deletes and then inserts all of them, because a key may have moved from one row to
// another.
func (m *mover) copyRows(t *movedTable, seqs []int64) error {
	if err := m.target.remove(t, seqs, m.Window); err != nil {
		return err
	}
	for part := range slices.Chunk(seqs, m.Window) {
		list, err := json.Marshal(part)
		if err != nil {
			return err
		}
		f := newFrames()
		if err := m.read(t, f, `seq IN (SELECT value FROM json_each($1)) ORDER BY seq`, string(list)); err != nil {
			return err
		}
		if err := m.target.put(m.ctx, t, part, f); err != nil {
			return err
		}
	}
	return nil
}

// waitForNodes copies changes until no node has the source open, and keeps nodes from opening it.
func (m *mover) waitForNodes() error {
	reported := false
	pause := time.NewTicker(movePause)
	defer pause.Stop()
	for {
		n, err := m.copyChanges(false, nil)
		if err != nil {
			return err
		}
		free, err := m.lockNodes()
		if err != nil || free {
			return err
		}
		if !reported {
			m.Report("everything but the latest changes is copied: stop the switch now (every node); the copy then ends by itself")
			reported = true
		}
		if n > 0 {
			continue
		}
		select {
		case <-m.ctx.Done():
			return m.ctx.Err()
		case <-pause.C:
		}
	}
}

// lockNodes takes the locks of all nodes' names. It returns false, and keeps none, if a node has one.
func (m *mover) lockNodes() (bool, error) {
	files, err := filepath.Glob(globEscape(m.path) + ".*.lock")
	if err != nil {
		return false, err
	}
	own := len(m.locks)
	for _, file := range files {
		if strings.HasSuffix(file, moveLock) {
			continue
		}
		err := m.lock(file)
		if errors.Is(err, errNoLocks) {
			return true, nil
		}
		if err == nil {
			continue
		}
		for _, f := range m.locks[own:] {
			f.Close()
		}
		m.locks = m.locks[:own]
		if errors.Is(err, errLocked) {
			err = nil
		}
		return false, err
	}
	return true, nil
}

// closeSource copies the last changes while no program can write to the source, compares both databases, and marks the source as moved.
func (m *mover) closeSource() error {
	if err := m.target.script("SET synchronous_commit = on"); err != nil {
		return err
	}
	return m.locally(func() error {
		if list, _, err := (&migrator{conn: m.conn, path: m.path, files: migrationFiles}).pending(); err != nil || len(list) > 0 {
			return fmt.Errorf("the schema of %s was changed during the copy: %w", m.path, errors.Join(err, errors.New(names(list))))
		}
		if _, err := m.copyChanges(true, m.lastStep); err != nil {
			return err
		}
		_, err := m.conn.exec(`UPDATE copies SET state = 'moved', ended_at = $1 WHERE role = 'source' AND id = $2`, millis(time.Now()), m.target.id)
		return err
	})
}

// lastStep copies the small tables, and compares the numbers of rows of both databases. It runs in the last transaction of both.
func (m *mover) lastStep() error {
	for _, t := range m.target.tables {
		if t.whole {
			f := newFrames()
			if err := m.read(t, f, `true`); err != nil {
				return err
			}
			if err := m.target.replaceWhole(m.ctx, t, f); err != nil {
				return err
			}
		}
		if err := m.compare(t); err != nil {
			return err
		}
	}
	return m.target.finish()
}

// compare counts the rows of a table in both databases. A row that was missed, or copied twice, shows in the count or in the sum of row numbers; a
// change that no writer has noted shows in the sum of versions.
func (m *mover) compare(t *movedTable) error {
	sums := []string{"0", "0"}
	for i, column := range []string{"seq", "version"} {
		if slices.Contains(t.columns, column) {
			sums[i] = "coalesce(sum(" + column + "), 0)"
		}
	}
	type figures struct{ rows, seqs, versions int64 }
	var here, there figures
	work := new(errgroup.Group) // the databases count at the same time
	work.Go(func() error {
		return m.conn.query(`SELECT count(*), `+strings.Join(sums, ", ")+` FROM `+t.name, nil, func(row scanner) error {
			return row.Scan(&here.rows, &here.seqs, &here.versions)
		})
	})
	work.Go(func() error {
		return m.target.query(`SELECT count(*), (`+sums[0]+`)::bigint, (`+sums[1]+`)::bigint FROM `+t.name, nil, func(row scanner) error {
			return row.Scan(&there.rows, &there.seqs, &there.versions)
		})
	})
	if err := work.Wait(); err != nil {
		return fmt.Errorf("count the rows of %s: %w", t.name, err)
	}
	if here != there || here.rows != m.target.state.Tables[t.name].Tally.Rows {
		return fmt.Errorf("table %s differs: %d rows in %s, %d in %s (sums of seq %d and %d, of version %d and %d): "+
			"a program other than this version of payswitch has changed it during the copy. The source stays in use. Make an empty database, and copy into that",
			t.name, here.rows, m.path, there.rows, m.target.name, here.seqs, there.seqs, here.versions, there.versions)
	}
	return nil
}

// complete lets nodes use the target. It destroys the keys of CVCs in the source, because no node would delete them at their time.
func (m *mover) complete() error {
	if m.target.status != copyComplete {
		if err := m.target.complete(); err != nil {
			return fmt.Errorf("%s is closed, and %s holds everything, but is not marked as complete: run the command again: %w", m.path, m.target.name, err)
		}
	}
	err := m.locally(func() error {
		for _, table := range []string{"short_term_keys", "copy_changes"} {
			if _, err := m.conn.exec(`DELETE FROM ` + table); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = m.conn.script("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	if err != nil {
		return fmt.Errorf("%s is complete; the keys of CVCs could not be deleted from %s: run the command again: %w", m.target.name, m.path, err)
	}
	return nil
}
