package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/ids"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/pgtest"
)

const clients = 64

// BenchmarkThroughput takes create+confirm (automatic capture, two durable commits, synchronous=FULL, events on) at 64 concurrent
// clients over HTTP in three contestants in turn: the simulator in its sandbox; the same adapter as a Go function; and a bare program
// that does nothing but HTTP, two group-committed writes and a call to a processor on loopback. What counts is the ratios, which are
// taken pair by pair in one run. The processor time of a payment includes that of its client:
//
//	go test ./cmd/payswitch -run '^$' -bench Throughput -benchtime 5x
func BenchmarkThroughput(b *testing.B) {
	benchmarkThroughput(b, func() string { return "sqlite:" + filepath.Join(b.TempDir(), "p.db") })
}

// BenchmarkThroughputPostgres is BenchmarkThroughput with the first two contestants on PostgreSQL, on the same machine. It needs PostgreSQL.
func BenchmarkThroughputPostgres(b *testing.B) {
	benchmarkThroughput(b, func() string { return pgtest.Durable(b) })
}

func benchmarkThroughput(b *testing.B, dsn func() string) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as the program does, for all three
	contestants := []struct {
		name string
		url  string
		key  string
	}{{name: "wasm"}, {name: "native"}, {name: "bare"}}
	contestants[0].url, contestants[0].key = startSwitchOn(b, dsn(), inSandbox(b))
	contestants[1].url, contestants[1].key = startSwitchOn(b, dsn(), plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}))
	contestants[2].url = startBare(b)
	rates, costs := make([][]float64, len(contestants)), make([][]float64, len(contestants))
	for i := range contestants {
		require.NoError(b, payOnce(http.DefaultClient, contestants[i].url, contestants[i].key)) // compiles the adapter
		load(b, contestants[i].url, contestants[i].key, 500*time.Millisecond)
	}
	for b.Loop() {
		for i, c := range contestants {
			before := processorTime(b)
			rate, paid := loadBy(b, clients, c.url, c.key, 2*time.Second)
			rates[i] = append(rates[i], rate)
			costs[i] = append(costs[i], float64((processorTime(b)-before).Microseconds())/float64(len(paid)))
		}
	}
	ratio := func(a, c int) float64 {
		var r []float64
		for i := range rates[a] {
			r = append(r, rates[a][i]/rates[c][i])
		}
		return median(r)
	}
	for i, c := range contestants {
		b.ReportMetric(median(rates[i]), c.name+"/s")
		b.ReportMetric(median(costs[i]), c.name+"-cpu-µs")
	}
	b.ReportMetric(ratio(0, 1), "wasm/native")
	b.ReportMetric(ratio(0, 2), "wasm/bare")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkPaymentCPU is the processor time of a payment, that of its client included: create+confirm at 64 clients on SQLite, with the simulator as a Go
