package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// This file is the target of a copy, a PostgreSQL database.

// moveState is how far a copy has come. It changes in the transactions that write the rows.
type moveState struct {
	Schema  string                 `json:"schema"`  // the migrations of both databases
	Applied int64                  `json:"applied"` // the last row of the source's copy_changes that the target has
	Tables  map[string]*tableState `json:"tables"`
	Indexes []parkedPart           `json:"indexes"` // keys and indexes that are made once the rows are there
	Keys    []parkedPart           `json:"keys"`    // foreign keys, which are made last
}

type tableState struct {
	Behind int64 `json:"behind"` // the last seq that was copied
	Done   bool  `json:"done"`
	Tally  tally `json:"tally"`
}

// parkedPart is a part of the schema that was dropped for the time of the copy.
type parkedPart struct {
	Name string `json:"name"`
	Make string `json:"make"`
}

type moveTarget struct {
	*pgConn
	name   string
	id     string
	status copyState
	other  string
	state  moveState
	tables []*movedTable
}

func openMoveTarget(dsn string) (*moveTarget, error) {
	var o Options
	o.Postgres = Postgres{Connections: 2, StatementTimeout: moveTimeout, LockTimeout: moveTimeout}
	dial, err := newPGDialer(dsn, o)
	if err != nil {
		return nil, err
	}
	t := &moveTarget{pgConn: newPGConn(dial, dialect{}), name: dial.name}
	// The commits of the copy do not wait for the disk, because the server keeps their order. The last ones wait.
	if err = t.script("SET enable_seqscan = on; SET synchronous_commit = off; SET maintenance_work_mem = '256MB'"); err == nil {
		err = t.load()
	}
	if err != nil {
		t.close()
		return nil, fmt.Errorf("copy to %s: %w", t.name, err)
	}
	return t, nil
}

// load reads the tables of the schema, and the state of the copy.
func (t *moveTarget) load() error {
	byName := map[string]*movedTable{}
	err := t.query(`SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns WHERE table_schema = current_schema()
		ORDER BY table_name, column_name <> 'seq', ordinal_position`, nil, func(row scanner) error {
		var table, column, kind string
		if err := row.Scan(&table, &column, &kind); err != nil || slices.Contains(notCopied, table) {
			return err
		}
		m := byName[table]
		if m == nil {
			m = &movedTable{name: table, whole: column != "seq"}
			byName[table] = m
			t.tables = append(t.tables, m)
		}
		m.columns, m.kinds = append(m.columns, column), append(m.kinds, kind)
		return nil
	})
	if err != nil {
		return err
	}
	return t.query(`SELECT id, state, other, details FROM copies WHERE role = 'target'`, nil, func(row scanner) error {
		var details string
		if err := row.Scan(&t.id, (*string)(&t.status), &t.other, &details); err != nil {
			return err
		}
		return json.Unmarshal([]byte(details), &t.state)
	})
}

// inTransaction runs f in a transaction.
func (t *moveTarget) inTransaction(f func() error) error {
	if err := t.script("BEGIN"); err != nil {
		return err
	}
	err := f()
	if err == nil {
		err = t.script("COMMIT")
	}
	if err != nil && t.pg != nil {
		t.script("ROLLBACK")
	}
	return err
}

// begin parks keys and indexes, and marks the database as the target of a copy: no node uses it until the copy is complete.
func (t *moveTarget) begin(id, from, schema string) error {
	t.state = moveState{Schema: schema, Tables: map[string]*tableState{}}
	return t.inTransaction(func() error {
		if err := t.script("LOCK TABLE copies"); err != nil {
			return err
		}
		for _, m := range t.tables {
			used := false
			err := t.query(`SELECT true FROM (SELECT 1 FROM `+m.name+` LIMIT 1) AS r`, nil, func(row scanner) error { return row.Scan(&used) })
			if err != nil {
				return err
			}
			if used {
				return fmt.Errorf("%s is not empty: table %s has rows; make an empty database, and copy into that", t.name, m.name)
			}
		}
		if err := t.park(parkAll); err != nil {
			return err
		}
		t.id, t.status, t.other = id, copyCopying, from
		_, err := t.exec(`INSERT INTO copies (id, role, state, other, began_at, ended_at, details) VALUES ($1, 'target', 'copying', $2, `+nowPG+`, 0, '')`, id, from)
		if err != nil {
			return err
		}
		return t.save()
	})
}

