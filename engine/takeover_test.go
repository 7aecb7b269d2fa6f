package engine_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// holding makes the processor act on each POST and keep its answer back until end is closed; arrived gets a value for each.
func (p *processor) holding() (arrived chan struct{}, end chan struct{}) {
	arrived, end = make(chan struct{}, 16), make(chan struct{})
	handler := p.Config.Handler
	p.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" {
			handler.ServeHTTP(discard{}, r)
			arrived <- struct{}{}
			<-end
			panic(http.ErrAbortHandler)
		}
		handler.ServeHTTP(rw, r)
	})
	return arrived, end
}

type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) WriteHeader(int)             {}

// keyed makes the request of an Idempotency-Key.
func (w *world) keyed(t testing.TB, key string) (auth account.Auth, finish func()) {
	t.Helper()
	auth = w.auth
	stored, store, _, err := w.BeginIdempotent(context.Background(), &auth, key, []byte("body"))
	require.NoError(t, err)
	require.Nil(t, stored)
	return auth, func() {
		t.Helper()
		require.NoError(t, store(context.Background(), idempotency.Answer{Status: 200}))
	}
}

// The repeat of a request whose node was killed takes its work over and answers with the payment: at once on the same node, which does not wait for
// the lease, and on another node when the lease has ended.
func TestRepeatTakesOverADeadNode(t *testing.T) {
	restarted := engine.Options{Node: "n1", SoleNode: true, LockWait: 20 * time.Second} // the lease lasts for 60 seconds
	other := engine.Options{Node: "n2", LeaseTime: quick.LeaseTime, LockWait: 20 * time.Second}
	for name, c := range map[string]struct {
		first, second engine.Options
		id            string
	}{
		"the same node":                 {restarted, restarted, ""},
		"the same node, own payment_id": {restarted, restarted, "order_1"},
		"another node":                  {engine.Options{Node: "n1", LeaseTime: quick.LeaseTime}, other, ""},
		"another node, own payment_id":  {engine.Options{Node: "n1", LeaseTime: quick.LeaseTime}, other, "order_1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			arrived, end := p.holding()
			adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
			c.first.SettleTimeout = 100 * time.Millisecond
			a := newWorldWith(t, c.first, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
			a.shopAccount(p.URL)
			in := func() *request.Input { return sale(100, visa, func(in *request.Input) { in.PaymentID = c.id }) }
			auth, _ := a.keyed(t, "k1")
			done := make(chan struct{})
			go func() { defer close(done); a.CreatePayment(context.Background(), auth, in()) }()
			<-arrived
			defer func() { close(end); <-done }()
			require.NoError(t, a.db.Close()) // the remaining goroutines of this process do nothing more

			b := newWorldWith(t, c.second, plugins.NativeConnectors(adapters), a.file)
			if c.second.LeaseTime > 0 {
				outlive(b)
			}
			b.running()
			auth, finish := b.keyed(t, "k1")
			v, err := b.CreatePayment(t.Context(), auth, in())
			require.NoError(t, err)
			finish()
			require.Equal(t, payment.Succeeded, v.Payment.Status)
			if c.id != "" {
				require.Equal(t, c.id, v.Payment.ID)
			}
			require.Equal(t, 1, p.count("POST"))
			require.Len(t, b.operations(v.Payment.ID), 1)
		})
	}
}

// Another call on the payment of a dead node waits for what becomes of its operation. It is not refused for the status of the moment.
func TestOtherCallsWaitForTheTakeOver(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	arrived, end := p.holding()
	adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
	o := engine.Options{Node: "n1", SoleNode: true, LockWait: 20 * time.Second, SettleTimeout: 100 * time.Millisecond}
	a := newWorldWith(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(p.URL)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.CreatePayment(context.Background(), a.auth, sale(100, visa, func(in *request.Input) { in.PaymentID = "order_1" }))
	}()
	<-arrived
	defer func() { close(end); <-done }()
	require.NoError(t, a.db.Close())
	o.ResolveEvery = time.Hour // the call itself wakes the background work
	b := newWorldWith(t, o, plugins.NativeConnectors(adapters), a.file)
	b.running()
	_, err := b.CancelPayment(t.Context(), b.auth, "order_1", "")
	require.ErrorContains(t, err, "You cannot cancel this payment because it has status succeeded")
}

