package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/vault"
)

func testCards(t *testing.T, s engine.Store) {
	insert := func(merchantID, id, fingerprint string) {
		update(t, s, func(tx engine.Tx) error {
			return tx.InsertCard(&vault.StoredCard{MerchantID: merchantID, ID: id, Fingerprint: fingerprint, CreatedAt: base})
		})
	}
	insert(merchantA, "c2", "same")
	insert(merchantA, "c1", "same")
	insert(merchantA, "c3", "other")
	insert(merchantB, "c1", "same")
	same := func(merchantID, fingerprint string) []string {
		list := get(t, s, func(r engine.Reader) ([]*vault.StoredCard, error) {
			return r.CardsByFingerprint(merchantID, fingerprint)
		})
		return ids(list, func(c *vault.StoredCard) string { return c.MerchantID + " " + c.ID })
	}
	require.Equal(t, []string{"merchant_a c2", "merchant_a c1"}, same(merchantA, "same"))
	require.Equal(t, []string{"merchant_b c1"}, same(merchantB, "same"))
	require.Empty(t, same(merchantA, "none"))

	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error { return tx.DeleteCard(merchantB, "c2") }), fault.ErrNotFound)
	update(t, s, func(tx engine.Tx) error { return tx.DeleteCard(merchantA, "c1") })
	require.Equal(t, []string{"merchant_a c2"}, same(merchantA, "same"))
	require.Equal(t, []string{"merchant_b c1"}, same(merchantB, "same"))
}
