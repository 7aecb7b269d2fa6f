package bluesnap_test

import (
	"os"
	"testing"

	"payswitch/plugins/bluesnap"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that are not carried over, and the differences that are meant.
var facts = wire.Options{
	Skip: map[string]string{
		"decline/PROCESSING_TIMEOUT": "the processor may have acted: unknown",
		"authorize_processor_3ds":    "BlueSnap's own 3-D Secure runs in its script in the merchant's page: the adapter rejects what it cannot do instead of leaving it out",
	},
	Allow: map[string]string{
		"status/payment_sync/REFUND status":                                 "a refund in the place of its payment does not tell how much was captured",
		"refund_minimal body.transactionMetaData.*":                         "our reference of a refund, which has no field of its own",
		"refund_full body.transactionMetaData.*":                            "our reference of a refund, which has no field of its own",
		"refund_partial body.transactionMetaData.*":                         "our reference of a refund, which has no field of its own",
		"body.cardHolderInfo.*":                                             "the issuer can check the address",
		"body.transactionFraudInfo.shopperIpAddress":                        "BlueSnap looks for fraud by it",
		"authorize_details body.softDescriptor":                             "the statement descriptor is sent",
		"authorize_details body.transactionFraudInfo.shippingContactInfo.*": "BlueSnap looks for fraud by it",
		"authorize_external_3ds body.threeDSecure.*":                        "the result of an authentication done outside is sent",
		"authorize_store_card body.storeCard":                               "the card is stored where that is asked for",
		"authorize_store_card body.transactionInitiator":                    "the card networks want to know who began a payment with a stored credential",
		"webhook/signed transaction_id":                                     "a payment is known by BlueSnap's own id, `referenceNumber`; merchantTransactionId is our reference",
	},
}

func TestWire(t *testing.T) { wire.Run(t, bluesnap.Adapter(), os.DirFS("testdata"), facts) }
