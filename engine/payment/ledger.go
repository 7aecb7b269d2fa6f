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
	case Processing: // before the payer's part is over or, with a capture, after it
	default:
		if a.Details.EndedAt.IsZero() {
			a.Details.EndedAt = at
		}
	}
	return nil
}

// SetByHand gives an attempt the status that an operator says, "" for the one it has, and the payment's capturable amount, nil for the present one.
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
	case Authorized, PartiallyAuthorized, PartialChargedAndChargeable:
		p.Capturable = a.Authorized - a.Captured
	case CaptureInitiated, VoidInitiated:
		p.Capturable = a.Authorized - a.Captured
		if p.Details.CaptureMethod == CaptureManualMultiple { // what is being captured cannot be captured again
			p.Capturable -= pendingCaptures(a)
		}
	case CaptureReview:
		p.Capturable = 0
	default:
		p.Capturable = p.NetAmount
		if a.Status.Terminal() {
			p.Capturable = 0
		}
	}
}

func pendingCaptures(a *Attempt) (sum int64) {
	for _, c := range a.Details.Captures {
		if c.Status == CaptureStarted || c.Status == CapturePending {
			sum += c.Amount
		}
	}
	return sum
}

// Statuses of one capture, as captures[] shows them.
const (
	CaptureStarted CaptureStatus = "started" // the engine has asked for the capture, the answer is missing
	CaptureCharged CaptureStatus = "charged"
	CapturePending CaptureStatus = "pending" // the processor has accepted the capture, and has not made it yet
	CaptureFailed  CaptureStatus = "failed"
)

// AddCapture records that the operation opID is about to capture amount.
func (a *Attempt) AddCapture(opID string, amount int64, now time.Time) {
	n := len(a.Details.Captures) + 1
	a.Details.Captures = append(a.Details.Captures, CaptureRecord{ID: AttemptID(a.ID, n), Sequence: n, OperationID: opID, Amount: amount, Status: CaptureStarted, At: now})
}

// captured books amount as taken by the capture operation opID. opID is "" if the evidence comes from the processor and not from one of our
// operations.
func (a *Attempt) captured(opID string, amount int64, processorID string) {
	a.Captured += amount
	if i := a.captureIndex(opID); i >= 0 {
		c := &a.Details.Captures[i]
		c.Status, c.Amount, c.ProcessorID = CaptureCharged, amount, processorID
	}
}

func (a *Attempt) captureIndex(opID string) int {
	return slices.IndexFunc(a.Details.Captures, func(c CaptureRecord) bool { return c.OperationID == opID })
}

// captureIs reports whether the capture of operation opID has the processor's id processorID.
func (a *Attempt) captureIs(opID, processorID string) bool {
	i := a.captureIndex(opID)
	return i >= 0 && a.Details.Captures[i].ProcessorID == processorID
}

// rest returns the trigger that restores the attempt's status after a capture or void that did not happen.
func (a *Attempt) rest() Trigger {
	switch {
	case a.Authorized == 0:
		return TriggerStillAwaiting
	case a.Captured > 0:
		return TriggerStillPartlyHeld
	case a.Authorized < a.Amount:
		return TriggerStillPartlyAuthorized
	}
	return TriggerStillHeld
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
