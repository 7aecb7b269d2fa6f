package netcetera

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// authenticate sends the AReq, once: a transaction id is valid for one authentication.
func authenticate(c *sdk.Call) (*sdk.Outcome, error) {
	a, err := threeds.Read(c)
	if err != nil {
		return nil, err
	}
	if c.Account.Config[configurationID] == "" {
		if err := a.RequireParties(); err != nil {
			return nil, err
		}
	}
	if a.ServerTransID == "" && a.Browser != nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "an authentication in the browser begins with prepare: run it first"}
	}
	j, _, e, err := post(c, authenticationPath, areq(c, a), false,
		sdk.Capture{Path: "authenticationValue", Name: "authentication_value"},
		sdk.Capture{Path: "authenticationResponse.authenticationValue", Name: "authentication_value"})
	if err != nil {
		return nil, err
	}
	if e != nil {
		return failed(sdk.StatusAuthenticated, j, e), nil
	}
	o := read(j, "authenticationResponse")
	if o == nil {
		return nil, errors.New("the answer holds neither a status nor an error")
	}
	return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: o}, nil
}

// read reads an answer or a push: the status at the top, the ids and the rest in the given part. nil for any other
// text.
func read(j sdk.JSON, part string) *sdk.AuthenticationOutcome {
	o := &sdk.AuthenticationOutcome{CAVV: j.Str("authenticationValue")}
	if o.CAVV == "" {
		o.CAVV = j.Get(part).Str("authenticationValue")
	}
	threeds.Result(j.Get(part), o)
	threeds.Result(j, o)
	if o.TransStatus == "" && !j.Get(part).IsObject() {
		return nil
	}
	threeds.Message(o)
	return o
}

// areq returns the AReq in Netcetera's groups.
func areq(c *sdk.Call, a *threeds.AReq) *sdk.Object {
	o := sdk.NewObject().Str("preferredProtocolVersion", a.Version).Bool("enforcePreferredProtocolVersion", true).
		Str("deviceChannel", a.Channel).
		Str("messageCategory", a.Category).OptStr("threeDSCompInd", a.MethodCompletion).OptStr("threeRIInd", a.ThreeRIInd).
		OptStr("threeDSServerTransID", a.ServerTransID).OptStr("threeDSRequestorURL", a.Requestor.URL)
	requestor := sdk.NewObject()
	a.WriteRequestor(requestor)
	o.Obj("threeDSRequestor", requestor).Obj("cardholderAccount", account(a))
	holder := sdk.NewObject()
	a.WriteCardholder(holder)
	o.Obj("cardholder", holder).Obj("purchase", purchase(a))
	o.Obj("acquirer", sdk.NewObject().OptStr("acquirerBin", a.Acquirer.BIN).OptStr("acquirerMerchantId", a.Acquirer.MID).
		OptStr("acquirerCountryCode", from23(a, a.Acquirer.Country)))
	o.Obj("merchant", sdk.NewObject().OptStr("merchantConfigurationId", c.Account.Config[configurationID]).
		OptStr("mcc", a.Merchant.MCC).
		OptStr("merchantCountryCode", a.Merchant.Country).OptStr("merchantName", a.Merchant.Name).
		OptStr("threeDSRequestorId", a.Requestor.ID).
		OptStr("threeDSRequestorName", a.Requestor.Name).OptStr("notificationURL", a.NotificationURL).
		OptStr("resultsResponseNotificationUrl", c.Request.Authentication.ResultURL))
	if a.Browser != nil {
		browser := sdk.NewObject()
		a.WriteBrowser(browser)
		o.Obj("browserInformation", browser.OptStr("challengeWindowSize", a.ChallengeWindow))
	}
	if a.App != nil {
		app := sdk.NewObject()
		a.WriteApp(app)
		o.Obj("sdkInformation", app).Obj("deviceRenderOptions", a.RenderOptions())
	}
	return o
}

func account(a *threeds.AReq) *sdk.Object {
	o := sdk.NewObject().Str("acctNumber", a.Number).OptStr("cardExpiryDate", a.Expiry).
		OptStr("schemeId", schemeID(a.Network)).OptStr("acctType", a.AccountType).OptStr("acctID", a.AccountID)
	if a.AccountInfo != "" {
		o.Raw("acctInfo", a.AccountInfo)
	}
	return o
}

// purchase returns the purchase, with amount and exponent as numbers. nil for a non-payment authentication.
func purchase(a *threeds.AReq) *sdk.Object {
	p := a.Purchase
	if p == nil {
		return nil
	}
	o := sdk.NewObject().Int("purchaseAmount", p.Minor).Str("purchaseCurrency", p.Currency).
		Number("purchaseExponent", p.Exponent).Str("purchaseDate", p.Date)
	a.WriteRecurring(o)
	o.OptStr("transType", a.TransType)
	if a.MerchantRisk != "" {
		o.Raw("merchantRiskIndicator", a.MerchantRisk)
	}
	return o
}

func from23(a *threeds.AReq, value string) string {
	if !threeds.FromVersion(a.Version, "2.3.1") {
		return ""
	}
	return value
}

// cancel reports to Netcetera that the payer left.
func cancel(c *sdk.Call) (*sdk.Outcome, error) {
	in := c.Request.Authentication
	if in == nil || in.ServerTransID == "" {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "the request lacks the id of the abandoned transaction"}
	}
	_, _, e, err := post(c, cancelledPath, sdk.NewObject().Str("threeDSServerTransID", in.ServerTransID), true)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusHandled}
	if e != nil {
		o.Raw = map[string]string{"error_code": e.Code, "error_description": e.Description}
	}
	return o, nil
}

// webhook reads a pushed result. It has no signature. The host relies on the authentication's own URL, which only
// Netcetera knows, and on the ids of the message.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	j, err := sdk.ParseJSON(c.Request.Webhook.Body)
	id := j.Str("threeDSServerTransID")
	if err != nil || id == "" {
		return nil, errors.New("the message is not a result")
	}
	e := sdk.Event{Object: "authentication", TransactionID: id}
	if erro := threeds.Erro(j.Get("errorDetails")); erro != nil && j.Str("transStatus") == "" {
		e.Outcome = failed(sdk.StatusAuthenticated, j, erro)
	} else if o := read(j, "resultsRequest"); o != nil {
		e.Outcome = &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: o}
	} else {
		return nil, errors.New("the result has no status")
	}
	return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{e}, Reply: &sdk.Reply{Status: 200}}, nil
}
