package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

func (w *world) refund(paymentID string, amount int64, change ...func(*request.RefundInput)) (*payment.Refund, error) {
	in := &request.RefundInput{PaymentID: paymentID}
	if amount > 0 {
		in.Amount = &amount
	}
	for _, f := range change {
		f(in)
	}
	return w.CreateRefund(context.Background(), w.auth, in)
}

func named(id string) func(*request.RefundInput) {
	return func(in *request.RefundInput) { in.RefundID = id }
}
func scheduled(in *request.RefundInput)             { in.Type = payment.RefundScheduled }
func (w *world) refunded(id string) *payment.Refund { return w.refundedBy(id, false) }
func (w *world) refundedBy(id string, sync bool) *payment.Refund {
	w.t.Helper()
	r, err := w.RetrieveRefund(w.t.Context(), w.auth, id, sync)
	require.NoError(w.t, err)
	return r
}

func (w *world) refundBecomes(id string, want payment.RefundStatus) *payment.Refund {
	w.t.Helper()
	require.Eventually(w.t, func() bool { return w.refunded(id).Status == want }, 20*time.Second, 20*time.Millisecond, "the refund never became %s", want)
	return w.refunded(id)
}

func (w *world) refundOperation(r *payment.Refund) *payment.Operation {
	w.t.Helper()
	for _, op := range w.operations(r.PaymentID) {
		if op.ID == r.OperationID {
			return op
		}
	}
	w.t.Fatal("the refund has no operation")
	return nil
}

// due makes background work look at a refund now; it would have looked after the time wait.
func (w *world) due(r *payment.Refund, wait time.Duration) {
	w.t.Helper()
	require.NoError(w.t, w.db.Update(w.t.Context(), func(tx engine.Tx) error {
		op, err := tx.Operation(r.OperationID)
		if err != nil {
			return err
		}
		require.WithinRange(w.t, op.ResolveAt, op.StartedAt.Add(wait), time.Now().Add(wait))
		op.ResolveAt = tx.Now()
		return tx.UpdateOperation(op)
	}))
}

