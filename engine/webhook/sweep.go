package webhook

import (
	"context"
	"log/slog"
	"time"
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

// Sweep raises the alarm for endpoints that have been failing for an hour, gives up what such endpoints have not taken in time, and removes events
// that were kept long enough.
func (s *Service) Sweep(ctx context.Context) error {
	var open []Backlog
	var now time.Time
	err := s.Store.View(ctx, func(r Reader) (err error) { now = r.Now(); open, err = r.Backlogs(); return err })
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	var oldest time.Duration
	failing := 0
	for _, b := range open {
		keep[b.EndpointID] = true
		oldest = max(oldest, now.Sub(b.Oldest))
		age, why := max(s.o.Keep, keepAtLeast), "events for a webhook endpoint were given up: it takes fewer than come, and payswitch keeps events no longer"
		if s.review(ctx, b) {
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
			s.Log.LogAttrs(ctx, slog.LevelError, why, slog.String("merchant_id", b.MerchantID), slog.String("endpoint_id", b.EndpointID), slog.Int("events", n))
		}
	}
	s.forget(keep)
	s.Metrics.WebhookBacklog(oldest, failing)
	return s.removeOld(ctx, now.Add(-max(s.o.Keep, keepAtLeast)))
}

// removeOld removes the events from before a time. Events that must stay, because a delivery of theirs is under way, do not keep it from those behind them.
func (s *Service) removeOld(ctx context.Context, before time.Time) error {
	for behind, more := int64(0), true; more && ctx.Err() == nil; {
		err := s.Store.Update(ctx, func(tx Tx) error {
			last, _, err := tx.DeleteEvents(before, behind, sweptAtOnce)
			if err == nil {
				behind, more = last, last != 0
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// review reports whether an endpoint is failing. Once an hour it raises the alarm for an endpoint that has been failing for an hour.
func (s *Service) review(ctx context.Context, b Backlog) (failing bool) {
	now := s.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lanes[b.EndpointID]
	if l == nil || !l.failing() {
		return false
	}
	if now.Sub(l.since) >= alarmAfter && now.Sub(l.alarmed) >= alarmAfter {
		l.alarmed = now
		s.Metrics.Alarm("webhook_failing")
		s.Log.LogAttrs(ctx, slog.LevelError, "a webhook endpoint has been failing: ask the merchant to mend it; payswitch goes on trying",
			slog.String("merchant_id", b.MerchantID), slog.String("endpoint_id", b.EndpointID), slog.Time("failing_since", l.since), slog.Time("oldest_event", b.Oldest))
	}
	return true
}
