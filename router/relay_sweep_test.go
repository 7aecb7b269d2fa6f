package router_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// A relay whose answer was lost ends without the merchant: background work asks the processor. It sends nothing that could act, and asks no processor that has no
// such query.
func TestRelaysAreAskedAbout(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		finds, never, sends, queries := simulator.Adapter(), simulator.Adapter(), 0, 0
		refund, query := finds.Refund, finds.RefundSync
		finds.Refund = func(c *sdk.Call) (*sdk.Outcome, error) { sends++; return refund(c) }
		finds.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) { queries++; return query(c) }
		never.Manifest.Resolve.By = []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend}
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": finds, "adyen": simulator.Adapter(), "worldpay": never}))
		w.addAccount("worldpay")
		made := w.relayOf("made", "stripe", "refund", `{"amount":900000404,"currency":"USD"}`).ok()
		not := w.relayOf("not made", "stripe", "refund", `{"amount":900000405,"currency":"USD"}`).ok()
		alien := w.relayOf("made", "worldpay", "refund", `{"amount":900000404,"currency":"USD"}`).ok()
		state := func(r map[string]any) string {
			return fmt.Sprint(w.get("/relay/" + r["id"].(string)).ok()["status"])
		}
		sweep := func() { require.NoError(t, w.engine.Relays.Sweep(t.Context())) }
		first := sends
		sweep()
		require.Equal(t, "pending pending", state(made)+" "+state(not), "its own request may be under way")
		require.Zero(t, queries)
		time.Sleep(2 * time.Minute)
		sweep()
		require.Equal(t, "success", state(made))
		for range 20 { // each on a growing schedule
			time.Sleep(time.Minute)
			sweep()
		}
		require.Equal(t, "failure", state(not))
		require.Equal(t, "pending", state(alien))
		require.Less(t, queries, 8)
		require.Equal(t, first, sends)
	})
}

// A processor that does not answer delays its own relays alone.
func TestSilentProcessorDelaysNoOtherRelay(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		silent, finds := simulator.Adapter(), simulator.Adapter()
		silent.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) {
			time.Sleep(20 * time.Second)
			return nil, errors.New("no answer")
		}
		var found time.Time
		query := finds.RefundSync
		finds.RefundSync = func(c *sdk.Call) (*sdk.Outcome, error) { found = time.Now(); return query(c) }
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"adyen": silent, "stripe": finds}))
		for i := range 10 {
			w.relayOf(fmt.Sprint("silent ", i), "adyen", "refund", `{"amount":900000404,"currency":"USD"}`).ok()
		}
		made := w.relayOf("made", "stripe", "refund", `{"amount":900000404,"currency":"USD"}`).ok()
		time.Sleep(2 * time.Minute)
		began := time.Now()
		require.NoError(t, w.engine.Relays.Sweep(t.Context()))
		require.Less(t, found.Sub(began), time.Second)
		require.Less(t, time.Since(began), 2*time.Minute, "the rest waits for the next sweep")
		require.Equal(t, "success", fmt.Sprint(w.get("/relay/" + made["id"].(string)).ok()["status"]))
	})
}
