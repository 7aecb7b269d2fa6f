package globalpay

import (
	"strings"

	"payswitch/sdk"
)

// webhook reads a notification: a transaction, signed with the SHA-512 of the body and the app key. The time is not
// signed, so the adapter asks for the payment, and a repeated old message has no effect.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	code := sdk.SHA512(sdk.Body(), sdk.Text(c.Account.Credentials[appKey])).Hex()
	c.Signed(appKey, code, strings.ToLower(c.Request.Webhook.Header("X-GP-Signature")))
	j, err := sdk.ParseJSON(c.Request.Webhook.Body)
	if err != nil || j.Str("id") == "" {
		return sdk.Refuse(400, "the message is not a transaction"), nil
	}
	e := sdk.Event{Object: "payment", Sync: true, TransactionID: j.Str("id"), Reference: j.Str("reference")}
	if j.Str("type") == "REFUND" {
		e = sdk.Event{Object: "refund", Sync: true, RefundID: j.Str("id")}
	}
	return sdk.Handled(e), nil
}
