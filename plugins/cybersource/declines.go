package cybersource

import (
	_ "embed"

	"payswitch/sdk"
)

// unauthorized is the decline code of an answer that came from the gate before the API, which has no codes.
const unauthorized = "UNAUTHORIZED"

// refused is the outcome of a refusal.
func refused(a sdk.JSON) *sdk.Outcome {
	code, message := a.First("errorInformation.reason", "reason"), a.First("errorInformation.message", "message")
	if code == "" { // Transaction Search has a number
		code = a.First("applicationInformation.reasonCode", "status", "applicationInformation.status")
	}
	reason := declines.Of(code)
	if gate(a) {
		code, message, reason = unauthorized, a.Str("response.rmsg"), sdk.DeclineInvalidMerchant
	}
	if a.Str("status") == "AUTHENTICATION_FAILED" {
		reason = sdk.DeclineAuthenticationFailed
	}
	details := a.Get("errorInformation.details")
	if !details.IsArray() {
		details = a.Get("details")
	}
	for x := range details.All() {
		message += " (" + x.Str("field") + ": " + x.Str("reason") + ")"
	}
	o := sdk.Declined(sdk.NewDecline(code, message, reason))
	o.Decline.NetworkCode = a.Text("processorInformation.responseCode")
	o.Decline.AdviceCode = a.First("processorInformation.merchantAdvice.codeRaw", "processorInformation.merchantAdvice.code")
	o.Raw = map[string]string{"status": a.First("status", "applicationInformation.status")}
	return o
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
