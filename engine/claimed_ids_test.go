package engine_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/relay"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// Two refunds of different payments are answered at the same instant with one id of the processor's, on two nodes. One of them is made; of the other
// nothing is known.
func TestRefundsWithOneIDAtOnce(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	adapters := map[string]*sdk.Adapter{"shop": refunder(byReference)}
	a := newWorldWith(t, engine.Options{}, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(c.URL)
	b := a.second(engine.Options{}, adapters)
	c.set(func() { c.act = "same" })
	for round := range 4 {
		hold := make(chan struct{})
		c.set(func() { c.hold, c.refunds = hold, map[string]*paidBack{} })
		ids := []string{a.pay(sale(1000, visa)).Payment.ID, a.pay(sale(1000, visa)).Payment.ID}
		c.set(func() { c.same = fmt.Sprintf("re_%d", round) })
		refunds := make([]*payment.Refund, 2)
		var wg sync.WaitGroup
		for i, node := range []*world{a, b} {
			wg.Go(func() { refunds[i], _ = node.refund(ids[i], 300) })
		}
		<-c.arrived
		<-c.arrived
		close(hold)
		wg.Wait()
		made := 0
		for i, r := range refunds {
			if r.Status == payment.RefundSucceeded {
				made++
				continue
			}
			require.Equal(t, []any{payment.RefundPending, "", payment.OperationUnknown}, []any{r.Status, r.ProcessorID, a.refundOperation(r).Status})
			require.Equal(t, []int64{300, 0}, refundAmounts(a, ids[i]), "the amount stays taken")
		}
		require.Equal(t, 1, made, "round %d", round)
		require.Equal(t, round+1, a.alarms.all()["impossible_outcome"]+b.alarms.all()["impossible_outcome"])
	}
}

// forger is a processor that answers with ids of other payments: tests set what it answers to an operation.
type forger struct {
	*httptest.Server
	mu  sync.Mutex
	say map[string]map[string]any // by path: fields that take the place of its own answer
}

func newForger(t *testing.T) *forger {
	f := &forger{say: map[string]map[string]any{}}
	n := 0
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		n++
		answer := map[string]any{"id": fmt.Sprintf("tx_%d", n), "capture": fmt.Sprintf("cap_%d", n)}
		if r.URL.Path != "/authorize" {
			delete(answer, "id")
		}
		for k, v := range f.say[r.URL.Path] {
			answer[k] = v
		}
		json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(f.Server.Close)
	return f
}

func (f *forger) says(path string, answer map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say[path] = answer
}

// forging returns the adapter of a forger. Its approvals, captures, voids and extensions bring whatever ids the processor answers with.
func forging() *sdk.Adapter {
	a := mailing(byReference)
	ask := func(path string, status sdk.OutcomeStatus) func(c *sdk.Call) (*sdk.Outcome, error) {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			r, err := c.Do(&sdk.Send{Method: "POST", URL: path, Headers: []sdk.Header{{Name: "Content-Type", Value: "application/json"}}, Body: []byte(`{}`)})
			if err != nil {
				return nil, err
			}
			j := r.JSON()
			o := &sdk.Outcome{Status: status, TransactionID: j.Str("id")}
			switch {
			case j.Str("declined") != "":
				o.Status, o.Decline = sdk.StatusDeclined, &sdk.Decline{Code: j.Str("declined"), Message: "No.", Reason: sdk.DeclineGeneric}
			case path == "/capture":
				o.CaptureID, o.Amount = j.Str("capture"), &c.Request.Amount
			case path == "/extend":
				yes := true
				o.Hold = &sdk.Hold{Extended: &yes}
			}
			return o, nil
		}
	}
	a.Authorize, a.Capture, a.Void, a.ExtendAuthorization = ask("/authorize", sdk.StatusAuthorized), ask("/capture", sdk.StatusCaptured), ask("/void", sdk.StatusVoided), ask("/extend", sdk.StatusAuthorized)
	return a
}

// In a demo, processors may be mocks that answer with recorded ids.
func TestMocksAnswerWithOneID(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	f.says("/authorize", map[string]any{"id": "recorded"})
	for mocks, second := range map[bool]payment.Status{true: payment.RequiresCapture, false: payment.Processing} {
		w := newWorld(t, engine.Options{Mocks: mocks}, map[string]*sdk.Adapter{"shop": forging()})
		w.shopAccount(f.URL)
		require.Equal(t, payment.RequiresCapture, w.pay(sale(100, visa, manual)).Payment.Status)
		require.Equal(t, second, w.pay(sale(100, visa, manual)).Payment.Status)
	}
}

