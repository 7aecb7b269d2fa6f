package nmi

import (
	"strings"

	"payswitch/sdk"
)

// events are the meanings of NMI's messages; StatusHandled for one that does not show the state of the payment.
var events = sdk.Statuses{
	{sdk.StatusAuthorized, "auth.success"}, {sdk.StatusCaptured, "sale.success capture.success"},
	{sdk.StatusVoided, "void.success"}, {sdk.StatusRefunded, "refund.success"},
	{sdk.StatusDeclined, "auth.failure sale.failure refund.failure"}, {sdk.StatusHandled, "capture.failure"},
}

// webhook reads a message, signed as "t=<nonce>,s=<hex HMAC-SHA256 of nonce, "." and the body>". As no time is signed,
// every event asks for a query, and its outcome only records the message.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	secret := c.Account.Credentials["webhook_secret"]
	if secret != "" {
		c.SignedPairs(sdk.PairSignature{Header: "Webhook-Signature", Separator: ",", Name: "s", Secret: "webhook_secret",
			Code: sdk.FnHex})
	}
	j := c.Message()
	kind, ours := strings.CutPrefix(j.Str("event_type"), "transaction.")
	body, status := j.Get("event_body"), events.Of(kind)
	if !ours || status == "" {
		return sdk.Handled(), nil
	}
	e := sdk.Event{Object: sdk.EventPayment, TransactionID: body.Text("transaction_id"), Reference: body.Text("order_id"),
		Sync: true}
	if strings.HasPrefix(kind, "refund.") { // the transaction is the refund's own; its order id identifies a refund
		e.Object, e.RefundID, e.TransactionID = sdk.EventRefund, e.Reference, ""
	}
	if e.TransactionID == "" && e.Reference == "" {
		return sdk.Refuse(400, "the event has no ids"), nil
	}
	if secret != "" && status != sdk.StatusHandled && !declines.InDoubt(body.Text("action.response_code")) {
		e.Outcome = &sdk.Outcome{Status: status, TransactionID: e.TransactionID, RefundID: e.RefundID}
		if status == sdk.StatusDeclined {
			e.Outcome.Decline = said(body)
		}
	}
	return sdk.Handled(e), nil
}

// said returns the message's reason for a failed payment or refund.
func said(body sdk.JSON) *sdk.Decline {
	if d := declineOf(body.Text("action.response_code"), body.Text("action.response_text")); d != nil {
		return d
	}
	return &sdk.Decline{Code: "failure", Message: body.Text("action.response_text"), Reason: sdk.DeclineGeneric}
}
