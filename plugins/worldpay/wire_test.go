package worldpay_test

import (
	"os"
	"testing"

	"payswitch/plugins/worldpay"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, and the intended differences.
var facts = wire.Options{
	Skip: map[string]string{
		"flow/incremental_authorization": "raises only estimated authorizations, for which the Payments API has no field",
	},
	Allow: map[string]string{
		"body.instruction.customerAgreement":                                   "left out instead of null",
		"body.instruction.tokenCreation":                                       "left out instead of null",
		"authorize_minimal body.instruction.paymentInstrument.cardHolderName":  "the card's holder is sent without a billing address, too",
		"authorize_details body.instruction.narrative.*":                       "the payment's own descriptor comes before the account's",
		"authorize_external_3ds body.instruction.threeDS.*":                    "the adapter sends the outside result; Worldpay does not run another",
		"authorize_processor_3ds body.instruction.threeDS.challenge.returnUrl": "the customer comes back to the payment's return URL",
		"refund_sync url":                                       "a refund has no link data of its own: the payment's last event decides",
		"refund_sync_minimal url":                               "a refund has no link data of its own: the payment's last event decides",
		"status/payment_sync/error status":                      "no refusal: the processor may have acted",
		"status/payment_sync/settlementFailed status":           "a failed settlement does not decline the payment",
		"response/sync_settled transaction_id":                  "the payment's link data, not our reference",
		"status/authorize/automatic/sentForCancellation status": "Worldpay reverses the authorization because a check failed: the merchant is not paid",
		"status/authorize/manual/sentForCancellation status":    "Worldpay reverses the authorization because a check failed: the merchant is not paid",
	},
}

func TestWire(t *testing.T) { wire.Run(t, worldpay.Adapter(), os.DirFS("testdata"), facts) }
