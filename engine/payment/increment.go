package payment

import (
	"slices"
	"time"

	"payswitch/engine/optional"
	"payswitch/sdk"
)

// IncrementRecord is one try to raise the held amount of an attempt. The json names are storage format.
type IncrementRecord struct {
	ID          string          `json:"id"` // auth_{20}_{number}
	OperationID string          `json:"operation_id"`
	Amount      int64           `json:"amount"`   // the new total that the merchant asked for
	Previous    int64           `json:"previous"` // the total before
	Status      IncrementStatus `json:"status"`
	ErrorCode   string          `json:"error_code,omitempty"`
	ErrorText   string          `json:"error_text,omitempty"`
	At          time.Time       `json:"at"`
}

// IncrementStatus is the state of one try to raise the held amount. Its constants are the API's values.
type IncrementStatus string

const (
	IncrementProcessing IncrementStatus = "processing" // the result is not known yet
	IncrementSuccess    IncrementStatus = "success"
	IncrementFailure    IncrementStatus = "failure"
	IncrementUnresolved IncrementStatus = "unresolved" // the payment has moved on before the result was known, or a person must look
)

// Shown returns the status that merchants see: an attempt that has ended leaves nothing to wait for.
func (r IncrementRecord) Shown(a *Attempt) IncrementStatus {
	if r.Status == IncrementProcessing && a.Status.Terminal() {
		return IncrementUnresolved
	}
	return r.Status
}

// holds are the statuses of an attempt whose funds the processor holds, at least in part.
var holds = []AttemptStatus{Authorized, PartiallyAuthorized, PartialChargedAndChargeable, CaptureInitiated, VoidInitiated}

// Holds reports whether the processor holds funds of the attempt that are not captured.
func (a *Attempt) Holds() bool { return slices.Contains(holds, a.Status) && a.Authorized > a.Captured }

// AddIncrement records that the operation opID is about to raise the held amount to a new total. id is the record's id.
func (a *Attempt) AddIncrement(id, opID string, amount int64, now time.Time) {
	a.Details.Increments = append(a.Details.Increments, IncrementRecord{ID: id, OperationID: opID, Amount: amount, Previous: a.Authorized,
		Status: IncrementProcessing, At: now})
}

// Raising returns the try to raise the held amount whose result is not known yet, or nil.
func (a *Attempt) Raising() *IncrementRecord {
	return a.FindIncrement(func(r *IncrementRecord) bool { return r.Status == IncrementProcessing })
}

// FindIncrement returns the latest try that fits, or nil.
func (a *Attempt) FindIncrement(fits func(r *IncrementRecord) bool) *IncrementRecord {
	for i := range slices.Backward(a.Details.Increments) {
		if r := &a.Details.Increments[i]; fits(r) {
			return r
		}
	}
	return nil
}

// OnHold reports whether the operation changes held funds and moves none: it raises the held amount, or extends the hold. Its result may stay
// unknown while the merchant captures or cancels what is certainly held.
func (o *Operation) OnHold() bool {
	return o.Kind == sdk.OpIncrementalAuthorize || o.Kind == sdk.OpExtendAuthorization
}

// MayBeReported reports whether a processor's report on the payment can be about the operation: captures and voids of other parties are not about a raised
// hold.
func (o *Operation) MayBeReported(s sdk.OutcomeStatus) bool {
	return !o.OnHold() || s != sdk.StatusCaptured && s != sdk.StatusVoided
}

// Waits reports whether a pending operation of attempt a still has an end to wait for.
func (o *Operation) Waits(a *Attempt) bool {
	c := a.CaptureBy(o.ID)
	return a.Status.AwaitsEnd() || o.OnHold() && a.Holds() || c != nil && c.Open() && !a.Status.Terminal() || a.VoidsCaptured(o) && a.BeingVoided()
}

// IncrementAllowed returns whether the held amount of a payment can be raised. It returns nil before the processor has answered and if the processor does not
// say so. A payment that did not ask for it says false.
func IncrementAllowed(p *Payment, a *Attempt) *bool {
	d := &a.Details
	switch {
	case a.TransactionID == "" && d.Hold == nil, p.Status == RequiresPaymentMethod, p.Status == RequiresConfirmation, p.Status == Failed:
		return nil
	case !optional.IsTrue(p.Details.Incremental):
		no := false
		return &no
	case d.Hold == nil:
		return nil
	}
	return d.Hold.Incremental
}
