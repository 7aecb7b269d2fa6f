package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// loadRefund reads the payment, attempt and operation of a refund. Account stays nil if the account or its adapter is gone.
func (e *Engine) loadRefund(ctx context.Context, f *payment.Refund) (*change.Loaded, error) {
	w, err := e.changes.Load(ctx, f.MerchantID, f.PaymentID)
	if err != nil {
		return nil, err
	}
	w.Refund = f
	if w.Operation, _, err = e.readOperation(ctx, f.OperationID); err != nil {
		return nil, err
	}
	if w.Attempt.ID != f.AttemptID {
		if w.Attempt, err = e.readAttempt(ctx, w.Operation.MerchantID, w.Operation.AttemptID); err != nil {
			return nil, err
		}
	}
	if e.changes.WithAccount(ctx, w) != nil {
		w.Account = nil
	}
	return w, nil
}

// refundSettlement returns the change of a verdict on a refund's operation: the refund, the payment's amounts and the operation.
func (e *Engine) refundSettlement(w *change.Loaded, v evidence.Verdict, now time.Time) (*change.Change, error) {
	b := evidence.BookRefund(w.Payment, w.Refund, w.Operation, v, now)
	b.Operation.QueryBy(now.Add(e.opts.ResolvePause))
	c := e.refundChange(w, &b)
	c.Settled, c.Journal = b.Operation, w.Journal
	c.Lease = w.Lease
	compareRow(c, v)
	if !b.Operation.Status.Open() && (w.Journalled > 0 || !w.Fresh) {
		c.Forget = b.Operation.ID
	}
	c.Effects = append(c.Effects, func(context.Context) error { w.Operation, w.Journal = b.Operation, nil; return nil })
	return e.announceRefund(w, c, now)
}

// refundChange returns the change of a booking. With its effect the caller's answer shows the durable rows.
func (e *Engine) refundChange(w *change.Loaded, b *evidence.RefundBooking) *change.Change {
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

// announceRefund adds the merchant's event to a change if the refund has a new status.
func (e *Engine) announceRefund(w *change.Loaded, c *change.Change, now time.Time) (_ *change.Change, err error) {
	if c.Refund.Status == w.Refund.Status || c.Refund.Status.Event() == "" {
		return c, nil
	}
	if c.Payment == nil { // the payment counts its events
		c.Payment = w.Payment.Clone()
		c.Effects = append(c.Effects, func(context.Context) error { w.Payment = c.Payment; return nil })
	}
	c.Event, err = e.changes.RefundEvent(c.Payment, c.Refund, now)
	return c, err
}

// syncRefund asks the processor for a refund and books the answer. It sends no request that could act.
func (e *Engine) syncRefund(ctx context.Context, w *change.Loaded) error {
	op := w.Operation
	if op.Status == payment.OperationStarted || op.Status == payment.OperationUnknown && op.LastSendAt.IsZero() ||
		!slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync) {
		return nil // the operation's own answer has more facts, or the adapter has no query
	}
	defer e.driver.FlushJournal(ctx, &w.Run)
	if op.Status == payment.OperationUnknown || op.Status == payment.OperationPending {
		v, err := e.driver.QueryProcessor(ctx, &w.Run)
		if err != nil || v.Status == payment.OperationNotActed || !evidence.BringsRefundNews(w.Refund, v) {
			return err // only the holder of the lease may conclude that nothing happened: another node may be sending the refund
		}
		return unlessLeased(e.settle(context.WithoutCancel(ctx), w, v))
	}
	if o, _ := e.driver.Sync(ctx, &w.Run, sdk.OpRefund); o != nil {
		return e.bookRefundEvidence(context.WithoutCancel(ctx), w, o)
	}
	return nil
}

// bookRefundEvidence books a report about a refund whose operation has ended. The report must say that the refund has succeeded or failed.
func (e *Engine) bookRefundEvidence(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if evidence.IsOtherRefund(w.Refund, o) {
		return e.alarmOtherRefund(ctx, w, o)
	}
	for {
		v := evidence.InterpretRefund(w.Operation, w.Refund, o, false)
		if evidence.RefundShows(w.Refund, o) || v.Status != payment.OperationSucceeded && v.Status != payment.OperationDeclined {
			return nil
		}
		now := e.now().UTC().Truncate(time.Millisecond)
		b := evidence.BookRefundEvidence(w.Payment, w.Refund, v, now)
		c, err := e.announceRefund(w, e.refundChange(w, &b), now)
		if err != nil {
			return err
		}
		if w.Refund.Status.Final() {
			c.Alarms = append(c.Alarms, evidence.AlarmLateEvidence)
			e.log.LogAttrs(ctx, slog.LevelError, "a refund that had ended has another status", slog.String("refund_id", w.Refund.ID),
				slog.String("payment_id", w.Payment.ID), slog.String("was", string(w.Refund.Status)), slog.String("is", string(b.Refund.Status)))
		}
		if p := b.Payment; p != nil && p.Refunded > p.Received {
			c.Alarms = append(c.Alarms, evidence.AlarmRefundExceeds)
		}
		err = e.changes.Commit(ctx, c)
		if errors.Is(err, change.ErrOtherID) {
			return e.alarmLateRefund(ctx, w, o, evidence.AlarmImpossible)
		}
		if !errors.Is(err, fault.ErrConflict) {
			return fault.FromStore(err, "book evidence of a refund")
		}
		f, err := e.readRefund(ctx, w.Refund.MerchantID, w.Refund.ID)
		if err != nil {
			return err
		}
		fresh, err := e.loadRefund(ctx, f)
		if err != nil {
			return err
		}
		w.Payment, w.Refund, w.Operation = fresh.Payment, fresh.Refund, fresh.Operation
	}
}

