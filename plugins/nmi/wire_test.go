package nmi_test

import (
	"os"
	"testing"

	"payswitch/plugins/nmi"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that are not carried over, and the differences that are meant.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/400":             "the processor may have acted: unknown",
		"decline/420":             "the processor may have acted: unknown",
		"decline/421":             "the processor may have acted: unknown",
		"authorize_processor_3ds": "NMI's own 3-D Secure runs in its script in the merchant's page: the adapter rejects what it cannot do instead of leaving it out",
	},
	Allow: map[string]string{
		"body.amount":                                     "exact decimals of the currency instead of a float's: 10.00, not 10.0; 5000 yen, not 5000.0",
		"body.initiated_by":                               "the card networks want to know who began a payment with a stored credential",
		"body.stored_credential_indicator":                "and whether it is stored or used",
		"body.ipaddress":                                  "NMI recommends the customer's IP address",
		"body.order_description":                          "what is bought",
		"authorize_details body.descriptor":               "the statement descriptor is sent",
		"mandate_payment_by_id body.billing_method":       "and the kind of agreement",
		"setup_mandate_card body.phone":                   "the billing address goes along as with every payment",
		"authorize_external_3ds body.cardholder_auth":     "the result of an authentication done outside is sent",
		"authorize_external_3ds body.cavv":                "the result of an authentication done outside is sent",
		"authorize_external_3ds body.eci":                 "the result of an authentication done outside is sent",
		"authorize_external_3ds body.three_ds_version":    "the result of an authentication done outside is sent",
		"authorize_external_3ds body.directory_server_id": "the result of an authentication done outside is sent",
	},
}

func TestWire(t *testing.T) { wire.Run(t, nmi.Adapter(), os.DirFS("testdata"), facts) }
