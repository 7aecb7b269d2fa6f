package braintree

import (
	"errors"

	"payswitch/sdk"
)

// sync asks what has become of a payment: by Braintree's id, or by our reference where the answer with the id was lost.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	t := search(c, "transactions", "TransactionSearchInput", transaction+" refunds { status"+money+" }", r.TransactionID, statuses)
	o := paymentOf(c, t)
	if o.Amount != nil {
		o.Totals, o.Amount = totals(t, o, r), nil
	}
	return o, nil
}

// totals are what is held, taken and given back altogether.
func totals(t sdk.JSON, o *sdk.Outcome, r *sdk.Request) *sdk.Totals {
	all := &sdk.Totals{Authorized: o.Amount.Minor}
	if o.Status == sdk.StatusCaptured { // the amount is what was captured
		all.Captured = o.Amount.Minor
		if held := eventOf(t, "AUTHORIZED").MajorIn("amount.value", "amount.currencyCode", r.Amount.Currency); held != nil {
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
		m := amountOf(x, r.Amount.Currency)
		sdk.Require(m != nil, errors.New("a refund without an amount"))
		all.Refunded += m.Minor
	}
	return all
}

// refundSync asks what has become of a refund.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	return refundOf(c, search(c, "refunds", "RefundSearchInput", refunded, c.Request.RefundID, refundStatuses)), nil
}

// search finds a transaction or refund by id, or by our reference where the id is not known. Where there is none the operation ends with
// that; of an id that Braintree gave us once, it proves nothing.
func search(c *sdk.Call, what, inputType, selection, id string, means sdk.Statuses) (found sdk.JSON) {
	field, value := "id", id
	if id == "" {
		field, value = "orderId", c.Request.Reference
	}
	sdk.Require(value != "", sdk.Missing("connector_transaction_id", "an id or a reference is needed"))
	input := sdk.NewObject().Obj(field, sdk.NewObject().Str("is", value))
	data, refused := post(c, "query($input: "+inputType+"!) { search { "+what+"(input: $input) { edges { node {"+selection+" } } } } }", input, true)
	edges := data.Get("search." + what + ".edges")
	sdk.Require(refused == nil && edges.IsArray(), errors.New("the search was not answered"))
	for e := range edges.All() {
		node := e.Get("node")
		of, lost := node.Str("orderId"), means.Of(node.Str("status")) == sdk.StatusDeclined
		sdk.Require(id != "" || of == "" || of == value, errors.New("the search found another payment"))
		switch {
		case !found.Exists(), means.Of(found.Str("status")) == sdk.StatusDeclined && !lost:
			found = node
		case !lost: // of declined ones there may be more: Braintree may have tried again by itself, under the same reference
			sdk.Check(errors.New("several payments of one reference"))
		}
	}
	if !found.Exists() && id == "" {
		c.End(sdk.NotFound())
	}
	sdk.Require(found.Exists(), errors.New("the search does not show what Braintree gave an id"))
	return found
}
