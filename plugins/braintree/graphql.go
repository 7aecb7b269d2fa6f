package braintree

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// Selections: what an answer is to tell.
const (
	money    = ` amount { value currencyCode }`
	response = ` processorResponse { legacyCode message authorizationId cvvResponse avsPostalCodeResponse avsStreetAddressResponse }` +
		` networkResponse { code message }`
	history = ` statusHistory { status` + money +
		` ... on AuthorizedEvent {` + response + ` }` +
		` ... on ProcessorDeclinedEvent {` + response + ` merchantAdviceCodeResponse { code } }` +
		` ... on GatewayRejectedEvent { gatewayRejectionReason` + response + ` }` +
		` ... on FailedEvent {` + response + ` }` +
		` ... on SettlementDeclinedEvent { processorResponse { legacyCode message } } }`
	snapshot    = ` paymentMethodSnapshot { ... on CreditCardTransactionDetails { networkTransactionId } }`
	transaction = ` id legacyId orderId status` + money + ` paymentMethod { id }` + snapshot + history
	refunded    = ` id legacyId orderId status` + money + history
	verified    = ` verification { id status gatewayRejectionReason networkResponse { code message }` + snapshot +
		` processorResponse { legacyCode message cvvResponse avsPostalCodeResponse avsStreetAddressResponse } }`
)

// keyed begins an input with a key, under which Braintree acts once.
func keyed(c *sdk.Call) *sdk.Object { return sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()) }

// mutate asks for a change: one mutation by its name, selecting what of the payload is wanted. repeatable says that the input holds a key, or
// that it does no harm to ask twice. Where Braintree refuses to work, the operation ends with that.
func mutate(c *sdk.Call, name, selection string, input *sdk.Object, repeatable bool) sdk.JSON {
	inputType := strings.ToUpper(name[:1]) + name[1:] + "Input"
	data, refused := post(c, "mutation($input: "+inputType+"!) { "+name+"(input: $input) {"+selection+" } }", input, repeatable)
	if refused != nil {
		c.End(sdk.Declined(refused))
	}
	return data.Get(name)
}

// post sends a query and returns its data, or why Braintree refused to work on it.
func post(c *sdk.Call, query string, input *sdk.Object, repeatable bool) (data sdk.JSON, refused *sdk.Decline) {
	basic := c.Derive(sdk.Basic(c.Account.Credentials[publicKey], c.Account.Credentials[privateKey]))
	send := sdk.JSONSend("POST", "", sdk.NewObject().Str("query", query).Obj("variables", sdk.NewObject().Obj("input", input)),
		sdk.H("Authorization", "Basic "+basic), sdk.H("Braintree-Version", apiVersion))
	send.SafeToRepeat = repeatable
	r := sdk.Must(c.Do(send))
	j := r.JSON()
	data = j.Get("data")
	if list := j.Get("errors"); list.Has("") && !worked(data) && (r.OK() || r.Status/100 == 4) {
		return data, refusal(list)
	}
	sdk.Require(r.OK() && data.IsObject(), errors.New("not a whole answer of the GraphQL API"))
	return data, nil
}

// worked says that there is a result: errors beside it are about fields of it that could not be read.
func worked(data sdk.JSON) bool {
	for _, v := range data.Members() {
		if !v.IsNull() {
			return true
		}
	}
	return false
}

var errErrors = errors.New("errors that do not say that nothing was done")

// refusal reads a list of errors. Only errors of classes that come before any work prove that nothing was done. A repeat is refused as
// invalid while the first request of its apiRequestKey is being worked on, which says nothing of the payment: so an input counts as
// invalid only where a code says in what.
func refusal(list sdk.JSON) *sdk.Decline {
	sdk.Require(list.Len() != 0 && list.IsArray() && !strings.Contains(list.Raw(""), "apiRequestKey"), errErrors)
	for e := range list.All() {
		switch e.Str("extensions.errorClass") {
		case "VALIDATION":
			sdk.Require(e.Text("extensions.legacyCode") != "", errErrors)
		case "AUTHENTICATION", "AUTHORIZATION", "NOT_FOUND", "NOT_IMPLEMENTED", "RESOURCE_LIMIT", "UNSUPPORTED_CLIENT":
		default:
			sdk.Check(errErrors)
		}
	}
	class, code := list.Str("0.extensions.errorClass"), list.Text("0.extensions.legacyCode")
	return declines.New(cmp.Or(code, class), list.Str("0.message"), declines.Of(class))
}

// amountOf is the amount of a transaction or refund, nil where the answer has none. It must be in the currency asked for.
func amountOf(t sdk.JSON, c sdk.Currency) *sdk.Money {
	m := t.MajorIn("amount.value", "amount.currencyCode", c)
	if m == nil && t.Has("amount") {
		sdk.Check(errors.New("an amount that is none in the payment's currency"))
	}
	return m
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

var errStatus = errors.New("a status that is not known, or no id")

// paymentOf reads a transaction into the outcome of a payment.
func paymentOf(t sdk.JSON, currency sdk.Currency) *sdk.Outcome {
	status := t.Str("status")
	o := &sdk.Outcome{Status: statuses.Of(status), TransactionID: t.Str("id"), Reference: t.Str("legacyId"), // which Braintree's control panel shows
		Raw: map[string]string{"status": status}}
	switch {
	case o.Status == "", o.TransactionID == "":
		sdk.Check(errStatus)
	case o.Status == sdk.StatusDeclined:
		o.Decline = declineOf(t)
	default:
		event := eventOf(t, "AUTHORIZED")
		o.Amount, o.AuthCode = amountOf(t, currency), event.Str("processorResponse.authorizationId")
		o.Checks, o.NetworkTransactionID = checks(event.Get("processorResponse")), t.Str("paymentMethodSnapshot.networkTransactionId")
	}
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
