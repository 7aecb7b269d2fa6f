package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// A payment was captured in part. The processor's later report says that it took the whole amount: the payment succeeds, and the merchant hears of it once.
func TestWholeAmountReportedLater(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": q.adapter(byReference)})
	at := w.mailAccount("shop", q.URL, "")
	v := w.pay(sale(100, visa, manual))
	id := v.Payment.ID
	w.captured(id, 60)
	require.Equal(t, payment.PartiallyCaptured, w.get(id, request.RetrieveInput{}).Payment.Status)
	for range 2 {
		_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference, "outcome": sdk.Outcome{
			Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 100, Captured: 100}}}))
		require.NoError(t, err)
	}
	got := w.get(id, request.RetrieveInput{}).Payment
	require.Equal(t, payment.Succeeded, got.Status)
	require.Equal(t, []int64{100, 0, 100}, []int64{got.Received, got.Capturable, got.Refundable()})
	require.Equal(t, []string{"payment_authorized", "payment_captured", "payment_succeeded"}, w.events(id))
	require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all(), "merchants have read another amount")
}
