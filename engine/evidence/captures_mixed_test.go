package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// mixed returns an attempt with two captures. The first one of 3000 is booked without an id of the processor's, as a total shows it. The second one
// of 5000 is open.
func mixed(first payment.CaptureStatus) *payment.Attempt {
	a := &payment.Attempt{ID: "pay_1", TransactionID: "tx", Status: payment.PartialChargedAndChargeable, Amount: 10000, Authorized: 10000}
	for _, amount := range []int64{3000, 5000} {
		c := a.AddCapture([]string{"op_1", "op_2"}[len(a.Details.Captures)], amount, modelStart)
		c.Reference = c.ID
	}
	if a.Details.Captures[0].Status = first; first == payment.CaptureCharged {
		a.Captured = 3000
	}
	return a
}

// A report that may be about another capture ends none: the merchant would be shown money that the processor has not taken.
func TestReportOnAnotherCapture(t *testing.T) {
	t.Parallel()
	op := &payment.Operation{ID: "op_2", AttemptID: "pay_1", Kind: sdk.OpCapture, Status: payment.OperationUnknown, Amount: 5000}
	for name, c := range map[string]struct { // of the first capture, and of the report
		first  payment.CaptureStatus
		id     string
		own    string // the processor's id of the second capture
		amount int64
		want   payment.OperationStatus
	}{
		"an unknown id":                         {payment.CaptureCharged, "cap_x", "", 3000, payment.OperationUnknown},
		"an unknown id, the open amount":        {payment.CaptureCharged, "cap_x", "", 5000, payment.OperationUnknown},
		"an unknown id of a capture given up":   {payment.CaptureFailed, "cap_x", "", 3000, payment.OperationUnknown},
		"another id than the capture's":         {payment.CaptureCharged, "cap_x", "cap_2", 5000, payment.OperationUnknown},
		"no id, what is booked already":         {payment.CaptureCharged, "", "", 3000, payment.OperationUnknown},
		"no id, an amount of neither":           {payment.CaptureCharged, "", "", 4000, payment.OperationUnknown},
		"no id, the open amount":                {payment.CaptureCharged, "", "", 5000, payment.OperationSucceeded},
		"no id, the sum":                        {payment.CaptureCharged, "", "", 8000, payment.OperationSucceeded},
		"the capture's id":                      {payment.CaptureCharged, "cap_2", "cap_2", 5000, payment.OperationSucceeded},
		"the capture's id, less":                {payment.CaptureCharged, "cap_2", "cap_2", 4000, payment.OperationSucceeded},
		"the payment's id, the sum":             {payment.CaptureCharged, "tx", "", 8000, payment.OperationSucceeded},
		"an unknown id, without another amount": {payment.CaptureCharged, "cap_x", "", 0, payment.OperationUnknown},
	} {
		a := mixed(c.first)
		a.Details.Captures[1].ProcessorID = c.own
		o := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: c.id}
		if c.amount > 0 {
			o.Amount = &sdk.Money{Minor: c.amount, Currency: "EUR"}
		}
		for _, final := range []bool{false, true} {
			v := InterpretSync(op, &payment.Payment{}, a, o, final)
			require.Equal(t, c.want, v.Status, name)
			require.Equal(t, c.want == payment.OperationUnknown, v.Text != "", name)
		}
	}
}

// A report that repeats the amount of an earlier capture proves nothing about a later one of the same amount, unless it names that one.
func TestReportOnAnEqualCapture(t *testing.T) {
	t.Parallel()
	a := mixed(payment.CaptureCharged)
	a.Details.Captures[1].Amount = 3000
	op := &payment.Operation{ID: "op_2", AttemptID: "pay_1", Kind: sdk.OpCapture, Status: payment.OperationPending, Amount: 3000}
	for amount, want := range map[int64]payment.OperationStatus{3000: payment.OperationPending, 6000: payment.OperationSucceeded} {
		v := InterpretSync(op, &payment.Payment{}, a, &sdk.Outcome{Status: sdk.StatusCaptured, Amount: &sdk.Money{Minor: amount}}, true)
		require.Equal(t, want, v.Status, amount)
		require.Equal(t, want == payment.OperationPending, v.Empty())
	}
}

// A message that states our reference of an ended capture is about that one, also if no answer has brought an id of the processor's.
func TestReportOnAnEndedCaptureByReference(t *testing.T) {
	t.Parallel()
	p := &payment.Payment{ID: "pay_1", MerchantID: "m", NetAmount: 10000, Currency: "EUR", Status: payment.PartiallyCapturedAndCapturable}
	p.Details.CaptureMethod = payment.CaptureManualMultiple
	ops := []*payment.Operation{{ID: "op_2", AttemptID: "pay_1", Kind: sdk.OpCapture, Status: payment.OperationUnknown, Amount: 5000}}
	o := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "cap_x", Amount: &sdk.Money{Minor: 3000, Currency: "EUR"}}

	a := mixed(payment.CaptureCharged)
	require.Len(t, a.ReportedOperations(ops, o), 1)
	a.NameCapture("pay_1_1", "cap_x")
	require.Empty(t, a.ReportedOperations(ops, o))
	require.True(t, AttemptShows(&payment.Payment{}, a, o))

	a = mixed(payment.CaptureFailed)
	a.Captured, a.Details.Captures[1].Status = 5000, payment.CaptureCharged
	require.False(t, AttemptShows(&payment.Payment{}, a, o), "the report may be about the capture that was given up")
	b, alarm := BookEvidence(p, a, &sdk.Manifest{}, o, modelStart)
	require.Nil(t, b, "or about the other one")
	require.Empty(t, alarm)
	a.NameCapture("pay_1_1", "cap_x")
	require.False(t, AttemptShows(&payment.Payment{}, a, o))
	b, alarm = BookEvidence(p, a, &sdk.Manifest{}, o, modelStart)
	require.Empty(t, alarm)
	require.Equal(t, int64(8000), b.Attempt.Captured)
	require.Equal(t, payment.CaptureCharged, b.Attempt.Details.Captures[0].Status)
	require.Equal(t, []Claim{{Kind: claimCapture, ID: "cap_x"}}, b.Claims)
}

// A report that names a capture with another amount than the booked one contradicts the books, whatever the other captures have taken.
func TestReportOfAnotherAmountOfACapture(t *testing.T) {
	t.Parallel()
	a := mixed(payment.CaptureCharged)
	a.Details.Captures[1].Status, a.Details.Captures[1].ProcessorID, a.Captured = payment.CaptureCharged, "cap_2", 8000
	for amount, shows := range map[int64]bool{5000: true, 4999: false, 5001: false, 8000: true} {
		o := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "cap_2", Amount: &sdk.Money{Minor: amount, Currency: "EUR"}}
		require.Equal(t, shows, AttemptShows(&payment.Payment{}, a, o), amount)
	}
}
