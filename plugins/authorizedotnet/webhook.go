package authorizedotnet

import (
	"strings"
	"time"

	"payswitch/sdk"
)

// fresh is the age up to which a message counts. Older ones still cause a query: Authorize.net repeats them for days.
const fresh = 5 * time.Minute

// events are the payment states that events report; StatusHandled for an event that reports no final state.
var events = sdk.Statuses{{sdk.StatusAuthorized, "authorization.created"},
	{sdk.StatusCaptured, "authcapture.created priorAuthCapture.created capture.created"},
	{sdk.StatusVoided, "void.created"}, {sdk.StatusHandled, "refund.created fraud.held fraud.approved fraud.declined"}}

// webhook reads a message, whose X-ANET-Signature is "sha512=" and the hex HMAC-SHA512 of the body. Messages lack the
// currency and the rest after a capture. So every event asks for a query, and its outcome only records the message.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	key := c.Account.Credentials["webhook_secret"]
	if key != "" {
		signature := strings.TrimPrefix(strings.ToLower(c.Request.Webhook.Header("X-ANET-Signature")), "sha512=")
		c.Signed("webhook_secret", sdk.HMACSHA512(sdk.Text(key), sdk.Body()).Hex(), signature)
	}
	j := c.Message()
	event, ok := strings.CutPrefix(j.Str("eventType"), "net.authorize.payment.")
	status := events.Of(event)
	if !ok || status == "" {
		return sdk.Handled(), nil
	}
	e := sdk.Event{Object: "payment", TransactionID: j.Text("payload.id"), Reference: j.Str("payload.merchantReferenceId"),
		Sync: true}
	if e.TransactionID == "" {
		return sdk.Refuse(400, "the event has no id"), nil
	}
	if event == "refund.created" { // a refund is a transaction of its own
		e.Object, e.RefundID, e.TransactionID = "refund", e.TransactionID, ""
	}
	e.Time = sdk.Millis(j.Str("eventDate"))
	if key != "" && c.Near(time.UnixMilli(e.Time), fresh) && status != sdk.StatusHandled &&
		j.Text("payload.responseCode") == "1" {
		e.Outcome = &sdk.Outcome{Status: status, TransactionID: e.TransactionID, AuthCode: j.Text("payload.authCode")}
	}
	return sdk.Handled(e), nil
}
