package globalpay

import "payswitch/sdk"

func path(c *sdk.Call, action string) string {
	return transactionsPath + "/" + sdk.PathEscape(c.Request.TransactionID) + action
}

// capture captures all or a part of an authorization and releases the rest.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	o := transaction(c, post(c, path(c, "/capture"), sdk.NewObject().Str("amount", minor(c.Request.Amount))))
	sdk.Expect(o.Status != sdk.StatusAuthorized, "the answer does not show the capture")
	// these belong to the authorization
	o.NetworkTransactionID, o.AuthCode, o.Released = "", "", o.Status == sdk.StatusCaptured
	return o, nil
}

// void reverses an authorization, or a capture that is in no batch yet.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	known := c.Request.Known()
	amount := sdk.Money{Minor: sdk.Choose(c.Request.VoidCaptured, known.Captured, known.Authorized)}
	body := sdk.NewObject().OptStr("amount", sdk.When(amount.Minor > 0, minor(amount)))
	o := transaction(c, post(c, path(c, "/reversal"), body))
	sdk.Expect(o.Status != sdk.StatusAuthorized && o.Status != sdk.StatusCaptured, "the answer does not show the reversal")
	return o, nil
}

// refund refunds all or a part of a capture.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	a := post(c, path(c, "/refund"), sdk.NewObject().Str("amount", minor(c.Request.Amount)))
	if !a.OK() || a.JSON().Str("id") == "" {
		return refused(a), nil
	}
	return refunded(c, a.JSON())
}

func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	currency := c.Request.Amount.Currency
	o := &sdk.Outcome{Status: refundStatuses.Of(j.Str("status")), RefundID: j.Str("id"),
		TransactionID: c.Request.TransactionID, Raw: raw(j)}
	sdk.Expect(j.Str("type") == "REFUND", "the answer does not hold a refund")
	undecided := func(why string) { // with the refund's id, the only way to find the refund
		o.Status, o.Raw = sdk.StatusUnknown, map[string]string{"error": why}
	}
	switch o.Amount = stated(j, currency); {
	case o.Status == "":
		undecided("the status of the answer is unknown")
	case o.Status == sdk.StatusDeclined && inDoubt(j):
		undecided("the bank may have acted before the error")
	case o.Status == sdk.StatusDeclined:
		o.Decline = declineOf(j)
	case o.Status == sdk.StatusRefunded && o.Amount == nil && currency != "":
		undecided(sdk.ErrNoAmount.Error())
	}
	o.Amount = sdk.When(o.Status == sdk.StatusRefunded, o.Amount)
	return o, nil
}

// refundStatuses of transactions that are refunds.
var refundStatuses = sdk.Statuses{
	{sdk.StatusRefunded, "CAPTURED BATCHED FUNDED"},
	{sdk.StatusPending, "PENDING INITIATED FOR_REVIEW"},
	{sdk.StatusDeclined, "DECLINED FAILED REJECTED REVERSED"},
}

// sync asks for a payment by its id. If the answer with the id was lost, it looks for our reference.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	id := c.Request.TransactionID
	if id == "" {
		a := get(c, transactionsPath+"?page=1&page_size=5&reference="+sdk.QueryEscape(c.Request.Reference))
		sdk.Require(a.OK(), failed(a))
		id = c.Find(a.JSON().Get("transactions"), true, func(t sdk.JSON) bool { // refunds have the payment's reference
			return t.Need("reference") == c.Request.Reference && t.Need("type") != "REFUND"
		}).Need("id")
	}
	return payment(c, fetch(c, id)), nil
}

func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	sdk.Expect(c.Request.RefundID != "", "the request lacks the refund's id, the only way to find a refund")
	return refunded(c, fetch(c, c.Request.RefundID))
}

// fetch asks for a transaction. One of GP API's list may not be available yet.
func fetch(c *sdk.Call, id string) sdk.JSON {
	a := get(c, transactionsPath+"/"+sdk.PathEscape(id))
	given := c.Request.TransactionID != "" || c.Operation() == sdk.OpRefundSync
	c.EndIf(given && a.Status == 404 && a.JSON().Str("error_code") == "RESOURCE_NOT_FOUND", c.OtherAccount)
	sdk.Require(a.OK() && a.JSON().Str("id") != "", failed(a))
	return a.JSON()
}

// webhook reads a notification: a transaction, signed with the SHA-512 of the body and the app key. The time is not
// signed, so the adapter asks for the payment, and a repeated old message has no effect.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	code := sdk.SHA512(sdk.Body(), sdk.Text(c.Account.Credentials["app_key"])).Hex()
	c.Signed("app_key", code, c.Request.Webhook.Header("X-GP-Signature"))
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
