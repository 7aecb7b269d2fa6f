package engine_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/plugins"
	"payswitch/sdk"
)

// silentTill returns the till's adapter: only signed messages say what became of an operation.
func silentTill() *sdk.Adapter {
	a, m := tillAdapter(byWebhook), mailing(byWebhook)
	a.Webhook, a.Manifest.Credentials = m.Webhook, m.Manifest.Credentials
	a.Manifest.Features = sdk.Features{PartialCapture: true, MultipleCapture: true, ReleasesRest: true}
	return a
}

func word(outcome payment.Finding, change ...func(*request.ResolutionInput)) request.ResolutionInput {
	in := request.ResolutionInput{Outcome: outcome, By: "Ada", Why: "the processor's statement of 3 May"}
	for _, f := range change {
		f(&in)
	}
	return in
}

func reference(id string) func(*request.ResolutionInput) {
	return func(in *request.ResolutionInput) { in.Reference = id }
}

func amountOf(n int64) func(*request.ResolutionInput) {
	return func(in *request.ResolutionInput) { in.Amount = &n }
}

// lastOperation returns the operation of the payment that began last.
func (w *world) lastOperation(id string) *payment.Operation {
	w.t.Helper()
	ops := w.operations(id)
	return ops[len(ops)-1]
}

// unknown makes a payment whose operation of a kind is unknown, and returns the ids of both, and of the account.
func unknown(t *testing.T, kind sdk.Operation, how ...func(*request.Input)) (w *world, a *account.Account, id, op string) {
	if kind == sdk.OpRefund {
		c := newCashier(t)
		w = newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byWebhook)})
		a = w.mailAccount("shop", c.URL, "")
		id = w.pay(sale(1000, visa)).Payment.ID
		c.act = "drop"
		_, err := w.refund(id, 600, named("r"))
		require.NoError(t, err)
	} else {
		p := newTill(t)
		w = newWorld(t, quick, map[string]*sdk.Adapter{"shop": silentTill()})
		a = w.mailAccount("shop", p.URL, "")
		p.set("/"+string(kind), "drop")
		id = w.pay(sale(1000, visa, how...)).Payment.ID
		var err error
		switch kind {
		case sdk.OpCapture:
			_, err = w.CapturePayment(t.Context(), w.auth, id, &request.CaptureInput{Amount: ptr[int64](600)})
		case sdk.OpVoid:
			_, err = w.CancelPayment(t.Context(), w.auth, id, "")
		}
		require.NoError(t, err)
	}
	o := w.lastOperation(id)
	require.Equal(t, []any{kind, payment.OperationUnknown}, []any{o.Kind, o.Status})
	return w, a, id, o.ID
}

