package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

func testAccountsAt(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	update(t, s, func(tx engine.Tx) error {
		for i, a := range []engine.Account{{MerchantID: merchantA, Connector: "acme"}, {MerchantID: merchantA, Connector: "other"},
			{MerchantID: merchantB, Connector: "acme", Disabled: true}} {
			a.ID, a.Label = string(rune('a'+i)), string(rune('a'+i))
			if err := tx.InsertAccount(&a); err != nil {
				return err
			}
		}
		return nil
	})
	for connector, want := range map[string]int{"acme": 2, "other": 1, "none": 0} {
		require.Equal(t, want, get(t, s, func(r engine.Reader) (int, error) { return r.AccountsAt(connector) }), connector)
	}
}
