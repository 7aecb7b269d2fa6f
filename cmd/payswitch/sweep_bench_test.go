package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// BenchmarkSweep holds deletion against creation: events that were kept long enough are removed, with their deliveries and attempts, while 64 clients make
// payments. Each payment writes one event. removed/paid is how many events go for each one that comes: the sweeper keeps up where it is over 1. The same load
// is taken with and without it, in turn.
//
//	go test ./cmd/payswitch -run '^$' -bench 'Sweep$' -benchtime 3x
func BenchmarkSweep(b *testing.B) { benchmarkSweep(b, "sqlite:"+filepath.Join(b.TempDir(), "p.db")) }

// BenchmarkSweepPostgres is BenchmarkSweep on PostgreSQL.
func BenchmarkSweepPostgres(b *testing.B) { benchmarkSweep(b, pgtest.Durable(b)) }

func benchmarkSweep(b *testing.B, dsn string) {
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	left := 60_000 // more than the sweeper removes in a few turns
	seedDelivered(b, dsn, left)
	url, key, db := startSwitchWith(b, dsn, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}))
	load(b, url, key, 500*time.Millisecond)
	s := webhook.New(webhook.Deps{Store: port.Narrow[webhook.Reader, webhook.Tx](engine.Store(db)), Now: time.Now, Log: slog.New(slog.DiscardHandler), Metrics: newMeters()},
		webhook.Options{Node: "n", Keep: webhook.Keep{Delivered: webhook.KeepAtLeast(), Undelivered: webhook.KeepAtLeast(), Attempts: webhook.KeepAtLeast()}})
	var alone, beside, ratios, removed, keepsUp []float64
	for b.Loop() {
		x := load(b, url, key, 2*time.Second)
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		began := time.Now()
		go func() { done <- s.Sweep(ctx) }()
		y := load(b, url, key, 2*time.Second)
		cancel()
		if err := <-done; err != nil {
			require.ErrorIs(b, err, context.Canceled)
		}
		seconds, now := time.Since(began).Seconds(), 0
		require.NoError(b, db.View(b.Context(), func(r engine.Reader) (err error) {
			_, now, err = r.Deliveries("old", webhook.Filter{Limit: 1})
			return err
		}))
		require.Positive(b, now, "the sweeper had too little to do: seed more events")
		gone := float64(left-now) / seconds
		left = now
		alone, beside, ratios, removed, keepsUp = append(alone, x), append(beside, y), append(ratios, y/x), append(removed, gone), append(keepsUp, gone/y)
	}
	b.ReportMetric(median(alone), "alone/s")
	b.ReportMetric(median(beside), "beside-sweep/s")
	b.ReportMetric(median(ratios), "beside/alone")
	b.ReportMetric(median(removed), "removed/s")
	b.ReportMetric(median(keepsUp), "removed/paid")
	b.ReportMetric(0, "ns/op")
}

// seedDelivered writes n old events, each with a delivery that has ended and its attempt.
func seedDelivered(b *testing.B, dsn string, n int) {
	db, err := storage.Open(b.Context(), dsn, storage.Options{Migrate: true})
	require.NoError(b, err)
	defer db.Close()
	_, err = engine.OpenVault(b.Context(), db, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
	require.NoError(b, err)
	const batch = 500
	old := time.Now().Add(-2 * webhook.KeepAtLeast()).UTC().Truncate(time.Millisecond)
	for from := 0; from < n; from += batch {
		require.NoError(b, db.Update(b.Context(), func(tx engine.Tx) error {
			for i := range batch {
				id := fmt.Sprintf("evt_%08d", from+i)
				if err := tx.InsertEvent(&payment.Event{MerchantID: "old", ID: id, ProfileID: "pro", ObjectID: "pay_" + id, Number: 1, Class: "payments", Type: "payment_succeeded",
					Body: make([]byte, 500), CreatedAt: old}); err != nil {
					return err
				}
			}
			waiting, err := tx.WaitingEvents(batch)
			if err != nil {
				return err
			}
			for _, w := range waiting {
				if err := tx.FanOut(w.Row, []*webhook.Delivery{{MerchantID: "old", EventID: w.ID, EndpointID: "we_1", ProfileID: "pro", PaymentID: w.ObjectID, ObjectID: w.ObjectID, Number: 1,
					Class: w.Class, Type: w.Type, CreatedAt: old}}); err != nil {
					return err
				}
			}
			lease := tx.Now().Add(time.Minute).Truncate(time.Millisecond)
			list, err := tx.ClaimDeliveries("we_1", "n", lease, batch)
			if err != nil {
				return err
			}
			for _, d := range list {
				d.State, d.DueAt, d.Tries, d.EndedAt = webhook.Delivered, time.Time{}, 1, old
				if _, err := tx.BookDelivery(d, "n", lease); err != nil {
					return err
				}
				if err := tx.InsertDeliveryAttempt(&webhook.Attempt{MerchantID: "old", EventID: d.EventID, EndpointID: "we_1", ID: "att_" + d.EventID, Kind: webhook.InitialAttempt, At: old,
					Status: 200}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}
