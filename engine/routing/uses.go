package routing

import (
	"context"

	"payswitch/engine/account"
)

// Uses are the use cases of a Router that touch no payment.
type Uses struct{ router *Router }

// UsesOf returns the use cases of r.
func UsesOf(r *Router) Uses { return Uses{r} }

// AccountHealth returns how connector accounts fare: see Router.
func (u Uses) AccountHealth(ctx context.Context, a account.Auth, profileID string) ([]AccountHealth, error) {
	return u.router.AccountHealth(ctx, a, profileID)
}

// DecideGateway ranks gateways as dynamic routing would: see Router.
func (u Uses) DecideGateway(ctx context.Context, a account.Auth, in DecideInput) (*Decided, error) {
	return u.router.DecideGateway(ctx, a, in)
}

// CountFeedback counts the end of an attempt that payswitch did not make: see Router.
func (u Uses) CountFeedback(ctx context.Context, a account.Auth, in GatewayFeedback) (bool, error) {
	return u.router.CountFeedback(ctx, a, in)
}

// Simulate routes the latest payments by success and cost: see Router.
func (u Uses) Simulate(ctx context.Context, a account.Auth, in SimulateInput) (*Simulation, error) {
	return u.router.Simulate(ctx, a, in)
}

// ReplayRouting routes the latest payments again, by a draft: see Router.
func (u Uses) ReplayRouting(ctx context.Context, a account.Auth, in ReplayInput) (*Replay, error) {
	return u.router.ReplayRouting(ctx, a, in)
}
