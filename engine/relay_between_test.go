package engine_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// storeAfterRelays runs a step once, after the transaction that has read the relays of a payment.
type storeAfterRelays struct {
	engine.Store
	step atomic.Pointer[func()]
}

// noticesRelays notes that somebody has read the relays of a payment.
type noticesRelays struct {
	engine.Reader
	read *bool
}

func (n noticesRelays) RelaysOf(merchantID, accountID, resourceID string) ([]*relay.Relay, error) {
	*n.read = true
	return n.Reader.RelaysOf(merchantID, accountID, resourceID)
}

func (s *storeAfterRelays) View(ctx context.Context, f func(engine.Reader) error) error {
	read := false
	err := s.Store.View(ctx, func(r engine.Reader) error { return f(noticesRelays{r, &read}) })
	if read {
		if step := s.step.Swap(nil); step != nil {
			(*step)()
		}
	}
	return err
}

// A relay begins and ends between a settlement's look at the relays and the settlement's commit. The relay's end finds the own operation open and leaves the
// question to that end, which has not seen the relay. The commit sees it, and the payment shows soon what the processor took and holds.
func TestRelayBetweenReadAndCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, how string
		relay    relay.Type
	}{
		{"capture", "", relay.Void}, {"capture", "", relay.Capture}, {"capture", "refuse", relay.Capture}, {"void", "refuse", relay.Capture},
	} {
		t.Run(fmt.Sprint(c.own, " ", c.how, ", relay ", c.relay), func(t *testing.T) {
			t.Parallel()
			q := newAcquirer(t)
			inBubble(t, func(t *testing.T) {
				adapters := map[string]*sdk.Adapter{"shop": q.adapter(resolving(sdk.ResolveByReference, sdk.ResolveByIdempotentResend))}
				w := newWorld(t, engine.Options{}, adapters)
				at := w.mailAccount("shop", q.URL, "")
				s := &storeAfterRelays{Store: w.db}
				e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(adapters), Vault: w.vault, Presenter: presenter{}}, engine.Options{})
				require.NoError(t, err)
				v := w.pay(sale(100, visa, multiple))
				id, h := v.Payment.ID, q.of(v.Attempt.Details.Reference)
				ask := besideOwn{relay: c.relay}.asks(at.ID, h.ID)
				relayed := false
				between := func() {
					q.fails("", "")
					k, err := w.CreateRelay(t.Context(), w.auth, ask)
					require.NoError(t, err)
					require.Equal(t, relay.Success, k.Status)
					relayed = true
				}
				q.fails(c.own, c.how)
				if c.own == "void" {
					s.step.Store(&between)
					_, err = e.CancelPayment(t.Context(), w.auth, id, "")
				} else {
					first := func() { s.step.Store(&between) } // the capture itself looks at the relays before its intent
					s.step.Store(&first)
					_, err = e.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr(int64(60))})
				}
				require.NoError(t, err)
				require.True(t, relayed)
				w.running()
				time.Sleep(time.Minute)
				got := w.get(id, request.RetrieveInput{}).Payment
				free := h.Authorized - h.Captured()
				if h.Voided {
					free = 0
				}
				require.Equal(t, []int64{h.Captured(), free}, []int64{got.Received, got.Capturable}, "%s", got.Status)
				require.NotEqual(t, payment.Processing, got.Status)
			}, q.Server)
		})
	}
}
