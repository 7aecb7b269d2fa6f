package checkout

import (
	"strings"

	"payswitch/sdk"
)

// responseCodes maps response_code (checkout.com/docs/resources/codes/api-response-codes).
var responseCodes = map[string]sdk.DeclineReason{
	"20001": sdk.DeclineGeneric,              // refer to card issuer
	"20002": sdk.DeclineGeneric,              // refer to card issuer, special conditions
	"20003": sdk.DeclineInvalidMerchant,      // invalid merchant or service provider
	"20005": sdk.DeclineDoNotHonor,           // do not honour
	"20006": sdk.DeclineProcessingError,      // error
	"20012": sdk.DeclineProcessingError,      // invalid transaction
	"20013": sdk.DeclineInvalidAmount,        // invalid value or amount
	"20014": sdk.DeclineIncorrectNumber,      // invalid account number
	"20015": sdk.DeclineIncorrectNumber,      // transaction cannot be processed through debit network, no such issuer
	"20030": sdk.DeclineProcessingError,      // format error
	"20051": sdk.DeclineInsufficientFunds,    // insufficient funds
	"20054": sdk.DeclineExpiredCard,          // expired card
	"20057": sdk.DeclineNotPermitted,         // not permitted to cardholder
	"20058": sdk.DeclineNotPermitted,         // not permitted to terminal
	"20059": sdk.DeclineFraud,                // suspected fraud
	"20061": sdk.DeclineLimitExceeded,        // activity amount limit exceeded
	"20062": sdk.DeclineRestrictedCard,       // restricted card
	"20063": sdk.DeclineSecurityViolation,    // security violation
	"20065": sdk.DeclineLimitExceeded,        // activity count limit exceeded
	"20068": sdk.DeclineIssuerUnavailable,    // response received too late or time-out
	"20078": sdk.DeclineIncorrectNumber,      // blocked, first use
	"20082": sdk.DeclineIncorrectCVC,         // incorrect CVV
	"20091": sdk.DeclineIssuerUnavailable,    // issuer unavailable
	"20094": sdk.DeclineDuplicate,            // duplicate transmission
	"20096": sdk.DeclineProcessingError,      // system malfunction
	"20100": sdk.DeclineIncorrectCVC,         // invalid CVV or expiry date
	"20108": sdk.DeclineGeneric,              // refer to card issuer
	"20150": sdk.DeclineAuthenticationFailed, // card not 3-D Secure enabled
	"20151": sdk.DeclineAuthenticationFailed, // cardholder failed 3-D Secure
	"20152": sdk.DeclineAuthenticationFailed, // initial 3-D Secure not completed within 15 minutes
	"20153": sdk.DeclineAuthenticationFailed, // 3-D Secure system malfunction
	"20154": sdk.DeclineAuthenticationNeeded, // 3-D Secure authentication required
	"20155": sdk.DeclineAuthenticationNeeded, // 3-D Secure authentication service needed
	"30004": sdk.DeclinePickUpCard,           // pick up card
	"30007": sdk.DeclinePickUpCard,           // pick up card, special conditions
	"30033": sdk.DeclineExpiredCard,          // expired card, pick up
	"30041": sdk.DeclineLostCard,             // lost card, pick up
	"30043": sdk.DeclineStolenCard,           // stolen card, pick up
	"30046": sdk.DeclineStopRecurring,        // closed to payments of this kind
	"40101": sdk.DeclineBlocked,              // risk rules blocked the payment
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
