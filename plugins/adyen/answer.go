package adyen

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// results are resultCode.
var results = sdk.Statuses{
	{sdk.StatusAuthorized, "Authorised"},
	{sdk.StatusDeclined, "Refused Error Cancelled"},
	{sdk.StatusCustomerAction, "RedirectShopper ChallengeShopper IdentifyShopper PresentToShopper"},
	{sdk.StatusPending, "Received Pending AuthenticationFinished AuthenticationNotRequired"},
}

// result reads the answer to POST /payments and /payments/details.
func result(c *sdk.Call, resp *sdk.Response) (*sdk.Outcome, error) {
	if !resp.OK() {
		return refusal(resp)
	}
	j := resp.JSON()
	code, extra := j.Str("resultCode"), j.Get("additionalData")
	o := &sdk.Outcome{Status: results.Must(code), TransactionID: j.Str("pspReference"), AuthCode: extra.Str("authCode"),
		NetworkTransactionID: extra.Str("networkTxReference"), Checks: checks(extra), Raw: map[string]string{"result_code": code}}
	switch o.Status {
	case sdk.StatusAuthorized:
		sdk.Require(o.TransactionID != "", errors.New("authorised without a pspReference"))
		o.Status, o.Amount = approved(c.Request), money(j.Get("amount"))
		o.StoredCredential, o.ConnectorData = stored(c.Request, extra)
	case sdk.StatusDeclined:
		o.Decline = decline(j)
		if code == "Cancelled" && !j.Has("refusalReasonCode") {
			o.Decline.Reason = sdk.DeclineAbandoned
		}
	case sdk.StatusCustomerAction:
		if o.NextAction = nextAction(j.Get("action")); o.NextAction == nil { // one for Adyen's own component, that no browser can be sent to
			o.Status = sdk.StatusPending
		} else if data := j.Str("action.paymentData"); data != "" && len(data) <= sdk.MaxConnectorData {
			o.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: data}
		}
	}
	return o, nil
}

// approved is what Authorised means: with automatic capture Adyen takes the money without being asked again.
func approved(r *sdk.Request) sdk.OutcomeStatus {
	switch {
	case r.Amount.Minor == 0:
		return sdk.StatusVerified
	case r.Capture == sdk.CaptureManual:
		return sdk.StatusAuthorized
	}
	return sdk.StatusCaptured
}

// stored is the credential that Adyen keeps, and the shopper to be named with it.
func stored(r *sdk.Request, extra sdk.JSON) (*sdk.StoredCredential, *sdk.ConnectorData) {
	id, shopper := extra.Key("recurring.recurringDetailReference").Str(""), extra.Key("recurring.shopperReference").Str("")
	if id == "" || r.StoredCredential == nil {
		return nil, nil
	}
	return &sdk.StoredCredential{ID: id, CustomerID: shopper}, &sdk.ConnectorData{Version: 1, Method: shopper, Customer: shopper}
}

// nextAction is a redirect: GET, or POST of a form. nil for the actions that only Adyen's component can perform.
func nextAction(a sdk.JSON) *sdk.NextAction {
	url := a.Str("url")
	if a.Str("type") != "redirect" || !strings.HasPrefix(url, "https://") {
		return nil
	}
	if a.Str("method") != "POST" {
		return &sdk.NextAction{Type: "redirect", URL: url}
	}
	n := &sdk.NextAction{Type: "form_post", URL: url}
	for name, value := range a.Get("data").Members() {
		n.Fields = append(n.Fields, sdk.H(name, value.Text("")))
	}
	return n
}

// The digits of cvcResult and avsResult (docs.adyen.com), as in "1 Matches".
var (
	cvc    = sdk.Results{{sdk.CheckPass, "1"}, {sdk.CheckFail, "2"}, {sdk.CheckUnchecked, "3"}, {sdk.CheckUnavailable, "0 5"}}
	street = sdk.Results{{sdk.CheckPass, "1 7"}, {sdk.CheckFail, "2 6"}, {sdk.CheckUnavailable, "3 4"}, {sdk.CheckUnchecked, "5"}}
	postal = sdk.Results{{sdk.CheckPass, "6 7"}, {sdk.CheckFail, "1 2"}, {sdk.CheckUnavailable, "3 4"}, {sdk.CheckUnchecked, "5"}}
)

func checks(extra sdk.JSON) *sdk.Checks {
	c, _, _ := strings.Cut(extra.Str("cvcResult"), " ")
	a, _, _ := strings.Cut(extra.Str("avsResult"), " ")
	return sdk.NewChecks(cvc.Of(c), street.Of(a), postal.Of(a))
}

// decline is why a payment with a result code was refused.
func decline(j sdk.JSON) *sdk.Decline {
	code := j.Text("refusalReasonCode")
	network, _, _ := strings.Cut(j.Str("additionalData.refusalReasonRaw"), " : ")
	advice, _, _ := strings.Cut(j.Str("additionalData.merchantAdviceCode"), " : ")
	if len(network) > 2 { // a word of Adyen's own ("DECLINED Expiry Incorrect"), not a code of the network
		network = ""
	}
	reason := declines.Of(code)
	if reason == "" || reason == sdk.DeclineGeneric {
		reason = sdk.DeclineByCode(network)
	}
	d := sdk.NewDecline(cmp.Or(code, j.Str("resultCode")), j.Str("refusalReason"), reason)
	d.NetworkCode, d.AdviceCode = network, advice
	return d
}

// Errors that prove nothing: the request is still worked on or was answered before; something failed inside Adyen.
const inProgress, internalError = "704", "903"

// refusal reads an answer that is not 2xx. Adyen's own 4xx says that it has not acted; everything else proves nothing.
func refusal(resp *sdk.Response) (*sdk.Outcome, error) {
	j := resp.JSON()
	code := j.Text("errorCode")
	if resp.Status < 400 || resp.Status > 499 || code == "" || code == inProgress || code == internalError || resp.Header("transient-error") == "true" {
		return nil, errors.New("HTTP " + strconv.Itoa(resp.Status) + " without a result")
	}
	o := sdk.Declined(declines.New(code, j.Str("message"), cmp.Or(declines.Of(j.Str("errorType")), sdk.DeclineProcessingError)))
	o.Raw = map[string]string{"error_code": code, "error_type": j.Str("errorType")}
	return o, nil
}
