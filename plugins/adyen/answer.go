package adyen

import (
	"errors"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// result reads the answer to POST /payments and /payments/details.
func result(c *sdk.Call, resp *sdk.Response) (*sdk.Outcome, error) {
	if !resp.OK() {
		return refusal(resp)
	}
	j := resp.JSON()
	code, extra := j.Str("resultCode"), j.Get("additionalData")
	o := &sdk.Outcome{TransactionID: j.Str("pspReference"), AuthCode: extra.Str("authCode"), NetworkTransactionID: extra.Str("networkTxReference"),
		Checks: checks(extra), Raw: map[string]string{"result_code": code}}
	switch code {
	case "Authorised":
		if o.TransactionID == "" {
			return nil, errors.New("authorised without a pspReference")
		}
		o.Status, o.Amount = approved(c.Request), money(j.Get("amount"))
		o.StoredCredential, o.ConnectorData = stored(c.Request, extra)
	case "Refused", "Error", "Cancelled":
		o.Status, o.Decline = sdk.StatusDeclined, decline(j)
		if code == "Cancelled" && !j.Has("refusalReasonCode") {
			o.Decline.Reason = sdk.DeclineAbandoned
		}
	case "RedirectShopper", "ChallengeShopper", "IdentifyShopper", "PresentToShopper":
		o.Status = sdk.StatusPending // an action for Adyen's own component: nothing that a browser can be sent to
		if a := nextAction(j.Get("action")); a != nil {
			o.Status, o.NextAction = sdk.StatusCustomerAction, a
			if data := j.Str("action.paymentData"); data != "" && len(data) <= sdk.MaxConnectorData {
				o.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: data}
			}
		}
	case "Received", "Pending", "AuthenticationFinished", "AuthenticationNotRequired":
		o.Status = sdk.StatusPending
	default:
		return nil, errors.New("result code not known: " + code)
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

// checks reads "1 Matches", "7 Both postal code and address match" (docs.adyen.com, cvcResult and avsResult).
func checks(extra sdk.JSON) *sdk.Checks {
	cvc, _, _ := strings.Cut(extra.Str("cvcResult"), " ")
	avs, _, _ := strings.Cut(extra.Str("avsResult"), " ")
	if cvc == "" && avs == "" {
		return nil
	}
	k := &sdk.Checks{CVC: map[string]string{"0": "unavailable", "1": "pass", "2": "fail", "3": "unchecked", "5": "unavailable"}[cvc]}
	switch avs {
	case "1":
		k.AddressLine1, k.PostalCode = "pass", "fail"
	case "2":
		k.AddressLine1, k.PostalCode = "fail", "fail"
	case "3", "4":
		k.AddressLine1, k.PostalCode = "unavailable", "unavailable"
	case "5":
		k.AddressLine1, k.PostalCode = "unchecked", "unchecked"
	case "6":
		k.AddressLine1, k.PostalCode = "fail", "pass"
	case "7":
		k.AddressLine1, k.PostalCode = "pass", "pass"
	}
	return k
}

// decline is why a payment with a result code was refused.
func decline(j sdk.JSON) *sdk.Decline {
	code := j.Text("refusalReasonCode")
	network, _, _ := strings.Cut(j.Str("additionalData.refusalReasonRaw"), " : ")
	advice, _, _ := strings.Cut(j.Str("additionalData.merchantAdviceCode"), " : ")
	if len(network) > 2 { // a word of Adyen's own ("DECLINED Expiry Incorrect"), not a code of the network
		network = ""
	}
	d := &sdk.Decline{Code: first(code, j.Str("resultCode")), Message: j.Str("refusalReason"), NetworkCode: network, AdviceCode: advice}
	d.Reason = refusalReasons[code]
	if d.Reason == "" || d.Reason == sdk.DeclineGeneric {
		d.Reason = sdk.DeclineByCode(network)
	}
	return withFacts(d)
}

func withFacts(d *sdk.Decline) *sdk.Decline {
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
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
	d := &sdk.Decline{Code: code, Message: j.Str("message"), Reason: errorReasons[code]}
	if d.Reason == "" {
		d.Reason = errorTypes[j.Str("errorType")]
	}
	if d.Reason == "" {
		d.Reason = sdk.DeclineProcessingError
	}
	return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: withFacts(d), Raw: map[string]string{"error_code": code, "error_type": j.Str("errorType")}}, nil
}
