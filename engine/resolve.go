package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"payswitch/sdk"
)

// resolveDelay is when an open operation is looked at again: an unknown soon, since money hangs on it; a pending one by the
// contract's schedule (60 s, then 5 × 300 s), then hourly for as long as it takes.
func resolveDelay(s OperationStatus, tries int) time.Duration {
	if s == OperationPending {
		switch {
		case tries == 0:
			return time.Minute
		case tries <= 5:
			return 5 * time.Minute
		}
		return time.Hour
	}
	return min(2*time.Second<<min(tries, 10), 10*time.Minute)
}

// giveUpUnsent is how long an authorization that provably never left is tried again; then it counts as not made. As long as the card
// of an unconfirmed payment is kept.
const giveUpUnsent = cardTokenTime

// Run resolves what is open, at once and then every Options.ResolveEvery, and clears what has expired. It blocks until ctx ends.
// Any number of nodes may run it: leases keep them apart.
func (e *Engine) Run(ctx context.Context) error {
	tick := time.NewTicker(e.opts.ResolveEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		e.resolveDue(ctx)
		if n%12 == 0 {
			if err := e.store.Update(ctx, func(tx Tx) error { _, err := tx.DeleteExpired(); return err }); err != nil && ctx.Err() == nil {
				e.log.LogAttrs(ctx, slog.LevelError, "clearing expired rows failed", slog.Any("error", err))
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-e.closing:
			return nil
		case <-tick.C:
		}
	}
}

// Close waits for operations in flight, until ctx ends. What is open then is resolved after the next start.
func (e *Engine) Close(ctx context.Context) error {
	e.closed.Do(func() { close(e.closing) })
	done := make(chan struct{})
	go func() { e.inFlight.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resolveBatch bounds how many operations one node resolves at the same time.
const resolveBatch = 16

// resolveDue claims and resolves everything that is due now.
func (e *Engine) resolveDue(ctx context.Context) {
	for ctx.Err() == nil {
		var ops []*Operation
		leaseEnd := e.now().Add(e.opts.LeaseTime)
		err := e.store.Update(ctx, func(tx Tx) (err error) {
			ops, err = tx.ClaimOperations(e.opts.Node, tx.Now().Add(e.opts.LeaseTime), resolveBatch)
			return err
		})
		if err != nil {
			if ctx.Err() == nil {
				e.log.LogAttrs(ctx, slog.LevelError, "claiming open operations failed", slog.Any("error", err))
			}
			return
		}
		var wg sync.WaitGroup
		for _, op := range ops {
			wg.Add(1)
			e.inFlight.Add(1)
			go func() {
				defer wg.Done()
				defer e.inFlight.Done()
				if err := e.resolve(context.WithoutCancel(ctx), op, leaseEnd); err != nil {
					e.log.LogAttrs(ctx, slog.LevelWarn, "operation not resolved yet", slog.String("operation_id", op.ID), slog.Any("error", err))
				}
			}()
		}
		wg.Wait()
		if len(ops) < resolveBatch {
			return
		}
	}
}

// resolve settles one claimed operation by evidence, or schedules the next try.
func (e *Engine) resolve(ctx context.Context, op *Operation, leaseEnd time.Time) error {
	w, err := e.load(ctx, op.MerchantID, op.PaymentID)
	if err == nil && w.a.ID != op.AttemptID {
		w.a, err = e.loadAttempt(ctx, op)
	}
	if err == nil {
		w.op, w.leaseEnd = op, leaseEnd
		err = e.withAccount(ctx, w)
	}
	if err != nil {
		e.reschedule(ctx, op, "not reachable: "+err.Error(), time.Time{})
		return err
	}
	if op.Status == OperationPending && !waits(w.a.Status) {
		return e.closeStale(ctx, op)
	}
	v, how, err := e.evidence(ctx, w)
	if err != nil {
		e.reschedule(ctx, op, err.Error(), time.Time{})
		return err
	}
	if v.status == OperationUnknown || op.Status == OperationPending && v.status == OperationPending && !moves(w, v) {
		e.reschedule(ctx, op, v.text, v.again)
		return nil
	}
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation resolved", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.String("by", how), slog.String("status", string(v.status)))
	return e.settle(ctx, w, v)
}

// waits says whether an attempt in this status still waits for the end of a pending operation.
func waits(s AttemptStatus) bool {
	switch s {
	case Pending, Authorizing, AuthenticationPending, DeviceDataPending, Unresolved, CaptureInitiated, VoidInitiated:
		return true
	}
	return false
}

// moves says whether a pending answer tells something new (a redirect where it was pending, say).
func moves(w *work, v verdict) bool {
	switch v.outcome.Status {
	case sdk.StatusPending:
		return w.a.Status == Unresolved
	case sdk.StatusCustomerAction:
		return w.a.Status == Pending || w.a.Status == Authorizing
	case sdk.StatusReview:
		return w.a.Status != Unresolved
	}
	return true
}

// evidence asks for what is known of an open operation, the way the manifest says. The text tells which way was used.
func (e *Engine) evidence(ctx context.Context, w *work) (verdict, string, error) {
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
	return verdict{status: OperationUnknown, text: "waits for the processor's own message or an operator"}, "", nil
}

// sendUnsent performs an operation again of which it is proven that nothing left.
func (e *Engine) sendUnsent(ctx context.Context, w *work) (verdict, string, error) {
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
func (e *Engine) resend(ctx context.Context, w *work) (verdict, error) {
	op := w.op
	if err := e.openJSON(op.Request, requestAD(op.ID), &w.req); err != nil {
		return verdict{}, err
	}
	var err error
	if w.secrets, err = e.openSecrets(op.Instrument, op.ID); err != nil {
		return verdict{}, err
	}
	if w.resume, err = e.answered(ctx, op.ID); err != nil {
		return verdict{}, err
	}
	w.journalled = len(w.resume)
	w.mayHaveLeft = op.Status == OperationStarted || !op.LastSendAt.IsZero()
	if !w.mayHaveLeft { // from here on something may leave: a crash must not find the proof that nothing did
		op.LastSendAt = e.now()
		if err := e.markSend(ctx, op); err != nil {
			return verdict{}, err
		}
	}
	return e.drive(ctx, w), nil
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

// answered are the exchanges of an operation that have an answer, from the journal.
func (e *Engine) answered(ctx context.Context, operationID string) ([]sdk.Exchange, error) {
	var rows []ExchangeRecord
	err := e.store.View(ctx, func(r Reader) (err error) { rows, err = r.Exchanges(operationID); return err })
	if err != nil {
		return nil, Internal(err, "read journal")
	}
	var out []sdk.Exchange
	for _, r := range rows {
		if !r.Answered {
			break
		}
		var j journalEntry
		if err := e.openJSON(r.Sealed, exchangeAD(operationID), &j); err != nil {
			return nil, err
		}
		j.Exchange.Body = j.Body
		out = append(out, *j.Exchange)
	}
	return out, nil
}

// askProcessor makes a sync and reads it as evidence about the open operation.
func (e *Engine) askProcessor(ctx context.Context, w *work) (verdict, error) {
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
func (e *Engine) finalAt(w *work) time.Time {
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
func (e *Engine) sync(ctx context.Context, w *work, resolves sdk.Operation) (*sdk.Outcome, verdict) {
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
		Account: e.driveAccount(w.account), Request: q.req, BeforeSend: func(context.Context, SendIntent) error { return nil }}
	r, err := e.connectors.Drive(ctx, d)
	if r == nil {
		r = &DriveResult{}
	}
	v := judge(sdk.OpSync, q.req.Amount, w.adapter.Manifest, r, err)
	e.metrics.OperationDone(string(sdk.OpSync), q.op.Connector, v.status, e.now().Sub(now))
	if v.outcome == nil || v.outcome.Status == sdk.StatusUnknown || v.status == OperationUnknown {
		return nil, verdict{status: OperationUnknown, text: "the processor's answer to a sync tells nothing: " + v.text}
	}
	return v.outcome, v
}

// read turns what a sync says of the payment into what it says of the open operation.
func read(op *Operation, a *Attempt, o *sdk.Outcome, final bool) verdict {
	notYet := verdict{status: OperationUnknown, text: "the processor has not heard of it; it is too early to believe that"}
	if op.Status == OperationPending {
		notYet = verdict{status: OperationPending, outcome: &sdk.Outcome{Status: sdk.StatusPending}}
	}
	if o.Amount != nil && o.Amount.Currency != "" && o.Totals == nil && op.Kind != sdk.OpCapture && o.Amount.Minor > a.Amount {
		return verdict{status: OperationSucceeded, outcome: o, mismatch: true, alarm: "amount_mismatch", text: "the processor reports another amount than asked for"}
	}
	switch op.Kind {
	case sdk.OpCapture:
		return readCapture(op, a, o, final, notYet)
	case sdk.OpVoid:
		switch {
		case o.Status == sdk.StatusVoided:
			return verdict{status: OperationSucceeded, outcome: o}
		case o.Status == sdk.StatusPending:
			return verdict{status: OperationPending, outcome: o}
		case final:
			return verdict{status: OperationNotActed, text: "the void did not happen"}
		}
		return notYet
	}
	switch o.Status {
	case sdk.StatusNotFound:
		if final {
			return verdict{status: OperationNotActed, text: "the processor has not heard of this payment"}
		}
		return notYet
	case sdk.StatusDeclined:
		return verdict{status: OperationDeclined, outcome: o}
	case sdk.StatusPending, sdk.StatusCustomerAction, sdk.StatusReview:
		return verdict{status: OperationPending, outcome: o}
	}
	return verdict{status: OperationSucceeded, outcome: o}
}

func readCapture(op *Operation, a *Attempt, o *sdk.Outcome, final bool, notYet verdict) verdict {
	taken := int64(0)
	switch {
	case o.Totals != nil:
		taken = o.Totals.Captured - a.Captured
	case o.Status == sdk.StatusCaptured:
		taken = op.Amount
	}
	switch {
	case taken > op.Amount:
		return verdict{status: OperationUnknown, alarm: "amount_mismatch", text: "the processor reports more captured than asked for"}
	case taken > 0:
		c := *o
		c.Status, c.Amount = sdk.StatusCaptured, &sdk.Money{Minor: taken}
		return verdict{status: OperationSucceeded, outcome: &c}
	case o.Status == sdk.StatusPending:
		return verdict{status: OperationPending, outcome: o}
	case final:
		return verdict{status: OperationNotActed, text: "the capture did not happen"}
	}
	return notYet
}

// reschedule gives an operation back, to be looked at again later: as soon as again where that is in the future, else ever more seldom.
func (e *Engine) reschedule(ctx context.Context, op *Operation, text string, again time.Time) {
	err := e.store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil {
			return err
		}
		if fresh.Owner != e.opts.Node || !fresh.Status.Open() && fresh.Status != OperationPending {
			return nil // someone else has it, or has ended it
		}
		switch fresh.Status {
		case OperationStarted: // its node is gone; until there is evidence nobody knows
			fresh.Status = OperationUnknown
			fresh.LastSendAt = e.lastSend(op)
		case OperationUnknown:
			fresh.LastSendAt = op.LastSendAt // zero: proven that nothing left
		}
		if fresh.Status == OperationPending && tx.Now().Sub(fresh.StartedAt) > cardTokenTime {
			fresh.Instrument = nil // the customer did not come back in time: no card is kept for it
		}
		fresh.ErrorText = text
		fresh.ResolveTries++
		fresh.ResolveAt = tx.Now().Add(resolveDelay(fresh.Status, fresh.ResolveTries))
		if fresh.Status == OperationUnknown && again.After(e.now()) && again.Before(fresh.ResolveAt) {
			fresh.ResolveAt = again
		}
		fresh.LeaseUntil = tx.Now()
		return tx.UpdateOperation(fresh)
	})
	e.log.LogAttrs(ctx, slog.LevelInfo, "operation still open", slog.String("operation_id", op.ID), slog.String("payment_id", op.PaymentID),
		slog.String("kind", string(op.Kind)), slog.Int("tries", op.ResolveTries+1), slog.String("text", text))
	if err != nil {
		e.log.LogAttrs(ctx, slog.LevelError, "rescheduling failed", slog.String("operation_id", op.ID), slog.Any("error", err))
	}
}

// closeStale ends a pending operation that the payment has moved beyond.
func (e *Engine) closeStale(ctx context.Context, op *Operation) error {
	return e.store.Update(ctx, func(tx Tx) error {
		fresh, err := tx.Operation(op.ID)
		if err != nil || fresh.Status != OperationPending {
			return err
		}
		endPending(fresh, tx.Now())
		return tx.UpdateOperation(fresh)
	})
}

func endPending(op *Operation, now time.Time) {
	op.Status, op.ClosedAt, op.ResolveAt, op.LeaseUntil, op.Owner, op.Instrument = OperationSucceeded, now, time.Time{}, time.Time{}, "", nil
}

func (e *Engine) loadAttempt(ctx context.Context, op *Operation) (a *Attempt, err error) {
	err = e.store.View(ctx, func(r Reader) error { a, err = r.Attempt(op.MerchantID, op.AttemptID); return err })
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment attempt")
	}
	if err != nil {
		return nil, Internal(err, "read attempt")
	}
	return a, e.openAttempt(a)
}
