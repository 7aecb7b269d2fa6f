package checkout

import (
	"strings"

	"payswitch/sdk"
)

// responseCodes are response_code (checkout.com/docs/resources/codes/api-response-codes).
var responseCodes = sdk.Reasons{
	{sdk.DeclineGeneric, "20001:refer_to_issuer 20002:refer_to_issuer_special 20108:refer_to_issuer"},
	{sdk.DeclineInvalidMerchant, "20003:invalid_merchant"},
	{sdk.DeclineDoNotHonor, "20005"},
	{sdk.DeclineProcessingError, "20006:error 20012:invalid_transaction 20030:format_error 20096:system_malfunction"},
	{sdk.DeclineInvalidAmount, "20013"},
	{sdk.DeclineIncorrectNumber, "20014:invalid_account_number 20015:no_such_issuer 30015:no_such_issuer 20078:blocked_first_use"},
	{sdk.DeclineInsufficientFunds, "20051"},
	{sdk.DeclineExpiredCard, "20054 30033:pick_up"},
	{sdk.DeclineNotPermitted, "20057:cardholder 20058:terminal"},
	{sdk.DeclineFraud, "20059 30022 30034:pick_up"},
	{sdk.DeclineLimitExceeded, "20061:amount 20065:count"},
	{sdk.DeclineRestrictedCard, "20062 30036:pick_up"},
	{sdk.DeclineSecurityViolation, "20063 20038:pin_tries 20055:pin 20075:pin_tries 30038:pin_tries"},
	{sdk.DeclineIssuerUnavailable, "20068:too_late 20091:unavailable"},
	{sdk.DeclineIncorrectCVC, "20082 20100:cvv_or_expiry"},
	{sdk.DeclineDuplicate, "20094"},
	{sdk.DeclineAuthenticationFailed, "20150:not_enabled 20151:failed 20152:not_completed 20153:malfunction"},
	{sdk.DeclineAuthenticationNeeded, "20154 20155"},
	{sdk.DeclinePickUpCard, "30004 30007:special 30035:contact_acquirer 30037:call_acquirer"},
	{sdk.DeclineLostCard, "30041"},
	{sdk.DeclineStolenCard, "30043"},
	{sdk.DeclineStopRecurring, "30046:closed_to_payments_of_this_kind"},
	{sdk.DeclineBlocked, "40101:risk_rules 40201:card 40202:address 40203:email 40204:phone 40205:bin"},
}

// errorReason maps the codes of a request that was refused; they begin with the name of the field at fault.
func errorReason(code string) sdk.DeclineReason {
	for _, k := range [...]struct {
		prefix string
		reason sdk.DeclineReason
	}{
		{"card_number", sdk.DeclineIncorrectNumber}, {"card_expired", sdk.DeclineExpiredCard}, {"card_expiry", sdk.DeclineIncorrectExpiry},
		{"card_not_supported", sdk.DeclineCardNotSupported}, {"cvv", sdk.DeclineIncorrectCVC}, {"address", sdk.DeclineIncorrectAddress},
		{"amount", sdk.DeclineInvalidAmount}, {"currency", sdk.DeclineCurrency}, {"processing_channel", sdk.DeclineInvalidMerchant},
		{"business", sdk.DeclineInvalidMerchant}, {"payment_type", sdk.DeclineNotPermitted},
	} {
		if strings.HasPrefix(code, k.prefix) {
			return k.reason
		}
	}
	return sdk.DeclineProcessingError
}
