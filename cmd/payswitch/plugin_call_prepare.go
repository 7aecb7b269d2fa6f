package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// prepared is the operation whose first request is the flow's, of those that might begin with it. An adapter that prepares nothing would
// answer with the payment itself: then there is an error instead. Other flows are let by.
func (c caller) prepared(ctx context.Context, k *callCase, m *sdk.Manifest, d *port.Drive) (*port.Drive, error) {
	if !slices.Contains([]string{"create_customer", "create_order", "session_token", "tokenize"}, k.Flow) {
		return d, nil
	}
	first := func(d *port.Drive) *plugins.Request { return c.first(ctx, d) }
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
	return nil, fmt.Errorf("flow: %s needs no %s: its payment begins with the request of authorize", m.Name, k.Flow)
}

// prepares says whether a request is no payment yet: it holds no card, or, where it makes a token of one, nothing of the amount.
func (k *callCase) prepares(request *plugins.Request, d *port.Drive, first func(*port.Drive) *plugins.Request) bool {
	if k.Flow != "tokenize" {
		i := d.Request.Instrument
		return i == nil || i.Card == nil || !strings.Contains(request.URL+string(request.Body), i.Card.Number)
	}
	other := *d
	other.Request.Amount.Minor += 100
	again := first(&other)
	return again != nil && request.URL == again.URL && bytes.Equal(request.Body, again.Body)
}

// first is the first request of an operation whose account has an access token, nil where there is none.
func (c caller) first(ctx context.Context, d *port.Drive) *plugins.Request {
	r, err := c.host.Rehearse(ctx, d, plugins.Rehearsal{AccessToken: secret.New(someToken)})
	if err != nil || r.Reject != nil {
		return nil
	}
	return r.Request
}

// Stand-ins for what a processor made before the request that a response alone answers.
const (
	someCustomer  = "customer_that_the_case_does_not_tell"
	someCardToken = "card_token"
)

// rehearse gives the operation the case's answers. A response alone that decides nothing may be the one to its first request.
func (c caller) rehearse(ctx context.Context, k *callCase, d *port.Drive) (*plugins.Rehearsed, error) {
	ready := c.answered(ctx, k, d)
	r, err := c.host.Rehearse(ctx, ready, k.rehearsal())
	if ready != d && err == nil && r.Outcome != nil && r.Outcome.Status == sdk.StatusUnknown {
		if next, err := c.host.Rehearse(ctx, d, k.rehearsal()); err == nil && next.Request != nil {
			return next, nil
		}
	}
	if r != nil && r.Outcome != nil {
		if kept := r.Outcome.ConnectorData; kept != nil && kept.Customer == someCustomer { // nobody's
			kept.Customer = ""
		}
	}
	return r, err
}

// answered is the operation that a response alone answers, which is the one to the flow's own request: a payment that begins with a customer
// or a token of the card is taken to have them. Where that does not lead to the payment, it begins at its beginning.
func (c caller) answered(ctx context.Context, k *callCase, d *port.Drive) *port.Drive {
	alone := k.exchanges == 0 && len(k.answers) == 1
	if !alone || !slices.Contains([]string{"authorize", "mandate_payment", "setup_mandate"}, k.Flow) || !c.begins(ctx, d) {
		return d
	}
	known, token := *d, &sdk.Instrument{StoredCredentialID: someCardToken}
	kept := d.Request.Kept()
	kept.Customer = cmp.Or(kept.Customer, someCustomer)
	known.Request.ConnectorData = &kept
	tokenized, both := *d, known
	tokenized.Request.Instrument, both.Request.Instrument = token, token
	for _, ready := range []*port.Drive{&known, &tokenized, &both} {
		if c.first(ctx, ready) != nil && !c.begins(ctx, ready) {
			return ready
		}
	}
	return d
}

// begins says that an operation's first request only prepares the payment: it is the same for another amount and reference.
func (c caller) begins(ctx context.Context, d *port.Drive) bool {
	other := *d
	other.Request.Reference += "-other"
	if d.Operation != sdk.OpVerify {
		other.Request.Amount.Minor += 100
	}
	request, again := c.first(ctx, d), c.first(ctx, &other)
	return request != nil && again != nil && request.URL == again.URL && bytes.Equal(request.Body, again.Body)
}
