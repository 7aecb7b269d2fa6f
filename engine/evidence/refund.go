package evidence

import (
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// RefundBooking is the result of a verdict on a refund: rows to be written in one transaction.
type RefundBooking struct {
	Payment   *payment.Payment // nil if the payment's amounts do not change
	Refund    *payment.Refund
	Operation *payment.Operation
	Alarms    []alarm.Kind
	Claims    []Claim // as Booking.Claims
}

// BookRefund applies a verdict on the refund's operation to copies of the rows. It is pure.
func BookRefund(p *payment.Payment, r *payment.Refund, op *payment.Operation, v Verdict, now time.Time) RefundBooking {
	o := *op
	b := RefundBooking{Refund: r.Clone(), Operation: &o, Alarms: v.alarms()}
	b.Refund.ModifiedAt = now
	if v.Status == payment.OperationUnknown {
		leaveUnknown(&o, v, now)
		if v.Outcome != nil {
			b.claim(v.Outcome)
			optional.SetText(&b.Refund.ProcessorID, v.Outcome.RefundID)
		}
		return b
	}
	b.apply(p, v, now)
	end(&o, v, now)
	planRecheck(&o, v, nil)
	return b
}

// BookRefundEvidence applies evidence about a refund without an open operation to copies of the rows. It is pure.
func BookRefundEvidence(p *payment.Payment, r *payment.Refund, v Verdict, now time.Time) RefundBooking {
	b := RefundBooking{Refund: r.Clone(), Alarms: v.alarms()}
	b.Refund.ModifiedAt = now
	b.apply(p, v, now)
	return b
}

func (b *RefundBooking) apply(p *payment.Payment, v Verdict, now time.Time) {
	r, o := b.Refund, v.Outcome
	if o == nil { // rejected, failed or not acted: nothing happened
		failRefund(r, nil, "not_processed", v.Text)
		b.Payment = payment.MoveRefund(p, r, payment.RefundFailed, now)
		return
	}
	b.claim(o)
	optional.SetText(&r.ProcessorID, o.RefundID)
	switch {
	case v.mismatch || differs(r, o):
		if v.Alarm == "" {
			b.Alarms = append(b.Alarms, alarm.AmountMismatch)
		}
		failRefund(r, nil, "amount_mismatch", "the processor reports an amount or currency that differs from the requested one")
		reported := int64(0)
		if m := o.Amount; m != nil && m.Minor > r.Amount && m.Currency == r.Currency {
			reported = m.Minor
		}
		b.Payment = r.Review(p, reported, now)
	case o.Status == sdk.StatusRefunded:
		r.Details.Error = nil
		b.Payment = payment.MoveRefund(p, r, payment.RefundSucceeded, now)
	case o.Status == sdk.StatusDeclined:
		failRefund(r, o, "declined", "declined")
		b.Payment = payment.MoveRefund(p, r, payment.RefundFailed, now)
	case o.Status == sdk.StatusReview:
		b.Payment = payment.MoveRefund(p, r, payment.RefundReview, now)
	}
}

// differs reports whether the processor gave back another amount than the refund's.
func differs(r *payment.Refund, o *sdk.Outcome) bool {
	m := o.Amount
	return o.Status == sdk.StatusRefunded && m != nil && (m.Minor != r.Amount || m.Currency != "" && m.Currency != r.Currency)
}

func failRefund(r *payment.Refund, o *sdk.Outcome, code, text string) {
	e := &payment.AttemptError{Operation: sdk.OpRefund, Code: code, Message: text}
	if o != nil && o.Decline != nil {
		d := o.Decline
		e.Code, e.Message, e.Reason, e.NetworkCode, e.AdviceCode = d.Code, d.Message, d.Reason, d.NetworkCode, d.AdviceCode
	}
	r.Details.Error = e
}

// InterpretRefund derives the refund's verdict from a query's report or a processor's message. final is true if a report that nothing happened
// can be believed.
func InterpretRefund(op *payment.Operation, r *payment.Refund, o *sdk.Outcome, final bool) Verdict {
	if IsOtherRefund(r, o) {
		return Verdict{Status: payment.OperationUnknown, Alarm: alarm.ImpossibleOutcome, Text: "the processor's report is about another refund"}
	}
	switch o.Status {
	case sdk.StatusRefunded:
		v := Verdict{Status: payment.OperationSucceeded, Outcome: o}
		if differs(r, o) {
			v.mismatch, v.Alarm, v.Text = true, alarm.AmountMismatch, "the processor reports an amount or currency that differs from the requested one"
		}
		return v
	case sdk.StatusDeclined:
		return Verdict{Status: payment.OperationDeclined, Outcome: o}
	case sdk.StatusPending, sdk.StatusReview:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case sdk.StatusNotFound:
		switch {
		case op.Status == payment.OperationPending: // the processor has accepted it
			return Verdict{Status: payment.OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending}}
		case final:
			return Verdict{Status: payment.OperationNotActed, Text: "the processor does not know this refund"}
		}
		return Verdict{Status: payment.OperationUnknown, Text: "the processor does not know the refund; the answer comes too early to be final"}
	}
	return Verdict{Status: payment.OperationUnknown, Text: "the processor's report on the refund has the status " + string(o.Status) + ", which proves nothing"}
}

// GiveUpRefund returns the verdict that ends a refund that has provably not left, if the payment has nothing left to give back: since the refund was created, the
// money was disputed, or a void has taken the capture back. ends is false if the refund is to be sent.
func GiveUpRefund(p *payment.Payment, op *payment.Operation) (v Verdict, ends bool) {
	if !op.OfRefund() || !op.Unsent() || p.Refundable() >= 0 {
		return Verdict{}, false
	}
	v = notSent("nothing was sent: the customer gets the money back by a dispute or a void of the capture")
	v.givenUp = true
	return v, true
}

// IsOtherRefund reports whether a report is about another refund at the processor than the one that it has named for r.
func IsOtherRefund(r *payment.Refund, o *sdk.Outcome) bool {
	return r.ProcessorID != "" && o.RefundID != "" && o.RefundID != r.ProcessorID
}

// BringsRefundNews reports whether a verdict says more than the refund shows.
func BringsRefundNews(r *payment.Refund, v Verdict) bool {
	switch {
	case v.Status == payment.OperationUnknown:
		return false
	case v.Status != payment.OperationPending:
		return true
	}
	return v.Outcome.Status == sdk.StatusReview && r.Status == payment.RefundPending || r.ProcessorID == "" && v.Outcome.RefundID != ""
}

// RefundShows reports whether the refund's status already includes what a report says.
func RefundShows(r *payment.Refund, o *sdk.Outcome) bool {
	switch o.Status {
	case sdk.StatusRefunded:
		return r.Status == payment.RefundSucceeded && !differs(r, o) || r.Status == payment.RefundReview && differs(r, o)
	case sdk.StatusDeclined:
		return r.Status == payment.RefundFailed
	}
	return true // a report that the refund is under way brings no news once its operation has ended
}
