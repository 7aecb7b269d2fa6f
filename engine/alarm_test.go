package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// TestOtherAccountRaises shows that a processor's "not found" for its own payment changes nothing and raises an alarm.
func TestOtherAccountRaises(t *testing.T) {
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
		if _, err := ask(call); err != nil {
			return nil, err
		}
		return call.NotFound(), nil
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	w.shopAccount(p.URL)
	v := w.pay(sale(100, visa, manual))
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.Equal(t, 1, w.alarms.all()[sdk.AlarmOtherAccount])
}
