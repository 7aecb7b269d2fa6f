package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/simulator3ds"
	"payswitch/storage/pgtest"
)

// killer ends the switch at one moment of an authentication: when a call arrives somewhere, when it has been answered, or between the steps
// of the payer's browser.
type killer struct {
	mu    sync.Mutex
	kill  func()
	point string // "" for none
	done  chan struct{}
}

// at ends the process if this is the moment. Nothing that was on its way comes back.
func (k *killer) at(point string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.point == point {
		k.point = ""
		k.kill()
		close(k.done)
	}
}

// arm sets the moment of kill, which ends a process.
func (k *killer) arm(kill func(), point string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kill, k.point, k.done = kill, point, make(chan struct{})
}

// around returns a server whose calls are moments: "name arrives", before it does anything, and "name answered", when the answer is out.
func (k *killer) around(name func(r *http.Request) string, h http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		n := name(r)
		k.at(n + " arrives")
		h.ServeHTTP(w, r)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		k.at(n + " answered")
		time.Sleep(10 * time.Millisecond)
		k.at(n + " booked")
	}
}

// secureShop is a shop whose authenticator and processor outlive the switch.
type secureShop struct {
	*testing.T
	killer
	bank      *httptest.Server
	processor *recorder
	ledger    *httptest.Server
	key       string
}

func newSecureShop(t *testing.T) *secureShop {
	s := &secureShop{T: t, processor: newRecorder(t)}
	var sim atomic.Pointer[simulator3ds.Simulator]
	s.bank = httptest.NewServer(s.around(func(r *http.Request) string { return r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:] },
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { sim.Load().ServeHTTP(w, r) })))
	t.Cleanup(s.bank.Close)
	bank, err := simulator3ds.New(simulator3ds.Options{PublicURL: s.bank.URL})
	require.NoError(t, err)
	sim.Store(bank)
	s.ledger = httptest.NewServer(s.around(func(r *http.Request) string { return "authorize " + r.Method }, http.HandlerFunc(s.processor.serve)))
	t.Cleanup(s.ledger.Close)
	return s
}

// setUp makes the merchant.
func (s *secureShop) setUp(p *running) {
	s.key = p.merchantAt("shop", "acme", s.ledger.URL)
	account := p.authenticateBy("shop", s.key, "threedsecureio", "https://shop.example")
	p.must(testAdminKey, fmt.Sprintf("/account/shop/connectors/%s/egress", account["merchant_connector_id"]), object{"base_url": s.bank.URL + "/sim/3ds"})
}

// step does the next thing that a shop and its payer do about a payment, with a challenge after the 3DS method. It returns the payment's status, ""
// where the switch does not answer.
func (s *secureShop) step(p *running, id string) string {
	status, is, err := p.try(s.key, "/payments/"+id+"?force_sync=true", nil)
	switch {
	case err != nil:
		return ""
	case status == http.StatusNotFound:
		if status, is, err = p.try(s.key, "/payments", securePayment(id, "0070")); err != nil || status != http.StatusOK {
			return ""
		}
	}
	now, _ := is["status"].(string)
	action, _ := is["next_action"].(map[string]any)
	if now != "requires_customer_action" || action == nil {
		return now
	}
	data := action["three_ds_data"].(map[string]any)
	completion := "N"
	if s.method(data["three_ds_method_details"].(map[string]any)) {
		completion = "Y"
	}
	s.at("method notified")
	status, out, err := p.try(s.key, "/payments/"+id+"/3ds/authentication", object{"client_secret": is["client_secret"], "device_channel": "BRW", "threeds_method_comp_ind": completion})
	if err != nil || status != http.StatusOK {
		return now
	}
	s.at("authenticated")
	if out["trans_status"] == "C" {
		s.challenge(out)
		s.at("challenged")
	}
	return now
}

// method runs the 3DS method as a browser does; false where the notification does not get through.
func (s *secureShop) method(details map[string]any) bool {
	field, _ := details["three_ds_method_data"].(string)
	if field == "" {
		return false
	}
	if r, err := http.PostForm(details["three_ds_method_url"].(string), url.Values{"threeDSMethodData": {field}}); err == nil {
		r.Body.Close()
	}
	raw, err := base64.RawURLEncoding.DecodeString(field)
	require.NoError(s, err)
	var m map[string]string
	require.NoError(s, json.Unmarshal(raw, &m))
	done, err := json.Marshal(map[string]string{"threeDSServerTransID": m["threeDSServerTransID"]})
	require.NoError(s, err)
	return post(m["threeDSMethodNotificationURL"], url.Values{"threeDSMethodData": {base64.RawURLEncoding.EncodeToString(done)}})
}

// challenge has the payer confirm, and the browser bring the CRes.
func (s *secureShop) challenge(out object) {
	to, cres, err := confirmAt(s.bank.URL, out, "1234")
	require.NoError(s, err)
	s.at("confirmed")
	post(to, url.Values{"cres": {cres}})
}

func post(to string, fields url.Values) bool {
	r, err := http.PostForm(to, fields)
	if err != nil {
		return false
	}
	r.Body.Close()
	return r.StatusCode == http.StatusOK
}

// killPoints are the moments between any two steps of prepare, method, authenticate, challenge, result and authorize.
var killPoints = []string{
	"preauth arrives", "preauth answered", "preauth booked", "method notified", "auth arrives", "auth answered", "auth booked", "authenticated",
	"confirmed", "challenged", "postauth arrives", "postauth answered", "postauth booked", "authorize POST arrives", "authorize POST answered",
}

