package engine_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

var byResend = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 24 * 3600}

// swept waits until the background work has looked for open operations n times from now.
func (w *world) swept(n int) {
	w.t.Helper()
	looks := func() int {
		w.alarms.Lock()
		defer w.alarms.Unlock()
		return w.alarms.runs["resolve"]
	}
	from := looks()
	require.Eventually(w.t, func() bool { return looks() >= from+n }, 20*time.Second, time.Millisecond)
}

// nowAt returns the present time, with what pass has added, at a clock that is off by some time.
func (w *world) nowAt(off time.Duration) time.Time {
	return time.Now().Add(time.Duration(w.passed.Load()) + off)
}

// wallMoved moves the wall clock's reading of t by seconds, and leaves its monotonic reading. Package time has no way to do so: a Time's first word is a flag for
// the monotonic reading, 33 bits of seconds and 30 bits of nanoseconds.
func wallMoved(t time.Time, seconds int64) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(seconds) << 30
	return t
}

// suspended suspends the machine. The database's clock goes on.
func (w *world) suspended(d time.Duration) {
	w.dbClock.Add(int64(d))
	w.slept.Add(int64(d / time.Second))
}

// pass lets time pass for the engine and the database.
func (w *world) pass(d time.Duration) { w.passed.Add(int64(d)) }

// jump moves the clock that the engine and the database read, while no time passes.
func (w *world) jump(by time.Duration) {
	w.dbClock.Add(int64(by))
	w.clock.Add(int64(by))
}

// jumpAhead moves the database's clock of these nodes.
func jumpAhead(nodes ...*world) {
	for _, w := range nodes {
		w.dbClock.Add(int64(2 * time.Hour))
	}
}

// outlive lets time pass at these nodes until the leases of quick have ended. Tests that wait for that need no short leases: a busy machine would not send in time.
func outlive(nodes ...*world) {
	for _, w := range nodes {
		w.pass(quick.LeaseTime + 2*time.Second)
	}
}

// A process does not take over its own operation, and no node takes over that of a living node. This holds when the clock jumps ahead, and when the
// lease has ended at its owner.
func TestNobodyTakesOverWhatIsDriven(t *testing.T) {
	const atOnce = 10
	for name, c := range map[string]struct {
		moves func(nodes ...*world)
		nodes int
		jumps int
	}{
		"the clock jumps, two nodes": {jumpAhead, 2, 1},
		"the lease has ended":        {outlive, 1, 0},
	} {
		for _, refunds := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", refunds ", refunds), func(t *testing.T) {
				t.Parallel()
				p := newCashier(t)
				adapters := map[string]*sdk.Adapter{"shop": refunder(byResend)}
				o := engine.Options{Node: "a", ResolveEvery: 10 * time.Millisecond, LeaseTime: quick.LeaseTime}
				a := newWorld(t, o, adapters)
				a.shopAccount(p.URL)
				worlds := []*world{a}
				if c.nodes == 2 {
					o.Node = "b"
					worlds = append(worlds, a.second(o, adapters))
				}
				v := a.pay(sale(1000, visa))
				for _, w := range worlds {
					w.running()
					w.swept(1)
				}
				hold := make(chan struct{})
				p.set(func() { p.hold, p.holdPay = hold, hold })
				var done sync.WaitGroup
				for range atOnce {
					done.Go(func() {
						if refunds {
							f, err := a.CreateRefund(context.Background(), a.auth, &request.RefundInput{PaymentID: v.Payment.ID, Amount: ptr(int64(100)), Type: payment.RefundInstant})
							if err != nil || f.Status != payment.RefundSucceeded {
								t.Error("refund", err)
							}
							return
						}
						v, err := a.CreatePayment(context.Background(), a.auth, sale(100, visa))
						if err != nil || v.Payment.Status != payment.Succeeded {
							t.Error("payment", err)
						}
					})
				}
				for range atOnce {
					<-p.arrived
				}
				c.moves(worlds...)
				for _, w := range worlds {
					w.swept(5)
				}
				var open []*payment.Operation
				err := a.db.View(t.Context(), func(r engine.Reader) (err error) {
					open, err = r.OperationsWithStatus(nil, []payment.OperationStatus{payment.OperationStarted}, 100)
					return err
				})
				close(hold)
				done.Wait()
				require.NoError(t, err)
				require.Len(t, open, atOnce)
				for _, op := range open {
					require.Equal(t, "a", op.Owner)
				}
				for _, w := range worlds {
					require.Equal(t, c.jumps, w.alarms.all()["clock_jump"])
				}
				_, posts := p.paid()
				if refunds {
					require.Equal(t, atOnce, posts, "nothing is sent twice")
				} else {
					require.Equal(t, 1+atOnce, p.charges(), "nothing is sent twice")
				}
			})
		}
	}
}

