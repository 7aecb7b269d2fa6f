package payment

import "time"

// CapturedVoid is the latest void of a captured payment that had not settled. The json names are storage format.
type CapturedVoid struct {
	// OperationID is the operation that voids, "" if the processor has voided the payment without a request of payswitch.
	OperationID string     `json:"operation_id,omitempty"`
	Status      VoidStatus `json:"status"`
	Reason      string     `json:"reason,omitempty"`    // the merchant's
	Reference   string     `json:"reference,omitempty"` // the processor's id of the void
	Text        string     `json:"text,omitempty"`      // why it failed
	At          time.Time  `json:"at"`                  // of the latest change
}

// VoidStatus is the state of a void of a captured payment. Its constants are the API's values.
type VoidStatus string

const (
	VoidPending   VoidStatus = "pending" // sent, accepted, or of an unknown result
	VoidSucceeded VoidStatus = "succeeded"
	VoidFailed    VoidStatus = "failed" // the money stays captured
)

// VoidsCaptured reports whether the operation is the attempt's latest void of a captured payment.
func (a *Attempt) VoidsCaptured(op *Operation) bool {
	v := a.Details.CapturedVoid
	return v != nil && op.ID != "" && v.OperationID == op.ID
}

// BeginVoid records that the operation opID is about to void the captured payment.
func (a *Attempt) BeginVoid(opID, reason string, now time.Time) {
	a.Details.CapturedVoid = &CapturedVoid{OperationID: opID, Status: VoidPending, Reason: reason, At: now}
}

// BeingVoided reports whether the captured payment may be voided by an operation without an end.
func (a *Attempt) BeingVoided() bool {
	v := a.Details.CapturedVoid
	return v != nil && v.Status == VoidPending
}
