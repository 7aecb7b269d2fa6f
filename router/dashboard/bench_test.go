package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/facet"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/search"
	"payswitch/engine/secret"
	"payswitch/storage"
)

// BenchmarkFirstPages measures the server's time for the pages that people open first, over some thousand payments and FIRST_PAGES_PAYMENTS copies of them (by
// default none): the median, and the time within which 95 of 100 answers are ready.
func BenchmarkFirstPages(b *testing.B) {
	w := newWorld(b)
	w.done("/m/acme/connectors", "connector", "simulator")
	for i := range 2000 {
		w.pay(int64(1000+i), func(in *request.Input) {
			if i%10 == 0 {
				in.CaptureMethod = "manual"
			}
		})
	}
	one := w.pay(4711).Payment.ID
	if n, _ := strconv.Atoi(os.Getenv("FIRST_PAGES_PAYMENTS")); n > 0 {
		copyPayments(b, w, n)
	}
	for _, path := range []string{"", "payments", "payments?status=held", "payments?status=doubt", "payments?status=failed", "payments?currency=USD", "payments?last4=1111",
		"payments?email=nobody@example.com", "payments?customer=none", "payments?from=" + time.Now().AddDate(0, 0, -7).Format(time.DateOnly), "payments/" + one,
		"refunds", "disputes", "customers", "events", "routing", "connectors", "setup"} {
		b.Run(cmp.Or(path, "home"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				rec, from := httptest.NewRecorder(), time.Now()
				w.server.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/m/acme/"+path, nil))
				if took = append(took, time.Since(from)); rec.Code != http.StatusOK {
					b.Fatal(path, rec.Code)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
		})
	}
}

// copyPayments inserts n copies of the merchant's payments with their attempts, six seconds apart, and makes the blocks that lists are read from.
func copyPayments(b *testing.B, w *world, n int) {
	ctx, first := b.Context(), time.Now().Add(-time.Duration(n)*6*time.Second)
	var written atomic.Int64 // copies so far: the database's clock is that of the latest, because a payment is written when it is made
	store, err := storage.Open(ctx, w.dsn, storage.Options{Clock: func() time.Time { return first.Add(time.Duration(written.Load()) * 6 * time.Second) }})
	require.NoError(b, err)
	defer func() { require.NoError(b, store.Close()) }()
	vault, err := engine.OpenVault(ctx, store, secret.New(worldKey))
	require.NoError(b, err)
	page, _, err := w.engine.Search.FindPage(ctx, w.auth, request.PaymentFilter{Limit: 100})
	require.NoError(b, err)
	for _, one := range page {
		require.NoError(b, errors.Join(vault.OpenPayment(one.Payment), vault.OpenAttempt(one.Attempt)))
	}
	for from := 0; from < n; from += 1000 {
		require.NoError(b, store.Update(ctx, func(tx engine.Tx) error {
			for i := from; i < min(n, from+1000); i++ {
				p, a := *page[i%len(page)].Payment, *page[i%len(page)].Attempt
				p.ID, p.CreatedAt = fmt.Sprintf("pay_copy%012d", i), first.Add(time.Duration(i)*6*time.Second)
				p.AttemptID, p.ModifiedAt = p.ID+"_1", p.CreatedAt
				a.ID, a.PaymentID, a.CreatedAt, a.ModifiedAt = p.AttemptID, p.ID, p.CreatedAt, p.CreatedAt
				if i%200 < 19 {
					p.Status, a.Status = payment.Failed, payment.AttemptFailure
				}
				if err := errors.Join(vault.SealPayment(&p), vault.SealAttempt(&a)); err != nil {
					return err
				}
				if err := errors.Join(tx.InsertPayment(&p), tx.InsertAttempt(&a)); err != nil {
					return err
				}
			}
			return nil
		}))
		written.Store(int64(from + 1000))
	}
	filler := facet.NewFiller(facet.Deps{Store: port.Narrow[facet.FillReader, facet.Tx](engine.Store(store)), Log: slog.New(slog.DiscardHandler), Node: "n",
		Email: search.Emails(vault)})
	filler.Eager = true
	require.NoError(b, filler.Fill(context.WithoutCancel(ctx)))
}