// function. To compare two commits, build each one's test binary and run them in turn: on a busy machine take the least of several runs.
//
//	go test ./cmd/payswitch -run '^$' -bench PaymentCPU -benchtime 1200x
func BenchmarkPaymentCPU(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	url, key := startSwitch(b, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}))
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}}
	pay := func(payments int) {
		var left atomic.Int64
		left.Store(int64(payments))
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					if err := payOnce(client, url, key); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
	pay(300)
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime(b)
	pay(b.N)
	b.ReportMetric(float64((processorTime(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-µs")
}

// BenchmarkJournal is what the journal costs: the same load with and without, in turn.
//
//	go test ./cmd/payswitch -run '^$' -bench Journal -benchtime 5x
func BenchmarkJournal(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()})
	with, withKey := startSwitch(b, connectors)
	without, withoutKey := startSwitch(b, connectors, func(o *engine.Options) { o.JournalKeep = -1 })
	load(b, with, withKey, 500*time.Millisecond)
	load(b, without, withoutKey, 500*time.Millisecond)
	var rates, bare, ratios []float64
	for b.Loop() {
		x, y := load(b, with, withKey, 2*time.Second), load(b, without, withoutKey, 2*time.Second)
		rates, bare, ratios = append(rates, x), append(bare, y), append(ratios, x/y)
	}
	b.ReportMetric(median(rates), "journalled/s")
	b.ReportMetric(median(bare), "not-journalled/s")
	b.ReportMetric(median(ratios), "journalled/not")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkEvents is what 1,000 events a second cost the payments of the same switch: each event is written with its sealed body, and gets a delivery to
// one endpoint. The same load is taken with and without them, in turn. The processor time of a payment is that of the whole process. event-cpu-µs is the
// processor time of one event: what the process used beyond the payments at their own price. It does not depend on what else the machine does, and 1,000
// events a second take that much of its processors.
//
//	go test ./cmd/payswitch -run '^$' -bench 'Events$' -benchtime 5x
func BenchmarkEvents(b *testing.B) {
	benchmarkEvents(b, "sqlite:"+filepath.Join(b.TempDir(), "p.db"))
}

// BenchmarkEventsPostgres is BenchmarkEvents on PostgreSQL.
func BenchmarkEventsPostgres(b *testing.B) { benchmarkEvents(b, pgtest.Durable(b)) }

func benchmarkEvents(b *testing.B, dsn string) {
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	url, key, db := startSwitchWith(b, dsn, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}))
	load(b, url, key, 500*time.Millisecond)
	var alone, beside, ratios, costs, costsBeside, enqueued, ofEvent []float64
	measure := func() (rate, cost float64) {
		before := processorTime(b)
		rate, paid := loadBy(b, clients, url, key, 2*time.Second)
		return rate, float64((processorTime(b) - before).Microseconds()) / float64(len(paid))
	}
	for b.Loop() {
		x, costX := measure()
		stop := enqueue(b, db)
		y, costY := measure()
		enqueued = append(enqueued, stop())
		ofEvent = append(ofEvent, (costY-costX)*y/enqueued[len(enqueued)-1])
		alone, beside, ratios, costs, costsBeside = append(alone, x), append(beside, y), append(ratios, y/x), append(costs, costX), append(costsBeside, costY)
	}
	b.ReportMetric(median(alone), "alone/s")
	b.ReportMetric(median(beside), "beside-events/s")
	b.ReportMetric(median(ratios), "beside/alone")
	b.ReportMetric(median(costs), "alone-cpu-µs")
	b.ReportMetric(median(costsBeside), "beside-cpu-µs")
	b.ReportMetric(median(enqueued), "events/s")
	b.ReportMetric(median(ofEvent), "event-cpu-µs")
	b.ReportMetric(0, "ns/op")
}

// enqueue enqueues 1,000 events a second until stop, which returns how many a second there were.
func enqueue(b *testing.B, db *storage.DB) (stop func() float64) {
	ctx, cancel := context.WithCancel(b.Context())
	began, n := time.Now(), 0
	done := make(chan error, 1)
	run, body := ids.Random(8), make([]byte, 500) // TestBytesOfAPayment measures the sealed body of an event
	go func() {
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				done <- nil
				return
			case <-tick.C:
			}
			due := int(time.Since(began)/time.Millisecond) - n
			err := db.Update(context.WithoutCancel(ctx), func(tx engine.Tx) error {
				for i := range due {
					id := fmt.Sprintf("pay_%s_%d", run, n+i)
					e := &payment.Event{MerchantID: "bench", ID: ids.NewEvent(tx.Now(), 1), ProfileID: "pro", ObjectID: id, Number: 1, Class: "payments", Type: "payment_succeeded",
						Body: body, CreatedAt: tx.Now()}
					if err := tx.InsertEvent(e); err != nil {
						return err
					}
				}
				waiting, err := tx.WaitingEvents(due)
				for _, w := range waiting {
					if err == nil {
						err = tx.FanOut(w.Row, []*webhook.Delivery{{MerchantID: "bench", EventID: w.ID, EndpointID: "we_1", ProfileID: "pro", PaymentID: w.ObjectID,
							ObjectID: w.ObjectID, Number: 1, Class: w.Class, Type: w.Type, CreatedAt: w.CreatedAt}})
					}
				}
				return err
			})
			if n += due; err != nil {
				done <- err
				return
			}
		}
	}()
	return func() float64 {
		seconds := time.Since(began).Seconds()
		cancel()
		require.NoError(b, <-done)
		return float64(n) / seconds
	}
}

// processorTime returns what this process has used of the processors.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// load pays as fast as it can for a while and returns payments per second. Every answer must be a success.
func load(tb testing.TB, url, key string, d time.Duration) float64 {
	rate, _ := loadBy(tb, clients, url, key, d)
	return rate
}