// TestKillThreeDS kills the switch between any two steps of an authentication, in a payment each, and starts it again: every payment succeeds when
// shop and payer go on, and is charged once.
func TestKillThreeDS(t *testing.T) {
	costly(t)
	s := newSecureShop(t)
	address := freeAddress(t)
	folder, err := acmeAdapter()
	require.NoError(t, err)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__SEND_TIMEOUT=2s", "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
		"PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms", "PAYSWITCH_SERVER__LISTEN="+address, "PAYSWITCH_SERVER__PUBLIC_URL=http://"+address)
	p := startProcess(t, env, "serve")
	s.setUp(p.running)
	s.goOn(p.running, "warm", time.Now().Add(20*time.Second))

	for i, point := range killPoints {
		s.arm(func() { p.cmd.Process.Kill() }, point)
		s.until(p.running, fmt.Sprint("pay_", i), point)
		require.Equal(t, -1, p.exit())
		p = startProcess(t, env, "serve")
	}
	var all sync.WaitGroup
	for i := range killPoints {
		all.Go(func() { s.goOn(p.running, fmt.Sprint("pay_", i), time.Now().Add(40*time.Second)) })
	}
	all.Wait()
	for i, point := range killPoints {
		s.chargedOnce(p.running, fmt.Sprint("pay_", i), point)
	}
	s.nothingTwice()
}

// balancer shares the requests of shops, payers and banks among nodes: each goes to another node than the one before, if another one lives.
type balancer struct {
	*httptest.Server
	mu    sync.Mutex
	nodes []*process // nil for one that is dead
	last  int        // index of the node that got the last request
}

func newBalancer(t *testing.T) *balancer {
	b := &balancer{nodes: make([]*process, 2)}
	b.Server = httptest.NewServer(&httputil.ReverseProxy{ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if other := b.nodes[1-b.last]; other != nil {
			b.last = 1 - b.last
		}
		to, err := url.Parse(b.nodes[b.last].url)
		require.NoError(t, err)
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}})
	t.Cleanup(b.Close)
	return b
}

// kill ends the node that got the last request.
func (b *balancer) kill() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes[b.last].cmd.Process.Kill()
	b.nodes[b.last], b.last = nil, 1-b.last
}

// start runs a node in each place that has none.
func (b *balancer) start(t *testing.T, env []string) {
	for i := range b.nodes {
		b.mu.Lock()
		dead := b.nodes[i] == nil
		b.mu.Unlock()
		if dead {
			p := startProcess(t, env, "serve")
			b.mu.Lock()
			b.nodes[i] = p
			b.mu.Unlock()
		}
	}
}

// TestKillThreeDSAtTwoNodes kills one of two nodes on PostgreSQL in the middle of an authentication. Each step comes to another node than the one
// before. The node that lives ends the payment while the other is dead, and the customer is charged once.
func TestKillThreeDSAtTwoNodes(t *testing.T) {
	costly(t)
	t.Parallel()
	s, b := newSecureShop(t), newBalancer(t)
	folder, err := acmeAdapter()
	require.NoError(t, err)
	env := append(onPostgres(t, pgtest.Empty(t)), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__SEND_TIMEOUT=2s", "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
		"PAYSWITCH_ENGINE__LEASE_TIME=5s", "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms", "PAYSWITCH_SERVER__PUBLIC_URL="+b.URL)
	b.start(t, env)
	p := &running{t: t, url: b.URL}
	s.setUp(b.nodes[0].running)
	for i, point := range []string{"preauth answered", "method notified", "auth arrives", "auth answered", "confirmed", "postauth arrives", "authorize POST answered"} {
		b.start(t, env)
		s.arm(b.kill, point)
		id := fmt.Sprint("pay_", i)
		s.until(p, id, point)
		s.goOn(p, id, time.Now().Add(40*time.Second))
		s.chargedOnce(p, id, point)
	}
	s.nothingTwice()
}

// until goes on with a payment until the armed moment has come.
func (s *secureShop) until(p *running, id, point string) {
	s.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		s.step(p, id)
		if s.killed() {
			return
		}
		require.True(s, time.Now().Before(end), "%s never came", point)
	}
}

// chargedOnce requires that the payment of an authentication has succeeded, and is charged once.
func (s *secureShop) chargedOnce(p *running, id, point string) {
	s.Helper()
	is := p.must(s.key, "/payments/"+id, nil)
	require.Equal(s, "succeeded", is["status"], "killed when %s: %v %v", point, is["error_code"], is["error_message"])
	require.Equal(s, 1, s.processor.count(id+"_1"), "killed when %s: charged once", point)
	require.Equal(s, "authenticated", is["external_authentication_details"].(map[string]any)["outcome"], point)
}

// nothingTwice requires that the processor has charged nothing twice.
func (s *secureShop) nothingTwice() {
	s.processor.mu.Lock()
	defer s.processor.mu.Unlock()
	for reference, n := range s.processor.charged {
		require.Equal(s, 1, n, "%s is charged %d times", reference, n)
	}
}

// killed says whether the armed moment has come.
func (k *killer) killed() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// goOn goes on with a payment until it has ended.
func (s *secureShop) goOn(p *running, id string, until time.Time) {
	for time.Now().Before(until) {
		if now := s.step(p, id); now == "succeeded" || now == "failed" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	s.Errorf("%s has not ended", id)
}
