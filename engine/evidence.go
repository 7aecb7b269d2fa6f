package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"payswitch/sdk"
)

// evidence asks for what is known of an open operation, the way the manifest says. The text tells which way was used.
func (d *Driver) evidence(ctx context.Context, w *run) (verdict, string, error) {
	op, rule := w.op, w.adapter.Manifest.Resolve
	if op.Status == OperationUnknown && op.LastSendAt.IsZero() {
		return d.sendUnsent(ctx, w)
	}
	canSync := slices.Contains(w.adapter.Manifest.Operations, sdk.OpSync)
	for _, by := range rule.By {
		switch {
		case by == sdk.ResolveByProcessorID && canSync && w.a.TransactionID != "", by == sdk.ResolveByReference && canSync:
			v, err := d.askProcessor(ctx, w)
			return v, string(by), err
		case by == sdk.ResolveByIdempotentResend && op.Status != OperationPending && d.mayResend(op, rule):
			v, err := d.resend(ctx, w)
			return v, string(by), err
		}
	}
	if canSync && op.Status == OperationPending {
		v, err := d.askProcessor(ctx, w)
		return v, "sync", err
	}
	v, err := d.fromMessages(ctx, w)
	return v, evidenceOfWebhook, err
}

// sendUnsent performs an operation again of which it is proven that nothing left.
func (d *Driver) sendUnsent(ctx context.Context, w *run) (verdict, string, error) {
	if d.Now().Sub(w.op.StartedAt) > giveUpUnsent {
		return verdict{status: OperationNotActed, text: "the processor could not be reached; nothing was sent"}, "not sent", nil
	}
	v, err := d.resend(ctx, w)
	return v, "sent again", err
}

// mayResend says whether the processor still remembers the operation's idempotency key, with room for a slow send.
func (d *Driver) mayResend(op *Operation, rule sdk.ResolveRule) bool {
	window := time.Duration(rule.IdempotencyWindowSeconds) * time.Second
	return d.Now().Add(d.LeaseTime).Before(op.StartedAt.Add(window))
}

