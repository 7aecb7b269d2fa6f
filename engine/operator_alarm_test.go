package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// An unknown authorization that can neither be queried nor sent again is raised, once.
func TestAwaitsOperatorIsRaisedOnce(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "drop done")
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: 10 * time.Second}, map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByIdempotentResend))})
		w.shopAccount(p.URL)
		id := w.pay(sale(100, visa, manual)).Payment.ID
		w.running()
		time.Sleep(time.Minute)
		require.Empty(t, w.alarms.all())
		time.Sleep(2 * time.Hour)
		require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
		require.Equal(t, map[string]int{"awaits_operator": 1}, w.alarms.all())
	}, p.Server)
}
