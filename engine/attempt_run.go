package engine

import (
	"context"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// intent moves the payment and is the change that makes the operation durable; performing the operation is its effect.
func (e *Engine) intent(w *change.Loaded, by payment.Trigger, now time.Time) (*change.Change, error) {
	if err := payment.Move(w.Payment, w.Attempt, by, now); err != nil {
		return nil, fault.Internal(err, string(w.Operation.Kind)+" payment")
	}
	w.Payment.OpenOperation = w.Operation.ID
	c := &change.Change{Payment: w.Payment, Attempt: w.Attempt, Intents: []*payment.Operation{w.Operation}}
	c.Effects = append(c.Effects, func(ctx context.Context) error { return e.perform(ctx, w) })
	return c, e.driver.SealRun(&w.Run)
}

// perform drives an operation whose intent is durable and settles it. It goes on when the client hangs up: money may have moved.
// The payment and attempt of w are the settled ones afterwards. The error is what the caller is told: the adapter could not do
// it, or we failed; then nothing has left.
func (e *Engine) perform(ctx context.Context, w *change.Loaded) error {
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	ctx = context.WithoutCancel(ctx)
	w.Fresh = true
	v := e.driver.Drive(ctx, &w.Run)
	told := e.settle(ctx, w, v)
	e.metrics.OperationDone(string(w.Operation.Kind), w.Operation.Connector, w.Operation.Status, w.Took)
	return told
}
