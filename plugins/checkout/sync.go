package checkout

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// sync asks for the payment by its id, or by our reference where the id never came.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.TransactionID != "" {
		return get(c, c.Request.TransactionID)
	}
	resp := sdk.Must(c.Get("/payments?limit=10&skip=0&reference="+sdk.QueryEscape(c.Request.Reference), c.Bearer(secretKey)))
	list := resp.JSON().Get("data")
	if !resp.OK() || !list.IsArray() {
		return refused(resp)
	}
	p := list.Only(func(p sdk.JSON) bool { return p.Str("reference") == c.Request.Reference })
	if !p.Exists() {
		return sdk.NotFound(), nil
	}
	return get(c, p.Str("id"))
}

// complete asks what has become of the payment: what the browser brought back proves nothing.
func complete(c *sdk.Call) (*sdk.Outcome, error) { return get(c, c.Request.TransactionID) }

func get(c *sdk.Call, id string) (*sdk.Outcome, error) {
	sdk.Require(id != "", sdk.Missing("connector_transaction_id", "the payment's id is needed"))
	resp := sdk.Must(c.Get("/payments/"+sdk.PathEscape(id), c.Bearer(secretKey)))
	if !resp.OK() {
		return refused(resp)
	}
	return result(c, resp.JSON())
}

// refundSync looks for the refund among the payment's actions: by its id, or by our reference where the id never came.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	resp := sdk.Must(c.Get(paymentPath(c)+"/actions", c.Bearer(secretKey)))
	list := resp.JSON()
	if !resp.OK() || list.Len() == 0 { // there is an authorization at least
		return refused(resp)
	}
	for a := range list.All() {
		known := r.RefundID != "" && a.Str("id") == r.RefundID
		ours := r.RefundID == "" && a.Str("type") == "Refund" && a.Str("reference") == r.Reference
		if !known && !ours {
			continue
		}
		o := &sdk.Outcome{Status: sdk.StatusPending, RefundID: a.Str("id"), TransactionID: r.TransactionID, Raw: a.Pick("response_code")}
		switch a.Raw("approved") {
		case "true":
			o.Status, o.Amount = sdk.StatusRefunded, minor(a, "amount", r.Amount.Currency)
		case "false":
			o.Status, o.Decline = sdk.StatusDeclined, decline(a)
		}
		return o, nil
	}
	if r.RefundID != "" { // accepted, not performed yet
		return &sdk.Outcome{Status: sdk.StatusPending, RefundID: r.RefundID}, nil
	}
	return sdk.NotFound(), nil
}

// refused reads the answer to a query that found nothing. Only Checkout.com's own words prove that there is nothing.
func refused(resp *sdk.Response) (*sdk.Outcome, error) {
	if code := resp.JSON().Str("error_codes.0"); resp.Status == 404 && strings.HasSuffix(code, "_not_found") {
		return &sdk.Outcome{Status: sdk.StatusNotFound, Raw: map[string]string{"error_code": code}}, nil
	}
	return nil, errors.New("the answer holds no payment")
}
