package checkout

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kind := sdk.Choose(r.FinalCapture, "Final", "NonFinal") // after Final, Checkout.com voids the rest
	// each of several captures has a reference of its own, which the action shows
	o, id := act(c, "captures", sdk.NewObject().Int("amount", amount(r.Amount)).Str("capture_type", kind).
		Str("processing_channel_id", c.Account.Credentials[channelID]).
		OptStr("reference", cmp.Or(r.CaptureReference, r.Reference)))
	o.CaptureID = id
	return o, nil
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	o, _ := act(c, "voids", sdk.NewObject().OptStr("reference", c.Request.Reference))
	return o, nil
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	o, id := act(c, "refunds", sdk.NewObject().Int("amount", amount(c.Request.Amount)).
		OptStr("reference", c.Request.Reference))
	o.RefundID = id
	return o, nil
}

// incrementalAuthorize raises the authorized amount. Checkout.com takes the difference, and answers at once.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	j := post(c, paymentPath(c)+"/authorizations",
		sdk.NewObject().Int("amount", amount(r.Increase())).OptStr("reference", r.Reference))
	o := &sdk.Outcome{TransactionID: r.TransactionID, AuthCode: j.Str("auth_code"),
		Raw: j.Pick("action_id", "response_code")}
	j.Need("action_id")
	if j.Raw("approved") == "false" {
		o.Status, o.Decline = sdk.StatusDeclined, decline(j)
		return o, nil
	}
	sdk.Expect(j.Raw("approved") == "true", "the answer neither approves nor declines")
	o.Status, o.Amount = sdk.StatusAuthorized, decimals.Need(j, "balances.total_authorized", "currency", r.Amount.Currency)
	return o, nil
}

// act asks for an action on the payment and returns its id. Checkout.com accepts it with 202 and performs it later.
func act(c *sdk.Call, what string, body *sdk.Object) (o *sdk.Outcome, id string) {
	id = post(c, paymentPath(c)+"/"+what, body).Need("action_id")
	return &sdk.Outcome{Status: sdk.StatusPending, Raw: map[string]string{"action_id": id}}, id
}

// sync asks for the payment by its id, or by our reference if the id never came.
func sync(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.TransactionID != "" {
		return get(c, c.Request.TransactionID), nil
	}
	resp := sdk.Must(c.Get("/payments?limit=10&skip=0&reference="+sdk.QueryEscape(c.Request.Reference),
		c.Bearer(secretKey)))
	sdk.Require(resp.OK(), sdk.ErrAnswer)
	list := resp.JSON().Get("data")
	p := c.Find(list, resp.JSON().Int("total_count") <= int64(list.Len()), func(p sdk.JSON) bool {
		return p.Need("reference") == c.Request.Reference
	})
	return get(c, p.Str("id")), nil
}

// complete asks for the state of the payment: what the browser brought back proves nothing.
func complete(c *sdk.Call) (*sdk.Outcome, error) { return get(c, c.Request.TransactionID), nil }

func get(c *sdk.Call, id string) *sdk.Outcome {
	sdk.Require(id != "", sdk.Missing("connector_transaction_id", "the request lacks the payment's id"))
	resp := sdk.Must(c.Get("/payments/"+sdk.PathEscape(id), c.Bearer(secretKey)))
	if !resp.OK() {
		return refused(c, resp)
	}
	return result(c, resp.JSON())
}

// refundSync looks for the refund among the payment's actions, by its id, or by our reference if the id never came.
func refundSync(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	resp := sdk.Must(c.Get(paymentPath(c)+"/actions", c.Bearer(secretKey)))
	list := resp.JSON()
	if !resp.OK() || list.Len() == 0 { // every payment has at least its authorization
		return refused(c, resp), nil
	}
	a := list.Only(func(a sdk.JSON) bool {
		if r.RefundID != "" {
			return a.Need("type") == "Refund" && a.Str("id") == r.RefundID
		}
		return a.Need("type") == "Refund" && a.Str("reference") == r.Reference
	})
	o := &sdk.Outcome{Status: sdk.StatusPending, RefundID: cmp.Or(a.Str("id"), r.RefundID), TransactionID: r.TransactionID,
		Raw: a.Pick("response_code")}
	switch approved := a.Raw("approved"); {
	case !a.Exists() && r.RefundID == "":
		return sdk.NotFound(), nil
	case approved == "true":
		o.Status, o.Amount = sdk.StatusRefunded, decimals.Need(a, "amount", "currency", r.Amount.Currency)
	case approved == "false":
		o.Status, o.Decline = sdk.StatusDeclined, decline(a)
	}
	return o, nil // pending: accepted, not performed yet
}

// refused reads the answer to a query by an id of Checkout.com that finds no payment.
func refused(c *sdk.Call, resp *sdk.Response) *sdk.Outcome {
	absent := resp.Status == 404 && strings.HasSuffix(resp.JSON().Str("error_codes.0"), "_not_found")
	sdk.Expect(absent && c.Request.TransactionID != "", "the answer holds no payment")
	return c.OtherAccount()
}
