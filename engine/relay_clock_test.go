package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/relay"
	"payswitch/plugins"
	"payswitch/sdk"
)

// A relayed refund whose end is not known stands in the way of the same refund, and of what a payment can still give back: for a day that really
// passes, in spite of jumps of the clock and of a restart.
func TestOpenRelayAndJumpsOfTheClock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		jumps    []time.Duration
		noticed  bool // the background work sees each jump
		restarts bool
		passes   time.Duration
		free     bool // the relay stands in the way no more
	}{
		"a day passes":                {passes: 25 * time.Hour, free: true},
		"ahead":                       {jumps: []time.Duration{25 * time.Hour}},
		"ahead, noticed":              {jumps: []time.Duration{25 * time.Hour}, noticed: true},
		"ahead in two jumps, noticed": {jumps: []time.Duration{13 * time.Hour, 13 * time.Hour}, noticed: true},
		"ahead, noticed, restart":     {jumps: []time.Duration{25 * time.Hour}, noticed: true, restarts: true},
		"ahead, then a day passes":    {jumps: []time.Duration{25 * time.Hour}, noticed: true, restarts: true, passes: 25 * time.Hour, free: true},
		"ahead and back":              {jumps: []time.Duration{25 * time.Hour, -25 * time.Hour}, noticed: true, passes: 23 * time.Hour},
		"back":                        {jumps: []time.Duration{-2 * time.Hour}, noticed: true, passes: 23 * time.Hour},
		"back, a day passes":          {jumps: []time.Duration{-2 * time.Hour}, noticed: true, passes: 27 * time.Hour, free: true},
		"back, restart, a day passes": {jumps: []time.Duration{-2 * time.Hour}, noticed: true, restarts: true, passes: 27 * time.Hour, free: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(byReference)})
			w := newWorldAt(t, quick, adapters, t.TempDir()+"/p.db", 9*time.Hour)
			w.shopAccount(p.URL)
			charged := w.pay(sale(100, visa))
			p.dropped.Store(true)
			asks := func(r relay.Relay) (*relay.Relay, error) {
				return w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: r.ResourceID, AccountID: w.onlyAccount().ID, Type: r.Type, Data: relay.Asked{Data: r.Details.Data}})
			}
			foreign := relay.Relay{ResourceID: "tx", Type: relay.Refund, Details: relay.Details{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}}
			own := relay.Relay{ResourceID: charged.Attempt.TransactionID, Type: relay.Refund, Details: relay.Details{Data: relay.Data{Refund: &relay.RefundData{Amount: 60, Currency: "USD"}}}}
			for _, r := range []relay.Relay{foreign, own} {
				k, err := asks(r)
				require.NoError(t, err)
				require.Equal(t, relay.Pending, k.Status)
			}
			if c.noticed {
				stop := w.runs()
				w.swept(1)
				for _, by := range c.jumps {
					w.jump(by)
					w.swept(2)
				}
				stop()
			} else {
				for _, by := range c.jumps {
					w.jump(by)
				}
			}
			if c.restarts {
				passed := w.passed
				w = newWorldAt(t, quick, adapters, w.file, time.Duration(w.clock.Load()))
				w.passed = passed
			}
			w.pass(c.passes)
			_, err := asks(foreign)
			require.Equal(t, c.free, err == nil, "the same refund again: %v", err)
			_, err = w.refund(charged.Payment.ID, 41)
			require.Equal(t, c.free, err == nil, "a refund of the payment: %v", err)
		})
	}
}
