package braintree

import (
	"errors"

	"payswitch/sdk"
)

// sync asks what has become of a payment: by Braintree's id, or by our reference where the answer with the id was lost.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	found, err := search(c, "transactions", "TransactionSearchInput", transaction+" refunds { status"+money+" }", r.TransactionID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return absent(r.TransactionID)
	}
	t, err := one(found, statuses)
	if err != nil {
		return nil, err
	}
	o, err := paymentOf(t, r.Amount.Currency)
	if err != nil || o.Amount == nil {
		return o, err
	}
	o.Totals, err = totals(t, o, r)
	o.Amount = nil
	return o, err
}

// totals are what is held, taken and given back altogether.
func totals(t sdk.JSON, o *sdk.Outcome, r *sdk.Request) (*sdk.Totals, error) {
	all := &sdk.Totals{Authorized: o.Amount.Minor}
	if o.Status == sdk.StatusCaptured { // the amount is what was captured
		all.Captured = o.Amount.Minor
		if held, err := amountOf(eventOf(t, "AUTHORIZED"), r.Amount.Currency); err == nil && held != nil {
			all.Authorized = max(all.Authorized, held.Minor)
		}
	}
	if r.Payment != nil && !t.Get("refunds").IsArray() {
		all.Refunded = r.Payment.Refunded
	}
	for x := range t.Get("refunds").All() {
		if refundStatuses.Of(x.Str("status")) == sdk.StatusDeclined {
			continue
		}
		m, err := amountOf(x, r.Amount.Currency)
		if err != nil || m == nil {
			return nil, errors.New("a refund without an amount")
		}
		all.Refunded += m.Minor
	}
	return all, nil
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	found, err := search(c, "refunds", "RefundSearchInput", refunded, r.RefundID)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return absent(r.RefundID)
	}
	t, err := one(found, refundStatuses)
	if err != nil {
		return nil, err
	}
	return refundOf(t, r)
}

// search finds transactions or refunds by id, or by our reference where the id is not known.
func search(c *sdk.Call, what, inputType, selection, id string) ([]sdk.JSON, error) {
	field, value := "id", id
	if id == "" {
		field, value = "orderId", c.Request.Reference
	}
	if value == "" {
		return nil, sdk.Missing("connector_transaction_id", "an id or a reference is needed")
	}
	input := sdk.NewObject().Obj(field, sdk.NewObject().Str("is", value))
	data, refused, err := post(c, "query($input: "+inputType+"!) { search { "+what+"(input: $input) { edges { node {"+selection+" } } } } }", input, true)
	if err != nil {
		return nil, err
	}
	edges := data.Get("search." + what + ".edges")
	if refused != nil || !edges.IsArray() {
		return nil, errors.New("the search was not answered")
	}
	var found []sdk.JSON
	for e := range edges.All() {
		node := e.Get("node")
		if of := node.Str("orderId"); field == "orderId" && of != "" && of != value {
			return nil, errors.New("the search found another payment")
		}
		found = append(found, node)
	}
	return found, nil
}

// absent is what it means that nothing was found: of an id that Braintree gave us once it proves nothing.
func absent(id string) (*sdk.Outcome, error) {
	if id != "" {
		return nil, errors.New("the search does not show what Braintree gave an id")
	}
	return &sdk.Outcome{Status: sdk.StatusNotFound}, nil
}

// one is the one that counts: Braintree may have tried a declined payment again by itself, under the same reference.
func one(found []sdk.JSON, statuses sdk.Statuses) (sdk.JSON, error) {
	best := found[0]
	for _, t := range found[1:] {
		switch {
		case statuses.Of(t.Str("status")) == sdk.StatusDeclined:
		case statuses.Of(best.Str("status")) == sdk.StatusDeclined:
			best = t
		default:
			return sdk.JSON{}, errors.New("several payments of one reference")
		}
	}
	return best, nil
}
