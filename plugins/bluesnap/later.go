package bluesnap

import (
	"errors"

	"payswitch/sdk"
)

// capture captures all or a part of an AUTH_ONLY.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	body := sdk.NewObject().Str("cardTransactionType", "CAPTURE").Str("transactionId", r.TransactionID).
		Str("amount", r.Amount.Major())
	o := transaction(c, send(c, "PUT", transactionsPath, body), "CAPTURE")
	if o.Decline == nil {
		o.CaptureID = o.TransactionID
	}
	return o, nil
}

// void reverses an AUTH_ONLY as a whole.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	a := send(c, "PUT", transactionsPath,
		sdk.NewObject().Str("cardTransactionType", "AUTH_REVERSAL").Str("transactionId", c.Request.TransactionID))
	return transaction(c, a, "AUTH_REVERSAL"), nil
}

var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "SUCCESS"}, {sdk.StatusPending, "PENDING"},
	{sdk.StatusDeclined, "FAILED"}}

// refund refunds a captured payment; BlueSnap itself voids an unsettled one. Its metadata hold our reference.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	body := sdk.NewObject().Str("amount", r.Amount.Major()).OptStr("reason", r.Reason).
		Obj("transactionMetaData", metaData(map[string]string{"refund_reference": r.Reference}))
	a := send(c, "POST", transactionsPath+"/refund/"+sdk.PathEscape(r.TransactionID), body)
	o := &sdk.Outcome{TransactionID: r.TransactionID, RefundID: a.Text("refundTransactionId"),
		Raw:    map[string]string{"refund_status": a.Str("refundStatus")},
		Amount: a.Stated("amount", "currency", r.Amount.Currency)}
	if o.Status = refundStatuses.Must(a.Str("refundStatus")); o.Status == sdk.StatusDeclined {
		o.Amount, o.Decline = nil, declineOf("FAILED", "REFUND_FAILED", "")
	}
	sdk.Require(o.Status == sdk.StatusDeclined || o.RefundID != "", sdk.ErrAnswer)
	return o, nil
}

var errNotDone = errors.New("the authorization has changed, but not by this operation alone")

func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := send(c, "GET", pathOf(c), nil)
	o := transaction(c, a, "")
	if o.Status == sdk.StatusAuthorized && (r.Resolves == sdk.OpCapture || r.Resolves == sdk.OpVoid) {
		return stillHeld(o, a, r)
	}
	return o, nil
}

// pathOf returns the path of the payment: with its id, or with our reference and the merchant's id.
func pathOf(c *sdk.Call) string {
	r, merchant := c.Request, c.Account.Config["merchant_id"]
	if r.TransactionID != "" {
		return transactionsPath + "/" + sdk.PathEscape(r.TransactionID)
	}
	sdk.Require(merchant != "", &sdk.Reject{Code: sdk.RejectConfig, Parameter: "metadata.merchant_id",
		Message: "a look-up by our reference needs the merchant id: set it in the account's metadata"})
	sdk.Require(r.Reference != "",
		sdk.Missing("connector_transaction_id", "the request lacks both an id and a reference"))
	return transactionsPath + "/" + sdk.PathEscape(r.Reference) + "," + sdk.PathEscape(merchant)
}

// stillHeld reads an authorization that is queried because of a capture or void. If its whole amount can still be
// captured, nothing was done. If exactly the operation's amount cannot, the capture was done.
func stillHeld(o *sdk.Outcome, a sdk.JSON, r *sdk.Request) (*sdk.Outcome, error) {
	open := a.Stated("openToCapture", "currency", r.Amount.Currency)
	if open == nil || r.Payment == nil {
		return nil, errNotDone
	}
	taken := r.Payment.Authorized - open.Minor
	if taken == 0 {
		return &sdk.Outcome{Status: sdk.StatusNotFound, TransactionID: o.TransactionID}, nil
	}
	sdk.Require(r.Resolves == sdk.OpCapture && taken == r.Amount.Minor, errNotDone)
	o.Status, o.Amount = sdk.StatusCaptured, &r.Amount
	return o, nil
}

// refundSync retrieves a refund by its id. Without one only the identical request again shows its result.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Expect(r.RefundID != "", "the request lacks the refund's id, the only way to find a refund")
	t := transaction(c, send(c, "GET", transactionsPath+"/"+sdk.PathEscape(r.RefundID), nil), "REFUND")
	return &sdk.Outcome{Status: sdk.Choose(t.Status == sdk.StatusCaptured, sdk.StatusRefunded, t.Status),
		TransactionID: r.TransactionID, RefundID: r.RefundID, Amount: t.Amount, Decline: t.Decline, Raw: t.Raw}, nil
}
