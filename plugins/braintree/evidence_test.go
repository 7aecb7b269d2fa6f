package braintree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// TestMissingAmounts shows that a transaction or refund without its amount never counts with the requested one.
func TestMissingAmounts(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{Authorized: 2499}}
	for _, amount := range []string{``, `,"amount":null`, `,"amount":{}`, `,"amount":"24.99"`, `,"amount":{"value":"sixty","currencyCode":"USD"}`, `,"amount":{"value":"24.99","currencyCode":{}}`,
		`,"amount":{"value":"24.999","currencyCode":"USD"}`, `,"amount":{"value":"0.00","currencyCode":"USD"}`, `,"amount":{"value":"-1.00","currencyCode":"USD"}`} {
		node := func(status string) string {
			return `{"id":"tx_1","legacyId":"1","status":"` + status + `"` + amount + `}`
		}
		for _, status := range []string{"AUTHORIZED", "SETTLED", "SUBMITTED_FOR_SETTLEMENT"} {
			require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, found("transactions", node(status))).Status, amount)
		}
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpCapture, r, data(`{"captureTransaction":{"transaction":`+node("SETTLING")+`}}`)).Status, amount)
		refund := r
		refund.RefundID = "tx_1"
		require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, refund, found("refunds", node("SETTLED"))).Status, amount)
	}
}

// TestNotFoundByItsID shows that a transaction or refund with Braintree's own id that Braintree does not know belongs to another
// account.
func TestNotFoundByItsID(t *testing.T) {
	p := play(t, sdk.OpSync, sdk.Request{TransactionID: "tx_1", Reference: "ref-1", Amount: usd(2499)}, found("transactions"))
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]})
	p = play(t, sdk.OpRefundSync, sdk.Request{TransactionID: "tx_1", RefundID: "rf_1", Amount: usd(700)}, found("refunds"))
	require.Equal(t, []any{sdk.StatusUnknown, sdk.AlarmOtherAccount}, []any{p.Status, p.Raw["alarm"]})
}

// TestNotElsewhere shows that no other processor is tried if this one's network may have acted.
func TestNotElsewhere(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Reference: "ref-1", Amount: usd(2499)}
	for status, inner := range map[string]string{"FAILED": "", "PROCESSOR_DECLINED": `,"statusHistory":[{"status":"PROCESSOR_DECLINED","processorResponse":{"legacyCode":"3000","message":"Try again"}}]`} {
		p := play(t, sdk.OpSync, r, found("transactions", transaction(status, "24.99", "USD", inner)))
		require.Equal(t, sdk.StatusDeclined, p.Status)
		require.False(t, p.Decline.RetryElsewhere, status)
	}
}
