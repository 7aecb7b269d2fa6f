package simulator_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// start is the time of every payment in the tests.
const start = int64(1_700_000_000_000)

// step makes a step of an operation that begins that long after start.
func step(op sdk.Operation, after time.Duration, r sdk.Request) *sdk.Step {
	return &sdk.Step{ABI: sdk.ABI, Operation: op, OperationID: "op_0123456789abcdef", Now: start + after.Milliseconds(), Seed: strings.Repeat("ab", 32),
		DerivePrefix: "Derive0123456789012345678", Request: r,
		Account: sdk.Account{ID: "mca_1", Connector: "stripe", Environment: "test", Credentials: map[string]string{"api_key": "StandIn0123456789012345"}}}
}

// do performs an operation and returns its outcome. It checks that the step gets the same answer again, and after a
// trip through the codec.
func do(t *testing.T, op sdk.Operation, after time.Duration, r sdk.Request) *sdk.Outcome {
	t.Helper()
	result := answer(t, op, after, r)
	require.Nil(t, result.Reject)
	require.NotNil(t, result.Outcome)
	return result.Outcome
}

func answer(t *testing.T, op sdk.Operation, after time.Duration, r sdk.Request) sdk.Result {
	t.Helper()
	s := step(op, after, r)
	adapter := simulator.Adapter()
	result := adapter.Step(s)
	require.Equal(t, result, adapter.Step(s), "the same step is answered alike")
	require.Nil(t, result.Send, "the simulator sends nothing")
	message, err := sdk.DecodeResult(adapter.Handle(sdk.EncodeStep(s)))
	require.NoError(t, err)
	require.Equal(t, result, *message)
	return result
}

// cardOf returns a card as an adapter sees it.
func cardOf(number string) *sdk.Card {
	n := strings.ReplaceAll(number, " ", "")
	return &sdk.Card{Number: "CardStandIn", CVC: "CVCStandIn", ExpMonth: 12, ExpYear: 2050, BIN: n[:6], LastFour: n[len(n)-4:], Length: len(n)}
}

func usd(minor int64) sdk.Money { return sdk.Money{Minor: minor, Currency: "USD"} }

const visa = "4242 4242 4242 4242"

// request returns a payment as authorize receives it.
func request(number string, minor int64, how sdk.CaptureMethod) sdk.Request {
	return sdk.Request{PaymentID: "pay_1", AttemptID: "pay_1_1", Reference: "pay_1_1", Amount: usd(minor), Capture: how,
		Instrument: &sdk.Instrument{Card: cardOf(number)}, ReturnURL: "https://switch.example:8443/payments/pay_1/m/redirect/complete/stripe"}
}

// later returns the request of an operation on that payment, without any state but its creation.
func later(first sdk.Request, o *sdk.Outcome) sdk.Request {
	r := sdk.Request{PaymentID: first.PaymentID, AttemptID: first.AttemptID, Reference: first.Reference, Amount: first.Amount, Capture: first.Capture,
		ReturnURL: first.ReturnURL}
	r.Payment = &sdk.PaymentState{Currency: first.Amount.Currency, Requested: first.Amount.Minor, CreatedAt: start, Capture: first.Capture}
	if i := first.Instrument; i != nil && i.Card != nil {
		r.Payment.BIN, r.Payment.LastFour = i.Card.BIN, i.Card.LastFour
	}
	return told(r, o)
}

// told adds what an outcome reported, as the switch stores it.
func told(r sdk.Request, o *sdk.Outcome) sdk.Request {
	if o == nil {
		return r
	}
	state := *r.Payment
	r.Payment = &state
	if o.TransactionID != "" {
		r.TransactionID = o.TransactionID
	}
	if o.ConnectorData != nil {
		r.ConnectorData = o.ConnectorData
	}
	if o.Totals != nil {
		state.Authorized, state.Captured, state.Refunded = o.Totals.Authorized, o.Totals.Captured, o.Totals.Refunded
	}
	state.Voided = o.Status == sdk.StatusVoided
	return r
}

// authorized returns a payment that holds that amount, ready for another operation.
func authorized(t *testing.T, minor int64) sdk.Request {
	t.Helper()
	first := request(visa, minor, sdk.CaptureManual)
	o := do(t, sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	return later(first, o)
}

// captured returns a payment that has captured that amount.
func captured(t *testing.T, minor int64) sdk.Request {
	t.Helper()
	first := request(visa, minor, sdk.CaptureAutomatic)
	o := do(t, sdk.OpAuthorize, 0, first)
	require.Equal(t, sdk.StatusCaptured, o.Status)
	return later(first, o)
}

func of(r sdk.Request, minor int64) sdk.Request {
	r.Amount.Minor = minor
	return r
}

func resolving(r sdk.Request, op sdk.Operation) sdk.Request {
	r.Resolves = op
	return r
}
