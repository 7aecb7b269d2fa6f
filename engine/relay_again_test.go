package engine_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/relay"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// keyedShop captures once for each idempotency key and answers a repetition as the first time. Its captures take two requests.
type keyedShop struct {
	*httptest.Server
	mu    sync.Mutex
	lose  bool              // the answers to captures
	takes bool              // captures are carried out
	first string            // the answer to the first request
	made  map[string]string // the captures' bodies by their keys
	sends []string          // keys, in order
}

func newKeyedShop(t *testing.T) *keyedShop {
	p := &keyedShop{made: map[string]string{}, first: "a"}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		if r.Method == "GET" {
			w.Write([]byte(`{"state":"` + p.first + `"}`))
			return
		}
		key := r.Header.Get("Idempotency-Key")
		p.sends = append(p.sends, key)
		if p.takes && p.made[key] == "" {
			p.made[key] = string(b)
		}
		if p.lose {
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte(`{"state":"captured"}`))
	}))
	t.Cleanup(p.Server.Close)
	return p
}

// with runs f while no request is answered.
func (p *keyedShop) with(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

func keyedAdapter(rule sdk.ResolveRule) *sdk.Adapter {
	a := shop(rule)
	a.Sync = func(*sdk.Call) (*sdk.Outcome, error) { return sdk.Unknown("the shop answers no queries"), nil }
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(&sdk.Send{Method: "GET", URL: "/state", SafeToRepeat: true})
		if err != nil {
			return nil, err
		}
		r, err = c.Do((&sdk.Send{Method: "POST", URL: "/capture", Body: []byte(c.Request.Reference + r.JSON().Str("state"))}).Keyed("Idempotency-Key"))
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("state")), CaptureID: "cap_1"}, nil
	}
	return a
}

// A relay whose answer was lost is sent again when the merchant repeats the request with its Idempotency-Key: with the same key of the processor's, while the
// processor remembers it, and if the adapter sends the same. Else it stays pending, and nothing is sent.
func TestRelayIsSentAgainByItsKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		rule   sdk.ResolveRule
		takes  bool
		change func(w *world, p *keyedShop)
		sends  int
		want   relay.Status
	}{
		{"carried out, the answer was lost", resolving(sdk.ResolveByIdempotentResend), true, nil, 2, relay.Success},
		{"not carried out", resolving(sdk.ResolveByIdempotentResend), false, nil, 2, relay.Success},
		{"the processor remembers no keys", resolving(sdk.ResolveByReference), true, nil, 1, relay.Pending},
		{"the processor remembers the key no more", resolving(sdk.ResolveByIdempotentResend), true, func(*world, *keyedShop) { time.Sleep(24*time.Hour - time.Minute) }, 1, relay.Pending},
		{"the adapter would send something else", resolving(sdk.ResolveByIdempotentResend), true, func(_ *world, p *keyedShop) { p.with(func() { p.first = "b" }) }, 1, relay.Pending},
		{"the clock has jumped back", resolving(sdk.ResolveByIdempotentResend), true, func(w *world, _ *keyedShop) { w.jump(-time.Hour) }, 1, relay.Pending},
	} {
		p := newKeyedShop(t)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": keyedAdapter(c.rule)})
			w.shopAccount(p.URL)
			all, err := w.Accounts(t.Context(), w.auth)
			require.NoError(t, err)
			in := relay.Input{ResourceID: "tx", AccountID: all[len(all)-1].ID, Type: relay.Capture,
				Data: relay.Asked{Data: relay.Data{Capture: &relay.CaptureData{Authorized: 100, Amount: 60, Currency: "USD"}}}}
			a := w.auth
			a.RequestToken = "pay_token"
			p.with(func() { p.lose, p.takes = true, c.takes })
			r, err := w.CreateRelay(t.Context(), a, in)
			require.NoError(t, err)
			require.Equal(t, relay.Pending, r.Status, c.name)
			require.True(t, r.Repeatable())
			time.Sleep(time.Second)
			if c.change != nil {
				c.change(w, p)
			}
			p.with(func() { p.lose, p.takes = false, true })
			again, err := w.CreateRelay(t.Context(), a, in)
			require.NoError(t, err)
			p.with(func() {
				require.Equal(t, []any{c.want, r.ID, c.sends}, []any{again.Status, again.ID, len(p.sends)}, c.name)
				require.Equal(t, p.sends[0], p.sends[len(p.sends)-1], "the same key")
				require.Len(t, p.made, 1, c.name)
			})
			if c.want == relay.Success {
				require.Equal(t, "cap_1", again.ReferenceID)
				_, err = w.CreateRelay(t.Context(), a, in)
				require.NoError(t, err)
				p.with(func() { require.Len(t, p.sends, c.sends, "it has ended") })
			}
		}, p.Server)
	}
}

// An unreferenced refund whose answer was lost goes out again with the card of the repetition, if that is the card of the first request: no card is kept.
func TestUnreferencedRefundIsSentAgain(t *testing.T) {
	t.Parallel()
	p := newKeyedShop(t)
	inBubble(t, func(t *testing.T) {
		adapter := shop(resolving(sdk.ResolveByIdempotentResend))
		adapter.RefundSync = nil
		adapter.UnreferencedRefund = func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Do((&sdk.Send{Method: "POST", URL: "/refund", Body: []byte(c.Request.Reference + c.Request.Instrument.Card.LastFour)}).Keyed("Idempotency-Key"))
			if err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_" + r.JSON().Str("state")}, nil
		}
		w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": adapter})
		w.shopAccount(p.URL)
		all, err := w.Accounts(t.Context(), w.auth)
		require.NoError(t, err)
		ask := func(number string) *relay.Relay {
			t.Helper()
			a := w.auth
			a.RequestToken = "pay_token"
			r, err := w.CreateRelay(t.Context(), a, relay.Input{ResourceID: "mine", AccountID: all[len(all)-1].ID, Type: relay.UnreferencedRefund,
				Data: relay.Asked{Data: relay.Data{Unreferenced: &relay.UnreferencedData{Amount: 60, Currency: "USD"}},
					Card: &card.Input{Number: secret.New(number), ExpMonth: "10", ExpYear: "50"}}})
			require.NoError(t, err)
			return r
		}
		p.with(func() { p.lose, p.takes = true, true })
		r := ask("4242424242424242")
		require.Equal(t, relay.Pending, r.Status)
		time.Sleep(time.Second)
		p.with(func() { p.lose = false })
		require.Equal(t, relay.Pending, ask("4242421111114242").Status, "the same digits at both ends, and another card")
		p.with(func() { require.Len(t, p.sends, 1) })
		again := ask("4242424242424242")
		require.Equal(t, []any{relay.Success, r.ID, "re_captured"}, []any{again.Status, again.ID, again.ReferenceID})
		p.with(func() {
			require.Len(t, p.sends, 2)
			require.Equal(t, p.sends[0], p.sends[1], "the same key")
			require.Len(t, p.made, 1)
		})
		require.NotContains(t, fmt.Sprintf("%+v", again.Details), "424242424242")
	}, p.Server)
}
