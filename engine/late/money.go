package late

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// bookReported does what bookMoney does, and keeps the evidence on which it acted.
func (s *Reports) bookReported(ctx context.Context, w *change.Loaded, o *sdk.Outcome, source drive.Source) (bool, error) {
	was := w.Attempt.Status
	done, err := s.bookMoney(ctx, w, o)
	if !done || err != nil {
		return done, err
	}
	_, err = s.Changes.KeepReport(ctx, w, source, o, "the attempt was "+string(was))
	return true, err
}

// bookMoney acts on evidence that the processor holds or has taken money of an attempt that merchants see as ended without money. Held funds are
// voided. Taken money moves the payment to review. Both raise an alarm. It returns whether it acted.
func (s *Reports) bookMoney(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (bool, error) {
	for range conflictTries {
		c, err := s.moneyChange(ctx, w, o)
		if c == nil || err != nil {
			return false, err
		}
		err = s.Changes.Commit(ctx, c)
		if err == nil {
			s.Changes.Log.LogAttrs(ctx, slog.LevelError, "a payment that had ended without money holds or has taken money", slog.String("payment_id", w.Attempt.PaymentID),
				slog.String("attempt_id", w.Attempt.ID), slog.String("evidence", string(o.Status)))
			return true, nil
		}
		if errors.Is(err, change.ErrOtherID) { // it is another payment's money
			s.Changes.Metrics.Alarm(alarm.ImpossibleOutcome)
			return false, nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return false, fault.Internal(err, "book late money")
		}
		id := w.Attempt.ID
		fresh, err := s.Changes.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
		if err != nil {
			return false, err
		}
		w.Payment, w.Attempt = fresh.Payment, fresh.Attempt
		if err := s.Changes.AttemptOf(ctx, w, id); err != nil {
			return false, err
		}
	}
	return false, fault.Internal(fault.ErrConflict, "book late money")
}

// moneyChange decides what bookMoney commits, nil for nothing.
func (s *Reports) moneyChange(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (*change.Change, error) {
	if fault.Planted("no remedy") {
		return nil, nil
	}
	now := s.Changes.Now().UTC().Truncate(time.Millisecond)
	mayVoid := slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVoid)
	b, void, err := evidence.LateMoney(w.Payment, w.Attempt, o, mayVoid, now)
	if b == nil || err != nil {
		return nil, err
	}
	c := &change.Change{Payment: b.Payment, Attempt: b.Attempt, Alarms: b.Alarms, Claims: b.Claims}
	switch {
	case void:
		if b.Attempt.Details.LateVoid, err = s.Changes.AddVoid(c, w, b.Attempt.Authorized, "the void of late funds", now); err != nil {
			return nil, err
		}
	case o.Status == sdk.StatusAuthorized:
		c.Alarms = append(c.Alarms, alarm.LateVoidFailed)
		fallthrough
	default:
		c.Effects = append(c.Effects, func(context.Context) error { w.Payment, w.Attempt = b.Payment, b.Attempt; return nil })
	}
	if b.Payment.Status == w.Payment.Status {
		return c, nil
	}
	return s.Changes.Announce(ctx, w, c, now)
}
