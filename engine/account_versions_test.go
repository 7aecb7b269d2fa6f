package engine_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// mall is a processor with several accounts, each with books of its own. A key opens one account: "a1" and "a2" open account a.
type mall struct {
	*httptest.Server
	mu      sync.Mutex
	books   map[string]map[string]*booked // account → reference
	seen    []string                      // "key operation reference" of every request
	revoked map[string]bool               // keys
	how     string                        // "": answers; "hang": acts on an authorization, and drops the answer; "drop": does not act
}

type booked struct {
	State    string `json:"state"`
	Amount   int64  `json:"amount"`
	Refunded int64  `json:"refunded"`
}

func newMall(t *testing.T) *mall {
	m := &mall{books: map[string]map[string]*booked{}, revoked: map[string]bool{}}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Server.CloseClientConnections)
	t.Cleanup(m.Server.Close)
	return m
}

func (m *mall) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount    int64
		Reference string
	}
	json.NewDecoder(r.Body).Decode(&in)
	op, key := strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get("X-Key")
	if r.Method == "GET" {
		in.Reference = r.URL.Query().Get("reference")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, key+" "+op+" "+in.Reference)
	if m.revoked[key] {
		w.WriteHeader(401)
		return
	}
	books := m.books[key[:1]]
	if books == nil {
		books = map[string]*booked{}
		m.books[key[:1]] = books
	}
	b := books[in.Reference]
	if op == "authorize" && m.how == "drop" {
		panic(http.ErrAbortHandler)
	}
	switch {
	case b == nil && op != "authorize":
		w.WriteHeader(404)
		return
	case b == nil:
		b = &booked{State: "authorized", Amount: in.Amount}
		books[in.Reference] = b
	case op == "capture":
		b.State = "captured"
	case op == "void":
		b.State = "voided"
	case op == "refund":
		b.Refunded += in.Amount
	}
	if op == "authorize" && m.how == "hang" {
		panic(http.ErrAbortHandler)
	}
	json.NewEncoder(w).Encode(b)
}

func (m *mall) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// keys returns the keys with which operations came, in order, one for each change; "capture", say, limits them to one operation.
func (m *mall) keys(op string) (out []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.seen {
		if f := strings.Fields(s); op == "" || f[1] == op {
			out = append(out, f[0])
		}
	}
	return slices.Compact(out)
}

// charged counts the payments in the books of all accounts.
func (m *mall) charged() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, books := range m.books {
		n += len(books)
	}
	return n
}

func mallAdapter(rule sdk.ResolveRule) *sdk.Adapter {
	a := shop(rule)
	a.Manifest.Credentials = []sdk.Field{{Name: "key", Key: "api_key", Label: "Key", Type: "secret"}}
	a.Manifest.Authentication = []sdk.Placement{{Secret: "key", In: "header", Field: "X-Key"}}
	a.Manifest.Features.PartialRefund = true
	ask := func(path string) func(c *sdk.Call) (*sdk.Outcome, error) {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			reference := c.Request.TransactionID
			if reference == "" {
				reference = c.Request.Reference
			}
			key := sdk.H("X-Key", c.Account.Credentials["key"])
			s := &sdk.Send{Method: "GET", URL: path + "?reference=" + reference, SafeToRepeat: true, Headers: []sdk.Header{key}}
			if path != "/query" {
				body, _ := json.Marshal(map[string]any{"amount": c.Request.Amount.Minor, "reference": reference})
				s = &sdk.Send{Method: "POST", URL: path, Body: body, Headers: []sdk.Header{key, sdk.H("Content-Type", "application/json")},
					IdempotencyHeader: "Idempotency-Key", SafeToRepeat: true}
			}
			r, err := c.Do(s)
			switch {
			case err != nil:
				return nil, err
			case r.Status == 404:
				return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
			case !r.OK():
				return nil, r.Undecided("no decision")
			}
			o := &sdk.Outcome{Status: sdk.OutcomeStatus(r.JSON().Str("state")), TransactionID: reference}
			if path == "/refund" {
				o.Status, o.RefundID, o.Amount = sdk.StatusRefunded, "re_"+c.OperationID(), &c.Request.Amount
			}
			return o, nil
		}
	}
	a.Authorize, a.Capture, a.Void, a.Sync, a.Refund = ask("/authorize"), ask("/capture"), ask("/void"), ask("/query"), ask("/refund")
	return a
}

