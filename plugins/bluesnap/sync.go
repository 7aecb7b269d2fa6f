package bluesnap

import (
	"errors"

	"payswitch/sdk"
)

var errNotDone = errors.New("the authorization has changed, but not by this operation alone")

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	o, a := query(c, sdk.Must(pathOf(c)), "")
	if o.Status == sdk.StatusAuthorized && (r.Resolves == sdk.OpCapture || r.Resolves == sdk.OpVoid) {
		return stillHeld(o, a, r)
	}
	return o, nil
}

// query retrieves a transaction of a type, "" for any.
func query(c *sdk.Call, path, kind string) (*sdk.Outcome, answer) {
	a := send(c, "GET", path, nil)
	if a.missing {
		c.End(c.NotFound())
	}
	sdk.Require(a.decline == nil, errAnswer) // the error concerns the query, not the payment
	return transaction(c, a, kind), a
}

// pathOf returns the path of the payment: with its id, or with our reference and the merchant's id.
func pathOf(c *sdk.Call) (string, error) {
	r := c.Request
	if r.TransactionID != "" {
		return transactionsPath + "/" + sdk.PathEscape(r.TransactionID), nil
	}
	merchant := c.Account.Config[merchantID]
	switch {
	case merchant == "":
		return "", &sdk.Reject{Code: sdk.RejectConfig,
			Message:   "a look-up by our reference needs the merchant id: set it in the account's metadata",
			Parameter: "metadata.merchant_id"}
	case r.Reference == "":
		return "", sdk.Missing("connector_transaction_id", "the request lacks both an id and a reference")
	}
	return transactionsPath + "/" + sdk.PathEscape(r.Reference) + "," + sdk.PathEscape(merchant), nil
}

// stillHeld reads an authorization that is queried because of a capture or void. If its whole amount can still be
// captured, nothing was done. If exactly the operation's amount cannot, the capture was done.
func stillHeld(o *sdk.Outcome, a answer, r *sdk.Request) (*sdk.Outcome, error) {
	open := a.Stated("openToCapture", "currency", r.Amount.Currency)
	if open == nil || r.Payment == nil {
		return nil, errNotDone
	}
	switch taken := r.Payment.Authorized - open.Minor; {
	case taken == 0:
		return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: o.TransactionID}, nil
	case r.Resolves == sdk.OpCapture && taken == r.Amount.Minor:
		o.Status, o.Amount = sdk.StatusCaptured, &r.Amount
		return o, nil
	}
	return nil, errNotDone
}

// refundSync retrieves a refund by its id. A webhook reports a refund whose answer was lost.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Expect(r.RefundID != "", "the request lacks the refund's id, the only way to find a refund")
	t, _ := query(c, transactionsPath+"/"+sdk.PathEscape(r.RefundID), "REFUND")
	o := &sdk.Outcome{Status: t.Status, TransactionID: r.TransactionID, RefundID: r.RefundID, Amount: t.Amount,
		Decline: t.Decline, Raw: t.Raw}
	if t.Status == sdk.StatusCaptured {
		o.Status = sdk.StatusRefunded
	}
	return o, nil
}
