package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// A surcharge lifts the net amount above the highest amount of a payment. The whole of it is held, asked about, captured, disputed and given back.
func TestNetAmountAboveTheHighest(t *testing.T) {
	t.Parallel()
	const net = payment.MaxAmount + 5000
	q := newAcquirer(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": q.adapter(byReference)})
	at := w.mailAccount("shop", q.URL, "")
	surcharged := func(in *request.Input) { in.SurchargeAmount, in.NamesSurcharge = 5000, true }
	for _, totals := range []bool{true, false} {
		q.totals = totals
		v := w.pay(sale(payment.MaxAmount, visa, raisable, surcharged))
		require.Equal(t, []any{payment.RequiresCapture, int64(net)}, []any{v.Payment.Status, v.Payment.Capturable})
		v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
		require.Equal(t, []any{payment.RequiresCapture, int64(net)}, []any{v.Payment.Status, v.Payment.Capturable})
		_, err := w.IncrementAuthorization(t.Context(), w.auth, v.Payment.ID, request.IncrementInput{Amount: net + 1})
		require.Equal(t, "IR_16", code(t, err))
		w.captured(v.Payment.ID, 0)
		w.delivers(q, at, func(map[string]any) bool { return true })
		require.EqualValues(t, net, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Received)

		say := func(status sdk.DisputeStatus) {
			_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"object": "dispute", "reference": v.Attempt.Details.Reference,
				"dispute": sdk.Dispute{ID: "dp_" + v.Payment.ID, Status: status, Amount: sdk.Money{Minor: net, Currency: "USD"}}}))
			require.NoError(t, err)
		}
		say(sdk.DisputeOpened)
		require.Zero(t, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Refundable(), "the customer claims all of it back")
		say(sdk.DisputeWon)
		_, err = w.refund(v.Payment.ID, 0)
		require.NoError(t, err)
		require.EqualValues(t, net, q.of(v.Attempt.Details.Reference).Refunded())
	}
	require.Empty(t, w.alarms.all())
}
