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

// mutate asks for a change: one mutation by its name and the type of its input, selecting what of the payload is wanted. repeatable says
// that the input holds a key, or that it does no harm to ask twice. refused is how the operation ends where Braintree refused to work.
func mutate(c *sdk.Call, name, inputType, selection string, input *sdk.Object, repeatable bool) (payload sdk.JSON, refused *sdk.Outcome, err error) {
	data, decline, err := post(c, "mutation($input: "+inputType+"!) { "+name+"(input: $input) {"+selection+" } }", input, repeatable)
	if decline != nil {
		refused = sdk.Declined(decline)
	}
	return data.Get(name), refused, err
}

// post sends a query and returns its data, or why Braintree refused to work on it. An error means that nobody knows what has become of it.
func post(c *sdk.Call, query string, input *sdk.Object, repeatable bool) (data sdk.JSON, refused *sdk.Decline, err error) {
	basic := c.Derive(sdk.Basic(c.Account.Credentials[publicKey], c.Account.Credentials[privateKey]))
	r, err := c.Do(&sdk.Send{Method: "POST", SafeToRepeat: repeatable,
		Headers: []sdk.Header{sdk.H("Authorization", "Basic "+basic), sdk.H("Braintree-Version", apiVersion), sdk.H("Content-Type", "application/json")},
		Body:    sdk.NewObject().Str("query", query).Obj("variables", sdk.NewObject().Obj("input", input)).Bytes()})
	if err != nil {
		return data, nil, err
	}
	j := r.JSON()
	data = j.Get("data")
	if list := j.Get("errors"); list.Has("") && !worked(data) && (r.OK() || r.Status/100 == 4) {
		refused, err = refusal(list)
		return data, refused, err
	}
	if !r.OK() || !data.IsObject() {
		return data, nil, errors.New("not a whole answer of the GraphQL API")
	}
	return data, nil, nil
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
func refusal(list sdk.JSON) (*sdk.Decline, error) {
	if list.Len() == 0 || !list.IsArray() || strings.Contains(list.Raw(""), "apiRequestKey") {
		return nil, errErrors
	}
	for e := range list.All() {
		switch e.Str("extensions.errorClass") {
		case "VALIDATION":
			if e.Text("extensions.legacyCode") == "" {
				return nil, errErrors
			}
		case "AUTHENTICATION", "AUTHORIZATION", "NOT_FOUND", "NOT_IMPLEMENTED", "RESOURCE_LIMIT", "UNSUPPORTED_CLIENT":
		default:
			return nil, errErrors
		}
	}
	class, code := list.Str("0.extensions.errorClass"), list.Text("0.extensions.legacyCode")
	return sdk.NewDecline(cmp.Or(code, class), list.Str("0.message"), cmp.Or(errorReasons.Of(code), errorReasons.Of(class))), nil
}

// amountOf is the amount of a transaction or refund, nil where the answer has none. It must be in the currency asked for.
func amountOf(t sdk.JSON, c sdk.Currency) (*sdk.Money, error) {
	if !t.Has("amount") {
		return nil, nil
	}
	m := t.Major("amount.value", c)
	if of := t.Str("amount.currencyCode"); m == nil || of != "" && of != string(c) {
		return nil, errors.New("an amount that is none in the payment's currency")
	}
	return m, nil
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
func paymentOf(t sdk.JSON, currency sdk.Currency) (*sdk.Outcome, error) {
	o := &sdk.Outcome{Status: statuses.Of(t.Str("status")), TransactionID: t.Str("id"), Reference: t.Str("legacyId"), // which Braintree's control panel shows
		Raw: map[string]string{"status": t.Str("status")}}
	if o.Status == "" || o.TransactionID == "" {
		return nil, errStatus
	}
	var err error
	if o.Status == sdk.StatusDeclined {
		o.Decline = declineOf(t)
		return o, nil
	}
	if o.Amount, err = amountOf(t, currency); err != nil {
		return nil, err
	}
	event := eventOf(t, "AUTHORIZED")
	o.AuthCode = event.Str("processorResponse.authorizationId")
	o.Checks = checks(event.Get("processorResponse"))
	o.NetworkTransactionID = t.Str("paymentMethodSnapshot.networkTransactionId")
	return o, nil
}

// eventOf is the latest event of a status: the history begins with it.
func eventOf(t sdk.JSON, status string) sdk.JSON {
	for e := range t.Get("statusHistory").All() {
		if e.Str("status") == status {
			return e
		}
	}
	return sdk.JSON{}
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
