package stripe_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/stripe"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

// facts are the cases that do not apply, the intended differences, and the differences between the cases' form and the host's.
var facts = wire.Options{
	Skip: map[string]string{
		"flow/tokenize": "the card stands in the intent itself, which saves a request",
	},
	Allow: map[string]string{
		"authorize_external_3ds body.payment_method_options[card][three_d_secure]*":        "the result of an authentication done elsewhere is sent",
		"authorize_external_3ds body.payment_method_options[card][request_three_d_secure]": "the adapter does not ask Stripe for a second 3-D Secure",
		"another amount amount":                                "what is meant to be collected in the end: what has been is amount_received, what is held amount_capturable",
		"mandate_payment_minimal body.payment_method_types[0]": "the case was recorded for another kind of payment method; the adapter sends cards",
	},
	Input: func(c *wire.Case, s *sdk.Step) {
		if c.Name == "mandate_payment_minimal" { // this case charges the card_token
			s.Request.Instrument = &sdk.Instrument{StoredCredentialID: "probe_pm_token"}
		}
	},
}

func TestWire(t *testing.T) { wire.Run(t, stripe.Adapter(), os.DirFS("testdata"), facts) }

// TestSuite runs the suite of all adapters, with Stripe's answers to every operation.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(stripe.Adapter()), sdktest.Options{}))
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(stripe.Adapter()), sdktest.Options{
		Request: func(op sdk.Operation, r *sdk.Request) {
			if op == sdk.OpAuthorize || op == sdk.OpVerify {
				r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
			}
		},
		Answer: func(op sdk.Operation, i int, s *sdk.Send) sdk.Exchange {
			return sdk.Exchange{Status: 200, Body: []byte(happy(op, i))}
		},
	}))
}

// happy is Stripe's successful answer to send i of an operation, for any amount.
func happy(op sdk.Operation, i int) string {
	intent := func(status string) string {
		return `{"id":"pi_1","object":"payment_intent","payment_method":"pm_1","status":"` + status + `"}`
	}
	switch op {
	case sdk.OpAuthorize, sdk.OpVerify:
		switch {
		case i == 0:
			return `{"id":"cus_1","object":"customer"}`
		case op == sdk.OpVerify:
			return `{"id":"seti_1","object":"setup_intent","payment_method":"pm_1","status":"succeeded"}`
		}
		return intent("requires_capture")
	case sdk.OpVoid:
		return intent("canceled")
	case sdk.OpIncrementalAuthorize:
		return intent("requires_capture")
	case sdk.OpRefund, sdk.OpRefundSync:
		return `{"id":"re_1","object":"refund","payment_intent":"pi_1","status":"succeeded"}`
	}
	return intent("succeeded")
}
