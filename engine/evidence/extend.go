package evidence

import (
	"slices"
	"time"

	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// extension books the end of a try to make the processor hold the funds for longer.
func (b *Booking) extension(o *sdk.Outcome, now time.Time) error {
	p, a := b.Payment, b.Attempt
	p.ModifiedAt, a.ModifiedAt = now, now
	switch o.Status {
	case sdk.StatusPending:
		if !awaitsCapture(a.Status) {
			return nil
		}
		return payment.Move(p, a, payment.TriggerPending, now)
	case sdk.StatusAuthorized:
		yes := true
		a.Details.Hold, a.Details.ExtendedAt = mergeHold(a.Details.Hold, &sdk.Hold{Extended: &yes}), now
	default:
		no := false
		a.Details.Hold = mergeHold(a.Details.Hold, &sdk.Hold{Extended: &no})
	}
	return b.backToHeld(now)
}

// backToHeld ends the wait for an extension.
func (b *Booking) backToHeld(now time.Time) error {
	a := b.Attempt
	switch {
	case a.Status != payment.Pending:
		return nil
	case a.Authorized < a.Amount:
		return payment.Move(b.Payment, a, payment.TriggerPartiallyAuthorized, now)
	}
	return payment.Move(b.Payment, a, payment.TriggerAuthorized, now)
}

// awaitsCapture reports whether an attempt in status s waits for the merchant's capture.
func awaitsCapture(s payment.AttemptStatus) bool {
	return s == payment.Authorized || s == payment.PartiallyAuthorized
}

// readExtension derives the verdict on an extension from a sync's report on the payment.
func readExtension(op *payment.Operation, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	switch {
	case o.Status == sdk.StatusAuthorized && o.Hold != nil && optional.IsTrue(o.Hold.Extended):
		return Verdict{Status: payment.OperationSucceeded, Outcome: o}
	case o.Status == sdk.StatusDeclined, o.Status == sdk.StatusAuthorized && o.Hold != nil && o.Hold.Extended != nil:
		refused := *o
		refused.Status = sdk.StatusDeclined
		return Verdict{Status: payment.OperationDeclined, Outcome: &refused}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case final && op.Status != payment.OperationPending:
		return Verdict{Status: payment.OperationNotActed, Text: "the hold was not extended"}
	}
	return notYet
}

// approvedLess books that the processor holds less than the payment asked for. A merchant who did not allow that gets a failed payment, and the funds
// are voided.
func (b *Booking) approvedLess(amount int64, m *sdk.Manifest, now time.Time) error {
	if optional.IsTrue(b.Payment.Details.Partial) || !slices.Contains(m.Operations, sdk.OpVoid) {
		return payment.Move(b.Payment, b.Attempt, payment.TriggerPartiallyAuthorized, now)
	}
	b.fail(nil, codeLess, "the processor approved less than the amount, and the payment does not allow that: set enable_partial_authorization")
	b.VoidLess = true
	b.Attempt.Authorized = amount
	return payment.Move(b.Payment, b.Attempt, payment.TriggerDeclined, now)
}

// codeLess is the error code of a payment that failed because the processor approved less than the amount.
const codeLess = "partially_approved"
