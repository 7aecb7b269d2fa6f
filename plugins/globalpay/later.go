package globalpay

import (
	"errors"

	"payswitch/sdk"
)

func path(c *sdk.Call, action string) string {
	return transactionsPath + "/" + sdk.PathEscape(c.Request.TransactionID) + action
}

// capture takes what is held, or a part of it; the rest is released.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	a := post(c, path(c, "/capture"), sdk.NewObject().Str("amount", minor(c.Request.Amount)))
	o, err := transaction(c, a)
	switch {
	case err != nil:
		return nil, err
	case o.Status == sdk.StatusAuthorized:
		return nil, errors.New("not captured yet")
	}
	o.NetworkTransactionID, o.AuthCode, o.Released = "", "", o.Status == sdk.StatusCaptured // they are the authorization's
	return o, nil
}

// void reverses what is held.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	body := sdk.NewObject()
	if p := c.Request.Payment; p != nil && p.Authorized > 0 {
		body.Str("amount", minor(sdk.Money{Minor: p.Authorized}))
	}
	a := post(c, path(c, "/reversal"), body)
	o, err := transaction(c, a)
	if err == nil && (o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured) {
		return nil, errors.New("not reversed")
	}
	return o, err
}

// refund gives (a part of) a capture back.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	a := post(c, path(c, "/refund"), sdk.NewObject().Str("amount", minor(c.Request.Amount)))
	if !a.OK() || a.JSON().Str("id") == "" {
		return refused(a)
	}
	return refunded(c, a.JSON())
}

// refunded reads a transaction that is a refund.
func refunded(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	currency := c.Request.Amount.Currency
	o := &sdk.Outcome{Status: refundStatuses.Of(j.Str("status")), RefundID: j.Str("id"), TransactionID: c.Request.TransactionID, Raw: raw(j)}
	sdk.Require(j.Str("type") == "REFUND", errors.New("not a refund"))
	undecided := func(why error) { // with the refund's id, by which alone it is found
		o.Status, o.Amount, o.Raw = sdk.StatusUnknown, nil, map[string]string{"error": why.Error()}
	}
	switch o.Status {
	case "":
		undecided(errStatus)
	case sdk.StatusDeclined:
		if o.Decline = declineOf(j); inDoubt(j) {
			o.Decline = nil
			undecided(errInDoubt)
		}
	case sdk.StatusRefunded:
		if currency == "" {
			break
		}
		if o.Amount = j.Money("amount", currency); o.Amount == nil || o.Amount.Minor < 0 || j.Str("currency") != string(currency) {
			undecided(errCurrency)
		}
	}
	return o, nil
}

// refundStatuses of transactions that are refunds.
var refundStatuses = sdk.Statuses{
	{sdk.StatusRefunded, "CAPTURED BATCHED FUNDED"},
	{sdk.StatusPending, "PENDING INITIATED FOR_REVIEW"},
	{sdk.StatusDeclined, "DECLINED FAILED REJECTED REVERSED"},
}

// sync asks for a payment by its id, or, where the answer with the id was lost, finds it by our reference.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	id := c.Request.TransactionID
	if id == "" {
		a := get(c, transactionsPath+"?page=1&page_size=5&reference="+sdk.QueryEscape(c.Request.Reference))
		all := a.JSON().Get("transactions")
		if !a.OK() || !all.IsArray() {
			return nil, failed(a)
		}
		t := all.Only(func(t sdk.JSON) bool { return t.Need("reference") == c.Request.Reference && t.Need("type") != "REFUND" }) // refunds carry the payment's
		if !t.Exists() {
			return sdk.NotFound(), nil
		}
		id = t.Need("id")
	}
	a := get(c, transactionsPath+"/"+sdk.PathEscape(id))
	if !a.OK() || a.JSON().Str("id") == "" {
		return missing(c, a)
	}
	return payment(c, a.JSON())
}

// refundSync asks for a refund by its id.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	sdk.Require(c.Request.RefundID != "", errors.New("the refund's id is not known, and GP API finds refunds by nothing else"))
	a := get(c, transactionsPath+"/"+sdk.PathEscape(c.Request.RefundID))
	if !a.OK() || a.JSON().Str("id") == "" {
		return missing(c, a)
	}
	return refunded(c, a.JSON())
}

// missing reads the answer to a question by an id that GP API does not know. An id that it gave is another account's; one that its list shows may be on
// its way.
func missing(c *sdk.Call, a *sdk.Response) (*sdk.Outcome, error) {
	given := c.Request.TransactionID != "" || c.Operation() == sdk.OpRefundSync
	if given && a.Status == 404 && a.JSON().Str("error_code") == "RESOURCE_NOT_FOUND" {
		return c.OtherAccount(), nil
	}
	return nil, failed(a)
}
