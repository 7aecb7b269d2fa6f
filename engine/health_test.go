package engine_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/plugins"
	"payswitch/sdk"
)

// moodyWorld has a first processor whose status a test sets, and a second one that is well.
type moodyWorld struct {
	*counterWorld
	status *atomic.Int64 // of the first processor's answers
}

// honest says what the processor's status says.
func honest(id string) func(c *sdk.Call) (*sdk.Outcome, error) {
	return func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := ask(c, "POST", "/pay")
		switch {
		case err != nil:
			return nil, err
		case r.Status == 402:
			return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: &sdk.Decline{Code: "51", Message: "no", Reason: sdk.DeclineInsufficientFunds}}, nil
		case r.Status >= 500:
			return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
		}
		return &sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: id}, nil
	}
}

func newMoody(t *testing.T) *moodyWorld {
	status := &atomic.Int64{}
	status.Store(200)
	first := newBooth(t, func(w http.ResponseWriter, r *http.Request) { answers(int(status.Load()))(w, r) })
	return &moodyWorld{newCounters(t, first.URL, clerk("first", honest("tx_1"))), status}
}

// at pays and returns the connector of the attempt.
func (w *moodyWorld) at() (string, *routed.Trace) {
	v := w.pay(sale(1200, visa))
	return v.Attempt.Connector, v.Attempt.Details.Routed
}

func (w *moodyWorld) connector() string { c, _ := w.at(); return c }

// A processor that stops answering loses the payments of the next seconds to another one. When it answers again, trials bring it back.
func TestFailingAccountIsTakenOutAndLetIn(t *testing.T) {
	t.Parallel()
	w := newMoody(t)
	require.Equal(t, "first", w.connector())
	w.status.Store(500)
	for range health.MinFaults {
		v := w.pay(sale(1200, visa))
		require.Equal(t, payment.Processing, v.Payment.Status, "an unknown outcome leads to no other account")
		require.Equal(t, "first", v.Attempt.Connector)
		require.Equal(t, 1, v.Payment.AttemptCount)
	}
	for range 3 {
		at, how := w.at()
		require.Equal(t, "second", at)
		require.Equal(t, []routed.LeftOut{{Account: w.first.ID, Why: routed.LeftHealth}}, how.Left)
		require.Equal(t, 1, how.Place)
	}

	w.pass(health.FirstPause + time.Second)
	at, how := w.at()
	require.Equal(t, "first", at, "one payment tries")
	require.True(t, how.Trial)
	require.Equal(t, "second", w.connector(), "the trial has failed")

	w.pass(3*health.FirstPause + time.Second)
	w.status.Store(200)
	for range health.TrialsNeeded {
		at, how := w.at()
		require.Equal(t, "first", at)
		require.True(t, how.Trial)
	}
	at, how = w.at()
	require.Equal(t, "first", at)
	require.Empty(t, how.Left)
	require.False(t, how.Trial)
}

// Declines, however many, take no account out: a payer with stolen cards must not be able to.
func TestDeclinesTakeNoAccountOut(t *testing.T) {
	t.Parallel()
	w := newMoody(t)
	w.status.Store(402)
	for range 2 * health.FaultsInARow {
		require.Equal(t, "first", w.connector())
	}
	w.status.Store(200)
	require.Equal(t, "first", w.connector())
}

// The last account that can take a payment takes it, out or not. An account that the payment names takes it too.
func TestLastAccountIsNeverOut(t *testing.T) {
	t.Parallel()
	w := newMoody(t)
	w.status.Store(500)
	for range health.MinFaults {
		w.pay(sale(1200, visa))
	}
	require.Equal(t, "second", w.connector())
	named := sale(1200, visa)
	named.Routing = &routed.Preference{Type: "single", Choices: []routed.Choice{{Connector: "first"}}}
	require.Equal(t, "first", w.pay(named).Attempt.Connector)
	yes := true
	_, err := w.UpdateAccount(t.Context(), w.auth, w.backup.ID, account.AccountInput{Disabled: &yes})
	require.NoError(t, err)
	require.Equal(t, "first", w.connector())
	no := false
	_, err = w.UpdateAccount(t.Context(), w.auth, w.backup.ID, account.AccountInput{Disabled: &no})
	require.NoError(t, err)
	require.Equal(t, "second", w.connector())
	w.profileFields(`{"is_account_health_enabled":false}`)
	require.Equal(t, "first", w.connector(), "the profile does not want it")
}

// A declined payment does not go on to an account that is out.
func TestRetryLeavesOutFailingAccounts(t *testing.T) {
	t.Parallel()
	w := newMoody(t)
	w.status.Store(500)
	for range health.MinFaults {
		w.pay(sale(1200, visa))
	}
	w.status.Store(200)
	refuses := newBooth(t, answers(402))
	_, err := w.SetEgress(t.Context(), w.auth, w.backup.ID, account.EgressInput{BaseURL: refuses.URL})
	require.NoError(t, err)
	v := w.pay(sale(1200, visa))
	require.Equal(t, "second", v.Attempt.Connector)
	require.Equal(t, 1, v.Payment.AttemptCount)
}

// What a node knows survives its end, and other nodes learn it.
func TestHealthSurvivesRestart(t *testing.T) {
	t.Parallel()
	w := newMoody(t)
	w.status.Store(500)
	for range health.MinFaults {
		w.pay(sale(1200, visa))
	}
	require.NoError(t, w.Close(t.Context()))
	var rows []*health.Row
	require.NoError(t, w.db.View(t.Context(), func(r engine.Reader) (err error) { rows, err = r.HealthSince(time.Time{}); return err }))
	require.Len(t, rows, 1)
	require.Equal(t, w.first.ID, rows[0].AccountID)
	require.Contains(t, string(rows[0].Counts), `"open":true`)

	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"first": clerk("first", honest("tx_1")), "second": clerk("second", honest("tx_2"))})
	next, err := engine.New(engine.Deps{Store: w.db, Connectors: connectors, Vault: w.vault, Presenter: presenter{}},
		engine.Options{PublicURL: "http://switch.test", ResolveEvery: time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { next.Close(context.Background()) })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go next.Run(ctx)
	require.Eventually(t, func() bool {
		list, err := next.AccountHealth(t.Context(), w.auth, "")
		require.NoError(t, err)
		return list[0].Account.ID == w.first.ID && list[0].Standing == health.Out && list[1].Standing == health.In
	}, 30*time.Second, 5*time.Millisecond, "the next program takes it out, too")
	v, err := next.CreatePayment(t.Context(), w.auth, sale(1200, visa))
	require.NoError(t, err)
	require.Equal(t, "second", v.Attempt.Connector)
}
