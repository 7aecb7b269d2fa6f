package braintree

import (
	"cmp"
	"encoding/base64"
	"strings"

	"payswitch/sdk"
)

// webhook reads a message: a form with bt_payload, base64 of an XML document, and bt_signature. The signed document
// names the payment and the time; the adapter asks for the payment's state.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	form, _ := sdk.ParseForm(string(c.Request.Webhook.Body))
	payload := sdk.HeaderValue(form, "bt_payload")
	if payload == "" {
		return sdk.Refuse(401, "the message has no signature"), nil
	}
	// "<public key>|<hex>&…"
	signatures := sdk.HeaderPairs(strings.ReplaceAll(sdk.HeaderValue(form, "bt_signature"), "|", "="), "&")
	key := sdk.Fn(sdk.FnSHA1, sdk.Text(c.Account.Credentials[privateKey]))
	c.Signed(privateKey, sdk.HMACSHA1(key, sdk.Text(payload)).Hex(),
		sdk.HeaderValue(signatures, c.Account.Credentials[publicKey]))
	xml, _ := base64.StdEncoding.DecodeString(payload) // skips line breaks
	n, _ := sdk.ParseXML(xml)
	sent := sdk.Millis(n.Text("timestamp"))
	if sent == 0 || n.Name() != "notification" {
		return sdk.Refuse(400, "the message is not a notification"), nil
	}
	c.FreshAt(sent)
	e := event(n)
	e.Time = sent
	return sdk.Handled(e), nil
}

// objects are the objects of notifications. A payment's may concern a credit, which is a refund.
var objects = sdk.Table[sdk.EventObject]{
	{"payment", "transaction_settled transaction_settlement_declined transaction_disbursed transaction_reviewed " +
		"transaction_retried"},
	{"refund", "refund_failed"},
}

// event returns the event of a notification; empty if the notification does not concern payments.
func event(n sdk.XML) sdk.Event {
	kind, t := n.Text("kind"), n.Get("subject/transaction")
	e := sdk.Event{Object: objects.Of(kind), Sync: true}
	if strings.HasPrefix(kind, "dispute_") {
		e, t = sdk.Event{Object: "dispute", Dispute: dispute(kind, n.Get("subject/dispute"))},
			n.Get("subject/dispute/transaction")
	}
	id := t.Text("id")
	if e.Object == "" || id == "" {
		return sdk.Event{}
	}
	e.Reference = t.Text("order-id")
	if e.Object == "refund" || e.Object == "payment" && t.Text("type") == "credit" {
		e.Object, e.RefundID = "refund", globalID("refund", id)
		id = t.Text("refunded-transaction-id")
	}
	if id != "" {
		e.TransactionID = globalID("transaction", id)
	}
	return e
}

// globalID turns a legacy id of notifications into an id of the GraphQL API: base64 of the type and the legacy id.
func globalID(kind, legacy string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(kind + "_" + legacy))
}

// dispute reads a dispute; nil if it states no amount. A kind that is not in the table leaves the dispute open.
func dispute(kind string, x sdk.XML) *sdk.Dispute {
	status := statusOfDispute.Of(strings.ToUpper(strings.TrimPrefix(kind, "dispute_")))
	d := sdk.Dispute{ID: x.Text("id"), Status: cmp.Or(status, sdk.DisputeOpened),
		Stage: rounds.Of(strings.ToUpper(x.Text("kind"))), ConnectorStatus: cmp.Or(x.Text("status"), kind),
		Reason: x.Text("reason"), ReasonCode: x.Text("reason-code"),
		RespondBy: sdk.Millis(x.Text("reply-by-date")), CreatedAt: sdk.Millis(x.Text("received-date"))}
	currency := sdk.CurrencyOf(x.Text("currency-iso-code"))
	m, _ := sdk.ParseMajor(cmp.Or(x.Text("amount-disputed"), x.Text("amount")), currency)
	return d.Of(&m) // zero if it is unreadable
}
