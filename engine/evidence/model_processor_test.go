package evidence

import (
	"slices"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// modelAmount is the amount of the model's one payment.
const modelAmount = 100

// txnState is what the processor's transaction is.
type txnState string

const (
	txnNone     txnState = ""
	txnAction   txnState = "action" // waits for the payer
	txnDeclined txnState = "declined"
	txnHeld     txnState = "held" // authorized; held, taken and released say how much
	txnVoided   txnState = "voided"
)

// modelProcessor is the processor of the model: the truth about money. It holds one transaction.
type modelProcessor struct {
	txn      txnState
	charges  int   // authorizations that it carried out
	held     int64 // authorized, less what was released
	most     int64 // the most that it ever held
	tells    bool  // it names the held amount
	taken    int64
	returned int64
	// done are the operations that it carried out or refused, with its answer. It remembers the idempotency key of each.
	done []modelAct
	// queue are operations that it received and will carry out later.
	queue []*payment.Operation
	// accepted are captures that it has accepted and makes later.
	accepted []*payment.Operation
	// extending is the extension that it has accepted and decides later. extended means that it granted one.
	extending string
	extended  bool
	// hidden means that queries do not find the transaction yet.
	hidden bool
	// mail are messages about what happened that it has still to send.
	mail []modelMail
}

type modelAct struct {
	op  string
	out *sdk.Outcome
	err bool // the processor repeats a cached error to a request with the same key
}

type modelMail struct {
	op    string // the operation of a refund's message, "" for a message about the payment
	out   *sdk.Outcome
	times int
}

func (p modelProcessor) clone() modelProcessor {
	p.done, p.queue, p.mail, p.accepted = slices.Clone(p.done), slices.Clone(p.queue), slices.Clone(p.mail), slices.Clone(p.accepted)
	return p
}

func (p *modelProcessor) did(op string) *modelAct {
	if i := slices.IndexFunc(p.done, func(a modelAct) bool { return a.op == op }); i >= 0 {
		return &p.done[i]
	}
	return nil
}

// act carries an operation out, once for each idempotency key, and returns the answer.
func (p *modelProcessor) act(w *scenario, op *payment.Operation) *sdk.Outcome {
	if a := p.did(op.ID); a != nil && !w.unkeyed {
		return a.out
	}
	out := p.perform(w, op)
	p.done = append(p.done, modelAct{op: op.ID, out: out})
	if op.OfRefund() {
		p.post(w, op.ID, out)
	} else if out.Status != sdk.StatusDeclined && out.Status != sdk.StatusCustomerAction && out.Status != sdk.StatusPending {
		p.post(w, "", p.report())
	}
	return out
}

func (p *modelProcessor) perform(w *scenario, op *payment.Operation) *sdk.Outcome {
	declined := &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "no"}}
	switch op.Kind {
	case sdk.OpAuthorize:
		p.charges++
		p.hidden = w.hides
		if w.redirects {
			p.txn = txnAction
			return &sdk.Outcome{Status: sdk.StatusCustomerAction, TransactionID: "txn", NextAction: &sdk.NextAction{Type: sdk.NextActionRedirect}}
		}
		return p.approve(w)
	case sdk.OpCapture:
		if w.over && p.txn == txnHeld && p.taken == 0 && op.Amount > p.held {
			p.held, p.most = op.Amount, op.Amount
		}
		if p.txn != txnHeld || p.taken+p.promised()+op.Amount > p.held || p.taken > 0 && w.method != payment.CaptureManualMultiple {
			return declined
		}
		if w.captureLater != "" {
			p.accepted = append(p.accepted, op)
			return w.aboutCapture(op, sdk.StatusPending)
		}
		p.taken += op.Amount
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "txn", CaptureID: "cap_" + op.ID}
	case sdk.OpVoid:
		if p.txn == txnAction || p.txn == txnHeld && p.taken == 0 {
			p.txn, p.held = txnVoided, 0
		} else if p.txn == txnHeld && p.taken < p.held && len(p.accepted) == 0 {
			p.held = p.taken
		} else {
			return declined
		}
		return &sdk.Outcome{Status: sdk.StatusVoided, TransactionID: "txn"}
	case sdk.OpIncrementalAuthorize:
		if p.txn != txnHeld || p.taken > 0 || op.Amount <= p.held {
			return declined
		}
		p.held, p.most = op.Amount, op.Amount
		return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "txn", Amount: &sdk.Money{Minor: op.Amount, Currency: "EUR"}}
	case sdk.OpExtendAuthorization:
		if p.txn != txnHeld || p.taken > 0 || p.extending != "" {
			return declined
		}
		if w.extendsLater {
			p.extending = op.ID
			return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: "txn"}
		}
		p.extended = true
		return longerHold(true)
	case sdk.OpRefund:
		if p.returned+op.Amount > p.taken {
			return declined
		}
		p.returned += op.Amount
		return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "ref_" + op.ID}
	}
	panic("the model's processor does not know " + string(op.Kind))
}

