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

// prepared returns the operation that begins with the flow's request, among the operations that may do so. If the adapter would send the payment
// itself, because it prepares nothing, prepared returns an error. It does not change other flows.
func (c caller) prepared(ctx context.Context, k *callCase, m *sdk.Manifest, d *port.Drive) (*port.Drive, error) {
	if !slices.Contains([]string{"create_customer", "create_order", "session_token", "tokenize"}, k.Flow) {
		return d, nil
	}
	first := func(d *port.Drive) *plugins.Request { return c.first(ctx, d) }
	request := first(d)
	if request == nil || k.prepares(request, d, first) {
		return d, nil
	}
	if k.Flow == "create_customer" && slices.Contains(m.Operations, sdk.OpVerify) { // only with this flow is the card kept without a payment
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

// prepares reports whether a request is not the payment yet. It holds no card or, if it makes a token of the card, does not depend on the amount.
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

// first returns the first request of an operation whose account has an access token, or nil.
func (c caller) first(ctx context.Context, d *port.Drive) *plugins.Request {
	r, err := c.host.Rehearse(ctx, d, plugins.Rehearsal{AccessToken: secret.New(someToken)})
	if err != nil || r.Reject != nil {
		return nil
	}
	return r.Request
}

// Made-up values in place of those that a processor returns before the request that a single response answers.
const (
	someCustomer  = "customer_that_the_case_does_not_tell"
	someCardToken = "card_token"
)

// rehearse gives the case's answers to the operation. A single response that decides nothing may be the answer to the first request.
func (c caller) rehearse(ctx context.Context, k *callCase, d *port.Drive) (*plugins.Rehearsed, error) {
	ready := c.answered(ctx, k, d)
	r, err := c.host.Rehearse(ctx, ready, k.rehearsal())
	if ready != d && err == nil && r.Outcome != nil && r.Outcome.Status == sdk.StatusUnknown {
		if next, err := c.host.Rehearse(ctx, d, k.rehearsal()); err == nil && next.Request != nil {
			return next, nil
		}
	}
	if r != nil && r.Outcome != nil {
		if kept := r.Outcome.ConnectorData; kept != nil && kept.Customer == someCustomer { // the made-up customer must not come out
			kept.Customer = ""
		}
	}
	return r, err
}

// answered returns the operation that a single response answers. The response answers the flow's own request, so a payment that begins with
// a customer or a card token gets both. If that does not lead to the payment, the payment starts with its first request.
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

// begins reports whether an operation's first request only prepares the payment: it does not depend on amount and reference.
func (c caller) begins(ctx context.Context, d *port.Drive) bool {
	other := *d
	other.Request.Reference += "-other"
	if d.Operation != sdk.OpVerify {
		other.Request.Amount.Minor += 100
	}
	request, again := c.first(ctx, d), c.first(ctx, &other)
	return request != nil && again != nil && request.URL == again.URL && bytes.Equal(request.Body, again.Body)
}
