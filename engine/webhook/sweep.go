package webhook

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/alarm"
)

// sweptAtOnce bounds the rows of one transaction of a sweep.
const sweptAtOnce = 500

func (s *Service) sweepLoop(ctx context.Context) {
	tick := time.NewTicker(s.o.SweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "webhooks: a sweep failed; the next one repeats it", slog.Any("error", err))
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep raises the alarm for endpoints that have been failing for an hour. It gives up what such endpoints have not taken in time, and removes events
// that were kept long enough.
func (s *Service) Sweep(ctx context.Context) error {
	var open []Backlog
	var noted []Failing
	var now time.Time
	err := s.Store.View(ctx, func(r Reader) (err error) {
		now = r.Now()
		if open, err = r.Backlogs(); err != nil {
			return err
		}
		noted, err = r.FailingEndpoints()
		return err
	})
	if err != nil {
		return err
	}
	if err := s.shareFailures(ctx, open, noted); err != nil {
		return err
	}
	keep := map[string]bool{}
	var oldest time.Duration
	failing := 0
	for _, b := range open {
		keep[b.EndpointID] = true
		oldest = max(oldest, now.Sub(b.Oldest))
		age, why := s.o.Keep.Delivered, "events for a webhook endpoint were given up: it takes fewer than come, and payswitch keeps events no longer"
		is, err := s.review(ctx, b, now)
		if err != nil {
			return err
		}
		if is {
			failing++
			age, why = expireAfter, "events for a webhook endpoint were given up: it took none for three days"
		}
		for n := sweptAtOnce; n == sweptAtOnce && now.Sub(b.Oldest) > age && ctx.Err() == nil; {
			err := s.Store.Update(ctx, func(tx Tx) (err error) {
				n, err = tx.ExpireDeliveries(b.EndpointID, now.Add(-age), sweptAtOnce)
				return err
			})
			if err != nil {
				return err
			}
			if n > 0 { // another node may have given them up, or a delivery may be under way
				s.Log.LogAttrs(ctx, slog.LevelError, why, slog.String("merchant_id", b.MerchantID), slog.String("endpoint_id", b.EndpointID), slog.Int("events", n))
			}
		}
	}
	s.forget(keep)
	s.Metrics.WebhookBacklog(oldest, failing)
	return s.removeOld(ctx, now)
}

// shareFailures brings this node's failures and those in the store together. An endpoint without open deliveries is no longer failing.
func (s *Service) shareFailures(ctx context.Context, open []Backlog, noted []Failing) error {
	waits := map[string]bool{}
	for _, b := range open {
		waits[b.EndpointID] = true
	}
	var over []Failing
	noted = slices.DeleteFunc(noted, func(f Failing) bool {
		if !waits[f.EndpointID] {
			over = append(over, f)
		}
		return !waits[f.EndpointID]
	})
	news := slices.DeleteFunc(s.mergeFailures(noted), func(f Failing) bool { return !waits[f.EndpointID] })
	if len(news)+len(over) == 0 {
		return nil
	}
	err := s.Store.Update(ctx, func(tx Tx) error {
		for _, f := range over {
			if err := tx.DeleteFailing(f.EndpointID); err != nil {
				return err
			}
		}
		for _, f := range news {
			if err := tx.NoteFailing(f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range news {
		if l := s.lanes[f.EndpointID]; l != nil && l.failures > 0 {
			l.noted = true
		}
	}
	return nil
}

// swept are the rows up to which sweeps have removed events. Those that stayed are looked at again once a day.
type swept struct {
	delivered, failed int64
	from              time.Time
}

const sweepAgain = 24 * time.Hour

// removeOld removes the events and attempts that were kept long enough. Events that must stay, because a delivery of theirs is under way, do not stop
// it from removing the events behind them.
func (s *Service) removeOld(ctx context.Context, now time.Time) error {
	if now.Sub(s.swept.from) >= sweepAgain {
		s.swept = swept{from: now}
	}
	for _, kind := range []struct {
		undelivered bool
		keep        time.Duration
		behind      *int64
	}{{false, s.o.Keep.Delivered, &s.swept.delivered}, {true, s.o.Keep.Undelivered, &s.swept.failed}} {
		before := now.Add(-kind.keep)
		err := s.inTurns(ctx, func(tx Tx) (more bool, err error) {
			last, _, err := tx.DeleteEvents(kind.undelivered, before, *kind.behind, sweptAtOnce)
			if last != 0 && err == nil {
				*kind.behind = last
			}
			return last != 0, err
		})
		if err != nil {
			return err
		}
	}
	return s.inTurns(ctx, func(tx Tx) (more bool, err error) {
		n, err := tx.DeleteAttempts(now.Add(-s.o.Keep.Attempts), sweptAtOnce)
		return n == sweptAtOnce, err
	})
}

// inTurns repeats a transaction while there is more to do. After each one it pauses for as long as the transaction took.
func (s *Service) inTurns(ctx context.Context, step func(tx Tx) (more bool, err error)) error {
	for more := true; more && ctx.Err() == nil; {
		var worked time.Duration
		err := s.Store.Update(ctx, func(tx Tx) (err error) {
			began := time.Now()
			defer func() { worked = time.Since(began) }()
			more, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
		if more {
			rest(ctx, worked)
		}
	}
	return nil
}

// review reports whether an endpoint is failing. Once an hour one of the nodes raises the alarm for an endpoint that has been failing for an hour.
func (s *Service) review(ctx context.Context, b Backlog, now time.Time) (failing bool, err error) {
	s.mu.Lock()
	l := s.lanes[b.EndpointID]
	if l == nil || l.failures == 0 {
		s.mu.Unlock()
		return false, nil
	}
	since, noted := l.since, l.noted
	failing = l.failing() || noted && now.Sub(since) >= alarmAfter
	s.mu.Unlock()
	if !noted || now.Sub(since) < alarmAfter {
		return failing, nil
	}
	mine := false
	err = s.Store.Update(ctx, func(tx Tx) (err error) { mine, err = tx.TakeAlarm(b.EndpointID, now.Add(-alarmAfter)); return err })
	if mine && err == nil {
		s.Metrics.Alarm(alarm.WebhookFailing)
		s.Log.LogAttrs(ctx, slog.LevelError, "a webhook endpoint has been failing: ask the merchant to mend it; payswitch goes on trying",
			slog.String("merchant_id", b.MerchantID), slog.String("endpoint_id", b.EndpointID), slog.Time("failing_since", since), slog.Time("oldest_event", b.Oldest))
	}
	return failing, err
}
