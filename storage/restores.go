package storage

import (
	"context"
	"fmt"
	"time"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
)

// Restores implements engine.Reader.
func (t *tx) Restores() ([]port.Restore, error) {
	return all(t, "list restores", func(row scanner) (r port.Restore, err error) {
		var taken, started int64
		err = row.Scan(&taken, &started)
		r.TakenAt, r.StartedAt = moment(taken), moment(started)
		return r, err
	}, `SELECT taken_at, started_at FROM restores ORDER BY seq`)
}

// InsertRestore implements engine.Tx.
func (t *tx) InsertRestore(takenAt time.Time) error {
	_, err := t.exec("insert restore", `INSERT INTO restores (taken_at, started_at) VALUES ($1, 0)`, millis(takenAt))
	return err
}

// StartRestores implements engine.Tx.
func (t *tx) StartRestores(at time.Time) error {
	_, err := t.exec("start restores", `UPDATE restores SET started_at = $1 WHERE started_at = 0`, millis(at))
	return err
}

// PaymentsSince implements engine.Reader. It reads the whole table in parts, because only a restored database asks.
func (t *tx) PaymentsSince(since time.Time, statuses []payment.Status, after int64, limit int) ([]port.PaymentRow, error) {
	var where conditions
	where.add("seq > ", after)
	names := make([]string, len(statuses))
	for i, s := range statuses {
		names[i] = string(s)
	}
	var either conditions
	either.args = where.args
	either.add("modified_at >= ", millis(since))
	either.addAny("status", names)
	query := `SELECT seq, merchant_id, id, modified_at FROM payments WHERE ` + where.String() + ` AND (` + either.list[0] + ` OR ` + either.list[1] +
		`) ORDER BY seq LIMIT ` + either.place(limit)
	var out []port.PaymentRow
	err := t.s.query(query, either.args, func(row scanner) error {
		var r port.PaymentRow
		var modified int64
		err := row.Scan(&r.Row, &r.MerchantID, &r.ID, &modified)
		r.ModifiedAt = moment(modified)
		out = append(out, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list payments since: %w", err)
	}
	return out, nil
}

// Position returns a number that grows with every operation and never shrinks: a database with a smaller one than before is an older copy.
func (d *DB) Position(ctx context.Context) (n int64, err error) {
	err = d.view(ctx, func(r engine.Reader) error {
		return r.(*tx).s.query(`SELECT coalesce(max(seq), 0) FROM operations`, nil, func(row scanner) error { return row.Scan(&n) })
	})
	return n, err
}

// LastChange returns the time of the latest change of a payment, zero without payments.
func (d *DB) LastChange(ctx context.Context) (at time.Time, err error) {
	err = d.view(ctx, func(r engine.Reader) error {
		var ms int64
		err := r.(*tx).s.query(`SELECT coalesce(max(modified_at), 0) FROM payments`, nil, func(row scanner) error { return row.Scan(&ms) })
		at = moment(ms)
		return err
	})
	return at, err
}

// MadeAt returns when the database was set up. A copy keeps the time, so that it distinguishes databases.
func (d *DB) MadeAt(ctx context.Context) (at time.Time, err error) {
	err = d.view(ctx, func(r engine.Reader) error {
		var ms int64
		err := r.(*tx).s.query(`SELECT min(applied_at) FROM schema_migrations`, nil, func(row scanner) error { return row.Scan(&ms) })
		at = moment(ms)
		return err
	})
	return at, err
}

// QuickCheck lets SQLite look for damage in the whole file, and returns what it finds, at most ten lines. Nodes may run meanwhile. It finds nothing
// in PostgreSQL, which itself checks the pages that it reads.
func (d *DB) QuickCheck(ctx context.Context) (damage []string, err error) {
	if d.readers == nil {
		return nil, ctx.Err()
	}
	err = d.view(ctx, func(r engine.Reader) error {
		return r.(*tx).s.query(`PRAGMA quick_check(10)`, nil, func(row scanner) error {
			var text string
			err := row.Scan(&text)
			if text != "ok" {
				damage = append(damage, text)
			}
			return err
		})
	})
	return damage, err
}
