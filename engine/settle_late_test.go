package engine_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// storeBroken takes no write while it is broken.
type storeBroken struct {
	engine.Store
	broken atomic.Bool
}

func (s *storeBroken) Update(ctx context.Context, f func(engine.Tx) error) error {
	if s.broken.Load() {
		return errors.New("the disk is full")
	}
	return s.Store.Update(ctx, f)
}

// A processor's message that could not be booked is booked soon after the database takes writes again. Background work that claims the operation
// meanwhile does not keep it away.
func TestMessageIsBookedOnceTheDatabaseWrites(t *testing.T) {
	t.Parallel()
	p := newTill(t)
	p.set("/authorize", "drop")
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": silentTill()})
		a := w.mailAccount("shop", p.URL, "")
		v := w.pay(sale(1000, visa))
		s := &storeBroken{Store: w.db}
		e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": silentTill()}), Vault: w.vault,
			Presenter: presenter{}}, engine.Options{ResolveEvery: 300 * time.Millisecond})
		require.NoError(t, err)
		s.broken.Store(true)
		_, err = e.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference,
			"outcome": sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: &sdk.Money{Minor: 1000, Currency: "USD"}}}))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		s.broken.Store(false)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- e.Run(ctx) }()
		time.Sleep(10 * time.Second)
		require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
		stop()
		require.NoError(t, <-done)
		require.NoError(t, e.Close(t.Context()))
	}, p.Server)
}
