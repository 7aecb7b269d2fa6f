package simulator

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// held is an authorized payment with one operation on it: capture, void or incremental authorization.
type held struct {
	*payment
	sdk.PaymentState
	rule    rule         // of the operation
	against *sdk.Decline // why no amount of the operation is possible; nil if it is possible
	undoes  bool         // the operation voids what is captured
}

// state reads what the host knows of the payment. Without it the simulator cannot answer.
func state(r *sdk.Request) (sdk.PaymentState, error) {
	s := r.Payment
	switch {
	case s == nil:
		return sdk.PaymentState{}, missing("payment", "the request lacks the state of the payment")
	case s.Requested < 0 || s.Authorized < 0 || s.Captured < 0 || s.Refunded < 0 || s.Captured > s.Authorized ||
		s.Refunded > s.Captured:
		return sdk.PaymentState{}, invalid("payment", "the amounts of the payment contradict each other")
	}
	return *s, nil
}

// hold reads an operation on an authorized payment.
func hold(c *sdk.Call, operation sdk.Operation) (*held, error) {
	s, err := state(c.Request)
	if err != nil {
		return nil, err
	}
	h := &held{payment: seen(c), PaymentState: s}
	amount := c.Request.Amount
	if operation == sdk.OpVoid {
		amount.Minor = s.Requested
	} else if amount.Minor <= 0 {
		return nil, invalid("amount", "the amount must be positive")
	}
	h.rule = ruleOf(operation, amount.Minor)
	h.against = h.judge(operation, c.Request.Amount)
	if h.undoes = operation == sdk.OpVoid && c.Request.VoidCaptured; h.undoes {
		h.against = h.judgeUndo()
	}
	return h, nil
}

// judgeUndo applies the processor's own rules to the void of a captured payment.
func (h *held) judgeUndo() *sdk.Decline {
	switch {
	case h.Voided || h.Captured == 0 || h.Refunded > 0:
		return refuse(codeState, "The payment holds no capture, or a part of it was refunded.", sdk.DeclineNotPermitted)
	case h.rule.act == settled:
		return refuse(codeSettled, "The payment has settled.", sdk.DeclineNotPermitted)
	}
	return nil
}

// judge applies the processor's own rules.
func (h *held) judge(operation sdk.Operation, amount sdk.Money) *sdk.Decline {
	switch {
	case amount.Currency != h.Currency:
		return refuse(codeCurrency, "The currency is not the payment's.", sdk.DeclineCurrency)
	case h.Voided:
		return refuse(codeState, "The payment has been voided.", sdk.DeclineNotPermitted)
	case h.memory.has(released):
		return refuse(codeState, "The rest of the payment has been released.", sdk.DeclineNotPermitted)
	case h.Authorized == 0 && (operation != sdk.OpVoid || h.Requested != 0): // a void without an amount comes from a relay
		return refuse(codeState, "The payment is not authorized.", sdk.DeclineNotPermitted)
	case operation == sdk.OpCapture && amount.Minor > h.Authorized-h.Captured &&
		!(h.memory.has(moreAllowed) && h.Captured == 0):
		return refuse(codeTooLarge, "The amount is larger than what is authorized and not captured yet.",
			sdk.DeclineInvalidAmount)
	case h.Captured == h.Authorized && h.Authorized != 0:
		return refuse(codeState, "The payment has been captured.", sdk.DeclineNotPermitted)
	case operation == sdk.OpIncrementalAuthorize && amount.Minor <= h.Authorized:
		return refuse(codeTooSmall, "The new amount is not larger than what is authorized.", sdk.DeclineInvalidAmount)
	}
	return nil
}

// done reports whether the operation was carried out, or will be.
func (h *held) done() bool {
	return h.against == nil && (h.rule.act == approve || h.rule.act == settled || h.rule.act == pend ||
		h.rule.act == timeoutAfter)
}

// answer returns the processor's answer now: a refusal d, the answer of the amount's rule, or what done makes.
func (h *held) answer(d *sdk.Decline, done func() *sdk.Outcome) *sdk.Outcome {
	switch {
	case h.against != nil:
		return h.declined(h.against)
	case h.rule.act == decline:
		return h.declined(d)
	case h.rule.act == pend || h.rule.act == pendDecline:
		return h.waiting(sdk.StatusPending)
	case h.rule.act != approve && h.rule.act != settled:
		return h.noAnswer()
	}
	return done()
}

// outcome returns an outcome with the payment's totals after the operation.
func (h *held) outcome(status sdk.OutcomeStatus, amount int64) *sdk.Outcome {
	return &sdk.Outcome{Status: status, TransactionID: h.id, ConnectorData: h.memory.data(),
		Amount: &sdk.Money{Minor: amount, Currency: h.Currency},
		Totals: &sdk.Totals{Authorized: h.Authorized, Captured: h.Captured, Refunded: h.Refunded}}
}

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	h, err := hold(c, sdk.OpCapture)
	if err != nil {
		return nil, err
	}
	if h.against == nil && h.rule.act == approve && h.named(answersLater) {
		h.rule.act = pend
	}
	o := h.answer(refuse(codeCapture, "The capture has been refused.", h.rule.reason), h.taken)
	if o.Status == sdk.StatusPending {
		o.CaptureID = h.captureID()
	}
	if o.CaptureID != "" {
		o.Reference = h.request.CaptureReference // the simulator shows the reference that it was given
	}
	return o, nil
}

// taken returns a capture that was carried out. The last capture releases the rest.
func (h *held) taken() *sdk.Outcome {
	id, amount := h.captureID(), h.request.Amount.Minor
	h.Captured += amount
	h.Authorized = max(h.Authorized, h.Captured) // of an overcapture
	rest := h.request.FinalCapture && h.Captured < h.Authorized
	if rest {
		h.memory = h.memory.with(released)
	}
	o := h.outcome(sdk.StatusCaptured, amount)
	o.CaptureID, o.Released = id, rest
	return o
}

// captureID is equal in the capture and in a sync that finds it. The number at the end of the capture's reference
// distinguishes captures. For a capture without a reference, the amount that was captured before it distinguishes it
// from other captures.
func (h *held) captureID() string {
	if r := h.request.CaptureReference; r != "" {
		return h.id + "_c" + r[strings.LastIndexByte(r, '_')+1:]
	}
	return h.id + "_c" + strconv.FormatInt(h.Captured, 10)
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	h, err := hold(c, sdk.OpVoid)
	if err != nil {
		return nil, err
	}
	// The customer has not come back.
	if h.Authorized == 0 && !h.undoes && !h.Voided && h.memory.has(challenged) && !h.proven {
		return h.voided(), nil
	}
	return h.answer(refuse(codeVoid, "The void has been refused.", h.rule.reason), h.voided), nil
}

func (h *held) voided() *sdk.Outcome {
	if h.undoes {
		h.Captured = 0
	}
	o := h.outcome(sdk.StatusVoided, 0)
	o.Amount = nil
	o.Released = h.Captured > 0
	return o
}

func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	h, err := hold(c, sdk.OpIncrementalAuthorize)
	if err != nil {
		return nil, err
	}
	if d := h.tooSoon(); d != nil && h.against == nil {
		h.against = d
	}
	return h.answer(declineOf(h.rule.reason), h.raised), nil
}

func (h *held) raised() *sdk.Outcome {
	h.Authorized = h.request.Amount.Minor
	return h.outcome(sdk.StatusAuthorized, h.Authorized)
}
