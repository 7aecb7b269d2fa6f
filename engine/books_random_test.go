package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// gambler plays a merchant, the processor's faults and the order of its messages by a seed. It notes what it does.
type gambler struct {
	*rand.Rand
	t        *testing.T
	q        *acquirer
	adapters map[string]*sdk.Adapter
	nodes    []*world // on one database
	at       *account.Account
	payments []string
	relays   []string
	claims   int
	copy     string // a back-up, "" without one
	restored bool
	asked    []*keyedAsk
	named    int                // keys of requests
	wanted   map[string][]int64 // captures and refunds that the merchant has asked for once
	paid     int                // payments that the merchant has asked for
	keys     []accountKey
	kept     int // of keys, in the copy
	wild     bool
	drafts   []string      // payments that are confirmed later
	offset   time.Duration // of the nodes' clocks
	noting   sync.Mutex    // the processor's calls come from other goroutines
	notes    []string
}

func (g *gambler) note(format string, args ...any) {
	g.noting.Lock()
	defer g.noting.Unlock()
	g.notes = append(g.notes, time.Now().Format("02 15:04:05 ")+fmt.Sprintf(format, args...))
}

func (g *gambler) world() *world { return g.nodes[g.IntN(len(g.nodes))] }

// one draws one of the texts.
func (g *gambler) one(of ...string) string { return of[g.IntN(len(of))] }

// did notes how a call ended. Only errors that a merchant can understand may come.
func (g *gambler) did(what string, err error) {
	if err == nil {
		g.note("%s", what)
		return
	}
	var e *fault.Error
	require.True(g.t, errors.As(err, &e) && e.Kind != fault.KindInternal, "%s: %v", what, err)
	g.note("%s: %s", what, e.Message)
}

func (g *gambler) pay() {
	amount := 100 + g.Int64N(900)
	in := sale(amount, visa, func(in *request.Input) {
		in.Currency = sdk.Currency(g.one("USD", "JPY", "KWD"))
		in.CaptureMethod = payment.CaptureMethod(g.one("automatic", "manual", "manual", "manual_multiple", "manual_multiple"))
		if in.CaptureMethod == payment.CaptureManual {
			in.Overcapture, in.Incremental = ptr(g.IntN(2) == 0), ptr(g.IntN(2) == 0)
		}
		if g.IntN(4) == 0 {
			in.SurchargeAmount, in.NamesSurcharge = 1+g.Int64N(50), true
		}
	})
	g.paid++
	g.asks(g.world(), func(w *world, a account.Auth) {
		again := *in
		v, err := w.CreatePayment(context.Background(), a, &again)
		g.did(fmt.Sprintf("pay %d %s %s", amount, in.Currency, in.CaptureMethod), err)
		if v != nil && !slices.Contains(g.payments, v.Payment.ID) {
			g.note("  is %s", v.Payment.ID)
			g.payments = append(g.payments, v.Payment.ID)
		}
	})
}

