package payment

import (
	"encoding/json"
	"time"

	"payswitch/engine/fault"
	"payswitch/sdk"
)

// RefundStatus is the status of a refund that merchants see. The constants are the wire values.
type RefundStatus string

const (
	RefundPending   RefundStatus = "pending"   // scheduled, sent, or of an unknown result
	RefundSucceeded RefundStatus = "succeeded" // the processor has given the money back
	RefundFailed    RefundStatus = "failed"    // no money was given back
	RefundReview    RefundStatus = "review"    // a person has to look: another amount, or the processor waits for somebody
)

// Final reports whether only new evidence or an operator can change the status.
func (s RefundStatus) Final() bool { return s == RefundSucceeded || s == RefundFailed }

// Event returns the event type for merchants, "" for a status without an event.
func (s RefundStatus) Event() string {
	switch s {
	case RefundSucceeded:
		return "refund_succeeded"
	case RefundFailed:
		return "refund_failed"
	}
	return ""
}

// RefundType says when a refund is sent. The constants are the wire values; "" means RefundInstant.
type RefundType string

const (
	RefundInstant   RefundType = "instant"   // sent at once
	RefundScheduled RefundType = "scheduled" // sent by background work
)

// Refund gives all or a part of a captured payment back. MerchantID and ID are the key. Amounts are minor units of Currency.
type Refund struct {
	MerchantID string
	ID         string
	PaymentID  string
	AttemptID  string
	ProfileID  string
	AccountID  string
	Connector  string
	Status     RefundStatus
	Currency   sdk.Currency
	Amount     int64
	// ProcessorID is the processor's id of the refund, "" until the processor has named it.
	ProcessorID string
	// Reference is our reference at the processor.
	Reference string
	// OperationID is the operation that performs the refund.
	OperationID string
	CreatedAt   time.Time
	ModifiedAt  time.Time
	// Version counts changes; every update is a compare-and-set on it.
	Version int64

	Details RefundDetails
}

// RefundDetails are the fields of a refund that are not searched for. The json names are storage format.
type RefundDetails struct {
	Type     RefundType      `json:"type,omitempty"` // instant, scheduled
	Reason   string          `json:"reason,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Reported is the amount that the processor says it gave back, if that is more than the refund's. It counts while the refund is in review.
	Reported int64 `json:"reported,omitempty"`
	// Error says why the refund failed or needs a look.
	Error *AttemptError `json:"error,omitempty"`
}

// Clone returns a copy, so that a computation can be thrown away without a trace.
func (r *Refund) Clone() *Refund {
	c := *r
	return &c
}

// Refundable returns how much of the payment can still be refunded: the captured amount without all refunds that have not failed, and without what
// is disputed. It is below zero if more than the captured amount has gone back.
func (p *Payment) Refundable() int64 {
	if fault.Planted("refund more") {
		return p.Received
	}
	return p.Received - p.Refunded - p.Disputed()
}

// Reserved returns the amount that no other refund of the payment may give back.
func (r *Refund) Reserved() int64 {
	switch r.Status {
	case RefundFailed:
		return 0
	case RefundReview:
		return max(r.Amount, r.Details.Reported)
	}
	return r.Amount
}

// MoveRefund gives the refund a status and returns the payment with its amounts, nil if they stay as they are. No other function but Refund.Review changes
// the status of a refund.
func MoveRefund(p *Payment, r *Refund, to RefundStatus, now time.Time) *Payment {
	return moveRefund(p, r, to, r.Details.Reported, now)
}

// Review moves the refund to the status review. reported is the amount that the processor says it gave back, 0 if the amount is not the reason.
func (r *Refund) Review(p *Payment, reported int64, now time.Time) *Payment {
	return moveRefund(p, r, RefundReview, min(reported, max(MaxAmount, p.Received)), now)
}

func moveRefund(p *Payment, r *Refund, to RefundStatus, reported int64, now time.Time) *Payment {
	from, before := r.Status, r.Reserved()
	r.Status, r.ModifiedAt, r.Details.Reported = to, now, reported
	reserved, done := r.Reserved()-before, change(from == RefundSucceeded, to == RefundSucceeded)
	if reserved == 0 && done == 0 {
		return nil
	}
	n := p.Clone()
	n.Refunded += reserved
	n.Details.RefundedTotal += done * r.Amount
	n.ModifiedAt = now
	return n
}

// change returns 1 if a fact becomes true, -1 if it becomes false, 0 if it stays.
func change(was, is bool) int64 {
	switch {
	case is && !was:
		return 1
	case was && !is:
		return -1
	}
	return 0
}

// OfRefund reports whether the operation performs a refund. Such an operation does not occupy the payment's slot.
func (o *Operation) OfRefund() bool { return o.Kind.Refunds() }