// A sweep begins while the clock is calm, the clock jumps, and another loop notices the jump. The sweep then takes no authentication over: the payer is still
// at the bank's page, and the node that asked the bank still works.
func TestSweepAfterAJumpThatAnotherLoopNoticed(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{ResolveEvery: 10 * time.Millisecond, LeaseTime: time.Minute})
	w.a.authenticate = challenged
	v := w.begun()
	w.authenticated(v)
	w.running()
	w.swept(2)
	w.jump(48 * time.Hour)
	require.Eventually(t, func() bool { return w.alarms.all()["clock_jump"] == 1 }, 20*time.Second, time.Millisecond)
	require.NoError(t, w.SweepAuthentications(t.Context()))
	require.Equal(t, payment.RequiresCustomerAction, w.get(v.Payment.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, authentication.Challenge, w.record(v.Payment.ID).State)
}

// A clock that jumps after a payment was read, and before its operation is durable, does not end the operation's lease.
func TestClockJumpsBeforeTheCommit(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	arrived, end := p.holding()
	adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
	w := newWorld(t, quick, adapters)
	w.shopAccount(p.URL)
	id := w.pay(sale(100, visa, func(in *request.Input) { in.Confirm = nil })).Payment.ID
	s := &storeBetween{Store: w.db}
	e, err := engine.New(engine.Deps{Store: s, Connectors: plugins.NativeConnectors(adapters), Vault: w.vault, Presenter: presenter{}}, quick)
	require.NoError(t, err)
	ahead := func() { w.dbClock.Add(int64(2 * time.Hour)) }
	s.step.Store(&ahead)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.ConfirmPayment(context.Background(), w.auth, id, &request.Input{})
	}()
	<-arrived
	now := time.Now().Add(time.Duration(w.dbClock.Load()))
	leased := w.operations(id)[0].Leased(now)
	close(end)
	<-done
	require.True(t, leased)
}

// A jump ahead does not make "not found" believable, neither to the background work nor to a call that asks the processor.
func TestClockJumpIsNoProof(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.hangs.Store(true)
	p.forgets.Store(true)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": shop(byReference)})
	w.shopAccount(p.URL)
	id := w.pay(sale(100, visa)).Payment.ID
	sync := func() payment.Status { return w.get(id, request.RetrieveInput{ForceSync: true}).Payment.Status }
	require.Equal(t, payment.Processing, sync())
	w.jump(2 * time.Hour)
	require.Equal(t, payment.Processing, sync(), "it was sent a moment ago")
	require.Equal(t, 1, w.alarms.all()["clock_jump"])
	p.forgets.Store(false)
	require.Equal(t, payment.Succeeded, sync())
}

