package paypal

import "payswitch/sdk"

// complete goes on after PayPal's 3-D Secure: it looks at the result, and takes or holds the money if the card is the customer's.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	a := orderOf(c)
	j := a.JSON()
	authorization, captured := payments(j)
	switch status := j.Str("status"); {
	case !a.OK() || j.Str("id") == "":
		return nil, failed("no order", a)
	case authorization.Exists(), captured.Exists(), status != "CREATED" && status != "APPROVED":
		return order(c, j) // paid; the customer has not finished; the order is no more
	}
	if d := unauthenticated(j.Get("payment_source.card.authentication_result")); d != nil {
		return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: j.Str("id"), Decline: d}, nil
	}
	action := "/capture"
	if c.Request.Capture == sdk.CaptureManual {
		action = "/authorize"
	}
	return orderAnswer(c, post(c, ordersPath+"/"+sdk.PathEscape(c.Request.TransactionID)+action, sdk.NewObject()))
}

// unauthenticated is why PayPal recommends not to go on, nil where it recommends to. A card whose issuer takes no part (enrolment N, U
// or B without a shift of liability) is charged all the same.
func unauthenticated(result sdk.JSON) *sdk.Decline {
	enrolled, status := result.Str("three_d_secure.enrollment_status"), result.Str("three_d_secure.authentication_status")
	switch {
	case enrolled == "Y" && (status == "Y" || status == "A"):
		return nil
	case result.Str("liability_shift") == "NO" && (enrolled == "N" || enrolled == "U" || enrolled == "B"):
		return nil
	case enrolled == "" && result.Str("liability_shift") == "POSSIBLE":
		return nil
	}
	return &sdk.Decline{Code: "3DS_" + enrolled + status, Message: "3-D Secure did not succeed: enrolment " + enrolled + ", authentication " + status +
		", liability shift " + result.Str("liability_shift"), Reason: sdk.DeclineAuthenticationFailed}
}
