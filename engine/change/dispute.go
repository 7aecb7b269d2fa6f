package change

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// disputeTries limits how often a dispute is decided again after a conflict with another writer.
const disputeTries = 10

// BookDispute books what a verified message of the time at says of a dispute of w's attempt: its amount cannot be refunded while it is open, or once
// it is lost. booked is false for a message that payswitch cannot book, such as one in another currency; it has raised an alarm.
func (s *Changes) BookDispute(ctx context.Context, w *Loaded, said *sdk.Dispute, at time.Time) (booked bool, err error) {
	for range disputeTries {
		p, alarm := payment.BookDispute(w.Payment, w.Attempt.ID, said, at, s.Now().UTC().Truncate(time.Millisecond))
		if p == nil && alarm == "" {
			return true, nil
		}
		c := &Change{Payment: p}
		if alarm != "" {
			c.Alarms = []string{alarm}
			s.Log.LogAttrs(ctx, slog.LevelError, "a person must look at a dispute", slog.String("payment_id", w.Payment.ID),
				slog.String("dispute_id", said.ID), slog.String("status", string(said.Status)), slog.Int64("amount", said.Amount.Minor),
				slog.String("currency", string(said.Amount.Currency)))
		}
		if p == nil {
			s.countChange(ctx, c)
			return false, nil
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
