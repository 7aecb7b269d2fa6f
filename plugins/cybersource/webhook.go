package cybersource

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// toleranceSeconds is how old a signed message may be.
const toleranceSeconds = 300

// webhook reads a message. Its header v-c-signature holds "t=<ms>;keyId=<id>;sig=<base64>", an HMAC-SHA256 over t, a dot and the body.
// A message says less than Transaction Search does (not whether a payment was captured with its authorization, for one), so every event
// asks for a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w := c.Request.Webhook
	if w == nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Message: "the message is needed", Parameter: "webhook"}
	}
	at, signature := signatureOf(sdk.HeaderValue(w.Headers, "v-c-signature"))
	secret := c.Account.Credentials[webhookSecret]
	ms, err := strconv.ParseInt(at, 10, 64)
	if secret == "" || signature == "" || err != nil {
		return reply(401, sdk.StatusUnknown), nil
	}
	signed := sdk.Fn(sdk.FnConcat, sdk.Text(at+"."), sdk.Body())
	ok, err := c.Verify(sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnHMACSHA256, sdk.Fn(sdk.FnUnbase64, sdk.Text(secret)), signed)), signature)
	if err != nil {
		return nil, err
	}
	if age := c.Now().UnixMilli() - ms; !ok || age > toleranceSeconds*1000 || age < -toleranceSeconds*1000 {
		return reply(401, sdk.StatusUnknown), nil
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil || !j.IsObject() {
		return reply(400, sdk.StatusUnknown), nil
	}
	o := reply(200, sdk.StatusHandled)
	object := objectOf(j.Str("eventType"))
	if object == "" { // a type that we do not know is none of ours to refuse
		return o, nil
	}
	payload := j.Get("payload")
	if payload.IsObject() {
		o.Events = appendEvent(o.Events, object, payload, ms)
	}
	for p := range payload.All() {
		o.Events = appendEvent(o.Events, object, p, ms)
	}
	return o, nil
}

// objectOf is what an event is about: payments.payments.accept, payments.refunds.reject …
func objectOf(event string) string {
	service, ok := strings.CutPrefix(event, "payments.")
	service, _, _ = strings.Cut(service, ".")
	switch {
	case !ok:
	case service == "refunds":
		return "refund"
	case service == "payments", service == "capture", service == "captures", service == "reversals":
		return "payment"
	}
	return ""
}

func appendEvent(all []sdk.Event, object string, p sdk.JSON, ms int64) []sdk.Event {
	e := sdk.Event{Object: object, TransactionID: p.Str("data.id"), Reference: p.Str("data.clientReferenceInformation.code"), Sync: true, Time: ms}
	if object == "refund" {
		e.RefundID, e.TransactionID = e.TransactionID, ""
	}
	if e.TransactionID == "" && e.RefundID == "" && e.Reference == "" {
		return all
	}
	return append(all, e)
}

// signatureOf takes the signature header apart. The signature itself holds "=".
func signatureOf(header string) (at, signature string) {
	for part := range strings.SplitSeq(header, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			at = value
		case "sig":
			signature = value
		}
	}
	return at, signature
}

func reply(status int, s sdk.OutcomeStatus) *sdk.Outcome {
	return &sdk.Outcome{Status: s, Reply: &sdk.Reply{Status: status}}
}
