package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/sdk"
)

// prepared is the operation whose first request is the flow's, of those that might begin with it. An adapter that prepares nothing would
// answer with the payment itself: then there is an error instead. Other flows are let by.
func (c caller) prepared(ctx context.Context, k *callCase, m *sdk.Manifest, d *engine.Drive) (*engine.Drive, error) {
	if !slices.Contains([]string{"create_customer", "create_order", "session_token", "tokenize"}, k.Flow) {
		return d, nil
	}
	first := func(d *engine.Drive) *plugins.Request {
		r, err := c.host.Rehearse(ctx, d, plugins.Rehearsal{AccessToken: engine.NewSecret(someToken)})
		if err != nil || r.Reject != nil {
			return nil
		}
		return r.Request
	}
	request := first(d)
	if request == nil || k.prepares(request, d, first) {
		return d, nil
	}
	if k.Flow == "create_customer" && slices.Contains(m.Operations, sdk.OpVerify) { // only where the card is kept without a payment
		verify, err := k.driveAs(sdk.OpVerify, m)
		if err != nil {
			return nil, err
		}
		if request = first(verify); request != nil && k.prepares(request, verify, first) {
			return verify, nil
		}
	}
	return nil, fmt.Errorf("flow: %s needs no %s: its payment is one request, that of authorize", m.Name, k.Flow)
}

// prepares says whether a request is no payment yet: it holds no card, or, where it makes a token of one, nothing of the amount.
func (k *callCase) prepares(request *plugins.Request, d *engine.Drive, first func(*engine.Drive) *plugins.Request) bool {
	if k.Flow != "tokenize" {
		i := d.Request.Instrument
		return i == nil || i.Card == nil || !strings.Contains(request.URL+string(request.Body), i.Card.Number)
	}
	other := *d
	other.Request.Amount.Minor += 100
	again := first(&other)
	return again != nil && request.URL == again.URL && bytes.Equal(request.Body, again.Body)
}
