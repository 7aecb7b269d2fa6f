package engine_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

const noGuards = `"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,"guest_user_card_blocking_status":"disabled",` +
	`"guest_user_card_blocking_threshold":3,"customer_id_blocking_status":"disabled","customer_id_blocking_threshold":3,"guest_ip_blocking_status":"disabled",` +
	`"guest_ip_blocking_threshold":3,"card_testing_guard_expiry":3600`

// guardedBy switches one counter on, with a threshold of 3.
func (w *world) guardedBy(counter string) {
	config := noGuards
	if counter != "" {
		config = replaced(config, `"`+counter+`_blocking_status":"disabled"`, `"`+counter+`_blocking_status":"enabled"`)
	}
	w.setProfile(`{"card_testing_guard_config":{` + config + `}}`)
}

func replaced(s, old, new string) string {
	for i := 0; i+len(old) <= len(s); i++ {
		if s[i:i+len(old)] == old {
			return s[:i] + new + s[i+len(old):]
		}
	}
	panic(old + " is not in " + s)
}

func from(ip string) func(*request.Input) {
	return func(in *request.Input) { in.Browser = &contact.Browser{Browser: sdk.Browser{IP: ip}} }
}

// refuses reports whether the guard refuses a payment.
func (w *world) refuses(in *request.Input) bool {
	w.t.Helper()
	_, err := w.CreatePayment(w.t.Context(), w.auth, in)
	var known *fault.Error
	if errors.As(err, &known) {
		require.Equal(w.t, []any{"IR_16", "Blocked due to suspicious activity", fault.KindInvalid}, []any{known.Code, known.Message, known.Kind})
		return true
	}
	require.NoError(w.t, err)
	return false
}

// TestTestingGuard: which payments count at which counter, and which are refused.
func TestTestingGuard(t *testing.T) {
	t.Parallel()
	const ip, ip2 = "203.0.113.7", "203.0.113.8"
	for counter, c := range map[string]struct{ fails, refused, passes []func(*request.Input) }{
		"card_ip": {fails: []func(*request.Input){from(ip)},
			refused: []func(*request.Input){from(ip), from("::ffff:203.0.113.7"), func(in *request.Input) { customer("c1")(in); from(ip)(in) },
				func(in *request.Input) { from(ip)(in); in.Card = typedCard("000" + declined) }},
			passes: []func(*request.Input){from(ip2), func(*request.Input) {}, func(in *request.Input) { from(ip)(in); in.Card = typedCard(visa) }}},
		"guest_user_card": {fails: []func(*request.Input){from(ip)}, refused: []func(*request.Input){from(ip2), func(*request.Input) {}},
			passes: []func(*request.Input){customer("c1"), func(in *request.Input) { in.Card = typedCard(visa) }}},
		"customer_id": {fails: []func(*request.Input){customer("c1")}, refused: []func(*request.Input){customer("c1"), func(in *request.Input) { customer("c1")(in); in.Card = typedCard(visa) }},
			passes: []func(*request.Input){customer("c2"), from(ip)}},
		"guest_ip": {fails: []func(*request.Input){from("2001:db8::1")}, refused: []func(*request.Input){from("2001:db8::1"), from("2001:db8:0:0:9:9:9:9"),
			func(in *request.Input) { from("2001:db8::1")(in); in.Card = typedCard(visa) }},
			passes: []func(*request.Input){from("2001:db8:0:1::1"), customer("c1"), func(in *request.Input) { customer("c1")(in); from("2001:db8::1")(in) }}},
	} {
		t.Run(counter, func(t *testing.T) {
			w := newWorld(t, engine.Options{}, nil)
			w.account("simulator", "")
			w.guardedBy(counter)
			for range 3 {
				require.Equal(t, payment.Failed, w.pay(sale(100, declined, c.fails...)).Payment.Status)
			}
			for i, f := range c.refused {
				require.True(t, w.refuses(sale(100, declined, f)), i)
			}
			for i, f := range c.passes {
				require.False(t, w.refuses(sale(100, declined, f)), i)
			}
			w.guardedBy("")
			require.False(t, w.refuses(sale(100, declined, c.fails...)), "switched off")
		})
	}
}

// TestTestingGuardGuestCard: failures of customers count at the card, where guests are checked.
func TestTestingGuardGuestCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.guardedBy("guest_user_card")
	for range 4 {
		w.pay(sale(100, declined, customer("c1")))
	}
	require.True(t, w.refuses(sale(100, declined)))
}

