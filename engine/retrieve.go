package engine

import (
	"context"
	"errors"
	"time"

	"payswitch/sdk"
)

// RetrievePayment reads a payment. With ForceSync the processor is asked first, where the status leaves something to learn.
func (e *Engine) RetrievePayment(ctx context.Context, auth Auth, id string, in RetrieveInput) (*PaymentView, error) {
	w, err := e.changes.load(ctx, auth.MerchantID, id)
	if err != nil {
		return nil, err
	}
	if auth.ProfileID != "" && auth.ProfileID != w.p.ProfileID {
		return nil, NotFound("Payment")
	}
	if in.HasClientSecret && !auth.Publishable {
		return nil, Unprocessable("client_secret", "client_secret is not a valid parameter")
	}
	if auth.Publishable {
		if err := checkSecret(auth, w.p, in.ClientSecret, e.now()); err != nil {
			return nil, err
		}
	}
	if in.ForceSync && w.p.Status.facts().Sync {
		if err := e.forceSync(ctx, w); err != nil {
			return nil, err
		}
	}
	v := e.changes.view(w)
	v.ShowAttempts, v.ShowCaptures, v.Public = in.Attempts, in.Captures, auth.Publishable
	if in.Attempts {
		err = e.store.View(ctx, func(r Reader) (err error) { v.Attempts, err = r.Attempts(w.p.MerchantID, w.p.ID); return err })
		for _, a := range v.Attempts {
			err = errors.Join(err, e.vault.openAttempt(a))
		}
		if err != nil {
			return nil, Internal(err, "read attempts")
		}
	}
	return v, nil
}

// forceSync asks the processor what has become of a payment and books the answer. It never sends anything that could act.
func (e *Engine) forceSync(ctx context.Context, w *loaded) error {
	if w.a.AccountID == "" {
		return nil
	}
	if w.a.Private.Invoke != nil || w.a.authenticated() && w.a.Status == Authorizing {
		if err := e.syncAuthentication(ctx, w); err != nil || w.a.Private.Invoke != nil || !w.p.Status.facts().Sync {
			return err
		}
	}
	if err := e.changes.withAccount(ctx, w); err != nil {
		return nil // an account or adapter that is gone must not hide the payment: it is shown as it is known
	}
	defer e.driver.keepRest(ctx, &w.run)
	op, err := e.openOperation(ctx, w)
	if err != nil {
		return err
	}
	w.op = op
	if op == nil {
		o, _ := e.driver.sync(ctx, &w.run, "")
		if o == nil {
			return nil
		}
		if err := e.keepLate(ctx, w, o); err != nil {
			return err
		}
		return e.bookEvidence(ctx, w, o)
	}
	if op.Status == OperationStarted || op.Status == OperationUnknown && op.LastSendAt.IsZero() {
		return nil // being driven, or about to be: its own answer is better
	}
	v, err := e.driver.askProcessor(ctx, &w.run)
	if err != nil || v.status == OperationUnknown || op.Status == OperationPending && v.status == OperationPending && !moves(w.a, v) {
		return err
	}
	return e.settle(context.WithoutCancel(ctx), w, v)
}

// pendingOperation is the operation that waits for the customer or the processor; nil when there is none.
func (e *Engine) pendingOperation(ctx context.Context, w *loaded) (*Operation, error) {
	if w.a.AccountID == "" {
		return nil, nil
	}
	ops, err := e.changes.operationsOf(ctx, w.p)
	for _, op := range ops {
		if op.AttemptID == w.a.ID && op.Status == OperationPending {
			return op, nil
		}
	}
	return nil, err
}

// openOperation is the latest operation of the attempt that is in flight, unknown or pending; nil when there is none.
func (e *Engine) openOperation(ctx context.Context, w *loaded) (*Operation, error) {
	ops, err := e.changes.operationsOf(ctx, w.p)
	if err != nil {
		return nil, err
	}
	for i := len(ops) - 1; i >= 0; i-- {
		if op := ops[i]; op.AttemptID == w.a.ID && (op.Status.Open() || op.Status == OperationPending && waits(w.a.Status)) {
			return op, nil
		}
	}
	return nil, nil
}

// bookEvidence books what a sync tells of a payment on which no operation of ours is open: captured or released at the processor by
// someone else.
func (e *Engine) bookEvidence(ctx context.Context, w *loaded, o *sdk.Outcome) error {
	now := e.now().UTC().Truncate(time.Millisecond)
	b := booking{p: w.p.clone(), a: w.a.clone(), op: &Operation{Kind: sdk.OpSync}}
	var err error
	switch o.Status {
	case sdk.StatusCaptured:
		amount := b.a.Authorized
		if o.Amount != nil {
			amount = o.Amount.Minor
		}
		if o.Totals != nil {
			amount = o.Totals.Captured
		}
		if !plausible(o, b.a) {
			e.metrics.Alarm("amount_mismatch")
			return nil
		}
		if amount <= b.a.Captured {
			return nil
		}
		err = b.taken(o, amount, now)
	case sdk.StatusVoided:
		err = move(b.p, b.a, TriggerVoided, now)
	default:
		return nil
	}
	if err != nil {
		e.metrics.Alarm("impossible_transition")
		return nil
	}
	c, err := e.changes.announced(w, &Change{Payment: b.p, Attempt: b.a}, now)
	if err != nil {
		return err
	}
	err = e.changes.commit(ctx, c)
	if errors.Is(err, ErrConflict) {
		return nil // another writer has just learned something: the next read shows it
	}
	if err != nil {
		return Internal(err, "book evidence")
	}
	w.p, w.a = b.p, b.a
	return nil
}

// ListPayments lists a merchant's payments, newest first.
func (e *Engine) ListPayments(ctx context.Context, auth Auth, in ListInput) ([]*PaymentView, error) {
	if auth.Publishable {
		return nil, Unauthorized()
	}
	if in.Limit == 0 {
		in.Limit = 10
	}
	if in.Limit < 1 || in.Limit > 100 {
		return nil, Unprocessable("limit", "limit should be in between 1 and 100")
	}
	var works []*loaded
	err := e.store.View(ctx, func(r Reader) error {
		list, err := r.Payments(auth.MerchantID, auth.ProfileID, in)
		if err != nil {
			return err
		}
		for _, p := range list {
			a, err := r.Attempt(p.MerchantID, p.AttemptID)
			if err != nil {
				return err
			}
			m, err := methodOf(r, a.MerchantID, a.Details.MethodID)
			if err != nil {
				return err
			}
			works = append(works, &loaded{run: run{p: p, a: a}, method: m})
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil, NotFound("Payment")
	}
	if err != nil {
		return nil, Internal(err, "list payments")
	}
	out := make([]*PaymentView, len(works))
	for i, w := range works {
		if err := e.changes.open(ctx, w); err != nil {
			return nil, err
		}
		out[i] = e.changes.view(w)
	}
	return out, nil
}
