package braintree

import (
	"cmp"

	"payswitch/sdk"
)

// declineOf is why a transaction or refund failed: what the event of its status says.
func declineOf(t sdk.JSON) *sdk.Decline {
	return declineFrom(eventOf(t, t.Str("status")), t.Str("status"))
}

// declineFrom reads an event, or a verification, of a status that means a refusal.
func declineFrom(e sdk.JSON, status string) *sdk.Decline {
	network, code, rejection := e.Str("networkResponse.code"), e.Str("processorResponse.legacyCode"), e.Str("gatewayRejectionReason")
	reason := processorReasons.Of(code)
	if reason == "" {
		reason = sdk.DeclineByCode(network)
	}
	if status == "FAILED" && reason == sdk.DeclineGeneric {
		reason = sdk.DeclineProcessingError
	}
	d := sdk.NewDecline(cmp.Or(code, status), cmp.Or(e.Str("processorResponse.message"), status), reason)
	if status == "GATEWAY_REJECTED" && rejection != "" { // the processor may have approved: the gateway's rules did not
		d = sdk.NewDecline(rejection, "Gateway rejected: "+rejection, cmp.Or(rejectionReasons.Of(rejection), sdk.DeclineBlocked))
	}
	d.NetworkCode, d.AdviceCode = network, e.Str("merchantAdviceCodeResponse.code")
	return d
}

// processorReasons are the processor response codes of authorizations (Braintree, "Authorization responses").
var processorReasons = sdk.Reasons{
	{sdk.DeclineGeneric, "2038 2046"},
	{sdk.DeclineDoNotHonor, "2000 2011 2041 2043 2044"},
	{sdk.DeclineInsufficientFunds, "2001"},
	{sdk.DeclineLimitExceeded, "2002 2003 2056"},
	{sdk.DeclineExpiredCard, "2004"},
	{sdk.DeclineIncorrectNumber, "2005 2008 2009 2051"},
	{sdk.DeclineIncorrectExpiry, "2006"},
	{sdk.DeclineClosedAccount, "2007"},
	{sdk.DeclineIncorrectCVC, "2010"},
	{sdk.DeclineLostCard, "2012 2053"},
	{sdk.DeclineStolenCard, "2013"},
	{sdk.DeclineFraud, "2014"},
	{sdk.DeclineNotPermitted, "2015 2019 2023"},
	{sdk.DeclineDuplicate, "2016"},
	{sdk.DeclineStopRecurring, "2017 2018"},
	{sdk.DeclineSecurityViolation, "2020 2021"},
	{sdk.DeclineCardNotSupported, "2024 2029"},
	{sdk.DeclineInvalidMerchant, "2025 2026 2028 2030 2040 2042 2045 2055"},
	{sdk.DeclineInvalidAmount, "2027 2048 2062"},
	{sdk.DeclineProcessingError, "2031 2033 2061"},
	{sdk.DeclineTryLater, "2034"},
	{sdk.DeclinePickUpCard, "2047"},
	{sdk.DeclineRestrictedCard, "2057"},
	{sdk.DeclineIncorrectAddress, "2059 2060"},
	{sdk.DeclineAuthenticationNeeded, "2099"},
	{sdk.DeclineIssuerUnavailable, "3000"},
}

// rejectionReasons are the gateway's own reasons (GatewayRejectionReason); others block.
var rejectionReasons = sdk.Reasons{
	{sdk.DeclineIncorrectAddress, "AVS AVS_AND_CVV"},
	{sdk.DeclineIncorrectCVC, "CVV"},
	{sdk.DeclineDuplicate, "DUPLICATE"},
	{sdk.DeclineFraud, "FRAUD RISK_THRESHOLD"},
	{sdk.DeclineAuthenticationNeeded, "THREE_D_SECURE UNION_PAY_ENROLLMENT_REQUIRED"},
	{sdk.DeclineInvalidMerchant, "APPLICATION_INCOMPLETE MANUAL_TRANSACTIONS_DISABLED"},
}

// errorReasons are validation codes, and the classes of errors that say something of their own.
var errorReasons = sdk.Reasons{
	{sdk.DeclineInvalidMerchant, "AUTHENTICATION AUTHORIZATION"},
	{sdk.DeclineTryLater, "RESOURCE_LIMIT"},
	{sdk.DeclineProcessingError, "NOT_FOUND NOT_IMPLEMENTED UNSUPPORTED_CLIENT"},
	{sdk.DeclineInvalidAmount, "81501 81502 81503 81528 81531"},
	{sdk.DeclineCardNotSupported, "81703"},
	{sdk.DeclineIncorrectCVC, "81706 81707"},
	{sdk.DeclineIncorrectExpiry, "81709 81710 81711 81712 81713"},
	{sdk.DeclineIncorrectNumber, "81714 81715 81716 81717"},
}
