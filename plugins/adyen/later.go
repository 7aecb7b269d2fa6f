package adyen

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// complete is POST /payments/details with what the customer's browser brought back.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	r, details := c.Request, sdk.NewObject()
	redirect, pares := r.Returned("redirectResult"), r.Returned("PaRes")
	sdk.Require(redirect+pares != "", sdk.Missing("redirectResult",
		"the customer came back without a result: pass the query of the return URL on"))
	if details.OptStr("redirectResult", redirect); redirect == "" {
		details.Str("MD", r.Returned("MD")).Str("PaRes", pares)
	}
	j := post(c, "/payments/details",
		sdk.NewObject().Obj("details", details).OptStr("paymentData", r.Kept().Payment))
	// The result names its payment, so a customer who has paid little could bring it to a payment of more.
	if of := j.Str("merchantReference"); of != "" && of != r.Reference {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"result_of": of}}, nil
	}
	return result(c, j)
}

func capture(c *sdk.Call) (*sdk.Outcome, error) {
	o, id := modify(c, "captures", modification(c).Obj("amount", amount(c.Request.Amount)))
	o.CaptureID = id
	return o, nil
}

// void cancels an authorized payment. Adyen may have captured an automatic payment: a reversal cancels or refunds it.
func void(c *sdk.Call) (*sdk.Outcome, error) {
	automatic := c.Request.Known().Capture == sdk.CaptureAutomatic
	o, _ := modify(c, sdk.Choose(automatic, "reversals", "cancels"), modification(c))
	return o, nil
}

func refund(c *sdk.Call) (*sdk.Outcome, error) {
	o, id := modify(c, "refunds", modification(c).Obj("amount", amount(c.Request.Amount)).
		OptStr("merchantRefundReason", refundReason(c.Request.Reason)))
	o.TransactionID, o.RefundID = "", id
	return o, nil
}

// incrementalAuthorize updates the amount of a pre-authorization to a new total. The present amount as the total makes
// the authorization valid for longer (docs.adyen.com, "Adjust authorisation").
func incrementalAuthorize(c *sdk.Call) (*sdk.Outcome, error) {
	o, _ := modify(c, "amountUpdates", modification(c).Obj("amount", amount(c.Request.Amount)))
	return o, nil
}

// modification begins the body of a change. A capture has its own (docs.adyen.com, "Your reference for the capture").
func modification(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Str("merchantAccount", c.Account.Credentials["merchant_account"]).
		OptStr("reference", cmp.Or(c.Request.CaptureReference, c.Request.Reference))
}

// modify asks for a change of a payment and returns the request's own pspReference. Adyen only confirms the receipt.
func modify(c *sdk.Call, what string, body *sdk.Object) (o *sdk.Outcome, id string) {
	j := post(c, "/payments/"+sdk.PathEscape(c.Request.TransactionID)+"/"+what, body)
	id = j.Str("pspReference")
	sdk.Expect(id != "", "the answer neither confirms nor refuses the request")
	o = &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: j.Str("paymentPspReference"), Raw: j.Pick("status")}
	if j.Str("status") == "received" {
		o.Status, o.Amount, o.Raw = sdk.StatusPending, money(j.Get("amount")), nil
	}
	return o, id
}

// refundReason returns the nearest of Adyen's reasons; Adyen accepts no others.
func refundReason(reason string) string {
	if reason == "" {
		return ""
	}
	for _, row := range (sdk.Names{{"FRAUD", "fraud"}, {"DUPLICATE", "duplicate"}, {"RETURN", "return"},
		{"CUSTOMER REQUEST", "customer"}}) {
		if strings.Contains(strings.ToLower(reason), row[1]) {
			return row[0]
		}
	}
	return "OTHER"
}