func apiKey(key string) secret.Value {
	return secret.New(`{"auth_type":"HeaderKey","api_key":"` + key + `"}`)
}

// mallWorld returns a world with an account at a mall that has the key a1.
func mallWorld(t *testing.T, rule sdk.ResolveRule) (*world, *mall, string) {
	m := newMall(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"mall": mallAdapter(rule)})
	return w, m, w.mallAccount(m)
}

func (w *world) mallAccount(m *mall) string {
	w.t.Helper()
	a, err := w.CreateAccount(w.t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "mall", Credentials: apiKey("a1")})
	require.NoError(w.t, err)
	_, err = w.SetEgress(w.t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: m.URL})
	require.NoError(w.t, err)
	return a.ID
}

// rekey gives a connector account another key.
func (w *world) rekey(id, key string, rotated bool) {
	w.t.Helper()
	_, err := w.UpdateAccount(w.t.Context(), w.auth, id, account.AccountInput{Credentials: apiKey(key), Rotated: rotated})
	require.NoError(w.t, err)
}

// versions returns the stored versions of an account, by rank.
func (w *world) versions(id string) (list []*account.Version) {
	w.t.Helper()
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { list, err = r.AccountVersions("m1", id); return err }))
	return list
}

var resendFirst = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend, sdk.ResolveByReference}, IdempotencyWindowSeconds: 24 * 3600,
	NotFoundFinalAfterSeconds: 1}

// The outcome of an authorization is unknown, and the account gets the key of another account at the processor. Neither the resend nor a
// look-up reaches that other account: the customer is charged once, and the payment shows it.
func TestUnknownAuthorizationStaysAtItsAccount(t *testing.T) {
	for name, rule := range map[string]sdk.ResolveRule{"resend": resendFirst, "query": byReference} {
		for how, charged := range map[string]int{"hang": 1, "drop": 0} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				w, m, id := mallWorld(t, rule)
				m.set(func() { m.how = how })
				v := w.pay(sale(100, visa, manual))
				require.Equal(t, payment.Processing, v.Payment.Status)
				require.Equal(t, charged, m.charged())
				w.rekey(id, "b1", false)
				m.set(func() { m.how = "" })
				w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
				w.pass(40 * time.Second) // "not found" counts by now
				w.running()
				want := payment.RequiresCapture
				if charged == 0 && name == "query" {
					want = payment.Failed
				}
				w.eventually(v.Payment.ID, want)
				require.Equal(t, []string{"a1"}, m.keys(""), "the other account was never asked")
				require.LessOrEqual(t, m.charged(), 1)
			})
		}
	}
}

// The address of the account changes: the new address never gets what was begun at the old one.
func TestUnknownAuthorizationStaysAtItsAddress(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	elsewhere := newMall(t)
	m.set(func() { m.how = "hang" })
	v := w.pay(sale(100, visa, manual))
	_, err := w.SetEgress(t.Context(), w.auth, id, account.EgressInput{BaseURL: elsewhere.URL})
	require.NoError(t, err)
	m.set(func() { m.how = "" })
	w.running()
	w.eventually(v.Payment.ID, payment.RequiresCapture)
	require.Empty(t, elsewhere.keys(""))
	require.Equal(t, 1, m.charged())
	w.pay(sale(100, visa))
	require.Equal(t, []string{"a1"}, elsewhere.keys(""), "new payments go to the new address")
}