// reopen prepares a target that held everything for further changes: the command ended before it closed the source.
func (t *moveTarget) reopen() error {
	return t.inTransaction(func() error {
		if err := t.park(parkForeign); err != nil {
			return err
		}
		t.status = copyCopying
		return t.save()
	})
}

// What park drops: kinds of constraints, and with parkAll the other indexes.
const (
	parkForeign = "f"
	parkAll     = "fu"
)

const nowPG = `floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`

// park drops keys and indexes for the time of the copy, which is much quicker without them. It leaves the rows' numbers, and what leads to
// payment_statuses. Foreign keys would delete rows of other tables together with a row that is replaced.
func (t *moveTarget) park(kinds string) error {
	var drops []string
	err := t.query(`SELECT c.relname::text, k.conname::text, pg_get_constraintdef(k.oid)::text, k.contype = 'f' FROM pg_catalog.pg_constraint k
		JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		LEFT JOIN pg_catalog.pg_class p ON p.oid = k.confrelid
		WHERE n.nspname = current_schema() AND strpos($1, k.contype::text) > 0 AND (k.contype <> 'f' OR p.relname <> 'payment_statuses')
		ORDER BY k.contype = 'u', c.relname, k.conname`, []any{kinds}, func(row scanner) error {
		var table, name, text string
		var foreign bool
		if err := row.Scan(&table, &name, &text, &foreign); err != nil {
			return err
		}
		part := parkedPart{Name: table + "." + name, Make: fmt.Sprintf(`ALTER TABLE %s ADD CONSTRAINT %s %s`, quotePG(table), quotePG(name), text)}
		if foreign {
			t.state.Keys = append(t.state.Keys, part)
		} else {
			t.state.Indexes = append(t.state.Indexes, part)
		}
		drops = append(drops, fmt.Sprintf(`ALTER TABLE %s DROP CONSTRAINT %s`, quotePG(table), quotePG(name)))
		return nil
	})
	if err != nil || kinds == parkForeign {
		return errors.Join(err, t.script(strings.Join(drops, "; ")))
	}
	err = t.query(`SELECT i.relname::text, pg_get_indexdef(x.indexrelid)::text FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
		JOIN pg_catalog.pg_class c ON c.oid = x.indrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conindid = x.indexrelid)
		ORDER BY i.relname`, nil, func(row scanner) error {
		var p parkedPart
		err := row.Scan(&p.Name, &p.Make)
		t.state.Indexes = append(t.state.Indexes, p)
		drops = append(drops, `DROP INDEX `+quotePG(p.Name))
		return err
	})
	if err != nil {
		return err
	}
	return t.script(strings.Join(drops, "; "))
}