// bookRefundEvent books one event of a message about a refund. found is true if this switch has the refund.
func (e *Engine) bookRefundEvent(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	f, own, err := e.changes.RefundNamed(ctx, account, ev)
	if f == nil || err != nil || !own && ev.Outcome == nil {
		return false, err
	}
	w, err := e.loadRefund(ctx, f)
	if err != nil {
		return false, err
	}
	switch {
	case !own:
		return true, e.alarmOtherRefund(ctx, w, ev.Outcome)
	case w.Account == nil:
		return true, nil // the event cannot be booked without the adapter
	case ev.Sync || ev.Outcome == nil:
		if err := e.allowQuery(r, w.Refund.MerchantID, w.Refund.ID); err != nil {
			return true, err
		}
		return true, e.syncRefund(ctx, w) // also of a refund that has ended: a bank may send it back
	}
	return true, e.bookRefundMessage(ctx, w, ev.Outcome)
}

// alarmOtherRefund raises an alarm about a report that the processor has given money back under another id than that of the refund.
func (e *Engine) alarmOtherRefund(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if o.Status != sdk.StatusRefunded {
		return nil
	}
	return e.alarmLateRefund(ctx, w, o, evidence.AlarmLateEvidence)
}

// syncUnnamedRefunds asks the processor for the payment's refunds that have no id of the processor yet. A message that names no known refund may be about
// one of them.
func (e *Engine) syncUnnamedRefunds(ctx context.Context, p *payment.Payment) error {
	if p.Details.RefundCount == 0 {
		return nil
	}
	var list []*payment.Refund
	err := e.read(ctx, "read refunds", func(r Reader) (err error) { list, err = r.RefundsOf(p.MerchantID, p.ID); return err })
	for _, f := range list {
		if err == nil && f.ProcessorID == "" && !f.Status.Final() {
			var w *change.Loaded
			if w, err = e.loadRefund(ctx, f); err == nil && w.Account != nil {
				err = e.syncRefund(ctx, w)
			}
		}
	}
	return err
}

// bookRefundMessage books the outcome that a genuine message reports for a refund. Messages may repeat, and come in any order and before the answer.
func (e *Engine) bookRefundMessage(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	op, f := w.Operation, w.Refund
	switch op.Status {
	case payment.OperationStarted: // the operation's own answer has more facts; if its node dies, recovery reads this message
		_, err := e.changes.KeepMessage(ctx, op.ID, op.MerchantID, drive.SourceWebhook, o, drive.NoteUnderWay)
		return err
	case payment.OperationUnknown, payment.OperationPending:
		v := evidence.InterpretRefund(op, f, o, false)
		if !evidence.BringsRefundNews(f, v) {
			return nil
		}
		err := e.settle(ctx, w, v)
		if err == nil {
			e.logResolved(ctx, w, v, string(drive.SourceWebhook))
		}
		if err == nil || unlessLeased(err) != nil {
			return err
		}
		_, err = e.changes.KeepMessage(ctx, op.ID, op.MerchantID, drive.SourceWebhook, o, drive.NoteUnderWay)
		return err
	}
	switch {
	case evidence.RefundShows(f, o):
		return nil
	case op.Resolution.ShownBy(f): // the processor has not said anything before
		return e.bookRefundEvidence(ctx, w, o)
	case f.Status.Final() && op.Status != payment.OperationNotActed && slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync):
		return e.syncRefund(ctx, w) // messages come in any order, so the processor's answer decides
	case f.Status == payment.RefundFailed && op.Status == payment.OperationDeclined:
		return e.alarmLateRefund(ctx, w, o, evidence.AlarmLateEvidence)
	}
	return e.bookRefundEvidence(ctx, w, o)
}

// alarmLateRefund keeps a report that does not fit a refund, and raises an alarm the first time that the report comes.
func (e *Engine) alarmLateRefund(ctx context.Context, w *change.Loaded, o *sdk.Outcome, alarm string) error {
	f := w.Refund
	first, err := e.changes.KeepMessage(ctx, f.OperationID, f.MerchantID, drive.SourceWebhook, o, "the refund was "+string(f.Status))
	if first {
		e.metrics.Alarm(alarm)
		e.log.LogAttrs(ctx, slog.LevelError, "a processor's word does not fit the refund", slog.String("refund_id", f.ID), slog.String("payment_id", f.PaymentID),
			slog.String("refund_status", string(f.Status)), slog.String("evidence", string(o.Status)), slog.String("alarm", alarm))
	}
	return err
}

// unlessLeased returns nil if another run holds the operation, or may have sent it since the answer: that run books what happened.
func unlessLeased(err error) error {
	if errors.Is(err, change.ErrLeased) || errors.Is(err, change.ErrStale) {
		return nil
	}
	return err
}
