package globalpay

import (
	"strings"

	"payswitch/sdk"
)

// webhook reads a notification: a transaction, signed by the SHA-512 of the body and the app key. Nothing signed tells when it was sent,
// so a query follows, and an old one sent again does nothing.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	w, o := c.Request.Webhook, &sdk.Outcome{Status: sdk.StatusHandled}
	signature := strings.ToLower(sdk.HeaderValue(w.Headers, "X-GP-Signature"))
	genuine, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA512, sdk.Fn(sdk.FnConcat, sdk.Body(), sdk.Text(c.Account.Credentials[appKey])))), signature)
	if err != nil {
		return nil, err
	}
	if !genuine {
		o.Reply = &sdk.Reply{Status: 401}
		return o, nil
	}
	j, err := sdk.ParseJSON(w.Body)
	if err != nil || j.Str("id") == "" {
		o.Reply = &sdk.Reply{Status: 400}
		return o, nil
	}
	e := sdk.Event{Object: "payment", Sync: true, TransactionID: j.Str("id"), Reference: j.Str("reference")}
	if j.Str("type") == "REFUND" {
		e = sdk.Event{Object: "refund", Sync: true, RefundID: j.Str("id")}
	}
	o.Events = []sdk.Event{e}
	return o, nil
}
