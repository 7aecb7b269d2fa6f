package cybersource

import (
	"cmp"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// indicators are the commerce indicators of payments with an outside authentication, by network and transStatus.
var indicators = sdk.Names{
	{"vbv", "Visa_Y"}, {"vbv_attempted", "Visa_A"}, {"spa", "Mastercard_Y Mastercard_A Maestro_Y Maestro_A"},
	{"aesk", "AmericanExpress_Y"}, {"aesk_attempted", "AmericanExpress_A"}, {"dipb", "Discover_Y"},
	{"dipb_attempted", "Discover_A"}, {"pb", "DinersClub_Y"}, {"pb_attempted", "DinersClub_A"}, {"js", "JCB_Y"},
	{"js_attempted", "JCB_A"}, {"up3ds", "UnionPay_Y"}, {"up3ds_attempted", "UnionPay_A"},
}

// exemptions are indicators of strongAuthentication (developer.cybersource.com, API fields).
var exemptions = sdk.Names{{"lowValueExemptionIndicator", "low_value"},
	{"riskAnalysisExemptionIndicator", "transaction_risk_analysis"},
	{"trustedMerchantExemptionIndicator", "trusted_beneficiary"}, {"secureCorporatePaymentIndicator", "secure_corporate"},
	{"delegatedAuthenticationExemptionIndicator", "sca_delegation"}}

// externalResult returns the result of an outside authentication, with its commerce indicator.
func externalResult(r *sdk.Request) (indicator string, result *sdk.Object) {
	t, network := r.ThreeDS, r.Instrument.Card.Scheme()
	ucaf := network == sdk.Mastercard || network == sdk.Maestro // whose cryptogram has a field of its own
	collected := cmp.Or(sdk.Names{{"2", "Y"}, {"1", "A"}}.Of(t.TransStatus), "0")
	result = sdk.NewObject().OptStr(sdk.Choose(ucaf, "ucafAuthenticationData", "cavv"), t.CAVV).
		OptStr("ucafCollectionIndicator", sdk.When(ucaf, collected)).
		OptStr("directoryServerTransactionId", t.DSTransID).OptStr("specificationVersion", t.Version).
		OptStr("paSpecificationVersion", t.Version).Str("veresEnrolled", "Y").OptStr("eciRaw", t.ECI).
		OptStr("paresStatus", t.TransStatus).OptStr("acsTransactionId", t.ACSTransID).
		Str("cavvAlgorithm", cmp.Or(t.CAVVAlgorithm, "2")) // 2: CVV with authentication transaction number
	return cmp.Or(indicators.Of(string(network)+"_"+t.TransStatus), "internet"), result
}

// Payer authentication has three steps. Setup names the page that collects the browser's data, and enrollment says
// whether the customer is challenged: both are kept, as "device" and "challenge". The payment holds the result.

// authenticate sends a request of payer authentication. A refusal ends the operation.
func authenticate(c *sdk.Call, path string, body *sdk.Object, captures ...sdk.Capture) (status string, info sdk.JSON) {
	a := ask(c, "POST", path, body, captures...)
	if status = a.Str("status"); declined(status) {
		c.End(refused(a))
	}
	return status, a.Get("consumerAuthenticationInformation")
}

// setup asks for the page that collects the browser's data.
func setup(c *sdk.Call) (*sdk.Outcome, error) {
	status, info := authenticate(c, setupsPath, begin(c.Request))
	sdk.Expect(status == "COMPLETED", "the answer does not complete the set-up")
	return step(sdk.NextActionDeviceData, info.Need("deviceDataCollectionUrl"), info, "device", info.Need("referenceId"))
}

// step sends the customer's browser to a URL with Cybersource's token.
func step(kind sdk.NextActionType, url string, info sdk.JSON, stage, id string) (*sdk.Outcome, error) {
	return &sdk.Outcome{Status: sdk.StatusCustomerAction, ConnectorData: sdk.Keep(stage, id),
		NextAction: &sdk.NextAction{Type: kind, URL: url, Fields: []sdk.Header{sdk.H("JWT", info.Need("accessToken"))}}}, nil
}

// complete goes on when the customer's browser returns: with the enrollment, or with the payment after a challenge.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	if id := c.Request.KeptText("challenge"); id != "" {
		return pay(c, commerceIndicator(c.Request), "VALIDATE_CONSUMER_AUTHENTICATION",
			sdk.NewObject().Str("authenticationTransactionId", id))
	}
	return enroll(c)
}

// cryptograms are the fields with the proof of an authentication. The adapter sees only their stand-ins.
var cryptograms = []string{"cavv", "ucafAuthenticationData"}

// results are the fields of the enrollment's answer that the payment repeats.
var results = append(cryptograms, "ucafCollectionIndicator", "xid", "directoryServerTransactionId",
	"specificationVersion", "veresEnrolled", "eciRaw", "paresStatus", "acsTransactionId")

// device returns the merchant page's data about the browser, for issuers without the data collection; nil for none.
func device(b *sdk.Browser) *sdk.Object {
	if b == nil {
		return nil
	}
	known := func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }
	return sdk.NewObject().OptStr("ipAddress", b.IP).OptStr("userAgentBrowserValue", b.UserAgent).
		OptStr("httpAcceptContent", b.AcceptHeader).OptStr("httpBrowserLanguage", b.Language).
		Bool("httpBrowserJavaEnabled", b.JavaEnabled).Bool("httpBrowserJavaScriptEnabled", b.JavaScriptEnable).
		OptStr("httpBrowserColorDepth", known(b.ColorDepth)).OptStr("httpBrowserScreenHeight", known(b.ScreenHeight)).
		OptStr("httpBrowserScreenWidth", known(b.ScreenWidth)).Str("httpBrowserTimeDifference", strconv.Itoa(b.TimeZone))
}

// enroll asks whether the customer is challenged. Without a challenge the payment follows with the result.
func enroll(c *sdk.Call) (*sdk.Outcome, error) {
	r, id := c.Request, c.Request.KeptText("device")
	sdk.Require(id != "", sdk.Invalid("payment_id", "this payment has no authentication under way"))
	about := sdk.NewObject().OptStr("returnUrl", r.ReturnURL).Str("referenceId", id).
		OptStr("challengeCode", sdk.When(r.StoresForMerchant(), "04")) // a challenge is mandated
	body := begin(r).Obj("orderInformation", orderInformation(r)).Obj("consumerAuthenticationInformation", about).
		OptObj("deviceInformation", device(r.Browser))
	var captures []sdk.Capture
	for _, name := range cryptograms {
		captures = append(captures, sdk.Capture{Path: "consumerAuthenticationInformation." + name,
			Name: "authentication_" + strings.ToLower(name)})
	}
	status, info := authenticate(c, enrollmentsPath, body, captures...)
	if status == "PENDING_AUTHENTICATION" {
		return step(sdk.NextActionFormPost, info.Need("stepUpUrl"), info, "challenge",
			info.Need("authenticationTransactionId"))
	}
	sdk.Expect(status == "AUTHENTICATION_SUCCESSFUL", "the answer shows neither a challenge nor a success")
	result := sdk.NewObject()
	for _, name := range results {
		result.OptStr(name, info.Text(name))
	}
	return pay(c, cmp.Or(info.First("ecommerceIndicator", "indicator"), commerceIndicator(r)), "", result)
}
