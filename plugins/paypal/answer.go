package paypal

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// undecided returns the error for an answer that decides nothing.
func undecided(a *sdk.Response) error {
	return a.Undecided("no decision", "name", "error", "details.0.issue")
}

// keep stores ids: captures need the authorization's, and refunds the capture's, or look for one of several.
func keep(authorization, capture string, several bool) *sdk.ConnectorData {
	return sdk.Keep(authorizationID, authorization, captureID, capture, severalCaptures, sdk.When(several, "true"))
}

const authorizationID, captureID, severalCaptures = "authorize_id", "capture_id", "several_captures"

// order reads an order. COMPLETED means that there is a payment; the payment's own status shows whether it succeeded.
func order(c *sdk.Call, j sdk.JSON) (o *sdk.Outcome) {
	c.About(j.Str("id"))
	authorization, captured := payments(j)
	several := c.Request.KeptText(severalCaptures) != "" || paymentsOf(j).Get("captures").Len() > 1
	if p := paymentsOf(j).Get("captures").Where("invoice_id", c.Request.CaptureReference); several && p.Exists() {
		captured = p // the one that the sync is about
	}
	switch {
	case captured.Exists() && (!authorization.Exists() || !lost(captured) || c.Request.Resolves == sdk.OpCapture):
		o = payment(c, captured)
	case authorization.Exists():
		o = payment(c, authorization)
		sdk.Expect(o.Status != sdk.StatusCaptured, "the order does not show how much of the authorization was captured")
	default:
		o = unpaid(c, j)
	}
	o.TransactionID, o.ConnectorData = j.Str("id"), keep(authorization.Str("id"), captured.Str("id"), several)
	o.Raw["order_status"] = j.Str("status")
	switch d := o.Decline; j.Str("payment_source.card.brand") {
	case "VISA":
		if d != nil && visaStops.Of(d.AdviceCode) != "" {
			d.Reason, d.RetryElsewhere = sdk.DeclineStopRecurring, false
		}
	case "AMEX":
		o.Checks = amexChecks.Read(o.Raw["cvv_code"], o.Raw["avs_code"])
	}
	if v := j.Get("payment_source.card.attributes.vault"); c.Request.Stores() && v.Str("status") == "VAULTED" {
		o.StoredCredential = sdk.StoredAs(v.Str("id"), v.Str("customer.id"))
	}
	return o
}

// visaStops are the advice codes by which a Visa cardholder has stopped payments: 02 one, 03 all of the merchant, 21
// all with the card. "The merchant must NOT resubmit the same transaction" (developer.paypal.com, Orders API,
// processor_response.payment_advice_code). For Mastercard 02 means to try again later.
var visaStops = sdk.Names{{"stopped", "02 03 21"}}

// paymentsOf returns the lists of an order's payments: authorizations, captures and refunds.
func paymentsOf(order sdk.JSON) sdk.JSON { return order.Get("purchase_units.0.payments") }

// payments returns the authorization and the capture that decide about an order.
func payments(order sdk.JSON) (authorization, capture sdk.JSON) {
	all := paymentsOf(order)
	return last(all.Get("authorizations")), last(all.Get("captures"))
}

// last returns the last payment that was not lost, else the last.
func last(all sdk.JSON) (found sdk.JSON) {
	for p := range all.All() {
		if !found.Exists() || lost(found) || !lost(p) {
			found = p
		}
	}
	return found
}

// statuses are the statuses of authorizations and captures.
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "CREATED"},
	{sdk.StatusCaptured, "CAPTURED COMPLETED PARTIALLY_CAPTURED REFUNDED PARTIALLY_REFUNDED"},
	{sdk.StatusPending, "PENDING"},
	{sdk.StatusDeclined, "DECLINED DENIED FAILED"},
	{sdk.StatusVoided, "VOIDED EXPIRED"},
}

// lost reports whether a payment was declined, failed or voided.
func lost(p sdk.JSON) bool {
	s := statuses.Of(p.Str("status"))
	return s == sdk.StatusDeclined || s == sdk.StatusVoided
}

// orders are the statuses of orders that show no payment.
var orders = sdk.Statuses{{sdk.StatusCustomerAction, "PAYER_ACTION_REQUIRED"},
	{sdk.StatusPending, "CREATED SAVED APPROVED PENDING"}, {sdk.StatusVoided, "VOIDED"}}

