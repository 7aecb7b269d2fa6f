package mollie

import (
	"cmp"

	"payswitch/sdk"
)

// capture captures the amount. If Mollie answers "pending", the payment's amountCaptured later shows the capture.
func capture(c *sdk.Call) (*sdk.Outcome, error) {
	answer := request(c, "POST", payment(c, "/captures"), sdk.NewObject().Obj("amount", amount(c.Request.Amount)).
		Str("description", cmp.Or(c.Request.Description, c.Request.Reference)))
	j := answer.JSON()
	sdk.Require(answer.OK() && j.Str("id") != "" && j.Str("resource") == "capture", sdk.ErrAnswer)
	o := &sdk.Outcome{Status: captures.Must(j.Str("status")), TransactionID: c.Request.TransactionID,
		CaptureID: j.Str("id"), Raw: map[string]string{"status": j.Str("status")}}
	return completed(c, j, o), nil
}

// Statuses of captures and refunds.
var (
	captures = sdk.Statuses{{sdk.StatusPending, "pending"}, {sdk.StatusCaptured, "succeeded"},
		{sdk.StatusDeclined, "failed"}}
	refunds = sdk.Statuses{{sdk.StatusPending, "queued pending processing"}, {sdk.StatusRefunded, "refunded"},
		{sdk.StatusDeclined, "failed canceled"}}
)

// void cancels the payment, or after a capture releases the rest. Mollie only promises to try; the payment shows it.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Known().Captured == 0 {
		return readPayment(c, request(c, "DELETE", payment(c, ""), nil)), nil
	}
	sdk.Require(request(c, "POST", payment(c, "/release-authorization"), nil).OK(), sdk.ErrAnswer)
	return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: c.Request.TransactionID}, nil
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	return readRefund(c, request(c, "POST", payment(c, "/refunds"),
		sdk.NewObject().Obj("amount", amount(c.Request.Amount)).OptStr("description", c.Request.Reason).
			Obj("metadata", sdk.NewObject().Str("orderId", c.Request.Reference))))
}

// refundSync asks for a refund by its id. Without an id it looks for our reference among the payment's newest refunds.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.RefundID; id != "" {
		return readRefund(c, query(c, payment(c, "/refunds/"+sdk.PathEscape(id))))
	}
	answer := request(c, "GET", payment(c, "/refunds?limit=250"), nil) // Mollie lists no more at once
	j := answer.JSON()
	sdk.Require(answer.OK(), sdk.ErrAnswer)
	return refundOutcome(c, c.Find(j.Get("_embedded.refunds"), !j.Has("_links.next"), func(x sdk.JSON) bool {
		return x.Str("metadata.orderId") == c.Request.Reference
	}))
}

func readRefund(c *sdk.Call, answer *sdk.Response) (*sdk.Outcome, error) {
	sdk.Require(answer.OK(), sdk.ErrAnswer)
	return refundOutcome(c, answer.JSON())
}

func refundOutcome(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: refunds.Must(j.Str("status")), TransactionID: c.Request.TransactionID,
		RefundID: j.Str("id"), Raw: map[string]string{"status": j.Str("status")}}
	sdk.Require(o.RefundID != "" && j.Str("resource") == "refund", sdk.ErrAnswer)
	return completed(c, j, o), nil
}

// completed adds the amount or the reason of a capture or refund.
func completed(c *sdk.Call, j sdk.JSON, o *sdk.Outcome) *sdk.Outcome {
	return o.With(func() *sdk.Money { return part(c, j, "amount") },
		func() *sdk.Decline { return reasonOf(j, j.Str("status")) })
}

// declined returns the outcome of an operation that Mollie refused. An existing payment can continue at Mollie alone.
func declined(c *sdk.Call, d *sdk.Decline) *sdk.Outcome {
	if c.Request.TransactionID != "" {
		d.RetryElsewhere = false
	}
	return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: c.Request.TransactionID,
		RefundID: c.Request.RefundID, Decline: d}
}
