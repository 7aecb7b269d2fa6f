package engine_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// intruder writes to the database without the master key, while payswitch runs.
type intruder struct {
	*sql.DB
	w *world
	n int
}

func (w *world) intruder() *intruder {
	db, err := sql.Open("sqlite", "file:"+w.file+"?_pragma=busy_timeout(10000)")
	require.NoError(w.t, err)
	db.SetMaxOpenConns(1)
	w.t.Cleanup(func() { db.Close() })
	return &intruder{DB: db, w: w}
}

// run changes the database and drops the engine's cached configuration.
func (i *intruder) run(query string, args ...any) {
	i.w.t.Helper()
	r, err := i.Exec(query, args...)
	require.NoError(i.w.t, err)
	n, err := r.RowsAffected()
	require.NoError(i.w.t, err)
	require.Positive(i.w.t, n, query)
	i.forget()
}

// forget drops the engine's cached configuration.
func (i *intruder) forget() {
	i.w.t.Helper()
	i.n++
	_, err := i.w.CreateMerchant(i.w.t.Context(), account.MerchantInput{ID: fmt.Sprint("unconcerned_", i.n)})
	require.NoError(i.w.t, err)
}

// noticed reports whether an alarm was raised since the last call.
func (i *intruder) noticed() bool {
	a := i.w.alarms
	a.Lock()
	defer a.Unlock()
	n := a.n["altered_row"]
	delete(a.n, "altered_row")
	return n > 0
}

// refuses requires an internal error and an alarm.
func (i *intruder) refuses(err error) {
	i.w.t.Helper()
	var e *fault.Error
	require.ErrorAs(i.w.t, err, &e)
	require.Equal(i.w.t, fault.KindInternal, e.Kind, err)
	require.True(i.w.t, i.noticed(), "an alarm")
}

// recorder returns a processor that counts the requests that reach it.
func recorder(t *testing.T) (url string, sent *atomic.Int32) {
	sent = new(atomic.Int32)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		sent.Add(1)
		w.Write([]byte(`{"id":"tx_stolen","state":"captured"}`))
	}))
	t.Cleanup(s.Close)
	return s.URL, sent
}