// longerHold returns what the processor says of a hold after an extension.
func longerHold(is bool) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "txn", Hold: &sdk.Hold{Extended: &is}}
}

// decideHold grants or refuses the accepted extension. A hold that has ended meanwhile cannot last longer.
func (p *modelProcessor) decideHold(w *scenario, grants bool) {
	op := p.extending
	p.extending = ""
	if p.txn != txnHeld || p.taken > 0 {
		grants = false
	}
	p.extended = p.extended || grants
	if p.did(op).out = longerHold(true); !grants {
		p.did(op).out = &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "no", Message: "no"}}
	}
	p.post(w, "", longerHold(grants))
}

// Ways in which the model's processor speaks of captures that it makes later.
const (
	laterByID    = "by id"    // answers and messages name the capture
	laterByTotal = "by total" // queries have the totals alone
)

// aboutCapture returns what the processor says of one capture.
func (w *scenario) aboutCapture(op *payment.Operation, status sdk.OutcomeStatus) *sdk.Outcome {
	o := &sdk.Outcome{Status: status, TransactionID: "txn"}
	if w.captureLater == laterByID {
		o.CaptureID = "cap_" + op.ID
	}
	return o
}

// promised returns the sum of the accepted captures.
func (p *modelProcessor) promised() (sum int64) {
	for _, op := range p.accepted {
		sum += op.Amount
	}
	return sum
}

// decide makes or refuses an accepted capture.
func (p *modelProcessor) decide(w *scenario, i int, makes bool) {
	op := p.accepted[i]
	p.accepted = slices.Delete(p.accepted, i, i+1)
	out := w.aboutCapture(op, sdk.StatusCaptured)
	if out.Amount = (&sdk.Money{Minor: op.Amount, Currency: "EUR"}); makes {
		p.taken += op.Amount
	} else {
		out.Status, out.Amount, out.Decline = sdk.StatusDeclined, nil, &sdk.Decline{Code: "no", Message: "no"}
	}
	for j := range p.done {
		if p.done[j].op == op.ID {
			p.done[j].out = out
		}
	}
	if w.captureLater == laterByID {
		p.post(w, "", out)
	}
}

// approve holds the money, or takes it where the payment is captured at once.
func (p *modelProcessor) approve(w *scenario) *sdk.Outcome {
	p.txn, p.held, p.most, p.tells = txnHeld, modelAmount, modelAmount, len(w.raises) > 0 || w.approves > 0 || w.captureLater == laterByTotal
	if w.approves > 0 {
		p.held, p.most = w.approves, w.approves
	}
	if w.method == payment.CaptureAutomatic {
		p.taken = p.held
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "txn"}
	}
	out := &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "txn"}
	if w.approves > 0 {
		out.Amount = &sdk.Money{Minor: p.held, Currency: "EUR"}
	}
	return out
}

// post sends a message about what happened, as often as the scenario says.
func (p *modelProcessor) post(w *scenario, op string, out *sdk.Outcome) {
	if w.messages > 0 && out.Status != sdk.StatusNotFound {
		p.mail = append(p.mail, modelMail{op: op, out: out, times: w.messages})
	}
}

// report returns the truthful answer to a query about the payment.
func (p *modelProcessor) report() *sdk.Outcome {
	o := &sdk.Outcome{TransactionID: "txn"}
	switch p.txn {
	case txnNone:
		return &sdk.Outcome{Status: sdk.StatusNotFound}
	case txnAction:
		o.Status = sdk.StatusCustomerAction
	case txnDeclined:
		o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: "no", Message: "no"}
	case txnVoided:
		o.Status = sdk.StatusVoided
	case txnHeld:
		o.Status = sdk.StatusAuthorized
		if p.tells {
			o.Totals = &sdk.Totals{Authorized: p.held}
			o.Amount = &sdk.Money{Minor: p.held, Currency: "EUR"}
		}
		if p.taken > 0 {
			o.Status = sdk.StatusCaptured
			o.Totals = &sdk.Totals{Authorized: p.most, Captured: p.taken, Refunded: p.returned}
		}
	}
	return o
}

// answerQuery returns the answer to a query about op at this moment.
func (p *modelProcessor) answerQuery(w *scenario, op *payment.Operation) *sdk.Outcome {
	switch {
	case p.hidden:
		return &sdk.Outcome{Status: sdk.StatusNotFound}
	case op != nil && op.Kind == sdk.OpCapture && w.captureLater == laterByID && p.did(op.ID) != nil && !p.did(op.ID).err:
		return p.did(op.ID).out
	case op == nil || !op.OfRefund():
		return p.report()
	}
	if a := p.did(op.ID); a != nil && !a.err {
		return a.out
	}
	return &sdk.Outcome{Status: sdk.StatusNotFound}
}