// Every check of a refund, in the contract's order, and what is left after full and partial refunds.
func TestRefunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.pay(sale(1000, visa))
	id := v.Payment.ID

	r, err := w.refund(id, 300, named("r1"), func(in *request.RefundInput) { in.Reason, in.Metadata = "size", json.RawMessage(`{"a":1}`) })
	require.NoError(t, err)
	require.Equal(t, []any{"r1", id, int64(300), payment.RefundSucceeded, "size", v.Attempt.AccountID, "simulator"},
		[]any{r.ID, r.PaymentID, r.Amount, r.Status, r.Details.Reason, r.AccountID, r.Connector})
	require.NotEmpty(t, r.ProcessorID)
	require.Equal(t, []string{"refund_succeeded"}, w.events("r1"))
	require.Equal(t, r, w.refunded("r1"))

	got := w.get(id, request.RetrieveInput{})
	require.Equal(t, payment.Succeeded, got.Payment.Status, "a refund leaves the payment's status alone")
	require.Equal(t, []int64{300, 300}, []int64{got.Payment.Refunded, got.Payment.Details.RefundedTotal})
	require.Len(t, got.Refunds, 1)

	for name, c := range map[string]struct {
		in   request.RefundInput
		code string
	}{
		"unknown payment":      {request.RefundInput{PaymentID: "none"}, "HE_02"},
		"whole again":          {request.RefundInput{PaymentID: id}, "IR_13"},
		"too much":             {request.RefundInput{PaymentID: id, Amount: ptr[int64](701)}, "IR_13"},
		"too much, id taken":   {request.RefundInput{PaymentID: id, Amount: ptr[int64](701), RefundID: "r1"}, "IR_13"},
		"zero":                 {request.RefundInput{PaymentID: id, Amount: ptr[int64](0)}, "IR_05"},
		"negative":             {request.RefundInput{PaymentID: id, Amount: ptr[int64](-5)}, "IR_05"},
		"id taken":             {request.RefundInput{PaymentID: id, Amount: ptr[int64](1), RefundID: "r1"}, "HE_01"},
		"another merchant":     {request.RefundInput{PaymentID: id, MerchantID: "m2"}, "IR_05"},
		"not captured":         {request.RefundInput{PaymentID: w.pay(sale(1000, visa, manual)).Payment.ID}, "IR_14"},
		"declined payment":     {request.RefundInput{PaymentID: w.pay(sale(1000, "4000000000000002")).Payment.ID}, "IR_14"},
		"unconfirmed payment":  {request.RefundInput{PaymentID: w.pay(sale(1000, visa, func(in *request.Input) { in.Confirm = nil })).Payment.ID}, "IR_14"},
		"multiple not yet all": {request.RefundInput{PaymentID: w.halfCaptured(multiple).Payment.ID}, "IR_14"},
	} {
		_, err := w.CreateRefund(t.Context(), w.auth, &c.in)
		require.Equal(t, c.code, code(t, err), name)
	}
	_, err = w.CreateRefund(t.Context(), w.pk, &request.RefundInput{PaymentID: id})
	require.Equal(t, "IR_01", code(t, err))
	_, err = w.CreateRefund(t.Context(), account.Auth{MerchantID: "m1", ProfileID: "pro_other"}, &request.RefundInput{PaymentID: id})
	require.Equal(t, "HE_02", code(t, err))
	for _, auth := range []account.Auth{{MerchantID: "m2"}, {MerchantID: "m1", ProfileID: "pro_other"}} {
		_, err = w.RetrieveRefund(t.Context(), auth, "r1", false)
		require.EqualError(t, err, "HE_02: Refund does not exist in our records.", "%v", auth)
	}

	r, err = w.refund(id, 700)
	require.NoError(t, err)
	require.Regexp(t, `^ref_\w{20}$`, r.ID)
	_, err = w.refund(id, 1)
	require.Equal(t, "IR_13", code(t, err))
	w.pass(payment.MaxRefundAge + time.Hour)
	_, err = w.refund(w.pay(sale(5, visa)).Payment.ID, 0)
	require.NoError(t, err)
	old := w.pay(sale(5, visa)).Payment.ID
	w.pass(payment.MaxRefundAge + time.Hour)
	_, err = w.refund(old, 0)
	require.Equal(t, "IR_05", code(t, err))
}

// halfCaptured returns a payment of 1000 with a capture of 400.
func (w *world) halfCaptured(method func(*request.Input)) *change.View {
	w.t.Helper()
	v := w.pay(sale(1000, visa, method))
	v, err := w.CapturePayment(w.t.Context(), w.auth, v.Payment.ID, &request.CaptureInput{Amount: ptr[int64](400)})
	require.NoError(w.t, err)
	return v
}

// A partly captured payment is refundable up to what was captured.
func TestRefundOfPartialCapture(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	v := w.halfCaptured(manual)
	require.Equal(t, payment.PartiallyCaptured, v.Payment.Status)
	_, err := w.refund(v.Payment.ID, 401)
	require.Equal(t, "IR_13", code(t, err))
	r, err := w.refund(v.Payment.ID, 0)
	require.NoError(t, err)
	require.Equal(t, int64(400), r.Amount, "the default is the captured amount")
	require.Equal(t, payment.RefundSucceeded, r.Status)
}

// The twelfth refund is refused, whatever became of the others.
func TestRefundAttempts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	id := w.pay(sale(1000, visa)).Payment.ID
	for range payment.MaxRefunds {
		_, err := w.refund(id, 1)
		require.NoError(t, err)
	}
	_, err := w.refund(id, 1)
	require.Equal(t, "IR_12", code(t, err))
}

