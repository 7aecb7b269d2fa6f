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
	if payload == "" {
		return sdk.Refuse(401, "nothing that is signed"), nil
	}
	signatures := sdk.HeaderPairs(strings.ReplaceAll(sdk.HeaderValue(form, "bt_signature"), "|", "="), "&") // "<public key>|<hex>&…"
	key := sdk.Fn(sdk.FnSHA1, sdk.Text(c.Account.Credentials[privateKey]))
	c.Signed(privateKey, sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA1, key, sdk.Text(payload))),
		strings.ToLower(sdk.HeaderValue(signatures, c.Account.Credentials[publicKey])))
	xml, _ := base64.StdEncoding.DecodeString(payload) // passes over line breaks
	n, _ := sdk.ParseXML(xml)
	sent, err := time.Parse(time.RFC3339, n.Text("timestamp"))
	if err != nil || n.Name() != "notification" {
		return sdk.Refuse(400, "not a notification"), nil
	}
	c.Fresh(sent, webhookToleranceSeconds*time.Second)
	e := event(n)
	e.Time = sent.UnixMilli()
	return sdk.Handled(e), nil
}

// told are the kinds of notifications, by what they are about. A payment's may be about a credit, which is a refund.
var told = sdk.Names{
	{"payment", "transaction_settled transaction_settlement_declined transaction_disbursed transaction_reviewed transaction_retried"},
	{"refund", "refund_failed"},
}

// event is what a notification tells; empty for those about nothing of ours.
func event(n sdk.XML) sdk.Event {
	kind, t := n.Text("kind"), n.Get("subject/transaction")
	e := sdk.Event{Object: told.Of(kind), Sync: true}
	if strings.HasPrefix(kind, "dispute_") {
		e, t = sdk.Event{Object: "dispute"}, n.Get("subject/dispute/transaction")
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

// globalID makes the id of the GraphQL API of the one that notifications hold: base64 of the type and the legacy id.
func globalID(kind, legacy string) string {
	return base64.RawStdEncoding.EncodeToString([]byte(kind + "_" + legacy))
}
