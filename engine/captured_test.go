package engine_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// The second send needs a secret from the first answer. Another engine on the same database makes that send again. It
// finds the secret in the journal, sealed; the secret stands nowhere in plain text.
func TestResendWithACapturedValue(t *testing.T) {
	t.Parallel()
	const session = "session_value_0123456789"
	var mu sync.Mutex
	var charged []string
	hang := true
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/session" {
			w.Write([]byte(`{"key":"` + session + `"}`))
			return
		}
		charged = append(charged, r.Header.Get("Authorization"))
		if hang {
			hang = false
			panic(http.ErrAbortHandler)
		}
		w.Write([]byte(`{"id":"x1"}`))
	}))
	t.Cleanup(p.Close)
	a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})
	a.Manifest.Credentials = []sdk.Field{{Name: "key", Key: "api_key", Label: "Key", Type: "secret"}}
	a.Manifest.Authentication = []sdk.Placement{{Secret: "session", In: "header", Field: "Authorization"}, {Secret: "key", In: "header", Field: "X-Key"},
		{Secret: "session", In: "response", Path: "/session", Field: "key"}}
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		first, err := c.Do(&sdk.Send{Method: "POST", URL: "/session", SafeToRepeat: true, Headers: []sdk.Header{sdk.H("X-Key", c.Account.Credentials["key"])}, Capture: []sdk.Capture{{Path: "key", Name: "session"}}})
		if err != nil {
			return nil, err
		}
		charge, err := c.Do(&sdk.Send{Method: "POST", URL: "/charge", Body: []byte("charge"), SafeToRepeat: true, IdempotencyHeader: "Idempotency-Key",
			Headers: []sdk.Header{sdk.H("Authorization", "Bearer "+first.JSON().Str("key"))}})
		if err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: charge.JSON().Str("id")}, nil
	}
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
		acct, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop",
			Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_of_the_shop"}`)})
		require.NoError(t, err)
		_, err = w.SetEgress(t.Context(), w.auth, acct.ID, account.EgressInput{BaseURL: p.URL})
		require.NoError(t, err)
		v := w.pay(sale(100, visa))
		require.Equal(t, payment.Processing, v.Payment.Status)

		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) error {
			rows, err := r.Exchanges(w.operations(v.Payment.ID)[0].ID)
			require.NoError(t, err)
			require.NotEmpty(t, rows)
			for _, row := range rows {
				require.NotContains(t, string(row.Sealed), session)
			}
			return nil
		}))
		other := w.second(quick, map[string]*sdk.Adapter{"shop": a})
		other.running()
		other.eventually(v.Payment.ID, payment.Succeeded)
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, []string{"Bearer " + session, "Bearer " + session}, charged)
	}, p)
}