// step does one thing to a payment.
func (g *gambler) step() {
	if g.wild && g.IntN(3) == 0 {
		g.stepWild()
		return
	}
	if len(g.payments) < 3 && g.IntN(4) == 0 || len(g.payments) == 0 {
		g.pay()
		return
	}
	w, id, ctx := g.world(), g.payments[g.IntN(len(g.payments))], context.Background()
	v := w.get(id, request.RetrieveInput{})
	amount := 1 + g.Int64N(max(1, v.Payment.NetAmount))
	if g.IntN(3) == 0 && v.Payment.Capturable > 0 {
		amount = v.Payment.Capturable
	}
	is := func(what string) string {
		return fmt.Sprintf("%s %s %d (%s)", id[len(id)-4:], what, amount, v.Payment.Status)
	}
	switch g.IntN(20) {
	case 0, 1, 2:
		g.wants(id, "capture", amount)
		g.asks(w, func(w *world, a account.Auth) {
			_, err := w.CapturePayment(ctx, a, id, &request.CaptureInput{Amount: &amount})
			g.did(is("capture"), err)
		})
	case 3:
		amount += v.Payment.NetAmount
		g.asks(w, func(w *world, a account.Auth) {
			_, err := w.IncrementAuthorization(ctx, a, id, request.IncrementInput{Amount: amount})
			g.did(is("raise"), err)
		})
	case 4:
		g.asks(w, func(w *world, a account.Auth) {
			_, err := w.CancelPayment(ctx, a, id, "")
			g.did(is("cancel"), err)
		})
	case 5, 6:
		g.refund(w, id, amount, v.Payment.Status)
	case 7:
		g.asks(w, func(w *world, a account.Auth) {
			_, err := w.CancelCaptured(ctx, a, id, "")
			g.did(is("take back"), err)
		})
	case 8:
		_, err := w.RetrievePayment(ctx, w.auth, id, request.RetrieveInput{ForceSync: true})
		g.did(is("sync"), err)
	case 9:
		if v.Attempt.TransactionID == "" {
			return
		}
		in := relay.Input{ResourceID: v.Attempt.TransactionID, AccountID: g.at.ID, Type: relay.Type(g.one("capture", "capture", "void", "refund"))}
		switch cur := v.Payment.Currency; in.Type {
		case relay.Capture:
			in.Data.Capture = &relay.CaptureData{Authorized: max(amount, v.Payment.NetAmount), Amount: amount, Currency: cur, Method: payment.CaptureManualMultiple}
		case relay.Refund:
			in.Data.Refund = &relay.RefundData{Amount: amount, Currency: cur}
		default:
			in.Data.Void = &relay.VoidData{}
		}
		g.asks(w, func(w *world, a account.Auth) {
			k, err := w.CreateRelay(ctx, a, in)
			g.did(is("relay "+string(in.Type)), err)
			if k != nil {
				g.note("  is %s %s", k.ID, k.Status)
				if !slices.Contains(g.relays, k.ID) {
					g.relays = append(g.relays, k.ID)
				}
			}
		})
	case 10:
		g.claims++
		status := sdk.DisputeStatus(g.one("opened", "won", "lost"))
		_, err := w.ReceiveWebhook(ctx, mail(g.at.ID, hookSecret, map[string]any{"object": "dispute", "reference": v.Attempt.Details.Reference, "dispute": sdk.Dispute{
			ID: fmt.Sprint("dp_", id, g.IntN(2)), Status: status, Amount: sdk.Money{Minor: amount, Currency: v.Payment.Currency}}}))
		g.did(is("dispute "+string(status)), err)
	case 11, 12:
		g.mail(w, 1+g.IntN(3), g.IntN(3) == 0)
	case 13:
		g.decides()
	case 14:
		d := []time.Duration{time.Second, 20 * time.Second, 3 * time.Minute, time.Hour, 5 * time.Hour}[g.IntN(5)]
		g.note("%s pass", d)
		time.Sleep(d)
	case 15:
		g.backup()
	case 16, 17:
		g.repeats(w)
	case 18:
		g.rekeys(w)
	case 19:
		g.refundsOne(w, id)
	}
}

// mail delivers some of the messages, in any order. With again they come once more later.
func (g *gambler) mail(w *world, n int, again bool) {
	var now []map[string]any
	g.q.with(func() {
		for range min(n, len(g.q.sent)) {
			i := g.IntN(len(g.q.sent))
			if now = append(now, g.q.sent[i]); !again {
				g.q.sent = slices.Delete(g.q.sent, i, i+1)
			}
		}
	})
	for _, m := range now {
		o := m["outcome"].(sdk.Outcome)
		_, err := w.ReceiveWebhook(context.Background(), mail(g.at.ID, hookSecret, m))
		g.did(fmt.Sprintf("message %s %s %s %s %v", m["object"], m["reference"], o.Status, o.CaptureID+o.RefundID, o.Amount), err)
	}
}

