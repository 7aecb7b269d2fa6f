package main

import (
	"context"
	"errors"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/router/dashboard"
)

// replays runs recordings of the journal again, for the dashboard. It sends nothing.
type replays struct{ n *node }

// Replay implements dashboard.Replayer.
func (r replays) Replay(ctx context.Context, operationID, build string) (out []dashboard.Replay, err error) {
	journal := engine.NewJournal(r.n.db, r.n.vault)
	records, err := journal.Operation(ctx, operationID)
	if err != nil {
		return nil, err
	}
	for _, record := range records[max(0, len(records)-dashboard.MaxReplays):] {
		one := dashboard.Replay{At: record.At, Recorded: record.AdapterHash}
		rec, err := journal.Open(record)
		var replayed *plugins.Replayed
		if err == nil {
			replayed, err = r.n.host.Replay(ctx, build, rec)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, plugins.ErrNoBuild):
			one.Problem = "This build is gone. Replay with the build in use instead."
		case err != nil:
			one.Problem = "The recording could not be run: " + err.Error()
		default:
			one.Replayed, one.Same = replayed.Hash, replayed.Same()
			for i := range replayed.Steps {
				one.Steps = append(one.Steps, dashboard.ReplayStep{Made: replayed.Steps[i].String(), Same: replayed.Steps[i].Same})
			}
			for _, d := range replayed.Differences() {
				one.Differences = append(one.Differences, dashboard.Difference{Where: d.Where, Recorded: d.Recorded, Replayed: d.Replayed})
			}
		}
		out = append(out, one)
	}
	return out, nil
}
