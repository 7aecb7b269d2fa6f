package engine

import (
	"context"
	"time"
)

// work is a payment at hand: the run of its latest attempt, and what was read and chosen beside it.
type work struct {
	run
	merchant   *Merchant
	profile    *Profile
	instrument *Instrument    // nil where a card was typed
	method     *PaymentMethod // the saved method of the latest attempt, opened; nil without one
	saveTries  saveTries
	exemption  *AttemptExemption // of the attempt about to be made
	// softDeclined says that the attempt before it was declined for want of authentication.
	softDeclined bool
}

// intent moves the payment and is the change that makes the operation durable; performing the operation is its effect.
func (e *Engine) intent(w *work, by Trigger, now time.Time) (*Change, error) {
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
func (e *Engine) perform(ctx context.Context, w *work) error {
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	ctx = context.WithoutCancel(ctx)
	w.fresh = true
	v := e.driver.drive(ctx, &w.run)
	told := e.settle(ctx, w, v)
	e.metrics.OperationDone(string(w.op.Kind), w.op.Connector, w.op.Status, w.took)
	return told
}
