package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
	"payswitch/plugins"
	"payswitch/sdk"
	"payswitch/storage"
)

// mortal is a node that dies. Afterwards it reaches neither the database, the authenticator nor the processor.
type mortal struct {
	engine.Store
	port.Connectors
	commits atomic.Int64
	// last is the number of commits that the node survives. With after it dies right after the last commit, otherwise at its next write.
	last  int64
	after bool
	dead  atomic.Bool
}

var errDead = errors.New("killed")

func (m *mortal) Update(ctx context.Context, f func(tx engine.Tx) error) error {
	if m.dead.Load() || m.commits.Load() >= m.last {
		m.dead.Store(true)
		return errDead
	}
	err := m.Store.Update(ctx, f)
	if err == nil && m.commits.Add(1) >= m.last && m.after {
		m.dead.Store(true)
	}
	return err
}

func (m *mortal) View(ctx context.Context, f func(r engine.Reader) error) error {
	if m.dead.Load() {
		return errDead
	}
	return m.Store.View(ctx, f)
}

func (m *mortal) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	if m.dead.Load() {
		return &port.DriveResult{}, errDead
	}
	r, err := m.Connectors.Drive(ctx, d)
	if m.dead.Load() {
		return &port.DriveResult{}, errDead // the answer reached no node
	}
	return r, err
}

