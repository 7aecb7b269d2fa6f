package cybersource

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// indicators are the commerce indicators of authenticated payments by network: authenticated, and attempted.
var indicators = []struct {
	network            sdk.CardNetwork
	passed, attempted  string
	ucafPass, ucafOnly string // ucafCollectionIndicator
}{
	{sdk.Visa, "vbv", "vbv_attempted", "", ""},
	{sdk.Mastercard, "spa", "spa", "2", "1"},
	{sdk.Maestro, "spa", "spa", "2", "1"},
	{sdk.AmericanExpress, "aesk", "aesk_attempted", "", ""},
	{sdk.Discover, "dipb", "dipb_attempted", "", ""},
	{sdk.DinersClub, "pb", "pb_attempted", "", ""},
	{sdk.JCB, "js", "js_attempted", "", ""},
	{sdk.UnionPay, "up3ds", "up3ds_attempted", "", ""},
}

// authenticatedIndicator is the kind of sale of a payment that was authenticated elsewhere.
func authenticatedIndicator(n sdk.CardNetwork, t *sdk.ThreeDSResult) string {
	for _, i := range indicators {
		switch {
		case i.network != n:
		case t.TransStatus == "Y":
			return i.passed
		case t.TransStatus == "A":
			return i.attempted
		}
	}
	return "internet"
}

// defaultCAVVAlgorithm is CVV with authentication transaction number.
const defaultCAVVAlgorithm = "2"

// externalResult is the result of an authentication done elsewhere. Mastercard's cryptogram has a field of its own.
func externalResult(n sdk.CardNetwork, t *sdk.ThreeDSResult) *sdk.Object {
	o := sdk.NewObject()
	if n == sdk.Mastercard || n == sdk.Maestro {
		o.OptStr("ucafAuthenticationData", t.CAVV).Str("ucafCollectionIndicator", ucafCollection(n, t.TransStatus))
	} else {
		o.OptStr("cavv", t.CAVV)
	}
	return o.OptStr("directoryServerTransactionId", t.DSTransID).OptStr("specificationVersion", t.Version).OptStr("paSpecificationVersion", t.Version).
		Str("veresEnrolled", "Y").OptStr("eciRaw", t.ECI).OptStr("paresStatus", t.TransStatus).OptStr("acsTransactionId", t.ACSTransID).
		Str("cavvAlgorithm", cmp.Or(t.CAVVAlgorithm, defaultCAVVAlgorithm))
}

func ucafCollection(n sdk.CardNetwork, status string) string {
	for _, i := range indicators {
		switch {
		case i.network != n:
		case status == "Y":
			return i.ucafPass
		case status == "A":
			return i.ucafOnly
		}
	}
	return "0"
}

// Payer authentication takes three steps, kept as connector data: setup tells where the browser is to be looked at, enrollment whether
// the customer must be challenged, and the payment holds the result.
const (
	afterDevice    = "device "    // and the reference of the data collection
	afterChallenge = "challenge " // and the id of the authentication
)

var errStage = errors.New("an authentication answer without what the next step needs")

// setup asks where the browser's data is to be collected.
func setup(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	instrument, err := paymentInformation(r)
	if err != nil {
		return nil, err
	}
	a, err := ask(c, "POST", setupsPath, sdk.NewObject().Obj("paymentInformation", instrument).Obj("clientReferenceInformation", reference(r)))
	if err != nil {
		return nil, err
	}
	if isRefusal(a, a.Str("status")) {
		return refused(a), nil
	}
	info := a.Get("consumerAuthenticationInformation")
	id, url, token := info.Str("referenceId"), info.Str("deviceDataCollectionUrl"), info.Str("accessToken")
	if a.Str("status") != "COMPLETED" || id == "" || url == "" || token == "" {
		return nil, errStage
	}
	return step("device_data", url, token, afterDevice+id), nil
}

// step sends the customer's browser to a URL with Cybersource's token.
func step(kind, url, token, stage string) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusCustomerAction, ConnectorData: &sdk.ConnectorData{Version: 1, Payment: stage},
		NextAction: &sdk.NextAction{Type: kind, URL: url, Fields: []sdk.Header{sdk.H("JWT", token)}}}
}

// complete goes on where the customer's browser left: with the enrollment, or with the payment after a challenge.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	stage := c.Request.Kept().Payment
	if id, ok := strings.CutPrefix(stage, afterChallenge); ok && id != "" {
		return pay(c, commerceIndicator(c.Request), []string{"VALIDATE_CONSUMER_AUTHENTICATION"}, sdk.NewObject().Str("authenticationTransactionId", id))
	}
	if id, ok := strings.CutPrefix(stage, afterDevice); ok && id != "" {
		return enroll(c, id)
	}
	return nil, sdk.Invalid("payment_id", "no authentication of this payment is under way")
}

// cryptograms are the fields of an authentication's answer that hold its proof. It is seen by nobody on its way into the payment.
var cryptograms = []string{"cavv", "ucafAuthenticationData"}

// enroll asks whether the customer is to be challenged. Where not, the payment follows with the result.
func enroll(c *sdk.Call, id string) (*sdk.Outcome, error) {
	r := c.Request
	instrument, err := paymentInformation(r)
	if err != nil {
		return nil, err
	}
	body := sdk.NewObject().Obj("paymentInformation", instrument).Obj("clientReferenceInformation", reference(r)).
		Obj("consumerAuthenticationInformation", sdk.NewObject().OptStr("returnUrl", r.ReturnURL).Str("referenceId", id)).
		Obj("orderInformation", orderInformation(r))
	var captures []sdk.Capture
	for _, name := range cryptograms {
		captures = append(captures, sdk.Capture{Path: "consumerAuthenticationInformation." + name, Name: "authentication_" + strings.ToLower(name)})
	}
	a, err := ask(c, "POST", enrollmentsPath, body, captures...)
	if err != nil {
		return nil, err
	}
	info := a.Get("consumerAuthenticationInformation")
	switch status := a.Str("status"); {
	case isRefusal(a, status):
		return refused(a), nil
	case status == "PENDING_AUTHENTICATION":
		id, url, token := info.Str("authenticationTransactionId"), info.Str("stepUpUrl"), info.Str("accessToken")
		if id == "" || url == "" || token == "" {
			return nil, errStage
		}
		return step("form_post", url, token, afterChallenge+id), nil
	case status != "AUTHENTICATION_SUCCESSFUL":
		return nil, errStatus
	}
	result := sdk.NewObject()
	for _, name := range []string{"cavv", "ucafAuthenticationData", "ucafCollectionIndicator", "xid", "directoryServerTransactionId", "specificationVersion",
		"veresEnrolled", "eciRaw", "paresStatus", "acsTransactionId"} {
		result.OptStr(name, info.Text(name))
	}
	return pay(c, cmp.Or(info.First("ecommerceIndicator", "indicator"), commerceIndicator(r)), nil, result)
}
