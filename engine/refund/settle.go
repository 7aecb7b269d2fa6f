package refund

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Load reads the payment, attempt and operation of a refund. Account stays nil if the account or its adapter is gone.
func (s *Refunds) Load(ctx context.Context, f *payment.Refund) (*change.Loaded, error) {
	w, err := s.Changes.Load(ctx, f.MerchantID, f.PaymentID)
	if err != nil {
		return nil, err
	}
	w.Refund = f
	if w.Operation, _, err = s.operation(ctx, f.OperationID); err != nil {
		return nil, err
	}
	if err := s.Changes.AttemptOf(ctx, w, f.AttemptID); err != nil {
		return nil, err
	}
	if s.Changes.WithAccount(ctx, w) != nil {
		w.Account = nil
	}
	return w, nil
}

// Settlement returns the change of a verdict on a refund's operation: the refund, the payment's amounts and the operation.
func (s *Refunds) Settlement(w *change.Loaded, v evidence.Verdict, now time.Time) (*change.Change, error) {
	b := evidence.BookRefund(w.Payment, w.Refund, w.Operation, v, now)
	b.Operation.QueryBy(now.Add(s.Changes.Driver.ResolvePause))
	c := s.changeOf(w, &b)
	c.Settle(w, b.Operation, v)
	c.Effects = append(c.Effects, func(context.Context) error { w.Operation, w.Journal = b.Operation, nil; return nil })
	return s.announce(w, c, now)
}

// changeOf returns the change of a booking. With its effect the caller's answer shows the durable rows.
func (s *Refunds) changeOf(w *change.Loaded, b *evidence.RefundBooking) *change.Change {
	c := &change.Change{Payment: b.Payment, Refund: b.Refund, Alarms: b.Alarms, Claims: b.Claims}
	c.Effects = append(c.Effects, func(context.Context) error {
		w.Refund = b.Refund
		if b.Payment != nil {
			w.Payment = b.Payment
		}
		return nil
	})
	return c
}

// announce adds the merchant's event to a change if the refund has a new status.
func (s *Refunds) announce(w *change.Loaded, c *change.Change, now time.Time) (_ *change.Change, err error) {
	if c.Refund.Status == w.Refund.Status || c.Refund.Status.Event() == "" {
		return c, nil
	}
	if c.Payment == nil { // the payment counts its events
		c.Payment = w.Payment.Clone()
		c.Effects = append(c.Effects, func(context.Context) error { w.Payment = c.Payment; return nil })
	}
	c.Event, err = s.Changes.RefundEvent(c.Payment, c.Refund, now)
	return c, err
}

// sync asks the processor for a refund and books the answer. It sends no request that could act.
func (s *Refunds) sync(ctx context.Context, w *change.Loaded) error {
	op := w.Operation
	if op.Status == payment.OperationStarted || op.Status == payment.OperationUnknown && op.LastSendAt.IsZero() ||
		!slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync) {
		return nil // the operation's own answer has more facts, or the adapter has no query
	}
	defer s.Changes.Driver.FlushJournal(ctx, &w.Run)
	if op.Status == payment.OperationUnknown || op.Status == payment.OperationPending {
		v, err := s.Changes.Driver.QueryProcessor(ctx, &w.Run)
		if err != nil || v.Status == payment.OperationNotActed || !evidence.BringsRefundNews(w.Refund, v) {
			return err // only the holder of the lease may conclude that nothing happened: another node may be sending the refund
		}
		return change.UnlessLeased(s.Changes.Settle(context.WithoutCancel(ctx), w, v))
	}
	if o, _ := s.Changes.Driver.Sync(ctx, &w.Run, sdk.OpRefund); o != nil {
		return s.bookEvidence(context.WithoutCancel(ctx), w, o)
	}
	return nil
}

// bookEvidence books a report about a refund whose operation has ended. The report must say that the refund has succeeded or failed.
func (s *Refunds) bookEvidence(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if evidence.IsOtherRefund(w.Refund, o) {
		return s.alarmOther(ctx, w, o)
	}
	for {
		v := evidence.InterpretRefund(w.Operation, w.Refund, o, false)
		if evidence.RefundShows(w.Refund, o) || v.Status != payment.OperationSucceeded && v.Status != payment.OperationDeclined {
			return nil
		}
		now := s.Changes.Now().UTC().Truncate(time.Millisecond)
		b := evidence.BookRefundEvidence(w.Payment, w.Refund, v, now)
		c, err := s.announce(w, s.changeOf(w, &b), now)
		if err != nil {
			return err
		}
		if w.Refund.Status.Final() {
			c.Alarms = append(c.Alarms, alarm.LateEvidence)
			s.Changes.Log.LogAttrs(ctx, slog.LevelError, "a refund that had ended has another status", slog.String("refund_id", w.Refund.ID),
				slog.String("payment_id", w.Payment.ID), slog.String("was", string(w.Refund.Status)), slog.String("is", string(b.Refund.Status)))
		}
		if p := b.Payment; p != nil && p.Refunded > w.Payment.Refunded && p.Refundable() < 0 {
			c.Alarms = append(c.Alarms, alarm.RefundExceeds)
		}
		err = s.Changes.Commit(ctx, c)
		if errors.Is(err, change.ErrOtherID) {
			return s.alarmLate(ctx, w, o, alarm.ImpossibleOutcome)
		}
		if !errors.Is(err, fault.ErrConflict) {
			return fault.FromStore(err, "book evidence of a refund")
		}
		f, err := s.stored(ctx, w.Refund.MerchantID, w.Refund.ID)
		if err != nil {
			return err
		}
		fresh, err := s.Load(ctx, f)
		if err != nil {
			return err
		}
		w.Payment, w.Refund, w.Operation = fresh.Payment, fresh.Refund, fresh.Operation
	}
}

// Recheck asks the processor about a refund that it did not know, and books a refund that was made after all.
func (s *Refunds) Recheck(ctx context.Context, op *payment.Operation) (bool, error) {
	f, err := s.Of(ctx, op)
	if err != nil || f.Status != payment.RefundFailed {
		return err == nil, err
	}
	w, err := s.Load(ctx, f)
	if err != nil || w.Account == nil {
		return false, err
	}
	if !slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync) {
		return true, nil
	}
	defer s.Changes.Driver.FlushJournal(ctx, &w.Run)
	o, _ := s.Changes.Driver.Sync(ctx, &w.Run, sdk.OpRefund)
	if o == nil {
		return false, nil
	}
	return true, s.bookEvidence(ctx, w, o)
}
