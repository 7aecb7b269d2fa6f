package relay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
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
		a.Relayed, a.RelayedAt = captures(list, p.Currency, s.inWay), lastAct(list, s.inWay, s.Now())
		a.RelayWrites = &n
		return err
	})
	return fault.FromStore(err, "read the relays of a payment")
}

// captures returns the captures of relays that a payment does not make itself. A relay without an end counts as open for a day. An operator's word is no proof of
// a captured amount.
func captures(list []*Relay, currency sdk.Currency, inWay func(*Relay) bool) (out []payment.CaptureRecord) {
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
		case inWay(r):
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
func lastAct(list []*Relay, inWay func(*Relay) bool, now time.Time) (at time.Time) {
	for _, r := range list {
		switch {
		case r.Type.refunds():
		case r.Status == Success && r.ModifiedAt.After(at):
			at = r.ModifiedAt
		case inWay(r) && now.After(at):
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

// GivenBack returns what relays have given back of a payment's transaction, or may give back. The sum follows from the state of the relays.
func (s *Relays) GivenBack(ctx context.Context, p *payment.Payment, a *payment.Attempt) (sum int64, state *change.Relays, err error) {
	if a.TransactionID == "" {
		return 0, nil, nil
	}
	state = &change.Relays{AccountID: a.AccountID, TransactionID: a.TransactionID}
	err = s.Store.View(ctx, func(r Reader) (err error) {
		if state.Writes, err = r.RelayWrites(a.MerchantID, a.AccountID, a.TransactionID); err != nil || state.Writes == 0 {
			return err
		}
		list, err := r.RelaysOf(a.MerchantID, a.AccountID, a.TransactionID)
		sum = refunds(list, p.Currency, s.inWay)
		return err
	})
	return sum, state, fault.FromStore(err, "read the relays of a payment")
}

// refunds sums up what relays have given back, or may give back. A relay without an end counts for a day.
func refunds(list []*Relay, currency sdk.Currency, inWay func(*Relay) bool) (sum int64) {
	for _, r := range list {
		d := r.Details.Data.Refund
		if d != nil && d.Currency == currency && (r.Status == Success || inWay(r)) {
			sum += d.Amount
		}
	}
	return sum
}

// withinOwn refuses a refund of an own payment beyond what is left of its money: the payment's refunds, the earlier relays and the disputes count. own has the
// attempts of the relay's transaction. The transaction locks the payment, so that a refund that commits meanwhile counts or sees this relay. A payment that
// allows no refund of its own sets no bound: a relay may give back money that the payment does not show.
func (r *Relay) withinOwn(tx Tx, own []*payment.Attempt, earlier []*Relay, inWay func(*Relay) bool) error {
	d := r.Details.Data.Refund
	if d == nil || len(own) == 0 {
		return nil
	}
	p, err := tx.Payment(r.MerchantID, own[0].PaymentID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(own, func(a *payment.Attempt) bool { return a.ID == p.AttemptID })
	ambiguous := slices.ContainsFunc(own, func(a *payment.Attempt) bool { return a.PaymentID != p.ID }) // the processor is a mock
	if i < 0 || ambiguous || !p.Status.Facts().Refund || d.Currency != p.Currency {
		return nil
	}
	a := own[i].Clone()
	a.Relayed = captures(earlier, p.Currency, inWay)
	if left := p.Refundable() + a.Missing() - refunds(earlier, p.Currency, inWay); d.Amount > left {
		hint := "Nothing of the payment is left to refund."
		if left > 0 {
			hint = "Send at most " + strconv.FormatInt(left, 10) + "."
		}
		return invalid("refund.amount", fmt.Sprintf("%d of the payment %s of this transaction can still be given back (minor units)", max(0, left), p.ID), hint)
	}
	return nil
}

// own returns the attempt whose transaction the relay is about, nil if the transaction is not a payment of the switch.
func (s *Relays) own(ctx context.Context, r *Relay) (*payment.Attempt, error) {
	found, err := s.attempts(ctx, r)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// attempts returns the attempts that the relay's transaction belongs to, the newest first.
func (s *Relays) attempts(ctx context.Context, r *Relay) (found []*payment.Attempt, err error) {
	err = s.Store.View(ctx, func(tx Reader) (err error) {
		found, err = tx.AttemptsAt(r.MerchantID, r.AccountID, r.ResourceID, "")
		return err
	})
	return found, fault.FromStore(err, "find the payment of a relay")
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
		c.Relays = &change.Relays{AccountID: known.AccountID, TransactionID: known.TransactionID, Writes: *known.RelayWrites}
	}
	if !op.Charges() && (c.Attempt.Missing() > 0 || c.Attempt.RelayedAt.After(op.StartedAt.Add(-ownBefore))) {
		op.QueryNow(now)
	}
}

// Unshown reports whether a payment does not show what relays have captured of it, although the processor has been asked.
func Unshown(a *payment.Attempt) bool {
	return a.Missing() > 0 && !a.RelayMayTake() && a.Unsettled() == 0
}
