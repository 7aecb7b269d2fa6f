package dashboard

import (
	"context"

	"payswitch/engine/account"
)

// Engine is what the pages need of *engine.Engine. Each group of pages adds an interface of its own, in its file.
type Engine interface {
	merchants
	paymentLists
	onePayment
	moneyMoves
	settings
	counts
	otherLists
	disputing
	operations
	customers
}

// merchants reads merchant accounts.
type merchants interface {
	Merchant(ctx context.Context, id string) (*account.Merchant, error)
	Merchants(ctx context.Context, organizationID string) ([]*account.Merchant, error)
}
