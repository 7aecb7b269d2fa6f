package stripe

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// An intent is one of Stripe's two kinds: the fields of its latest attempt and error, and the meaning of its statuses.
type intent struct {
	object, attempt, failure string
	statuses                 sdk.Statuses
}

var (
	paymentIntent = &intent{"payment_intent", "latest_charge", "last_payment_error", sdk.Statuses{
		{sdk.StatusCaptured, "succeeded"}, {sdk.StatusAuthorized, "requires_capture"},
		{sdk.StatusCustomerAction, "requires_action"},
		// the last three are statuses of a Source that the payment uses
		{sdk.StatusPending, "processing pending chargeable consumed"},
		{sdk.StatusDeclined, "requires_payment_method failed"}, {sdk.StatusVoided, "canceled"},
	}}
	setupIntent = &intent{"setup_intent", "latest_attempt", "last_setup_error", sdk.Statuses{
		{sdk.StatusVerified, "succeeded"}, {sdk.StatusCustomerAction, "requires_action"}, {sdk.StatusPending, "processing"},
		{sdk.StatusDeclined, "requires_payment_method"}, {sdk.StatusVoided, "canceled"},
	}}
)

// done is the successful end of an operation on an authorized payment.
var done = sdk.Statuses{{sdk.StatusCaptured, "capture"}, {sdk.StatusVoided, "void"},
	{sdk.StatusAuthorized, "incremental_authorize"}}

// read reads an intent.
func (k *intent) read(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	status, card := j.Str("status"), j.Get(k.attempt+".payment_method_details.card")
	o := &sdk.Outcome{Status: cmp.Or(k.statuses.Of(status), sdk.StatusUnknown), TransactionID: j.Str("id"),
		AuthCode: card.Str("authorization_code"), NetworkTransactionID: card.Str("network_transaction_id"),
		Checks: checks(card), Raw: j.Pick("status", "cancellation_reason")}
	if o.TransactionID == "" || j.Str("object") != k.object {
		return sdk.Unknown("the answer is not a " + k.object)
	}
	// one of several captures: the rest is still held (docs.stripe.com/payments/multicapture)
	if o.Status == sdk.StatusAuthorized && j.Int("amount_received") > 0 && j.Int("amount_capturable") < j.Int("amount") {
		o.Status = sdk.StatusCaptured
	}
	switch o.Status {
	case sdk.StatusCaptured:
		o.Amount = money(c, j, "amount_received")
		sdk.Require(o.Amount.Positive(), sdk.ErrNoAmount)
		o.Released = status == "succeeded" && o.Amount.Minor < money(c, j, "amount").Minor
	case sdk.StatusAuthorized:
		o.Amount = money(c, j, "amount_capturable")
		sdk.Require(o.Amount.Positive() && money(c, j, "amount").Positive(), sdk.ErrNoAmount)
		o.Hold = holdOf(c.Request, card)
	case sdk.StatusCustomerAction: // the issuer's page for the authentication
		o.Redirect(j.Str("next_action.redirect_to_url.url"))
		if o.NextAction == nil { // only Stripe's script can run another kind of action
			o.Status, o.Raw["next_action"] = sdk.StatusUnknown, j.Str("next_action.type")
		}
	case sdk.StatusDeclined:
		e := j.Get(k.failure)
		o.Decline = decline(e, status)
		if code := e.Str("decline_code"); code != "" {
			o.Raw["decline_code"] = code
		}
	case sdk.StatusVoided:
		if o.Status = c.Gone(); o.Status == sdk.StatusDeclined {
			why := j.Str("cancellation_reason")
			o.Decline = &sdk.Decline{Code: "canceled", Message: why,
				Reason: sdk.Choose(why == "abandoned", sdk.DeclineAbandoned, sdk.DeclineGeneric)}
		}
	}
	if end := done.Of(string(c.Operation())); end != "" {
		if o.Status != end && o.Status != sdk.StatusPending { // another state proves nothing about the operation
			return &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: o.TransactionID, Raw: j.Pick("status")}
		}
		return o
	}
	if o.Amount != nil && j.Has("latest_charge.amount_refunded") { // the intent includes the whole charge
		o.Totals = &sdk.Totals{Authorized: money(c, j, "amount").Minor, Captured: money(c, j, "amount_received").Minor,
			Refunded: money(c, j, "latest_charge.amount_refunded").Minor}
	}
	stored(c, o, j)
	return o
}

