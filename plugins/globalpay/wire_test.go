package globalpay_test

import (
	"os"
	"testing"

	"payswitch/plugins/globalpay"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/200":             "the bank may have acted: unknown",
		"decline/205":             "the bank may have acted: unknown",
		"authorize_processor_3ds": "the adapter does not support 3-D Secure of Global Payments: it rejects the request instead of leaving 3-D Secure out",
	},
	Allow: map[string]string{
		"authorize_minimal body.payment_method.name":                  "the adapter sends the holder as printed on the card",
		"body.capture_sequence":                                       "unknown values are left out; the recorded null means the same",
		"body.reference":                                              "unknown values are left out; the recorded null means the same",
		"void_minimal body":                                           "an object without the unknown amount",
		"void_minimal body.amount":                                    "unknown values are left out; the recorded null means the same",
		"body.payment_method.card.avs_address":                        "the issuer can check the address",
		"body.payment_method.card.avs_postal_code":                    "the issuer can check the address",
		"authorize_details body.payment_method.narrative":             "the statement descriptor is sent",
		"authorize_external_3ds body.payment_method.authentication.*": "the adapter sends the outside result",
		"authorize_store_card body.initiator":                         "the card networks require who began a payment with a stored credential",
		"authorize_store_card body.stored_credential.*":               "the card networks require the agreement",
		"damaged/captured another amount amount":                      "a capture shows the authorized amount, which may be higher",
		"authorize_store_card body.payment_method.storage_mode":       "the payment stores the card",
	},
	WebhookSecret: "app_key",
}

func TestWire(t *testing.T) { wire.Run(t, globalpay.Adapter(), os.DirFS("testdata"), facts) }
