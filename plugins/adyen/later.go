package adyen

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// complete is POST /payments/details with what the customer's browser brought back.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	details := sdk.NewObject()
	ret := c.Request.Return
	if ret == nil {
		ret = &sdk.Return{}
	}
	pairs := append(append([]sdk.Header(nil), ret.Query...), ret.Form...)
	switch redirect, pares := sdk.HeaderValue(pairs, "redirectResult"), sdk.HeaderValue(pairs, "PaRes"); {
	case redirect != "":
		details.Str("redirectResult", redirect)
	case pares != "":
		details.Str("MD", sdk.HeaderValue(pairs, "MD")).Str("PaRes", pares)
	default:
		return nil, sdk.Missing("redirectResult", "the customer came back without a result")
	}
	resp, err := post(c, "/payments/details", sdk.NewObject().Obj("details", details).OptStr("paymentData", c.Request.Kept().Payment))
	if err != nil {
		return nil, err
	}
	return result(c, resp)
}

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	value, err := amount(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	o, id, err := modify(c, "captures", modification(c).Obj("amount", value))
	if id != "" {
		o.CaptureID = id
	}
	return o, err
}

func void(c *sdk.Call) (*sdk.Outcome, error) {
	o, _, err := modify(c, "cancels", modification(c))
	return o, err
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	value, err := amount(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	o, id, err := modify(c, "refunds", modification(c).Obj("amount", value).OptStr("merchantRefundReason", refundReason(c.Request.Reason)))
	if id != "" {
		o.TransactionID, o.RefundID = "", id
	}
	return o, err
}

// incrementalAuthorize updates the amount of a pre-authorization to a new total.
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	value, err := amount(c.Request.Amount)
	if err != nil {
		return nil, err
	}
	o, _, err := modify(c, "amountUpdates", modification(c).Obj("amount", value))
	return o, err
}

func modification(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Str("merchantAccount", c.Account.Credentials[merchantAccount]).OptStr("reference", c.Request.Reference)
}

// modify asks for a change of a payment and returns the request's own pspReference. All that Adyen answers is that it was received.
func modify(c *sdk.Call, what string, body *sdk.Object) (*sdk.Outcome, string, error) {
	resp, err := post(c, "/payments/"+sdk.PathEscape(c.Request.TransactionID)+"/"+what, body)
	if err != nil {
		return nil, "", err
	}
	if !resp.OK() {
		o, err := refusal(resp)
		return o, "", err
	}
	j := resp.JSON()
	id := j.Str("pspReference")
	if j.Str("status") != "received" || id == "" {
		return nil, "", errors.New("neither received nor refused")
	}
	return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: j.Str("paymentPspReference"), Amount: money(j.Get("amount"))}, id, nil
}

// refundReason is the nearest of the reasons Adyen knows; it takes no others.
func refundReason(reason string) string {
	if reason == "" {
		return ""
	}
	reason = strings.ToLower(reason)
	for _, r := range [...]struct{ word, value string }{{"fraud", "FRAUD"}, {"duplicate", "DUPLICATE"}, {"return", "RETURN"}, {"customer", "CUSTOMER REQUEST"}} {
		if strings.Contains(reason, r.word) {
			return r.value
		}
	}
	return "OTHER"
}
