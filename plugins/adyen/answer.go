package adyen

import (
	"cmp"
	_ "embed"
	"strings"

	"payswitch/sdk"
)

// results are the meanings of resultCode.
var results = sdk.Statuses{
	{sdk.StatusAuthorized, "Authorised PartiallyAuthorised"},
	{sdk.StatusDeclined, "Refused Error Cancelled"},
	{sdk.StatusCustomerAction, "RedirectShopper ChallengeShopper IdentifyShopper PresentToShopper"},
	{sdk.StatusPending, "Received Pending AuthenticationFinished AuthenticationNotRequired"},
}

func result(c *sdk.Call, j sdk.JSON) (*sdk.Outcome, error) {
	code, extra := j.Str("resultCode"), j.Get("additionalData")
	o := &sdk.Outcome{Status: results.Must(code), TransactionID: j.Str("pspReference"), AuthCode: extra.Str("authCode"),
		NetworkTransactionID: extra.Str("networkTxReference"),
		Checks:               checks.Read(word(extra.Str("cvcResult"), " "), word(extra.Str("avsResult"), " ")),
		Raw:                  map[string]string{"result_code": code}}
	switch o.Status {
	case sdk.StatusAuthorized:
		sdk.Expect(o.TransactionID != "", "the answer says Authorised without a pspReference")
		// with automatic capture Adyen takes the money without another request
		o.Status, o.Amount = c.Request.Approved(), authorised(c.Request, j)
		sdk.Expect(o.Amount != nil || code != "PartiallyAuthorised",
			"the answer says PartiallyAuthorised without the amount")
		o.StoredCredential, o.ConnectorData = stored(c.Request, extra)
	case sdk.StatusDeclined:
		o.Decline = decline(j)
	case sdk.StatusCustomerAction:
		a := j.Get("action")
		o.Redirect(sdk.When(a.Str("type") == "redirect", a.Str("url"))) // other actions need Adyen's component
		if n := o.NextAction; n != nil && a.Str("method") == "POST" {
			n.Type = sdk.NextActionFormPost
			for name, value := range a.Get("data").Members() {
				n.Fields = append(n.Fields, sdk.H(name, value.Text("")))
			}
		}
		if data := a.Str("paymentData"); o.NextAction != nil && data != "" && len(data) <= sdk.MaxConnectorData {
			o.ConnectorData = &sdk.ConnectorData{Version: 1, Payment: data}
		}
	}
	return o, nil
}

// authorised returns the amount that the issuer approved, perhaps a part (docs.adyen.com, "Partial authorizations").
func authorised(r *sdk.Request, j sdk.JSON) *sdk.Money {
	extra, currency := j.Get("additionalData"), r.Amount.Currency
	part := decimals.Stated(extra, "authorisedAmountValue", "authorisedAmountCurrency", currency)
	return cmp.Or(part, decimals.Stated(j, "amount.value", "amount.currency", currency))
}

// stored returns the credential that Adyen keeps, with the shopper whom later payments must name.
func stored(r *sdk.Request, extra sdk.JSON) (*sdk.StoredCredential, *sdk.ConnectorData) {
	id, shopper := extra.Key("recurring.recurringDetailReference").Str(""), extra.Key("recurring.shopperReference").Str("")
	if id == "" || r.StoredCredential == nil {
		return nil, nil
	}
	return &sdk.StoredCredential{ID: id, CustomerID: shopper},
		&sdk.ConnectorData{Version: 1, Method: shopper, Customer: shopper}
}

// checks are the numbers of cvcResult and avsResult (docs.adyen.com), as in "1 Matches".
var checks = sdk.CheckCodes{
	CVC: sdk.Results{{sdk.CheckPass, "1"}, {sdk.CheckFail, "2"}, {sdk.CheckUnchecked, "3 4 6"},
		{sdk.CheckUnavailable, "0 5"}},
	Line1: sdk.Results{{sdk.CheckPass, "1 7 9 12 20 21 24 25"}, {sdk.CheckFail, "2 6 10 13 26"},
		{sdk.CheckUnavailable, "0 3 4 11 14 16"}, {sdk.CheckUnchecked, "5 8 15 17 18"}},
	PostalCode: sdk.Results{{sdk.CheckPass, "6 7 14 15 19 20 23 24"}, {sdk.CheckFail, "1 2 16 17 26"},
		{sdk.CheckUnavailable, "0 3 4 8 9 10"}, {sdk.CheckUnchecked, "5 11 12 13 18"}},
}

// word returns the text before the first separator.
func word(text, separator string) string {
	first, _, _ := strings.Cut(text, separator)
	return first
}

// decline returns the reason of a refused payment. If Adyen gives no more than "refused", the issuer's code decides,
// and for a blocked card if the code says why it is blocked.
func decline(j sdk.JSON) *sdk.Decline {
	network := networkCode(j.Str("additionalData.refusalReasonRaw"))
	d := declines.New(j.First("refusalReasonCode", "resultCode"), j.Str("refusalReason"), "")
	said := sdk.NewDecline(d.Code, d.Message, sdk.DeclineByCode(network))
	if dead, _ := said.Reason.Facts(); d.Reason == sdk.DeclineGeneric ||
		d.Code == blockedCard && !dead.RetryElsewhere && !dead.RetryLater {
		d = said
	}
	d.NetworkCode, d.AdviceCode = network, word(j.Str("additionalData.merchantAdviceCode"), " : ")
	return d
}

const blockedCard = "5"

// networkCode returns the code of a raw response such as "5 : Do not honor", "with or without a leading zero"
// (docs.adyen.com/development-resources/raw-acquirer-responses); "" for words such as "DECLINED Expiry Incorrect".
func networkCode(raw string) string {
	code := strings.TrimSpace(word(raw, ":"))
	switch len(code) {
	case 1:
		return "0" + code
	case 2:
		return code
	}
	return ""
}

var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
