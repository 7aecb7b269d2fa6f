package storetest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/change"
)

func testLowValue(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	used := func(merchant, card string) change.LowValueUse {
		return get(t, s, func(r engine.Reader) (change.LowValueUse, error) { return r.LowValue(merchant, card) })
	}
	require.Zero(t, used(merchantA, "a"), "a card without payments")
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			require.NoError(t, updateErr(s, func(tx engine.Tx) error { return tx.CountLowValue(merchantA, "a", 250, future) }))
		})
	}
	wg.Wait()
	require.Equal(t, change.LowValueUse{Count: 40, EURCents: 10_000}, used(merchantA, "a"), "no count is lost")
	require.Zero(t, used(merchantA, "b"))
	require.Zero(t, used(merchantB, "a"), "another merchant's")
	undone := errors.New("undone")
	require.ErrorIs(t, updateErr(s, func(tx engine.Tx) error {
		return errors.Join(tx.CountLowValue(merchantA, "a", 1, future), tx.ResetLowValue(merchantA, "a"), undone)
	}), undone)
	require.Equal(t, 40, used(merchantA, "a").Count)
	update(t, s, func(tx engine.Tx) error {
		return errors.Join(tx.CountLowValue(merchantB, "a", 7, future), tx.ResetLowValue(merchantA, "a"), tx.ResetLowValue(merchantA, "never"))
	})
	require.Zero(t, used(merchantA, "a"))
	require.Equal(t, change.LowValueUse{Count: 1, EURCents: 7}, used(merchantB, "a"))

	update(t, s, func(tx engine.Tx) error { return tx.CountLowValue(merchantB, "a", 3, base) })
	require.Zero(t, used(merchantB, "a"), "the count has expired")
	update(t, s, func(tx engine.Tx) error { return tx.CountLowValue(merchantB, "a", 5, future) })
	require.Equal(t, change.LowValueUse{Count: 1, EURCents: 5}, used(merchantB, "a"), "the count starts again")
	update(t, s, func(tx engine.Tx) error { return tx.CountLowValue(merchantB, "c", 3, base) })
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
	require.Equal(t, 1, used(merchantB, "a").Count)
}

func testExemptionRates(t *testing.T, s engine.Store) {
	future := time.Now().Add(time.Hour)
	count := func(merchant, exemption string, soft bool, until time.Time) {
		update(t, s, func(tx engine.Tx) error { return tx.CountExemption(merchant, "424242", exemption, soft, until) })
	}
	rates := func(merchant, bin string) []change.ExemptionRate {
		return get(t, s, func(r engine.Reader) ([]change.ExemptionRate, error) { return r.ExemptionRates(merchant, bin) })
	}
	require.Empty(t, rates(merchantA, "424242"))
	for i := range 200 {
		count(merchantA, "low_value", i%4 == 0, future)
	}
	count(merchantA, "transaction_risk_analysis", false, future)
	require.Equal(t, []change.ExemptionRate{{Exemption: "low_value", Claimed: 200, SoftDeclined: 50}, {Exemption: "transaction_risk_analysis", Claimed: 1}}, rates(merchantA, "424242"))
	require.Empty(t, rates(merchantB, "424242"), "another merchant's")
	require.Empty(t, rates(merchantA, "411111"))
	count(merchantA, "low_value", true, future)
	require.Equal(t, change.ExemptionRate{Exemption: "low_value", Claimed: 101, SoftDeclined: 26}, rates(merchantA, "424242")[0], "old answers weigh less")

	count(merchantA, "low_value", true, base)
	require.Len(t, rates(merchantA, "424242"), 1, "the rate has expired")
	count(merchantA, "low_value", false, future)
	require.Equal(t, change.ExemptionRate{Exemption: "low_value", Claimed: 1}, rates(merchantA, "424242")[0], "the rate starts again")
	count(merchantB, "low_value", true, base)
	var n int
	update(t, s, func(tx engine.Tx) (err error) { n, err = tx.DeleteExpired(); return err })
	require.Equal(t, 1, n)
	require.Len(t, rates(merchantA, "424242"), 2)
}