// An answer, or a report, that brings the id of another payment's charge or capture proves nothing about this payment: two payments of the merchant's
// never rest on one charge of the processor's.
func TestAnswersWithIDsOfOtherPayments(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": forging()})
	w.shopAccount(f.URL)
	theirs := w.pay(sale(100, visa, manual)) // its charge and its capture are what the answers name later
	require.Equal(t, payment.RequiresCapture, theirs.Payment.Status)
	tx := theirs.Attempt.TransactionID
	theirs, err := w.CapturePayment(t.Context(), w.auth, theirs.Payment.ID, &request.CaptureInput{})
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, theirs.Payment.Status)
	captured := theirs.Attempt.Details.Captures[0].ProcessorID
	require.NotEmpty(t, captured)

	alarms := 0
	unknown := func(t *testing.T, id string, kind sdk.Operation) {
		t.Helper()
		ops := w.operations(id)
		last := ops[len(ops)-1]
		require.Equal(t, []any{kind, payment.OperationUnknown}, []any{last.Kind, last.Status})
		require.Contains(t, last.ErrorText, "id of another")
		alarms++
		require.Equal(t, alarms, w.alarms.all()["impossible_outcome"])
	}
	own := func(t *testing.T, id string) {
		t.Helper()
		require.NotEqual(t, tx, w.get(id, request.RetrieveInput{}).Attempt.TransactionID)
	}
	held := func() string {
		f.says("/authorize", nil)
		return w.pay(sale(100, visa, manual, func(in *request.Input) { in.Extended = ptr(true) })).Payment.ID
	}
	t.Run("authorization", func(t *testing.T) {
		f.says("/authorize", map[string]any{"id": tx})
		v := w.pay(sale(100, visa, manual))
		require.Equal(t, []any{payment.Processing, ""}, []any{v.Payment.Status, v.Attempt.TransactionID})
		unknown(t, v.Payment.ID, sdk.OpAuthorize)
	})
	t.Run("refusal", func(t *testing.T) { // a processor may name the charge that a second one would double
		f.says("/authorize", map[string]any{"id": tx, "declined": "duplicate"})
		v, err := w.CreatePayment(t.Context(), w.auth, sale(100, visa, manual))
		require.NoError(t, err)
		require.Equal(t, []any{payment.Failed, "duplicate", ""}, []any{v.Payment.Status, v.Attempt.Details.Error.Code, v.Attempt.TransactionID})
		require.Equal(t, alarms, w.alarms.all()["impossible_outcome"])
	})
	for name, answer := range map[string]map[string]any{"charge of a capture": {"id": tx}, "capture": {"capture": captured}} {
		t.Run(name, func(t *testing.T) {
			id := held()
			f.says("/capture", answer)
			v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
			require.NoError(t, err)
			require.Equal(t, []any{payment.Processing, int64(0)}, []any{v.Payment.Status, v.Payment.Received})
			unknown(t, id, sdk.OpCapture)
			own(t, id)
		})
	}
	t.Run("void", func(t *testing.T) {
		id := held()
		f.says("/void", map[string]any{"id": tx})
		_, err := w.CancelPayment(t.Context(), w.auth, id, "")
		require.NoError(t, err)
		require.NotEqual(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
		unknown(t, id, sdk.OpVoid)
		own(t, id)
	})
	t.Run("extension", func(t *testing.T) {
		id := held()
		f.says("/extend", map[string]any{"id": tx})
		_, err := w.ExtendAuthorization(t.Context(), w.auth, id)
		require.NoError(t, err)
		require.Nil(t, w.get(id, request.RetrieveInput{}).Attempt.Details.Hold)
		unknown(t, id, sdk.OpExtendAuthorization)
		own(t, id)
	})
	t.Run("own id again", func(t *testing.T) {
		id := held()
		own := w.get(id, request.RetrieveInput{}).Attempt.TransactionID
		f.says("/capture", map[string]any{"id": own, "capture": own})
		v, err := w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{})
		require.NoError(t, err)
		require.Equal(t, payment.Succeeded, v.Payment.Status)
		require.Equal(t, alarms, w.alarms.all()["impossible_outcome"])
	})
}

