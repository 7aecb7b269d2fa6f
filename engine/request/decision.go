package request

import (
	"errors"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// Findings are what an operator may find out, in the order in which people choose among them.
var Findings = []payment.Finding{payment.FoundSucceeded, payment.FoundDeclined, payment.FoundNotDone}

// Decision is one finding that an operator may report about an operation, or the reason why this finding is not possible.
type Decision struct {
	Outcome payment.Finding
	Refused string // why the operator may not report this finding; "" if it is allowed
	// Reference is the processor's id of the payment or refund, if it gave one before. Needed says that the operator has to name it.
	Reference string
	Needed    bool
	Most      int64 // the greatest amount of FoundSucceeded, in minor units; 0 if it has none
}

// Decisions holds each outcome against the operation that it is about, as ResolutionInput.On does. r is the refund that op performs, nil for another one.
func Decisions(p *payment.Payment, a *payment.Attempt, r *payment.Refund, op *payment.Operation) (out []Decision) {
	for _, outcome := range Findings {
		d := Decision{Outcome: outcome}
		word := ResolutionInput{Outcome: outcome, By: "-", Why: "-"}
		if outcome == payment.FoundSucceeded {
			if d.Reference = known(a, r, op); d.Reference == "" {
				word.Reference, d.Needed = "-", op.Charges()
			}
		}
		said, err := word.On(p, a, r, op)
		var refused *fault.Error
		if errors.As(err, &refused) {
			d.Refused = refused.Message
		} else if err != nil {
			d.Refused = err.Error()
		} else {
			d.Most = said.Amount
		}
		out = append(out, d)
	}
	return out
}

// known returns the processor's id of the payment or refund, as far as the processor has said it.
func known(a *payment.Attempt, r *payment.Refund, op *payment.Operation) string {
	if r != nil {
		return r.ProcessorID
	}
	if op.Charges() {
		return a.TransactionID
	}
	return ""
}