// TestTestingGuardWindow: every failure restarts the window, a success changes nothing, and the refused payment can be confirmed afterwards.
func TestTestingGuardWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.guardedBy("customer_id")
	passes := func(d time.Duration) { w.dbClock.Add(int64(d)) }
	fail := func() { w.pay(sale(100, declined, customer("c1"))) }
	fail()
	passes(50 * time.Minute)
	fail()
	passes(50 * time.Minute)
	require.Equal(t, payment.Succeeded, w.pay(sale(100, visa, customer("c1"))).Payment.Status)
	fail()
	passes(59 * time.Minute)
	_, err := w.CreatePayment(t.Context(), w.auth, sale(100, declined, customer("c1"), func(in *request.Input) { in.PaymentID = "refused" }))
	require.Equal(t, "IR_16", code(t, err))
	v := w.get("refused", request.RetrieveInput{})
	require.Equal(t, payment.RequiresPaymentMethod, v.Payment.Status, "create and confirm leaves the payment")
	require.Empty(t, w.operations("refused"))
	_, err = w.ConfirmPayment(t.Context(), w.auth, "refused", &request.Input{PaymentMethod: "card", Card: typedCard(visa), HasMethodData: true})
	require.Equal(t, "IR_16", code(t, err))
	require.Equal(t, v.Payment.Version, w.get("refused", request.RetrieveInput{}).Payment.Version, "unchanged")
	passes(2 * time.Minute)
	again, err := w.ConfirmPayment(t.Context(), w.auth, "refused", &request.Input{PaymentMethod: "card", Card: typedCard(visa), HasMethodData: true})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, again.Payment.Status, "the window is over")
}

// TestTestingGuardLeaves: what the guard does not count, and what it keeps.
func TestTestingGuardLeaves(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	w.guardedBy("card_ip")
	for range 4 { // the kept card of a create is a token
		v := w.pay(sale(100, declined, from("203.0.113.7"), func(in *request.Input) { in.Confirm = nil }))
		v, err := w.ConfirmPayment(t.Context(), w.auth, v.Payment.ID, &request.Input{})
		require.NoError(t, err)
		require.Equal(t, payment.Failed, v.Payment.Status)
	}
	require.False(t, w.refuses(sale(100, declined, from("203.0.113.7"))))
	require.False(t, w.refuses(sale(100, declined, from("not an address"))))
	guard := w.pay(sale(100, declined, from("203.0.113.7"))).Attempt.Details.Guard
	require.Regexp(t, "^card_ip_[0-9a-f]{64}$", guard.Counters[0])
	require.True(t, guard.Counted)
	require.Zero(t, guard.HeldUntil)
}

// declining returns an adapter that declines every card, and counts the payments that it got. It is slow, so that payments overlap.
func declining(n *atomic.Int64) *sdk.Adapter {
	a := simulatorAdapter()
	whole := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		n.Add(1)
		time.Sleep(20 * time.Millisecond) // within the bubble of synctest
		return whole(c)
	}
	return a
}

// TestTestingGuardRace: of 50 payments at a time with stolen cards, the processor gets no more than the threshold allows, and one more for a second node.
func TestTestingGuardRace(t *testing.T) {
	t.Parallel()
	t.Run("one node", func(t *testing.T) { t.Parallel(); raceGuard(t, 1) })
	t.Run("two nodes", func(t *testing.T) { t.Parallel(); raceGuard(t, 2) })
}

func raceGuard(t *testing.T, nodes int) {
	inBubble(t, func(t *testing.T) {
		var sent atomic.Int64
		connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": declining(&sent)})
		w := newWorldWith(t, engine.Options{}, connectors, filepath.Join(t.TempDir(), "p.db"))
		w.account("simulator", "")
		w.guardedBy("customer_id")
		other := w.nodeBeside(connectors)
		var refused atomic.Int64
		var wg sync.WaitGroup
		for i := range 50 {
			node := []*engine.Engine{w.Engine, other}[i%nodes]
			wg.Go(func() {
				v, err := node.CreatePayment(context.Background(), w.auth, sale(100, declined, customer("thief"), func(in *request.Input) { in.PaymentID = fmt.Sprint("p", i) }))
				var known *fault.Error
				if errors.As(err, &known) && known.Code == "IR_16" {
					refused.Add(1)
					return
				}
				require.NoError(t, err)
				require.Equal(t, payment.Failed, v.Payment.Status)
			})
		}
		wg.Wait()
		require.GreaterOrEqual(t, sent.Load(), int64(3))
		require.LessOrEqual(t, sent.Load(), int64(3+nodes-1), "the threshold, and the place in memory of each further node")
		require.EqualValues(t, 50, sent.Load()+refused.Load())
		for i := range 50 {
			require.Contains(t, []payment.Status{payment.Failed, payment.RequiresPaymentMethod}, w.get(fmt.Sprint("p", i), request.RetrieveInput{}).Payment.Status)
		}
		// Honest payments at a time wait for each other, and none is refused.
		sent.Store(0)
		for i := range 20 {
			wg.Go(func() {
				v, err := w.CreatePayment(context.Background(), w.auth, sale(100, visa, customer("honest"), func(in *request.Input) { in.PaymentID = fmt.Sprint("h", i) }))
				require.NoError(t, err)
				require.Equal(t, payment.Succeeded, v.Payment.Status)
			})
		}
		wg.Wait()
		require.EqualValues(t, 20, sent.Load())
	})
}