// TestRedirectedAccount changes the address that an account's card numbers and credentials go to. Nothing is sent, neither to the intruder
// nor to the processor.
func TestRedirectedAccount(t *testing.T) {
	t.Parallel()
	stolen, theirs := recorder(t)
	for name, attack := range map[string]func(i *intruder){
		"base_url": func(i *intruder) { i.run(`UPDATE accounts SET base_url = ?`, stolen) },
		"hosts": func(i *intruder) {
			i.run(`UPDATE accounts SET hosts = ?`, `["`+strings.TrimPrefix(stolen, "http://")+`"]`)
		},
		"connector": func(i *intruder) { i.run(`UPDATE accounts SET connector = 'thief'`) },
		"both": func(i *intruder) {
			i.run(`UPDATE accounts SET base_url = ?, hosts = ?`, stolen, `["`+strings.TrimPrefix(stolen, "http://")+`"]`)
		},
		"approved hosts": func(i *intruder) {
			i.run(`UPDATE accounts SET operator = json_set(operator, '$.approvals[0].reach.hosts.test', json(?))`, `["evil.test"]`)
		},
		"plain secrets": func(i *intruder) {
			i.run(`UPDATE accounts SET operator = json_set(operator, '$.approvals[0].plain_secrets', json('true'))`)
		},
		"live environment":     func(i *intruder) { i.run(`UPDATE accounts SET test_mode = 1 - test_mode`) },
		"enabled again":        func(i *intruder) { i.run(`UPDATE accounts SET disabled = 1 - disabled`) },
		"without credentials":  func(i *intruder) { i.run(`UPDATE accounts SET sealed = NULL`) },
		"signature taken away": func(i *intruder) { i.run(`UPDATE accounts SET base_url = ?, signature = NULL`, stolen) },
	} {
		t.Run(name, func(t *testing.T) {
			ours, sent := recorder(t)
			shop, thief := shop(byReference), shop(byReference)
			shop.Manifest.Credentials = []sdk.Field{{Name: "api_key", Label: "Key", Type: "secret"}}
			thief.Manifest.Name, thief.Manifest.Credentials = "thief", shop.Manifest.Credentials
			w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": shop, "thief": thief})
			a, err := w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop",
				Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"sk_secret"}`)})
			require.NoError(t, err)
			_, err = w.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: ours})
			require.NoError(t, err)
			held := w.pay(sale(100, visa))
			require.Equal(t, int32(1), sent.Load())
			i := w.intruder()
			attack(i)
			_, err = w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			i.refuses(err)
			_, err = w.RetrievePayment(t.Context(), w.auth, held.Payment.ID, request.RetrieveInput{ForceSync: true})
			require.NoError(t, err, "what is over can be read")
			require.Equal(t, int32(1), sent.Load(), "nothing left since")
			require.Zero(t, theirs.Load())
			_, err = w.UpdateAccount(t.Context(), w.auth, a.ID, account.AccountInput{Label: "new"})
			i.refuses(err) // an update of another field does not sign the altered row
			_, err = w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			i.refuses(err)
		})
	}
}

// TestAlteredAccountAlone shows that the merchant's other accounts keep working.
func TestAlteredAccountAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	first, second := w.account("simulator", ""), w.account("simulator", "")
	v := w.pay(sale(100, visa, manual))
	require.Equal(t, first.ID, v.Attempt.AccountID)
	i := w.intruder()
	i.run(`UPDATE accounts SET base_url = 'https://evil.test' WHERE id = ?`, first.ID)
	next := w.pay(sale(100, visa))
	require.Equal(t, second.ID, next.Attempt.AccountID)
	require.True(t, i.noticed())
	i.forget()
	_, err := w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
	i.refuses(err)
	require.Equal(t, payment.RequiresCapture, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
}

// copyRow inserts a copy of a row with some columns changed (SQL expressions).
func (i *intruder) copyRow(table, where string, changed map[string]string) {
	i.w.t.Helper()
	var into, from []string
	for _, c := range columnsOf(i.w.t, i.DB, table) {
		if c.name == "seq" {
			continue
		}
		into = append(into, c.name)
		if expr, ok := changed[c.name]; ok {
			from = append(from, expr)
		} else {
			from = append(from, c.name)
		}
	}
	i.run("INSERT INTO " + table + " (" + strings.Join(into, ", ") + ") SELECT " + strings.Join(from, ", ") + " FROM " + table + " WHERE " + where)
}

type column struct{ name, kind string }

func columnsOf(t testing.TB, db *sql.DB, table string) (out []column) {
	rows, err := db.Query(`SELECT name, type FROM pragma_table_info(?)`, table)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var c column
		require.NoError(t, rows.Scan(&c.name, &c.kind))
		out = append(out, c)
	}
	require.NoError(t, rows.Err())
	return out
}

// TestCopiedAccount copies an account to another merchant, with and without its sealed credentials.
func TestCopiedAccount(t *testing.T) {
	t.Parallel()
	for _, sealed := range []string{"sealed", "NULL"} {
		url, sent := recorder(t)
		w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": shop(byReference)})
		w.shopAccount(url)
		m, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
		require.NoError(t, err)
		i := w.intruder()
		i.copyRow("accounts", "merchant_id = 'm1'", map[string]string{"merchant_id": "'m2'", "profile_id": "'" + m.DefaultProfile + "'", "sealed": sealed})
		_, err = w.CreatePayment(t.Context(), account.Auth{MerchantID: "m2"}, sale(100, visa))
		i.refuses(err)
		require.Zero(t, sent.Load())
		w.pay(sale(100, visa))
		require.Equal(t, int32(1), sent.Load(), "the merchant it was copied from goes on")
		require.False(t, i.noticed())
	}
}

// TestStolenKey moves keys to other merchants and customers, and revives revoked keys.
func TestStolenKey(t *testing.T) {
	t.Parallel()
	plain := func(query string) func(*intruder) { return func(i *intruder) { i.run(query) } }
	later := func(w *world, _ *account.APIKey) { w.pass(2 * time.Hour) }
	const apiKey, ephemeral, madeUp = 0, 1, 2
	for name, c := range map[string]struct {
		key    int
		before func(w *world, k *account.APIKey)
		attack func(i *intruder)
	}{
		"another merchant's": {apiKey, nil, plain(`UPDATE api_keys SET merchant_id = 'm2' WHERE merchant_id = 'm1'`)},
		"revived": {apiKey, func(w *world, k *account.APIKey) { require.NoError(t, w.RevokeAPIKey(t.Context(), w.auth, k.ID)) },
			plain(`UPDATE api_keys SET revoked_at = 0 WHERE merchant_id = 'm1'`)},
		"prolonged": {apiKey, later, plain(`UPDATE api_keys SET expires_at = expires_at + 86400000 WHERE merchant_id = 'm1'`)},
		"for ever":  {apiKey, later, plain(`UPDATE api_keys SET expires_at = 0 WHERE merchant_id = 'm1'`)},
		"its hash in another's place": {apiKey, nil, func(i *intruder) {
			var hash []byte
			require.NoError(t, i.QueryRow(`SELECT hash FROM api_keys WHERE merchant_id = 'm1'`).Scan(&hash))
			i.run(`UPDATE api_keys SET hash = x'00' WHERE merchant_id = 'm1'`) // hashes are unique
			i.run(`UPDATE api_keys SET hash = ? WHERE merchant_id = 'm2'`, hash)
		}},
		"another customer's":               {ephemeral, nil, plain(`UPDATE ephemeral_keys SET customer_id = 'd'`)},
		"another merchant's ephemeral key": {ephemeral, nil, plain(`UPDATE ephemeral_keys SET merchant_id = 'm2'`)},
		"prolonged ephemeral key":          {ephemeral, later, plain(`UPDATE ephemeral_keys SET expires_at = expires_at + 86400000`)},
		"a publishable key made up":        {madeUp, nil, plain(`UPDATE merchants SET publishable_key = 'pk_dev_made_up' WHERE id = 'm2'`)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, engine.Options{}, nil)
			_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
			require.NoError(t, err)
			for _, id := range []string{"c", "d"} {
				_, err := w.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: id})
				require.NoError(t, err)
			}
			k, text, err := w.CreateAPIKey(t.Context(), w.auth, account.APIKeyInput{Name: ptr("k"), Expiration: ptr(time.Now().Add(time.Hour))})
			require.NoError(t, err)
			_, another, err := w.CreateAPIKey(t.Context(), account.Auth{MerchantID: "m2"}, account.APIKeyInput{Name: ptr("k"), Expiration: &time.Time{}})
			require.NoError(t, err)
			_, ofCustomer, err := w.CreateEphemeralKey(t.Context(), w.auth, "c")
			require.NoError(t, err)
			for _, key := range []secret.Value{text, another, ofCustomer} {
				_, err := w.Authenticate(t.Context(), key)
				require.NoError(t, err)
			}
			if c.before != nil {
				c.before(w, k)
			}
			i := w.intruder()
			c.attack(i)
			auth, err := w.Authenticate(t.Context(), []secret.Value{text, ofCustomer, secret.New("pk_dev_made_up")}[c.key])
			require.Equal(t, account.Auth{}, auth)
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, fault.KindUnauthorized, e.Kind)
			require.True(t, i.noticed(), "an alarm")
		})
	}
}

// TestRedirectedProfile changes a merchant's return and webhook addresses and its authenticators.
func TestRedirectedProfile(t *testing.T) {
	t.Parallel()
	for _, set := range []string{
		`settings = json_set(settings, '$.ReturnURL', 'https://evil.test')`,
		`settings = json_set(settings, '$.WebhookURL', 'https://evil.test')`,
		`settings = json_set(settings, '$.AuthenticationConnectors', json('["evil"]'))`,
		`settings = json_set(settings, '$.EnableResponseHash', json('false'))`,
		`details = json_set(details, '$.return_url', 'https://evil.test')`,
		`fallback = '[]'`,
		`sealed = NULL`,
		`merchant_id = 'm2'`,
	} {
		t.Run(set, func(t *testing.T) {
			w := newWorld(t, engine.Options{}, nil)
			w.account("simulator", "")
			_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
			require.NoError(t, err)
			v := w.pay(sale(100, visa, manual))
			i := w.intruder()
			if set == `merchant_id = 'm2'` {
				i.run(`UPDATE profiles SET name = 'another' WHERE merchant_id = 'm1'`) // names are unique
			}
			i.run(`UPDATE profiles SET ` + set + ` WHERE merchant_id = 'm1'`)
			if set == `merchant_id = 'm2'` {
				_, err = w.Profiles(t.Context(), account.Auth{MerchantID: "m2"})
				i.refuses(err)
				return
			}
			_, err = w.CreatePayment(t.Context(), w.auth, sale(100, visa))
			i.refuses(err)
			i.forget()
			_, err = w.CapturePayment(t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{})
			i.refuses(err)
			_, err = w.UpdateProfile(t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: account.Fields{"session_expiry": []byte("600")}})
			i.refuses(err)
		})
	}
}

// TestMovedCard moves a typed or saved card to another payment, customer or merchant.
func TestMovedCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	for _, id := range []string{"m2", "m3"} {
		_, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: id})
		require.NoError(t, err)
	}
	unconfirmed := func(in *request.Input) { in.Confirm = nil }
	victim, mallory := w.pay(sale(100, visa, unconfirmed, customer("victim"))), w.pay(sale(100, "5555555555554444", unconfirmed, customer("mallory")))
	saved := w.pay(sale(100, visa, offSession, agreed, customer("victim")))
	require.NotNil(t, saved.Method)
	i := w.intruder()

	// The intruder points the victim's token at mallory's payment.
	var theirs string
	require.NoError(t, i.QueryRow(`SELECT token FROM card_tokens WHERE payment_id = ?`, victim.Payment.ID).Scan(&theirs))
	i.run(`UPDATE card_tokens SET payment_id = ? WHERE token = ?`, mallory.Payment.ID, theirs)
	_, err := w.ConfirmPayment(t.Context(), w.auth, mallory.Payment.ID, &request.Input{PaymentMethod: "card", PaymentToken: theirs})
	i.refuses(err)

	// The intruder moves the saved card with its credential at the processor.
	kind := saved.Method.ID
	i.run(`UPDATE payment_methods SET customer_id = 'mallory' WHERE id = ?`, kind)
	_, err = w.CreatePayment(t.Context(), w.auth, mit(100, kind, customer("mallory")))
	i.refuses(err)
	_, err = w.CustomerMethods(t.Context(), w.auth, "mallory", method.MethodFilter{})
	i.refuses(err)
	i.run(`UPDATE payment_methods SET customer_id = 'victim' WHERE id = ?`, kind)
	require.Equal(t, payment.Succeeded, w.pay(mit(100, kind, customer("victim"))).Payment.Status, "as it was")
	require.False(t, i.noticed())

	i.run(`UPDATE payments SET merchant_id = 'm2' WHERE id = ?`, saved.Payment.ID)
	_, err = w.RetrievePayment(t.Context(), account.Auth{MerchantID: "m2"}, saved.Payment.ID, request.RetrieveInput{})
	i.refuses(err)
	_, err = w.RetrievePayment(t.Context(), w.auth, saved.Payment.ID, request.RetrieveInput{})
	require.Equal(t, "HE_02", code(t, err))

	i.copyRow("payment_methods", "id = '"+kind+"'", map[string]string{"merchant_id": "'m2'"})
	i.copyRow("cards", "id = '"+kind+"'", map[string]string{"merchant_id": "'m2'"})
	_, err = w.PaymentMethod(t.Context(), account.Auth{MerchantID: "m2"}, kind)
	i.refuses(err)
}

// TestMovedPayment moves payments, attempts and operations to other merchants and accounts.
func TestMovedPayment(t *testing.T) {
	t.Parallel()
	theirs, stolen := recorder(t)
	for _, attack := range []string{
		`UPDATE payments SET customer_id = 'mallory' WHERE id = $id`,
		`UPDATE payments SET status = 'requires_capture', capturable = 5000 WHERE id = $id`,
		`UPDATE payments SET amount = 1, net_amount = 1 WHERE id = $id`,
		`UPDATE payments SET client_secret_hash = zeroblob(32) WHERE id = $id`,
		`UPDATE attempts SET account_id = $other WHERE payment_id = $id`,
		`UPDATE attempts SET connector = 'simulator' WHERE payment_id = $id`,
		`UPDATE attempts SET authorized = 100000 WHERE payment_id = $id`,
		`UPDATE attempts SET transaction_id = 'another' WHERE payment_id = $id`,
		`UPDATE operations SET account_id = $other WHERE payment_id = $id`,
		`UPDATE operations SET status = 'not_acted' WHERE payment_id = $id`,
		`UPDATE operations SET last_send_at = 0 WHERE payment_id = $id`,
		`UPDATE operations SET adapter_hash = '' WHERE payment_id = $id`,
		`UPDATE operations SET seed = zeroblob(32) WHERE payment_id = $id`,
		`UPDATE operations SET merchant_id = 'm2', payment_id = 'pay_of_m2' WHERE payment_id = $id`,
	} {
		t.Run(attack, func(t *testing.T) {
			p := newProcessor(t)
			p.dropped.Store(true)
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600})})
			w.shopAccount(p.URL)
			m2, err := w.CreateMerchant(t.Context(), account.MerchantInput{ID: "m2"})
			require.NoError(t, err)
			other, err := w.CreateAccount(t.Context(), account.Auth{MerchantID: "m2"}, account.AccountInput{Type: "payment_processor", Connector: "shop", ProfileID: m2.DefaultProfile})
			require.NoError(t, err)
			_, err = w.SetEgress(t.Context(), account.Auth{MerchantID: "m2"}, other.ID, account.EgressInput{BaseURL: theirs})
			require.NoError(t, err)
			v := w.pay(sale(100, visa, func(in *request.Input) { in.PaymentID = "pay_open" }))
			require.Equal(t, payment.Processing, v.Payment.Status)
			calls := p.count("POST")
			i := w.intruder()
			i.run(strings.NewReplacer("$id", "'pay_open'", "$other", "'"+other.ID+"'").Replace(attack))
			i.run(`UPDATE operations SET due_at = 1, lease_until = 1`)
			w.running()
			require.Eventually(t, i.noticed, 10*time.Second, 5*time.Millisecond)
			time.Sleep(50 * time.Millisecond)
			require.Equal(t, calls, p.count("POST"), "nothing is sent again")
			require.Zero(t, stolen.Load(), "nothing is sent elsewhere")
		})
	}
}