// A disabled account still refunds its payments.
func TestRefundAtDisabledAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	a := w.account("simulator", "")
	id := w.pay(sale(1000, visa)).Payment.ID
	_, err := w.UpdateAccount(t.Context(), w.auth, a.ID, account.AccountInput{Type: "payment_processor", Disabled: ptr(true)})
	require.NoError(t, err)
	_, err = w.CreatePayment(t.Context(), w.auth, sale(1000, visa))
	require.Error(t, err)
	r, err := w.refund(id, 1000)
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, r.Status)
}

// An adapter without refunds, or without partial ones, is refused before anything is sent.
func TestRefundNotOffered(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(a *sdk.Adapter)
		amount int64
		param  string
	}{
		"no refund": {func(a *sdk.Adapter) { a.Refund, a.RefundSync = nil, nil }, 1000, ""},
		"no part":   {func(a *sdk.Adapter) { a.Manifest.Features.PartialRefund = false }, 999, "amount"},
	} {
		t.Run(name, func(t *testing.T) {
			processor, a := newCashier(t), refunder(byReference)
			c.change(a)
			w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
			w.shopAccount(processor.URL)
			id := w.pay(sale(1000, visa)).Payment.ID
			_, err := w.refund(id, c.amount)
			require.Equal(t, "IR_20", code(t, err))
			var refused *fault.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.param, refused.Param)
			require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
			if c.param == "amount" {
				r, err := w.refund(id, 1000)
				require.NoError(t, err)
				require.Equal(t, payment.RefundSucceeded, r.Status)
			}
		})
	}
}

// A refusal of the processor is a failed refund with the processor's code, and gives the amount free again.
func TestRefusedRefund(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "refuse"
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 600, named("no"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundFailed, r.Status)
	require.Equal(t, "payment_not_refundable", r.Details.Error.Code)
	require.Equal(t, []string{"refund_failed"}, w.events("no"))
	require.Empty(t, w.alarms.all())
	require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
	c.set(func() { c.act = "ok" })
	r, err = w.refund(id, 1000)
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, r.Status)
}

func refundAmounts(w *world, id string) []int64 {
	p := w.get(id, request.RetrieveInput{}).Payment
	return []int64{p.Refunded, p.Details.RefundedTotal}
}

// The processor gave back another amount: a person looks, and the amount stays taken.
func TestRefundOfAnotherAmount(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "rest"
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundReview, r.Status)
	require.Equal(t, 1, w.alarms.all()["amount_mismatch"])
	require.Empty(t, w.events("r"))
	_, err = w.refund(id, 401)
	require.Equal(t, "IR_13", code(t, err))

	w.needsTwo(`{"required":true}`)
	for _, status := range []string{"failed", "pending", "succeeded"} { // one person alone would free the amount for another refund
		require.ErrorContains(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: status}), "second person", status)
	}
	require.Equal(t, payment.RefundReview, w.refunded("r").Status)
	w.needsTwo(`{"required":true,"limits":{"USD":600}}`)
	require.NoError(t, w.DecideRefund(t.Context(), "r", request.RefundDecision{MerchantID: "m1", Status: "failed"}))
}

// The processor answers with the id of an earlier refund: whether it gave the money back twice is not known, and the merchant never reads that it did.
func TestRefundWithTheIDOfAnother(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id, other := w.pay(sale(1000, visa)).Payment.ID, w.pay(sale(1000, visa)).Payment.ID
	first, err := w.refund(id, 300)
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundSucceeded, "re_1"}, []any{first.Status, first.ProcessorID})
	c.set(func() { c.act = "same" })
	for i, of := range []string{id, other} {
		second, err := w.refund(of, 300, named(fmt.Sprintf("second_%d", i)))
		require.NoError(t, err)
		require.Equal(t, []any{payment.RefundPending, ""}, []any{second.Status, second.ProcessorID})
		require.Equal(t, payment.OperationUnknown, w.refundOperation(second).Status)
		require.Equal(t, payment.RefundPending, w.refundedBy(second.ID, true).Status, "asking again brings the same id")
		require.GreaterOrEqual(t, w.alarms.all()["impossible_outcome"], i+1)
	}
	require.Equal(t, []int64{600, 300}, refundAmounts(w, id), "the amount stays taken")
}

