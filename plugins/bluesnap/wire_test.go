package bluesnap_test

import (
	"os"
	"testing"

	"payswitch/plugins/bluesnap"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/PROCESSING_TIMEOUT": "the processor may have acted: unknown",
		"authorize_processor_3ds":    "BlueSnap's own 3-D Secure runs in a script in the merchant's page: the adapter rejects the request instead of leaving 3-D Secure out",
	},
	Allow: map[string]string{
		"status/payment_sync/REFUND status":                                 "a refund in place of its payment does not show the captured amount",
		"refund_minimal body.transactionMetaData.*":                         "our reference of a refund, which has no field of its own",
		"refund_full body.transactionMetaData.*":                            "our reference of a refund, which has no field of its own",
		"refund_partial body.transactionMetaData.*":                         "our reference of a refund, which has no field of its own",
		"body.cardHolderInfo.*":                                             "the issuer can check the address",
		"body.transactionFraudInfo.shopperIpAddress":                        "BlueSnap's fraud checks use it",
		"authorize_details body.softDescriptor":                             "the statement descriptor is sent",
		"authorize_details body.transactionFraudInfo.shippingContactInfo.*": "BlueSnap's fraud checks use it",
		"authorize_external_3ds body.threeDSecure.*":                        "the adapter sends the outside result",
		"authorize_store_card body.storeCard":                               "the card is stored on request",
		"authorize_store_card body.transactionInitiator":                    "the card networks require who began a payment with a stored credential",
		"webhook/signed transaction_id":                                     "BlueSnap's own id identifies a payment, `referenceNumber`; merchantTransactionId is our reference",
	},
}

func TestWire(t *testing.T) { wire.Run(t, bluesnap.Adapter(), os.DirFS("testdata"), facts) }
