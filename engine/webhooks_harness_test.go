package engine_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/vault"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// received is one request to an endpoint.
type received struct {
	url    string
	header http.Header
	body   string
	at     time.Time
	ok     bool
}

func (r received) event() (e struct {
	ID        string `json:"event_id"`
	Type      string `json:"event_type"`
	PaymentID string `json:"payment_id"`
	RefundID  string `json:"refund_id"`
	Status    string `json:"status"`
	Received  int64  `json:"received"`
}) {
	if err := json.Unmarshal([]byte(r.body), &e); err != nil {
		panic(err)
	}
	return e
}

// shops are the merchants' endpoints. answer decides what an endpoint answers; nil: 200 at once.
type shops struct {
	mu     sync.Mutex
	all    []received
	most   map[string]int // requests at a time
	now    map[string]int
	answer func(ctx context.Context, url string, n int) webhook.Reply
}

func (s *shops) Allows(string) error { return nil }

func (s *shops) Post(ctx context.Context, url string, header http.Header, body []byte) webhook.Reply {
	at := time.Now()
	s.mu.Lock()
	if s.now == nil {
		s.now, s.most = map[string]int{}, map[string]int{}
	}
	s.now[url]++
	s.most[url] = max(s.most[url], s.now[url])
	n := len(s.all)
	s.mu.Unlock()
	r := webhook.Reply{Status: 200}
	if s.answer != nil {
		r = s.answer(ctx, url, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now[url]--
	s.all = append(s.all, received{url, header, string(body), at, r.Status/100 == 2})
	return r
}

// of returns what an endpoint received, in order.
func (s *shops) of(url string) (out []received) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.all {
		if r.url == url {
			out = append(out, r)
		}
	}
	return out
}

// types returns the event types that an endpoint accepted.
func (s *shops) types(url string) (out []string) {
	for _, r := range s.of(url) {
		if r.ok {
			out = append(out, r.event().Type)
		}
	}
	return out
}

const hook = "https://shop.test/hook"

// newDelivering makes a world with an account at the simulator, whose engine posts to the shops.
func newDelivering(t *testing.T, s *shops) *world {
	t.Helper()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.deliverTo(s, engine.Options{})
	return w
}

// deliverTo gives the world an engine that posts to the shops, and runs it until the test ends. The default profile's webhook_url is hook.
func (w *world) deliverTo(s *shops, o engine.Options) (stop func()) {
	w.t.Helper()
	if o.PublicURL == "" {
		o.PublicURL = "http://switch.test"
	}
	if o.WebhookPoll == 0 { // long times pass in these tests; news wakes the engine at once
		o.WebhookPoll, o.ResolveEvery = 30*time.Second, 10*time.Minute
	}
	var err error
	o.ConfigEvery = time.Hour // as in newWorldAt
	w.Engine, err = engine.New(engine.Deps{Store: w.db, Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}), Vault: w.vault,
		Presenter: presenter{}, Metrics: w.alarms, Sender: s, Clock: func() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }}, o)
	require.NoError(w.t, err)
	w.hookOf(w.profile.ID, hook)
	return w.runs()
}

// endpoint gives a merchant an endpoint, with a delivery and its attempt.
func (w *world) endpoint(merchantID string) {
	w.t.Helper()
	sealed := func(associated string) []byte {
		b, err := w.vault.Seal([]byte(`{}`), associated)
		require.NoError(w.t, err)
		return b
	}
	id := "evt_" + merchantID
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		d := &webhook.Delivery{MerchantID: merchantID, EventID: id, EndpointID: "we_" + merchantID, ProfileID: "pro_" + merchantID, PaymentID: "pay_" + merchantID,
			ObjectID: "pay_" + merchantID, Number: 1, Class: "payments", Type: "payment_failed", CreatedAt: tx.Now()}
		e := &payment.Event{MerchantID: merchantID, ID: id, ObjectID: d.ObjectID, PaymentID: d.PaymentID, Number: 1, Body: sealed(vault.EventAD(merchantID, id)), CreatedAt: tx.Now()}
		if err := tx.InsertEvent(e); err != nil {
			return err
		}
		waiting, err := tx.WaitingEvents(1000)
		for _, one := range waiting {
			if err == nil && one.ID == id {
				err = tx.FanOut(one.Row, []*webhook.Delivery{d})
			}
		}
		if err != nil {
			return err
		}
		a := &webhook.Attempt{MerchantID: merchantID, EventID: id, EndpointID: d.EndpointID, ID: "att_" + merchantID, Kind: webhook.InitialAttempt, At: tx.Now(),
			Took: time.Second, Status: 500, Failure: "no", Sealed: sealed(vault.DeliveryAD(merchantID, id, "att_"+merchantID))}
		if err := tx.InsertDeliveryAttempt(a); err != nil {
			return err
		}
		return tx.InsertEndpoint(&webhook.Endpoint{ID: d.EndpointID, MerchantID: merchantID, ProfileID: d.ProfileID, URL: "https://shop.test/", Description: "books",
			Types: []string{"payment_failed"}, Sealed: sealed(vault.EndpointAD(merchantID, d.EndpointID)), CreatedAt: tx.Now(), ModifiedAt: tx.Now()})
	}))
}

// runs runs the engine until stop is called, or the test ends.
func (w *world) runs() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	e := w.Engine
	go func() { defer close(done); e.Run(ctx) }()
	var once sync.Once
	stop = func() { once.Do(func() { cancel(); <-done }) }
	w.t.Cleanup(stop)
	return stop
}

// hookOf sets a profile's webhook_url.
func (w *world) hookOf(profileID, url string, more ...string) {
	w.t.Helper()
	details := `{"webhook_url":"` + url + `"` + strings.Join(more, "") + `}`
	_, err := w.UpdateProfile(w.t.Context(), w.auth, profileID, account.ProfileInput{Fields: account.Fields{"webhook_details": []byte(details)}})
	require.NoError(w.t, err)
}

// deliveries returns the deliveries of a payment or refund, oldest first.
func (w *world) deliveries(f webhook.Filter) []*webhook.Delivery {
	w.t.Helper()
	list, _, err := w.Webhooks.ListEvents(w.t.Context(), w.auth, f)
	require.NoError(w.t, err)
	return list
}
