package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/routing/health"
)

// outage puts a processor out of order: while down is true, it answers every request with 503 and does nothing. A request that comes while gate is set waits
// until the gate is closed.
type outage struct {
	*recorder
	down bool
	gate chan struct{}
}

func newOutage(t *testing.T) *outage {
	p := &outage{recorder: newRecorder(t)}
	works := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		down, gate := p.down, p.gate
		p.mu.Unlock()
		if down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if gate != nil && r.Method == http.MethodPost {
			<-gate
		}
		works.ServeHTTP(w, r)
	})
	return p
}

func (p *outage) set(down bool, gate chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down, p.gate = down, gate
}

// TestFailOver fails one of two processors of a running switch. The payments of the next seconds go to the other one. The first processor recovers: half a minute
// after it failed, one payment at a time tries it, and after three answers it has its payments again. No payment is charged twice.
func TestFailOver(t *testing.T) {
	costly(t)
	t.Parallel()
	folder, err := acmeAdapter()
	require.NoError(t, err)
	p := startProcess(t, append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
		"PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms"), "serve")
	first, second := newOutage(t), newOutage(t)
	key := p.merchantAt("shop", "acme", first.URL)
	beside := p.must(key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "acme", "connector_label": "beside",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"}})
	b := fmt.Sprint(beside["merchant_connector_id"])
	p.must(testAdminKey, "/account/shop/connectors/"+b+"/egress", object{"base_url": second.URL})

	var made []string
	// pay returns the payment's status, its account, and how it was routed.
	pay := func() (status, account string, how map[string]any) {
		id := fmt.Sprintf("pay_%d", len(made))
		made = append(made, id)
		v := p.must(key, "/payments", cardPayment(id))
		shown := p.must(key, "/payments/"+id+"?expand=routing", nil)["routing"].([]any)
		require.Len(t, shown, 1, "one attempt")
		return fmt.Sprint(v["status"]), fmt.Sprint(v["merchant_connector_id"]), shown[0].(map[string]any)
	}
	standing := func() (list []any) {
		req, err := http.NewRequest(http.MethodGet, p.url+"/routing/health", nil)
		require.NoError(t, err)
		req.Header.Set("api-key", key)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		var accounts []map[string]any
		require.NoError(t, json.Unmarshal(raw, &accounts), "%s", raw)
		for _, a := range accounts {
			list = append(list, a["standing"])
		}
		return list
	}

	status, a, _ := pay()
	require.Equal(t, "succeeded", status)
	require.NotEqual(t, b, a)

	first.set(true, nil)
	for range health.MinFaults {
		status, account, _ := pay()
		require.Equal(t, []string{"processing", a}, []string{status, account}, "an unknown outcome leads to no other account")
	}
	out := time.Now()
	for range 3 {
		status, account, how := pay()
		require.Equal(t, []string{"succeeded", b}, []string{status, account})
		left := how["left_out"].([]any)[0].(map[string]any)
		require.Equal(t, []any{a, "sick", false}, []any{left["merchant_connector_id"], left["reason"], how["trial"]})
	}
	require.Equal(t, []any{"out", "in"}, standing())
	require.Contains(t, p.metrics(), "payswitch_accounts_out 1")

	gate := make(chan struct{})
	first.set(false, gate)
	_, account, _ := pay()
	require.Equal(t, b, account, "it is not tried at once")
	require.Eventually(t, func() bool { return standing()[0] == "trial" }, health.FirstPause+10*time.Second, 100*time.Millisecond)
	require.GreaterOrEqual(t, time.Since(out), health.FirstPause-2*time.Second)
	tried := make(chan object, 1)
	go func() {
		_, v, _ := p.try(key, "/payments", cardPayment("pay_trial"))
		tried <- v
	}()
	made = append(made, "pay_trial")
	require.Eventually(t, func() bool { return standing()[0] == "out" }, 20*time.Second, 10*time.Millisecond, "the trial has begun")
	_, account, _ = pay()
	require.Equal(t, b, account, "one payment at a time tries it")
	close(gate)
	first.set(false, nil)
	v := <-tried
	require.Equal(t, []any{"succeeded", a}, []any{v["status"], v["merchant_connector_id"]})
	for range health.TrialsNeeded - 1 {
		status, account, how := pay()
		require.Equal(t, []any{"succeeded", a, true}, []any{status, account, how["trial"]})
	}
	require.Equal(t, []any{"in", "in"}, standing())
	status, account, how := pay()
	require.Equal(t, []any{"succeeded", a, false}, []any{status, account, how["trial"]})
	require.Contains(t, p.metrics(), "payswitch_accounts_out 0")

	// The payments of the outage are settled with what the processor says of them.
	for _, id := range made[1 : 1+health.MinFaults] {
		require.Eventually(t, func() bool { return p.must(key, "/payments/"+id+"?force_sync=true", nil)["status"] != "processing" }, 20*time.Second, 200*time.Millisecond, id)
	}
	for i, id := range made {
		is := p.must(key, "/payments/"+id, nil)
		charged := first.count(id+"_1") + second.count(id+"_1")
		require.Equal(t, map[any]int{"succeeded": 1, "failed": 0}[is["status"]], charged, "%d: %s is %v", i, id, is["status"])
	}
}
