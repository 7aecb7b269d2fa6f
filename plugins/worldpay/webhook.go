package worldpay

import (
	"strings"

	"payswitch/sdk"
)

const webhookSecret = "webhook_secret"

// webhook reads an event. The adapter then asks for the payment. So a repeated message has no effect; nor has an
// unsigned message, if the account has no secret. A signed message about a refund decides itself, because a query does
// not tell several refunds apart.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	secret := c.Account.Credentials[webhookSecret]
	if secret != "" {
		c.Signed(webhookSecret, sdk.HMACSHA256(sdk.Text(secret).Unhex(), sdk.Body()).Hex(), signatures(c)...)
	}
	j := c.Message()
	details := j.Get("eventDetails")
	sent := sdk.Millis(j.Str("eventTimestamp")) // UTC, with the zone or without
	if sent == 0 || details.Str("classification") != "payment" {
		return sdk.Handled(), nil
	}
	c.FreshAt(sent)
	e := sdk.Event{Object: "payment", Sync: true, Reference: details.Str("transactionReference"), Time: sent}
	kind, reference := details.Str("type"), details.Str("reference")
	if reference != "" && (kind == "refundFailed" || refundEvents.Of(kind) == sdk.StatusRefunded) {
		e.Object, e.Reference, e.RefundID, e.Sync = "refund", reference, reference, secret == ""
		e.Outcome = sdk.When(secret != "", refundOutcome(kind, reference))
	}
	return sdk.Handled(e), nil
}

// signatures returns those of the header, "key id/SHA256/hex,…". There are two during a change of the secret.
func signatures(c *sdk.Call) (all []string) {
	for s := range strings.SplitSeq(c.Request.Webhook.Header("Event-Signature"), ",") {
		_, rest, _ := strings.Cut(strings.TrimSpace(s), "/")
		if method, value, _ := strings.Cut(rest, "/"); strings.EqualFold(method, "SHA256") {
			all = append(all, strings.ToLower(value))
		}
	}
	return all
}
