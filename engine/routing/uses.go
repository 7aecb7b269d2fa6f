package routing

import (
	"context"

	"payswitch/engine/account"
)

// UseCases are the use cases of a Router that touch no payment.
type UseCases struct{ router *Router }

// UseCasesOf returns the use cases of r.
func UseCasesOf(r *Router) UseCases { return UseCases{r} }

// AccountHealth returns how connector accounts fare: see Router.
func (u UseCases) AccountHealth(ctx context.Context, a account.Auth, profileID string) ([]AccountHealth, error) {
	return u.router.AccountHealth(ctx, a, profileID)
}

// DecideGateway ranks gateways as dynamic routing would: see Router.
func (u UseCases) DecideGateway(ctx context.Context, a account.Auth, in DecideInput) (*Decided, error) {
	return u.router.DecideGateway(ctx, a, in)
}

// CountFeedback counts the end of an attempt that payswitch did not make: see Router.
func (u UseCases) CountFeedback(ctx context.Context, a account.Auth, in GatewayFeedback) (bool, error) {
	return u.router.CountFeedback(ctx, a, in)
}

// Simulate routes the latest payments by success and cost: see Router.
func (u UseCases) Simulate(ctx context.Context, a account.Auth, in SimulateInput) (*Simulation, error) {
	return u.router.Simulate(ctx, a, in)
}

// ReplayRouting routes the latest payments again, by a draft: see Router.
func (u UseCases) ReplayRouting(ctx context.Context, a account.Auth, in ReplayInput) (*Replay, error) {
	return u.router.ReplayRouting(ctx, a, in)
}
