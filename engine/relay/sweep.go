package relay

import (
	"context"
	"log/slog"
	"time"

	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// sweepAfter is the age from which background work asks about a relay: its own request has ended by then.
const sweepAfter = 2 * time.Minute

// sweepFor is the age of a relay from which background work asks no more. What the processor has not shown by then, a person looks up there.
const sweepFor = 30 * 24 * time.Hour

// asked is what this node knows of its questions about a relay. A restart begins again.
type asked struct {
	tries int
	next  time.Time
}

// Sweep asks the processors about relays that have not ended, each on the schedule of a pending operation (evidence.ResolveDelay). It sends nothing that could
// act, and it ends a relay by what a question of the merchant's would end it. One call runs at a time.
func (s *Relays) Sweep(ctx context.Context) error {
	now := s.Now()
	var list []*Relay
	err := s.Store.View(ctx, func(tx Reader) (err error) {
		list, err = tx.RelaysPending(now.Add(-sweepFor))
		return err
	})
	if err != nil {
		return fault.Internal(err, "read pending relays")
	}
	open := make(map[string]asked, len(list))
	for _, r := range list {
		key := r.MerchantID + "/" + r.ID
		known := s.swept[key]
		if now.Sub(r.CreatedAt) >= sweepAfter && !now.Before(known.next) && ctx.Err() == nil {
			if err := s.sync(ctx, r); err != nil {
				s.Log.LogAttrs(ctx, slog.LevelWarn, "asking about a relay failed", slog.String("relay_id", r.ID), slog.Any("error", err))
			}
			known.tries++
			known.next = now.Add(evidence.ResolveDelay(payment.OperationPending, known.tries))
		}
		open[key] = known
	}
	s.swept = open
	return nil
}