func quotePG(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// save writes the state of the copy.
func (t *moveTarget) save() error {
	text, err := json.Marshal(t.state)
	if err != nil {
		return err
	}
	_, err = t.exec(`UPDATE copies SET state = $1, details = $2 WHERE id = $3`, string(t.status), string(text), t.id)
	return err
}

// insert writes rows, reads them back, and compares the checksums. where finds these rows and no others.
func (t *moveTarget) insert(ctx context.Context, m *movedTable, f *frames, where string, args ...any) error {
	if f.tally.Rows > 0 {
		_, err := t.pg.CopyFrom(ctx, bytes.NewReader(append(f.text, 0xff, 0xff)), `COPY `+m.name+` (`+m.names()+`) FROM STDIN WITH (FORMAT binary)`)
		if err != nil {
			return fmt.Errorf("write rows of %s: %w", m.name, t.failed(err))
		}
	}
	have, err := t.count(m, where, args...)
	if err == nil && have != f.tally {
		err = fmt.Errorf("%s does not return the rows of table %s as they were written: %d rows with the checksum %v, instead of %d with %v",
			t.name, m.name, have.Rows, have, f.tally.Rows, f.tally)
	}
	return err
}

// count reads rows and returns their tally.
func (t *moveTarget) count(m *movedTable, where string, args ...any) (out tally, err error) {
	var frame []byte
	err = t.query(`SELECT `+m.names()+` FROM `+m.name+` WHERE `+where, args, func(row scanner) error {
		frame = appendPGFrame(frame[:0], row.(*pgRow))
		out.add(frame)
		return nil
	})
	if err != nil {
		return out, fmt.Errorf("read back rows of %s: %w", m.name, err)
	}
	return out, nil
}

// append writes the next window of a table.
func (t *moveTarget) append(ctx context.Context, m *movedTable, f *frames, done bool) error {
	return t.inTransaction(func() error {
		s := t.state.Tables[m.name]
		if f.tally.Rows > 0 {
			if err := t.insert(ctx, m, f, `seq > $1 AND seq <= $2`, s.Behind, f.last); err != nil {
				return err
			}
			s.Behind = f.last
			s.Tally.plus(f.tally)
		}
		s.Done = done
		return t.save()
	})
}

// remove deletes rows that the source has changed. The transaction is the caller's.
func (t *moveTarget) remove(m *movedTable, seqs []int64, window int) error {
	for part := range slices.Chunk(seqs, window) {
		list := arrayPG(part)
		before, err := t.count(m, `seq = ANY ($1::bigint[])`, list)
		if err != nil {
			return err
		}
		t.state.Tables[m.name].Tally.minus(before)
		if _, err := t.exec(`DELETE FROM `+m.name+` WHERE seq = ANY ($1::bigint[])`, list); err != nil {
			return fmt.Errorf("delete changed rows of %s: %w", m.name, err)
		}
	}
	return nil
}

// put writes rows that the source has changed, as they are now. The transaction is the caller's.
func (t *moveTarget) put(ctx context.Context, m *movedTable, seqs []int64, f *frames) error {
	t.state.Tables[m.name].Tally.plus(f.tally)
	return t.insert(ctx, m, f, `seq = ANY ($1::bigint[])`, arrayPG(seqs))
}

// replaceWhole copies a table without row numbers anew. The transaction is the caller's.
func (t *moveTarget) replaceWhole(ctx context.Context, m *movedTable, f *frames) error {
	if _, err := t.exec(`DELETE FROM ` + m.name); err != nil {
		return err
	}
	t.state.Tables[m.name] = &tableState{Done: true, Tally: f.tally}
	return t.insert(ctx, m, f, `true`)
}

func arrayPG(seqs []int64) string {
	b := []byte{'{'}
	for i, n := range seqs {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(append(b, '}'))
}

// makeIndexes makes the parked keys and indexes, each in a transaction of its own.
func (t *moveTarget) makeIndexes(ctx context.Context, report func(string)) error {
	for len(t.state.Indexes) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := t.state.Indexes[0]
		report("making " + part.Name)
		err := t.inTransaction(func() error {
			if err := t.script(part.Make); err != nil {
				return fmt.Errorf("make %s: %w", part.Name, err)
			}
			t.state.Indexes = t.state.Indexes[1:]
			return t.save()
		})
		if err != nil {
			return err
		}
	}
	for _, m := range t.tables {
		if err := t.script(`ANALYZE ` + m.name); err != nil {
			return fmt.Errorf("count the values of table %s: %w", m.name, err)
		}
	}
	return nil
}

// finish makes the foreign keys, moves the sequences behind the rows, and notes that the target holds everything. The transaction is the caller's.
func (t *moveTarget) finish() error {
	for _, part := range t.state.Keys {
		if err := t.script(part.Make); err != nil {
			return fmt.Errorf("make %s: %w", part.Name, err)
		}
	}
	t.state.Keys = nil
	for _, m := range t.tables {
		if m.whole {
			continue
		}
		err := t.script(fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%[1]s', 'seq'), greatest(coalesce(max(seq), 0), 1), coalesce(max(seq), 0) > 0) FROM %[1]s`, m.name))
		if err != nil {
			return fmt.Errorf("move the sequence of table %s: %w", m.name, err)
		}
	}
	t.status = copyReady
	return t.save()
}

// complete lets nodes use the database.
func (t *moveTarget) complete() error {
	n, err := t.exec(`UPDATE copies SET state = 'complete', ended_at = `+nowPG+` WHERE id = $1`, t.id)
	if err == nil && n != 1 {
		err = errors.New("the target's mark of the copy is missing")
	}
	if err == nil {
		t.status = copyComplete
	}
	return err
}

// cancel ends the copy with this id for ever.
func (t *moveTarget) cancel(id string) error {
	switch {
	case t.id == id+cancelled:
		return nil
	case t.id != id:
		return errors.New("name that database with --to")
	case t.status == copyComplete:
		return errors.New("the copy is complete, and nodes may use it: it cannot be cancelled")
	}
	n, err := t.exec(`UPDATE copies SET id = $1, state = 'copying' WHERE id = $2 AND state <> 'complete'`, id+cancelled, id)
	if err == nil && n != 1 {
		err = errors.New("the target's mark of the copy was changed meanwhile: run the command again")
	}
	return err
}

// cancelled ends the id of a copy that was cancelled.
const cancelled = " (cancelled)"
