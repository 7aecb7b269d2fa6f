package relay

import (
	"fmt"
	"time"

	"payswitch/engine/evidence"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// unknownFor is how long a relay whose end is not known stands in the way of others.
const unknownFor = 24 * time.Hour

// MaxOfTransaction is the number of relays of one transaction, after which no further one begins. Failed ones count. The limits of what is captured and given back
// need all of them.
const MaxOfTransaction = 1000

// inWay reports whether a relay without an end stands in the way of others. Its time has really passed: a jump of the clock ends nothing.
func (s *Relays) inWay(r *Relay) bool {
	return r.Status == Pending && s.since(r, r.CreatedAt) < unknownFor
}

// begin stores a relay before it is sent, unless earlier relays of its transaction leave no room for it. Relays of one transaction begin one after another.
// own has the attempts that the transaction belongs to. inWay reports whether an earlier relay without an end counts.
func begin(tx Tx, r *Relay, own []*payment.Attempt, inWay func(*Relay) bool) error {
	if _, err := tx.ClaimID(evidence.ClaimForRelays(r.MerchantID, r.AccountID, r.ResourceID)); err != nil {
		return err
	}
	earlier, err := tx.RelaysOf(r.MerchantID, r.AccountID, r.ResourceID)
	if err != nil {
		return err
	}
	for _, k := range earlier {
		if k.ID == r.ID {
			return fault.ErrConflict
		}
	}
	if len(earlier) >= MaxOfTransaction && r.Type != UnreferencedRefund {
		return fault.Refused(fmt.Sprintf("The transaction has had %d relays, the most that payswitch keeps apart", MaxOfTransaction)).WithParam("connector_resource_id").
			WithHint("Act on the transaction at the processor.")
	}
	if err := r.within(earlier, inWay); err != nil {
		return err
	}
	if err := r.withinOwn(tx, own, earlier, inWay); err != nil {
		return err
	}
	return tx.InsertRelay(r)
}

// within holds a relay against the earlier ones of its transaction. payswitch knows nothing else of the transaction but the authorized amount that
// the caller names. A relay without a known end counts as done.
func (r *Relay) within(earlier []*Relay, inWay func(*Relay) bool) error {
	taken := int64(0)
	for _, k := range earlier {
		switch d := k.Details.Data; {
		case k.Status == Failure:
		case r.Type == Capture && d.Capture != nil && d.Capture.Currency == r.Details.Data.Capture.Currency:
			taken += d.Capture.Amount
		case r.Type == Refund && d.Refund != nil && inWay(k) && d.Refund.Amount == r.Details.Data.Refund.Amount &&
			d.Refund.Currency == r.Details.Data.Refund.Currency:
			e := fault.Refused("A refund of the same amount is pending on this transaction").WithParam("data.refund.amount").
				WithHint("Look at the processor whether the relay " + k.ID + " was done, and read it with force_sync=true. A day after it began, it stands in the way no more")
			e.Reason = k.ID
			return e
		}
	}
	if c := r.Details.Data.Capture; r.Type == Capture && taken > 0 && c.Amount > c.Authorized-taken {
		e := fault.Refused("The captures of this transaction exceed its authorized amount").WithParam("data.capture.amount_to_capture").
			WithHint(fmt.Sprintf("Earlier relays have captured, or may have captured, %d of %d", taken, c.Authorized))
		e.Reason = "amount_to_capture is greater than what is left of authorized_amount"
		return e
	}
	return nil
}

// claim claims the processor's id of what the relay made. An id that a relay shares with its transaction says nothing about what the relay made.
func (r *Relay) claim(tx Tx) (bool, error) {
	if r.ReferenceID == "" || r.ReferenceID == r.ResourceID || !r.Type.refunds() && r.Type != Capture {
		return true, nil
	}
	return tx.ClaimID(evidence.ClaimOfRelay(r.MerchantID, r.AccountID, r.ID, r.Type.refunds(), r.ReferenceID))
}
