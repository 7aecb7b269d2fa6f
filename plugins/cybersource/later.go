package cybersource

import "payswitch/sdk"

// capture takes what is held, or a part of it. Cybersource accepts it (PENDING) and hands it on with the day's batch. The capture has an
// id of its own, which refunds refer to.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	body := sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().Str("commerceIndicator", "internet").
			Obj("captureOptions", sdk.NewObject().Int("captureSequenceNumber", 1).Int("totalCaptureCount", 1))).
		Obj("orderInformation", sdk.NewObject().Obj("amountDetails", amount(r.Amount))).
		Obj("clientReferenceInformation", reference(r))
	a, err := ask(c, "POST", paymentsPath+sdk.PathEscape(r.TransactionID)+"/captures", body)
	if err != nil {
		return nil, err
	}
	return captureOutcome(r, a, a.Str("status"))
}

func captureOutcome(r *sdk.Request, a sdk.JSON, status string) (*sdk.Outcome, error) {
	o := base(a, status)
	o.CaptureID, o.TransactionID = o.TransactionID, r.TransactionID
	switch {
	case isRefusal(a, status), released(status):
		o = refused(a)
		o.TransactionID = r.TransactionID
		return o, nil
	case o.CaptureID == "":
		return nil, errAnswer
	case status == "PENDING":
		o.Status = sdk.StatusPending
	case status == "TRANSMITTED", status == "SUCCEEDED":
		o.Status = sdk.StatusCaptured
	default:
		return nil, errStatus
	}
	o.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: afterCapture + o.CaptureID}
	return o, nil
}

// afterCapture is connector data: and the capture's id.
const afterCapture = "capture "

// void releases what is held: it reverses the authorization, all of it.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.Payment == nil {
		return nil, sdk.Missing("amount", "the amount that is held is needed")
	}
	held := sdk.Money{Minor: r.Payment.Authorized, Currency: r.Payment.Currency}
	if held.Minor == 0 {
		held.Minor = r.Payment.Requested
	}
	body := sdk.NewObject().Obj("clientReferenceInformation", reference(r)).
		Obj("reversalInformation", sdk.NewObject().Obj("amountDetails", amount(held)).OptStr("reason", r.Reason))
	a, err := ask(c, "POST", paymentsPath+sdk.PathEscape(r.TransactionID)+"/reversals", body)
	if err != nil {
		return nil, err
	}
	return voidOutcome(r, a, a.Str("status"))
}

func voidOutcome(r *sdk.Request, a sdk.JSON, status string) (*sdk.Outcome, error) {
	o := base(a, status)
	switch {
	case isRefusal(a, status):
		o = refused(a)
	case o.TransactionID == "":
		return nil, errAnswer
	case released(status):
		o.Status = sdk.StatusVoided
	case status == "PENDING":
		o.Status = sdk.StatusPending
	default:
		return nil, errStatus
	}
	o.Reference, o.TransactionID = o.TransactionID, r.TransactionID // the reversal's id is for the merchant to look it up
	return o, nil
}

// refund gives back what was taken: of the capture where there was one, else of the payment, which was captured with it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	path := paymentsPath + sdk.PathEscape(r.TransactionID)
	if id := captureID(r); id != "" {
		path = capturesPath + sdk.PathEscape(id)
	}
	body := sdk.NewObject().Obj("orderInformation", sdk.NewObject().Obj("amountDetails", amount(r.Amount))).Obj("clientReferenceInformation", reference(r))
	a, err := ask(c, "POST", path+"/refunds", body)
	if err != nil {
		return nil, err
	}
	return refundOutcome(r, a, a.Str("status"))
}

func refundOutcome(r *sdk.Request, a sdk.JSON, status string) (*sdk.Outcome, error) {
	o := base(a, status)
	o.RefundID, o.TransactionID = o.TransactionID, r.TransactionID
	switch {
	case isRefusal(a, status), released(status):
		id := o.RefundID
		o = refused(a)
		o.RefundID, o.TransactionID = id, r.TransactionID
		return o, nil
	case o.RefundID == "":
		return nil, errAnswer
	case status == "PENDING":
		o.Status = sdk.StatusPending
	case status == "SUCCEEDED", status == "TRANSMITTED":
		o.Status = sdk.StatusRefunded
	default:
		return nil, errStatus
	}
	return o, nil
}

// incrementalAuthorize raises what is held. Cybersource is told by how much, and we are told the new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.Payment == nil || r.Amount.Minor <= r.Payment.Authorized || r.Amount.Currency != r.Payment.Currency {
		return nil, sdk.Invalid("amount", "the new total must be above what is held, in its currency")
	}
	more := sdk.Money{Minor: r.Amount.Minor - r.Payment.Authorized, Currency: r.Amount.Currency}
	body := sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().
			Obj("authorizationOptions", sdk.NewObject().Obj("initiator", sdk.NewObject().Bool("storedCredentialUsed", true))).
			Str("commerceIndicator", "internet")).
		Obj("orderInformation", sdk.NewObject().Obj("amountDetails", sdk.NewObject().Str("additionalAmount", more.Major()).Str("currency", string(more.Currency))))
	a, err := ask(c, "PATCH", paymentsPath+sdk.PathEscape(r.TransactionID), body)
	if err != nil {
		return nil, err
	}
	o := base(a, a.Str("status"))
	switch status := a.Str("status"); {
	case isRefusal(a, status):
		o = refused(a)
	case o.TransactionID == "":
		return nil, errAnswer
	case status == "AUTHORIZED":
		o.Status = sdk.StatusAuthorized
	case status == "PENDING", status == "AUTHORIZED_PENDING_REVIEW", status == "PENDING_REVIEW":
		o.Status = sdk.StatusPending
	default: // a partial approval says nothing of the new total
		return nil, errStatus
	}
	o.TransactionID = r.TransactionID
	return o, nil
}
