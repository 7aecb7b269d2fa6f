package engine

import (
	"context"
	"time"

	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
)

// intent moves the payment by a trigger and returns the change that makes the operation durable. The change's effect performs the operation.
func (e *Engine) intent(w *change.Loaded, by payment.Trigger, now time.Time) (*change.Change, error) {
	if err := payment.Move(w.Payment, w.Attempt, by, now); err != nil {
		return nil, fault.Internal(err, string(w.Operation.Kind)+" payment")
	}
	w.Payment.OpenOperation = w.Operation.ID
	return e.changes.StartRun(&change.Change{Payment: w.Payment, Attempt: w.Attempt}, w)
}

// perform drives an operation whose intent is durable, and settles it. It continues when the client hangs up, because money may have
// moved. Afterwards w holds the settled payment and attempt. An error is the answer for the caller: the adapter could not perform the
// operation, or payswitch failed, and nothing has left.
func (e *Engine) perform(ctx context.Context, w *change.Loaded) error {
	e.inFlight.Add(1)
	defer e.inFlight.Done()
	ctx = context.WithoutCancel(ctx)
	w.Fresh, w.Lease = true, w.Operation.LeaseUntil
	v := e.driver.Drive(ctx, &w.Run)
	err := e.settle(ctx, w, v)
	e.metrics.OperationDone(string(w.Operation.Kind), w.Operation.Connector, w.Operation.Status, w.Took)
	return err
}
