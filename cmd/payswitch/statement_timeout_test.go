package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// TestStatementsAreCut: under load, another program locks the tables of payments for longer than statement_timeout, again and again. The server cuts the
// statements that wait, their requests get 503 with Retry-After, and nothing of them is half done. Each request is repeated until it is answered. Afterwards the
// processor has charged each payment once.
func TestStatementsAreCut(t *testing.T) {
	costly(t)
	t.Parallel()
	acme, err := acmeAdapter()
	require.NoError(t, err)
	dsn, processor := pgtest.Empty(t), newRecorder(t)
	env := append(onPostgres(t, dsn), "PAYSWITCH_STORAGE__POSTGRES__STATEMENT_TIMEOUT=1s", "PAYSWITCH_STORAGE__POSTGRES__LOCK_TIMEOUT=20s",
		"PAYSWITCH_PLUGINS__SEND_TIMEOUT=3s", "PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms",
		"PAYSWITCH_PLUGINS__DIRECTORY="+acme, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true")
	r := start(t, env, "serve")
	key := r.merchantAt("shop", "acme", processor.URL)
	first := cardPayment("first") // compiles the adapter
	require.Equal(t, "succeeded", r.must(key, "/payments", first)["status"])

	var mu sync.Mutex
	asked, cut := []string{"first"}, 0
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for c := range 48 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				id := fmt.Sprintf("pay_%d_%d", c, i)
				mu.Lock()
				asked = append(asked, id)
				mu.Unlock()
				for {
					status, header, answer := r.post(key, "/payments", cardPayment(id), "key_"+id)
					if status != http.StatusServiceUnavailable {
						if status != http.StatusOK {
							t.Errorf("%s: %d %v", id, status, answer)
						}
						break
					}
					mu.Lock()
					cut++
					mu.Unlock()
					if header.Get("Retry-After") == "" {
						t.Errorf("%s: 503 without Retry-After: %v", id, answer)
					}
					time.Sleep(20 * time.Millisecond) // as Retry-After asks, shortened
				}
			}
		})
	}
	other, err := pgconn.Connect(t.Context(), dsn)
	require.NoError(t, err)
	defer other.Close(context.Background())
	for _, table := range []string{"payments", "operations", "events", "attempts"} {
		_, err := other.Exec(t.Context(), "BEGIN; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(2.5); COMMIT").ReadAll()
		require.NoError(t, err)
		time.Sleep(300 * time.Millisecond)
	}
	stop()
	wg.Wait()
	require.Positive(t, cut, "requests met the time limit")

	for _, id := range asked {
		status := ""
		require.Eventually(t, func() bool {
			code, is := r.call(key, "/payments/"+id, nil)
			status, _ = is["status"].(string)
			return code == http.StatusOK && (status == "succeeded" || status == "failed")
		}, 30*time.Second, 200*time.Millisecond, "%s ends as %s", id, status)
		want := 0
		if status == "succeeded" {
			want = 1
		}
		require.Equal(t, want, processor.count(id+"_1"), "%s ended as %s", id, status)
	}
	require.Equal(t, []string{"0"}, pgtest.Rows(t, dsn, `SELECT count(*)::text FROM payments p WHERE p.attempt_count <> (SELECT count(*) FROM attempts a
		WHERE a.merchant_id = p.merchant_id AND a.payment_id = p.id) OR p.open_operation <> ''
		OR NOT EXISTS (SELECT 1 FROM operations o WHERE o.merchant_id = p.merchant_id AND o.payment_id = p.id)`), "no payment is half there")
	require.Equal(t, []string{fmt.Sprint(len(asked))}, pgtest.Rows(t, dsn, `SELECT count(*)::text FROM payments`))
	_, log := r.stop()
	require.Contains(t, log, "canceling statement due to statement timeout")
	t.Logf("%d payments, %d requests were cut", len(asked), cut)
	require.NotContains(t, strings.ToLower(log), "panic")
}
