package worldpay

import (
	"strings"
	"time"

	"payswitch/sdk"
)

// webhookTolerance is how old a message may be, in seconds: Worldpay repeats one that was not acknowledged for a week.
const webhookTolerance = 8 * 24 * 3600

// webhook reads an event. What it says is asked for again, so that a repeated message does nothing; one that is not signed, where the
// account has a secret, tells nothing at all.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: sdk.StatusHandled}
	if secret := c.Account.Credentials["webhook_secret"]; secret != "" {
		if signed, err := signed(c, secret); err != nil || !signed {
			return o, err
		}
	}
	j, err := sdk.ParseJSON(c.Request.Webhook.Body)
	if err != nil {
		return o, nil
	}
	details := j.Get("eventDetails")
	sent, known := when(j.Str("eventTimestamp"))
	if !known || c.Now().Sub(sent) > webhookTolerance*time.Second || details.Str("classification") != "payment" {
		return o, nil
	}
	e := sdk.Event{Object: "payment", Sync: true, Reference: details.Str("transactionReference"), Time: sent.UnixMilli()}
	switch details.Str("type") {
	case "sentForRefund", "refunded", "refundFailed":
		if reference := details.Str("reference"); reference != "" {
			e.Object, e.Reference, e.RefundID = "refund", reference, reference
		}
	}
	o.Events = sdk.Handled(e).Events
	return o, nil
}

// signed compares each signature of the header, "key id/SHA256/hex,…", with the code of the body under the secret, which is hex.
func signed(c *sdk.Call, secret string) (bool, error) {
	code := sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Fn(sdk.FnUnhex, sdk.Text(secret)), sdk.Body()))
	var given []string
	for s := range strings.SplitSeq(sdk.HeaderValue(c.Request.Webhook.Headers, "Event-Signature"), ",") {
		_, rest, _ := strings.Cut(strings.TrimSpace(s), "/")
		if method, value, _ := strings.Cut(rest, "/"); strings.EqualFold(method, "SHA256") {
			given = append(given, strings.ToLower(value))
		}
	}
	return c.VerifyAny(code, given...)
}

// when reads a time such as 2026-01-15T10:20:31.000Z; Worldpay also writes it without a zone, and means UTC.
func when(text string) (time.Time, bool) {
	for _, form := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(form, text); err == nil {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