// A relay whose answer names what another relay, or a refund, has made stays pending without that id.
func TestRelaysWithOneID(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "same"
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	at := w.mailAccount("shop", c.URL, "")
	f, err := w.refund(w.pay(sale(1000, visa)).Payment.ID, 300)
	require.NoError(t, err)
	require.Equal(t, "re_1", f.ProcessorID)
	refund := func(of string) *relay.Relay {
		r, err := w.CreateRelay(t.Context(), w.auth, relay.Input{ResourceID: of, AccountID: at.ID, Type: relay.Refund,
			Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 300, Currency: "USD"}}}})
		require.NoError(t, err)
		return r
	}
	r := refund("a")
	require.Equal(t, []any{relay.Pending, ""}, []any{r.Status, r.ReferenceID}, "the refund has the id")
	c.set(func() { c.same = "re_2" })
	r = refund("b")
	require.Equal(t, []any{relay.Success, "re_2"}, []any{r.Status, r.ReferenceID})
	r = refund("c")
	require.Equal(t, []any{relay.Pending, ""}, []any{r.Status, r.ReferenceID})
	require.Equal(t, 2, w.alarms.all()["impossible_outcome"])
}

// An operator's word that names another payment's charge is refused.
func TestWordWithTheIDOfAnotherPayment(t *testing.T) {
	t.Parallel()
	f := newForger(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": forging()})
	w.shopAccount(f.URL)
	first, second := w.pay(sale(100, visa, manual)), w.pay(sale(100, visa, manual))
	_, err := w.DecideAttempt(t.Context(), w.auth, second.Payment.ID, request.AttemptDecision{TransactionID: first.Attempt.TransactionID})
	require.Equal(t, "IR_16", code(t, err))
	_, err = w.DecideAttempt(t.Context(), w.auth, second.Payment.ID, request.AttemptDecision{TransactionID: "tx_own"})
	require.NoError(t, err)
	require.Equal(t, "tx_own", w.get(second.Payment.ID, request.RetrieveInput{}).Attempt.TransactionID)

	f.says("/authorize", map[string]any{"id": first.Attempt.TransactionID})
	unknown := w.pay(sale(100, visa, manual)).Payment.ID
	op := w.operations(unknown)[0].ID
	_, err = w.ResolveOperation(t.Context(), op, word("succeeded", reference(first.Attempt.TransactionID)))
	require.Equal(t, "IR_16", code(t, err))
	_, err = w.ResolveOperation(t.Context(), op, word("succeeded", reference("tx_other")))
	require.NoError(t, err)
	require.Equal(t, payment.RequiresCapture, w.get(unknown, request.RetrieveInput{}).Payment.Status)
}

// A processor names an id for a refund, and then gives money back under another id. It has done so twice, or knows a refund that payswitch does
// not: a person must look. A repeated report raises nothing more.
func TestOtherRefundThanTheEndedOne(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	shop := w.mailAccount("shop", c.URL, "")
	id := w.pay(sale(1000, visa)).Payment.ID
	f, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	require.Equal(t, []any{payment.RefundSucceeded, "re_1"}, []any{f.Status, f.ProcessorID})
	says := func(m map[string]any) {
		t.Helper()
		m["object"], m["reference"] = "refund", f.Reference
		_, err := w.ReceiveWebhook(t.Context(), mail(shop.ID, hookSecret, m))
		require.NoError(t, err)
		require.Equal(t, []int64{600, 600}, refundAmounts(w, id))
	}
	report := func(id string, s sdk.OutcomeStatus) map[string]any {
		return map[string]any{"outcome": sdk.Outcome{Status: s, RefundID: id, Amount: &sdk.Money{Minor: 600, Currency: "USD"}}}
	}
	says(report("re_1", sdk.StatusRefunded))
	says(report("re_2", sdk.StatusPending))
	require.Empty(t, w.alarms.all())
	for range 2 {
		says(report("re_2", sdk.StatusRefunded))
		require.Equal(t, map[string]int{"late_evidence": 1}, w.alarms.all())
	}
	c.set(func() { c.refunds[f.Reference].ID = "re_3" })
	says(map[string]any{"sync": true})
	require.Equal(t, map[string]int{"late_evidence": 2}, w.alarms.all(), "the processor says so when it is asked")
}
