package paypal_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"payswitch/plugins/paypal"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that are not carried over, and the differences that are meant.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_external_3ds":  "PayPal takes no authentication done outside: rejected, instead of left out",
		"mandate_payment_minimal": "a payment with a PayPal wallet, not with a card",
		"flow/create_order":       "an order is created together with its card, in one request",
	},
	Allow: map[string]string{
		"body.purchase_units[0].custom_id":                                       "what is not known is left out; the recorded null says the same",
		"body.purchase_units[0].amount.breakdown.tax_total":                      "what is not known is left out; the recorded null says the same",
		"body.purchase_units[0].items[0].tax":                                    "what is not known is left out; the recorded null says the same",
		"body.purchase_units[0].shipping.address":                                "what is not known is left out; the recorded null says the same",
		"body.purchase_units[0].shipping.name.full_name":                         "what is not known is left out; the recorded null says the same; and the whole name instead of the first one",
		"body.payment_source.card.attributes.vault":                              "what is not known is left out; the recorded null says the same",
		"body.payment_source.card.attributes.verification":                       "what is not known is left out; the recorded null says the same",
		"authorize_minimal body.payment_source.card.billing_address":             "what is not known is left out; the recorded null says the same",
		"authorize_minimal body.payment_source.card.name":                        "the holder as printed on the card, where there is no billing name",
		"setup_mandate_minimal body.payment_source.card.billing_address":         "what is not known is left out; the recorded null says the same",
		"setup_mandate_minimal body.payment_source.card.name":                    "the holder as printed on the card, where there is no billing name",
		"body.purchase_units[0].items[0].quantity":                               "PayPal documents a string",
		"body.purchase_units[0].description":                                     "the merchant's description goes along",
		"authorize_details body.purchase_units[0].soft_descriptor":               "the statement descriptor goes along",
		"authorize_details body.purchase_units[0].shipping.address.admin_area_1": "the whole address goes along",
		"body.payment_source.card.billing_address.address_line_2":                "the whole address goes along",
		"body.payment_source.card.billing_address.admin_area_1":                  "the whole address goes along",
		"body.payment_source.card.stored_credential.*":                           "the card networks want to know who began a payment with a stored credential",
		"authorize_store_card body.payment_source.card.attributes.vault.*":       "PayPal documents this field for wallets, not for cards",
		"authorize_processor_3ds body.payment_source.card.experience_context.*":  "where the customer comes back to after 3-D Secure",
		"authorize_minimal body.payment_source.card.experience_context.*":        "where the customer comes back to from 3-D Secure, which PayPal asks for by itself where the law wants it",
		"body.custom_id":                              "a refund is found again by our reference",
		"headers.paypal-request-id":                   "a GET needs no idempotency key",
		"access_token body.*":                         "the client authenticates once, in the header: RFC 6749 section 2.3 forbids a second way",
		"access_token_minimal body.*":                 "the client authenticates once, in the header: RFC 6749 section 2.3 forbids a second way",
		"response/voided transaction_id":              "the payment keeps the order's id",
		"status/authorize/automatic/COMPLETED status": "an order that is complete without showing its payment proves nothing: the payment may have been declined",
		"status/payment_sync/EXPIRED status":          "an authorization that has run out holds no money: voided",
		"response/capture_declined message":           "PayPal sends a code without a text; its name of the code stands in",
		"response/invalid_client status":              "no token is no decline of anything: the operation that needs it ends as unknown",
	},
	Set: set,
	Input: func(c *wire.Case, s *sdk.Step) {
		if c.Kind != "" { // answers, whose input is the first case's that asks for 3-D Secure
			s.Request.ThreeDS = nil
		}
	},
}

func TestWire(t *testing.T) { wire.Run(t, paypal.Adapter(), os.DirFS("testdata"), facts) }

// set makes the tables' answers ones that PayPal gives: an order without a payment has none, and one that
// has been captured shows by what.
func set(c *wire.Case, field, value string) bool {
	body, _ := c.Response.Body.(map[string]any)
	if body == nil {
		return false
	}
	if field == "status (no payments yet)" {
		delete(body, "purchase_units")
	}
	if strings.Contains(field, "authorizations") && slices.Contains([]string{"CAPTURED", "COMPLETED", "PARTIALLY_CAPTURED", "REFUNDED"}, value) {
		payments := body["purchase_units"].([]any)[0].(map[string]any)["payments"].(map[string]any)
		payments["captures"] = []any{map[string]any{"id": "3C679366HH908993F", "status": "COMPLETED", "amount": map[string]any{"currency_code": "USD", "value": "10.00"}}}
	}
	return false
}