// unpaid returns the outcome of an order without a payment.
func unpaid(c *sdk.Call, j sdk.JSON) *sdk.Outcome {
	o := &sdk.Outcome{Status: orders.Must(j.Str("status")), Raw: map[string]string{}}
	switch o.Status {
	case sdk.StatusVoided:
		o.Status, o.Decline = c.Gone(), &sdk.Decline{Code: "VOIDED", Message: "the order has been voided",
			Reason: sdk.DeclineAbandoned}
	case sdk.StatusCustomerAction:
		o.Redirect(j.Get("links").Where("rel", "payer-action").Str("href"))
	}
	return o
}

func payment(c *sdk.Call, p sdk.JSON) *sdk.Outcome {
	o := &sdk.Outcome{Status: statuses.Must(p.Str("status")),
		NetworkTransactionID: p.Str("network_transaction_reference.id"),
		Raw: p.Pick("status", "reason=status_details.reason", "response_code=processor_response.response_code",
			"avs_code=processor_response.avs_code", "cvv_code=processor_response.cvv_code",
			"payment_advice_code=processor_response.payment_advice_code")}
	o.Checks = checks.Read(o.Raw["cvv_code"], o.Raw["avs_code"])
	switch o.Status {
	case sdk.StatusVoided:
		o.Status = c.Gone()
	case sdk.StatusPending:
		o.Status = sdk.Choose(o.Raw["reason"] == "PENDING_REVIEW", sdk.StatusReview, sdk.StatusPending)
	case sdk.StatusCaptured:
		o.Amount, o.CaptureID = paid(c, p), p.Str("id")
	case sdk.StatusAuthorized:
		o.Amount = paid(c, p)
	}
	if o.Status == sdk.StatusDeclined {
		o.Decline = declineOf(o.Raw)
	}
	sdk.Require(o.Amount == nil || o.Amount.Positive(), sdk.ErrNoAmount)
	return o
}

// paid returns the amount of a payment or refund, which must be in the requested currency.
func paid(c *sdk.Call, p sdk.JSON) *sdk.Money {
	m := p.MajorIn("amount.value", "amount.currency_code", c.Request.Amount.Currency)
	sdk.Require(m != nil && m.Minor >= 0 && p.Has("amount.currency_code"), sdk.ErrNoAmount)
	return m
}

// checks are the codes of address and CVC checks; the digits are Maestro's.
var checks = sdk.CheckCodes{
	CVC:        sdk.Results{{sdk.CheckPass, "M Y 0"}, {sdk.CheckFail, "N 1"}, {sdk.CheckUnchecked, "P 2 3"}},
	Line1:      sdk.Results{{sdk.CheckPass, "D F M X Y A B 0"}, {sdk.CheckFail, "P W Z C N 1"}, {sdk.CheckUnchecked, "3"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "D F M X Y P W Z 0"}, {sdk.CheckFail, "A B C N 1"}, {sdk.CheckUnchecked, "3"}},
	Other:      sdk.CheckUnavailable,
}

// amexChecks are the codes for American Express (developer.paypal.com, Orders API, processor_response.avs_code).
var amexChecks = sdk.CheckCodes{CVC: checks.CVC, Other: sdk.CheckUnavailable,
	Line1:      sdk.Results{{sdk.CheckPass, "A E F M Y"}, {sdk.CheckFail, "N W X Z"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "E M Y Z"}, {sdk.CheckFail, "N W X"}},
}

// declineOf returns the reason of a declined payment: the card's response code, else the reason of its status.
func declineOf(raw map[string]string) *sdk.Decline {
	code := raw["response_code"]
	if code == "" || code == "0000" { // the issuer approved, and PayPal declined
		code = cmp.Or(raw["reason"], raw["status"])
	}
	d := declines.New(code, raw["reason"], "")
	d.Message, d.AdviceCode = cmp.Or(d.Message, raw["status"]), raw["payment_advice_code"]
	return d
}

// refused reads an answer without the requested resource. A 4xx with PayPal's own error is a refusal.
func refused(a *sdk.Response) *sdk.Outcome {
	j := a.JSON()
	name, issue, message := j.Str("name"), "", ""
	for d := range j.Get("details").All() { // the first known issue decides, unless one leaves the result open
		switch v := d.Str("issue"); {
		case declines.InDoubt(v): // another request of this payment was or is being processed
			sdk.Check(undecided(a))
		case issue == "" || declines.Of(issue) == "" && declines.Of(v) != "":
			issue, message = v, d.Str("description")
		}
	}
	if name == "" && a.Status == 401 { // errors of OAuth have another form
		name, message = j.Str("error"), j.Str("error_description")
	}
	sdk.Require(a.Refuses() && name != "", undecided(a))
	o := sdk.Declined(declines.New(cmp.Or(issue, name), cmp.Or(message, j.Str("message")), declines.Of(name)))
	o.Raw = map[string]string{"name": name, "debug_id": j.Str("debug_id")}
	return o
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
