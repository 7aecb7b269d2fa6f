package bluesnap

import "payswitch/sdk"

// reasons are the names of BlueSnap's errors (Card Transaction Errors). Their codes say less: 14002 is every refusal of a processor.
var reasons = []struct {
	name   string
	reason sdk.DeclineReason
}{
	{"ACCOUNT_CLOSED", sdk.DeclineClosedAccount},
	{"AUTHORIZATION_AMOUNT_ALREADY_REVERSED", sdk.DeclineProcessingError},
	{"AUTHORIZATION_AMOUNT_NOT_VALID", sdk.DeclineInvalidAmount},
	{"AUTHORIZATION_EXPIRED", sdk.DeclineProcessingError},
	{"AUTHORIZATION_NOT_FOUND", sdk.DeclineProcessingError},
	{"AUTHORIZATION_REVOKED", sdk.DeclineStopRecurring},
	{"BLS_CONNECTION_PROBLEM", sdk.DeclineProcessingError},
	{"CALL_ISSUER", sdk.DeclineDoNotHonor},
	{"CARD_LOST_OR_STOLEN", sdk.DeclineStolenCard},
	{"CVV_ERROR", sdk.DeclineIncorrectCVC},
	{"DO_NOT_HONOR", sdk.DeclineDoNotHonor},
	{"EXPIRED_CARD", sdk.DeclineExpiredCard},
	{"GENERAL_PAYMENT_PROCESSING_ERROR", sdk.DeclineGeneric},
	{"HIGH_RISK_ERROR", sdk.DeclineFraud},
	{"INCORRECT_INFORMATION", sdk.DeclineIncorrectNumber},
	{"INCORRECT_SETUP", sdk.DeclineInvalidMerchant},
	{"INSUFFICIENT_FUNDS", sdk.DeclineInsufficientFunds},
	{"INVALID_CARD_NUMBER", sdk.DeclineIncorrectNumber},
	{"INVALID_CARD_TYPE", sdk.DeclineIncorrectNumber},
	{"INVALID_CURRENCY", sdk.DeclineCurrency},
	{"LIMIT_EXCEEDED", sdk.DeclineLimitExceeded},
	{"MERCHANT_CONFIGURATION_ERROR", sdk.DeclineInvalidMerchant},
	{"NO_AVAILABLE_PROCESSORS", sdk.DeclineProcessingError},
	{"PAYMENT_GENERAL_FAILURE", sdk.DeclineProcessingError},
	{"PICKUP_CARD", sdk.DeclinePickUpCard},
	{"PROCESSING_AMOUNT_ERROR", sdk.DeclineInvalidAmount},
	{"PROCESSING_DUPLICATE", sdk.DeclineDuplicate},
	{"PROCESSING_GENERAL_DECLINE", sdk.DeclineGeneric},
	{"PROCESSING_TIMEOUT", sdk.DeclineIssuerUnavailable},
	{"REFUND_FAILED", sdk.DeclineProcessingError},
	{"RESTRICTED_CARD", sdk.DeclineRestrictedCard},
	{"SYSTEM_TECHNICAL_ERROR", sdk.DeclineProcessingError},
	{"THE_ISSUER_IS_UNAVAILABLE_OR_OFFLINE", sdk.DeclineIssuerUnavailable},
	{"THREE_D_SECURE_FAILURE", sdk.DeclineAuthenticationFailed},
	{"THREE_D_SECURITY_AUTHENTICATION_REQUIRED", sdk.DeclineAuthenticationNeeded},
	{"TRANSACTION_ALREADY_CAPTURED", sdk.DeclineProcessingError},
	{"TRANSACTION_NOT_FOUND", sdk.DeclineProcessingError},
	{"UNAUTHORIZED", sdk.DeclineInvalidMerchant},
	{"VALIDATION_GENERAL_FAILURE", sdk.DeclineProcessingError},
}

func declineOf(code, name, text string) *sdk.Decline {
	d := &sdk.Decline{Code: code, Message: text, Reason: sdk.DeclineGeneric}
	if d.Message == "" {
		d.Message = name
	}
	for i := range reasons {
		if reasons[i].name == name {
			d.Reason = reasons[i].reason
		}
	}
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
	return d
}

func refused(d *sdk.Decline) *sdk.Outcome {
	return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: d}
}
