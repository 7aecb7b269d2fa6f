package simulator

import "payswitch/sdk"

// sync reports the state of a payment. If it resolves an operation on an authorized payment (Resolves), the amount is
// that operation's, and the status is its result: captured, voided, or authorized for a raised amount. An operation
// that was not carried out leaves the payment unchanged. Totals are always complete.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	switch c.Request.Resolves {
	case sdk.OpCapture, sdk.OpVoid, sdk.OpIncrementalAuthorize, sdk.OpExtendAuthorization:
		return syncHeld(c)
	}
	s, err := state(c.Request)
	if err != nil {
		return nil, err
	}
	p := seen(c)
	p.amount = sdk.Money{Minor: s.Requested, Currency: s.Currency}
	p.automatic = s.Capture != sdk.CaptureManual
	p.rule = ruleOf(sdk.OpAuthorize, s.Requested)
	if c.Request.Resolves == sdk.OpVerify {
		p.memory = p.memory.with(verifying).with(storing)
	}
	if s.Voided || s.Authorized > 0 {
		return p.known(&s), nil
	}
	return p.settled(c.Now().UnixMilli()-s.CreatedAt, c.Request), nil
}

// known repeats what the host knows of an authorized payment.
func (p *payment) known(s *sdk.PaymentState) *sdk.Outcome {
	o := p.approved()
	o.Totals = &sdk.Totals{Authorized: s.Authorized, Captured: s.Captured, Refunded: s.Refunded}
	o.Released = p.memory.has(released) || s.Voided && s.Captured > 0
	switch {
	case s.Captured > 0 && (s.Captured == s.Authorized || o.Released):
		o.Status, o.Amount = sdk.StatusCaptured, &sdk.Money{Minor: s.Captured, Currency: s.Currency}
	case s.Voided:
		o.Status, o.Amount = sdk.StatusVoided, nil
	default:
		o.Status, o.Amount = sdk.StatusAuthorized, &sdk.Money{Minor: s.Authorized, Currency: s.Currency}
	}
	return o
}

// settled is the end of a payment without a known result, age milliseconds old, or reports that the payment has not
// ended.
func (p *payment) settled(age int64, r *sdk.Request) *sdk.Outcome {
	waits := !p.proven && (p.memory.has(challenged) || p.asks3DS())
	if p.memory.has(refused) {
		return p.declined(declineOf(sdk.DeclineAuthenticationFailed))
	}
	if reason := p.refusal(p.proven || waits); reason != "" {
		return p.declined(declineOf(reason))
	}
	// the answer never reached the processor, so the customer must still act
	if waits || p.rule.act == timeoutBefore && p.memory.has(challenged) {
		o := p.waiting(sdk.StatusCustomerAction)
		o.NextAction = p.redirect()
		return o
	}
	young := age < settleSeconds*1000
	switch act := p.rule.act; {
	case act == timeoutBefore, act == late && age < lateSeconds*1000:
		return &sdk.Outcome{Status: sdk.StatusNotFound}
	case young && (act == pend || act == pendDecline):
		return p.waiting(sdk.StatusPending)
	case young && act == review:
		return p.waiting(sdk.StatusReview)
	case act == pendDecline, act == timeoutDecline:
		return p.declined(declineOf(p.rule.reason))
	}
	return p.approvedOrLater()
}

// syncHeld resolves a capture, a void or an incremental authorization.
func syncHeld(c *sdk.Call) (*sdk.Outcome, error) {
	operation := c.Request.Resolves
	h, err := hold(c, operation)
	if err != nil {
		return nil, err
	}
	switch {
	case h.named(answersLater) && h.rule.act == approve && h.against == nil &&
		(operation == sdk.OpCapture || operation == sdk.OpExtendAuthorization):
		o := h.waiting(sdk.StatusPending)
		if operation == sdk.OpCapture {
			o.CaptureID = h.captureID()
		}
		return o, nil // a message reports the result of such an operation
	case !h.done():
		h.payment.rule = ruleOf(sdk.OpAuthorize, h.Requested)
		return h.known(&h.PaymentState), nil
	case operation == sdk.OpCapture:
		return h.taken(), nil
	case operation == sdk.OpVoid:
		return h.voided(), nil
	case operation == sdk.OpExtendAuthorization:
		return h.extended(), nil
	}
	return h.raised(), nil
}
