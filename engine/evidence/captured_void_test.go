package evidence

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/alarm"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// While a capture is being voided, only the reports "voided" and "captured" end the void: the other statuses do not show whether it happened.
func TestReportOnAVoidOfACapture(t *testing.T) {
	op := &payment.Operation{ID: "op_1", Kind: sdk.OpVoid, Amount: 1000, Status: payment.OperationUnknown}
	a := &payment.Attempt{Status: payment.Charged, Amount: 1000, Authorized: 1000, Captured: 1000}
	a.BeginVoid(op.ID, "", a.CreatedAt)
	captured := &sdk.Totals{Authorized: 1000, Captured: 1000}
	for _, c := range []struct {
		status sdk.OutcomeStatus
		totals *sdk.Totals
		amount int64
		final  bool
		want   payment.OperationStatus
	}{
		{sdk.StatusVoided, nil, 0, false, payment.OperationSucceeded},
		{sdk.StatusVoided, &sdk.Totals{Authorized: 1000}, 0, false, payment.OperationSucceeded},
		{sdk.StatusVoided, captured, 0, true, payment.OperationUnknown}, // a rest was voided
		{sdk.StatusVoided, nil, 1000, true, payment.OperationSucceeded},
		{sdk.StatusVoided, nil, 400, true, payment.OperationUnknown}, // a part was voided
		{sdk.StatusPending, nil, 0, true, payment.OperationPending},
		{sdk.StatusCaptured, captured, 0, false, payment.OperationUnknown}, // too early
		{sdk.StatusCaptured, captured, 0, true, payment.OperationNotActed},
		{sdk.StatusDeclined, nil, 0, true, payment.OperationUnknown},
		{sdk.StatusNotFound, nil, 0, true, payment.OperationUnknown},
		{sdk.StatusAuthorized, nil, 0, true, payment.OperationUnknown},
	} {
		o := &sdk.Outcome{Status: c.status, Totals: c.totals}
		if c.amount > 0 {
			o.Amount = &sdk.Money{Minor: c.amount, Currency: "USD"}
		}
		v := InterpretSync(op, &payment.Payment{}, a, o, c.final)
		require.Equal(t, c.want, v.Status, "%s, final %v", c.status, c.final)
	}
}

// After a partial capture whose rest was never released, the processor's word that it voided is about that rest, until somebody voids the capture.
func TestVoidOfTheRestIsNoVoidOfTheCapture(t *testing.T) {
	for _, wanted := range []bool{false, true} {
		p := &payment.Payment{Status: payment.PartiallyCaptured, AttemptID: "att_1", Currency: "USD", NetAmount: 1000, Received: 400}
		a := &payment.Attempt{ID: "att_1", Status: payment.PartialCharged, Amount: 1000, Authorized: 1000, Captured: 400}
		want := payment.PartialCharged
		if wanted {
			a.BeginVoid("op_1", "", time.Time{})
			want = payment.VoidedPostCharge
		}
		b, alarm := BookEvidence(p, a, &sdk.Manifest{Features: sdk.Features{VoidCaptured: true}}, &sdk.Outcome{Status: sdk.StatusVoided}, time.Now())
		require.Empty(t, alarm)
		require.Equal(t, []any{want, !wanted}, []any{b.Attempt.Status, b.Attempt.Details.Released})
	}
}

// A processor has voided a capture although a part of it was refunded or is disputed: the customer gets that part twice, and a person must know.
func TestVoidOfACaptureThatWentBackBefore(t *testing.T) {
	for name, c := range map[string]struct {
		refunded int64
		disputes []payment.Claim
		alarms   []alarm.Kind
	}{
		"neither":  {},
		"refunded": {refunded: 100, alarms: []alarm.Kind{alarm.RefundExceeds}},
		"disputed": {disputes: []payment.Claim{{ID: "dp_1", Status: sdk.DisputeOpened, Amount: 100}}, alarms: []alarm.Kind{alarm.RefundExceeds}},
		"won":      {disputes: []payment.Claim{{ID: "dp_1", Status: sdk.DisputeWon, Amount: 100}}},
	} {
		p := &payment.Payment{Status: payment.Succeeded, AttemptID: "att_1", Currency: "USD", NetAmount: 1000, Received: 1000, Refunded: c.refunded, Details: payment.Details{Disputes: c.disputes}}
		a := &payment.Attempt{ID: "att_1", Status: payment.Charged, Amount: 1000, Authorized: 1000, Captured: 1000}
		b, _ := BookEvidence(p, a, &sdk.Manifest{Features: sdk.Features{VoidCaptured: true}}, &sdk.Outcome{Status: sdk.StatusVoided}, time.Now())
		require.Equal(t, payment.VoidedPostCharge, b.Attempt.Status, name)
		require.Equal(t, c.alarms, b.Alarms, name)
	}
}

// A void of a capture has a caller who waits, unlike the release of a rest: payswitch does not try for days to send it.
func TestVoidOfACaptureIsNoRelease(t *testing.T) {
	a := &payment.Attempt{Status: payment.PartialCharged, Authorized: 1000, Captured: 400}
	a.BeginVoid("op_1", "", time.Time{})
	require.Equal(t, releaseTime, giveUpUnsent(&payment.Operation{ID: "op_0", Kind: sdk.OpVoid}, a))
	require.Equal(t, payment.CardTokenTime, giveUpUnsent(&payment.Operation{ID: "op_1", Kind: sdk.OpVoid}, a))
}
