package simulator

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// slowRefundSeconds is the age at which a slow refund ends.
const slowRefundSeconds = 30

// refundCard is a card whose payments are approved, and whose refunds have another result.
type refundCard struct {
	bin, lastFour string
	act           act
	number        string // as documentation prints it
	what          string // for documentation
}

var refundCards = [...]refundCard{
	{"400000", "7726", pend, "4000 0000 0000 7726", "pending; refunded when a sync asks"},
	{"400000", "5126", pendDecline, "4000 0000 0000 5126", "pending; refused when a sync asks"},
	{"400000", "7734", decline, "4000 0000 0000 7734", "refused"},
	{"400000", "7742", slow, "4000 0000 0000 7742",
		"pending; a sync finds it pending until it is " + slowText + " seconds old, then refunded"},
}

var slowText = strconv.Itoa(slowRefundSeconds)

// refundRule returns what the simulated processor does with a refund: the card decides first, then the amount.
func refundRule(s *sdk.PaymentState, minor int64) rule {
	for _, c := range refundCards {
		if c.bin == s.BIN && c.lastFour == s.LastFour {
			return rule{operation: sdk.OpRefund, act: c.act, reason: sdk.DeclineGeneric}
		}
	}
	return ruleOf(sdk.OpRefund, minor)
}

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
	rule := refundRule(&s, r.Amount.Minor)
	switch {
	case r.Amount.Currency != s.Currency:
		o.Decline = refuse(codeCurrency, "The currency is not the payment's.", sdk.DeclineCurrency)
	case s.Captured == 0:
		o.Decline = refuse(codeState, "The payment has not been captured.", sdk.DeclineNotPermitted)
	case r.Amount.Minor > s.Captured-s.Refunded:
		o.Decline = refuse(codeTooLarge, "The amount is larger than the captured amount that is not refunded yet.",
			sdk.DeclineInvalidAmount)
	case rule.act == approve && seen(c).named(refusesRefunds):
		o.Decline = refuse(codeRefund, "The processor refuses refunds.", sdk.DeclineGeneric)
	case rule.act == decline:
		o.Decline = refusedRefund(rule)
	case rule.act == approve && seen(c).named(answersLater):
		o.Status = sdk.StatusPending
	case rule.act == slow:
		o.Status, o.RefundID = sdk.StatusPending, o.RefundID+slowMark+strconv.FormatInt(c.Now().Unix(), 10)
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

// unreferencedRefund pays to a card without an earlier payment. The card decides first, then the amount, as for a
// refund.
func unreferencedRefund(c *sdk.Call) (*sdk.Outcome, error) {
	r, p := c.Request, seen(c)
	switch {
	case !p.named(refundsCards):
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: p.connector + " refunds no card without a payment"}
	case r.Instrument == nil || r.Instrument.Card == nil:
		return nil, missing("recipient_payment_method_data", "give the card that gets the money")
	case r.Amount.Minor <= 0:
		return nil, invalid("amount", "the amount must be positive")
	}
	rule := refundRule(&sdk.PaymentState{BIN: p.bin, LastFour: p.lastFour}, r.Amount.Minor)
	o := &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: refundID(c), Amount: &r.Amount}
	switch reason := reasonOfCard(p.bin, p.lastFour, p.length); {
	case reason != "":
		return &sdk.Outcome{Status: sdk.StatusDeclined, RefundID: o.RefundID, Decline: declineOf(reason)}, nil
	case rule.act == decline:
		return &sdk.Outcome{Status: sdk.StatusDeclined, RefundID: o.RefundID, Decline: refusedRefund(rule)}, nil
	case rule.act == slow:
		id := o.RefundID + slowMark + strconv.FormatInt(c.Now().Unix(), 10)
		return &sdk.Outcome{Status: sdk.StatusPending, RefundID: id}, nil
	case rule.act == pend, rule.act == pendDecline:
		return &sdk.Outcome{Status: sdk.StatusPending, RefundID: o.RefundID}, nil
	case rule.act != approve:
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "simulated time-out"}}, nil
	}
	return o, nil
}

// refundSync reports the state of a refund. A pending refund ends with the first sync. PaymentState.Refunded may
// include this refund, so refundSync does not check the limits again.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	s, err := state(r)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: seen(c).id, RefundID: refundID(c)}
	rule := refundRule(&s, r.Amount.Minor)
	switch {
	case rule.act == approve && seen(c).named(answersLater):
		o.Status = sdk.StatusPending
	case rule.act == slow && c.Now().Unix() < slowSince(o.RefundID)+slowRefundSeconds:
		o.Status = sdk.StatusPending
	case rule.act == timeoutBefore:
		return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	case r.Amount.Minor < 0, r.Resolves != sdk.OpUnreferencedRefund &&
		(s.Captured == 0 || r.Amount.Minor > s.Captured || r.Amount.Currency != s.Currency):
		o.Decline = refuse(codeState, "The refund is larger than the captured amount.", sdk.DeclineNotPermitted)
	case rule.act == decline, rule.act == pendDecline:
		o.Decline = refusedRefund(rule)
	default:
		o.Status, o.Amount = sdk.StatusRefunded, &r.Amount
	}
	return o, nil
}

// slowMark separates the time of a slow refund, in Unix seconds, from the rest of its id.
const slowMark = "_at_"

// slowSince reads the time of a slow refund from its id, 0 for another id.
func slowSince(id string) int64 {
	i := strings.LastIndex(id, slowMark)
	if i < 0 {
		return 0
	}
	at, err := strconv.ParseInt(id[i+len(slowMark):], 10, 64)
	if err != nil {
		return 0
	}
	return at
}

func refusedRefund(r rule) *sdk.Decline {
	return refuse(codeRefund, "The refund has been refused.", r.reason)
}

// refundID returns the processor's id of a refund, made from the refund's reference.
func refundID(c *sdk.Call) string {
	if c.Request.RefundID != "" {
		return c.Request.RefundID
	}
	return "simr_" + reference(c)
}
