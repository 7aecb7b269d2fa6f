package relay

import (
	"cmp"
	"context"
	"slices"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Know adds to an attempt what relays have captured of its transaction, and when a relay has last acted on it. Only a payment that the merchant captures can have
// such captures.
func (s *Relays) Know(ctx context.Context, p *payment.Payment, a *payment.Attempt) error {
	a.Relayed, a.RelayedAt, a.RelayWrites = nil, time.Time{}, nil
	if m := p.Details.CaptureMethod; a.TransactionID == "" || m != payment.CaptureManual && m != payment.CaptureManualMultiple {
		return nil
	}
	err := s.Store.View(ctx, func(r Reader) error {
		n, err := r.RelayWrites(a.MerchantID, a.AccountID, a.TransactionID)
		if err != nil {
			return err
		}
		list, err := r.RelaysOf(a.MerchantID, a.AccountID, a.TransactionID)
		a.Relayed, a.RelayedAt = captures(list, p.Currency, s.Now()), lastAct(list, s.Now())
		a.RelayWrites = &n
		return err
	})
	return fault.FromStore(err, "read the relays of a payment")
}

// captures returns the captures of relays that a payment does not make itself. A relay without an end counts as open for a day. An operator's word is no proof of
// a captured amount.
func captures(list []*Relay, currency sdk.Currency, now time.Time) (out []payment.CaptureRecord) {
	for _, r := range list {
		d := r.Details.Data.Capture
		if r.Type != Capture || d == nil || d.Currency != currency {
			continue
		}
		c := payment.CaptureRecord{ID: r.ID}
		if r.Details.Resolution == nil {
			c.Amount = cmp.Or(r.Details.Made, d.Amount)
		}
		switch {
		case r.Status == Success:
			c.Status = payment.CaptureCharged
		case r.Status == Pending && now.Sub(r.CreatedAt) < unknownFor:
			c.Status = payment.CaptureStarted
		default:
			continue
		}
		if r.named() {
			c.ProcessorID = r.ReferenceID
		}
		out = append(out, c)
	}
	return out
}

// lastAct returns when a relay has last captured, raised or voided, zero for never. A relay without an end may do so at any time.
func lastAct(list []*Relay, now time.Time) (at time.Time) {
	for _, r := range list {
		switch {
		case r.Type.refunds():
		case r.Status == Success && r.ModifiedAt.After(at):
			at = r.ModifiedAt
		case r.Status == Pending && now.Sub(r.CreatedAt) < unknownFor && now.After(at):
			at = now
		}
	}
	return at
}

// MayCapture refuses a capture of a payment if a relay has captured, or may have captured, a part that the payment does not show.
func (s *Relays) MayCapture(ctx context.Context, p *payment.Payment, a *payment.Attempt) error {
	if err := s.Know(ctx, p, a); err != nil {
		return err
	}
	switch {
	case a.RelayMayTake():
		return fault.Refused("You cannot capture this payment because a relay may have captured a part of it").WithParam("payment_id").
			WithHint("Retrieve the relay with force_sync=true until its status is not pending. A day after it began, it stands in the way no more.")
	case a.Missing() > 0:
		return fault.Refused("You cannot capture this payment because a relay has captured a part of it that the payment does not show yet").WithParam("payment_id").
			WithHint("Retrieve the payment with force_sync=true, and capture what amount_capturable says.")
	}
	return nil
}

// own returns the attempt whose transaction the relay is about, nil if the transaction is not a payment of the switch.
func (s *Relays) own(ctx context.Context, r *Relay) (*payment.Attempt, error) {
	var found []*payment.Attempt
	err := s.Store.View(ctx, func(tx Reader) (err error) {
		found, err = tx.AttemptsAt(r.MerchantID, r.AccountID, r.ResourceID, "")
		return err
	})
	if err != nil || len(found) == 0 {
		return nil, fault.FromStore(err, "find the payment of a relay")
	}
	return found[0], nil
}

// askOwn makes background work ask the processor about the payment of the relay's transaction. The relay's end is booked afterwards, so a crash between the two
// loses nothing.
func (s *Relays) askOwn(ctx context.Context, r *Relay) error {
	a, err := s.own(ctx, r)
	if a == nil || err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx Tx) error {
		ops, err := tx.Operations(a.MerchantID, a.PaymentID)
		if err != nil {
			return err
		}
		for _, op := range slices.Backward(ops) {
			if op.AttemptID != a.ID || op.OutsidePayment() || slices.Contains([]sdk.Operation{sdk.OpPrepare, sdk.OpAuthenticate, sdk.OpResult}, op.Kind) {
				continue
			}
			fresh, err := tx.Operation(op.ID)
			if err != nil || fresh.Status.Open() || fresh.Status == payment.OperationPending {
				return err // its end asks: AskAfter
			}
			if fresh.QueryNow(tx.Now()) {
				return tx.UpdateOperation(fresh)
			}
		}
		return nil
	})
	s.Wake()
	return fault.FromStore(err, "ask about the payment of a relay")
}

// AskAfter makes the end of a payment's own capture, void or raise ask the processor. It does so if a relay has acted on the transaction meanwhile, or if relays
// have captured what the payment does not show. askOwn has left the question to that end. A relay that acts before the commit makes the commit fail, so that the
// end is decided again. known is the attempt before the end, with what Know has added.
func AskAfter(c *change.Change, known *payment.Attempt, now time.Time) {
	op := c.Settled
	if known.RelayWrites != nil {
		c.Relays = &change.Relays{TransactionID: known.TransactionID, Writes: *known.RelayWrites}
	}
	if !op.Charges() && (c.Attempt.Missing() > 0 || c.Attempt.RelayedAt.After(op.StartedAt.Add(-ownBefore))) {
		op.QueryNow(now)
	}
}

// Unshown reports whether a payment does not show what relays have captured of it, although the processor has been asked.
func Unshown(a *payment.Attempt) bool {
	return a.Missing() > 0 && !a.RelayMayTake() && a.Unsettled() == 0
}
