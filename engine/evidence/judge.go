package evidence

import (
	"errors"
	"slices"

	"payswitch/engine/alarm"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// Answer is the record of one drive of an adapter: the parts that a verdict needs.
type Answer struct {
	// Exchanges are the requests and comparisons of the drive, in order.
	Exchanges []sdk.Exchange
	// MayHaveLeft is true if something may have reached the processor. AnsweredLast is true if the processor answered the last request.
	MayHaveLeft, AnsweredLast bool
	Reject                    *sdk.Reject
	Outcome                   *sdk.Outcome
}

// Judge derives the verdict from an adapter's drive. It is pure.
func Judge(kind sdk.Operation, asked sdk.Money, m *sdk.Manifest, r *Answer, err error) Verdict {
	fault, _ := errors.AsType[*fault.Adapter](err)
	switch {
	case err != nil && r.MayHaveLeft:
		return Verdict{Status: payment.OperationUnknown, Text: err.Error(), Fault: fault}
	case err != nil:
		return Verdict{Status: payment.OperationFailed, Text: err.Error(), Fault: fault}
	case r.Reject != nil && r.MayHaveLeft:
		return Verdict{Status: payment.OperationUnknown, Text: "rejected after something was sent: " + r.Reject.Message, Alarm: alarm.RejectAfterSend}
	case r.Reject != nil:
		return Verdict{Status: payment.OperationRejected, Reject: r.Reject, Text: r.Reject.Message}
	}
	o := r.Outcome
	switch {
	case o == nil:
		return unknownOrFailed(r, m, "the adapter returned no outcome", "returned no outcome")
	case !kind.EndsWith(o.Status), kind == sdk.OpSync && o.Status == sdk.StatusRefunded: // refunds that a sync finds are not booked
		return unknownOrFailed(r, m, "the adapter answered "+string(o.Status)+" to "+string(kind), "returned an outcome that "+string(kind)+" cannot have")
	case o.Status == sdk.StatusUnknown:
		return Verdict{Status: payment.OperationUnknown, Outcome: o, Text: o.Raw["error"], Alarm: alarmOf(o)}
	case !sent(r) && TalksToProcessor(m) && o.Status != sdk.StatusDeclined:
		return Verdict{Status: payment.OperationFailed, Text: "the adapter answered " + string(o.Status) + " without asking the processor", Alarm: alarm.OutcomeWithoutSend,
			Fault: faultOf(m, "returned the outcome "+string(o.Status)+" without asking the processor")}
	case sent(r) && !r.AnsweredLast && r.MayHaveLeft:
		return Verdict{Status: payment.OperationUnknown, Text: "the adapter answered " + string(o.Status) + " without an answer from the processor"}
	case sent(r) && !r.MayHaveLeft && o.Status != sdk.StatusDeclined:
		return Verdict{Status: payment.OperationUnknown, Text: "the adapter answered " + string(o.Status) + " though nothing was sent", Alarm: alarm.OutcomeWithoutSend}
	}
	v := Verdict{Status: payment.OperationSucceeded, Outcome: o}
	switch o.Status {
	case sdk.StatusDeclined:
		v.Status = payment.OperationDeclined
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview:
		v.Status = payment.OperationPending
	}
	if kind != sdk.OpSync && !o.Fits(asked) && !voidsWhole(kind, o, asked) {
		v.mismatch, v.Alarm = true, alarm.AmountMismatch
		v.Text = "the processor reports an amount or currency that differs from the requested one"
	}
	return v
}

// voidsWhole reports whether the outcome of a void states more than what was held. Processors answer the void of a rest with the payment's amount.
func voidsWhole(kind sdk.Operation, o *sdk.Outcome, asked sdk.Money) bool {
	return kind == sdk.OpVoid && o.Amount != nil && o.Amount.Currency == asked.Currency && o.Amount.Minor > asked.Minor
}

// unknownOrFailed returns the verdict on an answer that no adapter may give. what describes the adapter's act to the merchant.
func unknownOrFailed(r *Answer, m *sdk.Manifest, text, what string) Verdict {
	if r.MayHaveLeft {
		return Verdict{Status: payment.OperationUnknown, Text: text, Alarm: alarm.ImpossibleOutcome}
	}
	return Verdict{Status: payment.OperationFailed, Text: text, Alarm: alarm.ImpossibleOutcome, Fault: faultOf(m, what)}
}

func faultOf(m *sdk.Manifest, what string) *fault.Adapter {
	return &fault.Adapter{Adapter: m.Name, Version: m.Version, Rule: "outcome", What: what}
}

// sent reports whether a drive made requests. A comparison that the host made for the adapter (verify) does not count.
func sent(r *Answer) bool {
	return slices.ContainsFunc(r.Exchanges, func(x sdk.Exchange) bool { return x.Verified == nil })
}

// TalksToProcessor reports whether the adapter talks to a processor at all. The simulator does not.
func TalksToProcessor(m *sdk.Manifest) bool {
	for _, e := range m.Environments {
		if len(e.Hosts) > 0 {
			return true
		}
	}
	return false
}

// alarmOf returns the alarm that an adapter raises with an unknown outcome, "" for no alarm. An adapter can raise only the alarms named here.
func alarmOf(o *sdk.Outcome) alarm.Kind {
	if o.Raw["alarm"] == sdk.AlarmOtherAccount {
		return alarm.OtherAccount
	}
	return ""
}
