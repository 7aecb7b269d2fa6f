package globalpay_test

import (
	"os"
	"testing"

	"payswitch/plugins/globalpay"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that are not carried over, and the differences that are meant.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/200":             "the bank may have acted: unknown",
		"decline/205":             "the bank may have acted: unknown",
		"authorize_processor_3ds": "3-D Secure at Global Payments is not run by this adapter: rejected, instead of left out",
	},
	Allow: map[string]string{
		"authorize_minimal body.payment_method.name":                  "the holder as printed on the card goes along",
		"body.capture_sequence":                                       "what is not known is left out; the recorded null says the same",
		"body.reference":                                              "what is not known is left out; the recorded null says the same",
		"void_minimal body":                                           "an object without the amount that is not known",
		"void_minimal body.amount":                                    "what is not known is left out; the recorded null says the same",
		"body.payment_method.card.avs_address":                        "the issuer can check the address",
		"body.payment_method.card.avs_postal_code":                    "the issuer can check the address",
		"authorize_details body.payment_method.narrative":             "the statement descriptor is sent",
		"authorize_external_3ds body.payment_method.authentication.*": "the result of an authentication done outside is sent",
		"authorize_store_card body.initiator":                         "the card networks want to know who began a payment with a stored credential",
		"authorize_store_card body.stored_credential.*":               "and under which agreement",
		"damaged/captured another amount amount":                      "a capture shows what was authorized, which may be more",
		"authorize_store_card body.payment_method.storage_mode":       "the card is kept",
	},
	WebhookSecret: "app_key",
}

func TestWire(t *testing.T) { wire.Run(t, globalpay.Adapter(), os.DirFS("testdata"), facts) }
