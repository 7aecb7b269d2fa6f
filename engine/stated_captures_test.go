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
	says := func(capture string) {
		t.Helper()
		_, err := w.ReceiveWebhook(t.Context(), mail(at.ID, hookSecret, map[string]any{"id": own.Attempt.TransactionID, "reference": second,
			"outcome": sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: capture, Amount: &sdk.Money{Minor: 50, Currency: "USD"}}}))
		require.NoError(t, err)
	}
	says(taken)
	require.Equal(t, open, captures(), "the id is another payment's")
	require.Equal(t, 1, w.alarms.all()["impossible_outcome"])
	says("cap_own")
	require.Equal(t, []string{"pending ", string(payment.CaptureCharged) + " cap_own"}, captures())
	require.Equal(t, int64(50), w.get(own.Payment.ID, request.RetrieveInput{}).Attempt.Captured)
}
