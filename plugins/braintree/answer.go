package braintree

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

// statuses are the meanings of a transaction's status for a payment.
var statuses = sdk.Statuses{
	{sdk.StatusAuthorized, "AUTHORIZED"},
	{sdk.StatusPending, "AUTHORIZING"},
	{sdk.StatusCaptured, "SUBMITTED_FOR_SETTLEMENT SETTLING SETTLED SETTLEMENT_PENDING SETTLEMENT_CONFIRMED"},
	{sdk.StatusVoided, "VOIDED"},
	{sdk.StatusDeclined,
		"FAILED PROCESSOR_DECLINED GATEWAY_REJECTED SETTLEMENT_DECLINED AUTHORIZATION_EXPIRED AUTHORIZED_EXPIRED"},
}

var expired = sdk.Names{{"expired", "AUTHORIZATION_EXPIRED AUTHORIZED_EXPIRED"}}

// refundStatuses are the meanings of a refund's status. The refund is complete once it has settled.
var refundStatuses = sdk.Statuses{
	{sdk.StatusRefunded, "SETTLED SETTLEMENT_CONFIRMED"},
	{sdk.StatusPending, "SUBMITTED_FOR_SETTLEMENT SETTLING SETTLEMENT_PENDING AUTHORIZED AUTHORIZING"},
	{sdk.StatusDeclined, "FAILED PROCESSOR_DECLINED GATEWAY_REJECTED SETTLEMENT_DECLINED VOIDED"},
}

// read reads what transactions and refunds have in common; means gives the meaning of the status.
func read(c *sdk.Call, t sdk.JSON, means sdk.Statuses) (o *sdk.Outcome, id string) {
	status := t.Str("status")
	// the control panel shows the legacy id
	o = &sdk.Outcome{Status: means.Must(status), Reference: t.Str("legacyId"), Raw: map[string]string{"status": status}}
	if o.Status == sdk.StatusDeclined {
		o.Decline = declineFrom(eventOf(t, status), status)
	} else {
		o.Amount = t.Stated("amount.value", "amount.currencyCode", c.Request.Amount.Currency)
	}
	sdk.Require(!o.Status.Approves() || c.Request.Amount.Currency == "" || o.Amount.Positive(), sdk.ErrNoAmount)
	return o, t.Need("id")
}

// paymentOf returns the outcome of a payment's transaction.
func paymentOf(c *sdk.Call, t sdk.JSON) *sdk.Outcome {
	c.About(t.Str("id"))
	o, id := read(c, t, statuses)
	o.TransactionID = id
	switch {
	// a known authorization "spent too much time in the Authorized status", and the bank has released the funds
	// (developer.paypal.com/braintree/docs/reference/general/statuses)
	case expired.Of(t.Str("status")) != "" && c.Operation() == sdk.OpSync && c.Request.Known().Authorized > 0:
		o.Status, o.Decline = sdk.StatusVoided, nil
	case o.Status == sdk.StatusVoided && c.Operation() != sdk.OpSync: // a repeated apiRequestKey after a void
		o.Status, o.Amount, o.Decline = sdk.StatusDeclined, nil, declineFrom(sdk.JSON{}, "VOIDED")
	case o.Status != sdk.StatusDeclined:
		event := eventOf(t, "AUTHORIZED")
		o.AuthCode, o.Checks = event.Str("processorResponse.authorizationId"), checksOf(event)
		o.NetworkTransactionID = t.Str("paymentMethodSnapshot.networkTransactionId")
	}
	return o
}

// refundOf returns the outcome of a refund.
func refundOf(c *sdk.Call, t sdk.JSON) *sdk.Outcome {
	o, id := read(c, t, refundStatuses)
	o.TransactionID, o.RefundID = c.Request.TransactionID, id
	return o
}

// eventOf returns the latest event with a status. The history has the latest first.
func eventOf(t sdk.JSON, status string) sdk.JSON {
	return t.Get("statusHistory").Where("status", status)
}

// checks are the results of all three checks.
var checks = sdk.CheckCodes{CVC: sdk.Results{
	{sdk.CheckPass, "MATCHES"},
	{sdk.CheckFail, "DOES_NOT_MATCH"},
	{sdk.CheckUnchecked, "NOT_PROVIDED BYPASS NOT_APPLICABLE"},
	{sdk.CheckUnavailable, "NOT_VERIFIED ISSUER_DOES_NOT_PARTICIPATE SYSTEM_ERROR"},
}}

func checksOf(event sdk.JSON) *sdk.Checks {
	return checks.At(event.Get("processorResponse"), "cvvResponse", "avsStreetAddressResponse", "avsPostalCodeResponse")
}

// declineFrom reads a refusing event or verification.
func declineFrom(e sdk.JSON, status string) *sdk.Decline {
	network, code := e.Str("networkResponse.code"), e.Str("processorResponse.legacyCode")
	d := declines.New(cmp.Or(code, status), cmp.Or(e.Str("processorResponse.message"), status), sdk.DeclineByCode(network))
	if status == "FAILED" { // the processor may have acted before the error: no other processor may try
		d.Reason = sdk.Choose(d.Reason == sdk.DeclineGeneric, sdk.DeclineProcessingError, d.Reason)
		d.RetryElsewhere = false
	}
	// the gateway's rules refused, though the processor may have approved
	if rejection := e.Str("gatewayRejectionReason"); status == "GATEWAY_REJECTED" && rejection != "" {
		d = declines.New(rejection, "Gateway rejected: "+rejection, sdk.DeclineBlocked)
	}
	d.NetworkCode, d.AdviceCode = network, e.Str("merchantAdviceCodeResponse.code")
	return d
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