// An operator's word is booked as the processor's evidence is, and the operation keeps it.
func TestOperatorResolves(t *testing.T) {
	for name, c := range map[string]struct {
		kind   sdk.Operation
		how    func(*request.Input)
		word   request.ResolutionInput
		op     payment.OperationStatus
		status payment.Status
		amount []int64 // authorized, captured, refunded or being refunded
		event  string  // the last
	}{
		"charged": {sdk.OpAuthorize, nil, word("succeeded", reference("tx_1")), payment.OperationSucceeded, payment.Succeeded, []int64{1000, 1000, 0}, "payment_succeeded"},
		"charged in part": {sdk.OpAuthorize, nil, word("succeeded", reference("tx_1"), amountOf(400)), payment.OperationSucceeded, payment.PartiallyCaptured,
			[]int64{1000, 400, 0}, "payment_captured"},
		"held": {sdk.OpAuthorize, manual, word("succeeded", reference("tx_1")), payment.OperationSucceeded, payment.RequiresCapture, []int64{1000, 0, 0}, "payment_authorized"},
		"held in part": {sdk.OpAuthorize, partly, word("succeeded", reference("tx_1"), amountOf(400)), payment.OperationSucceeded, payment.PartiallyAuthorizedAndCapturing,
			[]int64{400, 0, 0}, "payment_partially_authorized"},
		"refused":           {sdk.OpAuthorize, nil, word("declined"), payment.OperationDeclined, payment.Failed, []int64{0, 0, 0}, "payment_failed"},
		"never made":        {sdk.OpAuthorize, nil, word("not_done"), payment.OperationNotActed, payment.Failed, []int64{0, 0, 0}, "payment_failed"},
		"captured":          {sdk.OpCapture, multiple, word("succeeded"), payment.OperationSucceeded, payment.PartiallyCapturedAndCapturable, []int64{1000, 600, 0}, "payment_captured"},
		"captured less":     {sdk.OpCapture, multiple, word("succeeded", amountOf(500)), payment.OperationSucceeded, payment.PartiallyCapturedAndCapturable, []int64{1000, 500, 0}, "payment_captured"},
		"capture refused":   {sdk.OpCapture, multiple, word("declined"), payment.OperationDeclined, payment.RequiresCapture, []int64{1000, 0, 0}, "payment_authorized"},
		"capture not made":  {sdk.OpCapture, multiple, word("not_done"), payment.OperationNotActed, payment.RequiresCapture, []int64{1000, 0, 0}, "payment_authorized"},
		"voided":            {sdk.OpVoid, manual, word("succeeded"), payment.OperationSucceeded, payment.Cancelled, []int64{1000, 0, 0}, "payment_cancelled"},
		"void refused":      {sdk.OpVoid, manual, word("declined"), payment.OperationDeclined, payment.RequiresCapture, []int64{1000, 0, 0}, "payment_authorized"},
		"refunded":          {sdk.OpRefund, nil, word("succeeded", reference("re_1")), payment.OperationSucceeded, payment.Succeeded, []int64{1000, 1000, 600}, "refund_succeeded"},
		"refund refused":    {sdk.OpRefund, nil, word("declined"), payment.OperationDeclined, payment.Succeeded, []int64{1000, 1000, 0}, "refund_failed"},
		"refund never made": {sdk.OpRefund, nil, word("not_done"), payment.OperationNotActed, payment.Succeeded, []int64{1000, 1000, 0}, "refund_failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how := c.how
			if how == nil {
				how = func(*request.Input) {}
			}
			w, _, id, op := unknown(t, c.kind, how)
			v, err := w.ResolveOperation(t.Context(), op, c.word)
			require.NoError(t, err)
			require.Equal(t, c.op, v.Status)
			p := w.get(id, request.RetrieveInput{})
			require.Equal(t, c.status, p.Payment.Status)
			require.Equal(t, c.amount, []int64{p.Attempt.Authorized, p.Attempt.Captured, p.Payment.Refunded})
			require.Empty(t, p.Payment.OpenOperation)
			object := id
			if c.kind == sdk.OpRefund {
				object = "r"
			}
			events := w.events(object)
			require.Equal(t, c.event, events[len(events)-1])
			require.Empty(t, w.alarms.all())

			said := v.Resolution
			require.Equal(t, []any{c.word.Outcome, c.word.Reference, "Ada", c.word.Why, payment.OperationUnknown},
				[]any{said.Outcome, said.Reference, said.By, said.Why, said.Was})
			list, err := w.Operations(t.Context(), request.OperationFilter{Resolved: true, Limit: 10})
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, []any{op, sdk.Currency("USD"), said}, []any{list[0].ID, list[0].Currency, list[0].Resolution})
			list, err = w.Operations(t.Context(), request.OperationFilter{Limit: 10})
			require.NoError(t, err)
			require.Empty(t, list)

			again, err := w.ResolveOperation(t.Context(), op, word("not_done"))
			require.Equal(t, "IR_16", code(t, err), "what has ended stays as it is")
			require.ErrorContains(t, err, "has ended with the status "+string(c.op))
			require.Equal(t, said, again.Resolution)
		})
	}
}

// A refund of another amount than asked for needs a look, as it does by the processor's word.
func TestOperatorFindsAnotherRefund(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpRefund)
	_, err := w.ResolveOperation(t.Context(), op, word("succeeded", amountOf(599)))
	require.NoError(t, err)
	require.Equal(t, payment.RefundReview, w.refunded("r").Status)
	require.Equal(t, 1, w.alarms.all()["amount_mismatch"])
	require.Equal(t, []int64{600, 0}, refundAmounts(w, id))
}