// loadBy is load with a number of concurrent clients. It also returns how long each payment took.
func loadBy(tb testing.TB, clients int, url, key string, d time.Duration) (rate float64, took []time.Duration) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	each := make([][]time.Duration, clients)
	var failed atomic.Pointer[string]
	ctx, cancel := context.WithTimeout(tb.Context(), d)
	defer cancel()
	start := time.Now()
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				began := time.Now()
				if err := payOnce(client, url, key); err != nil {
					s := err.Error()
					failed.Store(&s)
					return
				}
				each[i] = append(each[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	seconds := time.Since(start).Seconds()
	if s := failed.Load(); s != nil {
		tb.Fatal(*s)
	}
	took = slices.Concat(each...)
	return float64(len(took)) / seconds, took
}

var payBody = []byte(`{"amount":6540,"currency":"USD","confirm":true,"capture_method":"automatic","customer_id":"cus_bench","email":"ada@example.com",
"description":"Its my first payment request","return_url":"https://shop.example.com/done","payment_method":"card","payment_method_type":"credit",
"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_holder_name":"Ada Lovelace","card_cvc":"737"}},
"billing":{"address":{"line1":"1467","line2":"Harrison Street","city":"San Fransico","state":"California","zip":"94122","country":"US","first_name":"Ada","last_name":"Lovelace"}},
"metadata":{"udf1":"value1","new_customer":"true","login_date":"2019-09-10T10:11:12Z"}}`)

func payOnce(client *http.Client, url, key string) error {
	r, err := http.NewRequest("POST", url+"/payments", bytes.NewReader(payBody))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("api-key", key)
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != 200 || !bytes.Contains(body, []byte(`"status":"succeeded"`))) {
		err = fmt.Errorf("%d %.500s", resp.StatusCode, body)
	}
	return err
}

func inSandbox(b *testing.B) port.Connectors {
	h, err := plugins.New(b.Context(), plugins.Options{CacheDir: b.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	require.NoError(b, err)
	b.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// startSwitch serves a whole switch in this process, but for its adapters, and returns its URL and a merchant's key.
func startSwitch(b *testing.B, connectors port.Connectors, change ...func(*engine.Options)) (url, key string) {
	return startSwitchOn(b, "sqlite:"+filepath.Join(b.TempDir(), "p.db"), connectors, change...)
}

// startSwitchOn is startSwitch on a database.
func startSwitchOn(b *testing.B, dsn string, connectors port.Connectors, change ...func(*engine.Options)) (url, key string) {
	url, key, _ = startSwitchWith(b, dsn, connectors, change...)
	return url, key
}

// startSwitchWith is startSwitchOn, and returns the switch's store.
func startSwitchWith(b *testing.B, dsn string, connectors port.Connectors, change ...func(*engine.Options)) (url, key string, db *storage.DB) {
	ctx := b.Context()
	db, err := storage.Open(ctx, dsn, storage.Options{Migrate: true})
	require.NoError(b, err)
	vault, err := engine.OpenVault(ctx, db, secret.New(base64.StdEncoding.EncodeToString(make([]byte, 32))))
	require.NoError(b, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	url = "http://" + listener.Addr().String()
	m := newMeters()
	o := engine.Options{PublicURL: url}
	for _, f := range change {
		f(&o)
	}
	e, err := engine.New(engine.Deps{Store: db, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}, Metrics: m}, o)
	require.NoError(b, err)
	s, err := router.New(router.Deps{Access: e, Payments: e, Admin: e, Connectors: connectors}, router.Options{PublicURL: url, Observe: m.request})
	require.NoError(b, err)
	server := s.HTTP(s)
	go server.Serve(listener)
	b.Cleanup(func() {
		server.Close()
		e.Close(context.Background())
		db.Close()
	})
	_, err = e.CreateMerchant(ctx, account.MerchantInput{ID: "bench"})
	require.NoError(b, err)
	auth := account.Auth{MerchantID: "bench"}
	_, err = e.CreateAccount(ctx, auth, account.AccountInput{Type: "payment_processor", Connector: "simulator"})
	require.NoError(b, err)
	name := "bench"
	_, secret, err := e.CreateAPIKey(ctx, auth, account.APIKeyInput{Name: &name, Expiration: &time.Time{}})
	require.NoError(b, err)
	return url, secret.Reveal(), db
}
