package request

import (
	"payswitch/engine/payment"

	"payswitch/engine/optional"
)

// AttemptDecision is an operator's word on an attempt. A zero value changes nothing.
type AttemptDecision struct {
	AttemptID     string // "" is the latest
	Status        payment.AttemptStatus
	ErrorCode     string
	ErrorMessage  string
	ErrorReason   string
	TransactionID string // the processor's id of the payment
	Capturable    *int64 // minor units
	// OnlyReview refuses the decision unless the payment waits for one.
	OnlyReview bool
}

// Empty reports whether the word changes nothing.
func (d *AttemptDecision) Empty() bool {
	return d.Status == "" && d.ErrorCode == "" && d.ErrorMessage == "" && d.ErrorReason == "" && d.TransactionID == "" && d.Capturable == nil
}

// Write writes the error and the processor's id into the attempt. It reports whether the decision states an error.
func (d *AttemptDecision) Write(a *payment.Attempt) bool {
	optional.SetText(&a.TransactionID, d.TransactionID)
	if d.ErrorCode == "" && d.ErrorMessage == "" && d.ErrorReason == "" {
		return false
	}
	said := payment.AttemptError{}
	if a.Details.Error != nil {
		said = *a.Details.Error
	}
	optional.SetText(&said.Code, d.ErrorCode)
	optional.SetText(&said.Message, d.ErrorMessage)
	optional.SetText(&said.Said, d.ErrorReason)
	a.Details.Error = &said
	return true
}
