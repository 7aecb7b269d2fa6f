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
)

// recorder is a processor on loopback that keeps a ledger: what it has charged, by the id of the attempt. It acts once per idempotency key, as
// real ones do, and finishes what has arrived also when the caller is gone.
type recorder struct {
	*httptest.Server
	mu      sync.Mutex
	keys    map[string]string // idempotency key → reference
	charged map[string]int    // id of the attempt → how many times it was charged
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
	if key := r.Header.Get("Idempotency-Key"); p.keys[key] == "" {
		p.keys[key] = in.Reference
		p.charged[idOfReference(in.Reference)]++
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
	return p.charged[idOfReference(reference)]
}

// acmeAdapter is a folder with the test processor's adapter and the simulator.
var acmeAdapter = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "acme")
	return dir, goBuild(wasmEnv, wasmArgs(filepath.Join(dir, "acme.wasm"), "./plugins/testdata/acme/wasm")...)
})

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
