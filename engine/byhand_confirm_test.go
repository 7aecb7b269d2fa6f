package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// An operator sets a status by hand while the authorization's outcome is unknown. The status alone is no proof that nothing was charged: until the outcome is
// known, no second authorization begins.
func TestConfirmAfterAStatusByHand(t *testing.T) {
	t.Parallel()
	for _, status := range []payment.AttemptStatus{payment.PaymentMethodAwaited, payment.ConfirmationAwaited, payment.AttemptFailure, payment.RouterDeclined} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			q := newAcquirer(t)
			inBubble(t, func(t *testing.T) {
				w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": q.adapter(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference},
					NotFoundFinalAfterSeconds: 60})})
				w.profileFields(`{"is_manual_retry_enabled": true}`)
				w.mailAccount("shop", q.URL, "")
				q.fails("authorize", "drop done")
				v := w.pay(sale(1000, visa))
				require.Equal(t, payment.Processing, v.Payment.Status)
				q.fails("authorize", "")
				_, err := w.DecideAttempt(t.Context(), w.auth, v.Payment.ID, request.AttemptDecision{Status: status})
				require.NoError(t, err)
				_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(1000, visa))
				require.Equal(t, "IR_16", code(t, err))
				w.running()
				time.Sleep(10 * time.Minute)
				taken := int64(0)
				for _, h := range q.all() {
					taken += h.Captured()
				}
				require.EqualValues(t, 1000, taken, "the payer is charged once")
			}, q.Server)
		})
	}
}

// A merchant ends a payment whose money was taken late as failed. The money is still taken: no further attempt charges the payer again.
func TestNoRetryOfWhatIsTaken(t *testing.T) {
	t.Parallel()
	w, f, says := refusing(t, nil)
	v := w.pay(sale(100, visa))
	says(v.Attempt, sdk.StatusCaptured)
	_, err := w.DecideAttempt(t.Context(), w.auth, v.Payment.ID, request.AttemptDecision{Status: payment.AttemptFailure, OnlyReview: true})
	require.NoError(t, err)
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Failed, got.Payment.Status)
	require.EqualValues(t, 100, got.Payment.Received)
	require.False(t, got.ManualRetryAllowed)
	f.says("/authorize", nil)
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, sale(0, visa))
	require.Equal(t, "IR_16", code(t, err))
	require.ErrorContains(t, err, "has taken money")
	require.Equal(t, 1, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.AttemptCount)
}
