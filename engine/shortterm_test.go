package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// shortTerm reports whether a short-term key is in the store.
func (w *world) shortTerm(id string) bool {
	w.t.Helper()
	err := w.db.View(w.t.Context(), func(r engine.Reader) error { _, err := r.ShortTermKey("m1", id); return err })
	if !errors.Is(err, fault.ErrNotFound) {
		require.NoError(w.t, err)
	}
	return err == nil
}

// The card of an unconfirmed payment has a key of its own. The confirmation destroys the key, and so does the end of its time.
func TestCardTokenIsShredded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	unconfirmed := func(in *request.Input) { in.Confirm = new(bool) }
	v := w.pay(sale(1000, visa, unconfirmed))
	id := "card_token/" + v.Payment.Details.Token
	require.True(t, w.shortTerm(id))
	v, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, &request.Input{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.False(t, w.shortTerm(id))
	require.False(t, w.shortTerm(w.operations(v.Payment.ID)[0].ShortTermID()))

	v = w.pay(sale(1000, visa, unconfirmed))
	id = "card_token/" + v.Payment.Details.Token
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { // the card's time is over
		c, err := tx.CardToken("m1", v.Payment.Details.Token)
		if err != nil {
			return err
		}
		c.Key.ExpiresAt = tx.Now().Add(-time.Second)
		if err := tx.PutCardToken(c); err != nil {
			return err
		}
		_, err = tx.DeleteExpired()
		return err
	}))
	require.False(t, w.shortTerm(id))
	_, err = w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, &request.Input{})
	require.Equal(t, "IR_29", code(t, err))
}

// An operation whose card is destroyed is never sent again without it, whatever the processor's window.
func TestNeverResentWithoutItsCard(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 24 * 60 * 60})})
		w.shopAccount(p.URL)
		v := w.pay(sale(100, visa))
		op := w.operations(v.Payment.ID)[0]
		require.Equal(t, payment.OperationUnknown, op.Status)
		sent := p.count("POST")
		require.NoError(t, w.db.Update(context.Background(), func(tx engine.Tx) error {
			fresh, err := tx.Operation(op.ID)
			if err == nil {
				fresh.Instrument = nil
				err = tx.UpdateOperation(fresh)
			}
			return err
		}))
		w.running()
		require.Eventually(t, func() bool { return w.operations(v.Payment.ID)[0].ResolveTries > op.ResolveTries+1 }, 10*time.Second, 10*time.Millisecond)
		op = w.operations(v.Payment.ID)[0]
		require.Equal(t, payment.OperationUnknown, op.Status)
		require.Contains(t, op.ErrorText, "the card data was destroyed after its keeping time")
		require.Equal(t, sent, p.count("POST"))
	}, p.Server)
}
