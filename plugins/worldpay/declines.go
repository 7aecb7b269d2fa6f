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

// parts of a request that Worldpay may find wrong, by what the JSON path holds.
var parts = []struct {
	name   string
	reason sdk.DeclineReason
}{
	{"cardNumber", sdk.DeclineIncorrectNumber}, {"cvc", sdk.DeclineIncorrectCVC}, {"expiryDate", sdk.DeclineIncorrectExpiry},
	{"billingAddress", sdk.DeclineIncorrectAddress}, {"value.currency", sdk.DeclineCurrency}, {"value.amount", sdk.DeclineInvalidAmount},
}

// refusal reads Worldpay's own error object, {"errorName":…,"message":…,"validationErrors":[…]}; nil where the answer is none.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	name := j.Str("errorName")
	if !answer.Refuses() || name == "" {
		return nil
	}
	reason, text := sdk.DeclineProcessingError, j.Str("message")
	if first := j.Get("validationErrors.0"); first.Exists() {
		text += ": " + first.Str("message")
		for _, p := range parts {
			if strings.Contains(first.Str("jsonPath"), p.name) {
				reason = p.reason
			}
		}
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
