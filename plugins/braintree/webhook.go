package braintree

import (
	"encoding/base64"
	"strings"
	"time"

	"payswitch/sdk"
)

// webhookToleranceSeconds is how old a message may be: Braintree goes on trying for a day.
const webhookToleranceSeconds = 24 * 3600

// webhook reads a message: a form with bt_payload, base64 of an XML document, and bt_signature. The signed document says which payment it
// is about and when; what has become of the payment is asked for.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	form, _ := sdk.ParseForm(string(c.Request.Webhook.Body))
	payload := sdk.HeaderValue(form, "bt_payload")
	signature := signatureOf(sdk.HeaderValue(form, "bt_signature"), c.Account.Credentials[publicKey])
	if payload == "" || signature == "" {
		return sdk.Refuse(401, "signature missing, or of another key"), nil
	}
	key := sdk.Fn(sdk.FnSHA1, sdk.Text(c.Account.Credentials[privateKey]))
	ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA1, key, sdk.Text(payload))), strings.ToLower(signature))
	if err != nil {
		return nil, err
	}
	if !ok {
		return sdk.Refuse(401, "signature wrong"), nil
	}
	xml, _ := base64.StdEncoding.DecodeString(payload) // passes over line breaks
	n, _ := sdk.ParseXML(xml)
	sent, err := time.Parse(time.RFC3339, n.Text("timestamp"))
	if err != nil || n.Name() != "notification" {
		return sdk.Refuse(400, "not a notification"), nil
	}
	if !c.Near(sent, webhookToleranceSeconds*time.Second) {
		return sdk.Refuse(400, "too old"), nil
	}
	e := event(n)
	e.Time = sent.UnixMilli()
	return sdk.Handled(e), nil
}

// signatureOf finds the signature made with our key in "<public key>|<hex>&<public key>|<hex>".
func signatureOf(all, key string) string {
	for pair := range strings.SplitSeq(all, "&") {
		if of, signature, ok := strings.Cut(pair, "|"); ok && key != "" && of == key {
			return signature
		}
	}
	return ""
}

// event is what a notification tells; empty for those about nothing of ours.
func event(n sdk.XML) (e sdk.Event) {
	kind := n.Text("kind")
	if strings.HasPrefix(kind, "dispute_") {
		if t := n.Get("subject/dispute/transaction"); t.Text("id") != "" {
			return sdk.Event{Object: "dispute", TransactionID: globalID("transaction", t.Text("id")), Reference: t.Text("order-id")}
		}
		return e
	}
	switch kind {
	case "transaction_settled", "transaction_settlement_declined", "transaction_disbursed", "transaction_reviewed", "transaction_retried", "refund_failed":
	default:
		return e
	}
	t := n.Get("subject/transaction")
	id, of := t.Text("id"), t.Text("refunded-transaction-id")
	switch {
	case id == "":
		return e
	case kind != "refund_failed" && t.Text("type") != "credit":
		return sdk.Event{Object: "payment", TransactionID: globalID("transaction", id), Reference: t.Text("order-id"), Sync: true}
	}
	e = sdk.Event{Object: "refund", RefundID: globalID("refund", id), Reference: t.Text("order-id"), Sync: true}
	if of != "" {
		e.TransactionID = globalID("transaction", of)
	}
	return e
}

// globalID makes the id of the GraphQL API of the one that notifications hold: base64 of the type and the legacy id.
func globalID(kind, legacy string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(kind + "_" + legacy))
}
