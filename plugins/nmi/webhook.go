package nmi

import "payswitch/sdk"

// events are the meanings of NMI's messages for a payment or refund.
var events = []struct {
	name   string
	object sdk.EventObject
	status sdk.OutcomeStatus
}{
	{"transaction.sale.success", sdk.EventPayment, sdk.StatusCaptured},
	{"transaction.sale.failure", sdk.EventPayment, sdk.StatusDeclined},
	{"transaction.auth.success", sdk.EventPayment, sdk.StatusAuthorized},
	{"transaction.auth.failure", sdk.EventPayment, sdk.StatusDeclined},
	{"transaction.capture.success", sdk.EventPayment, sdk.StatusCaptured},
	{"transaction.capture.failure", sdk.EventPayment, ""},
	{"transaction.void.success", sdk.EventPayment, sdk.StatusVoided},
	{"transaction.refund.success", sdk.EventRefund, sdk.StatusRefunded},
	{"transaction.refund.failure", sdk.EventRefund, sdk.StatusDeclined},
}

// webhook reads a message, signed as "t=<nonce>,s=<hex HMAC-SHA256 of nonce, "." and the body>". The signature covers
// no time, so anyone who has seen an old message could send it again. Every event asks for a query, and its outcome
// only records the message.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	secret := c.Account.Credentials[webhookSecret]
	if secret != "" {
		c.SignedPairs(sdk.PairSignature{Header: "Webhook-Signature", Separator: ",", Name: "s", Secret: webhookSecret,
			Code: sdk.FnHex})
	}
	j := c.Message()
	name, body := j.Str("event_type"), j.Get("event_body")
	for _, known := range events {
		if known.name != name {
			continue
		}
		e := sdk.Event{Object: known.object, TransactionID: body.Text("transaction_id"), Reference: body.Text("order_id"),
			Sync: true}
		if known.object == sdk.EventRefund { // the transaction is the refund's own; its order id identifies a refund
			e.RefundID, e.TransactionID = e.Reference, ""
		}
		if e.TransactionID == "" && e.Reference == "" {
			return sdk.Refuse(400, "the event has no ids"), nil
		}
		if secret != "" && known.status != "" {
			e.Outcome = &sdk.Outcome{Status: known.status, TransactionID: e.TransactionID, RefundID: e.RefundID}
			if known.status == sdk.StatusDeclined {
				e.Outcome.Decline = said(body)
			}
		}
		return sdk.Handled(e), nil
	}
	return sdk.Handled(), nil
}

// said returns the message's reason for a failed payment or refund.
func said(body sdk.JSON) *sdk.Decline {
	if d := declineOf(body.Text("action.response_code"), body.Text("action.response_text")); d != nil {
		return d
	}
	return &sdk.Decline{Code: "failure", Message: body.Text("action.response_text"), Reason: sdk.DeclineGeneric}
}
