package engine_test

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/storage"
)

// A payment whose kept card was deleted, or whose token never named a card, can be changed, confirmed with another card and cancelled.
func TestPaymentOutlivesItsCardToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	for made, create := range map[string]func() *request.Input{
		"swept": func() *request.Input {
			in := sale(1000, visa)
			in.Confirm = nil
			return in
		},
		"never there": func() *request.Input {
			return &request.Input{Amount: ptr(int64(1000)), Currency: "USD", PaymentMethod: "card", PaymentToken: "token_00000000000000000000"}
		},
	} {
		for name, act := range map[string]func(id string) (*change.View, error){
			"cancel": func(id string) (*change.View, error) { return w.CancelPayment(t.Context(), w.auth, id, "") },
			"update": func(id string) (*change.View, error) {
				return w.UpdatePayment(t.Context(), w.auth, id, &request.Input{})
			},
			"confirm": func(id string) (*change.View, error) {
				in := sale(1000, visa)
				in.Confirm = nil
				return w.ConfirmPayment(t.Context(), w.auth, id, in)
			},
		} {
			t.Run(made+"/"+name, func(t *testing.T) {
				v, err := w.CreatePayment(t.Context(), w.auth, create())
				require.NoError(t, err)
				token := v.Payment.Details.Token
				require.NotEmpty(t, token)
				err = w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.DeleteCardToken("m1", token) })
				require.True(t, err == nil || made == "never there" && errors.Is(err, fault.ErrNotFound), "%v", err)

				v, err = act(v.Payment.ID)
				require.NoError(t, err)
				want := map[string]payment.Status{"cancel": payment.Cancelled, "update": payment.RequiresPaymentMethod, "confirm": payment.Succeeded}[name]
				require.Equal(t, want, v.Payment.Status)
				require.Empty(t, v.Payment.Details.Token)
			})
		}
	}
}

// An idempotency key that was deleted while its request ran is free, and releasing it is no error.
func TestIdempotencyKeySweptMeanwhile(t *testing.T) {
	t.Parallel()
	var logs bytes.Buffer
	db, err := storage.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "p.db"), storage.Options{Migrate: true})
	require.NoError(t, err)
	defer db.Close()
	vault, err := engine.OpenVault(t.Context(), db, worldKey)
	require.NoError(t, err)
	e, err := engine.New(engine.Deps{Store: db, Vault: vault, Presenter: presenter{}, Logger: slog.New(slog.NewTextHandler(&logs, nil)),
		Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()})}, engine.Options{PublicURL: "http://switch.test"})
	require.NoError(t, err)
	defer e.Close(t.Context())

	auth := account.Auth{MerchantID: "m1"}
	_, _, abandon, err := e.BeginIdempotent(t.Context(), &auth, "k", []byte("one"))
	require.NoError(t, err)
	require.NoError(t, db.Update(t.Context(), func(tx engine.Tx) error { return tx.DeleteIdempotency("m1", "k") }))
	abandon(t.Context())
	require.Empty(t, logs.String())
	_, finish, _, err := e.BeginIdempotent(t.Context(), &auth, "k", []byte("two"))
	require.NoError(t, err)
	require.NotNil(t, finish)
}
