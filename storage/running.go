package storage

import (
	"context"
	"time"

	"payswitch/engine"
)

// Running is a node as it notes itself.
type Running struct {
	Name    string
	Version string
	Started time.Time
	Seen    time.Time
}

// goneNodes is how long the note of a node stays after its last sign of life.
const goneNodes = 24 * time.Hour

// NoteNode notes that a node runs, and removes the notes of nodes that have been gone for a day.
func (d *DB) NoteNode(ctx context.Context, n Running) error {
	return d.Update(ctx, func(etx engine.Tx) error {
		t := own(etx)
		if err := t.put("note node", `INSERT INTO running_nodes (name, release, started_at, seen_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (name) DO UPDATE SET release = excluded.release, started_at = excluded.started_at, seen_at = excluded.seen_at`,
			n.Name, n.Version, millis(n.Started), millis(t.now)); err != nil {
			return err
		}
		return t.put("remove ended nodes", `DELETE FROM running_nodes WHERE seen_at < $1`, millis(t.now.Add(-goneNodes)))
	})
}

// RunningNodes lists the nodes that were seen within a day, by name.
func (d *DB) RunningNodes(ctx context.Context) (out []Running, err error) {
	err = d.View(ctx, func(r engine.Reader) (err error) {
		out, err = all(r.(*tx), "list nodes", func(row scanner) (n Running, err error) {
			var started, seen int64
			err = row.Scan(&n.Name, &n.Version, &started, &seen)
			n.Started, n.Seen = moment(started), moment(seen)
			return n, err
		}, `SELECT name, release, started_at, seen_at FROM running_nodes ORDER BY name`)
		return err
	})
	return out, err
}