// An account of the live environment becomes one of the test environment, and the other way round.
func TestEnvironmentIsPartOfTheAccount(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	o := quick
	o.KeyEnvironment = "prd"
	a := mallAdapter(resendFirst)
	a.Manifest.Environments["live"] = sdk.Environment{BaseURL: "https://live.shop.test", Hosts: []string{"live.shop.test"}}
	was := a.Capture
	var asked []string
	a.Capture = func(c *sdk.Call) (*sdk.Outcome, error) {
		asked = append(asked, c.Account.Environment)
		return was(c)
	}
	w := newWorld(t, o, map[string]*sdk.Adapter{"mall": a})
	id := w.mallAccount(m)
	live := w.pay(sale(100, visa, manual)).Payment.ID
	_, err := w.UpdateAccount(t.Context(), w.auth, id, account.AccountInput{TestMode: ptr(true), Rotated: true})
	require.Equal(t, "IR_06", code(t, err), "they are never the same account")
	_, err = w.UpdateAccount(t.Context(), w.auth, id, account.AccountInput{TestMode: ptr(true)})
	require.NoError(t, err)
	test := w.pay(sale(100, visa, manual)).Payment.ID
	for _, p := range []string{live, test} {
		_, err := w.CapturePayment(t.Context(), w.auth, p, &request.CaptureInput{})
		require.NoError(t, err)
	}
	require.Equal(t, []string{"live", "test"}, slices.Compact(asked))
}

// settled uses every later operation of payments that were made before a change of their account, and returns the keys that did it.
func (w *world) settled(m *mall, captured, voided, refunded string) []string {
	t := w.t
	t.Helper()
	m.set(func() { m.seen = nil })
	v, err := w.CapturePayment(t.Context(), w.auth, captured, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	v, err = w.CancelPayment(t.Context(), w.auth, voided, "over")
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, v.Payment.Status)
	r, err := w.refund(refunded, 40)
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, r.Status)
	var keys []string
	for _, op := range []string{"capture", "void", "refund"} {
		keys = append(keys, m.keys(op)...)
	}
	return keys
}

// made makes three payments: two that hold funds, and one that is captured.
func (w *world) made() (held, other, taken string) {
	return w.pay(sale(100, visa, manual)).Payment.ID, w.pay(sale(100, visa, manual)).Payment.ID, w.took()
}

// took makes a payment and captures it.
func (w *world) took() string {
	w.t.Helper()
	id := w.pay(sale(100, visa, manual)).Payment.ID
	_, err := w.CapturePayment(w.t.Context(), w.auth, id, &request.CaptureInput{})
	require.NoError(w.t, err)
	return id
}

// toKeys gives a connector account these keys, one after the other.
func toKeys(list ...string) func(w *world, id string) {
	return func(w *world, id string) {
		for _, k := range list {
			key, rotated := strings.CutSuffix(k, " rotated")
			w.rekey(id, key, rotated)
		}
	}
}