// holdOf returns what Stripe says of a hold about which the request asked; nil if it says nothing.
func holdOf(r *sdk.Request, card sdk.JSON) *sdk.Hold {
	if r.Hold == nil {
		return nil
	}
	says := func(wanted bool, path, yes string) *bool {
		status := card.Str(path + ".status")
		is := status == yes
		return sdk.When(wanted && status != "", &is)
	}
	h := &sdk.Hold{Incremental: says(r.Hold.Incremental, "incremental_authorization", "available"),
		OverCapture: says(r.Hold.OverCapture, "overcapture", "available"),
		Extended:    says(r.Hold.Extended, "extended_authorization", "enabled")}
	if h.Extended != nil {
		h.CaptureBefore = card.Int("capture_before") * 1000
	}
	return sdk.When(*h != sdk.Hold{}, h)
}

// stored is the payment method for later charges, if the payment stores the card.
func stored(c *sdk.Call, o *sdk.Outcome, j sdk.JSON) {
	kept := j.Has("setup_future_usage") || j.Str("object") == setupIntent.object
	if s := c.Request.StoredCredential; s != nil {
		kept = s.First
	}
	if kept && o.Status != sdk.StatusDeclined && o.Status != sdk.StatusUnknown && o.Status != sdk.StatusVoided {
		o.StoredCredential = sdk.StoredAs(id(j, "payment_method"), id(j, "customer"))
	}
}

// id returns the id of an object that may stand in full in place of its id.
func id(j sdk.JSON, path string) string { return j.First(path, path+".id") }

func checks(card sdk.JSON) *sdk.Checks { // Stripe uses the same words
	result := func(path string) sdk.CheckResult { return sdk.CheckResult(card.Str(path)) }
	return sdk.NewChecks(result("checks.cvc_check"), result("checks.address_line1_check"),
		result("checks.address_postal_code_check"))
}

// decline reads the error of an intent or of an answer. Without an error the intent's status is the code.
func decline(e sdk.JSON, status string) *sdk.Decline {
	refused := e.Str("type") == "card_error" || e.Str("code") == "" && status != ""
	otherwise := sdk.Choose(refused, sdk.DeclineGeneric, sdk.DeclineProcessingError)
	d := declines.New(e.First("decline_code", "code"), cmp.Or(e.Str("message"), status), otherwise)
	d.Code = cmp.Or(e.Str("code"), status, e.Str("type"))
	d.NetworkCode, d.AdviceCode = e.Str("network_decline_code"), e.Str("network_advice_code")
	// it stands "in advice codes instead" of deprecated decline codes (docs.stripe.com/declines/codes)
	d.RetryElsewhere = d.RetryElsewhere && e.Str("advice_code") != "do_not_try_again"
	return d
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string

// refundStatuses are the statuses of Refunds. With requires_action Stripe needs the customer's bank details.
var refundStatuses = sdk.Statuses{{sdk.StatusRefunded, "succeeded"}, {sdk.StatusPending, "pending"},
	{sdk.StatusReview, "requires_action"}, {sdk.StatusDeclined, "failed canceled"}}

// refundOutcome reads a Refund.
func refundOutcome(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	status := j.Str("status")
	o := &sdk.Outcome{Status: cmp.Or(refundStatuses.Of(status), sdk.StatusUnknown), RefundID: j.Str("id"),
		TransactionID: id(j, "payment_intent"), Raw: j.Pick("status", "failure_reason")}
	if o.RefundID == "" || j.Str("object") != "refund" {
		return sdk.Unknown("the answer is not a refund")
	}
	why := cmp.Or(j.Str("failure_reason"), status)
	return o.With(func() *sdk.Money { return money(c, j, "amount") },
		func() *sdk.Decline { return declines.New(why, why, "") })
}