// After a jump back, unknown operations are resolved in their time, and not when the clock has caught up: what happened, and what did not. So are
// they by a process that starts after the jump.
func TestClockJumpsBack(t *testing.T) {
	t.Parallel()
	for _, acted := range []bool{true, false} {
		for _, restarts := range []bool{false, true} {
			t.Run(fmt.Sprintf("acted %v, restarts %v", acted, restarts), func(t *testing.T) {
				p := newProcessor(t)
				p.hangs.Store(acted)
				p.dropped.Store(!acted)
				inBubble(t, func(t *testing.T) {
					o := engine.Options{ResolveEvery: time.Second, LeaseTime: 40 * time.Second}
					adapters := map[string]*sdk.Adapter{"shop": shop(byReference)}
					w := newWorldAt(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db", 2*time.Hour)
					w.shopAccount(p.URL)
					id := w.pay(sale(100, visa)).Payment.ID
					require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
					p.dropped.Store(false)
					p.forgets.Store(true)
					if restarts {
						w = w.second(o, adapters)
					} else {
						w.running()
						time.Sleep(5 * time.Second)
						w.jump(-2 * time.Hour)
					}
					p.forgets.Store(false)
					if restarts {
						w.running()
					}
					time.Sleep(12 * time.Minute)
					want := payment.Failed
					if acted {
						want = payment.Succeeded
					}
					require.Equal(t, want, w.get(id, request.RetrieveInput{}).Payment.Status)
				}, p.Server)
			})
		}
	}
}

// severalJumps are clocks that jump more than once while a payment is unknown: the clock's offset at the start, and the jumps.
var severalJumps = map[string]struct {
	start time.Duration
	jumps []time.Duration
}{
	"back in two steps":       {2 * time.Hour, []time.Duration{-110 * time.Minute, -10 * time.Minute}},
	"back, and to the right":  {0, []time.Duration{-2 * time.Hour, 2 * time.Hour}},
	"back, and too far":       {0, []time.Duration{-2 * time.Hour, 4 * time.Hour}},
	"ahead in two steps":      {0, []time.Duration{2 * time.Hour, 10 * time.Minute}},
	"ahead, and to the right": {0, []time.Duration{2 * time.Hour, -2 * time.Hour}},
	"ahead, and too far":      {0, []time.Duration{2 * time.Hour, -4 * time.Hour}},
	"to and fro":              {2 * time.Hour, []time.Duration{-4 * time.Hour, 4 * time.Hour, -2 * time.Hour, time.Minute, -time.Minute}},
}

// After several jumps, "not found" is believed when its time has really passed since the send: not earlier, where the payment exists and the processor does
// not show it yet; and soon after, where it does not exist. So it is for a process that starts between the jumps.
func TestNotFoundAfterSeveralJumps(t *testing.T) {
	t.Parallel()
	const final = 6 * time.Minute
	for name, c := range severalJumps {
		for _, acted := range []bool{true, false} {
			for _, restarts := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, acted %v, restarts %v", name, acted, restarts), func(t *testing.T) {
					t.Parallel()
					p := newProcessor(t)
					p.hangs.Store(acted)
					p.forgets.Store(true)
					inBubble(t, func(t *testing.T) {
						o := engine.Options{ResolveEvery: 2 * time.Second, LeaseTime: 40 * time.Second, ResolvePause: 10 * time.Second}
						adapters := map[string]*sdk.Adapter{"shop": shop(sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: int64(final.Seconds())})}
						w := newWorldAt(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db", c.start)
						w.shopAccount(p.URL)
						ctx, stop := context.WithCancel(t.Context())
						done := make(chan struct{})
						go func() { defer close(done); w.Run(ctx) }()
						time.Sleep(7 * time.Minute)
						p.dropped.Store(!acted)
						sent := time.Now()
						id := w.pay(sale(100, visa)).Payment.ID
						p.dropped.Store(false)
						for i, by := range c.jumps {
							time.Sleep(55 * time.Second)
							w.jump(by)
							if restarts && i == 0 {
								time.Sleep(4 * time.Second)
								stop()
								<-done
								w = newWorldAt(t, o, plugins.NativeConnectors(adapters), w.file, time.Duration(w.clock.Load()))
								w.running()
							}
						}
						time.Sleep(time.Until(sent.Add(final - time.Second)))
						require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status, "the answer comes too early")
						p.forgets.Store(false)
						time.Sleep(5 * time.Minute)
						want := payment.Failed
						if acted {
							want = payment.Succeeded
						}
						require.Equal(t, want, w.get(id, request.RetrieveInput{}).Payment.Status)
						stop()
						<-done
					}, p.Server)
				})
			}
		}
	}
}

