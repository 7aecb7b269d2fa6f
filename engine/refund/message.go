package refund

import (
	"context"
	"log/slog"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/change"
	"payswitch/engine/drive"
	"payswitch/engine/evidence"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// BookEvent books one event of a message about a refund. found is true if this switch has the refund.
func (s *Refunds) BookEvent(ctx context.Context, account *account.Account, r *port.DriveResult, ev *sdk.Event) (found bool, err error) {
	f, own, err := s.Changes.RefundNamed(ctx, account, ev)
	if f == nil || err != nil || !own && ev.Outcome == nil {
		return false, err
	}
	w, err := s.Load(ctx, f)
	if err != nil {
		return false, err
	}
	switch {
	case !own:
		return true, s.alarmOther(ctx, w, ev.Outcome)
	case w.Account == nil:
		return true, nil // the event cannot be booked without the adapter
	case ev.Sync || ev.Outcome == nil:
		if err := s.Changes.Driver.AllowQuery(r, w.Refund.MerchantID, w.Refund.ID); err != nil {
			return true, err
		}
		return true, s.sync(ctx, w) // also of a refund that has ended: a bank may send it back
	}
	return true, s.BookMessage(ctx, w, ev.Outcome)
}

// SyncUnnamed asks the processor for the payment's refunds that have no id of the processor yet. A message that names no known refund may be about
// one of them.
func (s *Refunds) SyncUnnamed(ctx context.Context, p *payment.Payment) error {
	if p.Details.RefundCount == 0 {
		return nil
	}
	var list []*payment.Refund
	err := s.Changes.Read(ctx, "read refunds", func(r change.Reader) (err error) { list, err = r.RefundsOf(p.MerchantID, p.ID); return err })
	for _, f := range list {
		if err == nil && f.ProcessorID == "" && !f.Status.Final() {
			var w *change.Loaded
			if w, err = s.Load(ctx, f); err == nil && w.Account != nil {
				err = s.sync(ctx, w)
			}
		}
	}
	return err
}

// BookMessage books the outcome that a genuine message reports for a refund. Messages may repeat, and come in any order and before the answer.
func (s *Refunds) BookMessage(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	op, f := w.Operation, w.Refund
	switch op.Status {
	case payment.OperationStarted: // the operation's own answer has more facts; if its node dies, recovery reads this message
		_, err := s.Changes.KeepMessage(ctx, op.ID, op.MerchantID, drive.SourceWebhook, o, drive.NoteUnderWay)
		return err
	case payment.OperationUnknown, payment.OperationPending:
		v := evidence.InterpretRefund(op, f, o, false)
		if !evidence.BringsRefundNews(f, v) {
			return nil
		}
		err := s.Changes.Settle(ctx, w, v)
		if err == nil {
			s.Changes.LogResolved(ctx, w, v, evidence.WayMessage)
		}
		if err == nil || change.UnlessLeased(err) != nil {
			return err
		}
		_, err = s.Changes.KeepMessage(ctx, op.ID, op.MerchantID, drive.SourceWebhook, o, drive.NoteUnderWay)
		return err
	}
	switch {
	case evidence.RefundShows(f, o):
		return nil
	case op.Resolution.ShownBy(f): // the processor has not said anything before
		return s.bookEvidence(ctx, w, o)
	case f.Status.Final() && op.Status != payment.OperationNotActed && slices.Contains(w.Adapter.Manifest.Operations, sdk.OpRefundSync):
		defer s.Changes.Driver.FlushJournal(ctx, &w.Run)
		if answer, _ := s.Changes.Driver.Sync(ctx, &w.Run, sdk.OpRefund); answer != nil { // messages come in any order, so the answer decides
			return s.bookEvidence(context.WithoutCancel(ctx), w, answer)
		}
		return s.alarmLate(ctx, w, o, alarm.LateEvidence) // no answer, or one that may be about another refund
	case f.Status == payment.RefundFailed && op.Status == payment.OperationDeclined:
		return s.alarmLate(ctx, w, o, alarm.LateEvidence)
	}
	return s.bookEvidence(ctx, w, o)
}

// alarmOther raises an alarm about a report that the processor has given money back under another id than that of the refund.
func (s *Refunds) alarmOther(ctx context.Context, w *change.Loaded, o *sdk.Outcome) error {
	if o.Status != sdk.StatusRefunded {
		return nil
	}
	return s.alarmLate(ctx, w, o, alarm.LateEvidence)
}

// alarmLate keeps a report that does not fit a refund, and raises an alarm the first time that the report comes.
func (s *Refunds) alarmLate(ctx context.Context, w *change.Loaded, o *sdk.Outcome, kind alarm.Kind) error {
	f := w.Refund
	first, err := s.Changes.KeepMessage(ctx, f.OperationID, f.MerchantID, drive.SourceWebhook, o, "the refund was "+string(f.Status))
	if first {
		s.Changes.Metrics.Alarm(kind)
		s.Changes.Log.LogAttrs(ctx, slog.LevelError, "a processor's word does not fit the refund", slog.String("refund_id", f.ID), slog.String("payment_id", f.PaymentID),
			slog.String("refund_status", string(f.Status)), slog.String("evidence", string(o.Status)), slog.String("alarm", string(kind)))
	}
	return err
}
