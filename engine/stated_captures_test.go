package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// A message that states our reference of one of several open captures ends that one alone. If it names the capture of another payment, it ends none, and
// its id stays with the payment that has it.
func TestMessageStatesTheCapture(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	a := forging()
	take, later := a.Capture, false
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := take(c)
		if later && err == nil {
			o = &sdk.Outcome{Status: sdk.StatusPending}
		}
		return o, err
	}
	a.Manifest.Features.MultipleCapture, a.Manifest.Features.PartialCapture = true, true
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
	at := w.mailAccount("shop", f.URL, "")
	theirs := w.pay(sale(100, visa, manual)).Payment.ID
	v, err := w.CapturePayment(t.Context(), w.auth, theirs, &request.CaptureInput{})
	require.NoError(t, err)
	taken := v.Attempt.Details.Captures[0].ProcessorID
	require.NotEmpty(t, taken)

	own := w.pay(sale(100, visa, multiple))
	later = true // neither answer brings an id
	for range 2 {
		_, err = w.CapturePayment(t.Context(), w.auth, own.Payment.ID, &request.CaptureInput{Amount: new(int64(50))})
		require.NoError(t, err)
	}
	captures := func() (out []string) {
		for _, c := range w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Details.Captures {
			out = append(out, string(c.Status)+" "+c.ProcessorID)
		}
		return out
	}
	open := []string{"pending ", "pending "}
	require.Equal(t, open, captures())
	second := w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Details.Captures[1].Reference
	require.NotEmpty(t, second)
	hear := func(id, reference, capture string) error {
		_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"id": id, "reference": reference,
			"outcome": sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: capture, Amount: &sdk.Money{Minor: 50, Currency: "USD"}}}))
		return err
	}
	says := func(capture string) {
		t.Helper()
		require.NoError(t, hear(own.Attempt.TransactionID, second, capture))
	}
	says(taken)
	require.Equal(t, open, captures(), "the id is another payment's")
	require.Equal(t, 1, w.alarms.all()["impossible_outcome"])
	says("cap_own")
	require.Equal(t, []string{"pending ", string(payment.CaptureCharged) + " cap_own"}, captures())
	require.Equal(t, int64(50), w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Captured)

	// The capture's id, in the place of the payment's, says nothing. Our reference for the capture names the payment too.
	first := w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Details.Captures[0].Reference
	require.Error(t, hear("cap_first", own.Attempt.ID+"_9", "cap_first"), "there is no such capture")
	require.Error(t, hear("cap_first", "another_1", "cap_first"))
	require.NoError(t, hear("cap_first", first, "cap_first"))
	require.Equal(t, []string{"charged cap_first", "charged cap_own"}, captures())
	require.Equal(t, int64(100), w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Captured)
}