// A word that lacks something, or that cannot be true, books nothing and leaves the operation as it was.
func TestOperatorWordIsChecked(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpAuthorize)
	before := *w.lastOperation(id)
	for name, c := range map[string]struct {
		word request.ResolutionInput
		code string
		text string
	}{
		"outcome":     {word("done"), "IR_05", "succeeded, declined or not_done"},
		"by":          {request.ResolutionInput{Outcome: "declined", Why: "w"}, "IR_04", "by"},
		"why":         {request.ResolutionInput{Outcome: "declined", By: "Ada"}, "IR_04", "why"},
		"reference":   {word("succeeded"), "IR_04", "reference"},
		"too much":    {word("succeeded", reference("tx"), amountOf(1001)), "IR_06", "between 1 and 1000"},
		"nothing":     {word("succeeded", reference("tx"), amountOf(0)), "IR_06", "between 1 and 1000"},
		"no amount":   {word("declined", amountOf(5)), "IR_06", "succeeded alone"},
		"no id":       {word("not_done", reference("tx")), "IR_06", "succeeded alone"},
		"long reason": {request.ResolutionInput{Outcome: "declined", By: "Ada", Why: string(make([]byte, 2001))}, "IR_05", "why"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.ResolveOperation(t.Context(), op, c.word)
			require.Equal(t, c.code, code(t, err))
			require.ErrorContains(t, err, c.text)
		})
	}
	_, err := w.ResolveOperation(t.Context(), "op_none", word("declined"))
	require.Equal(t, "HE_02", code(t, err))
	after := *w.lastOperation(id)
	before.LeaseUntil, after.LeaseUntil = time.Time{}, time.Time{}
	require.Equal(t, before, after, "a refused word gives the lease back")
	_, err = w.ResolveOperation(t.Context(), op, word("succeeded", reference("tx")))
	require.NoError(t, err)

	w, _, _, op = unknown(t, sdk.OpVoid, manual)
	_, err = w.ResolveOperation(t.Context(), op, word("succeeded", amountOf(5)))
	require.Equal(t, "IR_06", code(t, err), "a void has no amount")
}

// A refund whose processor has named it keeps that name.
func TestOperatorContradictsTheProcessorsID(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.act = "pending"
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 600, named("r"))
	require.NoError(t, err)
	_, err = w.ResolveOperation(t.Context(), r.OperationID, word("succeeded", reference("re_other")))
	require.Equal(t, "IR_06", code(t, err))
	_, err = w.ResolveOperation(t.Context(), r.OperationID, word("not_done"))
	require.NoError(t, err, "a refund that the processor accepted and never made")
	require.Equal(t, payment.RefundFailed, w.refunded("r").Status)
	require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
}

// A scheduled refund that has provably not left has no outcome. The operator can only give it up.
func TestOperatorCannotKnowWhatNeverLeft(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	w := newWorld(t, quick, map[string]*sdk.Adapter{"shop": refunder(byReference)})
	w.shopAccount(c.URL)
	id := w.pay(sale(1000, visa)).Payment.ID
	r, err := w.refund(id, 600, scheduled, named("r"))
	require.NoError(t, err)
	for _, outcome := range []payment.Finding{"succeeded", "declined"} {
		_, err = w.ResolveOperation(t.Context(), r.OperationID, word(outcome))
		require.Equal(t, "IR_16", code(t, err))
		require.ErrorContains(t, err, "Nothing has left for the processor")
	}
	require.Equal(t, payment.RefundPending, w.refunded("r").Status)
	_, err = w.ResolveOperation(t.Context(), r.OperationID, word("not_done"))
	require.NoError(t, err)
	require.Equal(t, payment.RefundFailed, w.refunded("r").Status)
	require.Equal(t, []int64{0, 0}, refundAmounts(w, id))
	_, posts := c.paid()
	require.Zero(t, posts)
}

// A node dies while it books an operator's word. Its lease ends, and resolution goes on as before.
func TestOperatorsNodeDies(t *testing.T) {
	t.Parallel()
	w, a, id, op := unknown(t, sdk.OpAuthorize)
	require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
		o, err := tx.Operation(op)
		if err != nil {
			return err
		}
		o.Owner, o.LeaseUntil = "a dead node", tx.Now().Add(300*time.Millisecond)
		return tx.UpdateOperation(o)
	}))
	b := w.second(engine.Options{LockWait: time.Minute}, map[string]*sdk.Adapter{"shop": silentTill()})
	_, err := b.ResolveOperation(t.Context(), op, word("succeeded", reference("tx"))) // waits for the lease to end
	require.NoError(t, err)
	require.Equal(t, payment.Succeeded, w.get(id, request.RetrieveInput{}).Payment.Status)
	require.NotEmpty(t, a.ID)
}

// An authorization that happened is voided once no caller waits for it, as evidence of the processor has it.
func TestOperatorFindsHeldFundsLate(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpAuthorize, manual)
	w.pass(3 * time.Minute)
	v, err := w.ResolveOperation(t.Context(), op, word("succeeded", reference("tx_1")))
	require.NoError(t, err)
	require.Equal(t, payment.FoundSucceeded, v.Resolution.Outcome)
	require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
	require.Equal(t, sdk.OpVoid, w.lastOperation(id).Kind)
}

