package storage_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

// BenchmarkPaymentWrites measures the store's part in the creation and confirmation of a payment, with 64 callers. One transaction before the
// processor's call inserts payment, attempt and operation. One transaction after it updates all three and inserts an event. Documents have
// realistic sizes. One benchmark operation is one payment; cpu-µs is the processor time per payment of the whole process.
func BenchmarkPaymentWrites(b *testing.B) { benchmarkPayments(b, open, false, false) }

// BenchmarkPaymentWritesSigned is BenchmarkPaymentWrites with a vault that signs the rows.
func BenchmarkPaymentWritesSigned(b *testing.B) { benchmarkPayments(b, open, false, true) }

// BenchmarkPaymentWritesAfterReads also reads the three rows in the second transaction.
func BenchmarkPaymentWritesAfterReads(b *testing.B) { benchmarkPayments(b, open, true, false) }

// BenchmarkPaymentWritesPostgres is BenchmarkPaymentWrites on PostgreSQL, on the same machine.
func BenchmarkPaymentWritesPostgres(b *testing.B) { benchmarkPayments(b, openDurable, false, false) }

func benchmarkPayments(b *testing.B, open func(testing.TB, storage.Options) *storage.DB, read, signed bool) {
	var commits, served atomic.Int64
	db := open(b, storage.Options{Observer: func(n int, _ time.Duration) { commits.Add(1); served.Add(int64(n)) }})
	if signed {
		_, err := engine.OpenVault(context.Background(), db, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
		require.NoError(b, err)
	}
	var serial atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(64 / runtime.GOMAXPROCS(0))
	before := cpuTime()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			n := serial.Add(1)
			p, a, o := samplePayment(n)
			write(b, db, p, a, o)
			settle(b, db, p, a, o, read)
		}
	})
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-µs/op")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "payments/s")
	b.ReportMetric(float64(served.Load())/float64(max(commits.Load(), 1)), "callers/commit")
}

// BenchmarkOneWriter is BenchmarkPaymentWrites with one caller, who shares no commit: the latency of a quiet switch.
func BenchmarkOneWriter(b *testing.B) { benchmarkOneWriter(b, open(b, storage.Options{})) }

// BenchmarkOneWriterPostgres is BenchmarkOneWriter on PostgreSQL.
func BenchmarkOneWriterPostgres(b *testing.B) {
	benchmarkOneWriter(b, openDurable(b, storage.Options{}))
}

func benchmarkOneWriter(b *testing.B, db *storage.DB) {
	for n := int64(1); b.Loop(); n++ {
		p, a, o := samplePayment(n)
		write(b, db, p, a, o)
		settle(b, db, p, a, o, true)
	}
}

// BenchmarkViewOne reads one payment.
func BenchmarkViewOne(b *testing.B) { benchmarkViewOne(b, open(b, storage.Options{})) }

// BenchmarkViewOnePostgres is BenchmarkViewOne on PostgreSQL.
func BenchmarkViewOnePostgres(b *testing.B) { benchmarkViewOne(b, openDurable(b, storage.Options{})) }

func benchmarkViewOne(b *testing.B, db *storage.DB) {
	p, a, o := samplePayment(1)
	write(b, db, p, a, o)
	ctx := context.Background()
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, db.View(ctx, func(r engine.Reader) error {
			_, err := r.Payment(p.MerchantID, p.ID)
			return err
		}))
	}
}

// BenchmarkViewEmpty measures the cost of the read transaction alone.
func BenchmarkViewEmpty(b *testing.B) {
	db := open(b, storage.Options{})
	ctx := context.Background()
	for b.Loop() {
		require.NoError(b, db.View(ctx, func(engine.Reader) error { return nil }))
	}
}

func open(tb testing.TB, o storage.Options) *storage.DB {
	tb.Helper()
	db, err := storage.Open(context.Background(), "sqlite:"+filepath.Join(tb.TempDir(), "payswitch.db"), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	return db
}

// openDurable is open on a PostgreSQL server that syncs its files.
func openDurable(tb testing.TB, o storage.Options) *storage.DB {
	tb.Helper()
	db, err := storage.Open(context.Background(), pgtest.Durable(tb), o)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, db.Close()) })
	return db
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

var (
	sealed  = bytes.Repeat([]byte{0xa5}, 900)
	request = bytes.Repeat([]byte{0x5a}, 1300)
	event   = bytes.Repeat([]byte{0x7e}, 2600)
)

