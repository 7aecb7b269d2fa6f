package payment

import (
	"time"
)

// What an operator can say of an operation.
const (
	SaidSucceeded = "succeeded" // the processor carried it out
	SaidDeclined  = "declined"  // the processor refused it
	SaidNotDone   = "not_done"  // the processor never acted
)

// Resolution is an operator's word on an operation whose outcome payswitch could not find out. The operation keeps it for ever. The json names
// are storage format.
type Resolution struct {
	Outcome string `json:"outcome"` // one of the Said constants
	// Amount is what was held, taken or given back, in minor units; 0 unless the outcome is SaidSucceeded, and for a void.
	Amount int64 `json:"amount,omitempty"`
	// Reference is the processor's id of the payment, capture or refund; "" if the operator named none.
	Reference string `json:"reference,omitempty"`
	By        string `json:"by"`  // name of the operator
	Why       string `json:"why"` // what the word rests on
	// Was is the status that the operation had before.
	Was OperationStatus `json:"was"`
	At  time.Time       `json:"at"`
}

// ShownBy reports whether the refund has the status that the operator's word on its operation gave it. A nil word is shown by none.
func (s *Resolution) ShownBy(r *Refund) bool {
	return s != nil && r.Status.Final() && (r.Status == RefundSucceeded) == (s.Outcome == SaidSucceeded)
}
