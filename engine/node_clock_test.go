package engine_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// wrongClocks are by how much the machines' clocks of two nodes are wrong: that of the node that sends, and that of the node that asks. The database's is right.
var wrongClocks = [][2]time.Duration{
	{0, 0}, {0, 2 * time.Hour}, {0, -2 * time.Hour}, {2 * time.Hour, 0}, {-2 * time.Hour, 0}, {2 * time.Hour, -2 * time.Hour}, {-2 * time.Hour, 2 * time.Hour},
}

// Where the clock of a node is wrong, "not found" is believed when its time has passed since the send by the database's clock: not earlier, where the payment
// exists and the processor does not show it yet; and soon after, where it does not exist.
func TestNotFoundByAWrongNodeClock(t *testing.T) {
	t.Parallel()
	const final = 6 * time.Minute
	rule := sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: int64(final.Seconds())}
	o := engine.Options{ResolveEvery: 2 * time.Second, LeaseTime: 40 * time.Second, ResolvePause: 10 * time.Second}
	for _, off := range wrongClocks {
		for _, acted := range []bool{true, false} {
			for _, dies := range []bool{true, false} {
				t.Run(fmt.Sprintf("%v and %v, acted %v, the first node dies %v", off[0], off[1], acted, dies), func(t *testing.T) {
					t.Parallel()
					p := newProcessor(t)
					p.hangs.Store(acted)
					p.forgets.Store(true)
					inBubble(t, func(t *testing.T) {
						adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop(rule)})
						w := newWorldWith(t, o, adapters, t.TempDir()+"/p.db")
						w.shopAccount(p.URL)
						w.clock.Store(int64(off[0]))
						stop := w.runs()
						time.Sleep(7 * time.Minute)
						p.dropped.Store(!acted)
						sent := time.Now()
						id := w.pay(sale(100, visa)).Payment.ID
						p.dropped.Store(false)
						if dies {
							stop()
							w = newWorldWith(t, o, adapters, w.file)
							w.clock.Store(int64(off[1]))
							stop = w.runs()
						} else {
							w.clock.Store(int64(off[1])) // the node's own clock jumps
						}
						time.Sleep(time.Until(sent.Add(final - time.Second)))
						require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{ForceSync: true}).Payment.Status, "the answer comes too early")
						p.forgets.Store(false)
						time.Sleep(time.Minute)
						want := payment.Failed
						if acted {
							want = payment.Succeeded
						}
						require.Equal(t, want, w.get(id, request.RetrieveInput{}).Payment.Status)
						stop()
					}, p.Server)
				})
			}
		}
	}
}

// The clock of a node decides neither that a processor remembers an idempotency key, nor that a payer still waits: an authorization is sent again within
// PayerWait by the database's clock, and not later.
func TestResendByAWrongNodeClock(t *testing.T) {
	t.Parallel()
	for _, off := range wrongClocks {
		for _, late := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v and %v, late %v", off[0], off[1], late), func(t *testing.T) {
				t.Parallel()
				p := newProcessor(t)
				p.dropped.Store(true)
				inBubble(t, func(t *testing.T) {
					o := engine.Options{ResolveEvery: time.Second, LeaseTime: 40 * time.Second, PayerWait: 10 * time.Minute}
					w := newWorldWith(t, o, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": shop(byResend)}), t.TempDir()+"/p.db")
					w.shopAccount(p.URL)
					w.clock.Store(int64(off[0]))
					id := w.pay(sale(100, visa)).Payment.ID
					w.clock.Store(int64(off[1]))
					if late {
						time.Sleep(11 * time.Minute)
					} else {
						time.Sleep(5 * time.Minute)
					}
					p.dropped.Store(false)
					w.running()
					time.Sleep(time.Minute)
					want := map[bool]payment.Status{true: payment.Processing, false: payment.Succeeded}[late]
					require.Equal(t, want, w.get(id, request.RetrieveInput{}).Payment.Status)
				}, p.Server)
			})
		}
	}
}

// A relayed refund ends by "not found" when its time has passed by the database's clock, whatever the clock of the node shows.
func TestRelayByAWrongNodeClock(t *testing.T) {
	t.Parallel()
	for _, off := range wrongClocks {
		t.Run(fmt.Sprint(off), func(t *testing.T) {
			t.Parallel()
			p := newProcessor(t)
			p.dropped.Store(true)
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
			w.shopAccount(p.URL)
			w.clock.Store(int64(off[0]))
			a := w.onlyAccount()
			r, err := w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: "tx", AccountID: a.ID, Type: relay.Refund,
				Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}})
			require.NoError(t, err)
			p.dropped.Store(false)
			w.clock.Store(int64(off[1]))
			r, err = w.Relay(t.Context(), w.auth, r.ID, true)
			require.NoError(t, err)
			require.Equal(t, relay.Pending, r.Status, "too early to believe it")
			w.pass(time.Duration(byReference.NotFoundFinalAfterSeconds+60) * time.Second)
			r, err = w.Relay(t.Context(), w.auth, r.ID, true)
			require.NoError(t, err)
			require.Equal(t, relay.Failure, r.Status)
		})
	}
}

