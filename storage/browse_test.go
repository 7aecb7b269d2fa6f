package storage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	place "payswitch/engine/listed"
	"payswitch/engine/payment"
	lists "payswitch/engine/request"
	"payswitch/engine/search"
)

// TestBrowseIsBounded: a search that finds nothing ends at its bound, and says how far it came, also if the statuses are those of an index.
func TestBrowseIsBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 1, open)
		w.search.Changes.Now = func() time.Time { // each look at the clock is later than the time of a search
			w.advance(60 * time.Millisecond)
			return w.clock()
		}
		w.search.Window = 0
		for len(w.all["m1"]) < 60 {
			w.insert()
		}
		for i, l := range w.all["m1"] {
			l.p.Status, l.p.Currency, l.p.CustomerID = []payment.Status{payment.RequiresCapture, payment.Review}[i%2], "EUR", "cus_1"
			require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
		}
		none := int64(1 << 50)
		for name, f := range map[string]lists.PaymentFilter{"currency": {Currencies: []string{"JPY"}}, "profile": {ProfileID: "pro_9"}, "amount": {MinAmount: &none}} {
			for _, statuses := range [][]string{{"review"}, {"review", "requires_capture"}, nil} {
				f.Statuses = statuses
				q, pages := search.Query{Filter: f, Limit: 9}, 0
				for {
					found, err := w.search.Browse(t.Context(), account.Auth{MerchantID: "m1"}, q)
					require.NoError(t, err)
					require.Empty(t, found.Views)
					if pages++; found.Next == nil {
						break
					}
					require.True(t, found.Bounded, "%s %v", name, statuses)
					q.Behind = found.Next
				}
				require.Greater(t, pages, 2, "%s %v", name, statuses)
			}
		}
		for _, status := range []string{"succeeded", "failed"} {
			q, pages := search.Query{Filter: lists.PaymentFilter{CustomerID: "cus_1", Statuses: []string{status}}, Limit: 9}, 0
			for ; pages == 0 || q.Behind != nil; pages++ {
				found, err := w.search.Browse(t.Context(), account.Auth{MerchantID: "m1"}, q)
				require.NoError(t, err)
				require.Empty(t, found.Views)
				q.Behind = found.Next
			}
			require.Greater(t, pages, 2, "a customer's payments that are %s", status)
		}
	})
}

// TestScansByStatus: windows of several statuses list each payment once, and look at no more payments than a window has.
func TestScansByStatus(t *testing.T) {
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 2, open)
		for len(w.all["m1"]) < 40 {
			w.insert()
		}
		statuses := []payment.Status{payment.RequiresCapture, payment.Review, payment.Failed, payment.Succeeded}
		for i, l := range w.all["m1"] {
			l.p.Status, l.p.Currency = statuses[i*i%7%4], "EUR"
			require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { return tx.UpdatePayment(l.p) }))
		}
		for _, f := range []lists.PaymentFilter{{Statuses: []string{"review", "failed", "review", "requires_capture"}}, {Statuses: []string{"failed"}}, {Statuses: []string{"failed", "succeeded"}},
			{Statuses: []string{"review", "failed"}, Currencies: []string{"EUR"}}, {Statuses: []string{"review", "failed"}, Currencies: []string{"JPY"}}} {
			all := f
			all.Limit = 100
			want, _ := w.naive("m1", "", all)
			for window := 1; window < 12; window++ {
				got, behind := []string{}, (*place.Place)(nil)
				for {
					var list []place.Scanned
					var next *place.Place
					require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) {
						list, next, err = r.ScanPayments("m1", "", f, behind, window)
						return err
					}))
					require.LessOrEqual(t, len(list), window)
					for _, p := range list {
						got = append(got, p.Payment.ID)
					}
					if behind = next; next == nil {
						break
					}
				}
				require.Equal(t, want, got, "%v in windows of %d", f, window)
			}
		}
	})
}

// TestBrowseFindsTheOrder: a person who looks for an order or an e-mail address gets the whole answer at once, however many payments came later.
func TestBrowseFindsTheOrder(t *testing.T) {
	onBoth(t, func(t *testing.T, open func(clock func() time.Time) engine.Store) {
		w := newListWorld(t, 3, open)
		w.search.Changes.Now = func() time.Time { // each look at the clock is later than the time of a search
			w.advance(60 * time.Millisecond)
			return w.clock()
		}
		for len(w.all["m1"]) < 60 {
			w.insert()
		}
		w.advance(time.Hour)
		for range 10 {
			require.NoError(t, w.filler.Fill(t.Context()))
		}
		for len(w.all["m1"]) < 70 { // newer than the blocks
			w.insert()
		}
		seen := map[string]bool{}
		for _, l := range w.all["m1"] {
			var filters []lists.PaymentFilter
			if ref := l.p.Details.OrderReference; ref != "" {
				filters = append(filters, lists.PaymentFilter{OrderReference: ref})
			}
			if who := l.p.Private.Customer; who != nil && who.Email != "" {
				filters = append(filters, lists.PaymentFilter{Email: who.Email})
			}
			for _, f := range filters {
				if seen[f.OrderReference+"/"+f.Email] {
					continue
				}
				seen[f.OrderReference+"/"+f.Email] = true
				all := f
				all.Limit = 100
				want, _ := w.naive("m1", "", all)
				got, pages := []string{}, 0
				for q := (search.Query{Filter: f, Limit: 3}); pages == 0 || q.Behind != nil; pages++ {
					page, found, err := w.search.FindBehind(t.Context(), account.Auth{MerchantID: "m1"}, q)
					require.NoError(t, err)
					require.False(t, found.Bounded, "%v", f)
					for _, l := range page {
						got = append(got, l.Payment.ID)
					}
					q.Behind = found.Next
				}
				require.Equal(t, want, got, "%v", f)
				require.LessOrEqual(t, pages, len(want)/3+1)
			}
		}
		require.Greater(t, len(seen), 3)
		page, found, err := w.search.FindBehind(t.Context(), account.Auth{MerchantID: "m1"}, search.Query{Filter: lists.PaymentFilter{OrderReference: "no such order"}, Limit: 3})
		require.NoError(t, err)
		require.Empty(t, page)
		require.Nil(t, found.Next, "nothing is left to look at")
	})
}
