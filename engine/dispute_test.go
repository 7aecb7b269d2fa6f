package engine_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// disputeWorld returns a world with a captured payment of 1000 at a processor that refunds and signs its messages.
func disputeWorld(t *testing.T) (*world, *cashier, *account.Account, string) {
	c := newCashier(t)
	w := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": refunder(byReference)}), t.TempDir()+"/p.db")
	a := w.mailAccount("shop", c.URL, "")
	return w, c, a, w.pay(sale(1000, visa)).Payment.ID
}

// dispute sends a message about a dispute; at is its time in seconds, 0 for none.
func (w *world) dispute(a *account.Account, key, paymentID, id string, status sdk.DisputeStatus, amount int64, currency sdk.Currency, at int64) error {
	_, err := w.ReceiveWebhook(w.t.Context(), mail(a.ID, key, map[string]any{"object": "dispute", "reference": w.get(paymentID, request.RetrieveInput{}).Attempt.Details.Reference,
		"time": at * 1000, "dispute": sdk.Dispute{ID: id, Status: status, Amount: sdk.Money{Minor: amount, Currency: currency}}}))
	return err
}

// What is disputed cannot be refunded, until the merchant has won.
func TestDisputedAmountIsNotRefundable(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	says := func(dispute string, status sdk.DisputeStatus, amount, at int64) {
		t.Helper()
		for range 2 { // messages repeat
			require.NoError(t, w.dispute(a, hookSecret, id, dispute, status, amount, "USD", at))
		}
	}
	refundable := func(want int64) {
		t.Helper()
		require.Equal(t, want, w.get(id, request.RetrieveInput{}).Payment.Refundable())
		_, err := w.refund(id, want+1)
		require.Equal(t, "IR_13", code(t, err))
	}
	says("dp_1", sdk.DisputeOpened, 700, 10)
	refundable(300)
	_, err := w.refund(id, 0)
	require.Equal(t, "IR_13", code(t, err), "the whole is no longer there")
	_, err = w.refund(id, 100)
	require.NoError(t, err)
	refundable(200)
	says("dp_1", sdk.DisputeWon, 700, 30)
	refundable(900)
	says("dp_1", sdk.DisputeOpened, 700, 20) // a message that is late
	refundable(900)
	says("dp_1", sdk.DisputeOpened, 700, 40) // the issuer begins again
	refundable(200)
	says("dp_1", sdk.DisputeLost, 700, 50)
	refundable(200)
	says("dp_2", sdk.DisputeOpened, 150, 0)
	refundable(50)
	says("dp_2", sdk.DisputeWon, 150, 0)
	says("dp_2", sdk.DisputeOpened, 150, 0) // without times, an end is never undone
	refundable(200)
	p := w.get(id, request.RetrieveInput{}).Payment
	require.Equal(t, []any{payment.Succeeded, int64(700), int64(700)}, []any{p.Status, p.Disputed(), p.LostDisputes()})
	require.Empty(t, w.alarms.all())

	records, err := w.ListDisputes(t.Context(), w.auth, request.DisputeListInput{PaymentID: id})
	require.NoError(t, err)
	require.Len(t, records, 2, "one record a dispute, however many messages")
	require.Equal(t, []string{"dispute_opened", "dispute_won", "dispute_opened", "dispute_lost"}, w.events(records[1].ID), "one event a change")
	require.Equal(t, []string{"dispute_opened", "dispute_won"}, w.events(records[0].ID))
	require.Equal(t, []any{sdk.DisputeLost, int64(700), "dp_1"}, []any{records[1].Status, records[1].Amount, records[1].ProcessorID})
}

