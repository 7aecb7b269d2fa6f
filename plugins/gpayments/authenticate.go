package gpayments

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// authenticate sends the AReq, once, to the URL from the initialisation, or to that of a 3RI.
func authenticate(c *sdk.Call) (*sdk.Outcome, error) {
	a, err := threeds.Read(c)
	if err != nil {
		return nil, err
	}
	s := kept(c.Request.Authentication)
	url := s.authURL
	switch {
	case a.App != nil:
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Parameter: "device_channel",
			Message: "this adapter does not authenticate in apps: use the browser"}
	case a.Browser == nil:
		url, s.requestor = production(c, threeRIPath), uuid(c)
	case url == "" || !ours(c, url) || a.ServerTransID == "":
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "data",
			Message: "an authentication in the browser begins with prepare: run it first"}
	case a.Purchase != nil && a.Purchase.Minor == 0:
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Parameter: "amount",
			Message: "GPayments does not authenticate a payment of zero: ask for a non-payment authentication"}
	}
	j, e, err := post(c, url, request(c, a, s.requestor), false, cryptogram)
	if err != nil {
		return nil, err
	}
	if e != nil {
		return failed(sdk.StatusAuthenticated, j, e)
	}
	o := read(j)
	if o == nil {
		return nil, errors.New("the answer holds neither a status nor an error")
	}
	if ours(c, j.Str("resultMonUrl")) {
		s.monitor = j.Str("resultMonUrl")
	}
	s.authURL = "" // the URL is valid once
	return keep(o, s)
}

// read reads an answer with EMV's names; nil for any other answer.
func read(j sdk.JSON) *sdk.AuthenticationOutcome {
	o := &sdk.AuthenticationOutcome{CAVV: j.Str("authenticationValue")}
	threeds.Result(j, o)
	if o.TransStatus == "" && o.DSTransID == "" && o.ACSTransID == "" {
		return nil
	}
	o.ACSURL = j.Str("challengeUrl") // a page of ActiveServer, which hides the ACS
	threeds.Message(o)
	return o
}

// request returns the authentication request with GPayments' names.
func request(c *sdk.Call, a *threeds.AReq, requestor string) *sdk.Object {
	category := "pa"
	if a.Category != "01" {
		if category = a.Category; category == "02" {
			category = "npa"
		}
	}
	o := sdk.NewObject().Str("acctNumber", a.Number).Str("merchantId", c.Account.Config[merchantID]).
		OptStr("authenticationInd", a.AuthenticationInd).OptStr("threeRIInd", a.ThreeRIInd).Str("messageCategory", category)
	if p := a.Purchase; p != nil {
		o.Str("purchaseAmount", p.Amount).Str("purchaseCurrency", p.Currency).Str("purchaseDate", p.Date)
		a.WriteRecurring(o)
	}
	o.OptStr("cardExpiryDate", a.Expiry).OptStr("acctType", a.AccountType).OptStr("acctID", a.AccountID)
	if len(a.ChallengeInds) > 0 {
		o.Str("challengeInd", a.ChallengeInds[0])
	}
	if a.Browser != nil {
		browser := sdk.NewObject()
		a.WriteBrowser(browser)
		o.Obj("browserInfoCollected", browser)
	}
	holder := sdk.NewObject()
	a.WriteCardholder(holder)
	o.Obj("cardholderInfo", holder).Obj("authenticationInfo", a.Login).Obj("priorAuthenticationInfo", a.Prior)
	if a.AccountInfo != "" {
		o.Raw("acctInfo", a.AccountInfo)
	}
	if a.MerchantRisk != "" {
		o.Raw("merchantRiskIndicator", a.MerchantRisk)
	}
	return o.OptStr("acquirerBIN", a.Acquirer.BIN).OptStr("acquirerMerchantID", a.Acquirer.MID).
		OptStr("mcc", a.Merchant.MCC).
		OptStr("merchantName", a.Merchant.Name).OptStr("merchantCountryCode", a.Merchant.Country).
		OptStr("threeDSRequestorID", a.Requestor.ID).
		OptStr("threeDSRequestorName", a.Requestor.Name).OptStr("threeDSRequestorURL", a.Requestor.URL).
		OptStr("transType", a.TransType).
		Str("threeDSRequestorTransID", requestor).OptStr("threeDSServerTransID", a.ServerTransID).
		OptStr("forceMessageVersion", a.Version)
}

