package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// triggered describes how the simulator makes an event: a payment, and the calls that follow it.
type triggered struct {
	amount int64
	card   string // "": the card that is approved
	more   map[string]any
	then   string // a path behind the payment's own, or /refunds
	body   map[string]any
}

// triggers are the event types that the simulator can make at once.
var triggers = map[string]triggered{
	"payment_succeeded":              {},
	"payment_failed":                 {card: "4000000000000002"},
	"payment_processing":             {amount: 900000020},
	"payment_authorized":             {more: manualCapture},
	"payment_partially_authorized":   {amount: 900000008, more: map[string]any{"capture_method": "manual", "enable_partial_authorization": true}},
	"payment_captured":               {more: manualCapture, then: "/capture", body: map[string]any{"amount_to_capture": 1000}},
	"payment_cancelled":              {more: manualCapture, then: "/cancel"},
	"payment_cancelled_post_capture": {then: "/cancel_post_capture"},
	"action_required":                {more: map[string]any{"authentication_type": "three_ds", "return_url": "https://shop.example/return"}},
	"refund_succeeded":               {then: "/refunds"},
	"refund_failed":                  {card: "4000000000007734", then: "/refunds"},
}

var manualCapture = map[string]any{"capture_method": "manual"}

// trigger makes an event of a type by a payment at the simulator.
func (p *program) trigger(ctx context.Context, args []string) error {
	types := strings.Join(slices.Sorted(maps.Keys(triggers)), ", ")
	f := p.flags("trigger EVENT_TYPE")
	c := shopFlags(f)
	given, err := operands(f, args, 1)
	if err != nil {
		return err
	}
	if len(given) == 0 {
		return usageError{"trigger needs an event type: " + types}
	}
	t, known := triggers[given[0]]
	if !known {
		return usageError{fmt.Sprintf("trigger cannot make %q: the simulator makes %s", given[0], types)}
	}
	if err := c.complete(p.env); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	id, status, err := c.pay(ctx, t)
	if err != nil {
		return fmt.Errorf("trigger %s: %w", given[0], err)
	}
	fmt.Fprintf(p.stdout, "payment %s: %s\n", id, status)
	return nil
}

// pay makes a payment at the connector simulator, and the calls that follow it. The merchant's real accounts get no payment.
func (c *shopClient) pay(ctx context.Context, t triggered) (id, status string, err error) {
	if err := c.needSimulator(ctx); err != nil {
		return "", "", err
	}
	amount, card := t.amount, t.card
	if amount == 0 {
		amount = 6540
	}
	if card == "" {
		card = "4242424242424242"
	}
	body := map[string]any{"amount": amount, "currency": "USD", "confirm": true, "payment_method": "card", "payment_method_type": "credit",
		"connector": []string{demoConnector}, "description": "payswitch trigger",
		"payment_method_data": map[string]any{"card": map[string]any{"card_number": card, "card_exp_month": "10", "card_exp_year": "50",
			"card_holder_name": "Ada Lovelace", "card_cvc": "737"}}}
	if c.profile != "" {
		body["profile_id"] = c.profile
	}
	maps.Copy(body, t.more)
	var made struct {
		ID        string `json:"payment_id"`
		Status    string `json:"status"`
		Connector string `json:"connector"`
	}
	if err := c.call(ctx, http.MethodPost, "/payments", body, &made); err != nil {
		return "", "", err
	}
	switch t.then {
	case "":
		return made.ID, made.Status, nil
	case "/refunds":
		var refund struct {
			Status string `json:"status"`
		}
		err = c.call(ctx, http.MethodPost, "/refunds", map[string]any{"payment_id": made.ID}, &refund)
		return made.ID, made.Status + ", refund " + refund.Status, err
	}
	then := t.body
	if then == nil {
		then = map[string]any{}
	}
	err = c.call(ctx, http.MethodPost, "/payments/"+url.PathEscape(made.ID)+t.then, then, &made)
	return made.ID, made.Status, err
}

// needSimulator refuses a merchant without an account at the simulator: the payment would go to a processor.
func (c *shopClient) needSimulator(ctx context.Context) error {
	var list []struct {
		Connector string `json:"connector_name"`
		Profile   string `json:"profile_id"`
		Disabled  bool   `json:"disabled"`
	}
	if err := c.call(ctx, http.MethodGet, "/account/"+url.PathEscape(c.merchant)+"/connectors", nil, &list); err != nil {
		return err
	}
	for _, a := range list {
		if a.Connector == demoConnector && !a.Disabled && (c.profile == "" || c.profile == a.Profile) {
			c.profile = a.Profile
			return nil
		}
	}
	return fmt.Errorf("merchant %s has no connector account at the %s, and no other processor makes events on request: create one", c.merchant, demoConnector)
}
