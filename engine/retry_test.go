package engine_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

// booth is a processor on loopback. how answers a request; count is the number of requests that arrived.
type booth struct {
	*httptest.Server
	count atomic.Int64
}

func newBooth(t *testing.T, how func(w http.ResponseWriter, r *http.Request)) *booth {
	d := &booth{}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.count.Add(1)
		how(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

func answers(status int) func(w http.ResponseWriter, r *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(`{}`))
	}
}

func drops(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// clerk returns an adapter that asks its processor once, and then says what say says, whatever the processor answered.
func clerk(name string, say func(c *sdk.Call) (*sdk.Outcome, error)) *sdk.Adapter {
	a := shop(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 30})
	a.Manifest.Name = name
	a.Authorize = say
	return a
}

func ask(c *sdk.Call, method, path string) (*sdk.Response, error) {
	return c.Do(&sdk.Send{Method: method, URL: path, Body: []byte(`{}`), IdempotencyHeader: "Idempotency-Key"})
}

// refusal returns a soft decline that another processor may decide otherwise.
func refusal() *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "05", Message: "no", Reason: sdk.DeclineDoNotHonor, RetryElsewhere: true}}
}

func says(o *sdk.Outcome) func(c *sdk.Call) (*sdk.Outcome, error) {
	return func(c *sdk.Call) (*sdk.Outcome, error) {
		ask(c, "POST", "/pay")
		own := *o
		if o.TransactionID != "" { // each payment has its own
			own.TransactionID += "_" + c.Request.Reference
		}
		return &own, nil
	}
}

// counters is a world with a first and a second processor, and retries switched on.
type counterWorld struct {
	*world
	second        *booth
	first, backup *account.Account
}

func newCounters(t *testing.T, url string, first *sdk.Adapter) *counterWorld {
	second := newBooth(t, answers(200))
	good := clerk("second", says(&sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx_2"}))
	first.Manifest.Name = "first"
	w := &counterWorld{world: newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"first": first, "second": good}), second: second}
	w.first, w.backup = w.boothAccount("first", url), w.boothAccount("second", second.URL)
	w.profileFields(`{"is_auto_retries_enabled":true,"max_auto_retries_enabled":3}`)
	return w
}

func (w *world) boothAccount(connector, url string) *account.Account {
	a, err := w.SetEgress(w.t.Context(), w.auth, w.account(connector, "").ID, account.EgressInput{BaseURL: url})
	require.NoError(w.t, err)
	return a
}

func (w *world) profileFields(fields string) {
	var f account.Fields
	require.NoError(w.t, json.Unmarshal([]byte(fields), &f))
	_, err := w.UpdateProfile(w.t.Context(), w.auth, w.profile.ID, account.ProfileInput{Fields: f})
	require.NoError(w.t, err)
}

func (w *world) attempts(id string) []*payment.Attempt {
	return w.get(id, request.RetrieveInput{Attempts: true}).Attempts
}

// A decline that another processor may decide otherwise leads to the second account, within the confirm. The customer gets one answer, and the
// merchant one event.
func TestRetryElsewhere(t *testing.T) {
	t.Parallel()
	first := newBooth(t, answers(402))
	w := newCounters(t, first.URL, clerk("first", says(refusal())))
	v := w.pay(sale(1200, visa))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Equal(t, []string{"second", w.backup.ID}, []string{v.Attempt.Connector, v.Attempt.AccountID})
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Nil(t, v.Attempt.Details.Error)
	list := w.attempts(v.Payment.ID)
	require.Len(t, list, 2)
	require.Equal(t, payment.AttemptFailure, list[0].Status)
	require.Equal(t, "05", list[0].Details.Error.Code)
	require.Equal(t, "first", list[0].Connector)
	require.Equal(t, routed.ByDefault, list[0].Details.Routed.By)
	require.Equal(t, routed.ByRetry, list[1].Details.Routed.By)
	require.Equal(t, []string{"payment_succeeded"}, w.events(v.Payment.ID))
	require.EqualValues(t, []int64{1, 1}, []int64{first.count.Load(), w.second.count.Load()})
	ops := w.operations(v.Payment.ID)
	require.Len(t, ops, 2)
	for _, op := range ops {
		require.Empty(t, op.Instrument, "no card stays behind")
	}
	require.EqualValues(t, 1200, v.Payment.Received)
}