// decides lets the processor end what it has accepted.
func (g *gambler) decides() {
	g.q.with(func() {
		for _, h := range g.q.all() {
			for _, p := range slices.Concat(h.Captures, h.Refunds) {
				if p.State == "pending" {
					g.q.ends(h, p, g.IntN(4) > 0)
					g.note("the processor ends %s: %s", p.ID, p.State)
				}
			}
		}
	})
}

// all are the transactions in their order.
func (q *acquirer) all() (out []*acquired) {
	for _, h := range q.byID {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *acquired) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// backup takes a copy, or goes back to the one there is, once.
func (g *gambler) backup() {
	switch {
	case g.restored && (!g.wild || g.IntN(3) > 0) || os.Getenv("BOOKS_RESTORE") == "no":
	case g.copy == "":
		g.copy, g.kept = g.nodes[0].copied(), len(g.keys)
		g.note("a back-up is taken")
	case g.IntN(2) == 0:
		g.restored = true
		for _, n := range g.nodes {
			require.NoError(g.t, n.Close(context.Background()))
		}
		file := filepath.Join(g.t.TempDir(), "restored.db") // the back-up may be restored once more
		copied, err := os.ReadFile(g.copy)
		require.NoError(g.t, err)
		require.NoError(g.t, os.WriteFile(file, copied, 0o600))
		g.start(file)
		b := g.nodes[0]
		lost := func(id string) bool {
			_, err := b.RetrievePayment(context.Background(), b.auth, id, request.RetrieveInput{})
			return err != nil
		}
		g.payments, g.drafts = slices.DeleteFunc(g.payments, lost), slices.DeleteFunc(g.drafts, lost)
		g.note("the back-up is restored")
		g.asked = nil // the copy does not know their answers
		for _, n := range g.keys[g.kept:] {
			g.sets(b, n)
		}
	}
}

func (w *world) options() engine.Options {
	return engine.Options{ResolveEvery: 5 * time.Minute, LockWait: 50 * time.Millisecond}
}

// A merchant and a processor do what they like, for days: faults, lost answers, late and repeated messages, relays, disputes, a restored back-up. The merchant
// repeats requests with their Idempotency-Key, and gives the account other keys. When all is quiet, the books of both are equal, and each request was carried
// out once at most.
func TestBooksAtRandom(t *testing.T) {
	t.Parallel()
	for _, seed := range booksSeeds(t, []uint64{173, 1095, 3119}, 12) { // they found defects that no other test shows
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			q := newAcquirer(t)
			g := &gambler{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, q: q}
			q.over, q.totals = g.IntN(2) == 0, g.IntN(3) > 0
			inBubble(t, func(t *testing.T) { g.t = t; g.play() }, q.Server)
		})
	}
}

// booksSeeds returns the seeds of a test: those that are known, and the first ones. BOOKS_SEEDS=2000+400 asks for 400 from 2000 on.
func booksSeeds(t *testing.T, known []uint64, runs int) []uint64 {
	from := uint64(1)
	if s := os.Getenv("BOOKS_SEEDS"); s != "" {
		_, err := fmt.Sscanf(s, "%d+%d", &from, &runs)
		require.NoError(t, err)
		known = nil
	}
	for i := range runs {
		known = append(known, from+uint64(i))
	}
	return known
}

