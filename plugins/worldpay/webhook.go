package worldpay

import (
	"strings"

	"payswitch/sdk"
)

// webhook reads an event, which causes a query. A signed one about a refund decides itself: a query does not tell
// several refunds apart.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	secret := c.Account.Credentials["webhook_secret"]
	if secret != "" {
		c.Signed("webhook_secret", sdk.HMACSHA256(sdk.Text(secret).Unhex(), sdk.Body()).Hex(), signatures(c)...)
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
			all = append(all, value)
		}
	}
	return all
}
