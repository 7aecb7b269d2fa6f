package router

import (
	"context"

	"payswitch/engine"
)

// Payments are the engine's use cases of payments.
type Payments interface {
	CreatePayment(ctx context.Context, a engine.Auth, in *engine.PaymentInput) (*engine.PaymentView, error)
}
