package main

import (
	"context"

	"payswitch/engine"
	"payswitch/router"
)

// measured is a store whose transactions tell admission how busy the switch is.
type measured struct {
	engine.Store
	admission *router.Admission // nil measures nothing
}

// Update implements engine.Store.
func (m measured) Update(ctx context.Context, f func(tx engine.Tx) error) error {
	if m.admission == nil {
		return m.Store.Update(ctx, f)
	}
	defer m.admission.Transaction()()
	return m.Store.Update(ctx, f)
}
