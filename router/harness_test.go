package router_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/litetest"
)

const (
	publicURL = "http://switch.test"
	adminKey  = "test_admin"
	merchant  = "m1"
)

// world is a whole switch without a network: a Server over the real engine, SQLite and the simulated processor.
type world struct {
	hooks   hooks     // merchants' endpoints
	seen    []arrived // what steps of sections have seen of their requests
	bubble  bool      // time is that of synctest
	t       testing.TB
	engine  *engine.Engine
	store   *storage.DB
	server  *router.Server
	handler http.Handler // server, with every answer held against openapi.yaml
	logs    *bytes.Buffer

	auth        account.Auth
	secret      string // a secret key of merchant
	publishable string
	profile     string
	clock       atomic.Int64 // nanoseconds, added to the engine's time
	counted     *counters
}

// now returns the world's time.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.clock.Load())) }

// passes moves the world's time forward.
func (w *world) passes(d time.Duration) { w.clock.Add(int64(d)) }

func TestMain(m *testing.M) { os.Exit(litetest.Run(m)) }

// option changes the options of a world.
type option func(*router.Options)

func newWorld(t testing.TB, options ...option) *world {
	return newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter()}), options...)
}

// newWorldWith makes a world with other adapters. They must include stripe and adyen.
func newWorldWith(t testing.TB, connectors port.Connectors, options ...option) *world {
	return newWorldOf(t, connectors, engine.Options{}, options...)
}

// newWorldOf is newWorldWith with options of the engine.
func newWorldOf(t testing.TB, connectors port.Connectors, settings engine.Options, options ...option) *world {
	w := &world{t: t, logs: &bytes.Buffer{}, counted: &counters{}}
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "test.db")
	litetest.Begin(t, file)
	store, err := storage.Open(ctx, "sqlite:"+file, storage.Options{Readers: 2, Clock: w.now})
	require.NoError(t, err)
	w.store = store
	vault, err := engine.OpenVault(ctx, store, secret.New("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(t, err)
	o := router.Options{AdminKey: secret.New(adminKey), PublicURL: publicURL, DevPages: true, TestCardsWithoutLuhn: true}
	for _, change := range options {
		change(&o)
	}
	settings.Limits, err = router.Limits(o.OfferTables)
	require.NoError(t, err)
	settings.PublicURL = publicURL
	if settings.ResolveEvery == 0 {
		settings.ResolveEvery = 20 * time.Millisecond
	}
	watched := port.Connectors(counting{connectors, w.counted})
	if _, measured := t.(*testing.B); measured {
		watched = connectors
	}
	w.engine, err = engine.New(engine.Deps{Store: store, Connectors: watched, Vault: vault, Presenter: router.Presenter{},
		Clock: w.now, Monotonic: w.now, Metrics: w.counted, Sender: &w.hooks}, settings)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.engine.Close(ctx))
		require.NoError(t, store.Close())
	})

	w.server, err = router.New(router.Deps{Access: w.engine, Payments: w.engine, Admin: w.engine, Webhooks: w.engine.Webhooks, Connectors: connectors,
		Logger: slog.New(slog.NewTextHandler(w.logs, nil))}, o)
	require.NoError(t, err)
	w.handler = checked(t, w.server)

	w.auth, w.secret, w.publishable = w.merchant(merchant)
	profiles, err := w.engine.Profiles(ctx, w.auth)
	require.NoError(t, err)
	w.profile = profiles[0].ID
	return w
}

