package mollie_test

import (
	"os"
	"strings"
	"testing"

	"payswitch/plugins/mollie"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_external_3ds": "Mollie does not support outside authentications: the adapter rejects them instead of leaving them out",
	},
	Allow: map[string]string{
		"body.cardToken":                           "the token of the call before; without a token Mollie would ask the customer for the card",
		"body.webhookUrl":                          "the account's address for Mollie's messages",
		"body.billingAddress":                      "left out instead of null",
		"body.shippingAddress":                     "left out instead of null",
		"body.cancelUrl":                           "left out instead of null",
		"body.customerId":                          "left out instead of null",
		"body.locale":                              "left out instead of null",
		"body.billingAddress.region":               "the state is sent",
		"authorize_details body.shippingAddress.*": "the shipping address is sent",
		"authorize_details body.metadata.*":        "the merchant's metadata is sent",
		"authorize_store_card body.sequenceType":   "a payment that stores the card is a first one",
		"status/payment_sync/canceled status":      "a payment that is canceled before its authorization is abandoned, not voided",
		"decline/invalid_card_type reason":         "the account does not take this kind of card",
	},
	Answer: func(c *wire.Case, _ int, s *sdk.Send) *wire.Response { // the requests before the payment
		if c.Flow != "tokenize" && strings.HasSuffix(s.URL, "/card-tokens") {
			return &wire.Response{Status: 201, Body: map[string]any{"cardToken": "tkn_1"}}
		}
		return nil
	},
}

func TestWire(t *testing.T) { wire.Run(t, mollie.Adapter(), os.DirFS("testdata"), facts) }
