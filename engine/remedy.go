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
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// remedy acts on evidence that the processor holds or has taken money of an attempt that merchants see as ended without money. Held funds are
// voided. Taken money moves the payment to review. Both raise an alarm. It returns whether it acted.
func (e *Engine) remedy(ctx context.Context, w *change.Loaded, o *sdk.Outcome) (bool, error) {
	for range lateTries {
		c, err := e.remedyOf(w, o)
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
		if w.Attempt.ID != id {
			if w.Attempt, err = e.readAttempt(ctx, w.Payment.MerchantID, id); err != nil {
				return false, err
			}
		}
	}
	return false, fault.Internal(fault.ErrConflict, "book late money")
}

// remedyOf decides what remedy commits, nil for nothing.
func (e *Engine) remedyOf(w *change.Loaded, o *sdk.Outcome) (*change.Change, error) {
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
			e.changes.Postponed(ctx, "the void of late funds", next.Payment.ID, e.perform(ctx, next))
		}
		w.Payment, w.Attempt = next.Payment, next.Attempt
		return nil
	})
	if b.Payment.Status == w.Payment.Status {
		return c, nil
	}
	return e.changes.Announced(w, c, now)
}

// recheck asks the processor about an operation that ended without its word. This node holds the operation's lease.
func (e *Engine) recheck(ctx context.Context, w *change.Loaded, op *payment.Operation) error {
	answered, err := true, error(nil)
	step := evidence.NextRecheck(w.Payment, w.Attempt, op)
	switch {
	case e.Holds(op.ClosedAt) && w.Attempt.ID == w.Payment.AttemptID && (step == evidence.RecheckNothing || step == evidence.RecheckHeld):
		answered, err = e.askCopied(ctx, w)
	case step == evidence.RecheckWait:
		answered = false
	case step == evidence.RecheckEnded:
		answered, err = e.askAgain(ctx, w)
	case step == evidence.RecheckHeld:
		answered, err = e.askHeld(ctx, w)
	case step == evidence.RecheckRefund:
		answered, err = e.askRefund(ctx, op)
	}
	if err != nil {
		e.log.LogAttrs(ctx, slog.LevelWarn, "asking about an ended operation failed", slog.String("payment_id", op.PaymentID), slog.Any("error", err))
	}
	return e.recheckLater(ctx, op, w.Attempt, answered)
}

// askHeld asks the processor about held funds after a capture or void that it did not know, and books what was done after all.
func (e *Engine) askHeld(ctx context.Context, w *change.Loaded) (bool, error) {
	o, answered, err := e.queryEnded(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	was := w.Attempt
	if err := e.bookEvidence(ctx, w, o); err != nil || w.Attempt == was {
		return true, err
	}
	e.metrics.Alarm(evidence.AlarmLateEvidence)
	e.log.LogAttrs(ctx, slog.LevelError, "the processor did an operation that had ended as not done", slog.String("payment_id", w.Payment.ID),
		slog.String("evidence", string(o.Status)))
	_, err = e.changes.KeepSaid(ctx, w, "sync", o, "the attempt was "+string(was.Status))
	return true, err
}

// askRefund asks the processor about a refund that it did not know, and books a refund that was made after all.
func (e *Engine) askRefund(ctx context.Context, op *payment.Operation) (bool, error) {
	f, err := e.refundOf(ctx, op)
	if err != nil || f.Status != payment.RefundFailed {
		return err == nil, err
	}
	w, err := e.loadRefund(ctx, f)
	if err != nil || w.Account == nil {
		return false, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync) {
		return true, nil
	}
	defer e.driver.KeepRest(ctx, &w.Run)
	o, _ := e.driver.Sync(ctx, &w.Run, sdk.OpRefund)
	if o == nil {
		return false, nil
	}
	return true, e.bookRefundEvidence(ctx, w, o)
}

// recheckLater gives the lease back and sets the time of the next query, an hour away without an answer.
func (e *Engine) recheckLater(ctx context.Context, op *payment.Operation, a *payment.Attempt, answered bool) error {
	return e.store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || fresh.Owner != e.opts.Node || fresh.Status.Open() || fresh.Status == payment.OperationPending {
			return err
		}
		evidence.RecheckLater(fresh, a, answered, tx.Now())
		return tx.UpdateOperation(fresh)
	})
}

// askAgain asks the processor about an ended attempt and acts on money that it finds. It returns whether the processor answered, or cannot be
// asked at all.
func (e *Engine) askAgain(ctx context.Context, w *change.Loaded) (bool, error) {
	o, answered, err := e.queryEnded(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	_, err = e.remedyKept(ctx, w, o, "sync")
	return true, err
}

// queryEnded queries the processor about an attempt that has no open operation. answered is true if the processor answered, or cannot be asked.
func (e *Engine) queryEnded(ctx context.Context, w *change.Loaded) (o *sdk.Outcome, answered bool, err error) {
	if err := e.changes.WithAccount(ctx, w); err != nil {
		return nil, false, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpSync) {
		return nil, true, nil
	}
	defer e.driver.KeepRest(ctx, &w.Run)
	o, _ = e.driver.Sync(ctx, &w.Run, "")
	return o, o != nil, nil
}

// remedyKept is remedy, and keeps the evidence that it acted on.
func (e *Engine) remedyKept(ctx context.Context, w *change.Loaded, o *sdk.Outcome, source string) (bool, error) {
	was := w.Attempt.Status
	done, err := e.remedy(ctx, w, o)
	if !done || err != nil {
		return done, err
	}
	_, err = e.changes.KeepSaid(ctx, w, source, o, "the attempt was "+string(was))
	return true, err
}
