package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/sdk"
)

// The processor's id that a message states for a capture is claimed before the capture takes it over, and is not kept without the claim: the message may
// lie, or name the capture of another payment.
func TestStatedIDOfACaptureIsClaimed(t *testing.T) {
	t.Parallel()
	for _, status := range []sdk.OutcomeStatus{sdk.StatusCaptured, sdk.StatusPending} {
		p := &payment.Payment{ID: "pay_1", MerchantID: "m", NetAmount: 1400, Currency: "EUR", Status: payment.PartiallyCapturedAndCapturable}
		p.Details.CaptureMethod = payment.CaptureManualMultiple
		a := &payment.Attempt{ID: "pay_1_1", PaymentID: "pay_1", MerchantID: "m", AccountID: "mca_1", TransactionID: "tx", Status: payment.CaptureInitiated, Amount: 1400, Authorized: 1400}
		var ops []*payment.Operation
		for _, id := range []string{"op_1", "op_2"} {
			c := a.AddCapture(id, 700, modelStart)
			c.Reference = c.ID
			ops = append(ops, &payment.Operation{ID: id, AttemptID: a.ID, Kind: sdk.OpCapture, Status: payment.OperationUnknown, Amount: 700})
		}
		o := &sdk.Outcome{Status: status, CaptureID: "CAP2", Amount: &sdk.Money{Minor: 700, Currency: "EUR"}}
		a.NameCapture("pay_1_1_2", "CAP2")
		require.Empty(t, a.Details.Captures[1].ProcessorID, "without its claim the capture has no id")
		require.Equal(t, ops[1:], a.ReportedOperations(ops, o))

		v := InterpretSync(ops[1], &payment.Payment{}, a, o, false)
		b := Book(p, a, ops[1], &sdk.Manifest{}, v, modelStart)
		require.Equal(t, []Claim{{MerchantID: "m", AccountID: "mca_1", Kind: claimCapture, ID: "CAP2", Owner: "pay_1"}}, b.Claims, status)
		require.Equal(t, "CAP2", b.Attempt.Details.Captures[1].ProcessorID, status)

		own := Book(p, a, ops[1], &sdk.Manifest{}, OfAnother(v, ops[1]), modelStart) // the claim failed
		require.Empty(t, own.Attempt.Details.Captures[1].ProcessorID, status)
	}
}

// A total has brought what a capture took that had counted as failed. The processor's late message about that capture adds nothing; it is no message about a capture of
// another amount either.
func TestLateMessageAboutABookedCapture(t *testing.T) {
	t.Parallel()
	for amount, status := range map[int64]payment.CaptureStatus{30: payment.CaptureCharged, 20: payment.CaptureFailed, 40: payment.CaptureFailed} {
		p := &payment.Payment{ID: "pay", AttemptID: "pay_1", Currency: "EUR", Amount: 100, NetAmount: 100, Details: payment.Details{CaptureMethod: payment.CaptureManualMultiple}}
		a := &payment.Attempt{ID: "pay_1", PaymentID: "pay", Status: payment.PartialChargedAndChargeable, Amount: 100, Authorized: 100, Captured: 30}
		c := a.AddCapture("op_1", 30, modelStart)
		c.Status, c.Reference = payment.CaptureFailed, "ours"
		a.NameCapture("ours", "cap_1")
		b, _ := BookEvidence(p, a, &sdk.Manifest{}, &sdk.Outcome{Status: sdk.StatusCaptured, CaptureID: "cap_1", Amount: &sdk.Money{Minor: amount, Currency: "EUR"}}, modelStart)
		got := a
		if b != nil {
			got = b.Attempt
		}
		require.Equal(t, []any{status, max(30, amount)}, []any{got.Details.Captures[0].Status, max(amount, got.Captured)}, amount)
		require.LessOrEqual(t, got.Captured, int64(40))
	}
}
