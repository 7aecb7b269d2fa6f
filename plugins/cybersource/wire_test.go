package cybersource_test

import (
	"os"
	"testing"

	"payswitch/plugins/cybersource"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_processor_3ds":   "where 3-D Secure is asked for it is run: the first request is that of `pre_authenticate`",
		"decline/PROCESSOR_TIMEOUT": "the processor may have acted: unknown",
		"decline/SERVER_TIMEOUT":    "the processor may have acted: unknown",
		"decline/SERVICE_TIMEOUT":   "the processor may have acted: unknown",
		"decline/SYSTEM_ERROR":      "the processor may have acted: unknown",
	},
	Allow: map[string]string{
		"headers.digest":           "covers the bytes of the adapter's body, which has no null members",
		"body.deviceInformation.*": "the merchant page's data about the browser, for issuers without the data collection",
		"authorize_minimal body.orderInformation.billTo.firstName":                        "the name on the card, if there is no billing name",
		"authorize_minimal body.orderInformation.billTo.lastName":                         "the name on the card, if there is no billing name",
		"authenticate_minimal body.orderInformation.billTo.firstName":                     "the name on the card, if there is no billing name",
		"authenticate_minimal body.orderInformation.billTo.lastName":                      "the name on the card, if there is no billing name",
		"authorize_details body.merchantInformation.merchantDescriptor.name":              "the adapter sends the statement descriptor",
		"authorize_details body.orderInformation.shipTo.*":                                "the adapter sends the shipping address",
		"authorize_details body.merchantDefinedInformation[0].value":                      "the merchant's value, not its JSON",
		"authorize_details body.merchantDefinedInformation[1].value":                      "the merchant's value, not its JSON",
		"setup_mandate_card body.orderInformation.amountDetails.totalAmount":              "zero with the currency's decimals, like every amount",
		"mandate_payment_by_id body.processingInformation.commerceIndicator":              "a recurring payment has this indicator, whatever the instrument",
		"mandate_payment_by_network_id body.processingInformation.authorizationOptions.*": "the API has merchantInitiatedTransaction inside initiator",
		"pre_authenticate body.clientReferenceInformation.code":                           "every request holds our reference",
		"response/voided transaction_id":                                                  "a payment keeps its id; the reversal's id is the reference",
		"status/authorize/automatic/SERVER_ERROR status":                                  "an error of the server proves nothing: the money may have moved",
		"status/authorize/manual/SERVER_ERROR status":                                     "an error of the server proves nothing: the money may have moved",
		"status/payment_sync/automatic/SERVER_ERROR status":                               "an error of the server proves nothing: the money may have moved",
		"status/payment_sync/manual/SERVER_ERROR status":                                  "an error of the server proves nothing: the money may have moved",
	},
	Input: input,
	Set: func(c *wire.Case, field, value string) bool { // the services of an authorized payment show whether it was captured
		if body, ok := c.Response.Body.(map[string]any); ok && c.Flow == "payment_sync" && value == "AUTHORIZED" {
			body["applicationInformation"] = map[string]any{"status": value, "applications": []any{
				map[string]any{"name": "ics_auth", "rCode": "1"}, map[string]any{"name": "ics_bill", "rCode": "1"}}}
			return true
		}
		return false
	},
}

func TestWire(t *testing.T) { wire.Run(t, cybersource.Adapter(), os.DirFS("testdata"), facts) }

// input adapts the recorded cases to the form in which the host sends the same facts.
func input(c *wire.Case, s *sdk.Step) {
	switch c.Flow {
	case "pre_authenticate":
		s.Request.Request3DS = true
	case "incremental_authorization": // the recorded amount is the increase
		s.Request.Payment.Authorized = 2499
		s.Request.Amount.Minor += 2499
	}
}
