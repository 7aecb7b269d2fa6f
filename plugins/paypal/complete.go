package paypal

import "payswitch/sdk"

// complete goes on after PayPal's 3-D Secure: it looks at the result, and takes or holds the money if the card is the customer's.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	a, err := orderOf(c)
	if err != nil {
		return nil, err
	}
	j := a.JSON()
	if !a.OK() || j.Str("id") == "" {
		return nil, failed("no order", a)
	}
	if j.Has("purchase_units.0.payments.captures") || j.Has("purchase_units.0.payments.authorizations") {
		return order(c, j)
	}
	switch j.Str("status") {
	case "CREATED", "APPROVED":
	default: // the customer has not finished, or the order is no more
		return order(c, j)
	}
	if d := unauthenticated(j.Get("payment_source.card.authentication_result")); d != nil {
		return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: j.Str("id"), Decline: d}, nil
	}
	action := "/capture"
	if c.Request.Capture == sdk.CaptureManual {
		action = "/authorize"
	}
	a, err = post(c, ordersPath+"/"+sdk.PathEscape(c.Request.TransactionID)+action, sdk.NewObject())
	if err != nil {
		return nil, err
	}
	return orderAnswer(c, a)
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
