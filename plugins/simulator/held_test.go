package simulator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

func TestCaptures(t *testing.T) {
	held := authorized(t, 6050)
	held.FinalCapture = true
	o := do(t, sdk.OpCapture, 0, held)
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, usd(6050), *o.Amount)
	require.Equal(t, sdk.Totals{Authorized: 6050, Captured: 6050}, *o.Totals)
	require.False(t, o.Released)
	require.NotEmpty(t, o.CaptureID)

	over := do(t, sdk.OpCapture, 0, of(held, 6051))
	require.Equal(t, "amount_too_large", over.Decline.Code)
	require.Equal(t, "unexpected_state", do(t, sdk.OpVoid, 0, told(held, o)).Decline.Code, "what is captured is not voided")

	part := do(t, sdk.OpCapture, 0, of(held, 50))
	require.Equal(t, usd(50), *part.Amount)
	require.True(t, part.Released, "the rest of the last capture is released")
	rest := told(held, part)
	require.Equal(t, "unexpected_state", do(t, sdk.OpCapture, 0, of(rest, 10)).Decline.Code)
	require.Equal(t, "unexpected_state", do(t, sdk.OpVoid, 0, rest).Decline.Code)
	synced := do(t, sdk.OpSync, 0, rest)
	require.Equal(t, sdk.StatusCaptured, synced.Status)
	require.True(t, synced.Released)
	require.Equal(t, usd(50), *synced.Amount)

	for name, r := range map[string]sdk.Request{"zero": of(held, 0), "negative": of(held, -5)} {
		require.Equal(t, "amount", answer(t, sdk.OpCapture, 0, r).Reject.Parameter, name)
	}
	other := held
	other.Amount.Currency = "EUR"
	require.Equal(t, "currency_not_the_same", do(t, sdk.OpCapture, 0, other).Decline.Code)
	unasked := later(request(visa, 6050, sdk.CaptureManual), nil)
	require.Equal(t, "unexpected_state", do(t, sdk.OpCapture, 0, unasked).Decline.Code, "what is not authorized is not captured")
	held.Payment = nil
	require.Equal(t, "payment", answer(t, sdk.OpCapture, 0, held).Reject.Parameter)
}

func TestCapturesInParts(t *testing.T) {
	held := authorized(t, 100)
	ids := map[string]bool{}
	for i, amount := range []int64{30, 30, 40} {
		o := do(t, sdk.OpCapture, 0, of(held, amount))
		require.Equal(t, sdk.StatusCaptured, o.Status)
		require.False(t, o.Released)
		ids[o.CaptureID] = true
		held = told(held, o)
		if i < 2 {
			synced := do(t, sdk.OpSync, 0, held)
			require.Equal(t, sdk.StatusAuthorized, synced.Status, "some of it is still held")
			require.Equal(t, *o.Totals, *synced.Totals)
		}
	}
	require.Len(t, ids, 3)
	require.Equal(t, "amount_too_large", do(t, sdk.OpCapture, 0, of(held, 1)).Decline.Code)

	some := authorized(t, 100)
	some = told(some, do(t, sdk.OpCapture, 0, of(some, 30)))
	o := do(t, sdk.OpVoid, 0, of(some, 70))
	require.Equal(t, sdk.StatusVoided, o.Status)
	require.True(t, o.Released)
	require.Equal(t, int64(30), o.Totals.Captured)
	synced := do(t, sdk.OpSync, 0, told(some, o))
	require.Equal(t, sdk.StatusCaptured, synced.Status)
	require.Equal(t, usd(30), *synced.Amount)
}

func TestVoid(t *testing.T) {
	held := authorized(t, 6050)
	o := do(t, sdk.OpVoid, 0, held)
	require.Equal(t, sdk.StatusVoided, o.Status)
	gone := told(held, o)
	require.Equal(t, sdk.StatusVoided, do(t, sdk.OpSync, 0, gone).Status)
	require.Equal(t, "unexpected_state", do(t, sdk.OpCapture, 0, gone).Decline.Code, "what is voided is not captured")
	require.Equal(t, "unexpected_state", do(t, sdk.OpVoid, 0, gone).Decline.Code)

	first := request(visa, 100, sdk.CaptureAutomatic)
	first.Request3DS = true
	waiting := later(first, do(t, sdk.OpAuthorize, 0, first))
	require.Equal(t, sdk.StatusVoided, do(t, sdk.OpVoid, 0, waiting).Status, "the customer has not come back")
}

