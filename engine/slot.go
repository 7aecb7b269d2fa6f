package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"payswitch/sdk"
)

// withSlot runs f on a freshly read payment that no operation of this moment occupies: one payment, one operation at a time. It waits
// for one that is being driven, up to Options.LockWait, and runs f again when someone else was faster (compare-and-set failed). An
// operation whose result is unknown is not waited for: f sees the payment as processing and answers by its rules.
func (e *Engine) withSlot(ctx context.Context, auth Auth, id string, f func(w *work) (*PaymentView, error)) (*PaymentView, error) {
	deadline := e.now().Add(e.opts.LockWait)
	pause := 5 * time.Millisecond
	for {
		w, err := e.load(ctx, auth.MerchantID, id)
		if err != nil {
			return nil, err
		}
		if auth.ProfileID != "" && auth.ProfileID != w.p.ProfileID {
			return nil, NotFound("Payment")
		}
		busy, err := e.busy(ctx, w.p)
		if err != nil {
			return nil, err
		}
		if !busy {
			w.token = auth.RequestToken
			if auth.Repeated {
				if done, err := e.didAlready(ctx, w); err != nil || done {
					return e.view(w), err
				}
			}
			v, err := f(w)
			if !errors.Is(err, ErrConflict) {
				return v, err
			}
		}
		if e.now().After(deadline) {
			return nil, &Error{Kind: KindUnprocessable, Code: "HE_00", Message: "Resource is busy: another operation on this payment has not ended yet, try again"}
		}
		select {
		case <-ctx.Done():
			return nil, &Error{Kind: KindUnavailable, Code: "HE_00", Message: "The request was given up while it waited for another operation on this payment", Err: ctx.Err()}
		case <-time.After(pause):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// busy says whether an operation on the payment is being driven right now.
func (e *Engine) busy(ctx context.Context, p *Payment) (bool, error) {
	if p.OpenOperation == "" {
		return false, nil
	}
	busy := false
	err := e.store.View(ctx, func(r Reader) error {
		op, err := r.Operation(p.OpenOperation)
		if err == nil {
			busy = op.Status == OperationStarted && r.Now().Before(op.LeaseUntil)
		}
		return err
	})
	if err != nil {
		return false, Internal(err, "read operation")
	}
	return busy, nil
}

// didAlready says whether an earlier try of the same request (by its Idempotency-Key) has made an operation on the payment. Its seed,
// derived from the request's token, gives it away.
func (e *Engine) didAlready(ctx context.Context, w *work) (bool, error) {
	ops, err := e.operationsOf(ctx, w.p)
	if err != nil {
		return false, err
	}
	for _, op := range ops {
		if bytes.Equal(op.Seed, e.seed(w.token, op.Kind)) {
			return true, nil
		}
	}
	return false, nil
}

// seed is an operation's source of randomness: derived from the token of the request that made it, where it has one.
func (e *Engine) seed(token string, kind sdk.Operation) []byte {
	if token == "" {
		b := make([]byte, 32)
		rand.Read(b)
		return b
	}
	return e.vault.Hash("operation seed", []byte(token+"/"+string(kind)))
}
