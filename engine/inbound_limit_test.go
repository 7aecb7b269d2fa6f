package engine_test

import (
	"crypto/rand"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// journalled counts the journal's records of a kind, after those under way are written.
func (w *world) journalled(kind sdk.Operation) (n int) {
	w.t.Helper()
	synctest.Wait()
	records, _ := w.journal()
	for _, k := range kinds(records) {
		if k == string(kind) {
			n++
		}
	}
	return n
}

// Strangers fill no disk: of messages without proof the journal keeps those about something that payswitch knows, a few for each payment, and no large one.
// What the processor has signed is kept whatever it is about.
func TestStrangersFillNoJournal(t *testing.T) {
	t.Parallel()
	p := newProcessor(t)
	inBubble(t, func(t *testing.T) {
		open := withoutProof(mailing(byReference))
		w := newWorld(t, engine.Options{JournalKeep: time.Hour}, map[string]*sdk.Adapter{"shop": open, "signing": renamed(mailing(byReference), "signing")})
		a := w.mailAccount("shop", p.URL, "")
		mine := w.pay(sale(100, visa)).Attempt.Details.Reference
		send := func(account, reference, more string) {
			_, _ = w.ReceiveWebhook(t.Context(), mail(account, hookSecret, map[string]any{"reference": reference, "sync": true, "more": more}))
		}
		for range 20 {
			send(a.ID, "nobody's", "")
		}
		require.Zero(t, w.journalled(sdk.OpWebhook))
		send(a.ID, mine, random(64<<10))
		require.Zero(t, w.journalled(sdk.OpWebhook), "a large one")
		for range 20 {
			send(a.ID, mine, "")
		}
		require.Equal(t, 4, w.journalled(sdk.OpWebhook), "those that made payswitch ask")
		send(w.mailAccount("signing", p.URL, "").ID, "nobody's", random(64<<10))
		require.Equal(t, 5, w.journalled(sdk.OpWebhook))

		open.Webhook = func(*sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: "nonsense"}, nil }
		failed := map[fault.Kind]int{}
		for range 20 {
			_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": mine}))
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, "WE_03", e.Code)
			failed[e.Kind]++
		}
		require.Equal(t, map[fault.Kind]int{fault.KindInternal: 5, fault.KindLimited: 15}, failed, "an error in the log is for a person: strangers write few")
		require.Equal(t, 10, w.journalled(sdk.OpWebhook))
	}, p.Server)
}

// Many messages at a time to one account are refused unread beyond a bound, so that they take no memory and no time of payments. Senders that are known as
// genuine, and other accounts, have room of their own.
func TestMessagesAtATimeAreBounded(t *testing.T) {
	t.Parallel()
	a, begun, end := mailing(byWebhook), make(chan struct{}, 100), make(chan struct{})
	reads := a.Webhook
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		if sdk.HeaderValue(c.Request.Webhook.Headers, "Slow") != "" {
			begun <- struct{}{}
			<-end
		}
		return reads(c)
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a, "other": renamed(a, "other")})
	shop, other := w.mailAccount("shop", nowhere, ""), w.mailAccount("other", nowhere, "")
	send := func(account, sender string, more ...sdk.Header) error {
		in := mail(account, hookSecret, map[string]any{"reference": "nobody's"})
		in.Sender = sender
		in.Message.Headers = append(in.Message.Headers, more...)
		_, err := w.ReceiveWebhook(t.Context(), in)
		return err
	}
	require.Equal(t, "WE_04", code(t, send(shop.ID, "192.0.2.1")), "the processor is known from here on")
	var all sync.WaitGroup
	defer all.Wait()
	defer close(end)
	for range 32 {
		all.Go(func() { _ = send(shop.ID, "198.51.100.7", sdk.Header{Name: "Slow", Value: "yes"}) })
	}
	for range 32 {
		<-begun
	}
	var e *fault.Error
	require.ErrorAs(t, send(shop.ID, "203.0.113.9"), &e)
	require.Equal(t, fault.KindLimited, e.Kind)
	require.Equal(t, "WE_01", e.Code)
	require.Equal(t, "WE_04", code(t, send(shop.ID, "192.0.2.1")), "the processor's get in")
	require.Equal(t, "WE_04", code(t, send(other.ID, "203.0.113.9")))
}

// TestMessagesOfAProcessorAtOnce: many messages that a processor sends at once wait for each other, and none is refused.
func TestMessagesOfAProcessorAtOnce(t *testing.T) {
	t.Parallel()
	a, end := mailing(byWebhook), make(chan struct{})
	var reading atomic.Int32
	reads := a.Webhook
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		if sdk.HeaderValue(c.Request.Webhook.Headers, "Slow") != "" {
			reading.Add(1)
			<-end
		}
		return reads(c)
	}
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a})
	shop := w.mailAccount("shop", nowhere, "")
	send := func(more ...sdk.Header) string {
		in := mail(shop.ID, hookSecret, map[string]any{"reference": "nobody's"})
		in.Sender = "192.0.2.1"
		in.Message.Headers = append(in.Message.Headers, more...)
		_, err := w.ReceiveWebhook(t.Context(), in)
		return code(t, err)
	}
	require.Equal(t, "WE_04", send(), "the processor is known from here on")
	var all sync.WaitGroup
	for range 80 {
		all.Go(func() { assert.Equal(t, "WE_04", send(sdk.Header{Name: "Slow", Value: "yes"})) })
	}
	for reading.Load() < 32 {
		time.Sleep(time.Millisecond)
	}
	close(end)
	all.Wait()
}