// An operation that a run drives is left alone, on this node and on another.
func TestOperatorLeavesARunAlone(t *testing.T) {
	t.Parallel()
	c := newCashier(t)
	c.hold = make(chan struct{})
	adapters := map[string]*sdk.Adapter{"shop": refunder(byReference)}
	a := newWorldWith(t, quick, plugins.NativeConnectors(adapters), t.TempDir()+"/p.db")
	a.shopAccount(c.URL)
	b := a.second(quick, adapters)
	id := a.pay(sale(1000, visa)).Payment.ID
	done := make(chan *payment.Refund)
	go func() { r, _ := a.refund(id, 600, named("r")); done <- r }()
	<-c.arrived
	op := a.refunded("r").OperationID
	for _, node := range []*world{a, b} {
		_, err := node.ResolveOperation(t.Context(), op, word("not_done"))
		require.ErrorContains(t, err, "Another run drives the operation")
		var e *fault.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, fault.KindUnavailable, e.Kind)
	}
	close(c.hold)
	require.Equal(t, payment.RefundSucceeded, (<-done).Status)
	require.Empty(t, a.alarms.all())
}

// Two operators say different things at once, on two nodes: one word counts.
func TestTwoOperatorsAtOnce(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpRefund)
	b := w.second(quick, map[string]*sdk.Adapter{"shop": refunder(byWebhook)})
	words := []request.ResolutionInput{word("succeeded"), word("not_done"), word("declined"), word("succeeded")}
	errs := make([]error, len(words))
	var wg sync.WaitGroup
	for i := range words {
		wg.Go(func() { _, errs[i] = []*world{w, b}[i%2].ResolveOperation(t.Context(), op, words[i]) })
	}
	wg.Wait()
	won := payment.Finding("")
	for i, err := range errs {
		if err == nil {
			require.Empty(t, won)
			won = words[i].Outcome
		}
	}
	require.Equal(t, won, w.lastOperation(id).Resolution.Outcome)
	want := map[bool][]int64{true: {600, 600}, false: {0, 0}}[won == "succeeded"]
	require.Equal(t, want, refundAmounts(w, id))
	require.Len(t, w.events("r"), 1)
	require.Empty(t, w.alarms.all())
}

// What the processor says later against the operator's word raises the alarm of late evidence, and what fits raises none.
func TestEvidenceAgainstTheOperator(t *testing.T) {
	usd := func(n int64) *sdk.Money { return &sdk.Money{Minor: n, Currency: "USD"} }
	for name, c := range map[string]struct {
		kind  sdk.Operation
		how   func(*request.Input)
		word  request.ResolutionInput
		later sdk.Outcome
		alarm int
	}{
		"charged after all":         {sdk.OpAuthorize, nil, word("not_done"), sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: usd(1000)}, 1},
		"charged, not refused":      {sdk.OpAuthorize, nil, word("declined"), sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: usd(1000)}, 1},
		"refused, not charged":      {sdk.OpAuthorize, nil, word("succeeded", reference("tx")), sdk.Outcome{Status: sdk.StatusDeclined}, 1},
		"charged less":              {sdk.OpAuthorize, nil, word("succeeded", reference("tx")), sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: usd(600)}, 1},
		"held less":                 {sdk.OpAuthorize, manual, word("succeeded", reference("tx")), sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "tx", Amount: usd(600)}, 1},
		"charged as said":           {sdk.OpAuthorize, nil, word("succeeded", reference("tx")), sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: usd(1000)}, 0},
		"held as said":              {sdk.OpAuthorize, manual, word("succeeded", reference("tx")), sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "tx"}, 0},
		"captured after all":        {sdk.OpCapture, multiple, word("not_done"), sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 1000, Captured: 600}}, 1},
		"capture refused":           {sdk.OpCapture, multiple, word("succeeded", reference("c")), sdk.Outcome{Status: sdk.StatusDeclined, CaptureID: "c"}, 1},
		"captured less":             {sdk.OpCapture, multiple, word("succeeded"), sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 1000, Captured: 100}}, 1},
		"captured as said":          {sdk.OpCapture, multiple, word("succeeded"), sdk.Outcome{Status: sdk.StatusCaptured, Totals: &sdk.Totals{Authorized: 1000, Captured: 600}}, 0},
		"another capture refused":   {sdk.OpCapture, multiple, word("not_done"), sdk.Outcome{Status: sdk.StatusAuthorized}, 0},
		"captured, not voided":      {sdk.OpVoid, manual, word("succeeded"), sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: usd(1000)}, 1},
		"voided as said":            {sdk.OpVoid, manual, word("succeeded"), sdk.Outcome{Status: sdk.StatusVoided}, 0},
		"refunded after all":        {sdk.OpRefund, nil, word("not_done"), sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re", Amount: usd(600)}, 1},
		"refund was not refused":    {sdk.OpRefund, nil, word("declined"), sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re", Amount: usd(600)}, 1},
		"refunded as said":          {sdk.OpRefund, nil, word("succeeded"), sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re", Amount: usd(600)}, 0},
		"refund not made, as said":  {sdk.OpRefund, nil, word("not_done"), sdk.Outcome{Status: sdk.StatusDeclined, RefundID: "re"}, 0},
		"authorization, late news":  {sdk.OpVoid, manual, word("succeeded"), sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: "tx"}, 0},
		"nothing new about a money": {sdk.OpAuthorize, nil, word("not_done"), sdk.Outcome{Status: sdk.StatusDeclined}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			how := c.how
			if how == nil {
				how = func(*request.Input) {}
			}
			w, a, id, op := unknown(t, c.kind, how)
			_, err := w.ResolveOperation(t.Context(), op, c.word)
			require.NoError(t, err)
			content := map[string]any{"reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference, "outcome": c.later}
			if c.kind == sdk.OpRefund {
				content["reference"], content["object"] = w.refunded("r").Reference, "refund"
			}
			_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, content))
			require.NoError(t, err)
			require.Equal(t, c.alarm, w.alarms.all()["late_evidence"])
			require.Equal(t, c.word.Outcome, w.operations(id)[len(w.operations(id))-1].Resolution.Outcome, "the word stays as it was said")
		})
	}
}

