package adyen

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// webhook reads a standard notification. Each item carries a signature over eight of its fields; of an item nothing else decides
// anything. The time is not among the signed fields: an old message may come again, and then says what was said before.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 200, Headers: []sdk.Header{sdk.H("Content-Type", "text/plain")}, Body: "[accepted]"}}
	message, err := sdk.ParseJSON(c.Request.Webhook.Body)
	if err != nil || !message.Get("notificationItems").IsArray() {
		return sdk.Refuse(400, "not a notification"), nil
	}
	for item := range message.Get("notificationItems").All() {
		n := item.Get("NotificationRequestItem")
		text := signedText(n)
		if strings.Count(text, ":") != signedFields-1 {
			continue // a colon within a field: not ours, whose references have none, and the fields could be told in two ways
		}
		c.Signed(webhookSecret, code(c, text), n.Str("additionalData.hmacSignature"))
		if e := event(n); e != nil {
			o.Events = append(o.Events, *e)
		}
	}
	return o, nil
}

// signedFields is how many fields of an item its signature covers.
const signedFields = 8

// signedText is what is signed: the fields joined by colons (docs.adyen.com, "Verify HMAC signatures").
func signedText(n sdk.JSON) string {
	return strings.Join([]string{n.Text("pspReference"), n.Text("originalReference"), n.Text("merchantAccountCode"), n.Text("merchantReference"),
		n.Text("amount.value"), n.Text("amount.currency"), n.Text("eventCode"), n.Text("success")}, ":")
}

// code is the signature of a text: base64 of the HMAC-SHA256 under a key in hexadecimal.
func code(c *sdk.Call, text string) sdk.Expr {
	key := sdk.Fn(sdk.FnUnhex, sdk.Text(c.Account.Credentials[webhookSecret]))
	return sdk.Fn(sdk.FnBase64, sdk.Fn(sdk.FnHMACSHA256, key, sdk.Text(text)))
}

// event is what an item tells; nil for those about nothing of ours. As a sync would, the event of a payment says what has become of the
// payment: after a cancel that failed it is still authorized. A capture that failed is named by its own reference.
func event(n sdk.JSON) *sdk.Event {
	id, original, code := n.Str("pspReference"), n.Str("originalReference"), n.Str("eventCode")
	success := n.Text("success") == "true"
	e := &sdk.Event{Object: "payment", TransactionID: cmp.Or(original, id), Reference: n.Str("merchantReference"), AccountID: n.Str("merchantAccountCode")}
	o := &sdk.Outcome{TransactionID: e.TransactionID, Amount: money(n.Get("amount")), Raw: map[string]string{"event_code": code, "success": n.Text("success")}}
	e.Outcome = o
	switch code {
	case "AUTHORISATION":
		o.Status = sdk.StatusAuthorized
		if o.Amount != nil && o.Amount.Minor == 0 {
			o.Status = sdk.StatusVerified
		}
		if !success {
			declined(o, n)
		}
	case "CAPTURE", "CAPTURE_FAILED":
		o.CaptureID, o.Status = id, sdk.StatusCaptured
		if !success || code == "CAPTURE_FAILED" {
			declined(o, n)
		}
	case "CANCELLATION", "EXPIRE":
		o.Status, o.Amount = sdk.StatusVoided, nil
		if !success {
			o.Status = sdk.StatusAuthorized
		}
	case "AUTHORISATION_ADJUSTMENT":
		o.Status = sdk.StatusAuthorized
		if !success {
			o.Amount = nil
		}
	case "OFFER_CLOSED":
		if !success {
			return nil
		}
		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, &sdk.Decline{Code: code, Message: n.Str("reason"), Reason: sdk.DeclineAbandoned}
	case "REFUND", "REFUND_FAILED", "REFUNDED_REVERSED", "REFUND_REVERSED":
		e.Object, e.RefundID, o.RefundID, o.Status = "refund", id, id, sdk.StatusRefunded
		if !success || code != "REFUND" {
			declined(o, n)
		}
	case "NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK", "PREARBITRATION_WON", "PREARBITRATION_LOST":
		e.Object, e.Outcome = "dispute", nil
	default:
		return nil
	}
	return e
}

// declined makes the outcome a refusal. Its reason is told in words, which are not signed: they explain and decide nothing.
func declined(o *sdk.Outcome, n sdk.JSON) {
	o.Status, o.Amount = sdk.StatusDeclined, nil
	code, reason := n.Str("eventCode"), sdk.DeclineGeneric
	if why := n.Text("additionalData.refusalReasonCode"); declines.Of(why) != "" {
		code, reason = why, declines.Of(why)
	}
	o.Decline = sdk.NewDecline(code, n.Str("reason"), reason)
}
