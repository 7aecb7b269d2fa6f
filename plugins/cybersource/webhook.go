package cybersource

import (
	"strconv"
	"strings"
	"time"

	"payswitch/sdk"
)

// toleranceSeconds is how old a signed message may be.
const toleranceSeconds = 300

// webhook reads a message. Its header v-c-signature holds "t=<ms>;keyId=<id>;sig=<base64>", an HMAC-SHA256 over t, a dot and the body.
// A message says less than Transaction Search does (not whether a payment was captured with its authorization, for one), so every event
// asks for a query.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w, secret := c.Request.Webhook, c.Account.Credentials[webhookSecret]
	header := sdk.HeaderPairs(sdk.HeaderValue(w.Headers, "v-c-signature"), ";")
	at, signature := sdk.HeaderValue(header, "t"), sdk.HeaderValue(header, "sig")
	ms, err := strconv.ParseInt(at, 10, 64)
	if secret == "" || err != nil {
		return sdk.Refuse(401, "no signature, or no key to verify it with"), nil
	}
	signed := sdk.Fn(sdk.FnConcat, sdk.Text(at+"."), sdk.Body())
	ok, err := c.VerifyAny(sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnHMACSHA256, sdk.Fn(sdk.FnUnbase64, sdk.Text(secret)), signed)), signature)
	if err != nil {
		return nil, err
	}
	if !ok || !c.Near(time.UnixMilli(ms), toleranceSeconds*time.Second) {
		return sdk.Refuse(401, "signature missing, wrong or old"), nil
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil || !j.IsObject() {
		return sdk.Refuse(400, "not a message"), nil
	}
	object := objectOf(j.Str("eventType"))
	if object == "" { // a type that we do not know is none of ours to refuse
		return sdk.Handled(), nil
	}
	payload, events := j.Get("payload"), []sdk.Event(nil)
	if payload.IsObject() {
		events = append(events, event(object, payload, ms))
	}
	for p := range payload.All() {
		events = append(events, event(object, p, ms))
	}
	return sdk.Handled(events...), nil
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

func event(object string, p sdk.JSON, ms int64) sdk.Event {
	e := sdk.Event{Object: object, TransactionID: p.Str("data.id"), Reference: p.Str("data.clientReferenceInformation.code"), Sync: true, Time: ms}
	if object == "refund" {
		e.RefundID, e.TransactionID = e.TransactionID, ""
	}
	return e
}
