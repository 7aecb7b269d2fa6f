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

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_external_3ds":  "PayPal does not support outside authentications: the adapter rejects them instead of leaving them out",
		"mandate_payment_minimal": "a payment with a PayPal wallet, not with a card",
		"flow/create_order":       "an order is created together with its card, in one request",
	},
	Allow: map[string]string{
		"body.purchase_units[0].custom_id":                                       "unknown values are left out; the recorded null means the same",
		"body.purchase_units[0].amount.breakdown.tax_total":                      "unknown values are left out; the recorded null means the same",
		"body.purchase_units[0].items[0].tax":                                    "unknown values are left out; the recorded null means the same",
		"body.purchase_units[0].shipping.address":                                "unknown values are left out; the recorded null means the same",
		"body.purchase_units[0].shipping.name.full_name":                         "unknown values are left out; the recorded null means the same; the adapter sends the whole name, not only the first",
		"body.payment_source.card.attributes.vault":                              "unknown values are left out; the recorded null means the same",
		"body.payment_source.card.attributes.verification":                       "unknown values are left out; the recorded null means the same",
		"authorize_minimal body.payment_source.card.billing_address":             "unknown values are left out; the recorded null means the same",
		"authorize_minimal body.payment_source.card.name":                        "the holder as printed on the card, if there is no billing name",
		"setup_mandate_minimal body.payment_source.card.billing_address":         "unknown values are left out; the recorded null means the same",
		"setup_mandate_minimal body.payment_source.card.name":                    "the holder as printed on the card, if there is no billing name",
		"body.purchase_units[0].items[0].quantity":                               "PayPal documents a string",
		"body.purchase_units[0].description":                                     "the adapter sends the merchant's description",
		"authorize_details body.purchase_units[0].soft_descriptor":               "the adapter sends the statement descriptor",
		"authorize_details body.purchase_units[0].shipping.address.admin_area_1": "the adapter sends the whole address",
		"body.payment_source.card.billing_address.address_line_2":                "the adapter sends the whole address",
		"body.payment_source.card.billing_address.admin_area_1":                  "the adapter sends the whole address",
		"body.payment_source.card.stored_credential.*":                           "the card networks require who began a payment with a stored credential",
		"authorize_store_card body.payment_source.card.attributes.vault.*":       "PayPal documents this field for wallets, not for cards",
		"authorize_processor_3ds body.payment_source.card.experience_context.*":  "the URL that the customer comes back to after 3-D Secure",
		"authorize_minimal body.payment_source.card.experience_context.*":        "the URL that the customer comes back to from 3-D Secure, which PayPal runs on its own where the law requires it",
		"body.custom_id":                              "a query finds the refund by our reference",
		"headers.paypal-request-id":                   "a GET needs no idempotency key",
		"access_token body.*":                         "the client authenticates once, in the header: RFC 6749 section 2.3 forbids a second way",
		"access_token_minimal body.*":                 "the client authenticates once, in the header: RFC 6749 section 2.3 forbids a second way",
		"response/voided transaction_id":              "the payment keeps the order's id",
		"status/authorize/automatic/COMPLETED status": "a complete order without its payment proves nothing: the payment may have been declined",
		"status/payment_sync/EXPIRED status":          "an expired authorization holds no money: voided",
		"response/capture_declined message":           "PayPal sends a code without a text; the text is PayPal's name of the code",
		"response/invalid_client status":              "a missing token declines no payment: the operation that needs the token ends as unknown",
	},
	Set: set,
	Input: func(c *wire.Case, s *sdk.Step) {
		if c.Kind != "" { // answers use the input of the first case with 3-D Secure
			s.Request.ThreeDS = nil
		}
	},
}

func TestWire(t *testing.T) { wire.Run(t, paypal.Adapter(), os.DirFS("testdata"), facts) }

// set makes the tables' answers realistic: an order without a payment has none, and a captured payment shows its capture.
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
