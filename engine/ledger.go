package engine

import (
	"slices"
	"time"
)

// move applies one trigger to a payment's latest attempt, and brings the amounts that merchants see in line. It is the only place
// that changes a status.
func move(p *Payment, a *Attempt, by Trigger, at time.Time) error {
	to, err := next(a.Status, by)
	if err != nil {
		return err
	}
	a.Status = to
	a.ModifiedAt, p.ModifiedAt = at, at
	if to != AuthenticationPending && to != DeviceDataPending {
		a.Details.NextAction = nil
	}
	present(p, a)
	switch p.Status {
	case RequiresPaymentMethod, RequiresConfirmation, RequiresCustomerAction:
		a.Details.EndedAt = time.Time{}
	case Processing: // before the end or, with a capture, after it
	default:
		if a.Details.EndedAt.IsZero() {
			a.Details.EndedAt = at
		}
	}
	return nil
}

// present derives what the payment shows from its latest attempt (contract: amount fields by state).
func present(p *Payment, a *Attempt) {
	p.Status = a.Status.Payment()
	p.Received = a.Captured
	switch a.Status {
	case Authorized, PartiallyAuthorized, PartialChargedAndChargeable:
		p.Capturable = a.Authorized - a.Captured
	case CaptureInitiated, VoidInitiated:
		p.Capturable = a.Authorized - a.Captured - pendingCaptures(a)
	default:
		p.Capturable = p.NetAmount
		if a.Status.Terminal() {
			p.Capturable = 0
		}
	}
}

func pendingCaptures(a *Attempt) (sum int64) {
	for _, c := range a.Details.Captures {
		if c.Status == captureStarted || c.Status == capturePending {
			sum += c.Amount
		}
	}
	return sum
}

// The states of one capture (contract: captures[]).
const (
	captureStarted = "started"
	captureCharged = "charged"
	capturePending = "pending"
	captureFailed  = "failed"
)

// captured books amount as taken by the capture operation opID (0 for none of ours: the processor's own evidence).
func (a *Attempt) captured(opID string, amount int64, processorID string) {
	a.Captured += amount
	if i := a.captureIndex(opID); i >= 0 {
		c := &a.Details.Captures[i]
		c.Status, c.Amount, c.ProcessorID = captureCharged, amount, processorID
	}
}

func (a *Attempt) captureIndex(opID string) int {
	return slices.IndexFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.OperationID == opID })
}

// captureIs says whether the capture that an operation made has the processor's id.
func (a *Attempt) captureIs(opID, processorID string) bool {
	i := a.captureIndex(opID)
	return i >= 0 && a.Details.Captures[i].ProcessorID == processorID
}

// rest is the trigger that puts an attempt back to what it was before a capture or void that did not happen.
func (a *Attempt) rest() Trigger {
	switch {
	case a.Captured > 0:
		return TriggerStillPartlyHeld
	case a.Authorized < a.Amount:
		return TriggerStillPartlyAuthorized
	}
	return TriggerStillHeld
}

// clone copies an attempt so that a computation that is thrown away leaves no trace.
func (a *Attempt) clone() *Attempt {
	c := *a
	c.Details.Captures = slices.Clone(a.Details.Captures)
	return &c
}

func (p *Payment) clone() *Payment {
	c := *p
	return &c
}
