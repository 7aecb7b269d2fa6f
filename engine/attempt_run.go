package engine

import (
	"context"
	"time"
)

// intent moves the payment and is the change that makes the operation durable; performing the operation is its effect.
func (e *Engine) intent(w *loaded, by Trigger, now time.Time) (*Change, error) {
	if err := move(w.p, w.a, by, now); err != nil {
		return nil, Internal(err, string(w.op.Kind)+" payment")
	}
	w.p.OpenOperation = w.op.ID
	c := &Change{Payment: w.p, Attempt: w.a, Intents: []*Operation{w.op}}
	c.Effects = append(c.Effects, func(ctx context.Context) error { return e.perform(ctx, w) })
	return c, e.driver.sealRun(&w.run)
}

// perform drives an operation whose intent is durable and settles it. It goes on when the client hangs up: money may have moved.
// The payment and attempt of w are the settled ones afterwards. The error is what the caller is told: the adapter could not do
// it, or we failed; then nothing has left.
func (e *Engine) perform(ctx context.Context, w *loaded) error {
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	ctx = context.WithoutCancel(ctx)
	w.fresh = true
	v := e.driver.drive(ctx, &w.run)
	told := e.settle(ctx, w, v)
	e.metrics.OperationDone(string(w.op.Kind), w.op.Connector, w.op.Status, w.took)
	return told
}