// TestTestingGuardNodes: payments one after the other, at two nodes and after a restart, stop exactly at the threshold.
func TestTestingGuardNodes(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	a := declining(&sent)
	whole := simulatorAdapter().Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) { sent.Add(1); return whole(c) }
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": a})
	w := newWorldWith(t, engine.Options{}, connectors, filepath.Join(t.TempDir(), "p.db"))
	w.account("simulator", "")
	w.guardedBy("customer_id")
	at := func(node *engine.Engine, in *request.Input) string {
		_, err := node.CreatePayment(t.Context(), w.auth, in)
		if err == nil {
			return ""
		}
		return code(t, err)
	}
	stolen := func() *request.Input { return sale(100, declined, customer("thief")) }
	other := w.nodeBeside(connectors)
	require.Equal(t, []string{"", "", ""}, []string{at(w.Engine, stolen()), at(other, stolen()), at(w.Engine, stolen())})
	require.Equal(t, []string{"IR_16", "IR_16"}, []string{at(other, stolen()), at(w.Engine, stolen())}, "the other node has seen one failure of three")
	require.Equal(t, "IR_16", at(w.nodeBeside(connectors), stolen()), "a node that has just started")
	require.EqualValues(t, 3, sent.Load())
	// The guard comes before the list, also at a node that knows of no failure, and before an authentication.
	require.NoError(t, w.ToggleBlocklist(t.Context(), w.auth, true))
	_, err := w.Block(t.Context(), w.auth, "card_bin", declined[:6])
	require.NoError(t, err)
	require.Equal(t, "IR_16", at(w.nodeBeside(connectors), stolen()))
	require.Equal(t, "HE_03", at(w.nodeBeside(connectors), sale(100, declined, customer("c2"))))
}

// TestGuardedAuthentication: no authentication begins for a payment that the guard refuses, also where another node has counted the failures.
func TestGuardedAuthentication(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{SoleNode: true})
	w.guardedBy("customer_id")
	w.a.authenticate = challenged
	secure := func(in *request.Input) { external(in); customer("thief")(in) }
	begun := w.pay(sale(6540, visa, secure))
	require.Equal(t, payment.RequiresCustomerAction, begun.Payment.Status)
	counters := begun.Attempt.Details.Guard.Counters
	for range 3 {
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			return tx.CountGuardFailures(w.auth.MerchantID, counters, 0, tx.Now().Add(time.Hour))
		}))
	}
	require.True(t, w.refuses(sale(6540, visa, secure)))
}

// TestBlockListInMemory: payments of a merchant with a list read it from memory. A new entry counts at once at this node, and within half a second at
// another one. An entry that was removed counts no more.
func TestBlockListInMemory(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()})
		w := newWorldWith(t, engine.Options{SoleNode: true}, connectors, filepath.Join(t.TempDir(), "p.db"))
		w.account("simulator", "")
		require.NoError(t, w.ToggleBlocklist(t.Context(), w.auth, true))
		other := w.nodeBeside(connectors)
		blocked := func(node *engine.Engine) bool {
			_, err := node.CreatePayment(t.Context(), w.auth, sale(100, visa))
			if err != nil {
				require.Equal(t, "HE_03", code(t, err))
			}
			return err != nil
		}
		block := func(data string) {
			_, err := w.Block(t.Context(), w.auth, "card_bin", data)
			require.NoError(t, err)
		}
		require.Equal(t, []bool{false, false}, []bool{blocked(w.Engine), blocked(other)})
		block("999999")
		require.Equal(t, []bool{false, false}, []bool{blocked(w.Engine), blocked(other)})
		block(visa[:6])
		require.True(t, blocked(w.Engine), "at once at the node that added it")
		time.Sleep(500 * time.Millisecond)
		require.True(t, blocked(other), "within half a second at another node")
		_, err := w.Unblock(t.Context(), w.auth, "card_bin", visa[:6])
		require.NoError(t, err)
		require.Equal(t, []bool{false, false}, []bool{blocked(w.Engine), blocked(other)}, "the store decides about a card that memory has")
		// A file is added by a job.
		_, err = w.BlockFile(t.Context(), w.auth, []byte("type,data,metadata\nextended_card_bin,"+visa[:8]+",\n"))
		require.NoError(t, err)
		require.NoError(t, w.RunJobs(t.Context()))
		require.True(t, blocked(w.Engine))
		require.NoError(t, w.ToggleBlocklist(t.Context(), w.auth, false))
		require.False(t, blocked(w.Engine), "switched off")
	})
}

