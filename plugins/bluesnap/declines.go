package bluesnap

import (
	"cmp"

	"payswitch/sdk"
)

// reasons are the names of BlueSnap's errors (Card Transaction Errors). Their codes say less: 14002 is every refusal of a processor.
var reasons = sdk.Reasons{
	{sdk.DeclineClosedAccount, "ACCOUNT_CLOSED"},
	{sdk.DeclineInvalidAmount, "AUTHORIZATION_AMOUNT_NOT_VALID PROCESSING_AMOUNT_ERROR"},
	{sdk.DeclineStopRecurring, "AUTHORIZATION_REVOKED"},
	{sdk.DeclineDoNotHonor, "CALL_ISSUER DO_NOT_HONOR"},
	{sdk.DeclineStolenCard, "CARD_LOST_OR_STOLEN"},
	{sdk.DeclineIncorrectCVC, "CVV_ERROR"},
	{sdk.DeclineExpiredCard, "EXPIRED_CARD"},
	{sdk.DeclineGeneric, "GENERAL_PAYMENT_PROCESSING_ERROR PROCESSING_GENERAL_DECLINE"},
	{sdk.DeclineFraud, "HIGH_RISK_ERROR"},
	{sdk.DeclineIncorrectNumber, "INCORRECT_INFORMATION INVALID_CARD_NUMBER INVALID_CARD_TYPE"},
	{sdk.DeclineInvalidMerchant, "INCORRECT_SETUP MERCHANT_CONFIGURATION_ERROR UNAUTHORIZED"},
	{sdk.DeclineInsufficientFunds, "INSUFFICIENT_FUNDS"},
	{sdk.DeclineCurrency, "INVALID_CURRENCY"},
	{sdk.DeclineLimitExceeded, "LIMIT_EXCEEDED"},
	{sdk.DeclinePickUpCard, "PICKUP_CARD"},
	{sdk.DeclineDuplicate, "PROCESSING_DUPLICATE"},
	{sdk.DeclineIssuerUnavailable, "PROCESSING_TIMEOUT THE_ISSUER_IS_UNAVAILABLE_OR_OFFLINE"},
	{sdk.DeclineRestrictedCard, "RESTRICTED_CARD"},
	{sdk.DeclineAuthenticationFailed, "THREE_D_SECURE_FAILURE"},
	{sdk.DeclineAuthenticationNeeded, "THREE_D_SECURITY_AUTHENTICATION_REQUIRED"},
	{sdk.DeclineProcessingError, "AUTHORIZATION_AMOUNT_ALREADY_REVERSED AUTHORIZATION_EXPIRED AUTHORIZATION_NOT_FOUND BLS_CONNECTION_PROBLEM NO_AVAILABLE_PROCESSORS " +
		"PAYMENT_GENERAL_FAILURE REFUND_FAILED SYSTEM_TECHNICAL_ERROR TRANSACTION_ALREADY_CAPTURED TRANSACTION_NOT_FOUND VALIDATION_GENERAL_FAILURE"},
}

func declineOf(code, name, text string) *sdk.Decline {
	return sdk.NewDecline(code, cmp.Or(text, name), reasons.Of(name))
}
