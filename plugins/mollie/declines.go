package mollie

import (
	"cmp"
	_ "embed"
	"strconv"

	"payswitch/sdk"
)

// reasonOf returns the reason of an object's failure, or its status without one. If the reason is no more specific than
// "declined", the card network's code decides.
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

// refusal reads Mollie's error object, {"status":422,"title":…,"detail":…,"field":…}. The result is nil for any other
// answer. It is nil for 408, 409 (a request with the key is in progress) and 5xx too: Mollie may have acted.
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

// declines are decline codes with their reasons.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
