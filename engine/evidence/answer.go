package evidence

import (
	"slices"
	"time"

	"payswitch/engine/alarm"
	"payswitch/engine/disputed"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The statuses of a dispute that show an answer, and those after which no answer counts any more.
var (
	showsAnswer = map[sdk.Operation][]sdk.DisputeStatus{
		sdk.OpAcceptDispute:  {sdk.DisputeAccepted, sdk.DisputeLost, sdk.DisputeExpired, sdk.DisputeCancelled},
		sdk.OpSubmitEvidence: {sdk.DisputeChallenged, sdk.DisputeWon},
	}
	disputeEnds = []sdk.DisputeStatus{sdk.DisputeWon, sdk.DisputeLost, sdk.DisputeAccepted, sdk.DisputeExpired, sdk.DisputeCancelled}
)

// JudgeAnswer holds the processor's direct answer against the dispute. Another verdict than a success stays as it is.
func JudgeAnswer(op *payment.Operation, d *disputed.Record, v Verdict) Verdict {
	if v.Status != payment.OperationSucceeded {
		return v
	}
	said := v.Outcome.Dispute
	if said == nil || said.ID != "" && said.ID != d.ProcessorID || !slices.Contains(showsAnswer[op.Kind], said.Status) {
		return Verdict{Status: payment.OperationUnknown, Outcome: v.Outcome, Alarm: alarm.ImpossibleOutcome,
			Text: "the adapter's answer is about another dispute, or names a status that " + string(op.Kind) + " cannot have"}
	}
	return v
}

// InterpretAnswer derives the verdict on an answer to a dispute from a report of the processor. final is true if a report that nothing happened can be
// believed.
func InterpretAnswer(op *payment.Operation, d *disputed.Record, o *sdk.Outcome, final bool) Verdict {
	said := o.Dispute
	switch {
	case o.Status == sdk.StatusPending:
		return Verdict{Status: payment.OperationPending, Outcome: o}
	case o.Status == sdk.StatusDeclined:
		return Verdict{Status: payment.OperationDeclined, Outcome: o}
	case o.Status != sdk.StatusDisputed || said == nil:
		return Verdict{Status: payment.OperationUnknown, Text: "the processor's report on the dispute has the status " + string(o.Status) + ", which proves nothing"}
	case said.ID != "" && said.ID != d.ProcessorID:
		return Verdict{Status: payment.OperationUnknown, Alarm: alarm.ImpossibleOutcome, Text: "the processor's report is about another dispute"}
	}
	again := said.Status == sdk.DisputeChallenged && d.Details.Answer != nil && d.Details.Answer.From == sdk.DisputeChallenged
	switch {
	case slices.Contains(showsAnswer[op.Kind], said.Status) && !again:
		return Verdict{Status: payment.OperationSucceeded, Outcome: o}
	case slices.Contains(disputeEnds, said.Status):
		return Verdict{Status: payment.OperationNotActed, Text: "the dispute has ended as " + string(said.Status) + " without this answer"}
	case op.Status == payment.OperationPending:
		return Verdict{Status: payment.OperationPending, Outcome: &sdk.Outcome{Status: sdk.StatusPending}}
	case final && !again:
		return Verdict{Status: payment.OperationNotActed, Text: "the processor has not got the answer: the dispute is still " + string(said.Status)}
	}
	return Verdict{Status: payment.OperationUnknown, Text: "the dispute is still " + string(said.Status) + ", which does not show whether the answer has arrived"}
}

// AnswerBooking is the result of a verdict on an answer to a dispute: rows to be written in one transaction.
type AnswerBooking struct {
	Payment   *payment.Payment // nil if what the dispute claims does not change
	Dispute   *disputed.Record
	Operation *payment.Operation
	Moved     bool // the dispute has another stage or status
	Alarms    []alarm.Kind
}

// BookAnswer applies a verdict on an answer to a dispute to copies of the rows. It is pure.
func BookAnswer(p *payment.Payment, d *disputed.Record, op *payment.Operation, v Verdict, now time.Time) AnswerBooking {
	o := *op
	b := AnswerBooking{Dispute: d.Clone(), Operation: &o, Alarms: v.alarms()}
	b.Dispute.ModifiedAt = now
	if v.Status == payment.OperationUnknown {
		leaveUnknown(&o, v, now)
		return b
	}
	if a := d.Details.Answer; a != nil && a.OperationID == op.ID {
		said := *a
		endAnswer(&said, v)
		b.Dispute.Details.Answer = &said
		if said.Status != disputed.AnswerProcessing && op.Kind == sdk.OpAcceptDispute {
			p = p.Accepting(d.AttemptID, d.ProcessorID, false)
			b.Payment = p
		}
	}
	if v.Status == payment.OperationSucceeded && v.Outcome.Dispute != nil {
		said := *v.Outcome.Dispute
		said.ID, said.Amount = d.ProcessorID, sdk.Money{Minor: d.Amount, Currency: d.Currency} // an answer changes no amount
		at := op.StartedAt.Truncate(time.Second)
		if a := d.Details.Answer; a != nil && a.From == d.Status && at.Before(d.Details.UpdatedThere) {
			at = d.Details.UpdatedThere // the answer follows what it answers, also where the processor's clock is ahead, or its message comes again
		}
		booked := BookDispute(p, d.AttemptID, &said, at, now)
		if booked.Payment != nil {
			b.Payment, b.Moved = booked.Payment, booked.Moved
			b.Dispute.Take(booked.Claim, &said, now)
		}
		if booked.Alarm != "" {
			b.Alarms = append(b.Alarms, booked.Alarm)
		}
	}
	end(&o, v, now)
	return b
}

// endAnswer ends the answer as a verdict says.
func endAnswer(a *disputed.Answer, v Verdict) {
	switch v.Status {
	case payment.OperationPending:
		return
	case payment.OperationSucceeded:
		a.Status, a.ErrorCode, a.ErrorText = disputed.AnswerDone, "", ""
		return
	}
	a.Status, a.ErrorCode, a.ErrorText = disputed.AnswerFailed, "not_processed", v.Text
	if v.Outcome != nil && v.Outcome.Decline != nil {
		a.ErrorCode, a.ErrorText = sdk.Clip(v.Outcome.Decline.Code, disputed.MaxText), sdk.Clip(v.Outcome.Decline.Message, disputed.MaxText)
	}
}