func (w *world) onlyAccount() *account.Account {
	w.t.Helper()
	all, err := w.Dir.Accounts(w.t.Context(), "m1")
	require.NoError(w.t, err)
	require.Len(w.t, all, 1)
	return all[0]
}

// A node whose machine was suspended notices at its next look that time has passed. What it sends before that look has the time of the database's clock, so no other
// node believes "not found" at once.
func TestNotFoundAfterASuspension(t *testing.T) {
	t.Parallel()
	const final = 6 * time.Minute
	rule := sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: int64(final.Seconds())}
	o := engine.Options{ResolveEvery: 2 * time.Second, LeaseTime: 40 * time.Second, ResolvePause: 10 * time.Second}
	deaths := maps.Clone(deaths)
	deaths["it lives"] = func(*dying) {}
	for name, set := range deaths {
		for _, relays := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", relays ", relays), func(t *testing.T) {
				t.Parallel()
				p := newProcessor(t)
				p.hangs.Store(true)
				p.forgets.Store(true)
				inBubble(t, func(t *testing.T) {
					adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(rule)})
					d := &dying{Connectors: adapters}
					w := newWorldWith(t, o, d, t.TempDir()+"/p.db")
					w.shopAccount(p.URL)
					other := newWorldAt(t, o, adapters, w.file, 2*time.Hour)
					other.running()
					w.jump(2 * time.Hour) // for the monotonic clock of its machine no time has passed
					set(d)
					sent := time.Now()
					in := sale(100, visa)
					in.PaymentID = "pay_of_a_suspended_node"
					if relays {
						dies(func() {
							w.CreateRelay(context.Background(), w.auth, relay.Input{ResourceID: "tx", AccountID: w.onlyAccount().ID, Type: relay.Refund,
								Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}})
						})
					} else {
						dies(func() { w.CreatePayment(context.Background(), w.auth, in) })
					}
					time.Sleep(time.Until(sent.Add(final - time.Second)))
					if relays {
						require.Equal(t, relay.Pending, other.relayAsked().Status, "the answer comes too early")
						time.Sleep(time.Minute)
						require.Equal(t, relay.Failure, other.relayAsked().Status)
						return
					}
					require.Equal(t, payment.Processing, other.get(in.PaymentID, request.RetrieveInput{ForceSync: true}).Payment.Status, "the answer comes too early")
					time.Sleep(time.Minute)
					require.Equal(t, payment.Failed, other.get(in.PaymentID, request.RetrieveInput{ForceSync: true}).Payment.Status)
				}, p.Server)
			})
		}
	}
}

// relayAsked asks about the only relay of the transaction tx.
func (w *world) relayAsked() *relay.Relay {
	w.t.Helper()
	r, err := w.Relay(w.t.Context(), w.auth, w.relayStored().ID, true)
	require.NoError(w.t, err)
	return r
}

// After a jump of the clock back a relay is asked about, and an operator may end it, within minutes: not once the clock has caught up.
func TestRelayAfterAJumpBack(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{true, false} {
		for _, restarts := range []bool{true, false} {
			p := newProcessor(t)
			p.dropped.Store(true)
			inBubble(t, func(t *testing.T) {
				o := engine.Options{ResolveEvery: 10 * time.Second, LeaseTime: 40 * time.Second}
				adapters := plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(byReference)})
				w := newWorldAt(t, o, adapters, t.TempDir()+"/p.db", 9*time.Hour)
				w.shopAccount(p.URL)
				stop := w.runs()
				_, err := w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: "tx", AccountID: w.onlyAccount().ID, Type: relay.Refund,
					Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}})
				require.NoError(t, err)
				time.Sleep(30 * time.Minute) // questions bring nothing
				w.jump(-3 * time.Hour)
				if restarts {
					stop()
					w = newWorldAt(t, o, adapters, w.file, time.Duration(w.clock.Load()))
					stop = w.runs()
				}
				p.dropped.Store(!asked)
				time.Sleep(40 * time.Minute)
				r := w.relayStored()
				if !asked {
					require.Equal(t, relay.Pending, r.Status)
					_, err = w.ResolveOperation(t.Context(), r.ID, word("not_done"))
					require.NoError(t, err)
					r = w.relayStored()
				}
				require.Equal(t, relay.Failure, r.Status, "asked %v, restarts %v", asked, restarts)
				stop()
			}, p.Server)
		}
	}
}

// relayStored reads the only relay of the transaction tx.
func (w *world) relayStored() *relay.Relay {
	w.t.Helper()
	var list []*relay.Relay
	require.NoError(w.t, w.db.View(w.t.Context(), func(r engine.Reader) (err error) { list, err = r.RelaysOf("m1", w.onlyAccount().ID, "tx"); return err }))
	require.Len(w.t, list, 1)
	return list[0]
}