// The events of a payment, of its refunds and of its disputes share one count, by which a merchant orders them.
func TestEventsOfAPaymentShareOneCount(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	says := func(status sdk.DisputeStatus, at int64) {
		t.Helper()
		require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", status, 500, "USD", at))
	}
	says(sdk.DisputeOpened, 10)
	r, err := w.refund(id, 100)
	require.NoError(t, err)
	w.refundBecomes(r.ID, payment.RefundSucceeded)
	says(sdk.DisputeWon, 20)
	records, err := w.ListDisputes(t.Context(), w.auth, request.DisputeListInput{PaymentID: id})
	require.NoError(t, err)
	require.Len(t, records, 1)

	type counted struct {
		number  int
		payment string
		kind    string
	}
	var all []counted
	require.NoError(t, w.db.View(t.Context(), func(read engine.Reader) error {
		for _, object := range []string{id, r.ID, records[0].ID} {
			list, err := read.Events("m1", object)
			if err != nil {
				return err
			}
			for _, e := range list {
				all = append(all, counted{e.Number, e.Payment(), e.Type})
			}
		}
		return nil
	}))
	slices.SortFunc(all, func(a, b counted) int { return a.number - b.number })
	require.Equal(t, []counted{{1, id, "payment_succeeded"}, {2, id, "dispute_opened"}, {3, id, "refund_succeeded"}, {4, id, "dispute_won"}}, all)
}

// Two nodes get the first message about a dispute at once: they make one record and one event.
func TestDisputeFirstMessageTwice(t *testing.T) {
	t.Parallel()
	a, _, at, _ := disputeWorld(t)
	b := a.second(engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	for range 5 {
		id := a.pay(sale(1000, visa)).Payment.ID
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				require.NoError(t, []*world{a, b}[i%2].dispute(at, hookSecret, id, "dp", sdk.DisputeOpened, 600, "USD", 1))
			})
		}
		wg.Wait()
		records, err := a.ListDisputes(t.Context(), a.auth, request.DisputeListInput{PaymentID: id})
		require.NoError(t, err)
		require.Len(t, records, 1)
		require.Equal(t, []string{"dispute_opened"}, a.events(records[0].ID))
	}
}

// A dispute that an older version booked has a claim and no record: the next message makes the record.
func TestDisputeOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		p, err := tx.Payment("m1", id)
		if err != nil {
			return err
		}
		p.Details.Disputes = []payment.Claim{{ID: "dp_1", AttemptID: p.AttemptID, Status: sdk.DisputeOpened, Amount: 700}}
		return tx.UpdatePayment(p)
	}))
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeLost, 700, "USD", 0))
	v := w.get(id, request.RetrieveInput{})
	require.Len(t, v.Disputes, 1)
	require.Equal(t, []any{sdk.DisputeLost, sdk.StageDispute, int64(700)}, []any{v.Disputes[0].Status, v.Disputes[0].Stage, v.Payment.LostDisputes()})
}

// A message that proves nothing, or that cannot be right, takes nothing from what can be refunded. The second kind raises the alarm.
func TestDisputeThatIsNotBooked(t *testing.T) {
	t.Parallel()
	w, _, a, id := disputeWorld(t)
	require.Equal(t, "WE_01", code(t, w.dispute(a, "another secret", id, "dp", sdk.DisputeOpened, 500, "USD", 1)))
	require.Empty(t, w.alarms.all())
	for i, c := range []struct {
		id       string
		status   sdk.DisputeStatus
		amount   int64
		currency sdk.Currency
	}{{"dp", sdk.DisputeOpened, 500, "EUR"}, {"dp", sdk.DisputeOpened, 0, "USD"}, {"dp", sdk.DisputeOpened, -500, "USD"}, {"", sdk.DisputeOpened, 500, "USD"},
		{"dp", "asked", 500, "USD"}} {
		require.NoError(t, w.dispute(a, hookSecret, id, c.id, c.status, c.amount, c.currency, 1))
		require.Equal(t, i+1, w.alarms.all()["dispute_needs_look"])
	}
	require.Zero(t, w.get(id, request.RetrieveInput{}).Payment.Disputed())
	_, err := w.refund(id, 1000)
	require.NoError(t, err)
	require.NoError(t, w.dispute(a, hookSecret, id, "dp", sdk.DisputeOpened, 500, "USD", 1))
	require.Equal(t, 6, w.alarms.all()["dispute_needs_look"], "the customer has the money already")
	require.Equal(t, int64(-500), w.get(id, request.RetrieveInput{}).Payment.Refundable())
	_, err = w.refund(id, 1)
	require.Equal(t, "IR_13", code(t, err))
}