// Refunds of one payment arrive at once on two nodes. Together they never exceed the captured amount.
func TestRefundsAtOnce(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	adapters := map[string]*sdk.Adapter{"shop": refunder(byReference)}
	a := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(c.URL)
	b := a.second(engine.Options{}, adapters)
	for round := range 5 {
		id := a.pay(sale(1000, visa)).Payment.ID
		before, _ := c.paid()
		var wg sync.WaitGroup
		results := make([]error, 8)
		for i := range results {
			wg.Go(func() {
				node := a
				if i%2 == 1 {
					node = b
				}
				_, results[i] = node.refund(id, 300)
			})
		}
		wg.Wait()
		done := 0
		for _, err := range results {
			if err == nil {
				done++
				continue
			}
			require.Equal(t, "IR_13", code(t, err))
		}
		require.Equal(t, 3, done)
		sum, _ := c.paid()
		require.Equal(t, int64(900), sum-before, "round %d: the processor's books", round)
		require.Equal(t, []int64{900, 900}, refundAmounts(a, id))
	}
}

// Refunds of two payments arrive at once with one id: one is made.
func TestRefundIDAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	payments := []string{w.pay(sale(1000, visa)).Payment.ID, w.pay(sale(1000, visa)).Payment.ID}
	var wg sync.WaitGroup
	results := make([]error, 6)
	for i := range results {
		wg.Go(func() { _, results[i] = w.refund(payments[i%2], 100, named("same")) })
	}
	wg.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
			continue
		}
		require.Equal(t, "HE_01", code(t, err))
	}
	require.Equal(t, 1, made)
	require.Equal(t, int64(100), refundAmounts(w, payments[0])[0]+refundAmounts(w, payments[1])[0], "the refused ones took nothing")
}

// A second refund is decided while the first is under way: its amount counts already.
func TestRefundWhileAnotherIsUnderWay(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.hold = make(chan struct{})
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	done := make(chan *payment.Refund)
	go func() { r, _ := w.refund(id, 700, named("first")); done <- r }()
	<-c.arrived
	_, err := w.refund(id, 301)
	require.Equal(t, "IR_13", code(t, err))
	require.Equal(t, payment.RefundPending, w.refunded("first").Status)
	go func() { r, _ := w.refund(id, 300, named("second")); done <- r }()
	<-c.arrived // a refund does not wait for another
	close(c.hold)
	require.Equal(t, payment.RefundSucceeded, (<-done).Status)
	require.Equal(t, payment.RefundSucceeded, (<-done).Status)
	require.Equal(t, []int64{1000, 1000}, refundAmounts(w, id))
}

// A refund without an answer is unknown, and settled by the processor's own rule: by a query, or by the same request under the same key.
func TestUnknownRefund(t *testing.T) {
	resend := sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 3600}
	for name, x := range map[string]struct {
		rule sdk.ResolveRule
		act  string
		want payment.RefundStatus
	}{
		"acted, query":     {byReference, "hang", payment.RefundSucceeded},
		"not acted, query": {sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 1}, "drop", payment.RefundFailed},
		"acted, resend":    {resend, "hang", payment.RefundSucceeded},
		"not acted resend": {resend, "drop", payment.RefundSucceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCashier(t)
			c.act = x.act
			w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(x.rule)})
			w.shopAccount(c.URL)
			id := w.pay(sale(1000, visa)).Payment.ID
			r, err := w.refund(id, 600, named("r"))
			require.NoError(t, err)
			require.Equal(t, payment.RefundPending, r.Status)
			require.Equal(t, payment.OperationUnknown, w.refundOperation(r).Status)
			require.Empty(t, w.get(id, request.RetrieveInput{}).Payment.OpenOperation, "the payment is free for other refunds")
			_, err = w.refund(id, 401)
			require.Equal(t, "IR_13", code(t, err), "what may have been refunded counts")
			c.set(func() { c.act = "ok" })
			w.running()
			r = w.refundBecomes("r", x.want)
			sum, _ := c.paid()
			require.Equal(t, []int64{sum, sum}, refundAmounts(w, id), "both books are equal")
			if x.want == payment.RefundFailed {
				require.Equal(t, "not_processed", r.Details.Error.Code)
			}
			require.Len(t, w.events("r"), 1)
			_, posts := c.paid()
			require.LessOrEqual(t, posts, 2)
		})
	}
}

