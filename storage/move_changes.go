package storage

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"payswitch/engine/fault"
)

// This file is what a SQLite database notes for a copy of it that is under way (move.go): which rows were changed since the copy began.

// copyRole is the part of a database in a copy.
type copyRole string

const (
	roleSource copyRole = "source"
	roleTarget copyRole = "target"
)

// copyState is how far a copy has come. It is "" before the copy has begun.
type copyState string

const (
	copyCopying  copyState = "copying"
	copyMoved    copyState = "moved"    // of the source: the target has taken its place
	copyReady    copyState = "ready"    // of the target: all rows are there
	copyComplete copyState = "complete" // of the target
)

// notCopied are the tables that a copy leaves out: what each database keeps for itself, payment_statuses, which the migrations fill, and the columns
// of lists, which the target fills from its payments.
var notCopied = []string{"copies", "copy_changes", "facet_marks", "facets", "payment_statuses", "schema_migrations"}

// errMoved returns the error of a database that a copy has taken the place of.
func errMoved(other string) error {
	return fmt.Errorf("%w: this database was moved to %s: set storage.dsn to that address. Two switches on two copies would charge customers twice",
		fault.ErrGone, other)
}

// changeLog collects the rows that a transaction changes, while a copy is under way. SQLite reports every row itself, so that no statement can
// be forgotten: rows that a foreign key deletes too.
type changeLog struct {
	rows map[string][]int64
}

func (l *changeLog) note(d sqlite.SQLitePreUpdateData) {
	if d.DatabaseName != "main" || slices.Contains(notCopied, d.TableName) {
		return
	}
	rows := l.rows[d.TableName]
	if d.Op != sqliteInsert {
		rows = append(rows, d.OldRowID)
	}
	if d.Op != sqliteDelete {
		rows = append(rows, d.NewRowID)
	}
	l.rows[d.TableName] = rows
}

// text returns the rows as copy_changes keeps them.
func (l *changeLog) text() string {
	var b strings.Builder
	for _, table := range slices.Sorted(maps.Keys(l.rows)) {
		rows := l.rows[table]
		slices.Sort(rows)
		b.WriteString(table)
		for _, row := range slices.Compact(rows) {
			b.WriteByte(' ')
			b.WriteString(strconv.FormatInt(row, 10))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// readChanges adds the rows that text names to changed.
func readChanges(text string, changed map[string]map[int64]bool) error {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		rows := changed[words[0]]
		if rows == nil {
			rows = map[int64]bool{}
			changed[words[0]] = rows
		}
		for _, w := range words[1:] {
			n, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				return fmt.Errorf("copy_changes holds %q where a row number belongs", w)
			}
			rows[n] = true
		}
	}
	return nil
}

// follow begins or ends the notes, as the database wants it, and refuses to write to a database that was moved. Call it in a transaction.
func (c *liteConn) follow() error {
	var state copyState
	var other string
	err := c.query(`SELECT state, other FROM copies WHERE role = 'source'`, nil, func(row scanner) error { return row.Scan((*string)(&state), &other) })
	switch {
	case err != nil:
		return err
	case state == copyMoved:
		return errMoved(other)
	case state == copyCopying && c.changes == nil:
		c.changes = &changeLog{rows: map[string][]int64{}}
		c.conn.(sqlite.HookRegisterer).RegisterPreUpdateHook(c.changes.note)
	case state == "" && c.changes != nil:
		c.changes = nil
		c.conn.(sqlite.HookRegisterer).RegisterPreUpdateHook(nil)
	}
	if c.changes != nil {
		clear(c.changes.rows)
	}
	return nil
}

// noteChanges writes the rows that the transaction has changed.
func (c *liteConn) noteChanges() error {
	if c.changes == nil || len(c.changes.rows) == 0 {
		return nil
	}
	_, err := c.exec(`INSERT INTO copy_changes (changed) VALUES ($1)`, c.changes.text())
	return err
}

// refuseUnfinished refuses the target of a copy that is not complete, and a database that was moved.
func refuseUnfinished(c schemaConn, name string) error {
	tables, err := c.tables()
	if err != nil || !slices.Contains(tables, "copies") { // a test's own migrations
		return err
	}
	return c.query(`SELECT role, state, other FROM copies ORDER BY began_at`, nil, func(row scanner) error {
		var role copyRole
		var state copyState
		var other string
		err := row.Scan((*string)(&role), (*string)(&state), &other)
		switch {
		case err != nil:
			return err
		case role == roleSource && state == copyMoved:
			return errMoved(other)
		case role == roleTarget && state != copyComplete:
			return fmt.Errorf("database %s is being copied from %s, and is not complete: run `payswitch migrate copy` again until it ends", name, other)
		}
		return nil
	})
}
