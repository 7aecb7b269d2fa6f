package mollie

import (
	"cmp"
	_ "embed"
	"strconv"

	"payswitch/sdk"
)

// reasonOf is why an object of Mollie's ended badly; its status where it does not tell.
func reasonOf(j sdk.JSON, status string) *sdk.Decline {
	code, text := j.Str("details.failureReason"), j.Str("details.failureMessage")
	if code == "" {
		code, text = j.Str("statusReason.code"), j.Str("statusReason.message")
	}
	if code == "" {
		code, text = status, status
	}
	return declines.New(code, cmp.Or(text, code), "")
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
