package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// Impossible amounts in a sync result are not booked as money, neither for an open operation nor for a payment at rest.
func TestAmountsOfASync(t *testing.T) {
	t.Parallel()
	usd := func(n int64) *sdk.Money { return &sdk.Money{Minor: n, Currency: "USD"} }
	for name, c := range map[string]struct {
		told      sdk.Outcome
		want      payment.Status
		received  int64
		unalarmed bool
	}{
		"as asked":           {told: sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(100)}, want: payment.Succeeded, received: 100, unalarmed: true},
		"no amount":          {told: sdk.Outcome{Status: sdk.StatusCaptured}, want: payment.Succeeded, received: 100, unalarmed: true},
		"in totals":          {told: sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 100, Captured: 100}}, want: payment.Succeeded, received: 100, unalarmed: true},
		"nothing":            {told: sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(0)}, want: payment.Conflicted},
		"nothing authorized": {told: sdk.Outcome{Status: sdk.StatusAuthorized, Amount: usd(0)}, want: payment.Conflicted},
		"less than nothing":  {told: sdk.Outcome{Status: sdk.StatusAuthorized, Amount: usd(-1)}, want: payment.Conflicted},
		"more":               {told: sdk.Outcome{Status: sdk.StatusCaptured, Amount: usd(101)}, want: payment.Conflicted},
		"more in totals":     {told: sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 100, Captured: 101}}, want: payment.Conflicted},
		"totals below zero":  {told: sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 100, Captured: 100, Refunded: -1}}, want: payment.Conflicted},
		"another currency":   {told: sdk.Outcome{Status: sdk.StatusCaptured, Amount: &sdk.Money{Minor: 100, Currency: "EUR"}}, want: payment.Processing},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProcessor(t)
			p.hangs.Store(true)
			a := shop(byReference)
			ask := a.Sync
			a.Sync = func(call *sdk.Call) (*sdk.Outcome, error) {
				if _, err := ask(call); err != nil {
					return nil, err
				}
				o := c.told
				return &o, nil
			}
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
			w.shopAccount(p.URL)
			v := w.pay(sale(100, visa))
			require.Equal(t, payment.Processing, v.Payment.Status)
			v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
			require.Equal(t, c.want, v.Payment.Status)
			require.Equal(t, c.received, v.Payment.Received)
			require.Equal(t, c.unalarmed, w.alarms.all()["amount_mismatch"] == 0)
		})
	}
}

// After an authorization, a sync reports that more was captured than authorized.
func TestMoreCapturedThanAuthorized(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	a := shop(byReference)
	pay, ask := a.Authorize, a.Sync
	a.Authorize = func(call *sdk.Call) (*sdk.Outcome, error) {
		o, err := pay(call)
		if o != nil {
			o.Status = sdk.StatusAuthorized
		}
		return o, err
	}
	a.Sync = func(call *sdk.Call) (*sdk.Outcome, error) {
		o, err := ask(call)
		if o != nil {
			o.Amount = &sdk.Money{Minor: 5000, Currency: "USD"}
		}
		return o, err
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	w.shopAccount(p.URL)
	v := w.pay(sale(100, visa, manual))
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Zero(t, v.Payment.Received)
	require.Equal(t, 1, w.alarms.all()["amount_mismatch"])
}

// A query learns that the payment allows the approval of a part. An adapter whose processor states no amounts then leaves the payment in doubt,
// rather than have the whole amount counted.
func TestSyncKnowsThatAPartIsAllowed(t *testing.T) {
	t.Parallel()
	for allowed, want := range map[bool]payment.Status{true: payment.Processing, false: payment.Succeeded} {
		p := newProcessor(t)
		p.hangs.Store(true)
		a := shop(byReference)
		a.Manifest.Features.PartialApproval = true
		ask := a.Sync
		a.Sync = func(call *sdk.Call) (*sdk.Outcome, error) {
			_, err := ask(call)
			sdk.Expect(!call.Request.Wish().Partial, "the amount is not known")
			return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "ch_1"}, err
		}
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa, func(in *request.Input) { in.Partial = ptr(allowed) }))
		require.Equal(t, payment.Processing, v.Payment.Status)
		v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
		require.Equal(t, want, v.Payment.Status, "allowed: %v", allowed)
	}
}
