package checkout

import (
	"errors"

	"payswitch/sdk"
)

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	value, err := amount(r.Amount)
	if err != nil {
		return nil, err
	}
	kind := "NonFinal"
	if r.FinalCapture { // Checkout.com voids the rest
		kind = "Final"
	}
	o, id, err := act(c, "captures", sdk.NewObject().Int("amount", value).Str("capture_type", kind).
		Str("processing_channel_id", c.Account.Credentials[channelID]).OptStr("reference", r.Reference))
	if id != "" {
		o.CaptureID = id
	}
	return o, err
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	o, _, err := act(c, "voids", sdk.NewObject().OptStr("reference", c.Request.Reference))
	return o, err
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	value, err := amount(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	o, id, err := act(c, "refunds", sdk.NewObject().Int("amount", value).OptStr("reference", c.Request.Reference))
	if id != "" {
		o.RefundID = id
	}
	return o, err
}

// act asks for an action on the payment and returns its id. It is accepted with 202 and performed later.
func act(c *sdk.Call, what string, body *sdk.Object) (*sdk.Outcome, string, error) {
	resp, err := post(c, paymentPath(c)+"/"+what, body)
	if err != nil {
		return nil, "", err
	}
	if !resp.OK() {
		o, err := refusal(resp)
		return o, "", err
	}
	id := resp.JSON().Str("action_id")
	if id == "" {
		return nil, "", errors.New("accepted without an action id")
	}
	return &sdk.Outcome{Status: sdk.StatusPending, Raw: map[string]string{"action_id": id}}, id, nil
}
