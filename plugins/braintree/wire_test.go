package braintree_test

import (
	"os"
	"testing"

	"payswitch/plugins/braintree"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// facts are the intended differences from the recorded requests and answers.
var facts = wire.Options{
	Allow: map[string]string{
		"body.query":                            "the adapter asks for more than id and status: the reason of a failure, amounts, the vaulted card, the network's id, refunds, and the kind of a reversal",
		"body.variables.input.apiRequestKey":    "Braintree's idempotency key",
		"body.variables.input.clientMutationId": "distinguishes token requests",
		"tokenize_minimal body.variables.input.creditCard.cardholderName":         "the holder is the card's, not the name of the billing address",
		"mandate_payment_by_id body.variables.input.transaction.paymentInitiator": "the case is a RECURRING payment; UNSCHEDULED is another kind",
		"response/mit_declined code":                                              "PROCESSOR_DECLINED as Braintree writes it",
		"response/mit_declined message":                                           "PROCESSOR_DECLINED as Braintree writes it",
		"response/refunded status":                                                "SUBMITTED_FOR_SETTLEMENT is on its way: pending, as the status table has it",
	},
	Operation: func(c *wire.Case) sdk.Operation {
		if c.Flow == "reverse" { // the same mutation
			return sdk.OpVoid
		}
		return ""
	},
	WebhookSecret: "private_key",
	Set:           set,
}

func TestWire(t *testing.T) { wire.Run(t, braintree.Adapter(), os.DirFS("testdata"), facts) }

// set puts a decline code into the event of the status.
func set(c *wire.Case, field, value string) bool {
	if field != "processor response code" {
		return false
	}
	at := c.Response.Body
	for _, name := range []string{"data", "chargeCreditCard", "transaction"} {
		m, ok := at.(map[string]any)
		if !ok {
			return false
		}
		at = m[name]
	}
	t, ok := at.(map[string]any)
	if !ok {
		return false
	}
	t["statusHistory"] = []any{map[string]any{"status": t["status"], "processorResponse": map[string]any{"legacyCode": value, "message": "No"}}}
	return true
}