func (g *gambler) play() {
	q := g.q
	g.adapters = map[string]*sdk.Adapter{"shop": q.keyed(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference, sdk.ResolveByIdempotentResend},
		IdempotencyWindowSeconds: 24 * 3600, NotFoundFinalAfterSeconds: 60})}
	a := newWorld(g.t, (*world)(nil).options(), g.adapters)
	g.at, g.keys, g.wanted = a.mailAccount("shop", q.URL, apiKey("a1").Reveal()), []accountKey{{key: "a1"}}, map[string][]int64{}
	a.running()
	g.nodes = []*world{a, a.second(a.options(), g.adapters)}
	defer func() {
		if g.t.Failed() || os.Getenv("BOOKS_LOG") != "" {
			g.noting.Lock()
			defer g.noting.Unlock()
			g.t.Log(strings.Join(g.notes, "\n"))
		}
	}()
	faults := rand.New(rand.NewPCG(g.Uint64(), 2))
	q.with(func() {
		q.how = func(r *acquirerCall) string {
			how := ""
			if faults.IntN(3) == 0 {
				how = []string{"drop", "drop done", "drop done", "500", "500 done", "429", "refuse", "later", "later"}[faults.IntN(9)]
			}
			if how == "later" && r.Do != "capture" && r.Do != "refund" {
				how = ""
			}
			g.note("    processor: %s %s %d %q", r.Do, r.Reference, r.Amount, how)
			return how
		}
	})
	for range 40 {
		g.step()
	}
	g.note("all faults end")
	q.with(func() { q.how = func(*acquirerCall) string { return "" } })
	for range 24 * 9 {
		g.decides()
		g.mail(g.world(), 3, false)
		time.Sleep(time.Hour)
	}
	for len(q.sent) > 0 {
		g.mail(g.world(), 3, false)
	}
	time.Sleep(time.Hour)
	w := g.nodes[0]
	relayed := map[string]int64{} // refunds of relays by transaction
	for _, id := range g.relays {
		k, err := w.Relay(context.Background(), w.auth, id, true)
		if g.restored && fault.IsNotFound(err) {
			continue
		}
		require.NoError(g.t, err)
		g.note("%s %s %s %s %s", k.ID, k.Type, k.ResourceID, k.Status, k.Details.Waits)
		if k.Type == relay.Refund && k.Status == relay.Success {
			relayed[k.ResourceID] += k.Details.Data.Refund.Amount
		}
	}
	for _, id := range g.payments {
		v := w.get(id, request.RetrieveInput{Attempts: true})
		g.check(v.Payment, v.Attempt, q.byRef[v.Attempt.Details.Reference], relayed)
	}
	g.checkAll()
	g.note("alarms %v", w.alarms.all())
}

// check holds what the payment shows against the processor's books.
func (g *gambler) check(p *payment.Payment, a *payment.Attempt, h *acquired, relayed map[string]int64) {
	g.note("%s %s: received %d, capturable %d, refunded %d of %d, attempt %d/%d", p.ID, p.Status, p.Received, p.Capturable, p.Details.RefundedTotal, p.Refunded, a.Authorized, a.Captured)
	if h == nil {
		uncharged := []payment.Status{payment.Failed, payment.Cancelled}
		if slices.Contains(g.drafts, p.ID) {
			uncharged = append(uncharged, payment.RequiresConfirmation, payment.RequiresPaymentMethod, payment.Expired)
		}
		require.Contains(g.t, uncharged, p.Status)
		require.Zero(g.t, p.Received)
		return
	}
	if g.restored && !g.q.totals && h.TakenBack {
		return // no report without totals says that a capture was taken back
	}
	g.note("  the processor holds %d, captured %d, voided %v, taken back %v, refunded %d", h.Authorized, h.Captured(), h.Voided, h.TakenBack, h.Refunded())
	g.checkOnce(p.ID, h)
	if g.restored && p.OpenOperation != "" && !g.q.totals { // one capture is lost and another one unknown: a person looks at them
		require.LessOrEqual(g.t, p.Received, h.Captured())
		return
	}
	require.Equal(g.t, h.Captured(), p.Received, "captured of %s", p.ID)
	if !g.restored {
		require.Equal(g.t, h.Refunded(), p.Details.RefundedTotal+relayed[h.ID], "refunded of %s", p.ID)
	}
	if p.Status == payment.Cancelled || p.Status == payment.Failed || p.Status == payment.CancelledPostCapture {
		require.True(g.t, h.Voided || h.TakenBack, "%s is %s, and its funds are held", p.ID, p.Status)
	}
	require.NotEqual(g.t, payment.Processing, p.Status)
}
