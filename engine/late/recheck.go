package late

import (
	"context"
	"log/slog"

	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
)

// Recheck asks the processor about an operation that ended without its word. This node holds the operation's lease.
func (s *Reports) Recheck(ctx context.Context, w *change.Loaded, op *payment.Operation) error {
	answered, err := true, error(nil)
	step := evidence.NextRecheck(w.Payment, w.Attempt, op)
	switch {
	case (s.Copy.Holds(op.ClosedAt) || op.Status == payment.OperationSucceeded) && w.Attempt.ID == w.Payment.AttemptID && (step == evidence.RecheckNothing || step == evidence.RecheckHeld):
		answered, err = s.recheckRestored(ctx, w)
	case step == evidence.RecheckWait:
		answered = false
	case step == evidence.RecheckEnded:
		answered, err = s.recheckEnded(ctx, w)
	case step == evidence.RecheckHeld:
		answered, err = s.recheckHeld(ctx, w)
	case step == evidence.RecheckRefund:
		answered, err = s.Refunds.Recheck(ctx, op)
	}
	if err != nil {
		s.Changes.Log.LogAttrs(ctx, slog.LevelWarn, "asking about an ended operation failed", slog.String("payment_id", op.PaymentID), slog.Any("error", err))
	}
	return s.Changes.Driver.RecheckLater(ctx, op, w.Attempt, answered)
}

// recheckHeld asks the processor about held funds after a capture or void that the processor did not know. It books a capture or void that was made after
// all.
func (s *Reports) recheckHeld(ctx context.Context, w *change.Loaded) (bool, error) {
	o, answered, err := s.ask(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	was := w.Attempt
	if err := s.book(ctx, w, o); err != nil || w.Attempt == was {
		return true, err
	}
	s.Changes.Metrics.Alarm(alarm.LateEvidence)
	s.Changes.Log.LogAttrs(ctx, slog.LevelError, "the processor did an operation that had ended as not done", slog.String("payment_id", w.Payment.ID),
		slog.String("evidence", string(o.Status)))
	_, err = s.Changes.KeepReport(ctx, w, drive.SourceSync, o, "the attempt was "+string(was.Status))
	return true, err
}

// recheckEnded asks the processor about an ended attempt and acts on money that it finds. It returns whether the processor answered, or cannot be
// asked at all.
func (s *Reports) recheckEnded(ctx context.Context, w *change.Loaded) (bool, error) {
	o, answered, err := s.ask(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	_, err = s.bookReported(ctx, w, o, drive.SourceSync)
	return true, err
}

// recheckRestored asks about a payment without an open operation, and books what the payment does not know: what was done after the copy of the database, or by relays.
func (s *Reports) recheckRestored(ctx context.Context, w *change.Loaded) (bool, error) {
	if w.Payment.OpenOperation != "" {
		return false, nil
	}
	o, answered, err := s.ask(ctx, w)
	if o == nil || err != nil {
		return answered, err
	}
	was := w.Attempt
	if err := s.book(ctx, w, o); err != nil {
		return true, err
	}
	if w.Attempt != was {
		s.Changes.Log.LogAttrs(ctx, slog.LevelWarn, "a payment has moved on without a request of this database: after the copy that it was restored from, or by a relay", slog.String("payment_id", w.Payment.ID),
			slog.String("was", string(was.Status)), slog.String("evidence", string(o.Status)))
	}
	if relay.Unshown(w.Attempt) || s.Copy.Holds(w.Payment.CreatedAt) && o.Totals != nil && o.Totals.Refunded > w.Payment.Refunded {
		return true, s.alarm(ctx, w, o, drive.SourceSync, was.Status) // a relay took more than the payment shows, or the processor gave back more than the copy knows
	}
	return true, nil
}
