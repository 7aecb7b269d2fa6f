package storage_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/listed"
	"payswitch/engine/payment"
	lists "payswitch/engine/request"
	"payswitch/storage"
)

// seedPayments inserts n payments of one merchant with their attempts, a second apart. 9.5 % have failed, one in 20,000 is in conflict, one in 1,000 is
// in JPY and at adyen.
func seedPayments(b *testing.B, db *storage.DB, n int) {
	first := time.Now().Add(-time.Duration(n) * time.Second)
	for from := 0; from < n; from += 1000 {
		require.NoError(b, db.Update(context.Background(), func(tx engine.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				p, a, _ := samplePayment(int64(i))
				p.Status, p.OpenOperation, p.CreatedAt, a.Status = payment.Succeeded, "", first.Add(time.Duration(i)*time.Second), payment.Charged
				switch {
				case i%20000 == 7:
					p.Status = payment.Conflicted
				case i%1000 == 3:
					p.Currency, a.Connector, a.AccountID = "JPY", "adyen", "mca_2"
				case i%200 < 19:
					p.Status = payment.Failed
				}
				if err := tx.InsertPayment(p); err != nil {
					return err
				}
				if err := tx.InsertAttempt(a); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// BenchmarkLists measures a page of 50 payments and the number of all that pass, by filter, as search.Search asks the store. LISTS_PAYMENTS is the number
// of payments, by default 20,000. p99-ms is the slowest of a hundred.
func BenchmarkLists(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("LISTS_PAYMENTS"))
	if n == 0 {
		n = 20_000
	}
	db := open(b, storage.Options{})
	seedPayments(b, db, n)
	low := int64(6540)
	for _, c := range []struct {
		name string
		f    lists.PaymentFilter
	}{
		{"newest", lists.PaymentFilter{}},
		{"customer", lists.PaymentFilter{CustomerID: "cus_500"}},
		{"failed", lists.PaymentFilter{Statuses: []string{"failed"}}},
		{"conflicted", lists.PaymentFilter{Statuses: []string{"conflicted"}}},
		{"failed or conflicted", lists.PaymentFilter{Statuses: []string{"failed", "conflicted"}}},
		{"an hour", lists.PaymentFilter{From: time.Now().Add(-time.Hour)}},
		{"succeeded", lists.PaymentFilter{Statuses: []string{"succeeded"}}},
		{"currency", lists.PaymentFilter{Currencies: []string{"JPY"}}},
		{"connector", lists.PaymentFilter{Connectors: []string{"adyen"}}},
		{"amount", lists.PaymentFilter{MinAmount: &low}},
		{"network, a day", lists.PaymentFilter{Networks: []string{"JCB"}, From: time.Now().Add(-24 * time.Hour)}},
		{"network", lists.PaymentFilter{Networks: []string{"JCB"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.f.Limit = 50
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				if c.f.Indexed(false) {
					require.NoError(b, db.View(context.Background(), func(r engine.Reader) error {
						_, _, err := r.FindPayments("merchant_1", "", c.f)
						return err
					}))
				} else {
					scanAll(b, db, c.f)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

func scanAll(b *testing.B, db *storage.DB, f lists.PaymentFilter) {
	var behind *listed.Place
	for {
		var next *listed.Place
		require.NoError(b, db.View(context.Background(), func(r engine.Reader) (err error) {
			_, next, err = r.ScanPayments("merchant_1", "", f, behind, 2000)
			return err
		}))
		if next == nil {
			return
		}
		behind = next
	}
}
