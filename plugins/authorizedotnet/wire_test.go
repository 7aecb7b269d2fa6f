package authorizedotnet_test

import (
	"os"
	"testing"

	"payswitch/plugins/authorizedotnet"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

const transaction = "body.createTransactionRequest.transactionRequest."

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"authorize_processor_3ds": "Authorize.net runs no 3-D Secure: the adapter rejects the request instead of leaving 3-D Secure out",
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
		"decline/11":              "a duplicate has our own invoice number: a query finds its result, so it is unknown",
	},
	Allow: map[string]string{
		"refund_minimal " + transaction + "order.invoiceNumber":                                            "the adapter finds a refund by it after a lost answer",
		"refund_full " + transaction + "order.invoiceNumber":                                               "the adapter finds a refund by it after a lost answer",
		"refund_partial " + transaction + "order.invoiceNumber":                                            "the adapter finds a refund by it after a lost answer",
		"authorize_details " + transaction + "order.invoiceNumber":                                         "always our reference, by which the adapter finds a payment after a lost answer; a merchant's order number may repeat",
		transaction + "customerIP":                                                                         "the account's fraud filters may use it",
		"authorize_details " + transaction + "shipTo.*":                                                    "fraud filters may also use the shipping address",
		"authorize_external_3ds " + transaction + "cardholderAuthentication.authenticationIndicator":       "the adapter sends the outside result",
		"authorize_external_3ds " + transaction + "cardholderAuthentication.cardholderAuthenticationValue": "the adapter sends the outside result",
		"authorize_store_card " + transaction + "processingOptions.isFirstSubsequentAuth":                  "the card networks require that the payment says that it stores a credential",
		"response/transaction_error transaction_id":                                                        "0 is the id of no transaction",
		"response/refund_error transaction_id":                                                             "0 is the id of no transaction",
		"status/payment_sync/communicationError status":                                                    "the processor may have acted: unknown",
		"status/refund_sync/communicationError status":                                                     "the processor may have acted: unknown",
		"status/payment_sync/generalError status":                                                          "an error with the reason code of an approval: unknown",
		"status/refund_sync/generalError status":                                                           "an error with the reason code of an approval: unknown",
		"status/payment_sync/settlementError status":                                                       "the batch can be reset and settle: unknown",
		"status/payment_sync/couldNotVoid status":                                                          "shows a failed void, and not the state of the payment: unknown",
		"status/payment_sync/refundPendingSettlement status":                                               "a status of refunds alone: unknown",
		"status/payment_sync/refundSettledSuccessfully status":                                             "a status of refunds alone: unknown",
	},
	Operation: func(c *wire.Case) sdk.Operation {
		switch c.Flow {
		case "create_customer": // the first request of a verification
			return sdk.OpVerify
		case "reverse": // a captured, unsettled payment is voided
			return sdk.OpVoid
		}
		return ""
	},
}

func TestWire(t *testing.T) {
	wire.Run(t, authorizedotnet.Adapter(), os.DirFS("testdata"), facts)
}
