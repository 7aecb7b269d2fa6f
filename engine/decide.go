package engine

import (
	"context"

	"payswitch/engine/fault"
	"payswitch/engine/operator"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
)

// Decisions returns what an operator may say about an operation that has not ended. ResolveOperation makes the same checks. Errors: HE_02; IR_16 for an
// operation that has ended.
func (e *Engine) Decisions(ctx context.Context, id string) ([]request.Decision, error) {
	v, err := e.Operation(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case flow.AsksAuthenticator(v.Kind):
		return nil, fault.Refused("An operation at an authenticator ends by itself: it moves no money").WithParam("operation_id").WithHint("Wait until the authentication has ended.")
	case operator.Ended(v.Operation):
		return nil, operator.HasEnded(v.Operation)
	}
	w, err := e.loadOperation(ctx, v.Operation)
	if err != nil {
		return nil, err
	}
	return request.Decisions(w.Payment, w.Attempt, w.Refund, w.Operation), nil
}
