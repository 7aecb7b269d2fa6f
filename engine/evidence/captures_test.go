package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// While several captures are open, only a report that leaves no other reading ends one of them.
func TestReportOnCaptures(t *testing.T) {
	t.Parallel()
	open := func(amounts ...int64) *payment.Attempt {
		a := &payment.Attempt{ID: "pay_1", Status: payment.CaptureInitiated, Amount: 10000, Authorized: 10000}
		for i, amount := range amounts {
			c := a.AddCapture(string(rune('a'+i)), amount, modelStart)
			c.Status, c.ProcessorID = payment.CapturePending, "p"+c.OperationID
		}
		return a
	}
	captured := func(id string, amount, total int64) *sdk.Outcome {
		o := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: id}
		if amount > 0 {
			o.Amount = &sdk.Money{Minor: amount}
		}
		if total > 0 {
			o.Totals = &sdk.Totals{Authorized: 10000, Captured: total}
		}
		return o
	}
	for name, c := range map[string]struct {
		a    *payment.Attempt
		told *sdk.Outcome
		want string // for each capture: y made, l made in part, n refused, . not known yet, ! alarm
	}{
		"named":                             {open(2000, 3000), captured("pb", 3000, 0), ".y"},
		"named, without amount":             {open(2000, 3000), captured("pa", 0, 0), "y."},
		"named, less":                       {open(2000, 3000), captured("pa", 500, 0), "l."},
		"named, more":                       {open(2000, 3000), captured("pa", 2001, 0), "!."},
		"not named":                         {open(2000, 3000), captured("", 2000, 0), ".."},
		"of nobody":                         {open(2000, 3000), captured("px", 2000, 0), ".."},
		"total of one":                      {open(2000, 3000), captured("", 0, 3000), ".y"},
		"total of all":                      {open(2000, 3000), captured("", 0, 5000), "yy"},
		"total of none":                     {open(2000, 3000), captured("", 0, 1), ".."},
		"total of two sets":                 {open(2000, 3000, 5000), captured("", 0, 5000), "..."},
		"total of a set whatever the other": {open(1000, 1500, 2500, 4000), captured("", 0, 6500), "...y"},
		"more than all":                     {open(2000, 3000), captured("", 0, 5001), "!!"},
		"equal amounts in their order":      {open(2000, 2000, 2000), captured("", 0, 4000), "yy."},
		"one alone":                         {open(2000), captured("", 0, 0), "y"},
		"one alone, named otherwise":        {open(2000), captured("charge", 0, 0), "y"},
		"one alone, less":                   {open(2000), captured("", 500, 0), "l"},
		"one alone, named, less":            {open(2000), captured("pa", 500, 0), "l"},
		"one alone, more":                   {open(2000), captured("", 2001, 0), "!"},
		"refused by name":                   {open(2000, 3000), &sdk.Outcome{Status: sdk.StatusDeclined, CaptureID: "pb"}, ".n"},
		"refused without a name":            {open(2000, 3000), &sdk.Outcome{Status: sdk.StatusDeclined}, ".."},
		"still held":                        {open(2000, 3000), &sdk.Outcome{Status: sdk.StatusAuthorized}, ".."},
		"voided":                            {open(2000, 3000), &sdk.Outcome{Status: sdk.StatusVoided}, ".."},
	} {
		got := ""
		for _, r := range c.a.Details.Captures {
			op := &payment.Operation{ID: r.OperationID, Kind: sdk.OpCapture, Status: payment.OperationPending, Amount: r.Amount}
			v := InterpretSync(op, &payment.Payment{}, c.a, c.told, false)
			mark := map[payment.OperationStatus]string{payment.OperationSucceeded: "y", payment.OperationDeclined: "n", payment.OperationPending: ".", payment.OperationUnknown: "!"}[v.Status]
			if mark == "y" && v.Outcome.Amount.Minor < r.Amount {
				mark = "l"
			}
			got += mark
			if v.Status == payment.OperationUnknown {
				require.NotEmpty(t, v.Alarm, name)
			}
		}
		require.Equal(t, c.want, got, name)
	}
	a := open(2000, 3000) // a capture whose answer never came: the only id that is new is its id
	a.Details.Captures[1].ProcessorID = ""
	op := &payment.Operation{ID: "b", Kind: sdk.OpCapture, Status: payment.OperationUnknown, Amount: 3000}
	require.Equal(t, payment.OperationSucceeded, InterpretSync(op, &payment.Payment{}, a, captured("pnew", 3000, 0), false).Status)
	require.Equal(t, payment.OperationUnknown, InterpretSync(op, &payment.Payment{}, a, captured("pa", 2000, 0), false).Status)
}

// A message about a capture that was lost with the database comes after a relay's capture, which the payment shows. The payment shows both then. A total of both
// counts the lost capture before, and the message counts nothing twice.
func TestLostCaptureBesideARelay(t *testing.T) {
	t.Parallel()
	for _, captured := range []int64{60, 110} {
		p := &payment.Payment{ID: "pay_1", MerchantID: "m", NetAmount: 1000, Currency: "EUR", Status: payment.PartiallyCapturedAndCapturable}
		p.Details.CaptureMethod = payment.CaptureManualMultiple
		a := &payment.Attempt{ID: "pay_1_1", TransactionID: "tx", Status: payment.PartialChargedAndChargeable, Amount: 1000, Authorized: 1000, Captured: captured}
		a.Details.Reference = "pay_1_1"
		a.Relayed = []payment.CaptureRecord{{ID: "relay_1", Amount: 60, Status: payment.CaptureCharged, ProcessorID: "cap_r"}}
		o := &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "cap_2", Amount: &sdk.Money{Minor: 50, Currency: "EUR"}}
		a.AddLostCapture("pay_1_1_2", o, modelStart)
		b, alarm := BookEvidence(p, a, &sdk.Manifest{}, o, modelStart)
		require.Empty(t, alarm)
		require.EqualValues(t, 110, b.Attempt.Captured)
		require.EqualValues(t, 60, b.Attempt.Elsewhere())
	}
}