// After a jump back an old authorization does not look new: no payer is charged when the processor comes back an hour later.
func TestNobodyIsChargedAfterAJumpBack(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	p.dropped.Store(true)
	inBubble(t, func(t *testing.T) {
		w := newWorldAt(t, engine.Options{ResolveEvery: 5 * time.Second, LeaseTime: 40 * time.Second},
			plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop(byResend)}), t.TempDir()+"/p.db", 2*time.Hour)
		w.shopAccount(p.URL)
		w.running()
		w.pay(sale(100, visa))
		time.Sleep(10 * time.Second)
		w.jump(-2 * time.Hour)
		time.Sleep(time.Hour)
		p.dropped.Store(false)
		time.Sleep(3 * time.Hour)
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Empty(t, p.ledger)
	}, p.Server)
}

// After a jump back and a restart an old authorization does not look new either, whatever the jump was: the process that noticed it has noted by how much.
func TestNobodyIsChargedAfterAJumpBackAndARestart(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{30 * time.Second, 5 * time.Minute, time.Hour} {
		p := newProcessor(t)
		p.dropped.Store(true)
		inBubble(t, func(t *testing.T) {
			o := engine.Options{ResolveEvery: 5 * time.Second, LeaseTime: 40 * time.Second, PayerWait: 30 * time.Second}
			adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop(byResend)})
			w := newWorldAt(t, o, adapters, t.TempDir()+"/p.db", 3*time.Hour)
			w.shopAccount(p.URL)
			stop := w.runs()
			w.pay(sale(100, visa))
			time.Sleep(31 * time.Second)
			w.jump(-back)
			time.Sleep(10 * time.Second)
			stop()
			w = newWorldAt(t, o, adapters, w.file, time.Duration(w.clock.Load()))
			w.running()
			time.Sleep(time.Second)
			p.dropped.Store(false)
			time.Sleep(back + 10*time.Minute)
			p.mu.Lock()
			defer p.mu.Unlock()
			require.Empty(t, p.ledger, back)
		}, p.Server)
	}
}

// A refund is not sent again when the processor has forgotten its key, though the clock has jumped back and the process is another one.
func TestForgottenKeyAfterAJumpBackAndARestart(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		c := newCashier(t)
		inBubble(t, func(t *testing.T) {
			o := engine.Options{ResolveEvery: 10 * time.Second, LeaseTime: 40 * time.Second}
			adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(sdk.ResolveRule{By: byResend.By, IdempotencyWindowSeconds: 3600})})
			w := newWorldAt(t, o, adapters, t.TempDir()+"/p.db", 3*time.Hour)
			w.shopAccount(c.URL)
			stop := w.runs()
			id := w.pay(sale(1000, visa)).Payment.ID
			c.mu.Lock()
			c.act = "drop"
			c.mu.Unlock()
			_, err := w.refund(id, 700, named("r1"))
			require.NoError(t, err)
			time.Sleep(30 * time.Minute)
			w.jump(-20 * time.Minute)
			time.Sleep(10 * time.Second)
			if restarts {
				stop()
				w = newWorldAt(t, o, adapters, w.file, time.Duration(w.clock.Load()))
				w.running()
			}
			time.Sleep(40 * time.Minute)
			c.mu.Lock()
			sent := c.posts
			c.mu.Unlock()
			time.Sleep(time.Hour)
			c.mu.Lock()
			require.Equal(t, sent, c.posts, "the processor has forgotten the key, restarts %v", restarts)
			c.act = "ok"
			c.mu.Unlock()
		}, c.Server)
	}
}

// After a small jump back an old authorization does not look new, neither before nor after the clock has caught up.
func TestNobodyIsChargedAfterASmallJumpBack(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{20 * time.Second, time.Minute} {
		p := newProcessor(t)
		p.dropped.Store(true)
		inBubble(t, func(t *testing.T) {
			w := newWorld(t, engine.Options{ResolveEvery: time.Second, LeaseTime: 40 * time.Second, PayerWait: 30 * time.Second, ResolvePause: 2 * time.Second},
				map[string]*sdk.Adapter{"shop": shop(byResend)})
			w.shopAccount(p.URL)
			w.running()
			time.Sleep(time.Second)
			w.pay(sale(100, visa))
			time.Sleep(time.Second)
			w.jump(-back)
			time.Sleep(31 * time.Second)
			p.dropped.Store(false)
			time.Sleep(time.Hour)
			p.mu.Lock()
			defer p.mu.Unlock()
			require.Empty(t, p.ledger, back)
		}, p.Server)
	}
}

