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

const (
	RefundInstant   = "instant"   // sent at once
	RefundScheduled = "scheduled" // sent by background work

	// RefundScheduleDelay is the time from the creation of a scheduled refund to the earliest time at which background work sends it.
	RefundScheduleDelay = 10 * time.Second
	// MaxRefunds is the number of refunds of one payment, after which no further refund is accepted. Failed refunds count.
	MaxRefunds = 11
	// MaxRefundAge is the age of a payment from which it can no longer be refunded.
	MaxRefundAge = 365 * 24 * time.Hour
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
	Type     string          `json:"type,omitempty"` // instant, scheduled
	Reason   string          `json:"reason,omitempty"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
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

// RefundBooking is the result of a verdict on a refund: rows to be written in one transaction.
type RefundBooking struct {
	Payment   *Payment // nil if the payment's amounts do not change
	Refund    *Refund
	Operation *Operation
	Alarms    []string
}

// BookRefund applies a verdict on the refund's operation to copies of the rows. It is pure.
func BookRefund(p *Payment, r *Refund, op *Operation, v Verdict, now time.Time) RefundBooking {
	o := *op
	b := RefundBooking{Refund: r.Clone(), Operation: &o}
	b.Refund.ModifiedAt = now
	if v.Alarm != "" {
		b.Alarms = append(b.Alarms, v.Alarm)
	}
	if v.Status == OperationUnknown {
		o.leaveUnknown(v, now)
		if v.Outcome != nil {
			SetText(&b.Refund.ProcessorID, v.Outcome.RefundID)
		}
		return b
	}
	b.apply(p, v, now)
	o.end(v, now)
	o.recheck(v, nil)
	return b
}

// BookRefundEvidence applies evidence about a refund without an open operation to copies of the rows. It is pure.
func BookRefundEvidence(p *Payment, r *Refund, v Verdict, now time.Time) RefundBooking {
	b := RefundBooking{Refund: r.Clone()}
	b.Refund.ModifiedAt = now
	if v.Alarm != "" {
		b.Alarms = append(b.Alarms, v.Alarm)
	}
	b.apply(p, v, now)
	return b
}

func (b *RefundBooking) apply(p *Payment, v Verdict, now time.Time) {
	r, o := b.Refund, v.Outcome
	if o == nil { // rejected, failed or not acted: nothing happened
		r.fail(nil, "not_processed", v.Text)
		b.Payment = MoveRefund(p, r, RefundFailed, now)
		return
	}
	SetText(&r.ProcessorID, o.RefundID)
	switch {
	case v.mismatch || r.differs(o):
		if v.Alarm == "" {
			b.Alarms = append(b.Alarms, "amount_mismatch")
		}
		r.fail(nil, "amount_mismatch", "the processor reports an amount or currency that differs from the requested one")
		b.Payment = MoveRefund(p, r, RefundReview, now)
	case o.Status == sdk.StatusRefunded:
		r.Details.Error = nil
		b.Payment = MoveRefund(p, r, RefundSucceeded, now)
	case o.Status == sdk.StatusDeclined:
		r.fail(o, "declined", "declined")
		b.Payment = MoveRefund(p, r, RefundFailed, now)
	case o.Status == sdk.StatusReview:
		b.Payment = MoveRefund(p, r, RefundReview, now)
	}
}

// differs reports whether the processor gave back another amount than the refund's.
func (r *Refund) differs(o *sdk.Outcome) bool {
	m := o.Amount
	return o.Status == sdk.StatusRefunded && m != nil && (m.Minor != r.Amount || m.Currency != "" && m.Currency != r.Currency)
}

func (r *Refund) fail(o *sdk.Outcome, code, text string) {
	e := &AttemptError{Operation: sdk.OpRefund, Code: code, Message: text}
	if o != nil && o.Decline != nil {
		d := o.Decline
		e.Code, e.Message, e.Reason, e.NetworkCode, e.AdviceCode = d.Code, d.Message, d.Reason, d.NetworkCode, d.AdviceCode
	}
	r.Details.Error = e
}

// MoveRefund gives the refund a status and returns the payment with its amounts, nil if they stay as they are. No other function changes the
// status of a refund.
func MoveRefund(p *Payment, r *Refund, to RefundStatus, now time.Time) *Payment {
	from := r.Status
	r.Status, r.ModifiedAt = to, now
	reserved, done := change(from != RefundFailed, to != RefundFailed), change(from == RefundSucceeded, to == RefundSucceeded)
	if reserved == 0 && done == 0 {
		return nil
	}
	n := p.Clone()
	n.Refunded += reserved * r.Amount
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

// InterpretRefund derives the refund's verdict from a query's report or a processor's message. final is true if a report that nothing happened
// can be believed.
func InterpretRefund(op *Operation, r *Refund, o *sdk.Outcome, final bool) Verdict {
	switch o.Status {
	case sdk.StatusRefunded:
		v := Verdict{Status: OperationSucceeded, Outcome: o}
		if r.differs(o) {
			v.mismatch, v.Alarm, v.Text = true, "amount_mismatch", "the processor reports an amount or currency that differs from the requested one"
		}
		return v
	case sdk.StatusDeclined:
		return Verdict{Status: OperationDeclined, Outcome: o}
	case sdk.StatusPending, sdk.StatusReview:
		return Verdict{Status: OperationPending, Outcome: o}
	case sdk.StatusNotFound:
		switch {
		case op.Status == OperationPending: // the processor has accepted it
			return Verdict{Status: OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending}}
		case final:
			return Verdict{Status: OperationNotActed, Text: "the processor does not know this refund"}
		}
		return Verdict{Status: OperationUnknown, Text: "the processor does not know the refund; the answer comes too early to be final"}
	}
	return Verdict{Status: OperationUnknown, Text: "the processor's report on the refund has the status " + string(o.Status) + ", which proves nothing"}
}

// TellsRefundNews reports whether a verdict says more than the refund shows.
func TellsRefundNews(r *Refund, v Verdict) bool {
	switch {
	case v.Status == OperationUnknown:
		return false
	case v.Status != OperationPending:
		return true
	}
	return v.Outcome.Status == sdk.StatusReview && r.Status == RefundPending || r.ProcessorID == "" && v.Outcome.RefundID != ""
}

// AlreadyShows reports whether the refund's status already includes what a report says.
func (r *Refund) AlreadyShows(o *sdk.Outcome) bool {
	switch o.Status {
	case sdk.StatusRefunded:
		return r.Status == RefundSucceeded && !r.differs(o) || r.Status == RefundReview && r.differs(o)
	case sdk.StatusDeclined:
		return r.Status == RefundFailed
	}
	return true // a report that the refund is under way brings no news once its operation has ended
}

// OfRefund reports whether the operation performs a refund. Such an operation does not occupy the payment's slot.
func (o *Operation) OfRefund() bool { return o.Kind == sdk.OpRefund }

// RefundCount is the number of a merchant's refunds with one connector, currency and status.
type RefundCount struct {
	Connector string
	Currency  sdk.Currency
	Status    RefundStatus
	N         int64
}
