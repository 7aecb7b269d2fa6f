package simulator

import "payswitch/sdk"

// pendingReason is the reason that makes a refund of any amount pending.
const pendingReason = "simulate_pending"

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	s, err := state(r)
	if err != nil {
		return nil, err
	}
	if r.Amount.Minor <= 0 {
		return nil, invalid("amount", "the amount must be positive")
	}
	o := &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: seen(c).id, RefundID: refundID(c)}
	rule := ruleOf(sdk.OpRefund, r.Amount.Minor)
	switch {
	case r.Amount.Currency != s.Currency:
		o.Decline = refuse(codeCurrency, "The currency is not the payment's.", sdk.DeclineCurrency)
	case s.Captured == 0:
		o.Decline = refuse(codeState, "The payment has not been captured.", sdk.DeclineNotPermitted)
	case r.Amount.Minor > s.Captured-s.Refunded:
		o.Decline = refuse(codeTooLarge, "The amount is larger than the captured amount that is not refunded yet.", sdk.DeclineInvalidAmount)
	case rule.act == decline:
		o.Decline = refusedRefund(rule)
	case rule.act == pend, rule.act == pendDecline, rule.act == approve && r.Reason == pendingReason:
		o.Status = sdk.StatusPending
	case rule.act == approve:
		s.Refunded += r.Amount.Minor
		o.Status, o.Amount = sdk.StatusRefunded, &r.Amount
		o.Totals = &sdk.Totals{Authorized: s.Authorized, Captured: s.Captured, Refunded: s.Refunded}
	default:
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "simulated time-out"}}, nil
	}
	return o, nil
}

// refundSync reports the state of a refund. A pending refund ends with the first sync. PaymentState.Refunded may include this
// refund, so refundSync does not check the limits again.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	s, err := state(r)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: seen(c).id, RefundID: refundID(c)}
	rule := ruleOf(sdk.OpRefund, r.Amount.Minor)
	switch {
	case rule.act == timeoutBefore:
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	case s.Captured == 0, r.Amount.Minor > s.Captured, r.Amount.Minor < 0, r.Amount.Currency != s.Currency:
		o.Decline = refuse(codeState, "The refund is larger than the captured amount.", sdk.DeclineNotPermitted)
	case rule.act == decline, rule.act == pendDecline:
		o.Decline = refusedRefund(rule)
	default:
		o.Status, o.Amount = sdk.StatusRefunded, &r.Amount
	}
	return o, nil
}

func refusedRefund(r rule) *sdk.Decline {
	return refuse(codeRefund, "The refund has been refused.", r.reason)
}

// refundID is the processor's id of a refund, made from the refund's reference.
func refundID(c *sdk.Call) string {
	if c.Request.RefundID != "" {
		return c.Request.RefundID
	}
	return "simr_" + reference(c)
}
