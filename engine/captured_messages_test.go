package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// capturing returns a world whose processor takes captures without naming them. Its payment of 100 has a charged capture of 30 and an open one of 50.
// hear is a message about the payment.
func capturing(t *testing.T) (w *world, id string, hear func(reference, capture string, amount int64)) {
	t.Helper()
	f := newForger(t)
	f.says("/capture", map[string]any{"capture": ""})
	a, open := forging(), false
	take := a.Capture
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := take(c)
		if open && err == nil {
			o = &sdk.Outcome{Status: sdk.StatusPending}
		}
		return o, err
	}
	a.Manifest.Features.MultipleCapture, a.Manifest.Features.PartialCapture = true, true
	w = newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
	at := w.mailAccount("shop", f.URL, "")
	v := w.pay(sale(100, visa, multiple))
	for _, amount := range []int64{30, 50} {
		_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: &amount})
		require.NoError(t, err)
		open = true
	}
	return w, v.Payment.ID, func(reference, capture string, amount int64) {
		t.Helper()
		_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"id": v.Attempt.TransactionID, "reference": reference,
			"outcome": sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: capture, Amount: &sdk.Money{Minor: amount, Currency: "USD"}}}))
		require.NoError(t, err)
	}
}

// A late message about a capture that was booked without an id does not end a later capture: the merchant would see 80 where the processor took 30.
func TestMessageAboutAnEarlierCapture(t *testing.T) {
	t.Parallel()
	w, id, hear := capturing(t)
	a := func() *payment.Attempt { return w.get(id, request.RetrieveInput{}).Attempt }
	first, second := a().Details.Captures[0], a().Details.Captures[1]
	require.Equal(t, payment.CaptureCharged, first.Status)
	hear(first.Reference, "cap_1", 30)
	hear("", "cap_1", 30)
	require.Equal(t, payment.CapturePending, a().Details.Captures[1].Status)
	require.Equal(t, int64(30), a().Captured)
	require.Empty(t, w.alarms.all())
	hear(second.Reference, "cap_2", 50)
	require.Equal(t, payment.CaptureCharged, a().Details.Captures[1].Status)
	require.Equal(t, int64(80), a().Captured)
}

// A message of a larger capture than the requested one is no evidence of that capture. It raises an alarm once, and is kept for the operator.
func TestMessageOfALargerCapture(t *testing.T) {
	t.Parallel()
	w, id, hear := capturing(t)
	v := w.get(id, request.RetrieveInput{})
	c := v.Attempt.Details.Captures[1]
	for range 2 {
		hear(c.Reference, "cap_2", 60)
	}
	require.Equal(t, payment.CapturePending, w.get(id, request.RetrieveInput{}).Attempt.Details.Captures[1].Status)
	require.Equal(t, 1, w.alarms.all()["amount_mismatch"])
	kept := w.evidence(c.OperationID)
	require.Len(t, kept, 1)
	require.Contains(t, kept[0].Note, "larger capture")
	hear(c.Reference, "cap_2", 50)
	require.Equal(t, int64(80), w.get(id, request.RetrieveInput{}).Attempt.Captured)
}
