package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/idempotency"
	"payswitch/engine/payment"
	"payswitch/engine/request"
)

// keyedAsk is a request of a gambler's merchant with an Idempotency-Key.
type keyedAsk struct {
	key  string
	does func(w *world, a account.Auth)
}

// accountKey is a change of the account's key. Rotated says that the key is one of the same account at the processor.
type accountKey struct {
	key     string
	rotated bool
}

// asks sends a request of the merchant, mostly with an Idempotency-Key: then the request may come again later.
func (g *gambler) asks(w *world, does func(w *world, a account.Auth)) {
	if g.IntN(3) == 0 {
		does(w, w.auth)
		return
	}
	g.named++
	r := &keyedAsk{fmt.Sprint("key_", g.named), does}
	g.asked = append(g.asked, r)
	g.sends(w, r)
	for range g.IntN(3) { // the client does not wait long
		g.note("%s comes again at once", r.key)
		g.sends(g.world(), r)
	}
}

// repeats sends an earlier request again, with its Idempotency-Key.
func (g *gambler) repeats(w *world) {
	if len(g.asked) > 0 {
		r := g.asked[g.IntN(len(g.asked))]
		g.note("%s comes again", r.key)
		g.sends(w, r)
	}
}

// sends performs a request as the router does. The node may die before it has stored the answer, or may find that the request may be made again.
func (g *gambler) sends(w *world, r *keyedAsk) {
	a, ctx := w.auth, context.Background()
	said, finish, abandon, err := w.BeginIdempotent(ctx, &a, r.key, []byte(r.key))
	switch {
	case err != nil:
		g.did("  "+r.key, err)
		return
	case said != nil:
		g.note("  %s has its answer", r.key)
		return
	}
	r.does(w, a)
	switch g.IntN(4) {
	case 0:
		g.note("  %s: the answer is lost", r.key)
	case 1:
		g.note("  %s may be made again", r.key)
		abandon(ctx)
	default:
		require.NoError(g.t, finish(ctx, idempotency.Answer{Status: 200}))
	}
}

// wants notes that the merchant asks once for an amount of a payment. A repetition asks for nothing more.
func (g *gambler) wants(id, what string, amount int64) {
	g.wanted[id+what] = append(g.wanted[id+what], amount)
}

// rekeys gives the account a new key: of the same account at the processor, or of another one.
func (g *gambler) rekeys(w *world) {
	n := accountKey{rotated: g.IntN(2) == 0}
	was := g.keys[len(g.keys)-1].key
	if n.key = fmt.Sprint(string(was[0]+1), 1); n.rotated {
		n.key = fmt.Sprint(was[:1], len(g.keys)+1)
	}
	g.keys = append(g.keys, n)
	g.sets(w, n)
	if n.rotated && g.IntN(2) == 0 {
		g.note("the processor knows %s no more", was)
		g.q.with(func() { g.q.revoked[was] = true })
	}
}

func (g *gambler) sets(w *world, n accountKey) {
	_, err := w.UpdateAccount(context.Background(), w.auth, g.at.ID, account.AccountInput{Credentials: apiKey(n.key), Rotated: n.rotated})
	g.did(fmt.Sprintf("the account has the key %s, rotated %v", n.key, n.rotated), err)
	require.NoError(g.t, err)
}

// refundsOne gives back what one capture of a payment took.
func (g *gambler) refundsOne(w *world, id string) {
	v := w.get(id, request.RetrieveInput{Captures: true})
	var taken []int64
	for _, c := range v.Attempt.Details.Captures {
		if c.Status == payment.CaptureCharged {
			taken = append(taken, c.Amount)
		}
	}
	if len(taken) > 0 {
		g.refund(w, id, taken[g.IntN(len(taken))], v.Payment.Status)
	}
}

func (g *gambler) refund(w *world, id string, amount int64, was payment.Status) {
	kind := payment.RefundType(g.one("instant", "scheduled"))
	g.wants(id, "refund", amount)
	g.asks(w, func(w *world, a account.Auth) {
		_, err := w.CreateRefund(context.Background(), a, &request.RefundInput{PaymentID: id, Amount: &amount, Type: kind})
		g.did(fmt.Sprintf("%s refund %d (%s)", id[len(id)-4:], amount, was), err)
	})
}

// checkOnce holds what the processor did of a payment against what the merchant asked for: each request counts once, however often it came. Relays and
// automatic captures have other books.
func (g *gambler) checkOnce(id string, h *acquired) {
	seen := map[string]bool{}
	for what, parts := range map[string][]*acquiredPart{"capture": h.Captures, "refund": h.Refunds} {
		left := slices.Clone(g.wanted[id+what])
		for _, p := range parts {
			require.False(g.t, seen[p.Reference], "%s was made twice", p.Reference)
			seen[p.Reference] = true
			if p.ID == h.ID || p.State == "refused" || strings.HasPrefix(p.Reference, "relay_") {
				continue
			}
			i := slices.Index(left, p.Amount)
			require.NotEqual(g.t, -1, i, "the merchant did not ask for the %s of %d of %s (%s)", what, p.Amount, id, p.Reference)
			left = slices.Delete(left, i, i+1)
		}
	}
}

// checkAll holds the processor's books against the merchant's: each transaction is a payment that was asked for once, at one account.
func (g *gambler) checkAll() {
	require.Empty(g.t, g.q.wrong)
	require.LessOrEqual(g.t, len(g.q.byID), g.paid, "transactions of the processor, and payments of the merchant")
	if g.restored {
		return // the copy may lack payments
	}
	for _, h := range g.q.all() {
		require.True(g.t, slices.ContainsFunc(g.payments, func(id string) bool { return strings.HasPrefix(h.Reference, id+"_") }), "%s is a payment of the merchant's", h.Reference)
	}
}
