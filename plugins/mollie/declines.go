package mollie

import (
	"cmp"
	_ "embed"
	"strconv"

	"payswitch/sdk"
)

// reasonOf is why an object of Mollie's ended badly; its status where it does not tell. Where the reason of the failure says no more than
// that the card was declined, the card network's does.
func reasonOf(j sdk.JSON, status string) *sdk.Decline {
	code, text, network := j.Str("details.failureReason"), j.Str("details.failureMessage"), j.Str("statusReason.code")
	reason := declines.Of(code)
	if reason == "" || reason == sdk.DeclineGeneric {
		reason = cmp.Or(declines.Of(network), reason)
	}
	switch {
	case code != "":
	case network != "":
		code, text = network, j.Str("statusReason.message")
	default:
		code, text, reason = status, status, declines.Of(status)
	}
	return sdk.NewDecline(code, cmp.Or(text, code), reason)
}

// refusal reads Mollie's own error object, {"status":422,"title":…,"detail":…,"field":…}; nil where the answer is none, or one that
// does not say that nothing was done: 408, 409 (the same key is being worked on) and 5xx.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	title := j.Str("title")
	if !answer.Refuses() || title == "" || j.Number("status") != strconv.Itoa(answer.Status) {
		return nil
	}
	reason := cmp.Or(declines.Of(j.Str("field")), sdk.DeclineProcessingError)
	switch answer.Status {
	case 401, 403:
		reason = sdk.DeclineInvalidMerchant
	case 429:
		reason = sdk.DeclineTryLater
	}
	return sdk.NewDecline(title, cmp.Or(j.Str("detail"), title), reason)
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
