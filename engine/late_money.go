package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/sdk"
)

// bookLateMoney acts on evidence that the processor holds or has taken money of an attempt that merchants see as ended without money. Held funds are
// voided. Taken money moves the payment to review. Both raise an alarm. It returns whether it acted.
func (e *Engine) bookLateMoney(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (bool, error) {
	for range conflictTries {
		c, err := e.lateMoneyChange(ctx, w, o)
		if c == nil || err != nil {
			return false, err
		}
		err = e.changes.Commit(ctx, c)
		if err == nil {
			e.log.LogAttrs(ctx, slog.LevelError, "a payment that had ended without money holds or has taken money", slog.String("payment_id", w.Attempt.PaymentID),
				slog.String("attempt_id", w.Attempt.ID), slog.String("evidence", string(o.Status)))
			return true, nil
		}
		if errors.Is(err, change.ErrOtherID) { // it is another payment's money
			e.metrics.Alarm(evidence.AlarmImpossible)
			return false, nil
		}
		if !errors.Is(err, fault.ErrConflict) {
			return false, fault.Internal(err, "book late money")
		}
		id := w.Attempt.ID
		fresh, err := e.changes.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
		if err != nil {
			return false, err
		}
		w.Payment, w.Attempt = fresh.Payment, fresh.Attempt
		if err := e.changes.AttemptOf(ctx, w, id); err != nil {
			return false, err
		}
	}
	return false, fault.Internal(fault.ErrConflict, "book late money")
}

// lateMoneyChange decides what bookLateMoney commits, nil for nothing.
func (e *Engine) lateMoneyChange(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (*change.Change, error) {
	if fault.Planted("no remedy") {
		return nil, nil
	}
	now := e.now().UTC().Truncate(time.Millisecond)
	next := &change.Loaded{Run: drive.Run{Payment: w.Payment, Attempt: w.Attempt, Account: w.Account, Adapter: w.Adapter}, Merchant: w.Merchant, Profile: w.Profile, Customer: w.Customer}
	voidID := ""
	if o.Status == sdk.StatusAuthorized && slices.Contains(w.Adapter.Manifest.Operations, sdk.OpVoid) {
		e.driver.Begin(&next.Run, sdk.OpVoid, 0, now)
		voidID = next.Operation.ID
	}
	b, void, err := evidence.LateMoney(w.Payment, w.Attempt, o, voidID, now)
	if b == nil || err != nil {
		return nil, err
	}
	c := &change.Change{Payment: b.Payment, Attempt: b.Attempt, Alarms: b.Alarms, Claims: b.Claims}
	next.Payment, next.Attempt = b.Payment, b.Attempt
	if void {
		next.Operation.Amount = b.Attempt.Authorized
		next.Request = e.driver.LaterRequest(&next.Run, b.Attempt.Authorized)
		c.Intend(next.Operation, w.Account)
		if err := e.driver.SealRun(&next.Run); err != nil {
			return nil, err
		}
	} else if o.Status == sdk.StatusAuthorized {
		c.Alarms = append(c.Alarms, evidence.AlarmLateVoid)
	}
	c.Effects = append(c.Effects, func(ctx context.Context) error {
		if void {
			e.changes.LogPostponed(ctx, "the void of late funds", next.Payment.ID, e.perform(ctx, next))
		}
		w.Payment, w.Attempt = next.Payment, next.Attempt
		return nil
	})
	if b.Payment.Status == w.Payment.Status {
		return c, nil
	}
	return e.changes.Announce(ctx, w, c, now)
}

// bookReportedMoney does what bookLateMoney does, and keeps the evidence on which it acted.
func (e *Engine) bookReportedMoney(ctx context.Context, w *change.Loaded, o *sdk.Outcome, source drive.Source) (bool, error) {
	was := w.Attempt.Status
	done, err := e.bookLateMoney(ctx, w, o)
	if !done || err != nil {
		return done, err
	}
	_, err = e.changes.KeepReport(ctx, w, source, o, "the attempt was "+string(was))
	return true, err
}
