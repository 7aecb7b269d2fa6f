package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// recorder is a processor on loopback that keeps a ledger: what it has charged, by our reference. It acts once per idempotency key, as
// real ones do, and finishes what has arrived also when the caller is gone.
type recorder struct {
	*httptest.Server
	mu      sync.Mutex
	keys    map[string]string // idempotency key → reference
	charged map[string]int    // reference → how many times it was charged
	arrived int
}

func newRecorder(t *testing.T) *recorder {
	r := &recorder{keys: map[string]string{}, charged: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (p *recorder) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		p.answer(w, r.URL.Query().Get("reference"))
		return
	}
	var in struct{ Reference string }
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	time.Sleep(rand.N(60 * time.Millisecond)) // before it acts
	p.mu.Lock()
	p.arrived++
	if key := r.Header.Get("Idempotency-Key"); p.keys[key] == "" {
		p.keys[key] = in.Reference
		p.charged[in.Reference]++
	}
	p.mu.Unlock()
	time.Sleep(rand.N(60 * time.Millisecond)) // before it answers
	p.answer(w, in.Reference)
}

func (p *recorder) answer(w http.ResponseWriter, reference string) {
	if p.count(reference) == 0 {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"not_found"}`)
		return
	}
	fmt.Fprintf(w, `{"id":"tx_%s","status":"captured"}`, reference)
}

func (p *recorder) count(reference string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.charged[reference]
}

// acmeAdapter is a folder with the test processor's adapter and the simulator.
var acmeAdapter = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "acme")
	return dir, goBuild(wasmEnv, wasmArgs(filepath.Join(dir, "acme.wasm"), "./plugins/testdata/acme/wasm")...)
})

// TestKillWithRecordingProcessor kills the switch in the middle of 200 concurrent payments and starts it again. Afterwards no payment that
// the processor was asked for is lost, none is stuck, and none is charged twice; what merchants see is what the processor did.
func TestKillWithRecordingProcessor(t *testing.T) {
	t.Parallel()
	processor := newRecorder(t)
	folder, err := acmeAdapter()
	require.NoError(t, err)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__SEND_TIMEOUT=2s", "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
		"PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms")
	p := startProcess(t, env, "serve")
	key := p.merchantAt("shop", "acme", processor.URL)
	status, first := p.call(key, "/payments", cardPayment("warm"))
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "succeeded", first["status"], first)

	const concurrent = 200
	var mu sync.Mutex
	answered, cut := map[string]string{}, []string(nil)
	var wg sync.WaitGroup
	for c := range concurrent {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("pay_%d_%d", c, i)
				status, answer, err := p.try(key, "/payments", cardPayment(id))
				mu.Lock()
				if err == nil && status == http.StatusOK {
					answered[id], _ = answer["status"].(string)
				} else {
					cut = append(cut, id)
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	time.Sleep(1500 * time.Millisecond)
	require.NoError(t, p.cmd.Process.Kill())
	wg.Wait()
	p.exit()
	require.Len(t, cut, concurrent)

	again := startProcess(t, env, "serve")
	ends := map[string]int{}
	for id, was := range answered {
		is := again.must(key, "/payments/"+id, nil)
		require.Equal(t, "succeeded", was, id)
		require.Equal(t, "succeeded", is["status"], "%s was answered", id)
		require.Equal(t, 1, processor.count(id+"_1"), "%s is charged once", id)
	}
	deadline := time.Now().Add(60 * time.Second)
	for _, id := range cut {
		end := again.end(key, id, deadline)
		ends[end]++
		charged := processor.count(id + "_1")
		switch end {
		case "succeeded":
			require.Equal(t, 1, charged, id)
		case "failed", "absent":
			require.Zero(t, charged, "%s is %s, so it must not have been charged", id, end)
		default:
			require.Fail(t, "stuck", "%s is %s\n%s", id, end, withoutRequests(again.stderr.String()))
		}
	}
	processor.mu.Lock()
	defer processor.mu.Unlock()
	for reference, n := range processor.charged {
		require.Equal(t, 1, n, "%s is charged %d times", reference, n)
	}
	t.Logf("%d payments answered before the kill; of %d cut off: %v; %d requests reached the processor", len(answered), len(cut), ends, processor.arrived)
}

// end waits for a payment's last status; "absent" where the switch never knew it.
func (r *running) end(key, id string, deadline time.Time) string {
	r.t.Helper()
	for {
		status, is := r.call(key, "/payments/"+id, nil)
		if status == http.StatusNotFound {
			return "absent"
		}
		s, _ := is["status"].(string)
		if s != "processing" || time.Now().After(deadline) {
			return s
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// merchantAt makes a merchant with an account at a connector that is reached at url, and returns its API key.
func (r *running) merchantAt(id, connector, url string) string {
	r.t.Helper()
	r.must(testAdminKey, "/accounts", object{"merchant_id": id})
	key, _ := r.must(testAdminKey, "/api_keys/"+id, object{"name": "e2e", "expiration": "never"})["api_key"].(string)
	account := r.must(key, "/account/"+id+"/connectors", object{"connector_type": "payment_processor", "connector_name": connector,
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"}})
	r.must(testAdminKey, fmt.Sprintf("/account/%s/connectors/%s/egress", id, account["merchant_connector_id"]), object{"base_url": url})
	return key
}

// withoutRequests leaves the lines of answered requests out of a log.
func withoutRequests(log string) string {
	var out []string
	for line := range strings.Lines(log) {
		if !strings.Contains(line, `"msg":"request"`) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
