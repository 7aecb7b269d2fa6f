package braintree

import "payswitch/sdk"

// declineOf is why a transaction or refund failed: what the event of its status says.
func declineOf(t sdk.JSON) *sdk.Decline {
	return declineFrom(eventOf(t, t.Str("status")), t.Str("status"))
}

// declineFrom reads an event, or a verification, of a status that means a refusal.
func declineFrom(e sdk.JSON, status string) *sdk.Decline {
	d := &sdk.Decline{Code: status, Message: status, Reason: sdk.DeclineGeneric, NetworkCode: e.Str("networkResponse.code"),
		AdviceCode: e.Str("merchantAdviceCodeResponse.code")}
	if d.NetworkCode != "" {
		d.Reason = sdk.DeclineByCode(d.NetworkCode)
	}
	if text := e.Str("processorResponse.message"); text != "" {
		d.Message = text
	}
	code, rejection := e.Str("processorResponse.legacyCode"), e.Str("gatewayRejectionReason")
	if status == "GATEWAY_REJECTED" && rejection != "" { // the processor may have approved: the gateway's rules did not
		d.Code, d.Message, d.Reason = rejection, "Gateway rejected: "+rejection, sdk.DeclineBlocked
		if reason := rejectionReasons[rejection]; reason != "" {
			d.Reason = reason
		}
		return withFacts(d)
	}
	if code != "" {
		d.Code = code
	}
	if reason := processorReasons[code]; reason != "" {
		d.Reason = reason
	}
	if status == "FAILED" && d.Reason == sdk.DeclineGeneric {
		d.Reason = sdk.DeclineProcessingError
	}
	return withFacts(d)
}

// withFacts fills in what holds for the reason whatever the processor.
func withFacts(d *sdk.Decline) *sdk.Decline {
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
	return d
}

// processorReasons are the processor response codes of authorizations (Braintree, "Authorization responses").
var processorReasons = map[string]sdk.DeclineReason{
	"2000": sdk.DeclineDoNotHonor, "2001": sdk.DeclineInsufficientFunds, "2002": sdk.DeclineLimitExceeded, "2003": sdk.DeclineLimitExceeded,
	"2004": sdk.DeclineExpiredCard, "2005": sdk.DeclineIncorrectNumber, "2006": sdk.DeclineIncorrectExpiry, "2007": sdk.DeclineClosedAccount,
	"2008": sdk.DeclineIncorrectNumber, "2009": sdk.DeclineIncorrectNumber, "2010": sdk.DeclineIncorrectCVC, "2011": sdk.DeclineDoNotHonor,
	"2012": sdk.DeclineLostCard, "2013": sdk.DeclineStolenCard, "2014": sdk.DeclineFraud, "2015": sdk.DeclineNotPermitted,
	"2016": sdk.DeclineDuplicate, "2017": sdk.DeclineStopRecurring, "2018": sdk.DeclineStopRecurring, "2019": sdk.DeclineNotPermitted,
	"2020": sdk.DeclineSecurityViolation, "2021": sdk.DeclineSecurityViolation, "2023": sdk.DeclineNotPermitted,
	"2024": sdk.DeclineCardNotSupported, "2025": sdk.DeclineInvalidMerchant, "2026": sdk.DeclineInvalidMerchant, "2027": sdk.DeclineInvalidAmount,
	"2028": sdk.DeclineInvalidMerchant, "2029": sdk.DeclineCardNotSupported, "2030": sdk.DeclineInvalidMerchant, "2031": sdk.DeclineProcessingError,
	"2033": sdk.DeclineProcessingError, "2034": sdk.DeclineTryLater, "2038": sdk.DeclineGeneric, "2040": sdk.DeclineInvalidMerchant,
	"2041": sdk.DeclineDoNotHonor, "2042": sdk.DeclineInvalidMerchant, "2043": sdk.DeclineDoNotHonor, "2044": sdk.DeclineDoNotHonor,
	"2045": sdk.DeclineInvalidMerchant, "2046": sdk.DeclineGeneric, "2047": sdk.DeclinePickUpCard, "2048": sdk.DeclineInvalidAmount,
	"2051": sdk.DeclineIncorrectNumber, "2053": sdk.DeclineLostCard, "2055": sdk.DeclineInvalidMerchant, "2056": sdk.DeclineLimitExceeded,
	"2057": sdk.DeclineRestrictedCard, "2059": sdk.DeclineIncorrectAddress, "2060": sdk.DeclineIncorrectAddress, "2061": sdk.DeclineProcessingError,
	"2062": sdk.DeclineInvalidAmount, "2099": sdk.DeclineAuthenticationNeeded, "3000": sdk.DeclineIssuerUnavailable,
}

// rejectionReasons are the gateway's own reasons (GatewayRejectionReason); others block.
var rejectionReasons = map[string]sdk.DeclineReason{
	"AVS": sdk.DeclineIncorrectAddress, "AVS_AND_CVV": sdk.DeclineIncorrectAddress, "CVV": sdk.DeclineIncorrectCVC, "DUPLICATE": sdk.DeclineDuplicate,
	"FRAUD": sdk.DeclineFraud, "RISK_THRESHOLD": sdk.DeclineFraud, "THREE_D_SECURE": sdk.DeclineAuthenticationNeeded,
	"APPLICATION_INCOMPLETE": sdk.DeclineInvalidMerchant, "MANUAL_TRANSACTIONS_DISABLED": sdk.DeclineInvalidMerchant,
	"UNION_PAY_ENROLLMENT_REQUIRED": sdk.DeclineAuthenticationNeeded,
}

// errorReasons are validation codes, and the classes of errors that say something of their own.
var errorReasons = map[string]sdk.DeclineReason{
	"AUTHENTICATION": sdk.DeclineInvalidMerchant, "AUTHORIZATION": sdk.DeclineInvalidMerchant, "RESOURCE_LIMIT": sdk.DeclineTryLater,
	"NOT_FOUND": sdk.DeclineProcessingError, "NOT_IMPLEMENTED": sdk.DeclineProcessingError, "UNSUPPORTED_CLIENT": sdk.DeclineProcessingError,
	"81501": sdk.DeclineInvalidAmount, "81502": sdk.DeclineInvalidAmount, "81503": sdk.DeclineInvalidAmount, "81528": sdk.DeclineInvalidAmount,
	"81531": sdk.DeclineInvalidAmount, "81703": sdk.DeclineCardNotSupported, "81706": sdk.DeclineIncorrectCVC, "81707": sdk.DeclineIncorrectCVC,
	"81709": sdk.DeclineIncorrectExpiry, "81710": sdk.DeclineIncorrectExpiry, "81711": sdk.DeclineIncorrectExpiry, "81712": sdk.DeclineIncorrectExpiry,
	"81713": sdk.DeclineIncorrectExpiry, "81714": sdk.DeclineIncorrectNumber, "81715": sdk.DeclineIncorrectNumber, "81716": sdk.DeclineIncorrectNumber,
	"81717": sdk.DeclineIncorrectNumber,
}
