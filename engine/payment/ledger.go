package payment

import (
	"slices"
	"time"
)

// Move applies one trigger to a payment's latest attempt and recomputes the amounts that merchants see. No other function but
// SetByHand changes a status.
func Move(p *Payment, a *Attempt, by Trigger, at time.Time) error {
	to, err := next(a.Status, by)
	if err != nil {
		return err
	}
	a.Status = to
	a.ModifiedAt, p.ModifiedAt = at, at
	if to != AuthenticationPending && to != DeviceDataPending && to != VoidInitiated { // a void that does not happen lets the customer go on
		a.Details.NextAction = nil
	}
	DeriveTotals(p, a)
	switch p.Status {
	case RequiresPaymentMethod, RequiresConfirmation, RequiresCustomerAction:
		a.Details.EndedAt = time.Time{}
	case Processing: // either before the payer's part is over or, with a capture, after it
	default:
		if a.Details.EndedAt.IsZero() {
			a.Details.EndedAt = at
		}
	}
	return nil
}

// SetByHand gives an attempt the status that an operator says: "" for the one it has, and the payment's capturable amount, nil for the present one.
// If the attempt is the payment's latest, the payment follows. Nothing else changes: a status by hand makes no money refundable.
func SetByHand(p *Payment, a *Attempt, to AttemptStatus, capturable *int64, at time.Time) {
	a.ModifiedAt, p.ModifiedAt = at, at
	if to != "" {
		a.Status = to
	}
	if a.ID == p.AttemptID {
		p.Status = a.Status.Payment()
	}
	if capturable != nil {
		p.Capturable = *capturable
	}
}

// DeriveTotals derives the payment's status and amounts from its latest attempt.
func DeriveTotals(p *Payment, a *Attempt) {
	p.Status = a.Status.Payment()
	p.Received = a.Captured
	switch a.Status {
	case Authorized, PartiallyAuthorized:
		p.Capturable = a.Authorized - a.Captured
	case PartialChargedAndChargeable, CaptureInitiated, VoidInitiated:
		p.Capturable = a.Authorized - a.Captured
		if p.Details.CaptureMethod == CaptureManualMultiple { // what is being captured cannot be captured again
			p.Capturable -= a.Unsettled()
			p.Received += a.CapturesPending()
		}
	case CaptureReview:
		p.Capturable = 0
	case VoidedPostCharge:
		p.Capturable, p.Received = 0, 0
	default:
		if p.Capturable = p.NetAmount; a.Status == Pending && a.Authorized > 0 { // an extension that the processor decides later
			p.Capturable = a.Authorized - a.Captured
		}
		if a.Status.Terminal() {
			p.Capturable = 0
		}
	}
}

// Clone returns a copy, so that a computation can be thrown away without a trace.
func (a *Attempt) Clone() *Attempt {
	c := *a
	c.Details.Captures, c.Details.Increments = slices.Clone(a.Details.Captures), slices.Clone(a.Details.Increments)
	return &c
}

func (p *Payment) Clone() *Payment {
	c := *p
	return &c
}
