package cybersource

import "payswitch/sdk"

// capture takes what is held, or a part of it. Cybersource accepts it (PENDING) and hands it on with the day's batch. The capture has an
// id of its own, which refunds refer to.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	a := ask(c, "POST", payment(r)+"/captures", sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().Str("commerceIndicator", "internet").
			Obj("captureOptions", sdk.NewObject().Int("captureSequenceNumber", 1).Int("totalCaptureCount", 1))).
		Obj("orderInformation", sdk.NewObject().Obj("amountDetails", amount(r.Amount))).
		Obj("clientReferenceInformation", reference(r)))
	return captureOutcome(r, a, a.Str("status")), nil
}

// payment is the path of the payment that the operation is about.
func payment(r *sdk.Request) string { return paymentsPath + sdk.PathEscape(r.TransactionID) }

func captureOutcome(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o, id := change(r, a, status, captures)
	if o.Status != sdk.StatusDeclined {
		o.CaptureID, o.ConnectorData = id, &sdk.ConnectorData{Version: 1, Payment: afterCapture + id}
	}
	return o
}

// afterCapture is connector data: and the capture's id.
const afterCapture = "capture "

// void releases what is held: it reverses the authorization, all of it.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Require(r.Payment != nil, sdk.Missing("amount", "the amount that is held is needed"))
	held := sdk.Money{Minor: r.Payment.Authorized, Currency: r.Payment.Currency}
	if held.Minor == 0 {
		held.Minor = r.Payment.Requested
	}
	a := ask(c, "POST", payment(r)+"/reversals", sdk.NewObject().Obj("clientReferenceInformation", reference(r)).
		Obj("reversalInformation", sdk.NewObject().Obj("amountDetails", amount(held)).OptStr("reason", r.Reason)))
	return voidOutcome(r, a, a.Str("status")), nil
}

func voidOutcome(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o, id := change(r, a, status, reversals)
	if o.Status != sdk.StatusDeclined {
		o.Reference = id // for the merchant to look it up
	}
	return o
}

// refund gives back what was taken: of the capture where there was one, else of the payment, which was captured with it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r, path := c.Request, payment(c.Request)
	if id := captureID(r); id != "" {
		path = capturesPath + sdk.PathEscape(id)
	}
	a := ask(c, "POST", path+"/refunds", sdk.NewObject().Obj("orderInformation", sdk.NewObject().Obj("amountDetails", amount(r.Amount))).
		Obj("clientReferenceInformation", reference(r)))
	return refundOutcome(r, a, a.Str("status")), nil
}

func refundOutcome(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o, id := change(r, a, status, refunds)
	o.RefundID = id
	return o
}

// incrementalAuthorize raises what is held. Cybersource is told by how much, and we are told the new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Require(r.Payment != nil && r.Amount.Minor > r.Payment.Authorized && r.Amount.Currency == r.Payment.Currency,
		sdk.Invalid("amount", "the new total must be above what is held, in its currency"))
	more := sdk.Money{Minor: r.Amount.Minor - r.Payment.Authorized, Currency: r.Amount.Currency}
	a := ask(c, "PATCH", payment(r), sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().
			Obj("authorizationOptions", sdk.NewObject().Obj("initiator", sdk.NewObject().Bool("storedCredentialUsed", true))).
			Str("commerceIndicator", "internet")).
		Obj("orderInformation", sdk.NewObject().Obj("amountDetails",
			sdk.NewObject().Str("additionalAmount", more.Major()).Str("currency", string(more.Currency)))))
	o, _ := change(r, a, a.Str("status"), increments)
	return o, nil
}
