package request

import (
	"fmt"
	"slices"

	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// ResolutionInput is what an operator says of an operation whose outcome payswitch could not find out.
type ResolutionInput struct {
	Outcome   payment.Finding
	Amount    *int64 // minor units; nil: what the operation asked for
	Reference string // the processor's id of the payment, capture or refund; "": none is named
	By, Why   string // name of the operator, and what the word rests on
	Person    string // id of the dashboard's user; "" for a word over the API or on the host
}

// ReviewInput is what another person says of a proposal.
type ReviewInput struct {
	ProposalID string
	By         string // name of that person
	Person     string // as of ResolutionInput
}

// Check refuses a word that lacks a part.
func (w *ReviewInput) Check() error {
	switch {
	case w.ProposalID == "":
		return fault.Missing("proposal_id")
	case w.By == "":
		return fault.Missing("by")
	case len(w.By) > 255:
		return fault.BadFormat("by", "a text of at most 255 bytes")
	}
	return nil
}

// Check refuses a word that lacks a part, or names a part that its outcome cannot have.
func (o *ResolutionInput) Check() error {
	switch {
	case !slices.Contains(Findings, o.Outcome):
		return fault.BadFormat("outcome", "succeeded, declined or not_done")
	case o.By == "":
		return fault.Missing("by")
	case o.Why == "":
		return fault.Missing("why")
	}
	for _, f := range []struct {
		name, value string
		most        int
	}{{"by", o.By, 255}, {"why", o.Why, 2000}, {"reference", o.Reference, 255}} {
		if len(f.value) > f.most {
			return fault.BadFormat(f.name, fmt.Sprintf("a text of at most %d bytes", f.most))
		}
	}
	if o.Outcome != payment.FoundSucceeded && (o.Amount != nil || o.Reference != "") {
		return fault.Unprocessable("outcome", "amount and reference belong to the outcome succeeded alone").WithHint("Leave amount and reference out.")
	}
	return nil
}

// On holds the word against the operation that it is about, and returns what the operation keeps of it. r is the refund that op performs, nil for
// another operation.
func (o *ResolutionInput) On(p *payment.Payment, a *payment.Attempt, r *payment.Refund, op *payment.Operation) (*payment.Resolution, error) {
	said := &payment.Resolution{Outcome: o.Outcome, Reference: o.Reference, By: o.By, Why: o.Why}
	switch open := p.OpenOperation; {
	case open != "" && open != op.ID && !op.OutsidePayment() && !op.OnHold() && op.ID != a.Details.LateVoid:
		return nil, fault.Refused("Another operation on the payment is open: resolve " + open + " first").WithParam("operation_id").WithHint("Resolve " + open + " first.")
	case op.Status == payment.OperationPending && !op.OutsidePayment() && !op.Waits(a) && op.ID != a.Details.LateVoid,
		a.ID != p.AttemptID && !op.OutsidePayment() && op.ID != a.Details.LateVoid:
		return nil, fault.Refused("The payment has moved on without this operation: its outcome changes nothing").WithParam("operation_id").WithHint("Look at the payment's latest operation.")
	case op.Status == payment.OperationUnknown && op.LastSendAt.IsZero() && o.Outcome != payment.FoundNotDone:
		return nil, fault.Refused("Nothing has left for the processor: payswitch sends the operation, or say not_done to give it up").WithHint("Send not_done, or wait.").WithParam("outcome")
	case o.Outcome != payment.FoundSucceeded:
		return said, nil
	}
	known := known(a, r, op)
	switch {
	case op.Charges() && known == "" && o.Reference == "":
		return nil, fault.Missing("reference").WithHint("Send the processor's id of the payment: a later capture, void or refund needs it.")
	case known != "" && o.Reference != "" && o.Reference != known:
		return nil, fault.Unprocessable("reference", "the processor gave the id "+known+" before: is "+o.Reference+" another payment or refund?").WithHint("Send " + known + ", or leave the field out.")
	case op.Kind == sdk.OpVoid || op.Kind == sdk.OpVerify || op.OnHold() || op.OfDispute():
		if o.Amount != nil {
			return nil, fault.Unprocessable("amount", "a "+string(op.Kind)+" has no amount: leave the field out").WithHint("Leave the field out.")
		}
		return said, nil
	}
	most := op.Amount
	if op.Charges() {
		most = a.Amount
	}
	if said.Amount = most; o.Amount != nil {
		said.Amount = *o.Amount
	}
	if said.Amount <= 0 || said.Amount > most {
		return nil, fault.Unprocessable("amount", fmt.Sprintf("amount must be between 1 and %d, the amount of the operation in minor units", most)).WithHint(fmt.Sprintf("Send a whole number from 1 to %d.", most))
	}
	return said, nil
}

// OperationFilter selects operations. Without Statuses and Resolved it selects all that have not ended.
type OperationFilter struct {
	Merchants []string                  // none: those of all merchants
	Statuses  []payment.OperationStatus // started, unknown, pending
	Resolved  bool                      // those that an operator's word has ended, instead
	Relays    bool                      // relays that have not ended, too
	Limit     int                       // 1 or more
}
