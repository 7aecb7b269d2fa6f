package engine_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/disputed"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/vault"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
	"payswitch/storage"
	"payswitch/storage/litetest"
)

// world is an engine with everything real but the sandbox: SQLite, vault, and adapters as Go functions.
type world struct {
	vault *vault.Vault
	*engine.Engine
	t       testing.TB
	db      *storage.DB
	file    string
	auth    account.Auth
	pk      account.Auth
	alarms  *alarms
	passed  *atomic.Int64 // time that pass has let pass
	clock   *atomic.Int64 // offset of the engine's clock to real time
	dbClock *atomic.Int64 // offset of the database's clock to real time
	slept   *atomic.Int64 // seconds for which the machine was suspended: the engine's clock shows them, its monotonic reading does not
	profile *account.Profile
	commits *atomic.Int64 // of the database
	stall   *atomic.Int64 // how long the answer to the next commit takes
}

type alarms struct {
	sync.Mutex
	n               map[string]int
	authentications []string // outcomes
	limited         []string // network and result
	exemptions      []string // exemption, route, outcome
	runs            map[string]int
	late            map[string]time.Duration
	oldest          time.Duration // age of the oldest event that waits, and the endpoints that fail: as measured last
	failing         int
}

func (a *alarms) PaymentMoved(payment.Status, string)                                  {}
func (a *alarms) RefundMoved(payment.RefundStatus, string)                             {}
func (a *alarms) OperationDone(string, string, payment.OperationStatus, time.Duration) {}
func (a *alarms) AuthenticationDone(_, _, outcome, _ string, _ time.Duration) {
	a.Lock()
	defer a.Unlock()
	a.authentications = append(a.authentications, outcome)
}
func (a *alarms) ExemptionSettled(_, exemption, route, outcome string) {
	a.Lock()
	defer a.Unlock()
	a.exemptions = append(a.exemptions, exemption+" "+route+" "+outcome)
}
func (a *alarms) Swept(loop string, late, _ time.Duration) {
	a.Lock()
	defer a.Unlock()
	a.runs[loop]++
	a.late[loop] = max(a.late[loop], late)
}
func (a *alarms) RiskRefused(string) {}
func (a *alarms) RetryLimited(network, result string) {
	a.Lock()
	defer a.Unlock()
	a.limited = append(a.limited, network+" "+result)
}
func (a *alarms) AccountMoved(string, bool, int)    {}
func (a *alarms) WebhookSent(string, time.Duration) {}
func (a *alarms) WebhookBacklog(oldest time.Duration, failing int) {
	a.Lock()
	defer a.Unlock()
	a.oldest, a.failing = oldest, failing
}
func (a *alarms) Alarm(kind alarm.Kind) {
	a.Lock()
	defer a.Unlock()
	a.n[string(kind)]++
}
func (a *alarms) all() map[string]int {
	a.Lock()
	defer a.Unlock()
	return maps.Clone(a.n)
}

// inBubble runs a test in a bubble of testing/synctest: the clock starts at the present and jumps whenever all goroutines of the bubble wait.
// The engine, its database and its adapters must be opened inside. Servers are started outside, and close each connection after one
// answer: the clock stands still while a goroutine of the bubble reads from a connection.
func inBubble(t *testing.T, test func(t *testing.T), servers ...*httptest.Server) {
	t.Helper()
	for _, s := range servers {
		s.Config.SetKeepAlivesEnabled(false)
	}
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present)) // bubbles begin in the year 2000
		test(t)
	})
}

type presenter struct{}

func (presenter) PaymentEvent(id, kind string, _ time.Time, v *change.View) ([]byte, error) {
	return json.Marshal(map[string]any{"event_id": id, "event_type": kind, "payment_id": v.Payment.ID, "status": v.Payment.Status, "received": v.Payment.Received})
}

func (presenter) RefundEvent(id, kind string, _ time.Time, r *payment.Refund) ([]byte, error) {
	return json.Marshal(map[string]any{"event_id": id, "event_type": kind, "refund_id": r.ID, "status": r.Status})
}

func (presenter) DisputeEvent(id, kind string, _ time.Time, d *disputed.Record) ([]byte, error) {
	return json.Marshal(map[string]any{"event_id": id, "event_type": kind, "dispute_id": d.ID, "status": d.Status})
}

func TestMain(m *testing.M) { os.Exit(litetest.Run(m)) }

var worldKey = secret.New(base64.StdEncoding.EncodeToString([]byte("0123456789abcdef0123456789abcdef")))

// newWorld opens a world with these adapters by connector name, and the simulator.
func newWorld(t *testing.T, o engine.Options, adapters map[string]*sdk.Adapter) *world {
	all := map[string]*sdk.Adapter{"simulator": simulator.Adapter()}
	maps.Copy(all, adapters)
	return newWorldWith(t, o, plugins.NativeConnectors(all), filepath.Join(t.TempDir(), "p.db"))
}

