package worldpay

import (
	"cmp"
	_ "embed"
	"strings"

	"payswitch/sdk"
)

// refused is why the issuer said no.
func refused(j sdk.JSON) *sdk.Decline {
	code := j.Text("refusalCode")
	network := code
	if len(code) == 1 {
		network = "0" + code
	}
	d := sdk.NewDecline(cmp.Or(code, "refused"), cmp.Or(j.Str("refusalDescription"), code), cmp.Or(declines.Of(network), sdk.DeclineByCode(network)))
	d.NetworkCode, d.AdviceCode = network, j.Text("advice.code")
	return d
}

// mismatch is the decline of a payment that was undone, by the check that failed.
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

// refusal reads Worldpay's own error object, {"errorName":…,"message":…,"validationErrors":[…]}; nil where the answer is none. The JSON path of
// a validation error names the part of the request that is wrong.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	name, text, first := j.Str("errorName"), j.Str("message"), j.Get("validationErrors.0")
	if !answer.Refuses() || name == "" {
		return nil
	}
	if first.Exists() {
		text += ": " + first.Str("message")
	}
	reason := sdk.DeclineProcessingError
	for part := range strings.SplitSeq(first.Str("jsonPath"), ".") {
		reason = cmp.Or(declines.Of(part), reason)
	}
	switch answer.Status {
	case 401, 403:
		reason = sdk.DeclineInvalidMerchant
	case 429:
		reason = sdk.DeclineTryLater
	}
	return sdk.NewDecline(name, cmp.Or(text, name), reason)
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
