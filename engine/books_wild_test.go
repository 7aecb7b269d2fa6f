package engine_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// TestBooksAtRandomWild is TestBooksAtRandom with more. The machine's clock jumps, and nodes start again. Payments with ids that the merchant has chosen are
// confirmed later, and once more after a failure. Messages name a capture alone. The back-up is restored more than once.
func TestBooksAtRandomWild(t *testing.T) {
	t.Parallel()
	for _, seed := range booksSeeds(t, []uint64{1022, 1093}, 12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			q := newAcquirer(t)
			g := &gambler{Rand: rand.New(rand.NewPCG(seed, 3)), t: t, q: q, wild: true}
			q.over, q.totals = g.IntN(2) == 0, g.IntN(3) > 0
			inBubble(t, func(t *testing.T) { g.t = t; g.play() }, q.Server)
		})
	}
}

// stepWild does one of the things that TestBooksAtRandom does not do.
func (g *gambler) stepWild() {
	ctx := context.Background()
	switch n := g.IntN(12); {
	case n < 3 || len(g.drafts) == 0:
		g.draft()
	case n < 7:
		id := g.drafts[g.IntN(len(g.drafts))]
		g.asks(g.world(), func(w *world, a account.Auth) {
			card := visa
			if g.IntN(2) == 0 {
				card = "5555555555554444"
			}
			_, err := w.ConfirmPayment(ctx, a, id, &request.Input{PaymentMethod: "card", Card: typedCard(card), HasMethodData: true})
			g.did(id[len(id)-4:]+" confirm", err)
		})
	case n == 7:
		id, amount := g.drafts[g.IntN(len(g.drafts))], 100+g.Int64N(900)
		_, err := g.world().UpdatePayment(ctx, g.nodes[0].auth, id, &request.Input{Amount: &amount})
		g.did(fmt.Sprintf("%s update %d", id[len(id)-4:], amount), err)
	case n == 8:
		by := time.Duration(1+g.IntN(180)) * time.Minute * time.Duration(1-2*g.IntN(2))
		if g.offset += by; g.offset.Abs() > 6*time.Hour { // not away without end
			by, g.offset = by-g.offset, 0
		}
		g.note("the clock jumps by %s", by)
		for _, w := range g.nodes {
			w.jump(by)
		}
	case n == 9:
		g.note("both nodes start again")
		for _, w := range g.nodes {
			require.NoError(g.t, w.Close(ctx))
		}
		g.start(g.nodes[0].file)
	case n == 10:
		g.q.with(func() {
			for _, m := range g.q.sent {
				if o := m["outcome"].(sdk.Outcome); o.CaptureID != "" && g.IntN(2) == 0 {
					o.TransactionID = o.CaptureID
					m["id"], m["outcome"] = o.CaptureID, o
				}
			}
		})
		g.note("messages name captures alone")
	default:
		g.backup()
	}
}

// draft creates a payment that is confirmed later.
func (g *gambler) draft() {
	g.paid++
	id, amount := "", 100+g.Int64N(900)
	if g.IntN(2) == 0 {
		id = fmt.Sprint("order_", g.paid)
	}
	method := payment.CaptureMethod(g.one("automatic", "manual", "manual_multiple"))
	v, err := g.world().CreatePayment(context.Background(), g.nodes[0].auth, sale(amount, visa, func(in *request.Input) {
		in.Confirm, in.PaymentID, in.CaptureMethod = nil, id, method
	}))
	g.did(fmt.Sprintf("draft %s %d %s", id, amount, method), err)
	if v != nil {
		g.note("  is %s", v.Payment.ID)
		g.drafts, g.payments = append(g.drafts, v.Payment.ID), append(g.payments, v.Payment.ID)
	}
}

// start opens two nodes on a database.
func (g *gambler) start(file string) {
	options := (*world)(nil).options()
	g.nodes = nil
	for range 2 {
		n := newWorldAt(g.t, options, plugins.NativeConnectors(g.adapters), file, g.offset)
		require.NoError(g.t, n.AfterRestore(context.Background())) // each node learns of a restore
		g.nodes = append(g.nodes, n)
	}
	for _, n := range g.nodes {
		n.running()
	}
}
