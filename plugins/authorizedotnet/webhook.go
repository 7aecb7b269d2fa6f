package authorizedotnet

import (
	"strings"
	"time"

	"payswitch/sdk"
)

// signatureHeader is "sha512=" and the hex HMAC-SHA512 of the body.
const signatureHeader = "X-ANET-Signature"

// fresh is how old a message may be to be believed. Older ones, which are sent again for days, still cause a query.
const fresh = 5 * time.Minute

const payments = "net.authorize.payment."

// events are what the messages about payments say; "" says nothing that is final.
var events = []struct {
	name   string
	status sdk.OutcomeStatus
}{
	{"authorization.created", sdk.StatusAuthorized},
	{"authcapture.created", sdk.StatusCaptured},
	{"priorAuthCapture.created", sdk.StatusCaptured},
	{"capture.created", sdk.StatusCaptured},
	{"void.created", sdk.StatusVoided},
	{"refund.created", ""},
	{"fraud.held", ""},
	{"fraud.approved", ""},
	{"fraud.declined", ""},
}

// webhook reads a message. Messages name neither currency nor what a capture left: every event asks for a query, and its outcome is what
// the message says, for the record.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	if w == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Message: "the message is needed", Parameter: "webhook"}
	}
	key := c.Account.Credentials[webhookSecret]
	if key != "" {
		signature, ok := strings.CutPrefix(strings.ToLower(sdk.HeaderValue(w.Headers, signatureHeader)), "sha512=")
		if !ok {
			return reply(401, sdk.StatusUnknown), nil
		}
		ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA512, sdk.Text(key), sdk.Body())), signature)
		if err != nil {
			return nil, err
		}
		if !ok {
			return reply(401, sdk.StatusUnknown), nil
		}
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil || !j.IsObject() {
		return reply(400, sdk.StatusUnknown), nil
	}
	o := reply(200, sdk.StatusHandled)
	event, ok := strings.CutPrefix(j.Str("eventType"), payments)
	for _, known := range events {
		if !ok || known.name != event {
			continue
		}
		e := sdk.Event{Object: "payment", TransactionID: j.Text("payload.id"), Reference: j.Str("payload.merchantReferenceId"), Sync: true}
		if e.TransactionID == "" {
			return reply(400, sdk.StatusUnknown), nil
		}
		if event == "refund.created" { // a transaction of its own
			e.Object, e.RefundID, e.TransactionID = "refund", e.TransactionID, ""
		}
		at, err := time.Parse(time.RFC3339, j.Str("eventDate"))
		if err == nil {
			e.Time = at.UnixMilli()
		}
		if key != "" && err == nil && c.Now().Sub(at).Abs() <= fresh && known.status != "" && j.Text("payload.responseCode") == "1" {
			e.Outcome = &sdk.Outcome{Status: known.status, TransactionID: e.TransactionID, AuthCode: j.Text("payload.authCode")}
		}
		o.Events = []sdk.Event{e}
	}
	return o, nil
}

func reply(status int, s sdk.OutcomeStatus) *sdk.Outcome {
	return &sdk.Outcome{Status: s, Reply: &sdk.Reply{Status: status}}
}