// A void that was not made, as the operator says, is made again: the merchant's cancel was accepted.
func TestOperatorSaysThatAVoidWasNotMade(t *testing.T) {
	t.Parallel()
	w, a, id, op := unknown(t, sdk.OpVoid, manual)
	v, err := w.ResolveOperation(t.Context(), op, word("not_done"))
	require.NoError(t, err)
	require.Equal(t, payment.OperationNotActed, v.Status)
	p := w.get(id, request.RetrieveInput{})
	require.Equal(t, payment.Processing, p.Payment.Status)
	next := w.lastOperation(id)
	require.Equal(t, []any{sdk.OpVoid, p.Payment.OpenOperation}, []any{next.Kind, next.ID})
	require.NotEqual(t, op, next.ID)

	_, err = w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": p.Attempt.Details.Reference, "outcome": sdk.Outcome{Status: sdk.StatusVoided}}))
	require.NoError(t, err)
	require.Equal(t, payment.Cancelled, w.get(id, request.RetrieveInput{}).Payment.Status)
	require.Empty(t, w.alarms.all())
	require.EqualValues(t, "not_done", w.operations(id)[1].Resolution.Outcome, "the word stays as it was said")
}

// A query that finds something else than the operator said raises the alarm, too.
func TestQueryAgainstTheOperator(t *testing.T) {
	t.Parallel()
	w, _, id, op := unknown(t, sdk.OpAuthorize, manual)
	_, err := w.ResolveOperation(t.Context(), op, word("succeeded", reference("tx")))
	require.NoError(t, err)
	w.get(id, request.RetrieveInput{ForceSync: true}) // the till knows nothing of it
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
}

// A message that came while the operator's word was being booked is held against it.
func TestMessageDuringTheOperatorsWord(t *testing.T) {
	t.Parallel()
	w, a, id, op := unknown(t, sdk.OpAuthorize)
	lease := func(owner string, until time.Time) {
		require.NoError(t, w.db.Update(t.Context(), func(tx engine.Tx) error {
			o, err := tx.Operation(op)
			if err != nil {
				return err
			}
			o.Owner, o.LeaseUntil = owner, until
			return tx.UpdateOperation(o)
		}))
	}
	lease("another node", time.Now().Add(time.Minute))
	_, err := w.ReceiveWebhook(t.Context(), mail(a.ID, hookSecret, map[string]any{"reference": w.get(id, request.RetrieveInput{}).Attempt.Details.Reference,
		"outcome": sdk.Outcome{Status: sdk.StatusCaptured, TransactionID: "tx", Amount: &sdk.Money{Minor: 1000, Currency: "USD"}}}))
	require.NoError(t, err)
	require.Equal(t, payment.Processing, w.get(id, request.RetrieveInput{}).Payment.Status)
	lease("", time.Time{})
	_, err = w.ResolveOperation(t.Context(), op, word("not_done"))
	require.NoError(t, err)
	require.Equal(t, payment.Review, w.get(id, request.RetrieveInput{}).Payment.Status, "money was taken")
	require.Equal(t, 1, w.alarms.all()["late_evidence"])
}