// While the clock has just jumped, nothing expires: a stored answer of an Idempotency-Key survives a clock that is wrong for a moment.
func TestNothingExpiresAtAJump(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: time.Second}, nil)
		_, finish := w.keyed(t, "k1")
		finish()
		w.running()
		time.Sleep(20 * time.Second)
		w.jump(48 * time.Hour)
		time.Sleep(50 * time.Second) // the expiry runs every 12 seconds
		w.jump(-48 * time.Hour)
		auth := w.auth
		stored, _, _, err := w.BeginIdempotent(t.Context(), &auth, "k1", []byte("body"))
		require.NoError(t, err)
		require.NotNil(t, stored)
	})
}

// A start after a small jump back finds the operations that wait for a time from before the jump. It asks about them within a lease time. So does a
// start after a process that had claimed them since the jump.
func TestStartAfterASmallJumpBack(t *testing.T) {
	t.Parallel()
	for _, node := range []string{"a", "b", "a after a claim"} {
		p := newTill(t)
		inBubble(t, func(t *testing.T) {
			o := engine.Options{Node: "a", SoleNode: true, ResolveEvery: time.Second, LeaseTime: 40 * time.Second, ResolvePause: 2 * time.Minute}
			adapters := map[string]*sdk.Adapter{"shop": tillAdapter(resolving(sdk.ResolveByReference))}
			w := newWorldAt(t, o, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db", 9*time.Minute)
			w.shopAccount(p.URL)
			p.set("/void", "drop done")
			p.set("/query", "429")
			id := w.pay(sale(100, visa, manual)).Payment.ID
			_, err := w.CancelPayment(t.Context(), w.auth, id, "")
			require.NoError(t, err)
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() { defer close(done); w.Run(ctx) }()
			time.Sleep(3 * time.Minute)
			stop()
			<-done
			if node == "a after a claim" { // a process that notices the jump claims what is due, and dies
				w.jump(-9 * time.Minute)
				require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
					if err := tx.RecallOperations(drive.Recall{DueBy: tx.Now()}, payment.OperationUnknown); err != nil {
						return err
					}
					ops, err := tx.ClaimOperations("a", tx.Now().Add(o.LeaseTime), 10)
					require.Len(t, ops, 1)
					return err
				}))
			}
			o.Node = node[:1]
			w = w.second(o, adapters)
			p.set("/query", "")
			w.running()
			time.Sleep(90 * time.Second)
			require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status, node)
		}, p.Server)
	}
}

// A relayed refund whose answer was lost does not fail because the clock has jumped ahead: the time from which "not found" is final has not come.
func TestRelayedRefundAfterAJump(t *testing.T) {
	t.Parallel()
	processor := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			panic(http.ErrAbortHandler)
		}
		rw.WriteHeader(http.StatusNotFound)
		rw.Write([]byte(`{}`))
	}))
	t.Cleanup(processor.Close)
	for name, c := range map[string]struct {
		later func(*world, time.Duration)
		want  relay.Status
	}{"jump": {(*world).jump, relay.Pending}, "time has passed": {(*world).pass, relay.Failure}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
			w.shopAccount(processor.URL)
			accounts, err := w.Dir.Accounts(t.Context(), "m1")
			require.NoError(t, err)
			r, err := w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: "tx", AccountID: accounts[0].ID, Type: relay.Refund,
				Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}})
			require.NoError(t, err)
			require.Equal(t, relay.Pending, r.Status)
			c.later(w, 2*time.Hour)
			r, err = w.Relay(t.Context(), w.auth, r.ID, true)
			require.NoError(t, err)
			require.Equal(t, c.want, r.Status)
		})
	}
}
