package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// TestHeldThere asks about attempts that an operator has left waiting: they end in what the processor holds, and what was captured stays captured.
func TestHeldThere(t *testing.T) {
	at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	usd := func(n int64) *sdk.Money { return &sdk.Money{Minor: n, Currency: "USD"} }
	for name, c := range map[string]struct {
		authorized, captured int64 // booked before
		o                    sdk.Outcome
		status               payment.Status // "" if nothing is booked
		received, capturable int64
		alarm                alarm.Kind
	}{
		"captured":                {0, 0, sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(1000)}, payment.Succeeded, 1000, 0, ""},
		"captured before":         {1000, 1000, sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(1000)}, payment.Succeeded, 1000, 0, ""},
		"captured less than said": {1000, 1000, sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(400)}, "", 0, 0, "amount_mismatch"},
		"a part captured":         {1000, 0, sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(400)}, payment.PartiallyCaptured, 400, 0, ""},
		"held":                    {0, 0, sdk.Outcome{Status: sdk.StatusAuthorized, Amount: usd(1000)}, payment.RequiresCapture, 0, 1000, ""},
		"held too much":           {0, 0, sdk.Outcome{Status: sdk.StatusAuthorized, Amount: usd(1001)}, "", 0, 0, "amount_mismatch"},
		"held after a capture":    {1000, 1000, sdk.Outcome{Status: sdk.StatusAuthorized, Amount: usd(1000)}, "", 0, 0, "amount_mismatch"},
		"declined":                {0, 0, sdk.Outcome{Status: sdk.StatusDeclined}, payment.Failed, 0, 0, ""},
		"declined after money":    {1000, 1000, sdk.Outcome{Status: sdk.StatusDeclined}, "", 0, 0, "amount_mismatch"},
		"voided":                  {1000, 0, sdk.Outcome{Status: sdk.StatusVoided}, payment.Cancelled, 0, 0, ""},
		"voided after money":      {1000, 1000, sdk.Outcome{Status: sdk.StatusVoided}, "", 0, 0, "amount_mismatch"},
		"still pending":           {0, 0, sdk.Outcome{Status: sdk.StatusPending}, "", 0, 0, ""},
		"not known":               {0, 0, sdk.Outcome{Status: sdk.StatusNotFound}, "", 0, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &payment.Payment{ID: "p", AttemptID: "p_1", Currency: "USD", Amount: 1000, NetAmount: 1000, Received: c.captured, Private: &payment.Private{}}
			a := &payment.Attempt{ID: "p_1", Amount: 1000, Authorized: c.authorized, Captured: c.captured, Private: &payment.AttemptPrivate{}}
			payment.SetByHand(p, a, payment.Pending, nil, at)
			require.Equal(t, []any{payment.Processing, c.captured}, []any{p.Status, p.Received})
			b, alarm := BookEvidence(p, a, &sdk.Manifest{}, &c.o, at)
			require.Equal(t, c.alarm, alarm)
			require.Equal(t, c.status != "", b != nil)
			if b != nil {
				require.Equal(t, []any{c.status, c.received, c.capturable}, []any{b.Payment.Status, b.Payment.Received, b.Payment.Capturable})
			}
		})
	}
	p, a := &payment.Payment{AttemptID: "p_2", Status: payment.Failed}, &payment.Attempt{ID: "p_1"}
	payment.SetByHand(p, a, payment.Charged, nil, at)
	require.Equal(t, []any{payment.Failed, payment.Charged}, []any{p.Status, a.Status}, "an earlier attempt does not move the payment")
}