// random returns a text that no compression shortens much.
func random(length int) string {
	var b []byte
	for len(b) < length {
		b = append(b, rand.Text()...)
	}
	return string(b)
}

// A payer cannot make payswitch ask the processor without end: neither by the client's questions, nor by coming back from the bank again and again. Beyond the
// budget the payment is shown as it is stored. The merchant's own questions, and a return after many polls, are asked.
func TestPayerAsksWithinABudget(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorld(t, engine.Options{JournalKeep: time.Hour}, nil)
		w.account("simulator", "")
		v := w.pay(sale(1000, visa, threeDS))
		polls := func(n int) {
			for range n {
				got, err := w.RetrievePayment(t.Context(), w.pk, v.Payment.ID, request.RetrieveInput{ForceSync: true, HasClientSecret: true, ClientSecret: v.Payment.Private.ClientSecret})
				require.NoError(t, err)
				require.Equal(t, payment.RequiresCustomerAction, got.Payment.Status)
			}
		}
		returns := func(n int, form ...sdk.Header) (is payment.Status) {
			for range n {
				r, err := w.PaymentReturn(t.Context(), request.ReturnInput{PaymentID: v.Payment.ID, MerchantID: "m1", Connector: "simulator", Token: w.returnToken(v), Complete: true,
					Return: sdk.Return{Method: "POST", Form: form}})
				require.NoError(t, err)
				is = r.View.Payment.Status
			}
			return is
		}
		polls(100)
		require.Equal(t, 20, w.journalled(sdk.OpSync))
		require.Equal(t, payment.RequiresCustomerAction, returns(100))
		require.Equal(t, 20, w.journalled(sdk.OpComplete))
		completed := slices.DeleteFunc(w.operations(v.Payment.ID), func(op *payment.Operation) bool { return op.Kind != sdk.OpComplete })
		require.Len(t, completed, 20)

		w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true})
		require.Equal(t, 21, w.journalled(sdk.OpSync), "the merchant asks as often as it likes")
		time.Sleep(2 * time.Second)
		polls(5)
		require.Equal(t, 22, w.journalled(sdk.OpSync))
		require.Equal(t, payment.Succeeded, returns(1, sdk.Header{Name: "result", Value: "approve"}))
	})
}

// An account allows a limited number of wrong signatures. The processor's own messages still arrive then, and strangers' do after a while.
func TestWrongSignaturesRunOut(t *testing.T) {
	t.Parallel()
	a := mailing(byWebhook)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": a, "other": renamed(a, "other")})
	shop := w.mailAccount("shop", nowhere, "")
	other := w.mailAccount("other", nowhere, "")
	nothing := map[string]any{"reference": "nobody's", "object": "payment"}
	began, later := time.Now(), time.Duration(0)
	send := func(account, sender, secret string) (fault.Kind, string) {
		in := mail(account, secret, nothing)
		in.Sender = sender
		w.clock.Store(int64(time.Until(began) + later)) // it stands still, however slow the machine is
		_, err := w.ReceiveWebhook(t.Context(), in)
		if err == nil {
			return "", ""
		}
		var e *fault.Error
		require.ErrorAs(t, err, &e)
		return e.Kind, e.Code
	}
	genuine := func(account, sender string) bool {
		kind, c := send(account, sender, hookSecret)
		return kind == fault.KindNotFound && c == "WE_04" // it was read: the payment is not ours
	}
	require.True(t, genuine(shop.ID, "192.0.2.1"), "the processor is known from here on")
	guesses := 0
	for ; guesses < 1000; guesses++ {
		kind, c := send(shop.ID, "198.51.100.7", "a guess")
		require.Equal(t, "WE_01", c)
		if kind == fault.KindLimited {
			break
		}
		require.Equal(t, fault.KindUnauthorized, kind)
	}
	require.Equal(t, 60, guesses)
	kind, _ := send(shop.ID, "203.0.113.9", hookSecret)
	require.Equal(t, fault.KindLimited, kind, "of a stranger's nothing is looked at, so that a right guess shows nothing")
	kind, _ = send("shop", "203.0.113.9", hookSecret)
	require.Equal(t, fault.KindLimited, kind, "under another name of the account neither")
	require.GreaterOrEqual(t, w.alarms.all()["webhook_signatures"], 1)
	require.True(t, genuine(shop.ID, "192.0.2.1"), "the processor's get in")
	require.True(t, genuine(other.ID, "198.51.100.7"), "another account's budget is its own")
	later = 5 * time.Second
	require.True(t, genuine(shop.ID, "203.0.113.9"), "after a while strangers' are looked at again")
	for range 59 { // genuine messages use up no budget
		require.True(t, genuine(shop.ID, "203.0.113.9"))
	}
}

func renamed(a *sdk.Adapter, name string) *sdk.Adapter {
	b := *a
	b.Manifest.Name = name
	return &b
}
