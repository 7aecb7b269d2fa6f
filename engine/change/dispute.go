package change

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/disputed"
	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// disputeTries limits how often a dispute is decided again after a conflict with another writer.
const disputeTries = 10

// BookDispute books what a verified message of the time at says of a dispute of w's attempt: its amount cannot be refunded while it is open, or once
// it is lost. The dispute's record and the merchant's event are written with it. booked is false for a message that payswitch cannot book, such as
// one in another currency; it has raised an alarm.
func (s *Changes) BookDispute(ctx context.Context, w *Loaded, said *sdk.Dispute, at time.Time) (booked bool, err error) {
	for range disputeTries {
		now := s.Now().UTC().Truncate(time.Millisecond)
		b := evidence.BookDispute(w.Payment, w.Attempt.ID, said, at, now)
		if b.Payment == nil && b.Alarm == "" {
			return true, nil
		}
		c := &Change{Payment: b.Payment}
		if b.Alarm != "" {
			c.Alarms = []alarm.Kind{b.Alarm}
			s.Log.LogAttrs(ctx, slog.LevelError, "a person must look at a dispute", slog.String("payment_id", w.Payment.ID),
				slog.String("dispute_id", said.ID), slog.String("status", string(said.Status)), slog.Int64("amount", said.Amount.Minor),
				slog.String("currency", string(said.Amount.Currency)))
		}
		if b.Payment == nil {
			s.countChange(ctx, c)
			return false, nil
		}
		if c.Dispute, err = s.disputeOf(ctx, w, said.ID, now); err != nil {
			return false, err
		}
		c.Dispute.Take(b.Claim, said, now)
		if b.Moved {
			if c.Event, err = s.DisputeEvent(c.Payment, c.Dispute, now); err != nil {
				return false, err
			}
		}
		if err = s.Commit(ctx, c); !errors.Is(err, fault.ErrConflict) {
			return true, fault.FromStore(err, "book a dispute")
		}
		fresh, err := s.Load(ctx, w.Payment.MerchantID, w.Payment.ID)
		if err != nil {
			return false, err
		}
		w.Payment = fresh.Payment
	}
	return false, fault.Internal(fault.ErrConflict, "book a dispute")
}

// DisputeNamed returns the dispute of w's attempt that has the processor's id, or nil.
func (s *Changes) DisputeNamed(ctx context.Context, w *Loaded, processorID string) (*disputed.Record, error) {
	var list []*disputed.Record
	err := s.Read(ctx, "read disputes", func(r Reader) (err error) {
		list, err = r.DisputesOf(w.Payment.MerchantID, w.Payment.ID)
		return err
	})
	for _, d := range list {
		if err == nil && d.ProcessorID == processorID && d.AttemptID == w.Attempt.ID {
			return d, nil
		}
	}
	return nil, err
}

// disputeOf reads the record of a dispute of w's attempt by the processor's id, or makes a new one. The payment's version in the commit guards the
// making: of two nodes that make a record, one starts again.
func (s *Changes) disputeOf(ctx context.Context, w *Loaded, processorID string, now time.Time) (*disputed.Record, error) {
	p, a := w.Payment, w.Attempt
	if len(p.Details.Disputes) > 0 {
		if d, err := s.DisputeNamed(ctx, w, processorID); d != nil || err != nil {
			return d, err
		}
	}
	refunded := p.Received > 0 && p.Details.RefundedTotal >= p.Received
	return &disputed.Record{MerchantID: p.MerchantID, ID: ids.New("dp_"), PaymentID: p.ID, AttemptID: a.ID, ProfileID: p.ProfileID, AccountID: a.AccountID,
		Connector: a.Connector, ProcessorID: processorID, CreatedAt: now, Details: disputed.Details{Refunded: refunded}}, nil
}

// DisputeEvent makes the merchant's event of a dispute's new stage or status, and counts it in p, the payment that the change writes.
func (s *Changes) DisputeEvent(p *payment.Payment, d *disputed.Record, now time.Time) (*payment.Event, error) {
	p.Details.Events++
	ev := &payment.Event{ID: ids.NewEvent(now, p.Details.Events), MerchantID: p.MerchantID, ProfileID: p.ProfileID, ObjectID: d.ID, PaymentID: p.ID, Number: p.Details.Events,
		Class: "disputes", Type: d.Event(), CreatedAt: now}
	body, err := s.Presenter.DisputeEvent(ev.ID, ev.Type, now, d)
	if err != nil {
		return nil, fault.Internal(err, "render event")
	}
	return s.sealEvent(ev, body)
}
