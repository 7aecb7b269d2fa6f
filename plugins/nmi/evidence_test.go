package nmi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestInDoubt shows that a transaction on which the processor may have acted is not declined, in an answer and in a query.
func TestInDoubt(t *testing.T) {
	later := sdk.Request{TransactionID: "9876543210", Reference: "ref-1", Amount: usd(1000), Payment: &sdk.PaymentState{Currency: "USD", Requested: 2499, Authorized: 2499}}
	for _, code := range []string{"400", "420", "421"} {
		x := answer(200, "response=3&responsetext=Communication+error&transactionid=9876543210&response_code="+code)
		for op, r := range map[sdk.Operation]sdk.Request{sdk.OpAuthorize: {Reference: "ref-1", Amount: usd(2499), Instrument: card()},
			sdk.OpCapture: later, sdk.OpVoid: later, sdk.OpRefund: later} {
			require.Equal(t, sdk.StatusUnknown, play(t, op, r, x).Status, "%s %s", op, code)
		}
		failed := strings.Replace(action("sale", "24.99", "0"), "</action>", "<response_code>"+code+"</response_code></action>", 1)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, later, transaction("<condition>failed</condition>"+failed)).Status, code)
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, later, transaction("<condition>failed</condition>"+failed)).Status, code)
	}
	capture := strings.Replace(action("capture", "24.99", "0"), "</action>", "<response_code>300</response_code></action>", 1)
	p := play(t, sdk.OpSync, later, transaction("<condition>failed</condition>"+action("auth", "24.99", "1")+capture))
	require.Equal(t, sdk.StatusUnknown, p.Status, "a capture that failed says nothing of the payment")
}

// TestPartialApproval shows that a partial approval counts for its part.
func TestPartialApproval(t *testing.T) {
	r := sdk.Request{Reference: "ref-1", Amount: usd(2499), Instrument: card()}
	p := play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&amount_authorized=10.00&response_code=100"))
	require.Equal(t, []any{sdk.StatusCaptured, usd(1000)}, []any{p.Status, *p.Amount})
	for _, amount := range []string{"ten", "0.00", "10.005", "-1"} {
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, r, answer(200, approved+"sale&amount_authorized="+amount+"&response_code=100")).Status, amount)
	}
}

// TestRefundAmounts shows that a refund has the amount of its action, and is unknown without one.
func TestRefundAmounts(t *testing.T) {
	r := sdk.Request{Reference: "ref-2", TransactionID: "9876543210", Amount: usd(700)}
	refund := func(inner string) *sdk.Outcome {
		return play(t, sdk.OpRefundSync, r, transaction("<condition>complete</condition>"+inner)).Outcome
	}
	require.Equal(t, usd(500), *refund(action("refund", "-5.00", "1")).Amount)
	require.Equal(t, usd(700), *refund(action("credit", "7.00", "1")).Amount)
	for _, inner := range []string{"", action("refund", "sixty", "1"), action("refund", "", "1"), action("refund", "7.005", "1"), action("refund", "7.00", "0"), action("sale", "7.00", "1")} {
		require.Equal(t, sdk.StatusUnknown, refund(inner).Status, inner)
	}
}

// TestNotFoundByItsID shows that only our reference proves that there is no payment.
func TestNotFoundByItsID(t *testing.T) {
	const none = "<nm_response></nm_response>"
	for op, r := range map[sdk.Operation]sdk.Request{sdk.OpSync: {Reference: "ref-1", TransactionID: "9876543210", Amount: usd(2499)},
		sdk.OpRefundSync: {Reference: "ref-2", TransactionID: "9876543210", RefundID: "ref-2", Amount: usd(700)}} {
		p := play(t, op, r, answer(200, none))
		require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]}, op)
	}
}
