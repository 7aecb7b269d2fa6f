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
	data, refused := post(c, sdk.Mutation(name, selection), input, repeatable)
	if refused != nil {
		c.End(sdk.Declined(refused))
	}
	return data.Get(name)
}

// post sends a document and returns its data, or why Braintree refused to work on it.
func post(c *sdk.Call, document string, input *sdk.Object, repeatable bool) (data sdk.JSON, refused *sdk.Decline) {
	send := sdk.GraphQLSend("", document, input, c.BasicAuth(publicKey, privateKey), sdk.H("Braintree-Version", apiVersion))
	send.SafeToRepeat = repeatable
	r := sdk.Must(c.Do(send))
	data, list := r.GraphQL()
	if list.Exists() && (r.OK() || r.Refuses()) {
		return data, refusal(list)
	}
	sdk.Require(r.OK() && data.IsObject(), errors.New("not a whole answer of the GraphQL API"))
	return data, nil
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
