package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// neighbour returns the world as another merchant sees it. That merchant has the same account at the processor.
func (w *world) neighbour(id, connector, url string) (*world, *account.Account) {
	w.t.Helper()
	_, err := w.CreateMerchant(w.t.Context(), account.MerchantInput{ID: id})
	require.NoError(w.t, err)
	other := *w
	other.auth = account.Auth{MerchantID: id}
	return &other, other.mailAccount(connector, url, "")
}

// TestSameIDsAtOneProcessor: two merchants choose the same payment_id and refund_id, and share an account at their processor. What the processor says of the
// one proves nothing about the other: neither a query by reference after a lost request, nor a message that arrives at the addresses of both.
func TestSameIDsAtOneProcessor(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{ResolveEvery: time.Minute}, map[string]*sdk.Adapter{"shop": q.adapter(sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference},
			NotFoundFinalAfterSeconds: 60})})
		w.mailAccount("shop", q.URL, "")
		other, address := w.neighbour("m2", "shop", q.URL)
		order := func(in *request.Input) { in.PaymentID = "1001" }
		first := w.pay(sale(1000, visa, order))
		require.Equal(t, payment.Succeeded, first.Payment.Status)

		q.fails("authorize", "drop")
		second := other.pay(sale(1000, visa, order))
		require.Equal(t, payment.Processing, second.Payment.Status)
		require.NotEqual(t, first.Attempt.Details.Reference, second.Attempt.Details.Reference)
		for _, m := range q.sent {
			_, _ = other.ReceiveWebhook(t.Context(), mail(address.ID, hookSecret, m))
		}
		require.Equal(t, payment.Processing, other.get("1001", request.RetrieveInput{}).Payment.Status)
		w.running()
		time.Sleep(10 * time.Minute)
		v := other.get("1001", request.RetrieveInput{ForceSync: true})
		require.Equal(t, payment.Failed, v.Payment.Status, "the processor has no such payment")
		require.Zero(t, v.Payment.Received)

		q.fails("authorize", "")
		order = func(in *request.Input) { in.PaymentID = "1002" }
		w.pay(sale(1000, visa, order))
		other.pay(sale(1000, visa, order))
		f, err := w.refund("1002", 300, named("r1"))
		require.NoError(t, err)
		require.Equal(t, payment.RefundSucceeded, f.Status)
		q.fails("refund", "drop")
		_, err = other.refund("1002", 300, named("r1"))
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		require.Equal(t, payment.RefundFailed, other.refunded("r1").Status)
		require.True(t, strings.HasPrefix(first.Attempt.Details.Reference, "1001_1"), "people find it at the processor")
	}, q.Server)
}

// A payment that is named like an attempt of another one shares no reference with a capture of that one.
func TestIDsThatLookLikeCaptures(t *testing.T) {
	t.Parallel()
	q := newAcquirer(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": q.adapter(byReference)})
	w.mailAccount("shop", q.URL, "")
	named := func(id string) func(*request.Input) { return func(in *request.Input) { in.PaymentID = id } }
	w.pay(sale(1000, visa, named("1001"), manual))
	_, err := w.CapturePayment(t.Context(), w.auth, "1001", &request.CaptureInput{})
	require.NoError(t, err)
	capture := w.get("1001", request.RetrieveInput{}).Attempt.Details.Captures[0]
	part := w.pay(sale(1000, visa, named("1001_1"))).Attempt
	require.Equal(t, capture.ID, part.ID)
	require.NotEqual(t, capture.Reference, part.Details.Reference)

	own := w.pay(sale(1000, visa)).Attempt
	require.Equal(t, own.ID, own.Details.Reference, "merchants search for the id at the processor")
}
