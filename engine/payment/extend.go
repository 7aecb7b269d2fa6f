package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// extension books the end of a try to make the processor hold the funds for longer.
func (b *Booking) extension(o *sdk.Outcome, now time.Time) error {
	p, a := b.Payment, b.Attempt
	p.ModifiedAt, a.ModifiedAt = now, now
	switch o.Status {
	case sdk.StatusPending:
		if !a.Status.holds() {
			return nil
		}
		return Move(p, a, TriggerPending, now)
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
	case a.Status != Pending:
		return nil
	case a.Authorized < a.Amount:
		return Move(b.Payment, a, TriggerPartiallyAuthorized, now)
	}
	return Move(b.Payment, a, TriggerAuthorized, now)
}

// holds reports whether an attempt in status s waits for the merchant's capture.
func (s AttemptStatus) holds() bool { return s == Authorized || s == PartiallyAuthorized }

// readExtension derives the verdict on an extension from a sync's report on the payment.
func readExtension(op *Operation, o *sdk.Outcome, final bool, notYet Verdict) Verdict {
	switch {
	case o.Status == sdk.StatusAuthorized && o.Hold != nil && IsTrue(o.Hold.Extended):
		return Verdict{Status: OperationSucceeded, Outcome: o}
	case o.Status == sdk.StatusDeclined, o.Status == sdk.StatusAuthorized && o.Hold != nil && o.Hold.Extended != nil:
		refused := *o
		refused.Status = sdk.StatusDeclined
		return Verdict{Status: OperationDeclined, Outcome: &refused}
	case o.Status == sdk.StatusPending:
		return Verdict{Status: OperationPending, Outcome: o}
	case final && op.Status != OperationPending:
		return Verdict{Status: OperationNotActed, Text: "the hold was not extended"}
	}
	return notYet
}

// OvercaptureAllowed returns is_overcapture_enabled: whether a capture may take more than what is held. nil before the payment is authorized.
func OvercaptureAllowed(p *Payment, a *Attempt) *bool {
	switch {
	case a.Authorized == 0 || p.Details.CaptureMethod != CaptureManual:
		return nil
	case a.Details.Hold != nil && a.Details.Hold.OverCapture != nil && p.Details.Overcapture != nil:
		return a.Details.Hold.OverCapture
	}
	return p.Details.Overcapture
}

// SetAtConfirm decides the wishes about the hold that the payment leaves to its profile, and that its processor's adapter can fulfil. The profile's
// switches are nil if they are not set.
func (p *Payment) SetAtConfirm(m *sdk.Manifest, alwaysExtend, alwaysOvercapture *bool) {
	d := &p.Details
	if d.Extended == nil {
		d.Extended = alwaysExtend
	}
	if !m.Features.OverCapture || d.CaptureMethod != CaptureManual {
		d.Overcapture = nil
	} else if d.Overcapture == nil {
		d.Overcapture = alwaysOvercapture
	}
}

// approvedLess books that the processor holds less than the payment asked for. A merchant who did not allow that gets a failed payment, and the funds
// are voided.
func (b *Booking) approvedLess(amount int64, m *sdk.Manifest, now time.Time) error {
	if IsTrue(b.Payment.Details.Partial) || !slices.Contains(m.Operations, sdk.OpVoid) {
		return Move(b.Payment, b.Attempt, TriggerPartiallyAuthorized, now)
	}
	b.fail(nil, codeLess, "the processor approved less than the amount, and the payment does not allow that: set enable_partial_authorization")
	b.VoidLess = true
	b.Attempt.Authorized = amount
	return Move(b.Payment, b.Attempt, TriggerDeclined, now)
}

// codeLess is the error code of a payment that failed because the processor approved less than the amount.
const codeLess = "partially_approved"