// nodeBeside is another node on the world's store.
func (w *world) nodeBeside(c port.Connectors) *engine.Engine {
	e, err := engine.New(engine.Deps{Store: w.db, Connectors: c, Vault: w.vault, Presenter: presenter{}}, engine.Options{PublicURL: "http://switch.test"})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { e.Close(context.Background()) })
	return e
}

// TestNoSwitchNoStatement: a payment of a merchant who has switched nothing on reads nothing for it.
func TestNoSwitchNoStatement(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(100, visa))
	require.Nil(t, v.Attempt.Details.Guard)
	require.Empty(t, v.Payment.Details.Fingerprint)
	value, err := w.Dir.Switch(t.Context(), "m1", account.SwitchBlocklist)
	require.NoError(t, err)
	require.Empty(t, value)
	require.ErrorIs(t, change.ErrHeld, fault.ErrConflict)
}

// TestBlockedWhileAuthenticating: a card that is blocked before the challenge starts none, and one that is blocked during it is not charged.
func TestBlockedWhileAuthenticating(t *testing.T) {
	t.Parallel()
	w := newSecureWorld(t, engine.Options{SoleNode: true})
	w.a.authenticate = challenged
	require.NoError(t, w.ToggleBlocklist(t.Context(), w.auth, true))
	v := w.begun()
	require.NotEmpty(t, v.Payment.Details.Fingerprint)
	_, err := w.Block(t.Context(), w.auth, "fingerprint", v.Payment.Details.Fingerprint)
	require.NoError(t, err)
	_, err = w.CreatePayment(t.Context(), w.auth, sale(6540, visa, external))
	require.Equal(t, "HE_03", code(t, err), "no challenge begins")
	w.challenge(v)
	got := w.get(v.Payment.ID, request.RetrieveInput{})
	require.Equal(t, []any{payment.Failed, payment.AttemptFailure, "HE-03", "rejected", ""},
		[]any{got.Payment.Status, got.Attempt.Status, got.Attempt.Details.Error.Code, got.Payment.Details.MerchantDecision, got.Attempt.Connector})
	for _, op := range w.operations(v.Payment.ID) {
		require.NotEqual(t, sdk.OpAuthorize, op.Kind, "nothing was charged")
	}
}

// BenchmarkTestingGuard measures what the guard against card testing adds to a confirm before any processor call: the counters, hashed and looked up. It must
// stay below 20 microseconds where no failures are known. After failures it reads their counts.
func BenchmarkTestingGuard(b *testing.B) {
	b.Run("no failures", func(b *testing.B) { benchmarkTestingGuard(b, 0) })
	b.Run("after failures", func(b *testing.B) { benchmarkTestingGuard(b, 3) })
}

func benchmarkTestingGuard(b *testing.B, failures int) {
	w := newWorldWith(b, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"simulator": simulator.Adapter()}), filepath.Join(b.TempDir(), "p.db"))
	w.account("simulator", "")
	w.setProfile(`{"card_testing_guard_config":{` + strings.ReplaceAll(strings.ReplaceAll(noGuards, "disabled", "enabled"), "threshold\":3", "threshold\":1000") + `}}`)
	for range failures {
		w.pay(sale(100, declined, from("203.0.113.7")))
	}
	profile, err := w.Profile(b.Context(), w.auth, w.profile.ID)
	require.NoError(b, err)
	in := sale(100, visa, from("203.0.113.7"))
	c := &change.Confirming{Loaded: &change.Loaded{Profile: profile}}
	c.Payment, c.Attempt = &payment.Payment{MerchantID: w.auth.MerchantID, ProfileID: profile.ID}, &payment.Attempt{}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.CheckTesting(b.Context(), c, in, in.Card.Number); err != nil {
			b.Fatal(err)
		}
	}
	require.Len(b, c.Holds, 3, "a guest has three counters")
}
