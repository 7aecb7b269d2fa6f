package worldpay

import (
	"cmp"
	_ "embed"
	"strings"

	"payswitch/sdk"
)

// Steps of 3-D Secure: the last part of their links.
const (
	stepDevice    = "3dsDeviceData"
	stepChallenge = "3dsChallenges"
)

// answered returns an answer with Worldpay's decision. A refusal ends the operation, unless it may be of a used link.
func answered(c *sdk.Call, answer *sdk.Response) sdk.JSON {
	if d := refusal(answer); d != nil && (answer.Status != 404 || c.Operation() != sdk.OpComplete) {
		// an existing payment can continue at Worldpay alone
		d.RetryElsewhere = d.RetryElsewhere && c.Request.Instrument != nil
		c.End(sdk.Declined(d))
	}
	sdk.Require(answer.OK(), sdk.ErrAnswer)
	return answer.JSON()
}

// readPayment reads the answer to a payment, or to a step of its 3-D Secure.
func readPayment(c *sdk.Call, answer *sdk.Response) (*sdk.Outcome, error) {
	c.About(linkOf(answer.JSON().Str("_links.self.href")))
	j := answered(c, answer)
	result := j.Str("outcome")
	o := &sdk.Outcome{TransactionID: linkOf(j.Str("_links.self.href")), Raw: j.Pick("outcome"),
		AuthCode:             j.Str("issuer.authorizationCode"),
		NetworkTransactionID: j.First("scheme.reference", "schemeReference", "token.schemeReference"), Checks: checks(j)}
	switch result {
	case "authorized", "verified":
		o.Status = sdk.StatusAuthorized
	case "sentForSettlement":
		o.Status = sdk.StatusCaptured
	case "3dsDeviceDataRequired":
		d := j.Get("deviceDataCollection")
		return next(c, o, stepDevice, j.Str("_actions.supply3dsDeviceData.href"), "device_data", d.Str("url"),
			sdk.H("JWT", d.Str("jwt")), sdk.H("Bin", d.Str("bin")))
	case "3dsChallenged":
		d := j.Get("challenge")
		return next(c, o, stepChallenge, j.Str("_actions.complete3dsChallenge.href"), "form_post", d.Str("url"),
			sdk.H("JWT", d.Str("jwt")))
	case "refused":
		o.Status, o.Decline = sdk.StatusDeclined, refused(j)
		return o, nil
	default:
		o.Status, o.Decline = sdk.StatusDeclined, mismatch(o.Checks, result, declines.Must(result))
		return o, nil
	}
	if c.Request.Amount.Minor == 0 {
		o.Status = sdk.StatusVerified
	} else {
		sdk.Require(o.TransactionID != "" && result != "verified", sdk.ErrAnswer) // later operations need the payment's link
		o.Amount = approved(c, j)
	}
	o.StoredCredential = sdk.StoredAs(j.Str("token.href"), "")
	return o, nil
}

// approved returns what the issuer approved, perhaps a part (docs.worldpay.com/access, "Partial authorizations").
func approved(c *sdk.Call, j sdk.JSON) *sdk.Money {
	m := sdk.Decimals{}.Stated(j, "amounts.totalAuthorized", "amounts.currency", c.Request.Amount.Currency)
	sdk.Require(m == nil && !j.Bool("amounts.partialAuthorization") || m.Positive(), sdk.ErrAnswer)
	return m
}

// next sends the customer's browser to a page and stores the next step. The first field is Worldpay's token.
func next(c *sdk.Call, o *sdk.Outcome, step, href string, kind sdk.NextActionType, url string,
	fields ...sdk.Header) (*sdk.Outcome, error) {
	link := linkOf(strings.TrimSuffix(href, "/"+step))
	sdk.Require(link != "" && strings.HasPrefix(url, "https://") && fields[0].Value != "", sdk.ErrAnswer)
	o.Status, o.NextAction, o.TransactionID = sdk.StatusCustomerAction,
		&sdk.NextAction{Type: kind, URL: url, Fields: fields}, c.Request.Reference
	o.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: step + "/" + link} // "3dsChallenges/eyJ…"
	return o, nil
}

// complete goes on with 3-D Secure after the device data collection or the challenge.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	step, link, _ := strings.Cut(c.Request.Kept().Payment, "/")
	if link == "" || step != stepDevice && step != stepChallenge {
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "this payment does not wait for 3-D Secure"}
	}
	// without the id of the collection the issuer is more likely to challenge
	collected := sdk.NewObject().OptStr("collectionReference", c.Request.Returned("SessionId"))
	return readPayment(c, act(c, link, step, sdk.When(step == stepDevice, collected)))
}

// linkOf returns the link data at the end of a link, with its escapes.
func linkOf(href string) string {
	href, _, _ = strings.Cut(href, "?")
	if !strings.HasPrefix(href, "https://") && !strings.HasPrefix(href, "/") {
		return ""
	}
	return href[strings.LastIndexByte(href, '/')+1:]
}

var risks = sdk.Results{{sdk.CheckPass, "matched"}, {sdk.CheckFail, "notMatched"},
	{sdk.CheckUnchecked, "notChecked notSupplied"}, {sdk.CheckUnavailable, "verificationFailed"}}

// checks reads riskFactors; nil if there are none.
func checks(j sdk.JSON) *sdk.Checks {
	risk := func(name, text string) sdk.CheckResult {
		return risks.Of(j.Get("riskFactors").Where(name, text).Str("risk"))
	}
	return sdk.NewChecks(risk("type", "cvc"), risk("detail", "address"), risk("detail", "postcode"))
}

// refused returns the reason of the issuer's refusal.
func refused(j sdk.JSON) *sdk.Decline {
	code := j.Text("refusalCode")
	network := sdk.Choose(len(code) == 1, "0"+code, code)
	otherwise := sdk.DeclineByCode(network)
	if j.Str("paymentInstrument.cardBrand") == "mastercard" {
		otherwise = sdk.DeclineByMastercard(network)
	}
	d := declines.New(network, cmp.Or(j.Str("refusalDescription"), code), otherwise)
	d.Code, d.NetworkCode, d.AdviceCode = cmp.Or(code, "refused"), network, j.Text("advice.code")
	return d
}

// mismatch returns the decline of a payment that Worldpay reversed, by the failed check.
func mismatch(k *sdk.Checks, code string, reason sdk.DeclineReason) *sdk.Decline {
	switch {
	case reason != sdk.DeclineBlocked || k == nil:
	case k.CVC == "fail":
		reason = sdk.DeclineIncorrectCVC
	case k.AddressLine1 == "fail", k.PostalCode == "fail":
		reason = sdk.DeclineIncorrectAddress
	}
	return sdk.NewDecline(code, code, reason)
}

// refusal reads Worldpay's error object; nil for any other answer. Its JSON paths name wrong parts of the request.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	name, text, path := j.Str("errorName"), j.Str("message"), j.Str("jsonPath")
	if !answer.Refuses() || name == "" {
		return nil
	}
	for e := range j.Get("validationErrors").All() {
		text, path = text+": "+e.Str("message"), path+"."+e.Str("jsonPath")
	}
	reason := sdk.DeclineProcessingError
	for part := range strings.SplitSeq(path, ".") {
		reason = cmp.Or(declines.Of(part), reason)
	}
	return sdk.NewDecline(name, cmp.Or(text, name), answer.Reason(reason))
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
