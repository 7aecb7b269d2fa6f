package cybersource

import "payswitch/sdk"

// reasons are the reasons of the REST API (errorInformation.reason) with the reason codes of Transaction Search that mean the same.
var reasons = sdk.Reasons{
	{sdk.DeclineGeneric, "PROCESSOR_DECLINED 203 GENERAL_DECLINE 220 PAYMENT_REFUSED DECLINED_BY_PROCESSOR 233"},
	{sdk.DeclineDoNotHonor, "CONTACT_PROCESSOR 201"}, // the issuer wants to be called
	{sdk.DeclineInsufficientFunds, "INSUFFICIENT_FUND 204"},
	{sdk.DeclineStolenCard, "STOLEN_LOST_CARD 205"},
	{sdk.DeclineExpiredCard, "EXPIRED_CARD 202"},
	{sdk.DeclineIncorrectNumber, "INVALID_ACCOUNT 231"},
	{sdk.DeclineIncorrectCVC, "CVN_NOT_MATCH 209 INVALID_CVN 211 CV_FAILED 230"},
	{sdk.DeclineIncorrectAddress, "AVS_FAILED 200"},
	{sdk.DeclineInvalidAmount, "EXCEEDS_AUTH_AMOUNT 235 INVALID_AMOUNT 239"},
	{sdk.DeclineLimitExceeded, "EXCEEDS_CREDIT_LIMIT 210 DEBIT_CARD_USAGE_LIMIT_EXCEEDED 261"},
	{sdk.DeclineNotPermitted, "UNAUTHORIZED_CARD 208"}, // inactive, or not for payments without the card
	{sdk.DeclineRestrictedCard, "SUSPENDED_ACCOUNT 222"},
	{sdk.DeclineIssuerUnavailable, "ISSUER_UNAVAILABLE 207 PROCESSOR_UNAVAILABLE 236 PROCESSOR_TIMEOUT"},
	{sdk.DeclineProcessingError, "MISSING_FIELD 101 INVALID_DATA 102 SYSTEM_ERROR SERVER_TIMEOUT SERVICE_TIMEOUT AUTH_ALREADY_REVERSED 237 " +
		"TRANSACTION_ALREADY_SETTLED 238 INVALID_PAYMENT_ID 241 MISSING_AUTH 242 TRANSACTION_ALREADY_REVERSED_OR_SETTLED 243 NOT_VOIDABLE 246"},
	{sdk.DeclineFraud, "BLACKLISTED_CUSTOMER 221 DECISION_PROFILE_REJECT 481 SCORE_EXCEEDS_THRESHOLD"},
	{sdk.DeclineAuthenticationNeeded, "CONSUMER_AUTHENTICATION_REQUIRED 475 PENDING_AUTHENTICATION CUSTOMER_AUTHENTICATION_REQUIRED 478"},
	{sdk.DeclineAuthenticationFailed, "CONSUMER_AUTHENTICATION_FAILED 476"},
	{sdk.DeclineDuplicate, "DUPLICATE_REQUEST 104"},
	{sdk.DeclineCardNotSupported, "CARD_TYPE_NOT_ACCEPTED 232 INVALID_CARD_TYPE 240"},
	{sdk.DeclineInvalidMerchant, "INVALID_MERCHANT_CONFIGURATION 234"},
}

// unauthorized is the decline code of an answer that came from the gate before the API, which has no codes.
const unauthorized = "UNAUTHORIZED"

// refused is the outcome of a refusal.
func refused(a sdk.JSON) *sdk.Outcome {
	code, message := a.First("errorInformation.reason", "reason"), a.First("errorInformation.message", "message")
	if code == "" { // Transaction Search has a number
		code = a.First("applicationInformation.reasonCode", "status", "applicationInformation.status")
	}
	reason := reasons.Of(code)
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
