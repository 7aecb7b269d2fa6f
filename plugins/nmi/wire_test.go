package nmi_test

import (
	"os"
	"testing"

	"payswitch/plugins/nmi"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/400":             "the processor may have acted: unknown",
		"decline/420":             "the processor may have acted: unknown",
		"decline/421":             "the processor may have acted: unknown",
		"authorize_processor_3ds": "NMI's own 3-D Secure runs in a script in the merchant's page: the adapter rejects the request instead of leaving 3-D Secure out",
	},
	Allow: map[string]string{
		"body.amount":                                     "exact decimals of the currency instead of a float's: 10.00, not 10.0; 5000 yen, not 5000.0",
		"body.initiated_by":                               "the card networks require who began a payment with a stored credential",
		"body.stored_credential_indicator":                "the card networks require whether the payment stores or uses a credential",
		"body.ipaddress":                                  "NMI recommends the customer's IP address",
		"body.order_description":                          "the description of the purchase",
		"authorize_details body.descriptor":               "the statement descriptor is sent",
		"mandate_payment_by_id body.billing_method":       "the card networks require the kind of agreement",
		"setup_mandate_card body.phone":                   "the adapter sends the billing address with every payment",
		"authorize_external_3ds body.cardholder_auth":     "the adapter sends the outside result",
		"authorize_external_3ds body.cavv":                "the adapter sends the outside result",
		"authorize_external_3ds body.eci":                 "the adapter sends the outside result",
		"authorize_external_3ds body.three_ds_version":    "the adapter sends the outside result",
		"authorize_external_3ds body.directory_server_id": "the adapter sends the outside result",
	},
}

func TestWire(t *testing.T) { wire.Run(t, nmi.Adapter(), os.DirFS("testdata"), facts) }
