package braintree

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// Selections: the fields of an answer.
const (
	money    = ` amount { value currencyCode }`
	response = ` processorResponse { legacyCode message authorizationId cvvResponse avsPostalCodeResponse` +
		` avsStreetAddressResponse } networkResponse { code message }`
	history = ` statusHistory { status` + money + ` ... on AuthorizedEvent {` + response + ` }` +
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

// keyed begins an input with a key; Braintree acts once per key.
func keyed(c *sdk.Call) *sdk.Object { return sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()) }

// mutate sends one mutation and returns the selected fields of its payload. repeatable says that the input holds a key,
// or that a repetition does no harm. If Braintree refuses the request, the operation ends with the refusal.
func mutate(c *sdk.Call, name, selection string, input *sdk.Object, repeatable bool) sdk.JSON {
	data, refused := post(c, sdk.Mutation(name, selection), input, repeatable)
	c.EndIf(refused != nil, func() *sdk.Outcome { return sdk.Declined(refused) })
	return data.Get(name)
}

// post sends a document and returns its data, or Braintree's refusal to work on it.
func post(c *sdk.Call, document string, input *sdk.Object, repeatable bool) (data sdk.JSON, refused *sdk.Decline) {
	send := sdk.GraphQLSend("", document, input, c.BasicAuth(publicKey, privateKey),
		sdk.H("Braintree-Version", apiVersion))
	send.SafeToRepeat = repeatable
	return answer(c, send)
}

// query searches objects of a kind, and returns the list of what Braintree found.
func query(c *sdk.Call, kind, inputType, selection, field, value string) sdk.JSON {
	data, refused := post(c, "query($input: "+inputType+"!) { search { "+kind+"(input: $input) { edges { node {"+selection+
		" } } } } }", sdk.NewObject().Obj(field, sdk.NewObject().Str("is", value)), true)
	edges := data.Get("search." + kind + ".edges")
	sdk.Expect(refused == nil && edges.IsArray(), "the answer is not the result of a search")
	return edges
}

// answer sends a request and returns the data of the answer, or Braintree's refusal to work on it.
func answer(c *sdk.Call, send *sdk.Send) (data sdk.JSON, refused *sdk.Decline) {
	r := sdk.Must(c.Do(send))
	data, list := r.GraphQL()
	if list.Exists() && (r.OK() || r.Refuses()) {
		return data, refusal(list)
	}
	sdk.Expect(r.OK() && data.IsObject(), "the answer is not a complete one of the GraphQL API")
	return data, nil
}

// idle are the classes of errors that precede any work.
var idle = sdk.Names{
	{"nothing was done", "AUTHENTICATION AUTHORIZATION NOT_FOUND NOT_IMPLEMENTED RESOURCE_LIMIT UNSUPPORTED_CLIENT"},
}

// refusal reads a list of errors. Only classes that precede any work prove that nothing was done. Invalid input needs a
// code too: Braintree also calls a repetition invalid while it works on the first request of the apiRequestKey.
func refusal(list sdk.JSON) *sdk.Decline {
	proven := list.Len() != 0 && list.IsArray() && !strings.Contains(list.Raw(""), "apiRequestKey")
	for e := range list.All() {
		class, code := e.Str("extensions.errorClass"), e.Text("extensions.legacyCode")
		proven = proven && (idle.Of(class) != "" || class == "VALIDATION" && code != "")
	}
	sdk.Expect(proven, "the answer's errors do not prove that nothing was done")
	class, code := list.Str("0.extensions.errorClass"), list.Text("0.extensions.legacyCode")
	return declines.New(cmp.Or(code, class), list.Str("0.message"), declines.Of(class))
}
