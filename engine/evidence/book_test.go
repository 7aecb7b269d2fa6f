package evidence

import (
	"fmt"
	"math/rand/v2"
	"payswitch/engine/payment"
	"payswitch/sdk"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Whatever happens in whatever order: refunded <= captured <= authorized <= asked for, what merchants see follows from the attempt, and
// nothing leaves a terminal status.
func TestMachineProperties(t *testing.T) {
	for seed := range uint64(2000) {
		play(t, rand.New(rand.NewPCG(seed, 7)))
	}
}

func FuzzMachine(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Add(uint64(26), uint64(303)) // nothing authorized
	f.Fuzz(func(t *testing.T, a, b uint64) { play(t, rand.New(rand.NewPCG(a, b))) })
}

func play(t *testing.T, r *rand.Rand) {
	amount := r.Int64N(10_000) + 1
	now := time.UnixMilli(0)
	p := &payment.Payment{Amount: amount, NetAmount: amount, Details: payment.Details{CaptureMethod: []payment.CaptureMethod{payment.CaptureAutomatic, payment.CaptureManual, payment.CaptureManualMultiple}[r.IntN(3)]}}
	a := &payment.Attempt{ID: "pay_1_1", Number: 1, Status: payment.PaymentMethodAwaited, Amount: amount}
	payment.DeriveTotals(p, a)
	for range 30 {
		before := a.Status
		op, v, m := randomOperation(r, p, a)
		if op == nil {
			return
		}
		b := Book(p, a, op, m, v, now)
		if before.Terminal() && before != payment.PartialCharged {
			require.Equal(t, before, b.Attempt.Status, "terminal means terminal")
		}
		require.LessOrEqual(t, b.Attempt.Captured, b.Attempt.Authorized)
		require.LessOrEqual(t, b.Attempt.Authorized, b.Attempt.Amount)
		require.LessOrEqual(t, b.Payment.Refunded, b.Attempt.Captured)
		require.Equal(t, b.Attempt.Status.Payment(), b.Payment.Status)
		pending := int64(0)
		if s := b.Attempt.Status; b.Payment.Details.CaptureMethod == payment.CaptureManualMultiple && (s == payment.CaptureInitiated || s == payment.PartialChargedAndChargeable) {
			pending = b.Attempt.CapturesPending()
		}
		require.Equal(t, b.Attempt.Captured+pending, b.Payment.Received)
		require.LessOrEqual(t, b.Attempt.Captured+b.Attempt.Unsettled(), b.Attempt.Authorized)
		require.GreaterOrEqual(t, b.Payment.Capturable, int64(0))
		if b.Payment.Status.Facts().Terminal {
			require.Zero(t, b.Payment.Capturable)
		}
		require.Equal(t, b.Operation.Status.Open(), b.Payment.OpenOperation == b.Operation.ID, "the slot is held exactly as long as the operation is open")
		p, a = b.Payment, b.Attempt
		p.OpenOperation = ""
	}
}

// openCapture returns a capture whose result is not known, or nil.
func openCapture(r *rand.Rand, a *payment.Attempt) (out *payment.CaptureRecord) {
	for i := range a.Details.Captures {
		if c := &a.Details.Captures[i]; c.Open() && (out == nil || r.IntN(2) == 0) {
			out = c
		}
	}
	return out
}

// randomOperation begins an operation that the attempt's status allows (nil when none is) and ends it somehow, sometimes with amounts
// that cannot be.
func randomOperation(r *rand.Rand, p *payment.Payment, a *payment.Attempt) (*payment.Operation, Verdict, *sdk.Manifest) {
	begin := func(kind sdk.Operation, by payment.Trigger, amount int64) *payment.Operation {
		if err := payment.Move(p, a, by, time.UnixMilli(0)); err != nil {
			panic(err)
		}
		p.OpenOperation = fmt.Sprint("op_", r.Uint64())
		return &payment.Operation{ID: p.OpenOperation, Kind: kind, Status: payment.OperationStarted, Amount: amount}
	}
	var op *payment.Operation
	asked := a.Amount
	switch a.Status {
	case payment.PaymentMethodAwaited, payment.ConfirmationAwaited:
		op = begin(sdk.OpAuthorize, payment.TriggerSubmit, a.Amount)
	case payment.AuthenticationPending, payment.DeviceDataPending:
		op = begin(sdk.OpComplete, payment.TriggerResume, a.Amount)
	case payment.Pending, payment.Unresolved, payment.Authorizing: // resolution
		op = &payment.Operation{ID: "op_r", Kind: sdk.OpAuthorize, Status: payment.OperationPending, Amount: a.Amount}
	case payment.CaptureInitiated, payment.VoidInitiated:
		kind := sdk.OpVoid
		if a.Status == payment.CaptureInitiated {
			kind = sdk.OpCapture
		}
		asked = a.Authorized - a.Captured
		id := "op_r"
		if kind == sdk.OpCapture {
			c := openCapture(r, a)
			id, asked = c.OperationID, c.Amount
		}
		op = &payment.Operation{ID: id, Kind: kind, Status: payment.OperationUnknown, Amount: asked}
		p.OpenOperation = op.ID
	case payment.Authorized, payment.PartiallyAuthorized, payment.PartialChargedAndChargeable:
		room := a.Authorized - a.Captured - a.Unsettled()
		if c := openCapture(r, a); c != nil && (room == 0 || r.IntN(2) == 0) {
			op = &payment.Operation{ID: c.OperationID, Kind: sdk.OpCapture, Status: payment.OperationPending, Amount: c.Amount}
			asked = c.Amount
			break
		}
		asked = r.Int64N(room) + 1
		if a.Unsettled() == 0 && r.IntN(3) == 0 {
			op = begin(sdk.OpVoid, payment.TriggerVoidStart, a.Authorized-a.Captured)
		} else {
			op = begin(sdk.OpCapture, payment.TriggerCaptureStart, asked)
			a.Details.Captures = append(slices.Clone(a.Details.Captures), payment.CaptureRecord{OperationID: op.ID, Amount: asked, Status: payment.CaptureStarted})
		}
	case payment.PartialCharged:
		if a.Details.Released {
			return nil, Verdict{}, nil
		}
		asked = a.Authorized - a.Captured
		op = &payment.Operation{ID: "op_rest", Kind: sdk.OpVoid, Status: payment.OperationStarted, Amount: asked}
		p.OpenOperation = op.ID
	default:
		return nil, Verdict{}, nil
	}
	m := &sdk.Manifest{Features: sdk.Features{ReleasesRest: r.IntN(2) == 0}}
	res := &Answer{MayHaveLeft: r.IntN(4) > 0, AnsweredLast: r.IntN(4) > 0}
	if res.MayHaveLeft {
		res.Exchanges = make([]sdk.Exchange, 1)
	}
	if r.IntN(10) == 0 {
		res.Reject = &sdk.Reject{Code: sdk.RejectUnsupported}
		return op, Judge(op.Kind, sdk.Money{Minor: asked, Currency: "EUR"}, m, res, nil), m
	}
	kinds := append(op.Kind.Outcomes(), sdk.StatusUnknown)
	o := &sdk.Outcome{Status: kinds[r.IntN(len(kinds))], Decline: &sdk.Decline{Code: "x"}}
	if r.IntN(2) == 0 {
		o.Amount = &sdk.Money{Minor: r.Int64N(2*asked+1) - 1, Currency: []sdk.Currency{"EUR", "USD"}[r.IntN(2)]}
	}
	res.Outcome = o
	return op, Judge(op.Kind, sdk.Money{Minor: asked, Currency: "EUR"}, m, res, nil), m
}
