package storage_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/facet"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	lists "payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/vault"
	"payswitch/sdk"
	"payswitch/storage"
)

// seedPayments inserts n payments of one merchant with their attempts, six seconds apart: a year has five million. 9.5 % have failed, one in 20,000 is
// in conflict, one in 1,000 is in JPY and at adyen. It calls now with the time of the payments that follow.
func seedPayments(b *testing.B, db *storage.DB, v *vault.Vault, n int, now func(time.Time)) {
	first := time.Now().Add(-time.Duration(n) * 6 * time.Second)
	for from := 0; from < n; from += 1000 {
		now(first.Add(time.Duration(from) * 6 * time.Second))
		require.NoError(b, db.Update(context.Background(), func(tx engine.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				p, a, _ := samplePayment(int64(i))
				p.Amount, p.Details.OrderReference = 1000+int64(i)*7919%10_000, "order-4711-"+strconv.Itoa(i)
				a.Details.PaymentMethodType = []string{"credit", "debit"}[i%2]
				a.Details.Card.Network = []sdk.CardNetwork{"Visa", "Mastercard", "AmericanExpress", "JCB"}[min(i*31%100/30, 3)]
				p.Details.AuthenticationType = []payment.AuthenticationType{"no_three_ds", "three_ds"}[i*7%10/8]
				a.Details.CardDiscovery = []string{"manual", "saved_card"}[i*13%100/99]
				p.Status, p.OpenOperation, p.CreatedAt, a.Status = payment.Succeeded, "", first.Add(time.Duration(i)*6*time.Second), payment.Charged
				switch {
				case i%20000 == 7:
					p.Status = payment.Conflicted
				case i%1000 == 3:
					p.Currency, a.Connector, a.AccountID = "JPY", "adyen", "mca_2"
				case i%200 < 19:
					p.Status = payment.Failed
				}
				sealEmail(b, v, p, fmt.Sprintf("Customer-%d@example.com", i%1000))
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

// pages runs f as often as the benchmark asks. It reports the median, the time of the slowest of a hundred, and the processor time of one.
func pages(b *testing.B, f func() error) {
	var took []time.Duration
	require.NoError(b, f()) // the first one prepares statements
	before := cpuTime()
	for b.Loop() {
		began := time.Now()
		require.NoError(b, f())
		took = append(took, time.Since(began))
	}
	cpu := (cpuTime() - before) / time.Duration(len(took))
	slices.Sort(took)
	for name, d := range map[string]time.Duration{"p50-ms": took[len(took)/2], "p99-ms": took[len(took)*99/100], "cpu-ms": cpu} {
		b.ReportMetric(float64(d.Microseconds())/1000, name)
	}
}

// BenchmarkLists measures a page of 50 payments with the number of all that pass, by filter. LISTS_PAYMENTS is the number of payments, by default 20,000.
// LISTS_FILE is a database to use: it is made if it does not exist, and kept. LISTS_TAIL payments, by default none, were made in the last 80 seconds: no
// block has them.
func BenchmarkLists(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("LISTS_PAYMENTS"))
	if n == 0 {
		n = 20_000
	}
	file := os.Getenv("LISTS_FILE")
	if file == "" {
		file = filepath.Join(b.TempDir(), "payswitch.db")
	}
	_, missing := os.Stat(file)
	var at atomic.Int64 // while payments are written, the time of the latest one: they were not written late
	db, err := storage.Open(b.Context(), "sqlite:"+file, storage.Options{Migrate: true, Clock: func() time.Time {
		if ms := at.Load(); ms > 0 {
			return time.UnixMilli(ms)
		}
		return time.Now()
	}})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	v := listVault(b, file+".vault")
	if missing != nil {
		began := time.Now()
		seedPayments(b, db, v, n, func(t time.Time) { at.Store(t.UnixMilli()) })
		at.Store(0)
		b.Logf("%d payments written in %s", n, time.Since(began).Round(time.Second))
	}
	if tail, _ := strconv.Atoi(os.Getenv("LISTS_TAIL")); tail > 0 {
		seedTail(b, db, v, tail)
	}
	filler := facet.NewFiller(facet.Deps{Store: port.Narrow[facet.FillReader, facet.Tx](engine.Store(db)), Log: slog.New(slog.DiscardHandler), Node: "n",
		Email: search.Emails(v)})
	filler.Eager = true
	began := time.Now()
	require.NoError(b, filler.Fill(b.Context()))
	b.Logf("blocks made in %s", time.Since(began).Round(time.Second))
	differs := 0
	s := &search.Search{Deps: search.Deps{Store: port.Narrow[change.Reader, change.Tx](engine.Store(db)), Distrust: func(facet.List, string) { differs++ }, Vault: v,
		Changes: &change.Changes{Deps: change.Deps{Log: slog.New(slog.DiscardHandler), Metrics: noAlarms{}}}}}
	low, high, odd := int64(6540), int64(7000), int64(10_007)
	for _, c := range []struct {
		name, profile string // profile is the caller's
		f             lists.PaymentFilter
	}{
		{"newest", "", lists.PaymentFilter{}},
		{"id", "", lists.PaymentFilter{PaymentID: "none"}},
		{"customer", "", lists.PaymentFilter{CustomerID: "cus_500"}},
		{"failed", "", lists.PaymentFilter{Statuses: []string{"failed"}}},
		{"conflicted", "", lists.PaymentFilter{Statuses: []string{"conflicted"}}},
		{"failed or conflicted", "", lists.PaymentFilter{Statuses: []string{"failed", "conflicted"}}},
		{"succeeded", "", lists.PaymentFilter{Statuses: []string{"succeeded"}}},
		{"an hour", "", lists.PaymentFilter{From: time.Now().Add(-time.Hour)}},
		{"a day a week ago", "", lists.PaymentFilter{From: time.Now().Add(-8 * 24 * time.Hour), To: time.Now().Add(-7 * 24 * time.Hour)}},
		{"currency", "", lists.PaymentFilter{Currencies: []string{"JPY"}}},
		{"connector", "", lists.PaymentFilter{Connectors: []string{"adyen"}}},
		{"account", "", lists.PaymentFilter{Accounts: []string{"mca_2"}}},
		{"profile", "", lists.PaymentFilter{ProfileID: "pro_1"}},
		{"method", "", lists.PaymentFilter{Methods: []string{"wallet"}}},
		{"method type", "", lists.PaymentFilter{MethodTypes: []string{"debit"}}},
		{"authentication type", "", lists.PaymentFilter{AuthenticationTypes: []string{"three_ds"}}},
		{"network", "", lists.PaymentFilter{Networks: []string{"JCB"}}},
		{"discovery", "", lists.PaymentFilter{Discoveries: []string{"saved_card"}}},
		{"amount", "", lists.PaymentFilter{MinAmount: &low, MaxAmount: &high}},
		{"one amount", "", lists.PaymentFilter{MinAmount: &odd, MaxAmount: &odd}},
		{"order reference", "", lists.PaymentFilter{OrderReference: "order-4711-77"}},
		{"e-mail address", "", lists.PaymentFilter{Email: "customer-77@example.com"}},
		{"four filters", "", lists.PaymentFilter{Statuses: []string{"failed"}, Currencies: []string{"EUR"}, Connectors: []string{"stripe"}, MinAmount: &low}},
		{"greatest amounts", "", lists.PaymentFilter{Order: lists.OrderAmount}},
		{"newest of a profile", "pro_1", lists.PaymentFilter{}},
		{"failed of a profile", "pro_1", lists.PaymentFilter{Statuses: []string{"failed"}}},
		{"customer of a profile", "pro_1", lists.PaymentFilter{CustomerID: "cus_500"}},
		{"currency of a profile", "pro_1", lists.PaymentFilter{Currencies: []string{"JPY"}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			c.f.Limit = 50
			total := 0
			pages(b, func() (err error) {
				_, total, err = s.FindPage(b.Context(), account.Auth{MerchantID: "merchant_1", ProfileID: c.profile}, c.f)
				return err
			})
			b.ReportMetric(float64(total), "total")
		})
	}
	require.Zero(b, differs)
	var blocks, indexes int64
	raw, err := sql.Open("sqlite", file)
	require.NoError(b, err)
	require.NoError(b, raw.QueryRow(`SELECT COALESCE(SUM(LENGTH(summary) + LENGTH(data)) FILTER (WHERE kind < $1), 0),
		COALESCE(SUM(LENGTH(summary) + LENGTH(data)) FILTER (WHERE kind >= $1), 0) FROM facets`, int64(facet.FirstIndex)).Scan(&blocks, &indexes))
	require.NoError(b, raw.Close())
	b.Logf("blocks have %.1f bytes a payment, their indexes %.1f", float64(blocks)/float64(n), float64(indexes)/float64(n))
}

// seedTail inserts n payments of the last 80 seconds.
func seedTail(b *testing.B, db *storage.DB, v *vault.Vault, n int) {
	first := time.Now().Add(-80 * time.Second)
	require.NoError(b, db.Update(context.Background(), func(tx engine.Tx) error {
		for i := range n {
			p, a, _ := samplePayment(int64(i))
			p.ID = "tail_" + strconv.FormatInt(first.UnixMilli(), 10) + "_" + strconv.Itoa(i)
			p.AttemptID, a.ID, a.PaymentID = p.ID+"_1", p.ID+"_1", p.ID
			p.Status, p.OpenOperation, p.CreatedAt = payment.Succeeded, "", first.Add(time.Duration(i)*80*time.Second/time.Duration(n))
			sealEmail(b, v, p, fmt.Sprintf("Customer-%d@example.com", i%1000))
			if err := errors.Join(tx.InsertPayment(p), tx.InsertAttempt(a)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// noAlarms are metrics of a search that finds nothing to complain of.
type noAlarms struct{ port.Metrics }

// BenchmarkRecordLists measures a page of 50 refunds with the number of all that pass, and a page of disputes, by filter. There are LISTS_PAYMENTS of each, by
// default 20,000.
func BenchmarkRecordLists(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("LISTS_PAYMENTS"))
	if n == 0 {
		n = 20_000
	}
	var at atomic.Int64
	db, err := storage.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "payswitch.db"), storage.Options{Clock: func() time.Time {
		if ms := at.Load(); ms > 0 {
			return time.UnixMilli(ms)
		}
		return time.Now()
	}})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	first := time.Now().Add(-time.Duration(n) * 6 * time.Second)
	for from := 0; from < n; from += 1000 {
		at.Store(first.Add(time.Duration(from) * 6 * time.Second).UnixMilli())
		require.NoError(b, db.Update(b.Context(), func(tx engine.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				created := first.Add(time.Duration(i) * 6 * time.Second)
				r := &payment.Refund{MerchantID: "merchant_1", ID: "ref_" + strconv.Itoa(i), PaymentID: "pay_" + strconv.Itoa(i), ProfileID: "pro_1", AccountID: "mca_1",
					Connector: "stripe", Status: payment.RefundSucceeded, Currency: "EUR", Amount: 1000 + int64(i)*7919%10_000, ProcessorID: "re_" + strconv.Itoa(i),
					CreatedAt: created, ModifiedAt: created}
				d := &disputed.Record{MerchantID: "merchant_1", ID: "dp_" + strconv.Itoa(i), PaymentID: r.PaymentID, ProfileID: "pro_1", AccountID: "mca_1", Connector: "stripe",
					Stage: sdk.StageDispute, Status: sdk.DisputeWon, Currency: "EUR", Amount: r.Amount, ProcessorID: "du_" + strconv.Itoa(i), CreatedAt: created,
					ModifiedAt: created, Details: disputed.Details{Reason: "fraudulent"}}
				if i%1000 == 3 {
					r.Currency, r.Connector, r.AccountID, r.Status = "JPY", "adyen", "mca_2", payment.RefundFailed
					d.Currency, d.Connector, d.AccountID, d.Status, d.Stage, d.Details.Reason = "JPY", "adyen", "mca_2", sdk.DisputeOpened, sdk.StageArbitration, "duplicate"
				}
				if err := tx.InsertRefund(r); err != nil {
					return err
				}
				if err := tx.InsertDispute(d); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	at.Store(0)
	filler := facet.NewFiller(facet.Deps{Store: port.Narrow[facet.FillReader, facet.Tx](engine.Store(db)), Log: slog.New(slog.DiscardHandler), Node: "n"})
	filler.Eager = true
	require.NoError(b, filler.Fill(b.Context()))
	s := &search.Search{Deps: search.Deps{Store: port.Narrow[change.Reader, change.Tx](engine.Store(db)), Distrust: func(l facet.List, _ string) { b.Fatal(l) },
		Changes: &change.Changes{Deps: change.Deps{Log: slog.New(slog.DiscardHandler), Metrics: noAlarms{}}}}}
	auth := account.Auth{MerchantID: "merchant_1"}
	low, high := int64(6540), int64(7000)
	week, day := time.Now().Add(-7*24*time.Hour), time.Now().Add(-6*24*time.Hour)
	measure := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) { pages(b, f) })
	}
	for _, c := range []struct {
		name string
		r    lists.RefundListInput
		d    lists.DisputeListInput
	}{
		{"newest", lists.RefundListInput{}, lists.DisputeListInput{}},
		{"payment", lists.RefundListInput{PaymentID: "pay_77"}, lists.DisputeListInput{PaymentID: "pay_77"}},
		{"id", lists.RefundListInput{RefundID: "ref_77"}, lists.DisputeListInput{DisputeID: "dp_77"}},
		{"common status", lists.RefundListInput{Statuses: []string{"succeeded"}}, lists.DisputeListInput{Statuses: []string{"won"}}},
		{"rare status", lists.RefundListInput{Statuses: []string{"failed"}}, lists.DisputeListInput{Statuses: []string{"opened"}}},
		{"currency", lists.RefundListInput{Currencies: []string{"JPY"}}, lists.DisputeListInput{Currencies: []string{"JPY"}}},
		{"connector", lists.RefundListInput{Connectors: []string{"adyen"}}, lists.DisputeListInput{Connectors: []string{"adyen"}}},
		{"account", lists.RefundListInput{Accounts: []string{"mca_2"}}, lists.DisputeListInput{AccountID: "mca_2"}},
		{"profile", lists.RefundListInput{ProfileID: "pro_1"}, lists.DisputeListInput{ProfileID: "pro_1"}},
		{"a day", lists.RefundListInput{From: week, To: day}, lists.DisputeListInput{From: week, To: day}},
		{"amounts, and reason", lists.RefundListInput{MinAmount: &low, MaxAmount: &high}, lists.DisputeListInput{Reason: "duplicate"}},
		{"stage", lists.RefundListInput{}, lists.DisputeListInput{Stages: []string{"arbitration"}}},
	} {
		c.r.Limit, c.d.Limit = 50, 50
		measure("refunds/"+c.name, func() error { _, _, err := s.ListRefunds(b.Context(), auth, c.r); return err })
		measure("disputes/"+c.name, func() error { _, err := s.ListDisputes(b.Context(), auth, c.d); return err })
	}
	measure("refunds/counts", func() error { _, err := s.CountRefunds(b.Context(), auth, time.Time{}, time.Time{}); return err })
}

// BenchmarkCustomers measures a page of 20 customers, and the number of all. There are LISTS_PAYMENTS of them, by default 20,000.
func BenchmarkCustomers(b *testing.B) {
	n, _ := strconv.Atoi(os.Getenv("LISTS_PAYMENTS"))
	if n == 0 {
		n = 20_000
	}
	db := open(b, storage.Options{})
	for from := 0; from < n; from += 1000 {
		require.NoError(b, db.Update(b.Context(), func(tx engine.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				c := &account.Customer{MerchantID: "m", ID: fmt.Sprintf("cus_%d", i), Sealed: make([]byte, 300), CreatedAt: time.Now(), ModifiedAt: time.Now()}
				if err := tx.InsertCustomer(c); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	read := func(name string, f func(r engine.Reader) error) {
		b.Run(name, func(b *testing.B) { pages(b, func() error { return db.View(b.Context(), f) }) })
	}
	read("page", func(r engine.Reader) error { _, err := r.Customers("m", 20, 0); return err })
	read("page 1,000", func(r engine.Reader) error { _, err := r.Customers("m", 20, 20_000); return err })
	read("total", func(r engine.Reader) error { _, err := r.CustomerTotal("m"); return err })
}
