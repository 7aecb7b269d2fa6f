package worldpay

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// sync asks for the payment's last event: by its link data, or by our reference where no answer brought any.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.TransactionID; id == "" || id == c.Request.Reference {
		return byReference(c)
	}
	event, o, err := query(c)
	if o != nil || err != nil {
		return o, err
	}
	return found(c, event, c.Request.TransactionID)
}

// query fetches the last event of the payment by its link data. A payment that Worldpay does not have is an outcome.
func query(c *sdk.Call) (event string, absent *sdk.Outcome, err error) {
	at, err := link(c)
	if err != nil {
		return "", nil, err
	}
	answer, err := call(c, "GET", "/api/payments/"+at, mediaJSON, nil)
	if err != nil {
		return "", nil, err
	}
	return lastEvent(answer)
}

func lastEvent(answer *sdk.Response) (event string, absent *sdk.Outcome, err error) {
	switch d := refusal(answer); {
	case d != nil && answer.Status == 404:
		return "", &sdk.Outcome{Status: sdk.StatusNotFound}, nil
	case d != nil: // the query was refused: that says nothing of the payment
		return "", nil, errors.New("worldpay refuses the query: " + d.Code)
	}
	event = answer.JSON().Str("lastEvent")
	if !answer.OK() || event == "" {
		return "", nil, errUnreadable
	}
	return strings.ToLower(event[:1]) + event[1:], nil, nil // the Card Payments API writes "Authorized"
}

// byReference finds a payment by our reference. The first link of the answer holds its link data.
func byReference(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Reference == "" {
		return nil, sdk.Missing("reference", "a payment is found by Worldpay's link data or our reference")
	}
	asked := sdk.NewForm().Add("transactionRef", c.Request.Reference).Add("entity", c.Account.Credentials["entity_id"])
	answer, err := call(c, "GET", "/payments/events?"+asked.String(), mediaCard, nil)
	if err != nil {
		return nil, err
	}
	event, absent, err := lastEvent(answer)
	if absent != nil || err != nil {
		return absent, err
	}
	id := ""
	for name, l := range answer.JSON().Get("_links").Members() {
		href := l.Str("href")
		if id == "" && strings.Contains(name, ":") && strings.Contains(href, "/payments/") {
			id = linkOf(href)
		}
	}
	return found(c, event, id)
}

// found reads the payment's last event as the answer to what is asked. It holds no amounts.
func found(c *sdk.Call, event, id string) (*sdk.Outcome, error) {
	r := c.Request
	o := &sdk.Outcome{TransactionID: id, Raw: map[string]string{"lastEvent": event}}
	p := r.Payment
	if p == nil {
		p = &sdk.PaymentState{}
	}
	switch event {
	case "sentForAuthorization", "sentForCancellation":
		o.Status = sdk.StatusPending
	case "authorized":
		o.Status = sdk.StatusAuthorized
		if r.Payment != nil && p.Requested == 0 {
			o.Status = sdk.StatusVerified
		}
	case "sentForSettlement", "settled", "sentForRefund", "refunded", "refundFailed":
		return taken(r, p, o)
	case "cancelled":
		o.Status = sdk.StatusVoided
	case "expired":
		o.Status = sdk.StatusVoided
		if p.Authorized == 0 {
			o.Status, o.Decline = sdk.StatusDeclined, sdk.NewDecline(event, event, sdk.DeclineAbandoned)
		}
	case "refused", "error", "settlementFailed":
		o.Status, o.Decline = sdk.StatusDeclined, sdk.NewDecline(event, event, sdk.DeclineGeneric)
	default:
		return nil, errUnreadable
	}
	return o, nil
}

// taken is a payment of which something has been settled. How much it was only we know: the whole, with automatic capture; what we have
// seen captured; what the capture in question asked for, if it is the first. Everything else is not for us to guess.
func taken(r *sdk.Request, p *sdk.PaymentState, o *sdk.Outcome) (*sdk.Outcome, error) {
	o.Status = sdk.StatusCaptured
	switch {
	case p.Capture != sdk.CaptureManual:
	case p.Captured > 0 && r.Resolves != sdk.OpCapture:
		o.Totals = &sdk.Totals{Authorized: p.Authorized, Captured: p.Captured, Refunded: p.Refunded}
	case p.Captured == 0 && r.Resolves == sdk.OpCapture:
		o.Amount = &r.Amount
	default:
		return nil, errors.New("worldpay tells of a settlement, but not of how much")
	}
	return o, nil
}

// refundSync reads the payment's last event as the refund's. With other refunds beside it nobody can say whose event it is.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	event, o, err := query(c)
	if o != nil || err != nil {
		return o, err
	}
	r := c.Request
	if p := r.Payment; p != nil && p.Refunded > r.Amount.Minor {
		return nil, errors.New("worldpay tells the last event of the payment alone, which has several refunds")
	}
	o = &sdk.Outcome{TransactionID: r.TransactionID, RefundID: r.RefundID, Status: sdk.StatusPending, Raw: map[string]string{"lastEvent": event}}
	switch event {
	case "sentForRefund", "refunded":
		o.Status = sdk.StatusRefunded
	case "refundFailed":
		o.Status, o.Decline = sdk.StatusDeclined, sdk.NewDecline(event, event, sdk.DeclineProcessingError)
		o.Decline.RetryElsewhere = false
	case "authorized", "sentForSettlement", "settled", "settlementFailed", "sentForAuthorization", "cancelled", "expired", "refused", "error":
	default:
		return nil, errUnreadable
	}
	return o, nil
}
