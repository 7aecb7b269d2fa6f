package plugins_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// processor is acme's processor: it acts once per idempotency key and counts the requests.
type processor struct {
	*httptest.Server
	arrivals atomic.Int64
	delay    atomic.Int64 // of every answer, nanoseconds

	mu     sync.Mutex
	byKey  map[string]payment
	byRef  map[string]payment
	bodies []string
}

type payment struct {
	ID, Status string
}

func newProcessor(t testing.TB) *processor {
	p := &processor{byKey: map[string]payment{}, byRef: map[string]payment{}}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *processor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.arrivals.Add(1)
	body, _ := io.ReadAll(r.Body)
	time.Sleep(time.Duration(p.delay.Load()))
	var in struct{ Reference string }
	_ = json.Unmarshal(body, &in)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bodies = append(p.bodies, string(body))
	if r.Method == "GET" {
		answer(w, p.byRef[r.URL.Query().Get("reference")])
		return
	}
	key := r.Header.Get("Idempotency-Key")
	if _, known := p.byKey[key]; !known {
		status := "authorized"
		switch {
		case strings.HasSuffix(r.URL.Path, "/capture"):
			status = "captured"
		case strings.HasSuffix(r.URL.Path, "/void"):
			status = "voided"
		case strings.HasSuffix(r.URL.Path, "/refund"):
			status = "refunded"
		}
		made := payment{ID: fmt.Sprintf("pay_%d", len(p.byKey)+1), Status: status}
		p.byKey[key], p.byRef[in.Reference] = made, made
	}
	answer(w, p.byKey[key])
}

func answer(w http.ResponseWriter, p payment) {
	if p.ID == "" {
		w.WriteHeader(404)
		_, _ = io.WriteString(w, `{"error":"not_found"}`)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"id": p.ID, "status": p.Status})
}

var operations atomic.Int64

const (
	cardNumber = "4111111111111111"
	cardCVC    = "737"
	secretKey  = "sk_live_a_very_secret_key"
)

// authorize returns a drive of one card payment; no two are alike.
func authorize(connector, baseURL string) *port.Drive {
	n := operations.Add(1)
	d := &port.Drive{
		Connector: connector, Operation: sdk.OpAuthorize, OperationID: fmt.Sprintf("op_%d", n), Started: time.Now(),
		Account: port.DriveAccount{ID: "mca_1", Environment: "test", BaseURL: baseURL,
			Credentials: map[string]secret.Value{"api_key": secret.New(secretKey)}, Config: map[string]string{"merchant_id": "m_1"}},
		Request: sdk.Request{Reference: fmt.Sprintf("reference%d", n), Amount: sdk.Money{Minor: 1050, Currency: "USD"},
			Instrument: &sdk.Instrument{Card: &sdk.Card{ExpMonth: 12, ExpYear: 2030, BIN: "411111", LastFour: "1111", Length: 16}}},
		Secrets: card.Secrets{Number: secret.New(cardNumber), CVC: secret.New(cardCVC)},
	}
	d.Seed[0], d.Seed[1], d.Seed[2] = byte(n), byte(n>>8), byte(n>>16)
	return d
}

// scripted returns a processor adapter with f as authorize.
func scripted(f sdk.Func) *sdk.Adapter {
	a := &sdk.Adapter{Authorize: f, Sync: f, Webhook: f}
	a.Manifest = sdk.Manifest{Name: "scripted", Kind: sdk.KindProcessor, Version: "1.0.0",
		Credentials: []sdk.Field{{Name: "secret_key", Key: "api_key", Type: "secret"}},
		Config:      []sdk.Field{{Name: "merchant_id", Type: "text"}},
		Features:    sdk.Features{External3DS: true},
		Resolve:     sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}}}
	return a
}

// native drives a scripted adapter once.
func native(t testing.TB, o plugins.Options, f sdk.Func, d *port.Drive) (*port.DriveResult, error) {
	t.Helper()
	o.AllowLoopbackHTTP = true
	n, err := plugins.NewNative(map[string]*sdk.Adapter{d.Connector: scripted(f)}, o)
	require.NoError(t, err)
	return n.Drive(context.Background(), d)
}

// observer keeps what the host counts.
type observer struct {
	mu   sync.Mutex
	seen []string
}

func (o *observer) add(s string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, s)
}

// of lists the entries that begin with kind.
func (o *observer) of(kind string) (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.seen {
		if strings.HasPrefix(s, kind) {
			all = append(all, s)
		}
	}
	return all
}

func (o *observer) Stepped(string, time.Duration)            { o.add("stepped") }
func (o *observer) Trapped(_, kind string)                   { o.add("trapped " + kind) }
func (o *observer) Sent(_, _, class string, _ time.Duration) { o.add("sent " + class) }
func (o *observer) Violated(_, rule string)                  { o.add("violated " + rule) }
func (o *observer) Revealed(adapter string)                  { o.add("revealed " + adapter) }
