package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"payswitch/sdk"
)

// evidence asks for what is known of an open operation, the way the manifest says. The text tells which way was used.
func (e *Engine) evidence(ctx context.Context, w *run) (verdict, string, error) {
	op, rule := w.op, w.adapter.Manifest.Resolve
	if op.Status == OperationUnknown && op.LastSendAt.IsZero() {
		return e.sendUnsent(ctx, w)
	}
	canSync := slices.Contains(w.adapter.Manifest.Operations, sdk.OpSync)
	for _, by := range rule.By {
		switch {
		case by == sdk.ResolveByProcessorID && canSync && w.a.TransactionID != "", by == sdk.ResolveByReference && canSync:
			v, err := e.askProcessor(ctx, w)
			return v, string(by), err
		case by == sdk.ResolveByIdempotentResend && op.Status != OperationPending && e.mayResend(op, rule):
			v, err := e.resend(ctx, w)
			return v, string(by), err
		}
	}
	if canSync && op.Status == OperationPending {
		v, err := e.askProcessor(ctx, w)
		return v, "sync", err
	}
	v, err := e.fromMessages(ctx, w)
	return v, evidenceOfWebhook, err
}

// sendUnsent performs an operation again of which it is proven that nothing left.
func (e *Engine) sendUnsent(ctx context.Context, w *run) (verdict, string, error) {
	if e.now().Sub(w.op.StartedAt) > giveUpUnsent {
		return verdict{status: OperationNotActed, text: "the processor could not be reached; nothing was sent"}, "not sent", nil
	}
	v, err := e.resend(ctx, w)
	return v, "sent again", err
}

// mayResend says whether the processor still remembers the operation's idempotency key, with room for a slow send.
func (e *Engine) mayResend(op *Operation, rule sdk.ResolveRule) bool {
	window := time.Duration(rule.IdempotencyWindowSeconds) * time.Second
	return e.now().Add(e.opts.LeaseTime).Before(op.StartedAt.Add(window))
}

// resend drives the operation again, byte for byte: the same build, request, seed and clock; the answers there were are replayed.
func (e *Engine) resend(ctx context.Context, w *run) (verdict, error) {
	op := w.op
	if err := e.vault.openJSON(op.Request, requestAD(op.ID), &w.req); err != nil {
		return verdict{}, err
	}
	var err error
	if i := w.req.Instrument; len(op.Instrument) == 0 && i != nil && i.Card != nil {
		return verdict{}, errShredded // never without the card that it was made with
	}
	if w.secrets, err = e.vault.openSecrets(ctx, op.Instrument, op.MerchantID, op.ShortTermID()); err != nil {
		return verdict{}, err
	}
	if w.resume, w.captured, w.repeat, err = e.answered(ctx, op.ID); err != nil {
		return verdict{}, err
	}
	w.journalled = len(w.resume)
	w.mayHaveLeft = op.Status == OperationStarted || !op.LastSendAt.IsZero()
	heard := w.mayHaveLeft
	if !w.mayHaveLeft { // from here on something may leave: a crash must not find the proof that nothing did
		op.LastSendAt = e.now()
		if err := e.markSend(ctx, op); err != nil {
			return verdict{}, err
		}
	}
	v := e.drive(ctx, w)
	if heard && v.status == OperationDeclined && atTheDoor(w.httpStatus) {
		v = verdict{status: OperationUnknown, text: "refused when sent again: that says nothing of the first time"}
	}
	return v, nil
}

// atTheDoor says of a refusal that the processor made it before it looked at the request, and so at its idempotency key: of who asks, or of
// how often.
func atTheDoor(httpStatus int) bool {
	return httpStatus == http.StatusUnauthorized || httpStatus == http.StatusForbidden || httpStatus == http.StatusTooManyRequests
}

// markSend makes durable that an operation is about to be sent.
func (e *Engine) markSend(ctx context.Context, op *Operation) error {
	return e.store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		if fresh.Owner != e.opts.Node || !fresh.Status.Open() {
			return errLeaseLost
		}
		fresh.LastSendAt = op.LastSendAt
		return tx.UpdateOperation(fresh)
	})
}

