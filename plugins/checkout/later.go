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
