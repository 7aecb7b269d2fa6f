package threedsecureio

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// authenticate is /auth: the AReq, answered with the ARes. It is sent once: a transaction id is valid for one
// authentication.
func authenticate(c *sdk.Call) (*sdk.Outcome, error) {
	a, err := threeds.Read(c)
	if err != nil {
		return nil, err
	}
	if err := a.RequireParties(); err != nil {
		return nil, err
	}
	if a.ServerTransID == "" && a.Browser != nil {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "an authentication in the browser begins with prepare: run it first"}
	}
	j, e, err := post(c, "/auth", areq(a, directoryServer(c.Request.Authentication)), false, true)
	if err != nil {
		return nil, err
	}
	return answer(j, e, "ARes")
}

// result is /postauth: the RReq, if there is one.
func result(c *sdk.Call) (*sdk.Outcome, error) {
	in := c.Request.Authentication
	if in == nil || in.ServerTransID == "" {
		return nil, &sdk.Reject{Code: sdk.RejectMissing, Parameter: "server_trans_id",
			Message: "the request lacks the id of the transaction"}
	}
	j, e, err := post(c, "/postauth", sdk.NewObject().Str("threeDSServerTransID", in.ServerTransID), true, true)
	if err != nil {
		return nil, err
	}
	if e != nil && (e.Code == notInRange || e.Code == unknownID) && j.Str("messageType") == "Erro" {
		return &sdk.Outcome{Status: sdk.StatusAuthenticated,
			Authentication: &sdk.AuthenticationOutcome{ServerTransID: in.ServerTransID,
				Pending: e.Code == notInRange, Gone: e.Code == unknownID},
			Raw: map[string]string{"error_code": e.Code, "error_detail": e.Detail}}, nil
	}
	return answer(j, e, "RReq")
}

func answer(j sdk.JSON, e *sdk.AuthenticationError, kind string) (*sdk.Outcome, error) {
	if e != nil {
		return failed(sdk.StatusAuthenticated, j, e)
	}
	o := &sdk.AuthenticationOutcome{CAVV: j.Str("authenticationValue")}
	threeds.Result(j, o)
	if j.Str("messageType") != kind {
		return nil, errors.New("the answer is not an " + kind)
	}
	threeds.Message(o)
	return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: o}, nil
}

// areq returns the AReq in flat JSON. 3dsecure.io knows the ids of the 3DS server and the requestor, unless the account
// sets them.
func areq(a *threeds.AReq, ds string) *sdk.Object {
	o := sdk.NewObject().Str("messageType", "AReq").Str("messageVersion", a.Version).Str("messageCategory", a.Category).
		Str("deviceChannel", a.Channel).
		OptStr("threeDSServerTransID", a.ServerTransID).OptStr("threeDSCompInd", a.MethodCompletion).
		OptStr("threeDSRequestorID", a.Requestor.ID).
		OptStr("threeDSRequestorName", a.Requestor.Name).OptStr("threeDSRequestorURL", a.Requestor.URL).
		OptStr("threeDSRequestorAppURL", a.Requestor.AppURL).
		OptStr("threeRIInd", a.ThreeRIInd).OptStr("notificationURL", a.NotificationURL)
	a.WriteRequestor(o)
	o.Str("acctNumber", a.Number).OptStr("cardExpiryDate", a.Expiry).OptStr("acctType", a.AccountType).
		OptStr("acctID", a.AccountID).OptStr("ds", ds).
		OptStr("acquirerBIN", a.Acquirer.BIN).OptStr("acquirerMerchantID", a.Acquirer.MID)
	if threeds.FromVersion(a.Version, "2.3.1") {
		o.OptStr("acquirerCountryCode", a.Acquirer.Country)
	}
	o.OptStr("mcc", a.Merchant.MCC).OptStr("merchantCountryCode", a.Merchant.Country).
		OptStr("merchantName", a.Merchant.Name)
	if p := a.Purchase; p != nil {
		o.Str("purchaseAmount", p.Amount).Str("purchaseCurrency", p.Currency).Str("purchaseExponent", p.Exponent).
			Str("purchaseDate", p.Date)
		a.WriteRecurring(o)
	}
	o.OptStr("transType", a.TransType)
	a.WriteCardholder(o)
	a.WriteBrowser(o)
	if a.App != nil {
		a.WriteApp(o)
		o.Obj("deviceRenderOptions", a.RenderOptions())
	}
	a.WriteRisk(o)
	return o
}
