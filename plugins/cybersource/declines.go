package cybersource

import "payswitch/sdk"

// reasons are the reasons of the REST API (errorInformation.reason) with the reason codes of Transaction Search that mean the same.
var reasons = []struct {
	name, code string
	reason     sdk.DeclineReason
}{
	{"MISSING_FIELD", "101", sdk.DeclineProcessingError},
	{"INVALID_DATA", "102", sdk.DeclineProcessingError},
	{"DUPLICATE_REQUEST", "104", sdk.DeclineDuplicate},
	{"SYSTEM_ERROR", "", sdk.DeclineProcessingError},
	{"SERVER_TIMEOUT", "", sdk.DeclineProcessingError},
	{"SERVICE_TIMEOUT", "", sdk.DeclineProcessingError},
	{"AVS_FAILED", "200", sdk.DeclineIncorrectAddress},
	{"CONTACT_PROCESSOR", "201", sdk.DeclineDoNotHonor}, // the issuer wants to be called
	{"EXPIRED_CARD", "202", sdk.DeclineExpiredCard},
	{"PROCESSOR_DECLINED", "203", sdk.DeclineGeneric},
	{"INSUFFICIENT_FUND", "204", sdk.DeclineInsufficientFunds},
	{"STOLEN_LOST_CARD", "205", sdk.DeclineStolenCard},
	{"ISSUER_UNAVAILABLE", "207", sdk.DeclineIssuerUnavailable},
	{"UNAUTHORIZED_CARD", "208", sdk.DeclineNotPermitted}, // inactive, or not for payments without the card
	{"CVN_NOT_MATCH", "209", sdk.DeclineIncorrectCVC},
	{"EXCEEDS_CREDIT_LIMIT", "210", sdk.DeclineLimitExceeded},
	{"INVALID_CVN", "211", sdk.DeclineIncorrectCVC},
	{"GENERAL_DECLINE", "220", sdk.DeclineGeneric},
	{"PAYMENT_REFUSED", "", sdk.DeclineGeneric},
	{"BLACKLISTED_CUSTOMER", "221", sdk.DeclineFraud},
	{"SUSPENDED_ACCOUNT", "222", sdk.DeclineRestrictedCard},
	{"CV_FAILED", "230", sdk.DeclineIncorrectCVC},
	{"INVALID_ACCOUNT", "231", sdk.DeclineIncorrectNumber},
	{"CARD_TYPE_NOT_ACCEPTED", "232", sdk.DeclineCardNotSupported},
	{"DECLINED_BY_PROCESSOR", "233", sdk.DeclineGeneric},
	{"INVALID_MERCHANT_CONFIGURATION", "234", sdk.DeclineInvalidMerchant},
	{"EXCEEDS_AUTH_AMOUNT", "235", sdk.DeclineInvalidAmount},
	{"PROCESSOR_UNAVAILABLE", "236", sdk.DeclineIssuerUnavailable},
	{"PROCESSOR_TIMEOUT", "", sdk.DeclineIssuerUnavailable},
	{"AUTH_ALREADY_REVERSED", "237", sdk.DeclineProcessingError},
	{"TRANSACTION_ALREADY_SETTLED", "238", sdk.DeclineProcessingError},
	{"INVALID_AMOUNT", "239", sdk.DeclineInvalidAmount},
	{"INVALID_CARD_TYPE", "240", sdk.DeclineCardNotSupported},
	{"INVALID_PAYMENT_ID", "241", sdk.DeclineProcessingError},
	{"MISSING_AUTH", "242", sdk.DeclineProcessingError},
	{"TRANSACTION_ALREADY_REVERSED_OR_SETTLED", "243", sdk.DeclineProcessingError},
	{"NOT_VOIDABLE", "246", sdk.DeclineProcessingError},
	{"DEBIT_CARD_USAGE_LIMIT_EXCEEDED", "261", sdk.DeclineLimitExceeded},
	{"CONSUMER_AUTHENTICATION_REQUIRED", "475", sdk.DeclineAuthenticationNeeded},
	{"PENDING_AUTHENTICATION", "", sdk.DeclineAuthenticationNeeded},
	{"CONSUMER_AUTHENTICATION_FAILED", "476", sdk.DeclineAuthenticationFailed},
	{"CUSTOMER_AUTHENTICATION_REQUIRED", "478", sdk.DeclineAuthenticationNeeded},
	{"DECISION_PROFILE_REJECT", "481", sdk.DeclineFraud},
	{"SCORE_EXCEEDS_THRESHOLD", "", sdk.DeclineFraud},
}

// unauthorized is the decline code of an answer that came from the gate before the API, which has no codes.
const unauthorized = "UNAUTHORIZED"

// refused is the outcome of a refusal.
func refused(a sdk.JSON) *sdk.Outcome {
	d := &sdk.Decline{Code: first(a, "errorInformation.reason", "reason"), Message: first(a, "errorInformation.message", "message"),
		NetworkCode: a.Text("processorInformation.responseCode"), Reason: sdk.DeclineGeneric,
		AdviceCode: first(a, "processorInformation.merchantAdvice.codeRaw", "processorInformation.merchantAdvice.code")}
	switch code := a.Text("applicationInformation.reasonCode"); {
	case gate(a):
		d.Code, d.Message, d.Reason = unauthorized, a.Str("response.rmsg"), sdk.DeclineInvalidMerchant
	case d.Code == "" && code != "": // of Transaction Search
		d.Code = code
	case d.Code == "":
		d.Code = first(a, "status", "applicationInformation.status")
	}
	for i := range reasons {
		if r := &reasons[i]; r.name == d.Code || r.code == d.Code && r.code != "" {
			d.Reason = r.reason
		}
	}
	if a.Str("status") == "AUTHENTICATION_FAILED" {
		d.Reason = sdk.DeclineAuthenticationFailed
	}
	details := a.Get("errorInformation.details")
	if !details.IsArray() {
		details = a.Get("details")
	}
	for x := range details.All() {
		d.Message += " (" + x.Str("field") + ": " + x.Str("reason") + ")"
	}
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
	return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: d, Raw: map[string]string{"status": first(a, "status", "applicationInformation.status")}}
}

// first is the first of the texts at the paths that is there.
func first(a sdk.JSON, paths ...string) string {
	for _, p := range paths {
		if s := a.Text(p); s != "" {
			return s
		}
	}
	return ""
}
