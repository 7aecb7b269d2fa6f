package relay

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// sweepAfter is the age from which background work asks about a relay: its own request has ended by then.
const sweepAfter = 2 * time.Minute

// sweepFor is the age of a relay from which background work asks no more. A person then looks at the processor for what it has not shown.
const sweepFor = 30 * 24 * time.Hour

// One silent processor must not keep the others' relays waiting: accounts are asked at the same time, and the rest of an account waits for the next sweep.
const (
	sweepAccounts = 8                // asked at the same time
	sweepTurn     = 30 * time.Second // for the relays of one account in one sweep
)

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
	open, due := make(map[string]*asked, len(list)), map[[2]string][]*Relay{}
	for _, r := range list {
		known := cmp.Or(s.swept[r.key()], new(asked))
		open[r.key()] = known
		wait := known.next.Sub(now)
		if wait > evidence.ResolveDelay(payment.OperationPending, known.tries) { // from before a jump of the clock back
			wait = 0
		}
		if s.since(r, r.CreatedAt) >= sweepAfter && wait <= 0 {
			at := [2]string{r.MerchantID, r.AccountID}
			due[at] = append(due[at], r)
		}
	}
	s.swept = open
	var accounts errgroup.Group
	accounts.SetLimit(sweepAccounts)
	for _, relays := range due {
		accounts.Go(func() error { s.askAbout(ctx, relays, open); return nil })
	}
	return accounts.Wait()
}

// since returns how long ago at least a stored time of a relay was, in spite of jumps of the clock.
func (s *Relays) since(r *Relay, stored time.Time) time.Duration {
	return s.Now().Sub(s.Driver.Timing().SentBy(r.Details.OperationID, stored))
}

func (r *Relay) key() string { return r.MerchantID + "/" + r.ID }

// askAbout asks an account's processor about relays, one after the other, for sweepTurn at most. It notes each question in open.
func (s *Relays) askAbout(ctx context.Context, relays []*Relay, open map[string]*asked) {
	ctx, end := context.WithTimeout(ctx, sweepTurn)
	defer end()
	for _, r := range relays {
		if ctx.Err() != nil {
			return
		}
		if err := s.sync(ctx, r); err != nil {
			s.Log.LogAttrs(ctx, slog.LevelWarn, "asking about a relay failed", slog.String("relay_id", r.ID), slog.Any("error", err))
		}
		known := open[r.key()]
		known.tries++
		known.next = s.Now().Add(evidence.ResolveDelay(payment.OperationPending, known.tries))
	}
}
