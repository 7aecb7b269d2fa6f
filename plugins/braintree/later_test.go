package braintree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestCapture(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Amount: usd(1000), Payment: &sdk.PaymentState{Currency: "USD", Authorized: 2499}}
	capture := func(status, amount string) sdk.Exchange {
		return data(`{"captureTransaction":{"transaction":` + transaction(status, amount, "USD", "") + `}}`)
	}
	p := play(t, sdk.OpCapture, r, capture("SUBMITTED_FOR_SETTLEMENT", "10.00"))
	require.Equal(t, []any{sdk.StatusCaptured, int64(1000), true}, []any{p.Status, p.Amount.Minor, p.Released})
	_, in := input(t, p.sends[0])
	require.Equal(t, []any{"op_1-0", "tx_1", "10.00"}, []any{at(in, "apiRequestKey"), at(in, "transactionId"), at(in, "transaction.amount")})
	require.False(t, play(t, sdk.OpCapture, r, capture("SETTLING", "24.99")).Released)
	for status, want := range map[string]sdk.OutcomeStatus{"AUTHORIZED": sdk.StatusUnknown, "AUTHORIZING": sdk.StatusPending, "VOIDED": sdk.StatusDeclined, "SETTLEMENT_DECLINED": sdk.StatusDeclined,
		"AUTHORIZATION_EXPIRED": sdk.StatusDeclined, "NEW": sdk.StatusUnknown} {
		require.Equal(t, want, play(t, sdk.OpCapture, r, capture(status, "10.00")).Status, status)
	}
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpCapture, r, failure("VALIDATION", "91507", "Cannot submit for settlement unless status is authorized.")).Status)
}

func TestVoid(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1"}
	void := func(reversal string) played {
		return play(t, sdk.OpVoid, r, data(`{"reverseTransaction":{"reversal":`+reversal+`}}`))
	}
	require.Equal(t, sdk.StatusVoided, void(`{"__typename":"Transaction","id":"tx_1","status":"VOIDED"}`).Status)
	refunded := void(`{"__typename":"Refund","id":"rf_1","status":"SUBMITTED_FOR_SETTLEMENT"}`)
	require.Equal(t, sdk.StatusUnknown, refunded.Status, "a refund is no void")
	require.Equal(t, "rf_1", refunded.RefundID)
	require.Equal(t, sdk.StatusUnknown, void(`{}`).Status)
	require.Equal(t, sdk.StatusUnknown, void(`{"id":"tx_1","status":"AUTHORIZED"}`).Status)
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpVoid, r, failure("VALIDATION", "91504", "Transaction can only be voided if status is authorized.")).Status)
}

func TestRefund(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Reference: "ref-2", Amount: usd(700)}
	for status, want := range map[string]sdk.OutcomeStatus{"SUBMITTED_FOR_SETTLEMENT": sdk.StatusPending, "SETTLING": sdk.StatusPending, "SETTLEMENT_PENDING": sdk.StatusPending,
		"SETTLED": sdk.StatusRefunded, "PROCESSOR_DECLINED": sdk.StatusDeclined, "FAILED": sdk.StatusDeclined, "VOIDED": sdk.StatusDeclined, "NEW": sdk.StatusUnknown} {
		p := play(t, sdk.OpRefund, r, data(`{"refundTransaction":{"refund":`+transaction(status, "7.00", "USD", "")+`}}`))
		require.Equal(t, want, p.Status, status)
		_, in := input(t, p.sends[0])
		require.Equal(t, []any{"tx_1", "7.00", "ref-2", "acct", "op_1-0"}, []any{at(in, "transactionId"), at(in, "refund.amount"), at(in, "refund.orderId"),
			at(in, "refund.merchantAccountId"), at(in, "apiRequestKey")})

		// The same by a search for our reference, after a lost answer.
		p = play(t, sdk.OpRefundSync, r, found("refunds", transaction(status, "7.00", "USD", `,"orderId":"ref-2"`)))
		require.Equal(t, want, p.Status, status)
		_, in = input(t, p.sends[0])
		require.Equal(t, map[string]any{"orderId": map[string]any{"is": "ref-2"}}, in)
	}
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpRefund, r, failure("VALIDATION", "91506", "Cannot refund transaction unless it is settled.")).Status)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpRefundSync, r, found("refunds")).Status)
	r.RefundID = "rf_1"
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpRefundSync, r, found("refunds")).Status, "Braintree gave the id: there is a refund")
}

