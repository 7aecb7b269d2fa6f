package router_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/routing/health"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// TestProcessorFailsAndComesBack fails one processor: the payments of the next seconds go to the other one, and come back once trials have succeeded.
func TestProcessorFailsAndComesBack(t *testing.T) {
	t.Parallel()
	var down atomic.Bool
	moody := simulator.Adapter()
	well := moody.Authorize
	moody.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		if down.Load() {
			return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
		}
		return well(c)
	}
	w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": moody, "adyen": simulator.Adapter()}))
	pay := func() []any {
		v := w.post("/payments", with(plain, "routing", "-", "currency", `"USD"`)).ok()
		return []any{v["connector"], v["status"]}
	}
	standing := func() any { return w.get("/routing/health").list()[0]["standing"] }
	require.Equal(t, []any{"stripe", "succeeded"}, pay())

	down.Store(true)
	for range health.MinFaults {
		require.Equal(t, []any{"stripe", "processing"}, pay(), "an unknown outcome leads to no other account")
	}
	require.Equal(t, "out", standing())
	for range 3 {
		require.Equal(t, []any{"adyen", "succeeded"}, pay())
	}
	w.passes(health.FirstPause + time.Second)
	require.Equal(t, []any{"stripe", "processing"}, pay(), "one payment tries")
	require.Equal(t, []any{"adyen", "succeeded"}, pay(), "the trial has failed")

	down.Store(false)
	w.passes(3*health.FirstPause + time.Second)
	for range health.TrialsNeeded {
		require.Equal(t, []any{"stripe", "succeeded"}, pay())
	}
	require.Equal(t, "in", standing())
	require.Equal(t, []any{"stripe", "succeeded"}, pay())
}
