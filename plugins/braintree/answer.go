package braintree

import (
	"cmp"
	_ "embed"
	"errors"

	"payswitch/sdk"
)

// amountOf is the amount of a transaction or refund, nil where the answer has none.
func amountOf(t sdk.JSON, c sdk.Currency) *sdk.Money {
	return t.Told("amount.value", "amount.currencyCode", c)
}

// statuses are what the status of a transaction means to a payment.
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "AUTHORIZED"},
	{sdk.StatusPending, "AUTHORIZING"},
	{sdk.StatusCaptured, "SUBMITTED_FOR_SETTLEMENT SETTLING SETTLED SETTLEMENT_PENDING SETTLEMENT_CONFIRMED"},
	{sdk.StatusVoided, "VOIDED"},
	{sdk.StatusDeclined, "FAILED PROCESSOR_DECLINED GATEWAY_REJECTED SETTLEMENT_DECLINED AUTHORIZATION_EXPIRED AUTHORIZED_EXPIRED"},
}

// refundStatuses are what the status of a refund means. The money is on its way back only once the refund has settled.
var refundStatuses = sdk.Statuses{
	{sdk.StatusRefunded, "SETTLED SETTLEMENT_CONFIRMED"},
	{sdk.StatusPending, "SUBMITTED_FOR_SETTLEMENT SETTLING SETTLEMENT_PENDING AUTHORIZED AUTHORIZING"},
	{sdk.StatusDeclined, "FAILED PROCESSOR_DECLINED GATEWAY_REJECTED SETTLEMENT_DECLINED VOIDED"},
}

// read reads what a transaction and a refund have alike, by what the statuses mean.
func read(c *sdk.Call, t sdk.JSON, means sdk.Statuses) (o *sdk.Outcome, id string) {
	status := t.Str("status")
	o = &sdk.Outcome{Status: means.Must(status), Reference: t.Str("legacyId"), Raw: map[string]string{"status": status}} // the control panel shows the legacy id
	if o.Status == sdk.StatusDeclined {
		o.Decline = declineOf(t)
	} else {
		o.Amount = amountOf(t, c.Request.Amount.Currency)
	}
	moved := o.Status == sdk.StatusAuthorized || o.Status == sdk.StatusCaptured || o.Status == sdk.StatusRefunded
	sdk.Require(!moved || c.Request.Amount.Currency == "" || o.Amount != nil && o.Amount.Minor > 0, errAmount)
	return o, t.Need("id")
}

var errAmount = errors.New("a transaction or refund without its amount")

// paymentOf reads a transaction into the outcome of a payment.
func paymentOf(c *sdk.Call, t sdk.JSON) *sdk.Outcome {
	c.About(t.Str("id"))
	o, id := read(c, t, statuses)
	o.TransactionID = id
	switch {
	case o.Status == sdk.StatusVoided && c.Operation() != sdk.OpSync: // an apiRequestKey that is repeated after a void
		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(sdk.JSON{}, "VOIDED")
	case o.Status != sdk.StatusDeclined:
		event := eventOf(t, "AUTHORIZED")
		o.AuthCode, o.Checks = event.Str("processorResponse.authorizationId"), checks(event.Get("processorResponse"))
		o.NetworkTransactionID = t.Str("paymentMethodSnapshot.networkTransactionId")
	}
	return o
}

// refundOf reads a refund.
func refundOf(c *sdk.Call, t sdk.JSON) *sdk.Outcome {
	o, id := read(c, t, refundStatuses)
	o.TransactionID, o.RefundID = c.Request.TransactionID, id
	return o
}

// eventOf is the latest event of a status: the history begins with it.
func eventOf(t sdk.JSON, status string) sdk.JSON {
	return t.Get("statusHistory").Where("status", status)
}

// The results of checks have one vocabulary.
var results = sdk.Results{
	{sdk.CheckPass, "MATCHES"},
	{sdk.CheckFail, "DOES_NOT_MATCH"},
	{sdk.CheckUnchecked, "NOT_PROVIDED BYPASS NOT_APPLICABLE"},
	{sdk.CheckUnavailable, "NOT_VERIFIED ISSUER_DOES_NOT_PARTICIPATE SYSTEM_ERROR"},
}

func checks(r sdk.JSON) *sdk.Checks {
	return sdk.NewChecks(results.Of(r.Str("cvvResponse")), results.Of(r.Str("avsStreetAddressResponse")), results.Of(r.Str("avsPostalCodeResponse")))
}

// declineOf is why a transaction or refund failed: what the event of its status says.
func declineOf(t sdk.JSON) *sdk.Decline {
	return declineFrom(eventOf(t, t.Str("status")), t.Str("status"))
}

// declineFrom reads an event, or a verification, of a status that means a refusal.
func declineFrom(e sdk.JSON, status string) *sdk.Decline {
	network, code, rejection := e.Str("networkResponse.code"), e.Str("processorResponse.legacyCode"), e.Str("gatewayRejectionReason")
	d := declines.New(cmp.Or(code, status), cmp.Or(e.Str("processorResponse.message"), status), sdk.DeclineByCode(network))
	if status == "FAILED" && d.Reason == sdk.DeclineGeneric {
		d = sdk.NewDecline(d.Code, d.Message, sdk.DeclineProcessingError)
	}
	d.RetryElsewhere = d.RetryElsewhere && status != "FAILED" // an error on the way to the processor, which may have acted: Braintree takes nothing, others must not try
	if status == "GATEWAY_REJECTED" && rejection != "" {      // the processor may have approved: the gateway's rules did not
		d = declines.New(rejection, "Gateway rejected: "+rejection, sdk.DeclineBlocked)
	}
	d.NetworkCode, d.AdviceCode = network, e.Str("merchantAdviceCodeResponse.code")
	return d
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