func TestIncrementalAuthorize(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Amount: usd(3000)}
	raise := func(status, amount, inner string) played {
		return play(t, sdk.OpIncrementalAuthorize, r, data(`{"updateTransactionAmount":{"transaction":`+transaction(status, amount, "USD", inner)+`}}`))
	}
	p := raise("AUTHORIZED", "30.00", "")
	require.Equal(t, []any{sdk.StatusAuthorized, int64(3000)}, []any{p.Status, p.Amount.Minor})
	require.False(t, p.sends[0].SafeToRepeat, "the mutation takes no key")
	const earlier, later = `{"successful":true,"timestamp":"2026-01-15T10:20:31Z"}`, `{"successful":false,"timestamp":"2026-01-15T10:20:32Z","processorResponse":{"legacyCode":"2001","message":"Insufficient Funds"}}`
	p = raise("AUTHORIZED", "24.99", `,"authorizationAdjustments":[`+earlier+`,`+later+`]`)
	require.Equal(t, sdk.DeclineInsufficientFunds, p.Decline.Reason)
	require.Equal(t, sdk.StatusUnknown, raise("AUTHORIZED", "24.99", `,"authorizationAdjustments":[`+earlier+`]`).Status)
	require.Equal(t, sdk.StatusUnknown, raise("AUTHORIZED", "24.99", "").Status)
	require.Equal(t, sdk.StatusUnknown, raise("SETTLED", "30.00", "").Status)
}

func TestSync(t *testing.T) {
	r := sdk.Request{TransactionID: "tx_1", Reference: "ref-1", Amount: usd(2499), Payment: &sdk.PaymentState{Refunded: 300}}
	for name, v := range map[string]struct {
		node   string
		status sdk.OutcomeStatus
		totals *sdk.Totals
	}{
		"authorized": {transaction("AUTHORIZED", "24.99", "USD", ""), sdk.StatusAuthorized, &sdk.Totals{Authorized: 2499, Refunded: 300}},
		"captured in part, refunded": {transaction("SETTLED", "10.00", "USD", `,"statusHistory":[{"status":"SETTLED"},{"status":"AUTHORIZED","amount":{"value":"24.99"}}],`+
			`"refunds":[{"status":"SETTLED","amount":{"value":"2.00","currencyCode":"USD"}},{"status":"SUBMITTED_FOR_SETTLEMENT","amount":{"value":"1.00","currencyCode":"USD"}},{"status":"FAILED","amount":{"value":"9.00"}}]`),
			sdk.StatusCaptured, &sdk.Totals{Authorized: 2499, Captured: 1000, Refunded: 300}},
		"voided":             {transaction("VOIDED", "24.99", "USD", `,"refunds":[]`), sdk.StatusVoided, &sdk.Totals{Authorized: 2499}},
		"expired":            {transaction("AUTHORIZATION_EXPIRED", "24.99", "USD", ""), sdk.StatusDeclined, nil},
		"another currency":   {transaction("AUTHORIZED", "24.99", "EUR", ""), sdk.StatusUnknown, nil},
		"a refund of what?":  {transaction("SETTLED", "24.99", "USD", `,"refunds":[{"status":"SETTLED"}]`), sdk.StatusUnknown, nil},
		"a status of no one": {transaction("NEW", "24.99", "USD", ""), sdk.StatusUnknown, nil},
	} {
		p := play(t, sdk.OpSync, r, found("transactions", v.node))
		require.Equal(t, v.status, p.Status, name)
		require.Equal(t, v.totals, p.Totals, name)
		require.True(t, p.sends[0].SafeToRepeat)
		_, in := input(t, p.sends[0])
		require.Equal(t, map[string]any{"id": map[string]any{"is": "tx_1"}}, in)
	}
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, found("transactions")).Status, "Braintree gave the id: there is a payment")
	// The funds of a known authorization are released: the payment must not stay authorized.
	held := r
	held.Payment = &sdk.PaymentState{Authorized: 2499, Currency: "USD", Capture: sdk.CaptureManual}
	gone := play(t, sdk.OpSync, held, found("transactions", transaction("AUTHORIZATION_EXPIRED", "24.99", "USD", "")))
	require.Equal(t, sdk.StatusVoided, gone.Status)
	require.Nil(t, gone.Decline)

	r.TransactionID = ""
	declined, ok := transaction("FAILED", "24.99", "USD", `,"orderId":"ref-1"`), transaction("AUTHORIZED", "24.99", "USD", `,"orderId":"ref-1"`)
	p := play(t, sdk.OpSync, r, found("transactions", declined, ok))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	_, in := input(t, p.sends[0])
	require.Equal(t, map[string]any{"orderId": map[string]any{"is": "ref-1"}}, in)
	require.Equal(t, sdk.StatusAuthorized, play(t, sdk.OpSync, r, found("transactions", ok, declined)).Status)
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpSync, r, found("transactions", declined, declined)).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, found("transactions", ok, ok)).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, found("transactions", transaction("AUTHORIZED", "24.99", "USD", `,"orderId":"ref-11"`))).Status)
	require.Equal(t, sdk.StatusNotFound, play(t, sdk.OpSync, r, found("transactions")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, failure("AUTHENTICATION", "", "No")).Status)
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpSync, r, data(`{"search":{"transactions":null}}`)).Status)
	require.Equal(t, sdk.RejectMissing, play(t, sdk.OpSync, sdk.Request{Amount: usd(1)}).reject.Code)
}
