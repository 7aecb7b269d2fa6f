package worldpay

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// link returns the payment's link data.
func link(c *sdk.Call) string {
	id := c.Request.TransactionID
	sdk.Require(id != "" && id != c.Request.Reference && !strings.ContainsAny(id, "/?#"),
		sdk.Missing("connector_transaction_id", "the request lacks Worldpay's link data of an authorized payment"))
	return id
}

// change performs an action and reads its outcome. RefundID is our reference of it, which Worldpay's messages repeat.
func change(c *sdk.Call, action string, body *sdk.Object, means sdk.Statuses) *sdk.Outcome {
	at := link(c)
	j := answered(c, act(c, at, action, body))
	o := &sdk.Outcome{Status: means.Must(j.Str("outcome")), TransactionID: cmp.Or(linkOf(j.Str("_links.self.href")), at),
		Raw: j.Pick("outcome")}
	if o.Status == sdk.StatusDeclined {
		o.Decline = refused(j)
		o.Decline.RetryElsewhere = false // the payment exists at Worldpay alone
	}
	return o
}

// part returns the body of a partial settlement or refund. Each needs a different reference, without underscores.
func part(r *sdk.Request, reference string) *sdk.Object {
	return sdk.NewObject().Obj("value", value(r.Amount)).Str("reference", dashes(reference))
}

func dashes(reference string) string { return strings.ReplaceAll(reference, "_", "-") }

var captures = sdk.Statuses{{sdk.StatusCaptured, "sentForSettlement sentForPartialSettlement"},
	{sdk.StatusDeclined, "refused"}}

// capture settles the amount. A partial settlement of the whole amount settles the whole payment.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	return change(c, "partialSettlements", part(r, cmp.Or(r.CaptureReference, r.Reference)), captures), nil
}

// void cancels an unsettled payment. Worldpay confirms the receipt; the payment's last event shows the result.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	return change(c, "cancellations", nil,
		sdk.Statuses{{sdk.StatusPending, "sentForCancellation"}, {sdk.StatusVoided, "cancelled"}}), nil
}

var refunds = sdk.Statuses{{sdk.StatusRefunded, "sentForRefund sentForPartialRefund"}, {sdk.StatusDeclined, "refused"}}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	o := change(c, "partialRefunds", part(c.Request, c.Request.Reference), refunds)
	o.TransactionID, o.RefundID = c.Request.TransactionID, dashes(c.Request.Reference)
	return o, nil
}

// sync asks for the payment's last event: by its link data, or by our reference if no answer brought link data.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.TransactionID; id == "" || id == c.Request.Reference {
		return byReference(c)
	}
	return found(c, query(c), c.Request.TransactionID)
}

// query fetches the payment's last event by its link data.
func query(c *sdk.Call) (event string) {
	return lastEvent(c, call(c, "GET", "/api/payments/"+link(c), mediaJSON, nil))
}

// lastEvent reads the answer to a query. The sync ends if Worldpay does not know our reference, or link data of its
// own. For a refund that proves nothing: the link data may be outdated.
func lastEvent(c *sdk.Call, answer *sdk.Response) (event string) {
	if d := refusal(answer); d != nil { // a refused query proves nothing about the payment
		id := c.Request.TransactionID
		sdk.Expect(answer.Status == 404 && c.Operation() == sdk.OpSync, "the query was refused: "+d.Code)
		c.EndIf(id != "" && id != c.Request.Reference, c.OtherAccount)
		c.End(sdk.NotFound())
	}
	event = answer.JSON().Str("lastEvent")
	sdk.Require(answer.OK() && event != "", sdk.ErrAnswer)
	return strings.ToLower(event[:1]) + event[1:] // the Card Payments API writes "Authorized"
}

// byReference finds a payment by our reference. The first link of the answer holds its link data.
func byReference(c *sdk.Call) (*sdk.Outcome, error) {
	sdk.Require(c.Request.Reference != "",
		sdk.Missing("reference", "the request lacks both Worldpay's link data and our reference"))
	asked := sdk.NewForm().Add("transactionRef", c.Request.Reference).Add("entity", c.Account.Credentials["entity_id"])
	answer := call(c, "GET", "/payments/events?"+asked.String(), mediaCard, nil)
	event, id := lastEvent(c, answer), ""
	for name, l := range answer.JSON().Get("_links").Members() {
		href := l.Str("href")
		if id == "" && strings.Contains(name, ":") && strings.Contains(href, "/payments/") {
			id = linkOf(href)
		}
	}
	return found(c, event, id)
}

