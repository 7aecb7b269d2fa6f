package payment

import (
	"slices"
	"time"

	"payswitch/sdk"
)

// Dispute is a dispute of a payment, as the processor's latest message has it. The json names are storage format.
type Dispute struct {
	ID        string            `json:"id"` // the processor's
	AttemptID string            `json:"attempt_id"`
	Status    sdk.DisputeStatus `json:"status"`
	Amount    int64             `json:"amount"`
	At        time.Time         `json:"at,omitzero"` // time of the message at the processor, zero if it names none
}

// maxDisputes bounds the disputes that a payment keeps. Further ones raise the alarm and are not booked.
const maxDisputes = 50

// AlarmDispute counts disputes that a person must look at: their amount was refunded already, or payswitch cannot book them.
const AlarmDispute = "dispute_needs_look"

// AlarmUnprovenDispute counts attempts of which a message without proof says that a dispute exists.
const AlarmUnprovenDispute = "dispute_unproven"

// Disputed returns the amount that is claimed back or lost. It cannot be refunded.
func (p *Payment) Disputed() (sum int64) {
	for _, d := range p.Details.Disputes {
		if d.Status != sdk.DisputeWon {
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

// BookDispute books a verified message about a dispute of an attempt on a copy of the payment. It returns nil for a message that tells nothing
// new: messages repeat, and come in any order. alarm is the alarm to raise, "" for none. It is pure.
func BookDispute(p *Payment, attemptID string, said *sdk.Dispute, at, now time.Time) (_ *Payment, alarm string) {
	switch said.Status {
	case sdk.DisputeOpened, sdk.DisputeWon, sdk.DisputeLost:
	default:
		return nil, AlarmDispute
	}
	if said.ID == "" || said.Amount.Minor <= 0 || said.Amount.Minor > MaxAmount || said.Amount.Currency != p.Currency {
		return nil, AlarmDispute
	}
	n := p.Clone()
	list := slices.Clone(p.Details.Disputes)
	next := Dispute{ID: said.ID, AttemptID: attemptID, Status: said.Status, Amount: said.Amount.Minor, At: at}
	i := slices.IndexFunc(list, func(d Dispute) bool { return d.ID == next.ID && d.AttemptID == attemptID })
	switch {
	case i < 0 && len(list) >= maxDisputes:
		return nil, AlarmDispute
	case i < 0:
		list = append(list, next)
	case list[i].follows(&next), list[i].Status == next.Status && list[i].Amount == next.Amount && !next.At.After(list[i].At):
		return nil, ""
	default:
		list[i] = next
	}
	n.Details.Disputes, n.ModifiedAt = list, now
	if n.Disputed() > p.Disputed() && n.Refundable() < 0 { // the customer gets the money twice unless the merchant answers
		alarm = AlarmDispute
	}
	return n, alarm
}

// follows reports whether d is news after other: it is later, or it ends what other opens at an unknown or the same time.
func (d *Dispute) follows(other *Dispute) bool {
	if d.At.IsZero() || other.At.IsZero() || d.At.Equal(other.At) {
		return d.Status != sdk.DisputeOpened && other.Status == sdk.DisputeOpened
	}
	return d.At.After(other.At)
}