// Whatever becomes of an account, its payments are captured, voided and refunded where they were made.
func TestLaterOperationsStayAtTheirAccount(t *testing.T) {
	disabled := true
	for name, c := range map[string]struct {
		change func(w *world, id string)
		want   []string
		next   string // the error of a new payment
	}{
		"other key":                      {toKeys("b1"), []string{"a1", "a1", "a1"}, ""},
		"there, back":                    {toKeys("b1", "a1"), []string{"a1", "a1", "a1"}, ""},
		"two others":                     {toKeys("b1", "c1"), []string{"a1", "a1", "a1"}, ""},
		"rotated":                        {toKeys("a2 rotated"), []string{"a2", "a2", "a2"}, ""},
		"twice":                          {toKeys("a2 rotated", "a3 rotated"), []string{"a3", "a3", "a3"}, ""},
		"then another":                   {toKeys("a2 rotated", "b1"), []string{"a2", "a2", "a2"}, ""},
		"only the last step is declared": {toKeys("b1", "b2 rotated"), []string{"a1", "a1", "a1"}, ""},
		"declared later":                 {toKeys("a2", "a1", "a2 rotated"), []string{"a2", "a2", "a2"}, ""},
		"rotated, and back undeclared":   {toKeys("a2 rotated", "a1"), []string{"a1", "a1", "a1"}, ""},
		"disabled": {func(w *world, id string) {
			_, err := w.UpdateAccount(w.t.Context(), w.auth, id, account.AccountInput{Disabled: &disabled})
			require.NoError(w.t, err)
		}, []string{"a1", "a1", "a1"}, "IR_39"},
		"deleted": {func(w *world, id string) {
			require.NoError(w.t, w.DeleteAccount(w.t.Context(), w.auth, id))
		}, []string{"a1", "a1", "a1"}, "IR_39"},
		"rotated, then deleted": {func(w *world, id string) {
			w.rekey(id, "a2", true)
			require.NoError(w.t, w.DeleteAccount(w.t.Context(), w.auth, id))
		}, []string{"a2", "a2", "a2"}, "IR_39"},
		"deleted, and made again with another key": {func(w *world, id string) {
			was, err := w.Account(w.t.Context(), w.auth, id)
			require.NoError(w.t, err)
			require.NoError(w.t, w.DeleteAccount(w.t.Context(), w.auth, id))
			_, err = w.CreateAccount(w.t.Context(), w.auth, account.AccountInput{ID: id, Type: "payment_processor", Connector: "mall",
				Credentials: apiKey("b1")})
			require.NoError(w.t, err)
			_, err = w.SetEgress(w.t.Context(), w.auth, id, account.EgressInput{BaseURL: was.BaseURL})
			require.NoError(w.t, err)
		}, []string{"a1", "a1", "a1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, id := mallWorld(t, resendFirst)
			held, other, taken := w.made()
			c.change(w, id)
			require.Equal(t, c.want, w.settled(m, held, other, taken))
			_, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			if c.next == "" {
				require.NoError(t, err)
			} else {
				require.Equal(t, c.next, code(t, err))
			}
		})
	}
}

// Two accounts at the processor take turns behind one connector account. Each payment stays where it was made.
func TestTwoFingerprintsBackAndForth(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	made := map[string]string{}
	for i, key := range []string{"a1", "b1", "a1", "b1", "b1"} {
		if i > 0 {
			w.rekey(id, key, false)
		}
		made[w.pay(sale(100, visa, manual)).Payment.ID] = key
	}
	for p, key := range made {
		m.set(func() { m.seen = nil })
		_, err := w.CapturePayment(t.Context(), w.auth, p, &request.CaptureInput{})
		require.NoError(t, err)
		require.Equal(t, []string{key}, m.keys(""))
	}
	require.Len(t, w.versions(id), 2, "a version is stored once")
}

// A scheduled refund was recorded, and the account gets another key before the refund is sent.
func TestScheduledRefundStaysAtItsAccount(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	taken := w.took()
	r, err := w.refund(taken, 40, scheduled)
	require.NoError(t, err)
	w.rekey(id, "b1", false)
	w.due(r, payment.RefundScheduleDelay)
	w.running()
	w.refundBecomes(r.ID, payment.RefundSucceeded)
	require.Equal(t, []string{"a1"}, m.keys("refund"))
}

// A payment that had ended without money is asked about at its own account, and funds that turn up are voided there.
func TestLateFundsAreVoidedAtTheirAccount(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, byReference)
	m.set(func() { m.how = "drop" })
	v := w.pay(sale(100, visa, manual))
	w.pass(40 * time.Second)
	v = w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
	require.Equal(t, payment.Failed, v.Payment.Status)
	reference := v.Attempt.Details.Reference
	m.set(func() { // it acted late
		m.how = ""
		m.books["a"] = map[string]*booked{reference: {State: "authorized", Amount: 100}}
		m.books["b"] = map[string]*booked{reference: {State: "authorized", Amount: 100}} // another shop's payment with the same reference
	})
	w.rekey(id, "b1", false)
	w.recheckNow(v.Payment.ID)
	w.running()
	require.Eventually(t, func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.books["a"][reference].State == "voided"
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, []string{"a1"}, m.keys(""))
}