// The result of each amount for an operation on an authorized payment: the answer, and what a later sync finds.
func TestHeldAmounts(t *testing.T) {
	type row struct {
		now, sync string
		captured  int64 // by the sync's totals
	}
	for op, rows := range map[sdk.Operation]map[int64]row{
		sdk.OpCapture: {
			201: {"declined:generic_decline", "authorized", 0},
			202: {"pending", "captured", magic + 202},
			203: {"pending", "authorized", 0},
			204: {"unknown", "captured", magic + 204},
			205: {"unknown", "authorized", 0},
		},
		sdk.OpVoid: {
			301: {"declined:generic_decline", "authorized", 0},
			302: {"pending", "voided", 0},
			303: {"unknown", "voided", 0},
			304: {"unknown", "authorized", 0},
			305: {"voided", "voided", 0},
		},
	} {
		require.ElementsMatch(t, simulator.Codes(op), keys(rows))
		for code, want := range rows {
			held := authorized(t, magic+code)
			for _, part := range []bool{false, true} {
				if part { // the payment is larger: the amount of the capture decides, but for a void the whole amount
					if op == sdk.OpVoid {
						break
					}
					held = of(authorized(t, 2*magic), magic+code)
				}
				o := do(t, op, 0, held)
				require.Equal(t, want.now, said(o), "%s %d", op, code)
				synced := do(t, sdk.OpSync, 0, resolving(told(held, o), op))
				require.Equal(t, want.sync, said(synced), "%s %d", op, code)
				require.Equal(t, want.captured, synced.Totals.Captured)
				require.Equal(t, held.Payment.Authorized, synced.Totals.Authorized)
				require.Equal(t, "sim_pay_1_1", synced.TransactionID)
				if o.Status == sdk.StatusPending && op == sdk.OpCapture && want.captured > 0 {
					require.Equal(t, o.CaptureID, synced.CaptureID)
				}
			}
		}
	}
}

// A sync finds an ordinary capture or void done whose answer was lost.
func TestLostAnswers(t *testing.T) {
	held := authorized(t, 100)
	o := do(t, sdk.OpSync, 0, resolving(of(held, 40), sdk.OpCapture))
	require.Equal(t, sdk.StatusCaptured, o.Status)
	require.Equal(t, usd(40), *o.Amount)
	require.Equal(t, sdk.Totals{Authorized: 100, Captured: 40}, *o.Totals)
	require.Equal(t, do(t, sdk.OpCapture, 0, of(held, 40)).CaptureID, o.CaptureID)
	require.Equal(t, sdk.StatusVoided, do(t, sdk.OpSync, 0, resolving(held, sdk.OpVoid)).Status)
	require.Equal(t, sdk.StatusAuthorized, do(t, sdk.OpSync, 0, resolving(of(held, 101), sdk.OpCapture)).Status, "what would have been refused was not done")
}

func TestIncrementalAuthorize(t *testing.T) {
	held := authorized(t, 100)
	o := do(t, sdk.OpIncrementalAuthorize, 0, of(held, 150))
	require.Equal(t, sdk.StatusAuthorized, o.Status)
	require.Equal(t, usd(150), *o.Amount)
	require.Equal(t, int64(150), o.Totals.Authorized)
	require.Equal(t, sdk.StatusCaptured, do(t, sdk.OpCapture, 0, of(told(held, o), 150)).Status)
	require.Equal(t, "amount_too_small", do(t, sdk.OpIncrementalAuthorize, 0, of(held, 100)).Decline.Code)

	require.ElementsMatch(t, []int64{501, 502, 503}, simulator.Codes(sdk.OpIncrementalAuthorize))
	require.Equal(t, "declined:insufficient_funds", said(do(t, sdk.OpIncrementalAuthorize, 0, of(held, magic+501))))
	for code, total := range map[int64]int64{502: magic + 502, 503: 100} {
		require.Equal(t, sdk.StatusUnknown, do(t, sdk.OpIncrementalAuthorize, 0, of(held, magic+code)).Status)
		o := do(t, sdk.OpSync, 0, resolving(of(held, magic+code), sdk.OpIncrementalAuthorize))
		require.Equal(t, sdk.StatusAuthorized, o.Status)
		require.Equal(t, total, o.Totals.Authorized)
	}
}

// A captured payment is voided before it settles, as a whole.
func TestVoidOfACapture(t *testing.T) {
	taken := func(amount int64) sdk.Request {
		first := request(visa, amount, sdk.CaptureAutomatic)
		r := later(first, do(t, sdk.OpAuthorize, 0, first))
		r.VoidCaptured = true
		return r
	}
	for amount, want := range map[int64][2]string{6050: {"voided", "voided"}, magic + 301: {"declined:generic_decline", "captured"}, magic + 302: {"pending", "voided"},
		magic + 303: {"unknown", "voided"}, magic + 304: {"unknown", "captured"}, magic + 305: {"declined:transaction_not_allowed", "captured"}} {
		r := taken(amount)
		o := do(t, sdk.OpVoid, 0, r)
		require.Equal(t, want, [2]string{said(o), said(do(t, sdk.OpSync, 0, resolving(r, sdk.OpVoid)))}, amount)
		if o.Status == sdk.StatusVoided {
			require.Zero(t, o.Totals.Captured)
		}
	}
	given := taken(6050)
	given.Payment.Refunded = 50
	require.Equal(t, "unexpected_state", do(t, sdk.OpVoid, 0, given).Decline.Code)
	gone := taken(6050)
	gone.Payment.Captured, gone.Payment.Voided = 0, true
	require.Equal(t, "unexpected_state", do(t, sdk.OpVoid, 0, gone).Decline.Code)
	require.Equal(t, sdk.StatusVoided, do(t, sdk.OpSync, 0, gone).Status)
}