// client acts as a shop and its payer's browser. It repeats its calls until the payment has ended or the node no longer answers.
func (w *secureWorld) client(id string, in *request.Input, until time.Time) payment.Status {
	ctx := context.Background()
	in.PaymentID = id
	w.CreatePayment(ctx, w.auth, in)
	for time.Now().Before(until) {
		v, err := w.RetrievePayment(ctx, w.auth, id, request.RetrieveInput{})
		if errors.Is(err, errDead) {
			return ""
		}
		if err != nil { // the payment was never stored: the shop sends it again
			w.CreatePayment(ctx, w.auth, in)
			continue
		}
		switch s := v.Payment.Status; s {
		case payment.Succeeded, payment.Failed:
			return s
		case payment.RequiresCustomerAction:
			out, err := w.AuthenticatePayment(ctx, w.auth, id, browserInput(v))
			if err == nil && out.TransStatus == "C" {
				a := w.record(id)
				w.ChallengeNotified(ctx, token(w.a.last(w.t, sdk.OpAuthenticate).Authentication.NotificationURL), cres(a.Details.ServerTransID, "Y"), "")
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return "no end"
}

// A node is killed after every commit, and before every commit that follows an act of the node. The payment ends all the same, and at most
// one authorization happens. (F45, F46.)
func TestKilledBetweenAnyTwoSteps(t *testing.T) {
	for flow, commits := range map[string]int64{"frictionless": 6, "challenge": 10} {
		for _, after := range []bool{true, false} {
			for last := int64(1); last <= commits; last++ {
				t.Run(fmt.Sprintf("%s/%v/%d", flow, after, last), func(t *testing.T) {
					t.Parallel()
					inBubble(t, func(t *testing.T) { killed(t, flow, last, after) })
				})
			}
		}
	}
}

func killed(t *testing.T, flow string, last int64, after bool) {
	file := filepath.Join(t.TempDir(), "p.db")
	a, b := newAuthenticator(), &bank{external: true, rule: sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 1}}
	if flow == "challenge" {
		a.authenticate, a.result = challenged, always("Y")
	}
	o := engine.Options{LeaseTime: 2300 * time.Millisecond, ResolveEvery: 50 * time.Millisecond, LockWait: 4 * time.Second, SettleTimeout: 20 * time.Millisecond,
		PublicURL: "https://switch.test", JournalKeep: -1}
	w := openSecureWorld(t, o, a, b, file)

	db, err := storage.Open(t.Context(), "sqlite:"+file, storage.Options{})
	require.NoError(t, err)
	defer db.Close()
	vault, err := engine.OpenVault(t.Context(), db, worldKey)
	require.NoError(t, err)
	native := plugins.NativeConnectors(map[string]*sdk.Adapter{"bank": b.adapter()})
	m := &mortal{Store: db, Connectors: withAuthenticators{native, map[string]*authenticator{"threedsecureio": a}}, last: last, after: after}
	first, err := engine.New(engine.Deps{Store: m, Connectors: m, Vault: vault, Presenter: presenter{}}, o)
	require.NoError(t, err)
	dying := &secureWorld{world: &world{Engine: first, t: t, db: w.db, auth: w.auth}, a: a, bank: b}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		first.Close(ctx)
	}()
	end := dying.client("pay_killed", sale(6540, visa, external), time.Now().Add(10*time.Second))
	m.dead.Store(true)

	w.running()
	died := end == ""
	if died {
		end = w.client("pay_killed", sale(6540, visa, external), time.Now().Add(25*time.Second))
	}
	t.Logf("killed: %v after %d commits, then %s", died, m.commits.Load(), end)
	v := w.get("pay_killed", request.RetrieveInput{})
	require.Equal(t, end, v.Payment.Status)
	require.LessOrEqual(t, b.count(), 1, "authorized at most once")
	switch v.Payment.Status {
	case payment.Succeeded:
		require.Equal(t, 1, b.count())
	case payment.Failed: // the node died after it recorded that something may have left; the engine proves that nothing had, and reports it
		require.Equal(t, "not_processed", v.Attempt.Details.Error.Code)
		require.Zero(t, b.count())
	default:
		require.Fail(t, "no end", v.Payment.Status)
	}
	told := w.events("pay_killed") // each event is written with its change: no event is lost, and no event comes twice
	require.Equal(t, "action_required", told[0])
	require.Equal(t, "payment_"+string(v.Payment.Status), told[len(told)-1])
	slices.Sort(told)
	require.Equal(t, slices.Compact(slices.Clone(told)), told)
	require.True(t, w.record("pay_killed").State.Ended())
	require.Empty(t, w.record("pay_killed").Instrument)
}

// F47, F48: all calls at once, twenty times each, make one AReq and one authorization.
func TestAuthenticationRaces(t *testing.T) {
	t.Parallel()
	o := quick
	o.LockWait = 30 * time.Second // for the calls that wait for the one that asks
	w := newSecureWorld(t, o)
	w.a.authenticate = challenged
	w.a.result = always("Y")
	v := w.begun()
	w.running()
	var wg sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for range 20 {
		wg.Go(func() {
			out, err := w.AuthenticatePayment(context.Background(), w.auth, v.Payment.ID, browserInput(v))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				answers[err.Error()]++
			} else {
				answers[out.TransStatus+out.ChallengeRequest]++
			}
		})
	}
	wg.Wait()
	require.Len(t, answers, 1, "the same answer for all")
	require.Equal(t, 1, w.a.count(sdk.OpAuthenticate))
	back := token(w.a.last(t, sdk.OpAuthenticate).Authentication.NotificationURL)
	for i := range 40 {
		wg.Go(func() {
			switch i % 4 {
			case 0:
				w.ChallengeNotified(context.Background(), back, cres("server-x", "Y"), "")
			case 1:
				w.AuthorizeReturn(context.Background(), flow.AuthorizeInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "bank", Token: v.Attempt.Private.Invoke.AuthorizeToken, Alone: true})
			case 2:
				w.RetrievePayment(context.Background(), w.auth, v.Payment.ID, request.RetrieveInput{ForceSync: true})
			case 3:
				w.PollStatus(context.Background(), w.pk, flow.PollID(v.Payment.ID))
			}
		})
	}
	wg.Wait()
	require.Equal(t, payment.Succeeded, w.done(v.Payment.ID).Payment.Status)
	require.Equal(t, 1, w.bank.count())
	require.Equal(t, []string{"action_required", "payment_succeeded"}, w.events(v.Payment.ID))
}
