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
	w := c.Request.Webhook
	if w == nil {
		return nil, missing("webhook", "the message is needed")
	}
	form, _ := sdk.ParseForm(string(w.Body))
	payload := sdk.HeaderValue(form, "bt_payload")
	signature := signatureOf(sdk.HeaderValue(form, "bt_signature"), c.Account.Credentials[publicKey])
	if payload == "" || signature == "" {
		return refuse(401, "signature missing, or of another key"), nil
	}
	key := sdk.Fn(sdk.FnSHA1, sdk.Text(c.Account.Credentials[privateKey]))
	ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA1, key, sdk.Text(payload))), strings.ToLower(signature))
	if err != nil {
		return nil, err
	}
	if !ok {
		return refuse(401, "signature wrong"), nil
	}
	xml, _ := base64.StdEncoding.DecodeString(payload) // passes over line breaks
	n := parse(string(xml))
	sent, err := time.Parse(time.RFC3339, n.get("notification/timestamp"))
	if err != nil {
		return refuse(400, "not a notification"), nil
	}
	if age := c.Now().Sub(sent); age > webhookToleranceSeconds*time.Second || age < -webhookToleranceSeconds*time.Second {
		return refuse(400, "too old"), nil
	}
	o := &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200}}
	if e := event(n); e != nil {
		e.Time = sent.UnixMilli()
		o.Events = []sdk.Event{*e}
	}
	return o, nil
}

// refuse tells nothing of the message and answers so that Braintree shows it as failed.
func refuse(status int, why string) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: status}, Raw: map[string]string{"error": why}}
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

// event is what a notification tells; nil for those about nothing of ours.
func event(n document) *sdk.Event {
	kind := n.get("notification/kind")
	if strings.HasPrefix(kind, "dispute_") {
		if id := n.get("notification/subject/dispute/transaction/id"); id != "" {
			return &sdk.Event{Object: "dispute", TransactionID: globalID("transaction", id), Reference: n.get("notification/subject/dispute/transaction/order-id")}
		}
		return nil
	}
	const subject = "notification/subject/transaction/"
	id := n.get(subject + "id")
	switch kind {
	case "transaction_settled", "transaction_settlement_declined", "transaction_disbursed", "transaction_reviewed", "transaction_retried", "refund_failed":
	default:
		return nil
	}
	if id == "" {
		return nil
	}
	e := &sdk.Event{Object: "payment", TransactionID: globalID("transaction", id), Reference: n.get(subject + "order-id"), Sync: true}
	if of := n.get(subject + "refunded-transaction-id"); kind == "refund_failed" || n.get(subject+"type") == "credit" {
		e.Object, e.RefundID, e.TransactionID = "refund", globalID("refund", id), ""
		if of != "" {
			e.TransactionID = globalID("transaction", of)
		}
	}
	return e
}

// globalID makes the id of the GraphQL API of the one that notifications hold: base64 of the type and the legacy id.
func globalID(kind, legacy string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(kind + "_" + legacy))
}
