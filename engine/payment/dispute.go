package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// Claim is what a dispute claims of its payment. It is a part of the payment's row, so that refunds and disputes that come at once are decided by
// one compare-and-set. The json names are storage format.
type Claim struct {
	ID        string            `json:"id"` // the processor's
	AttemptID string            `json:"attempt_id"`
	Status    sdk.DisputeStatus `json:"status"`
	Stage     sdk.DisputeStage  `json:"stage,omitempty"` // "" is the stage dispute
	Amount    int64             `json:"amount"`
	At        time.Time         `json:"at,omitzero"` // time of the message at the processor, zero if it names none
	// Accepting says that the merchant has accepted the dispute, and that the processor's answer is not known yet.
	Accepting bool `json:"accepting,omitempty"`
}

func (c *Claim) StageReached() sdk.DisputeStage {
	if c.Stage == "" {
		return sdk.StageDispute
	}
	return c.Stage
}

// holds reports whether the amount is claimed back, or with the customer. An open question of the issuer claims nothing, unless the merchant has accepted it: a
// refund may answer it.
func (c *Claim) holds() bool {
	switch c.Status {
	case sdk.DisputeWon, sdk.DisputeCancelled:
		return false
	case sdk.DisputeLost, sdk.DisputeAccepted:
		return true
	}
	return c.Accepting || c.StageReached() != sdk.StagePreDispute
}

// Accepting notes in a copy of the payment whether a dispute is being accepted.
func (p *Payment) Accepting(attemptID, disputeID string, is bool) *Payment {
	n := p.Clone()
	n.Details.Disputes = slices.Clone(p.Details.Disputes)
	for i := range n.Details.Disputes {
		if d := &n.Details.Disputes[i]; d.AttemptID == attemptID && d.ID == disputeID {
			d.Accepting = is
		}
	}
	return n
}

// Disputed returns the amount that is claimed back or lost. It cannot be refunded.
func (p *Payment) Disputed() (sum int64) {
	for _, d := range p.Details.Disputes {
		if d.holds() {
			sum += d.Amount
		}
	}
	return sum
}

// GivenUp returns the amount of the disputes that were accepted, or are being accepted, without that of the dispute that the arguments name.
func (p *Payment) GivenUp(attemptID, disputeID string) (sum int64) {
	for _, d := range p.Details.Disputes {
		if (d.Accepting || d.Status == sdk.DisputeAccepted) && (d.AttemptID != attemptID || d.ID != disputeID) {
			sum += d.Amount
		}
	}
	return sum
}

// LostDisputes returns the amount of the disputes that are lost.
func (p *Payment) LostDisputes() (sum int64) {
	for _, d := range p.Details.Disputes {
		if d.Status == sdk.DisputeLost {
			sum += d.Amount
		}
	}
	return sum
}
