package router_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/plugins/threedsecureio"
	"payswitch/router"
	"payswitch/sdk"
)

// node is another node on the database of b: an engine and a server of its own, with nothing of b's memory.
func (b *bankWorld) node(name string) *bankWorld {
	b.t.Helper()
	connectors := counting{plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter(), "threedsecureio": threedsecureio.Adapter()}), b.counted}
	vault, err := engine.OpenVault(b.t.Context(), b.store, secret.New("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(b.t, err)
	w := &world{t: b.t, store: b.store, logs: b.logs, counted: b.counted, auth: b.auth, secret: b.secret, publishable: b.publishable, profile: b.profile}
	w.engine, err = engine.New(engine.Deps{Store: b.store, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}, Clock: b.now, Monotonic: b.now, Metrics: b.counted, Sender: &w.hooks},
		engine.Options{Node: name, PublicURL: publicURL, ResolveEvery: 20 * time.Millisecond})
	require.NoError(b.t, err)
	b.t.Cleanup(func() { require.NoError(b.t, w.engine.Close(context.Background())) })
	w.server, err = router.New(router.Deps{Access: w.engine, Payments: w.engine, Admin: w.engine, Webhooks: w.engine.Webhooks, Connectors: connectors,
		Logger: slog.New(slog.DiscardHandler)}, router.Options{AdminKey: secret.New(adminKey), PublicURL: publicURL, DevPages: true, TestCardsWithoutLuhn: true})
	require.NoError(b.t, err)
	w.handler = checked(b.t, w.server)
	return &bankWorld{world: w, bank: b.bank, server: b.server, client: b.client}
}

// An authentication that one node began goes on at another. The method's page, the browser's data, the challenge's result and the last read each come
// to the node that did not do the step before. The customer is charged once.
func TestThreeDSAtTwoNodes(t *testing.T) {
	t.Parallel()
	a := newBankWorldOf(t, engine.Options{Node: "a"})
	b := a.node("b")

	p, data := a.invoke("4000003000000006")
	b.runMethod(data)
	out := a.authenticate(p, "Y")
	require.Equal(t, "Y", out["trans_status"], out)
	got := b.ended(p)
	require.Equal(t, "succeeded", got["status"], got)
	require.Equal(t, 1, a.authorizations(p))

	p = a.pay("0170").ok()
	out = b.authenticate(p, "U")
	require.Equal(t, "C", out["trans_status"], out)
	to, fields := a.answer(out, "1234")
	require.Equal(t, 200, a.ours(to, fields).status, "b has asked, a hears the result")
	require.Equal(t, "succeeded", b.ended(p)["status"])
	require.Equal(t, 1, a.authorizations(p))

	p = a.pay("0170").ok() // the data and the result come to both nodes at once
	at := []*bankWorld{a, b}
	answers := together(2, func(i int) map[string]any { return at[i].authenticate(p, "U") })
	require.Equal(t, answers[0], answers[1])
	require.Equal(t, "C", answers[0]["trans_status"], answers[0])
	require.Equal(t, 1, a.counted.called(p["payment_id"].(string), sdk.OpAuthenticate), "one node asks the bank")
	to, fields = a.answer(answers[0], "1234")
	require.Equal(t, []int{200, 200}, together(2, func(i int) int { return at[i].ours(to, fields).status }))
	require.Equal(t, "succeeded", b.ended(p)["status"])
	require.Equal(t, 1, a.authorizations(p))
}

// The node that asked the bank ends before the payer has answered: another node hears the result, and one that comes late changes nothing.
func TestThreeDSOfANodeThatEnded(t *testing.T) {
	t.Parallel()
	b := newBankWorldOf(t, engine.Options{Node: "b"})
	a := b.node("a")
	p := a.pay("0170").ok()
	out := a.authenticate(p, "U")
	require.NoError(t, a.engine.Close(t.Context()))
	to, fields := b.answer(out, "1234")
	require.Equal(t, 200, b.ours(to, fields).status)
	require.Equal(t, "succeeded", b.ended(p)["status"])
	require.Equal(t, 200, b.ours(to, fields).status)
	require.Equal(t, 1, b.authorizations(p))
}

// together calls f n times at once and returns its results in order.
func together[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { out[i] = f(i) })
	}
	wg.Wait()
	return out
}