// A restarted node takes over the work of the process before it, and leaves that of a living node alone.
func TestRestartBesideALivingNode(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	arrived, end := p.holding()
	adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
	named := func(node string) engine.Options {
		return engine.Options{Node: node, SoleNode: true, ResolveEvery: 20 * time.Millisecond, LockWait: 100 * time.Millisecond, SettleTimeout: 100 * time.Millisecond}
	}
	dead := newWorldWith(t, named("n1"), plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	dead.shopAccount(p.URL)
	living := newWorldWith(t, named("n2"), plugins.NativeConnectors(adapters), dead.file)
	done := make(chan struct{}, 2)
	for id, w := range map[string]*world{"of_the_dead": dead, "of_the_living": living} {
		auth, _ := w.keyed(t, id)
		go func() {
			defer func() { done <- struct{}{} }()
			w.CreatePayment(context.Background(), auth, sale(100, visa, func(in *request.Input) { in.PaymentID = id }))
		}()
		<-arrived
	}
	defer func() { <-done; <-done }()
	defer close(end)
	require.NoError(t, dead.db.Close())

	again := newWorldWith(t, named("n1"), plugins.NativeConnectors(adapters), dead.file)
	again.running()
	again.eventually("of_the_dead", payment.Succeeded)
	op := again.operations("of_the_living")[0]
	require.Equal(t, payment.OperationStarted, op.Status)
	require.Equal(t, "n2", op.Owner)
	require.True(t, op.LeaseUntil.After(op.StartedAt))
	auth := again.auth
	_, _, _, err := again.BeginIdempotent(t.Context(), &auth, "of_the_living", []byte("body"))
	require.Equal(t, "HE_00", code(t, err), "the living node answers it")
	require.Equal(t, 2, p.count("POST"))
}

// A process keeps the Idempotency-Key of a request that it still answers, also when the lease has ended.
func TestLivingRequestKeepsItsKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{Node: "n1", SoleNode: true, LeaseTime: time.Millisecond, LockWait: 100 * time.Millisecond}, nil)
	_, finish := w.keyed(t, "k1")
	auth := w.auth
	_, _, _, err := w.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
	require.Equal(t, "HE_00", code(t, err))
	finish()
	stored, _, _, err := w.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
	require.NoError(t, err)
	require.NotNil(t, stored)
}

// A repeat that comes as soon as the first request's key is durable finds that this process answers it.
func TestRepeatAtTheSameInstant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, nil)
	s := &storeBetween{Store: w.db}
	o := quick
	o.Node, o.SoleNode = "n1", true
	e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(nil), Vault: w.vault, Presenter: presenter{}}, o)
	require.NoError(t, err)
	repeat := func() {
		auth := w.auth
		_, _, _, err := e.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
		require.Equal(t, "HE_00", code(t, err))
	}
	s.written.Store(&repeat)
	auth := w.auth
	_, _, _, err = e.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
	require.NoError(t, err)
	require.Nil(t, s.written.Load())
}

// Two nodes answer the same request: one was suspended for longer than the lease and goes on. Each gets the one result.
func TestSameRequestAtTwoNodes(t *testing.T) {
	t.Parallel()
	o := engine.Options{LeaseTime: time.Millisecond, LockWait: 100 * time.Millisecond}
	a := newWorld(t, o, nil)
	a.account("simulator", "")
	b := a.second(o, map[string]*sdk.Adapter{"simulator": simulatorAdapter()})
	auths := func(key string) (suspended, repeat account.Auth, finish func()) {
		suspended = a.auth
		_, late, abandon, err := a.BeginIdempotent(t.Context(), &suspended, key, []byte("body"))
		require.NoError(t, err)
		time.Sleep(5 * time.Millisecond) // the lease ends
		repeat, store := b.keyed(t, key)
		require.True(t, repeat.Repeated)
		require.Equal(t, suspended.RequestToken, repeat.RequestToken)
		return suspended, repeat, func() {
			err := late(t.Context(), idempotency.Answer{Status: 200})
			var refused *fault.Error
			require.ErrorAs(t, err, &refused, "the other node has the key")
			require.Equal(t, fault.KindUnavailable, refused.Kind, "the caller repeats the request")
			abandon(t.Context())
			_, _, _, err = b.BeginIdempotent(t.Context(), &account.Auth{MerchantID: "m1"}, key, []byte("body"))
			require.Equal(t, "HE_00", code(t, err), "what another node answers is not given up")
			store()
		}
	}
	for _, id := range []string{"", "order_1"} {
		in := func() *request.Input {
			return sale(1000, visa, multiple, func(in *request.Input) { in.PaymentID = id })
		}
		suspended, repeat, finish := auths("create" + id)
		v, err := b.CreatePayment(t.Context(), repeat, in())
		require.NoError(t, err)
		finish()
		again, err := a.CreatePayment(t.Context(), suspended, in())
		require.NoError(t, err)
		require.Equal(t, v.Payment.ID, again.Payment.ID)
		require.Len(t, a.operations(v.Payment.ID), 1, "authorized once")

		suspended, repeat, finish = auths("capture" + id)
		part := &request.CaptureInput{Amount: ptr(int64(300))}
		_, err = b.CapturePayment(t.Context(), repeat, v.Payment.ID, part)
		require.NoError(t, err)
		finish()
		v, err = a.CapturePayment(t.Context(), suspended, v.Payment.ID, part)
		require.NoError(t, err)
		require.EqualValues(t, 300, v.Payment.Received, "captured once")
	}
	whole := a.pay(sale(1000, visa))
	suspended, repeat, finish := auths("refund")
	in := &request.RefundInput{PaymentID: whole.Payment.ID, Amount: ptr(int64(400)), Type: payment.RefundInstant}
	f, err := b.CreateRefund(t.Context(), repeat, in)
	require.NoError(t, err)
	finish()
	again, err := a.CreateRefund(t.Context(), suspended, in)
	require.NoError(t, err)
	require.Equal(t, f.ID, again.ID, "refunded once")
	require.EqualValues(t, 400, a.get(whole.Payment.ID, request.RetrieveInput{}).Payment.Refunded)
}