// A saved card without its CVC goes on only to accounts that take it so.
func TestRetryWithoutCVC(t *testing.T) {
	t.Parallel()
	first := newBooth(t, answers(402))
	w := newCounters(t, first.URL, clerk("first", says(refusal())))
	w.pay(sale(1200, visa, onSession, agreed, customer("c"))) // the second account saves the card
	require.EqualValues(t, 1, w.second.count.Load())
	allow := func(a *account.Account) {
		_, err := w.UpdateAccount(t.Context(), w.auth, a.ID, account.AccountInput{Metadata: json.RawMessage(`{"saved_cards_without_cvc":true}`)})
		require.NoError(t, err)
	}
	pay := func() *payment.Payment {
		return w.pay(&request.Input{Amount: ptr(int64(500)), Currency: "USD", CustomerID: "c", Confirm: ptr(true), PaymentMethod: "card",
			PaymentToken: w.methods("c")[0].Token}).Payment
	}
	allow(w.first)
	p := pay()
	require.Equal(t, []any{payment.Failed, 1}, []any{p.Status, p.AttemptCount})
	require.EqualValues(t, 1, w.second.count.Load(), "the second account needs the CVC")
	allow(w.backup)
	p = pay()
	require.Equal(t, []any{payment.Succeeded, 2}, []any{p.Status, p.AttemptCount})
}

// Every account declines: the payment has failed with the last attempt's error, and the manual capture of it has nothing to capture.
func TestRetryExhausted(t *testing.T) {
	t.Parallel()
	first := newBooth(t, answers(402))
	last := refusal()
	last.Decline.Code, last.Decline.Reason = "51", sdk.DeclineInsufficientFunds
	w := &counterWorld{world: newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"first": clerk("first", says(refusal())), "second": clerk("second", says(last))})}
	w.boothAccount("first", first.URL)
	w.boothAccount("second", first.URL)
	w.profileFields(`{"is_auto_retries_enabled":true,"max_auto_retries_enabled":255}`)
	v := w.pay(sale(1200, visa))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, "51", v.Attempt.Details.Error.Code)
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Equal(t, []string{"payment_failed"}, w.events(v.Payment.ID))
	w.profileFields(`{"max_auto_retries_enabled":0}`)
	require.Equal(t, 1, w.pay(sale(1200, visa)).Payment.AttemptCount, "no retries allowed")
	_, err := w.CreateConfigKey(t.Context(), "max_auto_retries_enabled_m1", "1")
	require.NoError(t, err)
	require.Equal(t, 2, w.pay(sale(1200, visa)).Payment.AttemptCount, "the config key wins over the profile")
	w.profileFields(`{"is_auto_retries_enabled":false}`)
	require.Equal(t, 1, w.pay(sale(1200, visa)).Payment.AttemptCount, "switched off")
	_, err = w.CreateConfigKey(t.Context(), "should_call_gsm_m1", "true")
	require.NoError(t, err)
	require.Equal(t, 2, w.pay(sale(1200, visa)).Payment.AttemptCount, "the config key switches them on")
}

// Nothing has left for the first processor: it is down, or its adapter cannot do this. The second takes the payment.
func TestRetryAfterNothingWasSent(t *testing.T) {
	t.Parallel()
	down := newBooth(t, answers(200))
	down.Close()
	for name, say := range map[string]func(c *sdk.Call) (*sdk.Outcome, error){
		"down":                       func(c *sdk.Call) (*sdk.Outcome, error) { _, err := ask(c, "POST", "/pay"); return nil, err },
		"down, and called a decline": says(refusal()),
		"refuses": func(c *sdk.Call) (*sdk.Outcome, error) {
			return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "not this card"}
		},
		"panics": func(c *sdk.Call) (*sdk.Outcome, error) { panic("bug") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newCounters(t, down.URL, clerk("first", say))
			v := w.pay(sale(1200, visa))
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			list := w.attempts(v.Payment.ID)
			require.Len(t, list, 2)
			require.Equal(t, payment.AttemptFailure, list[0].Status)
			require.EqualValues(t, 1, w.second.count.Load())
			require.Equal(t, []string{"payment_succeeded"}, w.events(v.Payment.ID))
		})
	}
}

