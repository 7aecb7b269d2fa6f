package engine

import (
	"context"
	"log/slog"
	"slices"

	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/sdk"
)

// recheck asks the processor about an operation that ended without its word. This node holds the operation's lease.
func (e *Engine) recheck(ctx context.Context, w *change.Loaded, op *payment.Operation) error {
	answered, err := true, error(nil)
	step := evidence.NextRecheck(w.Payment, w.Attempt, op)
	switch {
	case (e.Holds(op.ClosedAt) || op.Status == payment.OperationSucceeded) && w.Attempt.ID == w.Payment.AttemptID && (step == evidence.RecheckNothing || step == evidence.RecheckHeld):
		answered, err = e.recheckRestored(ctx, w)
	case step == evidence.RecheckWait:
		answered = false
	case step == evidence.RecheckEnded:
		answered, err = e.recheckEnded(ctx, w)
	case step == evidence.RecheckHeld:
		answered, err = e.recheckHeld(ctx, w)
	case step == evidence.RecheckRefund:
		answered, err = e.Refunds.Recheck(ctx, op)
	}
	if err != nil {
		e.log.LogAttrs(ctx, slog.LevelWarn, "asking about an ended operation failed", slog.String("payment_id", op.PaymentID), slog.Any("error", err))
	}
	return e.driver.RecheckLater(ctx, op, w.Attempt, answered)
}

// recheckHeld asks the processor about held funds after a capture or void that the processor did not know. It books a capture or void that was made after
// all.
func (e *Engine) recheckHeld(ctx context.Context, w *change.Loaded) (bool, error) {
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
	_, err = e.changes.KeepReport(ctx, w, drive.SourceSync, o, "the attempt was "+string(was.Status))
	return true, err
}

// recheckEnded asks the processor about an ended attempt and acts on money that it finds. It returns whether the processor answered, or cannot be
// asked at all.
func (e *Engine) recheckEnded(ctx context.Context, w *change.Loaded) (bool, error) {
	o, answered, err := e.queryEnded(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	_, err = e.bookReportedMoney(ctx, w, o, drive.SourceSync)
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
	defer e.driver.FlushJournal(ctx, &w.Run)
	o, _ = e.driver.Sync(ctx, &w.Run, "")
	return o, o != nil, nil
}

// recheckRestored asks about a payment without an open operation, and books what the payment does not know: what was done after the copy of the database, or by relays.
func (e *Engine) recheckRestored(ctx context.Context, w *change.Loaded) (bool, error) {
	if w.Payment.OpenOperation != "" {
		return false, nil
	}
	o, answered, err := e.queryEnded(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	was := w.Attempt
	if err := e.bookEvidence(ctx, w, o); err != nil {
		return true, err
	}
	if w.Attempt != was {
		e.log.LogAttrs(ctx, slog.LevelWarn, "a payment has moved on without a request of this database: after the copy that it was restored from, or by a relay", slog.String("payment_id", w.Payment.ID),
			slog.String("was", string(was.Status)), slog.String("evidence", string(o.Status)))
	}
	if relay.Unshown(w.Attempt) || e.Holds(w.Payment.CreatedAt) && o.Totals != nil && o.Totals.Refunded > w.Payment.Refunded {
		return true, e.alarmLateEvidence(ctx, w, o, drive.SourceSync, was.Status) // a relay took more than the payment shows, or the processor gave back more than the copy knows
	}
	return true, nil
}
