package checkout

import (
	"errors"

	"payswitch/sdk"
)

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r, kind := c.Request, "NonFinal"
	if r.FinalCapture { // Checkout.com voids the rest
		kind = "Final"
	}
	o, id := act(c, "captures", sdk.NewObject().Int("amount", amount(r.Amount)).Str("capture_type", kind).
		Str("processing_channel_id", c.Account.Credentials[channelID]).OptStr("reference", r.Reference))
	o.CaptureID = id
	return o, nil
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	o, _ := act(c, "voids", sdk.NewObject().OptStr("reference", c.Request.Reference))
	return o, nil
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	o, id := act(c, "refunds", sdk.NewObject().Int("amount", amount(c.Request.Amount)).OptStr("reference", c.Request.Reference))
	o.RefundID = id
	return o, nil
}

// incrementalAuthorize raises what is held: Checkout.com is told by how much, and we are told the new total. It is answered at once.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Require(r.Payment != nil && r.Amount.Minor > r.Payment.Authorized && r.Amount.Currency == r.Payment.Currency,
		sdk.Invalid("amount", "the new total must be above what is held, in its currency"))
	more := sdk.Money{Minor: r.Amount.Minor - r.Payment.Authorized, Currency: r.Amount.Currency}
	resp := post(c, paymentPath(c)+"/authorizations", sdk.NewObject().Int("amount", amount(more)).OptStr("reference", r.Reference))
	if !resp.OK() {
		return refusal(resp)
	}
	j := resp.JSON()
	o := &sdk.Outcome{TransactionID: r.TransactionID, AuthCode: j.Str("auth_code"), Raw: j.Pick("action_id", "response_code")}
	switch approved := j.Raw("approved"); {
	case j.Str("action_id") == "":
		return nil, errors.New("no authorization in the answer")
	case approved == "true":
		o.Status, o.Amount = sdk.StatusAuthorized, minor(j, "balances.total_authorized", r.Amount.Currency)
	case approved == "false":
		o.Status, o.Decline = sdk.StatusDeclined, decline(j)
	default:
		return nil, errors.New("neither approved nor declined")
	}
	return o, nil
}

// act asks for an action on the payment and returns its id. It is accepted with 202 and performed later; a refusal ends the operation.
func act(c *sdk.Call, what string, body *sdk.Object) (o *sdk.Outcome, id string) {
	resp := post(c, paymentPath(c)+"/"+what, body)
	if !resp.OK() {
		c.End(sdk.Must(refusal(resp)))
	}
	if id = resp.JSON().Str("action_id"); id == "" {
		sdk.Check(errors.New("accepted without an action id"))
	}
	return &sdk.Outcome{Status: sdk.StatusPending, Raw: map[string]string{"action_id": id}}, id
}
