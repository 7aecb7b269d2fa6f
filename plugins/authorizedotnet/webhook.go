package authorizedotnet

import (
	"slices"
	"strings"
	"time"

	"payswitch/sdk"
)

// signatureHeader is "sha512=" and the hex HMAC-SHA512 of the body.
const signatureHeader = "X-ANET-Signature"

// fresh is how old a message may be to be believed. Older ones, which are sent again for days, still cause a query.
const fresh = 5 * time.Minute

const payments = "net.authorize.payment."

// stated are the events that say what has become of a payment; the others of it say nothing that is final.
var (
	stated = sdk.Statuses{{sdk.StatusAuthorized, "authorization.created"}, {sdk.StatusCaptured, "authcapture.created priorAuthCapture.created capture.created"},
		{sdk.StatusVoided, "void.created"}}
	others = []string{"refund.created", "fraud.held", "fraud.approved", "fraud.declined"}
)

// webhook reads a message. Messages name neither currency nor what a capture left: every event asks for a query, and its outcome is what
// the message says, for the record.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w, key := c.Request.Webhook, c.Account.Credentials[webhookSecret]
	if key != "" {
		scheme, signature, _ := strings.Cut(strings.ToLower(sdk.HeaderValue(w.Headers, signatureHeader)), "=")
		if scheme != "sha512" {
			signature = ""
		}
		c.Signed(webhookSecret, sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA512, sdk.Text(key), sdk.Body())), signature)
	}
	j := c.Message()
	event, ok := strings.CutPrefix(j.Str("eventType"), payments)
	status := stated.Of(event)
	if !ok || status == "" && !slices.Contains(others, event) {
		return sdk.Handled(), nil
	}
	e := sdk.Event{Object: "payment", TransactionID: j.Text("payload.id"), Reference: j.Str("payload.merchantReferenceId"), Sync: true}
	if e.TransactionID == "" {
		return sdk.Refuse(400, "an event without an id"), nil
	}
	if event == "refund.created" { // a transaction of its own
		e.Object, e.RefundID, e.TransactionID = "refund", e.TransactionID, ""
	}
	at, err := time.Parse(time.RFC3339, j.Str("eventDate"))
	if err == nil {
		e.Time = at.UnixMilli()
	}
	if key != "" && err == nil && c.Near(at, fresh) && status != "" && j.Text("payload.responseCode") == "1" {
		e.Outcome = &sdk.Outcome{Status: status, TransactionID: e.TransactionID, AuthCode: j.Text("payload.authCode")}
	}
	return sdk.Handled(e), nil
}