// merchant makes a merchant with two connector accounts and its keys.
func (w *world) merchant(id string) (account.Auth, string, string) {
	ctx := context.Background()
	m, err := w.engine.CreateMerchant(ctx, account.MerchantInput{ID: id})
	require.NoError(w.t, err)
	auth := account.Auth{MerchantID: id}
	name, never := "test", time.Time{}
	_, key, err := w.engine.CreateAPIKey(ctx, auth, account.APIKeyInput{Name: &name, Expiration: &never})
	require.NoError(w.t, err)
	for _, connector := range []string{"stripe", "adyen"} {
		_, err = w.engine.CreateAccount(ctx, auth, account.AccountInput{Type: "payment_processor", Connector: connector,
			Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"k"}`)})
		require.NoError(w.t, err)
	}
	return auth, key.Reveal(), m.PublishableKey
}

// response is an answer with its body read.
type response struct {
	status int
	header http.Header
	body   string
	t      testing.TB
}

func (r response) object() map[string]any {
	var m map[string]any
	require.NoError(r.t, json.Unmarshal([]byte(r.body), &m), r.body)
	return m
}

// error returns the error object of the answer.
func (r response) error() map[string]any {
	e, ok := r.object()["error"].(map[string]any)
	require.True(r.t, ok, r.body)
	return e
}

func (r response) ok() map[string]any {
	r.t.Helper()
	require.Equal(r.t, 200, r.status, r.body)
	return r.object()
}

// send makes a request. Without a key, it sends no api-key. headers are pairs of name and value.
func (w *world) send(method, path, key, body string, headers ...string) response {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("api-key", key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	got := rec.Result()
	b, err := io.ReadAll(got.Body)
	require.NoError(w.t, err)
	return response{got.StatusCode, got.Header, string(b), w.t}
}

func (w *world) post(path, body string) response { return w.send("POST", path, w.secret, body) }
func (w *world) get(path string) response        { return w.send("GET", path, w.secret, "") }

// payments returns the number of stored payments.
func (w *world) payments() int {
	return int(w.get("/payments/list?limit=100").ok()["size"].(float64))
}

func readFile(t testing.TB, name string) string {
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// with sets dotted paths of a JSON object to JSON values; the value "-" removes.
func with(object string, changes ...string) string {
	var m map[string]any
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		panic(err)
	}
	for i := 0; i < len(changes); i += 2 {
		path := strings.Split(changes[i], ".")
		at := m
		for _, p := range path[:len(path)-1] {
			next, _ := at[p].(map[string]any)
			if next == nil {
				next = map[string]any{}
				at[p] = next
			}
			at = next
		}
		last := path[len(path)-1]
		if changes[i+1] == "-" {
			delete(at, last)
			continue
		}
		at[last] = json.RawMessage(changes[i+1])
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// full is a create request with almost every field, 1.2 KB.
const full = `{"amount":6540,"currency":"USD","confirm":true,"capture_method":"automatic","amount_to_capture":6540,
"customer_id":"cus_1","email":"guest@example.com","name":"John Doe","phone":"999999999","phone_country_code":"+1",
"description":"Its my first payment request","authentication_type":"no_three_ds","return_url":"https://example.com/return",
"payment_method":"card","payment_method_type":"credit","payment_method_data":{"card":{"card_number":"4242424242424242",
"card_exp_month":"10","card_exp_year":"50","card_holder_name":"joseph Doe","card_cvc":"123"}},
"billing":{"address":{"line1":"1467","line2":"Harrison Street","line3":"Harrison Street","city":"San Fransico","state":"California",
"zip":"94122","country":"US","first_name":"joseph","last_name":"Doe"},"phone":{"number":"8056594427","country_code":"+91"}},
"shipping":{"address":{"line1":"1467","line2":"Harrison Street","line3":"Harrison Street","city":"San Fransico","state":"California",
"zip":"94122","country":"US","first_name":"joseph","last_name":"Doe"},"phone":{"number":"8056594427","country_code":"+91"}},
"statement_descriptor_name":"joseph","statement_descriptor_suffix":"JS","metadata":{"udf1":"value1","new_customer":"true","login_date":"2019-09-10T10:11:12Z"},
"routing":{"type":"single","data":"stripe"},
"browser_info":{"user_agent":"Mozilla/5.0","accept_header":"text/html","language":"en-GB","color_depth":24,"screen_height":1440,
"screen_width":2560,"time_zone":-330,"java_enabled":true,"java_script_enabled":true,"ip_address":"127.0.0.1"}}`

// plain is a create request with a card and the required fields.
const plain = `{"amount":1000,"currency":"EUR","confirm":true,"return_url":"https://example.com/return","payment_method":"card",
"payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"123"}}}`

// newRequest parses a request as a server does, and returns an error if a server would refuse it.
func newRequest(method, path, body string) (*http.Request, error) {
	raw := method + " " + path + " HTTP/1.1\r\nHost: switch.test\r\nContent-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	return http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
}

func record(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

// costly skips a test that costs many seconds of a processor, unless TEST_ALL is set. make test sets it, so that go test alone ends in two minutes.
func costly(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too")
	}
}