// Refunds on two nodes and a dispute arrive at once: whichever comes first takes the money, and a refund never takes what is disputed.
func TestRefundsAndADisputeAtOnce(t *testing.T) {
	t.Parallel()
	a, c, at, _ := disputeWorld(t)
	b := a.second(engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	for range 5 {
		id := a.pay(sale(1000, visa)).Payment.ID
		before, _ := c.paid()
		alarms := a.alarms.all()["dispute_needs_look"] + b.alarms.all()["dispute_needs_look"]
		var wg sync.WaitGroup
		results := make([]error, 6)
		for i := range results {
			wg.Go(func() { _, results[i] = []*world{a, b}[i%2].refund(id, 300) })
		}
		wg.Go(func() { require.NoError(t, b.dispute(at, hookSecret, id, "dp", sdk.DisputeOpened, 600, "USD", 1)) })
		wg.Wait()
		done := int64(0)
		for _, err := range results {
			if err == nil {
				done++
				continue
			}
			require.Equal(t, "IR_13", code(t, err))
		}
		sum, _ := c.paid()
		require.Equal(t, 300*done, sum-before)
		require.Equal(t, []int64{300 * done, 300 * done}, refundAmounts(a, id))
		p := a.get(id, request.RetrieveInput{}).Payment
		require.Equal(t, int64(600), p.Disputed())
		raised := a.alarms.all()["dispute_needs_look"] + b.alarms.all()["dispute_needs_look"] - alarms
		require.Equal(t, map[bool]int{true: 1}[p.Refundable() < 0], raised, "only a dispute of money that is gone already needs a look")
		require.GreaterOrEqual(t, done, int64(1))
	}
}

// A message about a dispute that proves nothing is not believed. The processor is asked about the payment, and a person is alarmed, once: no processor
// answers a query about a dispute.
func TestUnsignedDispute(t *testing.T) {
	t.Parallel()
	c := newProcessor(t)
	w := newWorldWith(t, quick, plugins.NativeConnectors(map[string]*sdk.Adapter{"shop": withoutProof(mailing(byReference))}), t.TempDir()+"/p.db")
	a := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	for i, amount := range []int64{500, 500, 1000, -7} {
		require.Equal(t, "WE_01", code(t, w.dispute(a, "no secret", id, fmt.Sprint("dp_", i), sdk.DisputeOpened, amount, "USD", 1)))
	}
	require.Equal(t, map[string]int{"dispute_unproven": 1}, w.alarms.all())
	require.Equal(t, 4, c.count("GET"), "the processor is asked")
	p := w.get(id, request.RetrieveInput{}).Payment
	require.Equal(t, []any{payment.Succeeded, int64(0), int64(1000)}, []any{p.Status, p.Disputed(), p.Refundable()})
	require.Len(t, w.evidence(w.operations(id)[0].ID), 1)

	c.hangs.Store(true) // of a payment whose end is not known, the answer books the end
	open := w.pay(sale(100, visa)).Payment
	require.Equal(t, payment.Processing, open.Status)
	c.hangs.Store(false)
	require.Equal(t, "WE_01", code(t, w.dispute(a, "no secret", open.ID, "dp", sdk.DisputeLost, 100, "USD", 1)))
	require.Equal(t, payment.Succeeded, w.get(open.ID, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, map[string]int{"dispute_unproven": 2}, w.alarms.all())

	for range 200 { // a stranger cannot make the switch ask without end
		require.Error(t, w.dispute(a, "no secret", id, "dp", sdk.DisputeOpened, 1, "USD", 1))
	}
	require.Less(t, c.count("GET"), 100)
}