// events are the meanings of the last event. error and settlementFailed are not refusals and decide nothing: the
// processor may have acted, and a payment whose settlement failed is still authorized.
var events = sdk.Statuses{
	{sdk.StatusPending, "sentForAuthorization sentForCancellation"},
	{sdk.StatusAuthorized, "authorized"},
	{sdk.StatusCaptured, "sentForSettlement settled sentForRefund refunded refundFailed"},
	{sdk.StatusVoided, "cancelled expired"},
	{sdk.StatusDeclined, "refused"},
}

// found returns the outcome of the payment's last event, which holds no amounts.
func found(c *sdk.Call, event, id string) (*sdk.Outcome, error) {
	r, p := c.Request, c.Request.Payment
	o := &sdk.Outcome{Status: events.Must(event), TransactionID: id, Raw: map[string]string{"lastEvent": event}}
	approved := o.Status == sdk.StatusCaptured || o.Status == sdk.StatusAuthorized
	sdk.Expect(!approved || !r.Wish().Partial || r.Known().Authorized > 0 || r.Known().Requested == 0,
		"the issuer may have approved a part, and the answer does not show its amount")
	switch {
	case o.Status == sdk.StatusCaptured:
		return taken(r, p, o), nil
	case o.Status == sdk.StatusAuthorized && p != nil && p.Requested == 0:
		o.Status = sdk.StatusVerified
	case event == "expired" && (p == nil || p.Authorized == 0):
		o.Status, o.Decline = sdk.StatusDeclined, sdk.NewDecline(event, event, sdk.DeclineAbandoned)
	case o.Status == sdk.StatusDeclined:
		o.Decline = sdk.NewDecline(event, event, sdk.DeclineGeneric)
	}
	return o, nil
}

// taken returns the outcome of a settled payment, without the amount, which the host knows in these cases: automatic
// capture takes the whole, earlier captures are recorded, and a first capture in question has its amount.
func taken(r *sdk.Request, p *sdk.PaymentState, o *sdk.Outcome) *sdk.Outcome {
	switch {
	// the issuer approved a part
	case p != nil && p.Capture != sdk.CaptureManual && p.Authorized > 0 && p.Authorized < p.Requested:
		o.Amount = &sdk.Money{Minor: p.Authorized, Currency: r.Amount.Currency}
	case p == nil, p.Capture != sdk.CaptureManual:
	case p.Captured > 0 && r.Resolves != sdk.OpCapture:
		o.Totals = &sdk.Totals{Authorized: p.Authorized, Captured: p.Captured, Refunded: p.Refunded}
	case p.Captured == 0 && r.Resolves == sdk.OpCapture:
		o.Amount = &r.Amount
	default:
		sdk.Expect(false, "the answer reports a settlement without its amount")
	}
	return o
}

// refundEvents are the meanings of the last event for a refund, which is still pending after an earlier event.
var refundEvents = sdk.Statuses{
	{sdk.StatusRefunded, "sentForRefund refunded"},
	{sdk.StatusDeclined, "refundFailed"},
	{sdk.StatusPending,
		"authorized sentForSettlement settled settlementFailed sentForAuthorization cancelled expired refused error"},
}

// refundSync reads the payment's last event as the refund's. Known().Refunded holds other refunds, without failed ones:
// only the failure of a refund of the whole, whose answer came, is its own for sure.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r, event := c.Request, query(c)
	own := event != "refundFailed" || r.RefundID != "" && r.Amount.Minor == r.Known().Captured
	sdk.Expect(own && r.Known().Refunded == 0,
		"the answer holds only the last event of the payment, which may be another refund's")
	o := refundOutcome(event, r.RefundID)
	o.TransactionID = r.TransactionID
	return o, nil
}

// refundOutcome returns what an event says of a refund.
func refundOutcome(event, id string) *sdk.Outcome {
	o := &sdk.Outcome{Status: refundEvents.Must(event), RefundID: id, Raw: map[string]string{"lastEvent": event}}
	if o.Status == sdk.StatusDeclined {
		o.Decline = sdk.NewDecline(event, event, sdk.DeclineProcessingError)
		o.Decline.RetryElsewhere = false
	}
	return o
}
