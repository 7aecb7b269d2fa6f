package worldpay

import (
	"cmp"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// link is the payment's link data.
func link(c *sdk.Call) string {
	id := c.Request.TransactionID
	sdk.Require(id != "" && id != c.Request.Reference && !strings.ContainsAny(id, "/?#"),
		sdk.Missing("connector_transaction_id", "Worldpay's link data of an authorized payment is needed"))
	return id
}

// change asks for an action and reads its outcome. RefundID is our reference of it, which Worldpay repeats in its messages.
func change(c *sdk.Call, action string, body *sdk.Object, means sdk.Statuses) (*sdk.Outcome, error) {
	at := link(c)
	j := answered(c, act(c, at, action, body))
	o := &sdk.Outcome{Status: means.Must(j.Str("outcome")), TransactionID: cmp.Or(linkOf(j.Str("_links.self.href")), at), Raw: j.Pick("outcome")}
	if o.Status == sdk.StatusDeclined {
		o.Decline = refused(j)
		o.Decline.RetryElsewhere = false // the payment is Worldpay's
	}
	return o, nil
}

// part is the body of a partial settlement or refund. Its reference must be another one for each and may not hold underscores.
func part(r *sdk.Request, suffix string) *sdk.Object {
	return sdk.NewObject().Obj("value", value(r.Amount)).Str("reference", dashes(r.Reference)+suffix)
}

func dashes(reference string) string { return strings.ReplaceAll(reference, "_", "-") }

var captures = sdk.Statuses{{sdk.StatusCaptured, "sentForSettlement sentForPartialSettlement"}, {sdk.StatusDeclined, "refused"}}

// capture settles the amount. Worldpay settles a whole payment as well as a part in this way.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	suffix := ""
	if p := c.Request.Payment; p != nil && p.Captured > 0 {
		suffix = "-" + strconv.FormatInt(p.Captured, 10)
	}
	return change(c, "partialSettlements", part(c.Request, suffix), captures)
}

// void cancels what is not settled. Worldpay has heard it; whether it was done shows in the payment's last event.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	return change(c, "cancellations", nil, sdk.Statuses{{sdk.StatusPending, "sentForCancellation"}, {sdk.StatusVoided, "cancelled"}})
}

var refunds = sdk.Statuses{{sdk.StatusRefunded, "sentForRefund sentForPartialRefund"}, {sdk.StatusDeclined, "refused"}}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	o, err := change(c, "partialRefunds", part(c.Request, ""), refunds)
	if o != nil {
		o.TransactionID, o.RefundID = c.Request.TransactionID, dashes(c.Request.Reference)
	}
	return o, err
}
