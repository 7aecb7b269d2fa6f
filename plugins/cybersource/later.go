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
		if r.Resolves != sdk.OpCapture && o.Status == sdk.StatusCaptured && o.Amount == nil && r.Known().Captured > 0 {
			o.Amount = &sdk.Money{Minor: r.Payment.Captured, Currency: r.Amount.Currency}
		}
		return o, nil
	}
	a := transaction(c, r.TransactionID, "ics_auth")
	c.About(a.Str("id"))
	o := paymentOutcome(r, a, statusOf(a, "AUTHORIZED"))
	if r.Resolves == sdk.OpIncrementalAuthorize && o.Status == sdk.StatusAuthorized {
		sdk.Require(o.Amount != nil && *o.Amount == r.Amount, errors.New("what is held is not the new total"))
	}
	return o, nil
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	return refunds.find(c, c.Request.RefundID), nil
}
