package authorizedotnet_test

import (
	"os"
	"testing"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

const transaction = "body.createTransactionRequest.transactionRequest."

// facts are the cases that are not carried over, and the differences that are meant.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_processor_3ds": "Authorize.net runs no 3-D Secure: the adapter rejects what it cannot do instead of leaving it out",
		"decline/19":              "the processor may have acted: unknown",
		"decline/20":              "the processor may have acted: unknown",
		"decline/21":              "the processor may have acted: unknown",
		"decline/22":              "the processor may have acted: unknown",
		"decline/23":              "the processor may have acted: unknown",
		"decline/25":              "the processor may have acted: unknown",
		"decline/26":              "the processor may have acted: unknown",
		"decline/120":             "the processor may have acted: unknown",
		"decline/121":             "the processor may have acted: unknown",
		"decline/122":             "the processor may have acted: unknown",
		"decline/11":              "a duplicate has our own invoice number: what has become of it only a query tells, so it is unknown",
	},
	Allow: map[string]string{
		"refund_minimal " + transaction + "order.invoiceNumber":                                            "a refund whose answer was lost is found by it",
		"refund_full " + transaction + "order.invoiceNumber":                                               "a refund whose answer was lost is found by it",
		"refund_partial " + transaction + "order.invoiceNumber":                                            "a refund whose answer was lost is found by it",
		"authorize_details " + transaction + "order.invoiceNumber":                                         "always our reference, by which a payment whose answer was lost is found; a merchant's order number may come twice",
		transaction + "customerIP":                                                                         "the account's fraud filters may go by it",
		"authorize_details " + transaction + "shipTo.*":                                                    "and by where the goods go",
		"authorize_external_3ds " + transaction + "cardholderAuthentication.authenticationIndicator":       "the result of an authentication done outside is sent",
		"authorize_external_3ds " + transaction + "cardholderAuthentication.cardholderAuthenticationValue": "the result of an authentication done outside is sent",
		"authorize_store_card " + transaction + "processingOptions.isFirstSubsequentAuth":                  "the card networks want to know that a credential is stored",
		"response/transaction_error transaction_id":                                                        "0 is the id of no transaction",
		"response/refund_error transaction_id":                                                             "0 is the id of no transaction",
		"status/payment_sync/communicationError status":                                                    "the processor may have acted: unknown",
		"status/refund_sync/communicationError status":                                                     "the processor may have acted: unknown",
		"status/payment_sync/generalError status":                                                          "an error beside the reason of an approval: unknown",
		"status/refund_sync/generalError status":                                                           "an error beside the reason of an approval: unknown",
		"status/payment_sync/settlementError status":                                                       "the batch can be reset and settle: unknown",
		"status/payment_sync/couldNotVoid status":                                                          "says that a void failed, and not where the payment is: unknown",
		"status/payment_sync/refundPendingSettlement status":                                               "a refund's, which no payment has: unknown",
		"status/payment_sync/refundSettledSuccessfully status":                                             "a refund's, which no payment has: unknown",
	},
	Operation: func(c *wire.Case) sdk.Operation {
		switch c.Flow {
		case "create_customer": // the first request of a verification
			return sdk.OpVerify
		case "reverse": // what is captured and not settled is voided
			return sdk.OpVoid
		}
		return ""
	},
}

func TestWire(t *testing.T) {
	wire.Run(t, authorizedotnet.Adapter(), os.DirFS("testdata"), facts)
}
