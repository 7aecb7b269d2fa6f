package bluesnap

import "payswitch/sdk"

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

// refund refunds a captured payment. BlueSnap itself voids an unsettled one. A refund has no field for our reference,
// so the reference is its metadata, where the merchant can find it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	body := sdk.NewObject().Str("amount", r.Amount.Major()).OptStr("reason", r.Reason).
		Obj("transactionMetaData", metaData(map[string]string{"refund_reference": r.Reference}))
	a := send(c, "POST", transactionsPath+"/refund/"+sdk.PathEscape(r.TransactionID), body)
	if a.decline != nil {
		return sdk.Declined(a.decline), nil
	}
	o := &sdk.Outcome{TransactionID: r.TransactionID, RefundID: a.Text("refundTransactionId"),
		Raw:    map[string]string{"refund_status": a.Str("refundStatus")},
		Amount: a.Stated("amount", "currency", r.Amount.Currency)}
	switch o.Status = refundStatuses.Of(a.Str("refundStatus")); {
	case o.Status == "":
		return nil, errStatus
	case o.Status == sdk.StatusDeclined:
		o.Amount = nil
		o.Decline = declineOf("FAILED", "REFUND_FAILED", "")
	case o.RefundID == "":
		return nil, errAnswer
	}
	return o, nil
}