// answered are the exchanges of an operation that have an answer, from the journal, with the secrets captured from them, and the intent
// after them that has none.
func (e *Engine) answered(ctx context.Context, operationID string) (out []sdk.Exchange, captured []CapturedValue, open *ExchangeRecord, err error) {
	var rows []ExchangeRecord
	err = e.store.View(ctx, func(r Reader) (err error) { rows, err = r.Exchanges(operationID); return err })
	if err != nil {
		return nil, nil, nil, Internal(err, "read journal")
	}
	for _, r := range rows {
		if !r.Answered {
			return out, captured, &r, nil
		}
		var j journalEntry
		if err := e.vault.openJSON(r.Sealed, exchangeAD(operationID), &j); err != nil {
			return nil, nil, nil, err
		}
		for _, c := range j.Captured {
			captured = append(captured, CapturedValue{Exchange: len(out), Name: c.Name, Value: NewSecret(c.Value), Own: c.Own})
		}
		j.Exchange.Body = j.Body
		out = append(out, *j.Exchange)
	}
	return out, captured, nil, nil
}

// askProcessor makes a sync and reads it as evidence about the open operation.
func (e *Engine) askProcessor(ctx context.Context, w *run) (verdict, error) {
	o, v := e.sync(ctx, w, w.op.Kind)
	if o == nil {
		return v, nil
	}
	final := e.finalAt(w)
	r := read(w.op, w.a, o, e.now().After(final))
	r.again = final
	return r, nil
}

// finalAt is when enough time has passed since something last may have left for "it did not happen" to be believed.
func (e *Engine) finalAt(w *run) time.Time {
	return e.lastSend(w.op).Add(time.Duration(w.adapter.Manifest.Resolve.NotFoundFinalAfterSeconds) * time.Second)
}

// lastSend is the latest moment something may have left for an operation.
func (e *Engine) lastSend(op *Operation) time.Time {
	if op.LastSendAt.IsZero() { // its node died: it may have sent until its lease ended
		return op.StartedAt.Add(e.opts.LeaseTime)
	}
	return op.LastSendAt
}

// sync asks the processor for a payment. Without an outcome the verdict says why there is none. It does not occupy the slot.
func (e *Engine) sync(ctx context.Context, w *run, resolves sdk.Operation) (*sdk.Outcome, verdict) {
	now := e.now().UTC().Truncate(time.Millisecond)
	q := *w
	q.token = "" // a sync is nobody's request
	amount := w.a.Amount
	if resolves != "" {
		amount = w.op.Amount
	}
	q.op = e.newOperation(&q, sdk.OpSync, amount, now)
	q.req = e.laterRequest(&q, amount)
	q.req.Resolves = resolves
	q.leaseEnd = e.now().Add(e.opts.LeaseTime)
	d := &Drive{Connector: w.account.Connector, Operation: sdk.OpSync, OperationID: q.op.ID, Started: now, Seed: [32]byte(q.op.Seed),
		Account: e.driveAccount(w.account), Request: q.req, Card: w.cardFacts(), BeforeSend: func(context.Context, SendIntent) error { return nil }}
	r, records, err := e.driveRecorded(ctx, d, w.p.MerchantID, w.p.ID)
	w.journal = append(w.journal, records...)
	if r == nil {
		r = &DriveResult{}
	}
	v := judge(sdk.OpSync, q.req.Amount, w.adapter.Manifest, r.answer(), err)
	e.metrics.OperationDone(string(sdk.OpSync), q.op.Connector, v.status, e.now().Sub(now))
	if v.outcome == nil || v.outcome.Status == sdk.StatusUnknown || v.status == OperationUnknown {
		e.raise(ctx, &q, v)
		return nil, verdict{status: OperationUnknown, text: "the processor's answer to a sync tells nothing: " + v.text}
	}
	if m := v.outcome.Amount; m != nil && m.Currency != "" && m.Currency != q.req.Amount.Currency {
		e.metrics.Alarm("amount_mismatch")
		return nil, verdict{status: OperationUnknown, text: "the processor reports another currency than asked for"}
	}
	return v.outcome, v
}

// evidenceOfWebhook is the source of evidence that a processor's message brought.
const evidenceOfWebhook = "webhook"

// fromMessages is what the processor's messages told of an operation while it was under way; unknown when they told nothing.
func (e *Engine) fromMessages(ctx context.Context, w *run) (verdict, error) {
	none := verdict{status: OperationUnknown, text: "waits for the processor's own message or an operator"}
	var kept []Evidence
	err := e.store.View(ctx, func(r Reader) (err error) { kept, err = r.Evidence(w.op.ID); return err })
	if err != nil {
		return none, Internal(err, "read evidence")
	}
	for _, k := range slices.Backward(kept) {
		var o sdk.Outcome
		if k.Source != evidenceOfWebhook || json.Unmarshal(k.Outcome, &o) != nil || o.Status == "" {
			continue
		}
		if v := read(w.op, w.a, &o, false); v.status != OperationUnknown {
			return v, nil
		}
	}
	return none, nil
}
