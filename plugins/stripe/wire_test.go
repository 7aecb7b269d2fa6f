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

// facts adapt the tests to the adapter. The cases hold their exceptions themselves.
var facts = wire.Options{}

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