func samplePayment(n int64) (*payment.Payment, *payment.Attempt, *payment.Operation) {
	now := time.Now()
	id := fmt.Sprintf("pay_%08x%012d", now.UnixMilli()&0xffffffff, n)
	tax := int64(120)
	p := &payment.Payment{
		MerchantID: "merchant_1", ID: id, ProfileID: "pro_1", Status: payment.Processing, Currency: "EUR", Amount: 6540, NetAmount: 6660,
		AttemptCount: 1, AttemptID: id + "_1", OpenOperation: "op_" + id[4:], ClientSecretHash: sealed[:32], ExpiresAt: now.Add(15 * time.Minute),
		CreatedAt: now, ModifiedAt: now, Sealed: sealed,
		Details: payment.Details{
			CaptureMethod: "automatic", AuthenticationType: "no_three_ds", OrderTaxAmount: &tax, Description: "Order 4711, two of these and one of those",
			DescriptorName: "SHOP", ReturnURL: "https://shop.example/checkout/return", OrderReference: "order-4711",
			Metadata: json.RawMessage(`{"order":"4711","cart":"` + strings.Repeat("c", 60) + `"}`),
			Echo:     map[string]json.RawMessage{"order_details": json.RawMessage(`[{"product_name":"This","quantity":2,"amount":3000},{"product_name":"That","quantity":1,"amount":540}]`)},
		},
	}
	if n%2 == 0 {
		p.CustomerID = fmt.Sprintf("cus_%d", n%1000)
	}
	a := &payment.Attempt{
		MerchantID: p.MerchantID, PaymentID: id, ID: id + "_1", Number: 1, Status: payment.Authorizing, Connector: "stripe", AccountID: "mca_1",
		Amount: p.NetAmount, CreatedAt: now, ModifiedAt: now, Sealed: sealed[:80],
		Details: payment.AttemptDetails{
			PaymentMethod: "card", PaymentMethodType: "credit", Environment: "test", Reference: id + "_1",
			Card: &card.Facts{BIN: "424242", LastFour: "4242", Length: 16, ExpMonth: "03", ExpYear: "2030", Network: "visa", Type: "CREDIT", CountryCode: "US"},
		},
	}
	o := &payment.Operation{
		ID: p.OpenOperation, MerchantID: p.MerchantID, PaymentID: id, AttemptID: a.ID, AccountID: "mca_1", Kind: sdk.OpAuthorize,
		Status: payment.OperationStarted, Amount: p.NetAmount, Owner: "node_1", LeaseUntil: now.Add(time.Minute), Connector: "stripe",
		AdapterHash: strings.Repeat("a", 64), Seed: sealed[:32], StartedAt: now, Request: request, Instrument: sealed[:120],
	}
	return p, a, o
}

func write(tb testing.TB, db engine.Store, p *payment.Payment, a *payment.Attempt, o *payment.Operation) {
	err := db.Update(context.Background(), func(tx engine.Tx) error {
		if err := tx.InsertPayment(p); err != nil {
			return err
		}
		if err := tx.InsertAttempt(a); err != nil {
			return err
		}
		return tx.InsertOperation(o)
	})
	if err != nil {
		tb.Error(err)
	}
}

func settle(tb testing.TB, db engine.Store, p *payment.Payment, a *payment.Attempt, o *payment.Operation, read bool) {
	err := db.Update(context.Background(), func(tx engine.Tx) (err error) {
		if read {
			if o, err = tx.Operation(o.ID); err != nil {
				return err
			}
			if p, err = tx.Payment(o.MerchantID, o.PaymentID); err != nil {
				return err
			}
			if a, err = tx.Attempt(o.MerchantID, o.AttemptID); err != nil {
				return err
			}
		}
		now := tx.Now()
		o.Status, o.ClosedAt, o.LastSendAt, o.Instrument, o.Owner = payment.OperationSucceeded, now, now, nil, ""
		o.Outcome = []byte(`{"status":"captured","transaction_id":"pi_3MtwBwLkdIwHu7ix28a3tqPa","amount":6660,"currency":"EUR"}`)
		p.Status, p.Received, p.OpenOperation, p.ModifiedAt = payment.Succeeded, p.NetAmount, "", now
		a.Status, a.Captured, a.TransactionID, a.ModifiedAt = payment.Charged, a.Amount, "pi_3MtwBwLkdIwHu7ix28a3tqPa", now
		a.Details.AuthCode, a.Details.NetworkTransactionID = "123456", "MCC123456789"
		if err := tx.UpdatePayment(p); err != nil {
			return err
		}
		if err := tx.UpdateAttempt(a); err != nil {
			return err
		}
		if err := tx.UpdateOperation(o); err != nil {
			return err
		}
		return tx.InsertEvent(&payment.Event{ID: fmt.Sprintf("evt_%016x%s", now.UnixMilli(), o.ID[10:]), MerchantID: p.MerchantID,
			ProfileID: p.ProfileID, ObjectID: p.ID, Class: "payments", Type: "payment_succeeded", Body: event, CreatedAt: now})
	})
	if err != nil {
		tb.Error(err)
	}
}
