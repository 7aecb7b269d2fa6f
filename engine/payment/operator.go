package payment

import (
	"strings"
	"time"

	"payswitch/sdk"
)

// Finding is what an operator has found out about an operation at its processor.
type Finding string

const (
	FoundSucceeded Finding = "succeeded" // the processor carried it out
	FoundDeclined  Finding = "declined"  // the processor refused it
	FoundNotDone   Finding = "not_done"  // the processor never acted
)

// Resolution is an operator's word on an operation whose outcome payswitch could not find out. The operation keeps it for ever. The json names
// are storage format.
type Resolution struct {
	Outcome Finding `json:"outcome"`
	// Amount is what was held, taken or given back, in minor units; 0 unless the outcome is FoundSucceeded, and for a void.
	Amount int64 `json:"amount,omitempty"`
	// Reference is the processor's id of the payment, capture or refund; "" if the operator named none.
	Reference string `json:"reference,omitempty"`
	By        string `json:"by"`  // name of the operator
	Why       string `json:"why"` // what the word rests on
	// Was is the status that the operation had before.
	Was OperationStatus `json:"was"`
	At  time.Time       `json:"at"`
	// Second is the name of the other person who confirmed the word; "" where none was needed.
	Second string `json:"second,omitempty"`
}

// Proposal is an operator's word on an operation that waits for another person. It changes nothing until that person confirms it.
type Proposal struct {
	ID          string // prop_…
	OperationID string
	MerchantID  string
	Details     ProposalDetails
	ProposedAt  time.Time
}

// ProposalDetails is stored in clear. The signature of the row covers it.
type ProposalDetails struct {
	Outcome   Finding `json:"outcome"`
	Amount    *int64  `json:"amount,omitempty"` // minor units; nil: what the operation asked for
	Reference string  `json:"reference,omitempty"`
	By        string  `json:"by"`
	Person    string  `json:"person,omitempty"` // id of the dashboard's user; "" for a word over the API or on the host
	Why       string  `json:"why"`
}

// SamePerson reports whether a second word comes from the proposer: the user id or the name is the same. Case and spaces of a name do not count.
// person is the id of a dashboard user, and empty for callers of the API and the command line.
func (p *Proposal) SamePerson(name, person string) bool {
	return person != "" && person == p.Details.Person || strings.EqualFold(strings.Join(strings.Fields(name), " "), strings.Join(strings.Fields(p.Details.By), " "))
}

// AtStake returns the greatest sum that a decision about the operation can be about, in minor units of the payment's currency.
func (o *Operation) AtStake(p *Payment) int64 {
	if o.Kind == sdk.OpCapture || o.OfRefund() {
		return o.Amount
	}
	return max(o.Amount, p.NetAmount)
}

// ShownBy reports whether the refund has the status that the operator's word on its operation gave it. It is false for a nil word.
func (s *Resolution) ShownBy(r *Refund) bool {
	return s != nil && r.Status.Final() && (r.Status == RefundSucceeded) == (s.Outcome == FoundSucceeded)
}
