package engine_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// refusing returns a world whose processor refuses each authorization, and afterwards says by signed message that it has taken the money of an
// attempt. The function meanwhile runs during each authorization.
func refusing(t *testing.T, meanwhile func(), change ...func(*sdk.Adapter)) (w *world, f *forger, says func(a *payment.Attempt, status sdk.OutcomeStatus)) {
	t.Helper()
	f = newForger(t)
	f.says("/authorize", map[string]any{"declined": "51"})
	a := forging()
	ask := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if meanwhile != nil {
			meanwhile()
		}
		return ask(c)
	}
	for _, f := range change {
		f(a)
	}
	w = newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
	at := w.mailAccount("shop", f.URL, "")
	w.setProfile(`{"is_manual_retry_enabled":true}`)
	return w, f, func(a *payment.Attempt, status sdk.OutcomeStatus) {
		t.Helper()
		_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"reference": a.Details.Reference,
			"outcome": sdk.Outcome{Status: status, TransactionID: "tx_of_" + a.ID, Amount: &sdk.Money{Minor: a.Amount, Currency: "USD"}}}))
		require.NoError(t, err)
	}
}

// again confirms a failed payment with the same card.
func (w *world) again(id string) {
	w.t.Helper()
	_, err := w.ConfirmPayment(w.t.Context(), w.auth, id, sale(0, visa))
	require.NoError(w.t, err)
}

// A processor that refused a payment and then says that it took the money: the merchant sees the money, and a person decides. The payment does not stay failed.
func TestTakenAfterARefusal(t *testing.T) {
	t.Parallel()
	w, _, says := refusing(t, nil)
	v := w.pay(sale(100, visa))
	require.Equal(t, payment.Failed, v.Payment.Status)
	for range 2 {
		says(v.Attempt, sdk.StatusCaptured)
	}
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Review, got.Payment.Status)
	require.Equal(t, int64(100), got.Payment.Received)
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
	require.Equal(t, []string{"payment_failed", "action_required"}, w.events(v.Payment.ID))
	_, err := w.CreateRefund(t.Context(), w.auth, &request.RefundInput{PaymentID: v.Payment.ID})
	require.Equal(t, "IR_14", code(t, err), "a person decides first")
	_, err = w.DecideAttempt(t.Context(), w.auth, v.Payment.ID, request.AttemptDecision{Status: payment.Charged})
	require.NoError(t, err)
	require.Equal(t, int64(100), w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Refundable())
}

// Held funds of a refused payment raise the alarm alone: processors release what they have refused.
func TestHeldAfterARefusal(t *testing.T) {
	t.Parallel()
	w, _, says := refusing(t, nil)
	v := w.pay(sale(100, visa, manual))
	says(v.Attempt, sdk.StatusAuthorized)
	require.Equal(t, payment.Failed, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
}

// Money of an earlier attempt makes a payment whose latest attempt failed one for a person, and that attempt is the payment's. A payment that another attempt has
// paid stays as it is, with an alarm.
func TestEarlierAttemptTaken(t *testing.T) {
	t.Parallel()
	w, f, says := refusing(t, nil)
	first := w.pay(sale(100, visa))
	w.again(first.Payment.ID)
	says(first.Attempt, sdk.StatusCaptured)
	got := w.get(first.Payment.ID, request.RetrieveInput{Attempts: true})
	require.Equal(t, payment.Review, got.Payment.Status)
	require.Equal(t, first.Attempt.ID, got.Payment.AttemptID)
	require.Equal(t, int64(100), got.Payment.Received)
	require.Len(t, got.Attempts, 2)
	require.Equal(t, []string{"payment_failed", "payment_failed", "action_required"}, w.events(first.Payment.ID))

	other := w.pay(sale(100, visa))
	f.says("/authorize", nil)
	w.again(other.Payment.ID)
	says(other.Attempt, sdk.StatusCaptured)
	got = w.get(other.Payment.ID, request.RetrieveInput{Attempts: true})
	require.Equal(t, payment.RequiresCapture, got.Payment.Status)
	require.Equal(t, int64(100), got.Attempts[0].Captured)
	require.Equal(t, 2, w.alarms.all()["late_evidence"])
}

// The money of an earlier attempt is known while the latest one is under way. When that fails, the payment does not end as failed.
func TestLaterAttemptFailsAfterAnEarlierOneWasTaken(t *testing.T) {
	t.Parallel()
	var meanwhile sync.Once
	var first *payment.Attempt
	var says func(*payment.Attempt, sdk.OutcomeStatus)
	w, _, tell := refusing(t, func() {
		if first != nil {
			meanwhile.Do(func() { says(first, sdk.StatusCaptured) })
		}
	})
	says = tell
	v := w.pay(sale(100, visa))
	first = v.Attempt
	w.again(v.Payment.ID)
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, payment.Review, got.Payment.Status)
	require.Equal(t, v.Attempt.ID, got.Payment.AttemptID)
	require.Equal(t, int64(100), got.Payment.Received)
	require.Equal(t, []string{"payment_failed", "action_required"}, w.events(v.Payment.ID))
}
