package main

import (
	"context"
	"log/slog"
	"time"

	"payswitch/engine"
	"payswitch/storage"
)

const (
	// clockBehind is how far the clock may be behind the note of a node before a starting node reports that. Time services correct less than that.
	clockBehind = time.Minute
	// clockAhead is the time without a node from which on a starting node reports that the clock may be ahead.
	clockAhead = 30 * 24 * time.Hour
)

// noticeClock logs when the database's clock cannot be right, or may not be: compared with the time at which a node ran last. Such a clock is that of a
// machine whose time service has not set it yet.
func noticeClock(ctx context.Context, db *storage.DB, log *slog.Logger) error {
	nodes, err := db.RunningNodes(ctx)
	if err != nil {
		return err
	}
	var now, last time.Time
	if err := db.View(ctx, func(r engine.Reader) error { now = r.Now(); return nil }); err != nil {
		return err
	}
	for _, n := range nodes {
		if n.Seen.After(last) {
			last = n.Seen
		}
	}
	switch away := now.Sub(last); {
	case last.IsZero():
	case away < -clockBehind:
		log.Error("the clock is wrong: it is behind the time at which a node ran last. Correct it, then run payswitch doctor", "clock", now, "node_ran", last)
	case away > clockAhead:
		log.Warn("by the clock no node ran for 30 days. If one did, stop the switch and correct the clock: payswitch deletes what seems expired", "clock", now, "node_ran", last)
	}
	return nil
}
