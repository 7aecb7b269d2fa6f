package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/port"
)

func testAccountsAt(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	update(t, s, func(tx engine.Tx) error {
		for i, a := range []account.Account{{MerchantID: merchantA, Connector: "acme"}, {MerchantID: merchantA, Connector: "other"},
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

func testViolations(t *testing.T, s engine.Store) {
	merchant(t, s, merchantA, merchantB)
	update(t, s, func(tx engine.Tx) error {
		for _, m := range []string{merchantA, merchantB} {
			if err := tx.InsertAccount(&account.Account{MerchantID: m, ID: "a", Label: "a"}); err != nil {
				return err
			}
		}
		return tx.InsertAccount(&account.Account{MerchantID: merchantA, ID: "b", Label: "b"})
	})
	f := new(filler)
	var made []*port.Violation
	for range 5 {
		v := filled[port.Violation](f)
		v.MerchantID, v.AccountID = merchantA, "a"
		made = append([]*port.Violation{v}, made...)
		update(t, s, func(tx engine.Tx) error { return tx.InsertViolation(v, 3) })
	}
	list := func(merchant, account string, limit int) []*port.Violation {
		return get(t, s, func(r engine.Reader) ([]*port.Violation, error) { return r.Violations(merchant, account, limit) })
	}
	for _, other := range [][2]string{{merchantB, "a"}, {merchantA, "b"}} {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertViolation(&port.Violation{MerchantID: other[0], AccountID: other[1]}, 1)
		})
	}
	require.Equal(t, made[:3], list(merchantA, "a", 10), "the store keeps the newest records, newest first")
	require.Equal(t, made[:2], list(merchantA, "a", 2))
	require.Equal(t, []*port.Violation{{MerchantID: merchantB, AccountID: "a"}}, list(merchantB, "a", 10))
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
		return tx.InsertViolation(&port.Violation{MerchantID: merchantA, AccountID: "none"}, 3)
	}), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteAccount(merchantA, "a") })
	require.Empty(t, list(merchantA, "a", 10), "the records go with the account")
	require.Len(t, list(merchantA, "b", 10), 1)
}