func newWorldWith(t testing.TB, o engine.Options, c port.Connectors, file string) *world {
	return newWorldAt(t, o, c, file, 0)
}

// newWorldAt is newWorldWith at another time than the present.
func newWorldAt(t testing.TB, o engine.Options, c port.Connectors, file string, offset time.Duration) *world {
	w := &world{t: t, file: file, alarms: &alarms{n: map[string]int{}, runs: map[string]int{}, late: map[string]time.Duration{}}, passed: &atomic.Int64{}, clock: &atomic.Int64{}, dbClock: &atomic.Int64{}, slept: &atomic.Int64{},
		commits: &atomic.Int64{}, stall: &atomic.Int64{}}
	w.jump(offset)
	var err error
	if offset == 0 {
		litetest.Begin(t, file)
	}
	w.db, err = storage.Open(t.Context(), "sqlite:"+file, storage.Options{Migrate: true, Readers: 2, Observer: func(int, time.Duration) { w.commits.Add(1); time.Sleep(time.Duration(w.stall.Swap(0))) },
		Clock: func() time.Time { return w.nowAt(time.Duration(w.dbClock.Load())) }})
	require.NoError(t, err)
	vault, err := engine.OpenVault(t.Context(), w.db, worldKey)
	require.NoError(t, err)
	w.vault = vault
	if o.PublicURL == "" {
		o.PublicURL = "http://switch.test"
	}
	if o.ConfigEvery == 0 {
		o.ConfigEvery = time.Hour // tests that let days pass would look some 200,000 times a day
	}
	w.Engine, err = engine.New(engine.Deps{Store: w.db, Connectors: c, Vault: vault, Presenter: presenter{}, Metrics: w.alarms,
		Clock: func() time.Time { return wallMoved(w.nowAt(time.Duration(w.clock.Load())), w.slept.Load()) }, Monotonic: func() time.Time { return w.nowAt(0) }}, o)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		w.Close(ctx)
		w.db.Close()
	})
	m, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m1"})
	if err != nil { // opened again
		m, err = w.Merchant(t.Context(), "m1")
	}
	require.NoError(t, err)
	w.auth, w.pk = account.Auth{MerchantID: "m1"}, account.Auth{MerchantID: "m1", Publishable: true}
	w.profile, err = w.Profile(t.Context(), w.auth, m.DefaultProfile)
	require.NoError(t, err)
	return w
}

// account adds a connector account to the default profile.
func (w *world) account(connector, metadata string) *account.Account {
	in := account.AccountInput{Type: "payment_processor", Connector: connector, Label: connector + "_" + time.Now().Format(time.RFC3339Nano)}
	if metadata != "" {
		in.Metadata = json.RawMessage(metadata)
	}
	a, err := w.CreateAccount(w.t.Context(), w.auth, in)
	require.NoError(w.t, err)
	return a
}

func ptr[T any](v T) *T { return &v }

func typedCard(number string) *card.Input {
	return &card.Input{Number: secret.New(number), CVC: secret.New("737"), ExpMonth: "10", ExpYear: "50", Holder: secret.New("Joseph Doe")}
}

// sale returns a create request that confirms at once.
func sale(amount int64, number string, change ...func(*request.Input)) *request.Input {
	in := &request.Input{Amount: &amount, Currency: "USD", Confirm: ptr(true), PaymentMethod: "card", Card: typedCard(number), HasMethodData: true,
		ReturnURL: "https://shop.test/done"}
	for _, f := range change {
		f(in)
	}
	return in
}

func manual(in *request.Input)   { in.CaptureMethod = "manual" }
func multiple(in *request.Input) { in.CaptureMethod = "manual_multiple" }
func threeDS(in *request.Input)  { in.AuthenticationType = "three_ds" }

func (w *world) pay(in *request.Input) *change.View {
	w.t.Helper()
	v, err := w.CreatePayment(w.t.Context(), w.auth, in)
	require.NoError(w.t, err)
	return v
}

func (w *world) get(id string, in request.RetrieveInput) *change.View {
	w.t.Helper()
	v, err := w.RetrievePayment(w.t.Context(), w.auth, id, in)
	require.NoError(w.t, err)
	return v
}

// events returns the types of an object's events, oldest first.
func (w *world) events(id string) (out []string) {
	w.t.Helper()
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) error {
		list, err := r.Events("m1", id)
		for _, e := range list {
			out = append(out, e.Type)
		}
		return err
	}))
	return out
}

func (w *world) operations(id string) (out []*payment.Operation) {
	w.t.Helper()
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { out, err = r.Operations("m1", id); return err }))
	return out
}

func code(t *testing.T, err error) string {
	t.Helper()
	var e *fault.Error
	require.ErrorAs(t, err, &e)
	return e.Code
}

func simulatorAdapter() *sdk.Adapter { return simulator.Adapter() }
