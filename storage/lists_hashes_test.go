package storage_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/facet"
	"payswitch/engine/payment"
	lists "payswitch/engine/request"
	"payswitch/storage"
)

// TestListsAfterAReferenceChanged changes the order reference and the e-mail address of a payment in a block that has indexes. Spoiled indexes hide nothing
// for longer than it takes to notice them.
func TestListsAfterAReferenceChanged(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 2, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
	w.filler.Enough = 1
	for range 60 {
		w.insert()
		w.advance(time.Second)
	}
	w.paid(len(w.all["m1"]))
	indexed := func() (list []facet.Column) {
		require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) {
			list, err = r.FacetColumns(facet.Payments, "m1", 1000, 0, math.MaxInt64)
			return err
		}))
		return list
	}
	require.NotEmpty(t, indexed())
	l := w.all["m1"][0]
	for i := range 3 {
		l.p.Details.OrderReference = fmt.Sprint("new ", i)
		sealEmail(t, w.vault, l.p, fmt.Sprintf("new-%d@example.com", i))
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
		for range 2 { // from the row, and then from its block
			require.Equal(t, 1, w.one(lists.PaymentFilter{OrderReference: l.p.Details.OrderReference}))
			require.Equal(t, 1, w.one(lists.PaymentFilter{Email: "New-" + fmt.Sprint(i) + "@example.com"}))
			require.Zero(t, w.one(lists.PaymentFilter{OrderReference: fmt.Sprint("new ", i-1)}))
			w.advance(10 * time.Minute)
			require.NoError(t, w.filler.Fill(t.Context()))
		}
	}
	require.Empty(t, w.alarms)
	for _, c := range indexed() {
		c.Data = append(c.Data, 1)
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.PutFacet(facet.Payments, "m1", c) }))
	}
	require.Equal(t, 1, w.one(lists.PaymentFilter{OrderReference: "new 2"}))
	require.Equal(t, []string{"lists_differ"}, w.alarms)
	require.NoError(t, w.filler.Fill(t.Context()))
	require.Equal(t, 1, w.one(lists.PaymentFilter{OrderReference: "new 2"}))
}

// TestListsWithEqualHashes: two e-mail addresses have one number in columns. Lists of one address have no payment of the other, and their totals are right.
func TestListsWithEqualHashes(t *testing.T) {
	t.Parallel()
	w := newListWorld(t, 4, func(clock func() time.Time) engine.Store { return open(t, storage.Options{Clock: clock}) })
	bob := &payment.Payment{MerchantID: "m1"}
	sealEmail(t, w.vault, bob, "bob@example.com")
	number, err := w.filler.Email(bob)
	require.NoError(t, err)
	w.filler.Email = func(*payment.Payment) (int64, error) { return number, nil }
	for range 60 {
		w.insert()
		w.advance(time.Second)
	}
	w.paid(len(w.all["m1"]))
	met := 0
	for _, order := range []lists.PaymentOrder{lists.OrderCreated, lists.OrderAmount} {
		for limit := range 5 {
			f := lists.PaymentFilter{Email: "bob@example.com", Order: order, Limit: 1 + 3*limit}
			want, all := w.naive("m1", "", f)
			found, total, err := w.search.FindPage(t.Context(), account.Auth{MerchantID: "m1"}, f)
			require.NoError(t, err)
			got := []string{}
			for _, l := range found {
				got = append(got, l.Payment.ID)
			}
			require.Equal(t, want, got)
			if limit > 0 { // a page without a payment of the other address cannot know of it
				require.Equal(t, all, total)
				met++
			}
		}
	}
	require.Positive(t, met)
	require.Empty(t, w.alarms, "the blocks are as they should be")
}