// recheckNow makes the query about a payment that ended without the processor's word due.
func (w *world) recheckNow(paymentID string) {
	w.t.Helper()
	op := w.operations(paymentID)[0]
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		require.False(w.t, fresh.ResolveAt.IsZero())
		fresh.ResolveAt = tx.Now()
		return tx.UpdateOperation(fresh)
	}))
}

// A node dies after the intent is durable, and the account changes before another node recovers the operation.
func TestCrashThenAnotherKey(t *testing.T) {
	t.Parallel()
	w, m, id := mallWorld(t, resendFirst)
	m.set(func() { m.how = "hang" })
	v := w.pay(sale(100, visa, manual))
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error { // as the row is before the first send
		op, err := tx.Operation(w.operations(v.Payment.ID)[0].ID)
		if err != nil {
			return err
		}
		op.Status, op.Owner, op.LeaseUntil = payment.OperationStarted, "dead", tx.Now().Add(-time.Second)
		op.LastSendAt, op.ResolveAt = time.Time{}, time.Time{}
		return tx.UpdateOperation(op)
	}))
	m.set(func() { m.how = "" })
	other := w.second(quick, map[string]*sdk.Adapter{"mall": mallAdapter(resendFirst)})
	other.rekey(id, "b1", false)
	other.running()
	other.eventually(v.Payment.ID, payment.RequiresCapture)
	require.Equal(t, []string{"a1"}, m.keys(""))
	require.Equal(t, 1, m.charged())
}

// Another node, whose cache is older than the change, begins an operation with the old key: its version is kept with the operation.
func TestStaleNodeKeepsItsVersion(t *testing.T) {
	t.Parallel()
	m := newMall(t)
	inBubble(t, func(t *testing.T) {
		adapters := map[string]*sdk.Adapter{"mall": mallAdapter(resendFirst)}
		w := newWorld(t, quick, adapters)
		id := w.mallAccount(m)
		stale := w.second(quick, adapters)
		_, err := stale.Dir.Accounts(t.Context(), "m1")
		require.NoError(t, err)
		w.rekey(id, "b1", false) // the key a1 was never used, so nothing keeps it
		require.Empty(t, w.versions(id))
		v := stale.pay(sale(100, visa, manual))
		_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
		require.NoError(t, err)
		require.Equal(t, []string{"a1"}, m.keys(""))
	}, m.Server)
}

// The credentials of an account without payments are rotated. Another node that has not read this yet begins the account's first payment with the
// old ones. The new ones serve that payment, too.
func TestStaleNodeBeginsTheFirstPayment(t *testing.T) {
	t.Parallel()
	for _, links := range [][]string{{"a2"}, {"a2", "a3"}} {
		m := newMall(t)
		inBubble(t, func(t *testing.T) {
			adapters := map[string]*sdk.Adapter{"mall": mallAdapter(byReference)}
			w := newWorld(t, quick, adapters)
			id := w.mallAccount(m)
			b := w.second(quick, adapters)
			_, err := b.Dir.Accounts(t.Context(), "m1") // from now on it uses its copy for a moment
			require.NoError(t, err)
			for _, key := range links {
				w.rekey(id, key, true)
			}
			v := b.pay(sale(100, visa, manual))
			require.Equal(t, []string{"a1"}, m.keys("authorize"))
			m.set(func() { m.revoked["a1"] = true })
			time.Sleep(10 * time.Second)
			v, err = b.CapturePayment(t.Context(), b.auth, v.Payment.ID, &request.CaptureInput{})
			require.NoError(t, err)
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			require.Equal(t, links[len(links)-1:], m.keys("capture"))
		}, m.Server)
	}
}