// A refund that was taken for not processed shows up after all: the books follow the processor, with an alarm.
func TestRefundThatHappenedAfterAll(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "drop"
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 1})})
	a := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	w.running()
	w.refundBecomes("r", payment.RefundFailed)
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": r.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_late", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.RefundSucceeded, w.refunded("r").Status)
	require.Equal(t, "re_late", w.refunded("r").ProcessorID)
	require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
	require.Equal(t, []string{"refund_failed", "refund_succeeded"}, w.events("r"))
	require.Zero(t, w.alarms.all()["refund_exceeds"])

	// Another refund has used the amount up meanwhile: more than was captured is gone, and a person must know.
	r, err = w.refund(id, 400, named("r2"))
	require.NoError(t, err)
	w.refundBecomes("r2", payment.RefundFailed)
	c.set(func() { c.act = "ok" })
	_, err = w.refund(id, 400, named("r3"))
	require.NoError(t, err)
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": r.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_later", Amount: &sdk.Money{Minor: 400, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, []int64{1400, 1400}, refundAmounts(w, id))
	require.Equal(t, 1, w.alarms.all()["refund_exceeds"])
	_, err = w.refund(id, 1)
	require.Equal(t, "IR_13", code(t, err))

	// A dispute has used the amount up meanwhile.
	id = w.pay(sale(1000, visa)).Payment.ID
	c.set(func() { c.act = "drop" })
	r, err = w.refund(id, 600, named("r4"))
	require.NoError(t, err)
	w.refundBecomes("r4", payment.RefundFailed)
	require.NoError(t, w.dispute(a, hookSecret, id, "dp_1", sdk.DisputeOpened, 1000, "USD", 0))
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": r.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_last", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, 2, w.alarms.all()["refund_exceeds"])
}

// A node is killed after every commit of a refund, and before every commit. The refund ends all the same, and acts once.
func TestRefundKilledBetweenAnyTwoSteps(t *testing.T) {
	for _, after := range []bool{true, false} {
		for last := int64(0); last <= 3; last++ {
			t.Run(fmt.Sprintf("%v/%d", after, last), func(t *testing.T) {
				t.Parallel()
				c := newCashier(t)
				file := filepath.Join(t.TempDir(), "p.db")
				adapters := map[string]*sdk.Adapter{"shop": refunder(sdk.ResolveRule{By: byReference.By, NotFoundFinalAfterSeconds: 1})}
				o := engine.Options{LeaseTime: quick.LeaseTime, ResolveEvery: 50 * time.Millisecond, SettleTimeout: 20 * time.Millisecond, JournalKeep: -1}
				w := newWorldWith(t, o, plugins.NativeConnectors(adapters), file)
				w.shopAccount(c.URL)
				id := w.pay(sale(1000, visa)).Payment.ID
				m := &mortal{Store: w.db, Connectors: plugins.NativeConnectors(adapters), last: last, after: after}
				first, err := engine.New(engine.Deps{Store: m, Connectors: m, Vault: w.vault, Presenter: presenter{}}, o)
				require.NoError(t, err)
				first.CreateRefund(t.Context(), w.auth, &request.RefundInput{PaymentID: id, RefundID: "r", Amount: ptr[int64](600)})
				outlive(w)
				w.running()
				_, err = w.RetrieveRefund(t.Context(), w.auth, "r", false)
				if err == nil {
					require.Eventually(t, func() bool { return w.refunded("r").Status.Final() }, 20*time.Second, 20*time.Millisecond)
				} else {
					require.Equal(t, "HE_02", code(t, err), "nothing was stored")
				}
				sum, posts := c.paid()
				require.Equal(t, []int64{sum, sum}, refundAmounts(w, id))
				require.LessOrEqual(t, posts, 1)
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				first.Close(ctx)
			})
		}
	}
}