// lockedStore refuses the next writes as a database does that another program has locked.
type lockedStore struct {
	engine.Store
	passes, refuses int // writes to let through, and writes to refuse after them
}

func (s *lockedStore) Update(ctx context.Context, f func(engine.Tx) error) error {
	if s.passes--; s.passes < 0 && s.refuses > 0 {
		s.refuses--
		return fault.ErrLocked
	}
	return s.Store.Update(ctx, f)
}

// A payment that finds the database locked is refused with "try again", and the repeat performs it at once. That holds although the lock also kept the key
// from being given back.
func TestRepeatAfterALockedDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t, quick, nil)
	w.account("simulator", "")
	o := quick
	o.Node, o.SoleNode = "n1", true
	s := &lockedStore{Store: w.db, passes: 100}
	e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulatorAdapter()}), Vault: w.vault,
		Presenter: presenter{}}, o)
	require.NoError(t, err)
	s.passes, s.refuses = 1, 2 // the key is taken; the payment and the end of the key are refused
	auth := w.auth
	_, _, abandon, err := e.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
	require.NoError(t, err)
	_, err = e.CreatePayment(t.Context(), auth, sale(100, visa))
	var told *fault.Error
	require.ErrorAs(t, err, &told)
	require.Equal(t, fault.KindUnavailable, told.Kind)
	abandon(t.Context())
	require.Zero(t, s.refuses)
	auth = w.auth
	stored, _, _, err := e.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
	require.NoError(t, err)
	require.Nil(t, stored)
	v, err := e.CreatePayment(t.Context(), auth, sale(100, visa))
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, v.Payment.Status)
	require.Len(t, w.operations(v.Payment.ID), 1)
}

// unsureStore fails the next writes with errors. Writes that fail with ErrOutcome happen.
type unsureStore struct {
	engine.Store
	fails []error
}

func (s *unsureStore) Update(ctx context.Context, f func(engine.Tx) error) error {
	if len(s.fails) == 0 {
		return s.Store.Update(ctx, f)
	}
	fail := s.fails[0]
	s.fails = s.fails[1:]
	if errors.Is(fail, fault.ErrOutcome) {
		if err := s.Store.Update(ctx, f); err != nil {
			return err
		}
	}
	return fail
}

// An answer is stored although the database was away for a moment. If it cannot be stored, the caller learns that it shall repeat the request, and the repeat
// goes on with the same token: two answers to one key would contradict each other.
func TestAnswerWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	diskFull := errors.New("disk full")
	for name, c := range map[string]struct {
		fails []error
		want  error
	}{
		"away":               {[]error{fault.ErrAway, fault.ErrLocked, fault.ErrAway}, nil},
		"not confirmed":      {[]error{fault.ErrOutcome}, nil},
		"away and confirmed": {[]error{fault.ErrAway, fault.ErrOutcome, fault.ErrOutcome}, nil},
		"broken":             {[]error{diskFull}, diskFull},
		"away for long":      {slices.Repeat([]error{fault.ErrAway}, 40), fault.ErrAway},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, quick, nil)
			o := quick
			o.Node, o.SoleNode = "n1", true
			s := &unsureStore{Store: w.db}
			e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(nil), Vault: w.vault, Presenter: presenter{}}, o)
			require.NoError(t, err)
			auth := w.auth
			_, finish, abandon, err := e.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
			require.NoError(t, err)
			first := idempotency.Answer{Status: 200, Body: []byte(`"first"`)}
			s.fails = c.fails
			err = finish(t.Context(), first)
			s.fails = nil
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
				abandon(t.Context())
				repeat := w.auth
				stored, _, _, err := e.BeginIdempotent(t.Context(), &repeat, "k1", []byte("body"))
				require.NoError(t, err)
				require.Nil(t, stored)
				require.Equal(t, auth.RequestToken, repeat.RequestToken)
				return
			}
			require.NoError(t, err)
			repeat := w.auth
			stored, _, _, err := e.BeginIdempotent(t.Context(), &repeat, "k1", []byte("body"))
			require.NoError(t, err)
			require.Equal(t, &first, stored)
		})
	}
}