// The adapter says "declined, try elsewhere", and the processor may have taken the money: the second account is never asked.
func TestNoRetryWithoutProof(t *testing.T) {
	t.Parallel()
	captured := refusal()
	captured.Totals = &sdk.Totals{Captured: 1200}
	approved := refusal()
	approved.AuthCode = "A12345"
	amount := refusal()
	amount.Amount = &sdk.Money{Minor: 1200, Currency: "USD"}
	stolen := refusal()
	stolen.Decline.Reason = sdk.DeclineStolenCard
	duplicate := refusal()
	duplicate.Decline.Reason = sdk.DeclineDuplicate
	advice := refusal()
	advice.Decline.AdviceCode = "03"
	final := refusal()
	final.Decline.RetryElsewhere = false
	thenAsks := func(c *sdk.Call) (*sdk.Outcome, error) {
		ask(c, "POST", "/pay") // cut off
		ask(c, "GET", "/query")
		return refusal(), nil
	}
	for name, c := range map[string]struct {
		how func(w http.ResponseWriter, r *http.Request)
		say func(c *sdk.Call) (*sdk.Outcome, error)
	}{
		"server error":     {answers(500), says(refusal())},
		"gateway time-out": {answers(504), says(refusal())},
		"request time-out": {answers(408), says(refusal())},
		"conflict":         {answers(409), says(refusal())},
		"redirect":         {answers(302), says(refusal())},
		"connection cut":   {drops, says(refusal())},
		"cut, then a query": {func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				drops(w, r)
			}
			w.WriteHeader(404)
		}, thenAsks},
		"500, then a query": {func(w http.ResponseWriter, r *http.Request) {
			if r.Method == "POST" {
				w.WriteHeader(500)
			} else {
				w.WriteHeader(404)
			}
		}, thenAsks},
		"captured in the totals": {answers(402), says(captured)},
		"approval code":          {answers(402), says(approved)},
		"amount":                 {answers(402), says(amount)},
		"stolen card":            {answers(402), says(stolen)},
		"seen before":            {answers(402), says(duplicate)},
		"advice not to try":      {answers(402), says(advice)},
		"final":                  {answers(402), says(final)},
		"pending":                {answers(200), says(&sdk.Outcome{Status: sdk.StatusPending, TransactionID: "tx"})},
		"unknown":                {answers(200), says(&sdk.Outcome{Status: sdk.StatusUnknown})},
		"review":                 {answers(200), says(&sdk.Outcome{Status: sdk.StatusReview, TransactionID: "tx"})},
		"no outcome":             {answers(200), says(nil)},
		"impossible outcome":     {answers(200), says(&sdk.Outcome{Status: sdk.StatusRefunded})},
		"refuses after sending": {answers(402), func(c *sdk.Call) (*sdk.Outcome, error) {
			ask(c, "POST", "/pay")
			return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "no"}
		}},
		"panics after sending": {answers(402), func(c *sdk.Call) (*sdk.Outcome, error) { ask(c, "POST", "/pay"); panic("bug") }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newBooth(t, c.how)
			w := newCounters(t, p.URL, clerk("first", c.say))
			v, err := w.CreatePayment(t.Context(), w.auth, sale(1200, visa))
			if err == nil {
				require.NotEqual(t, payment.Succeeded, v.Payment.Status)
				require.Equal(t, 1, v.Payment.AttemptCount)
				require.Equal(t, "first", v.Attempt.Connector)
			}
			require.Zero(t, w.second.count.Load(), "the second processor was asked: the customer may pay twice")
			require.Positive(t, p.count.Load())
		})
	}
}

// An operator's rule of the error table decides by code and message, but not against the schemes.
func TestRetryByErrorTable(t *testing.T) {
	t.Parallel()
	final := refusal()
	final.Decline.RetryElsewhere = false
	p := newBooth(t, answers(402))
	w := newCounters(t, p.URL, clerk("first", says(final)))
	require.Equal(t, 1, w.pay(sale(1200, visa)).Payment.AttemptCount)
	rule := routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "first", Flow: "Payment", SubFlow: "Authorize", Code: "05", Message: "no"},
		Details: routing.ErrorDetails{Status: "failure", Decision: "retry", UnifiedCode: "UE_7", UnifiedMessage: "ours"}}
	_, err := w.CreateErrorRule(t.Context(), rule)
	require.NoError(t, err)
	v := w.pay(sale(1200, visa))
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	first := w.attempts(v.Payment.ID)[0]
	require.Equal(t, []string{"UE_7", "ours"}, []string{first.Details.Error.UnifiedCode, first.Details.Error.UnifiedMessage})
	_, err = w.UpdateErrorRule(t.Context(), rule.ErrorKey, func(d *routing.ErrorDetails) { d.Decision = "do_default" })
	require.NoError(t, err)
	require.Equal(t, 1, w.pay(sale(1200, visa)).Payment.AttemptCount)
}

