package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"payswitch/engine"
	"payswitch/engine/fault"
)

// Backup is a back-up of a database.
type Backup struct {
	TakenAt    time.Time // what was committed later is not in it
	VerifiedAt time.Time // zero: it was not checked
	Place      string    // where it is, in words; "" if that is not known
}

// backupsKept is the number of back-ups that the database remembers.
const backupsKept = 100

// NoteBackup notes a back-up in the database that dsn names. If a back-up of the same time is noted already, b adds to it: that b was verified, and
// the place of b unless that is empty.
func NoteBackup(ctx context.Context, dsn string, b Backup) (err error) {
	if err := b.check(time.Now()); err != nil {
		return err
	}
	db, err := Open(ctx, dsn, Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return db.Update(ctx, func(r engine.Tx) error {
		t := r.(*tx)
		_, err := t.exec("note a back-up", `INSERT INTO backups (taken_at, verified_at, place) VALUES ($1, $2, $3) ON CONFLICT (taken_at) DO UPDATE SET
			verified_at = CASE WHEN excluded.verified_at > 0 THEN excluded.verified_at ELSE backups.verified_at END,
			place = CASE WHEN excluded.place <> '' THEN excluded.place ELSE backups.place END`, millis(b.TakenAt), millis(b.VerifiedAt), b.Place)
		if err != nil {
			return err
		}
		_, err = t.exec("forget old back-ups", `DELETE FROM backups WHERE taken_at < (SELECT min(taken_at) FROM
			(SELECT taken_at FROM backups ORDER BY taken_at DESC LIMIT $1) AS latest)`, backupsKept)
		return err
	})
}

func (b Backup) check(now time.Time) error {
	if b.TakenAt.IsZero() || b.TakenAt.After(now.Add(time.Minute)) {
		return fmt.Errorf("a back-up cannot be from %s: give the time at which it was taken", b.TakenAt.Format(time.RFC3339))
	}
	return nil
}

// LastBackup returns the latest back-up that is noted. Without one it returns ErrNotFound.
func (d *DB) LastBackup(ctx context.Context) (b Backup, err error) {
	err = d.view(ctx, func(r engine.Reader) (err error) {
		b, err = one(r.(*tx), "read the last back-up", func(row scanner) (b Backup, err error) {
			var taken, verified int64
			err = row.Scan(&taken, &verified, &b.Place)
			b.TakenAt, b.VerifiedAt = moment(taken), moment(verified)
			return b, err
		}, `SELECT taken_at, verified_at, place FROM backups ORDER BY taken_at DESC LIMIT 1`)
		return err
	})
	return b, err
}

// BackedUp returns the time of the latest back-up. Without one it returns the time at which the database was set up.
func (d *DB) BackedUp(ctx context.Context) (time.Time, error) {
	b, err := d.LastBackup(ctx)
	if errors.Is(err, fault.ErrNotFound) {
		return d.MadeAt(ctx)
	}
	return b.TakenAt, err
}