// resend drives the operation again, byte for byte: the same build, request, seed and clock; the answers there were are replayed.
func (d *Driver) resend(ctx context.Context, w *run) (verdict, error) {
	op := w.op
	if err := d.Vault.openJSON(op.Request, requestAD(op.ID), &w.req); err != nil {
		return verdict{}, err
	}
	var err error
	if i := w.req.Instrument; len(op.Instrument) == 0 && i != nil && i.Card != nil {
		return verdict{}, errShredded // never without the card that it was made with
	}
	if w.secrets, err = d.Vault.openSecrets(ctx, op.Instrument, op.MerchantID, op.ShortTermID()); err != nil {
		return verdict{}, err
	}
	if w.resume, w.captured, w.repeat, err = d.answered(ctx, op.ID); err != nil {
		return verdict{}, err
	}
	w.journalled = len(w.resume)
	w.mayHaveLeft = op.Status == OperationStarted || !op.LastSendAt.IsZero()
	heard := w.mayHaveLeft
	if !w.mayHaveLeft { // from here on something may leave: a crash must not find the proof that nothing did
		op.LastSendAt = d.Now()
		if err := d.markSend(ctx, op); err != nil {
			return verdict{}, err
		}
	}
	v := d.drive(ctx, w)
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
func (d *Driver) markSend(ctx context.Context, op *Operation) error {
	return d.Store.Update(ctx, func(tx DriveTx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		if fresh.Owner != d.Node || !fresh.Status.Open() {
			return errLeaseLost
		}
		fresh.LastSendAt = op.LastSendAt
		return tx.UpdateOperation(fresh)
	})
}

// answered are the exchanges of an operation that have an answer, from the journal, with the secrets captured from them, and the intent
// after them that has none.
func (d *Driver) answered(ctx context.Context, operationID string) (out []sdk.Exchange, captured []CapturedValue, open *ExchangeRecord, err error) {
	var rows []ExchangeRecord
	err = d.Store.View(ctx, func(r DriveReader) (err error) { rows, err = r.Exchanges(operationID); return err })
	if err != nil {
		return nil, nil, nil, Internal(err, "read journal")
	}
	for _, r := range rows {
		if !r.Answered {
			return out, captured, &r, nil
		}
		var j journalEntry
		if err := d.Vault.openJSON(r.Sealed, exchangeAD(operationID), &j); err != nil {
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
func (d *Driver) askProcessor(ctx context.Context, w *run) (verdict, error) {
	o, v := d.sync(ctx, w, w.op.Kind)
	if o == nil {
		return v, nil
	}
	final := d.finalAt(w)
	r := read(w.op, w.a, o, d.Now().After(final))
	r.again = final
	return r, nil
}

// finalAt is when enough time has passed since something last may have left for "it did not happen" to be believed.
func (d *Driver) finalAt(w *run) time.Time {
	return d.lastSend(w.op).Add(time.Duration(w.adapter.Manifest.Resolve.NotFoundFinalAfterSeconds) * time.Second)
}

// lastSend is the latest moment something may have left for an operation.
func (d *Driver) lastSend(op *Operation) time.Time {
	if op.LastSendAt.IsZero() { // its node died: it may have sent until its lease ended
		return op.StartedAt.Add(d.LeaseTime)
	}
	return op.LastSendAt
}

// sync asks the processor for a payment. Without an outcome the verdict says why there is none. It does not occupy the slot.
func (e *Driver) sync(ctx context.Context, w *run, resolves sdk.Operation) (*sdk.Outcome, verdict) {
	now := e.Now().UTC().Truncate(time.Millisecond)
	q := *w
	q.token = "" // a sync is nobody's request
	amount := w.a.Amount
	if resolves != "" {
		amount = w.op.Amount
	}
	q.op = e.newOperation(&q, sdk.OpSync, amount, now)
	q.req = e.laterRequest(&q, amount)
	q.req.Resolves = resolves
	q.leaseEnd = e.Now().Add(e.LeaseTime)
	d := &Drive{Connector: w.account.Connector, Operation: sdk.OpSync, OperationID: q.op.ID, Started: now, Seed: [32]byte(q.op.Seed),
		Account: e.driveAccount(w.account), Request: q.req, Card: w.cardFacts(), BeforeSend: func(context.Context, SendIntent) error { return nil }}
	r, records, err := e.driveRecorded(ctx, d, w.p.MerchantID, w.p.ID)
	w.journal = append(w.journal, records...)
	if r == nil {
		r = &DriveResult{}
	}
	v := judge(sdk.OpSync, q.req.Amount, w.adapter.Manifest, r.answer(), err)
	e.Metrics.OperationDone(string(sdk.OpSync), q.op.Connector, v.status, e.Now().Sub(now))
	if v.outcome == nil || v.outcome.Status == sdk.StatusUnknown || v.status == OperationUnknown {
		e.raise(ctx, &q, v)
		return nil, verdict{status: OperationUnknown, text: "the processor's answer to a sync tells nothing: " + v.text}
	}
	if m := v.outcome.Amount; m != nil && m.Currency != "" && m.Currency != q.req.Amount.Currency {
		e.Metrics.Alarm("amount_mismatch")
		return nil, verdict{status: OperationUnknown, text: "the processor reports another currency than asked for"}
	}
	return v.outcome, v
}

// evidenceOfWebhook is the source of evidence that a processor's message brought.
const evidenceOfWebhook = "webhook"

// fromMessages is what the processor's messages told of an operation while it was under way; unknown when they told nothing.
func (d *Driver) fromMessages(ctx context.Context, w *run) (verdict, error) {
	none := verdict{status: OperationUnknown, text: "waits for the processor's own message or an operator"}
	var kept []Evidence
	err := d.Store.View(ctx, func(r DriveReader) (err error) { kept, err = r.Evidence(w.op.ID); return err })
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

// unknownRule is assumed where the adapter is gone: the card is kept as long as any processor might need it.
var unknownRule = sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByIdempotentResend}, IdempotencyWindowSeconds: 24 * 60 * 60}

// needsCard says whether an operation that stays open may still need its card and CVC: to be sent again, or to be completed by a
// customer who comes back in time.
func (d *Driver) needsCard(op *Operation, rule sdk.ResolveRule) bool {
	switch {
	case op.Status == OperationPending:
		return d.Now().Sub(op.StartedAt) < cardTokenTime
	case op.LastSendAt.IsZero():
		return true
	}
	return slices.Contains(rule.By, sdk.ResolveByIdempotentResend) && d.mayResend(op, rule)
}

// reschedule gives an operation back, to be looked at again later: as soon as again where that is in the future, else ever more seldom.
func (d *Driver) reschedule(ctx context.Context, op *Operation, rule sdk.ResolveRule, text string, again time.Time) {
	err := d.Store.Update(ctx, func(tx DriveTx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		if fresh.Owner != d.Node || !fresh.Status.Open() && fresh.Status != OperationPending {
			return nil // someone else has it, or has ended it
		}
		switch fresh.Status {
		case OperationStarted: // its node is gone; until there is evidence nobody knows
			fresh.Status = OperationUnknown
			fresh.LastSendAt = d.lastSend(op)
		case OperationUnknown:
			fresh.LastSendAt = op.LastSendAt // zero: proven that nothing left
		}
		if !d.needsCard(fresh, rule) {
			fresh.Instrument = nil
		}
		fresh.ErrorText = text
		fresh.ResolveTries++
		fresh.ResolveAt = tx.Now().Add(resolveDelay(fresh.Status, fresh.ResolveTries))
		if fresh.Status == OperationUnknown && again.After(d.Now()) && again.Before(fresh.ResolveAt) {
			fresh.ResolveAt = again
		}
		fresh.LeaseUntil = tx.Now()
		return tx.UpdateOperation(fresh)
	})
	d.Log.LogAttrs(ctx, slog.LevelInfo, "operation still open", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.Int("tries", op.ResolveTries+1), slog.String("text", text))
	if err != nil {
		d.Log.LogAttrs(ctx, slog.LevelError, "rescheduling failed", slog.String("operation_id", op.ID), slog.Any("error", err))
	}
}

// giveUpUnsent is how long an authorization that provably never left is tried again; then it counts as not made. As long as the card
// of an unconfirmed payment is kept.
const giveUpUnsent = cardTokenTime

// resolveBatch bounds how many operations one node resolves at the same time.
const resolveBatch = 16
