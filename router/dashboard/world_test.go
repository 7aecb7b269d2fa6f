package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/adyen"
	"payswitch/plugins/netcetera"
	"payswitch/plugins/simulator"
	"payswitch/plugins/threedsecureio"
	"payswitch/router"
	"payswitch/sdk"
	"payswitch/storage"
)

// world is the dashboard over the real engine, SQLite and the simulated processor.
type world struct {
	t      testing.TB
	engine *engine.Engine
	server *Server
	person *staff.Session
	audit  *audited
	auth   account.Auth
	shop   *shop
	dsn    string
}

// shop is the merchant's endpoint: it answers each event with a status.
type shop struct{ status atomic.Int64 }

// Allows implements webhook.Sender.
func (s *shop) Allows(url string) error {
	if strings.Contains(url, "internal") {
		return errors.New("the host is not public")
	}
	return nil
}

// Post implements webhook.Sender.
func (s *shop) Post(context.Context, string, http.Header, []byte) webhook.Reply {
	return webhook.Reply{Status: int(s.status.Load()), Headers: [][2]string{{"Server", "shop"}}, Body: []byte(`<b>"thanks"</b>`)}
}

// audited keeps the lines of the audit for a test.
type audited struct {
	mu   sync.Mutex
	acts []Act
}

func (l *audited) Perform(_ *http.Request, _ *staff.Session, a Act, change func(ctx context.Context) error) error {
	l.mu.Lock()
	l.acts = append(l.acts, a)
	l.mu.Unlock()
	return change(context.Background())
}

// Of implements Sessions.
func (w *world) Of(*http.Request) (*staff.Session, error) { return w.person, nil }

// newWorld returns a dashboard of an admin of the merchant acme, who has just given a second factor.
func newWorld(t testing.TB, options ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, audit: &audited{}, shop: &shop{}, auth: account.Auth{MerchantID: "acme"}}
	w.shop.status.Store(http.StatusOK)
	w.dsn = "sqlite:" + filepath.Join(t.TempDir(), "test.db")
	w.open(options...)
	_, err := w.engine.CreateMerchant(context.Background(), account.MerchantInput{ID: "acme"})
	require.NoError(t, err)
	return w
}

// second returns another node over the same database, with the same person before it.
func (w *world) second() *world {
	w.t.Helper()
	other := &world{t: w.t, audit: &audited{}, shop: w.shop, auth: w.auth, dsn: w.dsn}
	other.open()
	other.person = w.person
	return other
}

// worldKey is the master key of the test's vault.
const worldKey = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// open makes the engine and the server over a connection of their own.
func (w *world) open(options ...func(*Options)) {
	t, ctx := w.t, context.Background()
	store, err := storage.Open(ctx, w.dsn, storage.Options{})
	require.NoError(t, err)
	vault, err := engine.OpenVault(ctx, store, secret.New(worldKey))
	require.NoError(t, err)
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter(), "adyen": adyen.Adapter(), "netcetera": netcetera.Adapter(), "threedsecureio": threedsecureio.Adapter()})
	w.engine, err = engine.New(engine.Deps{Store: store, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}, Sender: w.shop}, engine.Options{WebhookPoll: 5 * time.Millisecond, PublicURL: "http://api.example"})
	require.NoError(t, err)
	running, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { w.engine.Webhooks.Run(running); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		require.NoError(t, w.engine.Close(ctx))
		require.NoError(t, store.Close())
	})
	o := Options{APIURL: "http://api.example"}
	for _, change := range options {
		change(&o)
	}
	w.person = &staff.Session{ID: "s", UserID: "user_ada", Name: "Ada Lovelace", Grants: []staff.Grant{{MerchantID: "acme", Role: staff.Admin}}, SecondFactorAt: time.Now()}
	w.server, err = New(Deps{Sessions: w, Engine: w.engine, Events: w.engine.Webhooks, Adapters: connectors, Audit: w.audit}, o)
	require.NoError(t, err)
}

// as gives the person other roles.
func (w *world) as(grants ...staff.Grant) { w.person.Grants = grants }

func (w *world) get(path string) (int, string) {
	w.t.Helper()
	r := get(w.t, w.server, path)
	return r.Code, mainOf(r.Body.String())
}

// mainOf cuts what stands around a page's content.
func mainOf(html string) string {
	if _, after, ok := strings.Cut(html, "<main"); ok {
		html, _, _ = strings.Cut(after, "</main>")
	}
	return html
}

// drawn returns the page that a request leads to, before it is rendered.
func (w *world) drawn(method, path string, pairs ...string) page {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest(method, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var got page
	mux := http.NewServeMux()
	for _, x := range w.server.routes {
		mux.HandleFunc(x.method+" "+x.pattern, func(rec http.ResponseWriter, q *http.Request) {
			c, err := w.server.begin(rec, q, x)
			require.NoError(w.t, err)
			answer, err := x.handle(c)
			require.NoError(w.t, err)
			got = answer.(shown).page
		})
	}
	mux.ServeHTTP(httptest.NewRecorder(), r)
	require.NotNil(w.t, got, path)
	return got
}

// page reads a page that must be there.
func (w *world) page(path string) string {
	w.t.Helper()
	status, text := w.get(path)
	require.Equal(w.t, http.StatusOK, status, "%s: %s", path, text)
	return text
}

// post sends a form. Pairs are names and values.
func (w *world) post(path string, pairs ...string) *httptest.ResponseRecorder {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Add(pairs[i], pairs[i+1])
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	return rec
}

// done sends a form that must lead to another page, and returns its path.
func (w *world) done(path string, pairs ...string) string {
	w.t.Helper()
	rec := w.post(path, pairs...)
	require.Equal(w.t, http.StatusSeeOther, rec.Code, mainOf(rec.Body.String()))
	return rec.Header().Get("Location")
}

// profile returns the merchant's only profile.
func (w *world) profile() *account.Profile {
	w.t.Helper()
	list, err := w.engine.Profiles(w.t.Context(), w.auth)
	require.NoError(w.t, err)
	return list[0]
}

// pay makes a card payment at the simulator.
func (w *world) pay(amount int64, change ...func(*request.Input)) *change.View {
	w.t.Helper()
	in := &request.Input{Amount: &amount, Currency: "USD", Confirm: new(true), PaymentMethod: "card", PaymentMethodType: "credit", HasMethodData: true,
		Card: &card.Input{Number: secret.New("4242424242424242"), CVC: secret.New("737"), ExpMonth: "10", ExpYear: "50", Holder: secret.New("Ada Lovelace")}}
	for _, f := range change {
		f(in)
	}
	v, err := w.engine.CreatePayment(w.t.Context(), w.auth, in)
	require.NoError(w.t, err)
	return v
}

// delivered waits until a filter finds n deliveries that have ended in a way, and returns the newest.
func (w *world) delivered(n int, yes bool) *webhook.Delivery {
	w.t.Helper()
	var list []*webhook.Delivery
	require.Eventually(w.t, func() bool {
		var err error
		list, _, err = w.engine.Webhooks.ListEvents(w.t.Context(), w.auth, webhook.Filter{Delivered: &yes, Limit: 50})
		tried := 0
		for _, d := range list {
			if d.Tries > 0 || d.State == webhook.Delivered {
				tried++
			}
		}
		return err == nil && tried >= n
	}, 10*time.Second, 5*time.Millisecond)
	return list[0]
}

// profileInput reads a profile as the API does.
func profileInput(t testing.TB, text string) account.ProfileInput {
	t.Helper()
	in, err := router.ParseProfile([]byte(text))
	require.NoError(t, err)
	return in
}