// result asks the monitor, if there is one, whether the result is ready, and then for the result.
func result(c *sdk.Call) (*sdk.Outcome, error) {
	in := c.Request.Authentication
	if in == nil || in.ServerTransID == "" {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "the request lacks the id of the transaction"}
	}
	pending := &sdk.Outcome{Status: sdk.StatusAuthenticated,
		Authentication: &sdk.AuthenticationOutcome{ServerTransID: in.ServerTransID, Pending: true}}
	if monitor := kept(in).monitor; ours(c, monitor) {
		j, e, err := get(c, monitor)
		if err == nil && e == nil && j.Str("event") == "AuthResultNotReady" {
			return pending, nil
		} // the monitor only says whether to ask; the result decides
	}
	path := resultPath
	if in.DeviceChannel == sdk.Channel3RI {
		path = threeRIResult
	}
	j, e, err := get(c, production(c, path+"?threeDSServerTransID="+sdk.QueryEscape(in.ServerTransID)), cryptogram)
	switch {
	case err != nil:
		return nil, err
	case e != nil && e.Code == unknownServerID:
		pending.Authentication.Pending, pending.Authentication.Gone = false, true
		pending.Raw = map[string]string{"error_code": e.Code, "error_detail": e.Detail}
		return pending, nil
	case e != nil:
		return failed(sdk.StatusAuthenticated, j, e)
	}
	o := read(j)
	switch {
	case o == nil:
		return nil, errors.New("the answer holds neither a status nor an error")
	case o.TransStatus == "C" || o.TransStatus == "D": // still the status of the ARes: the challenge goes on
		return pending, nil
	}
	return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: o}, nil
}

// cancel reports to ActiveServer that the payer will not complete the challenge.
func cancel(c *sdk.Call) (*sdk.Outcome, error) {
	in := c.Request.Authentication
	if in == nil || in.ServerTransID == "" {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "the request lacks the id of the abandoned transaction"}
	}
	status := "AuthResultNotDelivered"
	if in.CancelReason == sdk.CancelNotSent {
		status = "CReqNotSent"
	}
	_, e, err := post(c, production(c, challengePath),
		sdk.NewObject().Str("threeDSServerTransID", in.ServerTransID).Str("status", status), true)
	if err != nil {
		return nil, err
	}
	o := &sdk.Outcome{Status: sdk.StatusHandled}
	if e != nil {
		o.Raw = map[string]string{"error_code": e.Code, "error_description": e.Description}
	}
	return o, nil
}

// events are the events of ActiveServer's pages, posted by the browser. They prove nothing.
var events = []struct {
	name  string
	means sdk.AuthenticationEvent
}{
	{"3DSMethodFinished", sdk.EventMethodCompleted}, {"3DSMethodSkipped", sdk.EventMethodSkipped},
	{"InitAuthTimedOut", sdk.EventTimedOut},
	{"3DSMethodHasError", sdk.EventInformation}, {"AuthResultReady", sdk.EventResultReady},
}

// webhook reads an event: a form that the browser posts to the authentication's event URL.
func webhook(c *sdk.Call) (*sdk.Outcome, error) {
	form, ok := sdk.ParseForm(string(c.Request.Webhook.Body))
	if !ok {
		return nil, errors.New("the message is not an event")
	}
	for _, k := range events {
		if k.name == sdk.HeaderValue(form, "event") {
			return &sdk.Outcome{Status: sdk.StatusHandled,
					Events: []sdk.Event{{Object: "authentication", Reference: sdk.HeaderValue(form, "requestorTransId"),
						Sync:    k.means == sdk.EventResultReady,
						Outcome: &sdk.Outcome{Status: sdk.StatusHandled, Authentication: &sdk.AuthenticationOutcome{Event: k.means}}}}},
				nil
		}
	}
	return nil, errors.New("the event is unknown")
}