// The same request, repeated with its Idempotency-Key after the node died, finds its refund.
func TestRepeatedRefund(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	id := w.pay(sale(1000, visa)).Payment.ID
	for _, change := range []func(*request.RefundInput){func(*request.RefundInput) {}, scheduled} {
		auth := w.auth
		auth.RequestToken = fmt.Sprintf("token %p", change)
		in := &request.RefundInput{PaymentID: id, Amount: ptr[int64](100)}
		change(in)
		r, err := w.CreateRefund(t.Context(), auth, in)
		require.NoError(t, err)
		auth.Repeated = true
		again, err := w.CreateRefund(t.Context(), auth, in)
		require.NoError(t, err)
		require.Equal(t, r, again)
	}
	require.Len(t, w.get(id, request.RetrieveInput{}).Refunds, 2)
}

// A scheduled refund is sent by background work. Until then nothing contacts the processor.
func TestScheduledRefund(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 0, scheduled, named("r"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, r.Status)
	for _, sync := range []bool{false, true} {
		r = w.refundedBy("r", sync)
		require.Equal(t, []any{payment.RefundPending, ""}, []any{r.Status, r.ProcessorID})
	}
	_, err = w.refund(id, 1)
	require.Equal(t, "IR_13", code(t, err), "it counts from its creation")
	_, posts := c.paid()
	require.Zero(t, posts)
	w.due(r, payment.RefundScheduleDelay)
	w.running()
	r = w.refundBecomes("r", payment.RefundSucceeded)
	require.Equal(t, "re_1", r.ProcessorID)
	sum, posts := c.paid()
	require.Equal(t, []int64{1000, 1}, []int64{sum, int64(posts)})
}

// A pending refund is settled by force_sync, by a message that comes twice and out of order, and by background work.
func TestPendingRefund(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "pending"
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	a := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	pending := func(ref string) *payment.Refund {
		r, err := w.refund(id, 100, named(ref))
		require.NoError(t, err)
		require.Equal(t, payment.RefundPending, r.Status)
		require.NotEmpty(t, r.ProcessorID)
		return r
	}
	r := pending("sync")
	require.Equal(t, payment.RefundPending, w.refundedBy("sync", true).Status, "nothing new")
	c.set(func() { c.refunds[r.Reference].State = "done" })
	require.Equal(t, payment.RefundPending, w.refunded("sync").Status, "without force_sync nobody asks")
	require.Equal(t, payment.RefundSucceeded, w.refundedBy("sync", true).Status)
	require.Equal(t, payment.RefundSucceeded, w.refundedBy("sync", true).Status)
	require.Len(t, w.events("sync"), 1)

	r = pending("mail")
	message := func(status sdk.OutcomeStatus) {
		t.Helper()
		o := sdk.Outcome{Status: status, RefundID: r.ProcessorID}
		if status == sdk.StatusDeclined {
			o.Decline = &sdk.Decline{Code: "expired_card", Message: "The card has expired."}
		}
		_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "outcome": o}))
		require.NoError(t, err)
	}
	message(sdk.StatusPending)
	require.Equal(t, payment.RefundPending, w.refunded("mail").Status)
	for range 2 {
		message(sdk.StatusDeclined)
	}
	require.Equal(t, "expired_card", w.refunded("mail").Details.Error.Code)
	c.set(func() { c.refunds[r.Reference].State = "pending" })
	message(sdk.StatusPending)
	message(sdk.StatusRefunded) // out of order: the processor answers the query: the refund has not ended
	require.Equal(t, payment.RefundFailed, w.refunded("mail").Status)
	require.Equal(t, []string{"refund_failed"}, w.events("mail"))
	c.set(func() { c.refunds[r.Reference].State = "done" })
	message(sdk.StatusRefunded) // the processor, asked, says the same
	require.Equal(t, payment.RefundSucceeded, w.refunded("mail").Status)
	require.Equal(t, 1, w.alarms.all()["late_evidence"])

	r = pending("sweep")
	c.set(func() { c.refunds[r.Reference].State = "done" })
	w.due(r, time.Minute)
	w.running()
	w.refundBecomes("sweep", payment.RefundSucceeded)
	require.Equal(t, []int64{300, 300}, refundAmounts(w, id))
}

