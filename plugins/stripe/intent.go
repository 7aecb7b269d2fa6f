package stripe

import (
	"cmp"

	"payswitch/sdk"
)

// intentOutcome reads an answer that is a PaymentIntent, or an error.
func intentOutcome(c *sdk.Call, answer *sdk.Response) *sdk.Outcome {
	if !answer.OK() {
		return notOK(c, answer)
	}
	return intent(c, answer.JSON())
}

// setupOutcome reads an answer that is a SetupIntent, or an error.
func setupOutcome(c *sdk.Call, answer *sdk.Response) *sdk.Outcome {
	if !answer.OK() {
		return notOK(c, answer)
	}
	return setup(c, answer.JSON())
}

// notOK is what an error means: a query that is refused tells nothing of the payment.
func notOK(c *sdk.Call, answer *sdk.Response) *sdk.Outcome {
	if op := c.Operation(); op == sdk.OpSync || op == sdk.OpComplete {
		return unknown(answer)
	}
	return refusal(answer)
}

// intent reads a PaymentIntent.
func intent(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	status := j.Str("status")
	card := j.Get("latest_charge.payment_method_details.card")
	o := &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: j.Str("id"), NetworkTransactionID: card.Str("network_transaction_id"),
		AuthCode: card.Str("authorization_code"), Checks: checks(card), Raw: j.Pick("status", "cancellation_reason")}
	if o.TransactionID == "" || j.Str("object") != "payment_intent" {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "the answer is no PaymentIntent"}}
	}
	cur := currency(j)
	switch status {
	case "succeeded":
		o.Status, o.Amount = sdk.StatusCaptured, money(j, "amount_received", cur)
		held := money(j, "amount", cur)
		o.Released = held != nil && o.Amount != nil && o.Amount.Minor < held.Minor
	case "requires_capture":
		o.Status, o.Amount = sdk.StatusAuthorized, money(j, "amount_capturable", cur)
	case "processing", "pending", "chargeable", "consumed": // the last three are those of a Source that the payment stands on
		o.Status = sdk.StatusPending
	case "requires_action":
		customerAction(o, j)
	case "requires_payment_method", "failed":
		declined(o, j.Get("last_payment_error"), status)
	case "canceled":
		canceled(c, o, j)
	}
	switch c.Operation() {
	case sdk.OpCapture, sdk.OpVoid, sdk.OpIncrementalAuthorize:
		return later(c.Operation(), o, status)
	}
	if o.Amount != nil {
		o.Totals = totals(j, cur)
	}
	stored(c, o, j)
	return o
}

// totals are known where the charge stands in the intent whole.
func totals(j sdk.JSON, c sdk.Currency) *sdk.Totals {
	held, taken, back := money(j, "amount", c), money(j, "amount_received", c), money(j, "latest_charge.amount_refunded", c)
	if held == nil || taken == nil || back == nil {
		return nil
	}
	return &sdk.Totals{Authorized: held.Minor, Captured: taken.Minor, Refunded: back.Minor}
}

// later keeps to what an operation on a held payment can end in: another state of the payment says nothing of the operation.
func later(op sdk.Operation, o *sdk.Outcome, status string) *sdk.Outcome {
	done := map[sdk.Operation]sdk.OutcomeStatus{sdk.OpCapture: sdk.StatusCaptured, sdk.OpVoid: sdk.StatusVoided, sdk.OpIncrementalAuthorize: sdk.StatusAuthorized}
	if o.Status != done[op] && o.Status != sdk.StatusPending {
		return &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: o.TransactionID, Raw: map[string]string{"status": status}}
	}
	return o
}

// setup reads a SetupIntent.
func setup(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	status := j.Str("status")
	card := j.Get("latest_attempt.payment_method_details.card")
	o := &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: j.Str("id"), NetworkTransactionID: card.Str("network_transaction_id"),
		Checks: checks(card), Raw: j.Pick("status", "cancellation_reason")}
	if o.TransactionID == "" || j.Str("object") != "setup_intent" {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "the answer is no SetupIntent"}}
	}
	switch status {
	case "succeeded":
		o.Status = sdk.StatusVerified
	case "processing":
		o.Status = sdk.StatusPending
	case "requires_action":
		customerAction(o, j)
	case "requires_payment_method":
		declined(o, j.Get("last_setup_error"), status)
	case "canceled":
		canceled(c, o, j)
	}
	stored(c, o, j)
	return o
}

// customerAction sends the customer to the page where the issuer authenticates.
func customerAction(o *sdk.Outcome, j sdk.JSON) {
	url := j.Str("next_action.redirect_to_url.url")
	if url == "" { // an action of another kind, which only Stripe's script could run
		o.Raw["next_action"] = j.Str("next_action.type")
		return
	}
	o.Status, o.NextAction = sdk.StatusCustomerAction, &sdk.NextAction{Type: "redirect", URL: url}
}

// declined reads the error that an intent keeps of its last attempt.
func declined(o *sdk.Outcome, e sdk.JSON, status string) {
	o.Status, o.Decline = sdk.StatusDeclined, decline(e, status)
	if code := e.Str("decline_code"); code != "" {
		o.Raw["decline_code"] = code
	}
}

// canceled is voided where there was a payment, and declined where there was to be one.
func canceled(c *sdk.Call, o *sdk.Outcome, j sdk.JSON) {
	switch c.Operation() {
	case sdk.OpAuthorize, sdk.OpVerify, sdk.OpComplete:
		o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: "canceled", Message: j.Str("cancellation_reason"), Reason: sdk.DeclineGeneric}
		if o.Decline.Message == "abandoned" {
			o.Decline.Reason = sdk.DeclineAbandoned
		}
	default:
		o.Status = sdk.StatusVoided
	}
}

// stored tells the payment method that can be charged again, where one was to be stored.
func stored(c *sdk.Call, o *sdk.Outcome, j sdk.JSON) {
	method := id(j, "payment_method")
	kept := j.Has("setup_future_usage") || j.Str("object") == "setup_intent"
	if s := c.Request.StoredCredential; s != nil {
		kept = s.First
	}
	if !kept || method == "" || o.Status == sdk.StatusDeclined || o.Status == sdk.StatusUnknown || o.Status == sdk.StatusVoided {
		return
	}
	o.StoredCredential = &sdk.StoredCredential{ID: method, CustomerID: id(j, "customer")}
}

// id of an object that may stand whole in the place of its id.
func id(j sdk.JSON, path string) string {
	return j.First(path, path+".id")
}

func checks(card sdk.JSON) *sdk.Checks { // Stripe's words are ours
	return sdk.NewChecks(card.Str("checks.cvc_check"), card.Str("checks.address_line1_check"), card.Str("checks.address_postal_code_check"))
}

// refundOutcome reads a Refund.
func refundOutcome(j sdk.JSON) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusUnknown, RefundID: j.Str("id"), TransactionID: id(j, "payment_intent"), Raw: j.Pick("status", "failure_reason")}
	if o.RefundID == "" || j.Str("object") != "refund" {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"error": "the answer is no Refund"}}
	}
	switch status := j.Str("status"); status {
	case "succeeded":
		o.Status, o.Amount = sdk.StatusRefunded, money(j, "amount", currency(j))
	case "pending":
		o.Status = sdk.StatusPending
	case "requires_action": // Stripe needs the customer's bank details
		o.Status = sdk.StatusReview
	case "failed", "canceled":
		why := cmp.Or(j.Str("failure_reason"), status)
		o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: why, Message: why, Reason: cmp.Or(reasons.Of(why), sdk.DeclineGeneric)}
	}
	return o
}