// The processor's own table of the network's codes comes first.
func TestRetryByNetworkCode(t *testing.T) {
	t.Parallel()
	final := refusal()
	final.Decline.NetworkCode = "51"
	p := newBooth(t, answers(402))
	w := newCounters(t, p.URL, clerk("first", says(final)))
	text := "Network:Visa|IssuerCode:51"
	_, err := w.CreateErrorRule(t.Context(), routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "first", Flow: "Payment", SubFlow: "Authorize", Code: text, Message: text},
		Details: routing.ErrorDetails{Status: "failure", Decision: "do_default"}})
	require.NoError(t, err)
	require.Equal(t, 1, w.pay(sale(1200, visa)).Payment.AttemptCount)
}

// The time budget of the profile ends the retries, not the payment.
func TestRetryBudget(t *testing.T) {
	t.Parallel()
	p := newBooth(t, answers(402))
	var w *counterWorld
	w = newCounters(t, p.URL, clerk("first", func(c *sdk.Call) (*sdk.Outcome, error) {
		ask(c, "POST", "/pay")
		w.pass(3 * time.Second)
		return refusal(), nil
	}))
	w.profileFields(`{"auto_retries_time_budget":2000}`)
	v := w.pay(sale(1200, visa))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, 1, v.Payment.AttemptCount)
	require.Zero(t, w.second.count.Load())
}

// With the config key, the same account tries a declined payment once more with 3-D Secure. Nothing follows that attempt.
func TestRetryStepsUp(t *testing.T) {
	t.Parallel()
	p := newBooth(t, answers(402))
	var asked []bool
	final := refusal()
	stepping := clerk("first", func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := ask(c, "POST", "/pay")
		if r == nil {
			t.Log(err)
			return nil, err
		}
		asked = append(asked, c.Request.Request3DS)
		return final, nil
	})
	stepping.Manifest.Features.Processor3DS = true
	stepping.Complete = says(final)
	w := newCounters(t, p.URL, stepping)
	_, err := w.CreateErrorRule(t.Context(), routing.ErrorRule{ErrorKey: routing.ErrorKey{Connector: "first", Flow: "Payment", SubFlow: "Authorize", Code: "05", Message: "no"},
		Details: routing.ErrorDetails{Status: "failure", Decision: "retry", StepUp: true}})
	require.NoError(t, err)
	_, err = w.CreateConfigKey(t.Context(), "step_up_enabled_m1", `["first"]`)
	require.NoError(t, err)
	v := w.pay(sale(1200, visa))
	require.Equal(t, payment.Failed, v.Payment.Status)
	require.Equal(t, 2, v.Payment.AttemptCount)
	require.Equal(t, []bool{false, true}, asked, "%+v %+v", v.Attempt.Details.Error, v.Attempt.Details.Routed)
	require.Equal(t, routed.ByStepUp, v.Attempt.Details.Routed.By)
	require.Zero(t, w.second.count.Load())
}

// A request with an Idempotency-Key that comes again finds what the first has done, and does nothing.
func TestRetryRepeated(t *testing.T) {
	t.Parallel()
	p := newBooth(t, answers(402))
	w := newCounters(t, p.URL, clerk("first", says(refusal())))
	auth := w.auth
	auth.RequestToken = "pay_token1234567890"
	v, err := w.CreatePayment(t.Context(), auth, sale(1200, visa))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	auth.Repeated = true
	again, err := w.CreatePayment(t.Context(), auth, sale(1200, visa))
	require.NoError(t, err)
	require.Equal(t, v.Payment.ID, again.Payment.ID)
	require.EqualValues(t, []int64{1, 1}, []int64{p.count.Load(), w.second.count.Load()})
}

// A profile that an older version stored has its retry fields as they were sent, and no settings of them.
func TestRetrySettingsOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	p := newBooth(t, answers(402))
	w := newCounters(t, p.URL, clerk("first", says(refusal())))
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		row, err := tx.Profile("m1", w.profile.ID)
		if err != nil {
			return err
		}
		require.NotZero(t, row.Settings.Retries)
		row.Settings.Retries = account.RetrySettings{}
		return tx.UpdateProfile(row)
	}))
	w.Changed()
	require.Equal(t, 2, w.pay(sale(1200, visa)).Payment.AttemptCount)
}