// A database from before has accounts and operations without versions. The account's credentials at its first change become the version of all
// of them.
func TestOperationsFromBefore(t *testing.T) {
	for name, change := range map[string]func(w *world, id string) string{
		"other key": func(w *world, id string) string { w.rekey(id, "b1", false); return "a1" },
		"rotated":   func(w *world, id string) string { w.rekey(id, "a2", true); return "a2" },
		"deleted": func(w *world, id string) string {
			require.NoError(w.t, w.DeleteAccount(w.t.Context(), w.auth, id))
			return "a1"
		},
		"a payment first": func(w *world, id string) string {
			w.pay(sale(100, visa, manual))
			w.rekey(id, "b1", false)
			return "a1"
		},
		"nothing": func(*world, string) string { return "a1" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, m, id := mallWorld(t, resendFirst)
			held, other, taken := w.made()
			w.unversion()
			key := change(w, id)
			require.Equal(t, []string{key, key, key}, w.settled(m, held, other, taken))
		})
	}
}

// unversion takes the versions of all rows away, as they are in a database from before.
func (w *world) unversion() {
	w.t.Helper()
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		list, err := tx.Payments("m1", "", request.ListInput{Limit: 100})
		if err != nil {
			return err
		}
		for _, p := range list {
			a, err := tx.Attempt("m1", p.AttemptID)
			if err != nil {
				return err
			}
			ops, err := tx.Operations("m1", p.ID)
			if err != nil {
				return err
			}
			versions, err := tx.AccountVersions("m1", a.AccountID)
			if err != nil {
				return err
			}
			for _, v := range versions {
				if err := tx.DeleteAccountVersion("m1", v.AccountID, v.Fingerprint); err != nil {
					return err
				}
			}
			a.AccountVersion = ""
			if err := tx.UpdateAttempt(a); err != nil {
				return err
			}
			for _, op := range ops {
				op.AccountVersion = ""
				if err := tx.UpdateOperation(op); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// The account changes, or is deleted, while the payer authenticates. A changed account is charged as it was; a deleted one is not charged.
func TestAccountChangesDuringAuthentication(t *testing.T) {
	t.Parallel()
	for name, deleted := range map[string]bool{"changed": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			w := newSecureWorld(t, engine.Options{})
			accounts, err := w.Accounts(t.Context(), w.auth)
			require.NoError(t, err)
			id := accounts[0].ID
			v := w.begun()
			bound := v.Attempt.AccountVersion
			if deleted {
				require.NoError(t, w.DeleteAccount(t.Context(), w.auth, id))
			} else {
				_, err = w.SetEgress(t.Context(), w.auth, id, account.EgressInput{BaseURL: "https://elsewhere.test"})
				require.NoError(t, err)
			}
			w.authenticated(v)
			v = w.done(v.Payment.ID)
			if deleted {
				require.Equal(t, payment.Failed, v.Payment.Status)
				require.Zero(t, w.bank.count())
				return
			}
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			for _, op := range w.operations(v.Payment.ID) {
				if op.Charges() {
					require.Equal(t, bound, op.AccountVersion)
				}
			}
		})
	}
}

// A processor's messages about payments of a deleted account are still read.
func TestMessagesToADeletedAccount(t *testing.T) {
	t.Parallel()
	p, adapter := newProcessor(t), mailing(byReference)
	charge := adapter.Authorize
	adapter.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := charge(c)
		if o != nil {
			o.Status = sdk.StatusAuthorized
		}
		return o, err
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": adapter})
	id := w.mailAccount("shop", p.URL, "").ID
	v := w.pay(sale(100, visa, manual))
	require.Equal(t, payment.RequiresCapture, v.Payment.Status)
	require.NoError(t, w.DeleteAccount(t.Context(), w.auth, id))
	captured := map[string]any{"reference": v.Attempt.Details.Reference, "outcome": sdk.Outcome{Status: sdk.StatusCaptured,
		Amount: &sdk.Money{Minor: 100, Currency: "USD"}}}
	_, err := w.ReceiveWebhook(t.Context(), mail(id, "another secret", captured))
	require.Equal(t, "WE_01", code(t, err))
	_, err = w.ReceiveWebhook(t.Context(), mail(id, hookSecret, captured))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	_, err = w.ReceiveWebhook(t.Context(), mail("mca_other", hookSecret, captured))
	require.Equal(t, "HE_02", code(t, err))
}