// The processor's message comes before its answer: it waits for the answer, and is booked with it.
func TestRefundMessageBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"pending", "ok", "hang"} {
		t.Run(answer, func(t *testing.T) {
			c := newCashier(t)
			c.act, c.hold = answer, make(chan struct{})
			w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
			a := w.mailAccount("shop", c.URL, "")
			id := w.pay(sale(1000, visa)).Payment.ID
			done := make(chan *payment.Refund)
			go func() { r, _ := w.refund(id, 600, named("r")); done <- r }()
			reference := <-c.arrived
			for range 2 {
				_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": reference,
					"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}))
				require.NoError(t, err)
			}
			require.Equal(t, payment.RefundPending, w.refunded("r").Status)
			close(c.hold)
			require.Equal(t, payment.RefundSucceeded, (<-done).Status)
			require.Equal(t, []string{"refund_succeeded"}, w.events("r"))
			require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
			require.Empty(t, w.alarms.all())
		})
	}
}

// A message about a refund of a payment says nothing about the payment, and a query about the payment nothing about its refunds.
func TestRefundAndPaymentApart(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "hang"
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	a := w.mailAccount("shop", c.URL, "")
	v := w.pay(sale(1000, visa))
	_, err := w.refund(v.Payment.ID, 600, named("r"))
	require.NoError(t, err)
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": v.Attempt.Details.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusCaptured, Amount: &sdk.Money{Minor: 1000, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	require.Equal(t, payment.Succeeded, w.get(v.Payment.ID, request.RetrieveInput{ForceSync: true}).Payment.Status)

	// Made in the processor's own dashboard: kept, and no refund of ours changes.
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": v.Attempt.Details.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_other", Amount: &sdk.Money{Minor: 1, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"object": "refund", "reference": "nobody's",
		"outcome": sdk.Outcome{Status: sdk.StatusRefunded}}))
	require.Equal(t, "WE_04", code(t, err))
}

func TestUpdateAndListRefunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engine.Options{}, nil)
	w.account("simulator", "")
	id := w.pay(sale(1000, visa)).Payment.ID
	for i := range 3 {
		_, err := w.refund(id, int64(100+i), named(fmt.Sprintf("r%d", i)))
		require.NoError(t, err)
	}
	_, err := w.UpdateRefund(t.Context(), w.auth, "r1", request.RefundUpdate{Reason: ptr("broken")})
	require.NoError(t, err)
	r, err := w.UpdateRefund(t.Context(), w.auth, "r1", request.RefundUpdate{Metadata: json.RawMessage(`{"x":1}`)})
	require.NoError(t, err)
	require.Equal(t, []any{"broken", `{"x":1}`, payment.RefundSucceeded}, []any{r.Details.Reason, string(r.Details.Metadata), r.Status})
	require.Equal(t, r, w.refunded("r1"))
	_, err = w.UpdateRefund(t.Context(), w.auth, "none", request.RefundUpdate{})
	require.Equal(t, "HE_02", code(t, err))

	list, total, err := w.ListRefunds(t.Context(), w.auth, request.RefundListInput{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []any{3, 2, "r2"}, []any{total, len(list), list[0].ID})
	for _, limit := range []int{-1, 101} {
		_, _, err = w.ListRefunds(t.Context(), w.auth, request.RefundListInput{Limit: limit})
		require.Equal(t, "IR_06", code(t, err))
	}
}
