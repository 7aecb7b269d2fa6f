package cybersource

import (
	"cmp"
	"errors"

	"payswitch/sdk"
)

// A change is something that is done to a payment: a transaction of its own, with an id of its own.
type change struct {
	service  string // its name in Transaction Search
	accepted string // the status that it has there with the reason code of success alone
	statuses sdk.Statuses
}

// The changes of a payment. Of an increment, a partial approval says nothing of the new total.
var (
	captures = &change{"ics_bill", "PENDING",
		sdk.Statuses{{sdk.StatusDeclined, refusals + " " + releases}, {sdk.StatusPending, "PENDING"}, {sdk.StatusCaptured, finished}}}
	reversals = &change{"ics_auth_reversal", "REVERSED",
		sdk.Statuses{{sdk.StatusDeclined, refusals}, {sdk.StatusVoided, releases}, {sdk.StatusPending, "PENDING"}}}
	refunds = &change{"ics_credit", "PENDING",
		sdk.Statuses{{sdk.StatusDeclined, refusals + " " + releases}, {sdk.StatusPending, "PENDING"}, {sdk.StatusRefunded, finished}}}
	increments = &change{"", "",
		sdk.Statuses{{sdk.StatusDeclined, refusals}, {sdk.StatusAuthorized, "AUTHORIZED"}, {sdk.StatusPending, "PENDING " + reviews}}}
)

// read is what has become of the change. The payment keeps its id.
func (k *change) read(r *sdk.Request, a sdk.JSON, status string) *sdk.Outcome {
	o := outcome(a, status, k.statuses)
	id := o.TransactionID
	o.TransactionID = r.TransactionID
	if o.Status == sdk.StatusDeclined {
		o.Reference, o.Checks = "", nil
	}
	switch {
	case k == refunds:
		o.RefundID, o.Amount = id, a.Get("refundAmountDetails").Told("refundAmount", "currency", r.Amount.Currency)
	case o.Status == sdk.StatusDeclined:
	case k == captures: // which refunds refer to
		o.CaptureID, o.ConnectorData, o.Amount = id, sdk.Keep("capture", id), told(r, a, "totalAmount")
	case k == reversals:
		o.Reference = id // for the merchant to look it up
	}
	return o
}

// do asks for the change.
func (k *change) do(c *sdk.Call, method, path string, body *sdk.Object) (*sdk.Outcome, error) {
	a := ask(c, method, path, body)
	return k.read(c.Request, a, a.Str("status")), nil
}

// payment is the path of the payment that the operation is about.
func payment(r *sdk.Request) string { return paymentsPath + sdk.PathEscape(r.TransactionID) }

// capture takes what is held, or a part of it. Cybersource accepts it (PENDING) and hands it on with the day's batch.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	return captures.do(c, "POST", payment(r)+"/captures", sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().Str("commerceIndicator", "internet").
			Obj("captureOptions", sdk.NewObject().Int("captureSequenceNumber", 1).Int("totalCaptureCount", 1))).
		At("orderInformation.amountDetails", amount(r.Amount)).
		Obj("clientReferenceInformation", reference(r)))
}

// void releases what is held: it reverses the authorization, all of it.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	r, p := c.Request, c.Request.Payment
	sdk.Require(p != nil && max(p.Authorized, p.Requested) > 0, sdk.Missing("amount", "the amount that is held is needed"))
	held := sdk.Money{Minor: cmp.Or(p.Authorized, p.Requested), Currency: p.Currency}
	return reversals.do(c, "POST", payment(r)+"/reversals", sdk.NewObject().Obj("clientReferenceInformation", reference(r)).
		Obj("reversalInformation", sdk.NewObject().Obj("amountDetails", amount(held)).OptStr("reason", r.Reason)))
}

// refund gives back what was taken: of the capture where there was one, else of the payment, which was captured with it.
func refund(c *sdk.Call) (*sdk.Outcome, error) {
	r, path := c.Request, payment(c.Request)
	if id := r.KeptText("capture"); id != "" {
		path = "/pts/v2/captures/" + sdk.PathEscape(id)
	}
	return refunds.do(c, "POST", path+"/refunds", sdk.NewObject().
		At("orderInformation.amountDetails", amount(r.Amount)).
		Obj("clientReferenceInformation", reference(r)))
}

// incrementalAuthorize raises what is held. Cybersource is told by how much, and we are told the new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	more := c.Request.Increase()
	return increments.do(c, "PATCH", payment(c.Request), sdk.NewObject().
		Obj("processingInformation", sdk.NewObject().At("authorizationOptions.initiator", sdk.NewObject().Bool("storedCredentialUsed", true)).
			Str("commerceIndicator", "internet")).
		At("orderInformation.amountDetails", sdk.NewObject().Str("additionalAmount", more.Major()).Str("currency", string(more.Currency))))
}

// sync asks what has become of a payment, or of what was done to it.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	captured := r.KeptText("capture")
	switch {
	case r.Resolves == sdk.OpVoid:
		return reversals.find(c, ""), nil
	case r.Resolves == sdk.OpCapture, captured != "":
		o := captures.find(c, captured)
		// A capture that came to nothing says nothing of the payment, which may be held still.
		sdk.Require(r.Resolves == sdk.OpCapture || o.Status != sdk.StatusDeclined, errors.New("the capture failed, which does not tell where the payment is"))
		if r.Resolves != sdk.OpCapture && o.Status == sdk.StatusCaptured && o.Amount == nil && r.Known().Captured > 0 {
			o.Amount = &sdk.Money{Minor: r.Payment.Captured, Currency: r.Amount.Currency}
		}
		return o, nil
	}
	a := transaction(c, r.TransactionID, "ics_auth")
	c.About(a.Str("id"))
	status := statusOf(a, "AUTHORIZED")
	o := paymentOutcome(r, a, status)
	if o.Status == sdk.StatusCaptured {
		o.Status = billed(a, status)
	}
	if r.Resolves == sdk.OpIncrementalAuthorize && o.Status == sdk.StatusAuthorized {
		sdk.Require(o.Amount != nil && *o.Amount == r.Amount, errors.New("what is held is not the new total"))
	}
	return o, nil
}

// billed is what the details of a payment that was to be captured at once say of its capture, the service ics_bill: a payment that was only
// authorized is held. Where the status says that it has been handed on, the services need not be told.
func billed(a sdk.JSON, status string) sdk.OutcomeStatus {
	services := a.Get("applicationInformation.applications")
	bill := services.Where("name", "ics_bill")
	switch result := bill.Text("rCode"); {
	case result == "1":
		return sdk.StatusCaptured
	case result == "0" && status == "AUTHORIZED": // it failed
		return sdk.StatusAuthorized
	case !services.Exists() && status != "AUTHORIZED":
		return sdk.StatusCaptured
	case services.IsArray() && services.Len() > 0 && !bill.Exists() && status == "AUTHORIZED":
		services.Need("0.name")
		return sdk.StatusAuthorized
	}
	sdk.Check(errors.New("the details do not tell whether the payment was captured"))
	return ""
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	return refunds.find(c, c.Request.RefundID), nil
}
