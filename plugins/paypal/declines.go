package paypal

import (
	"cmp"

	"payswitch/sdk"
)

// responseCodes are the codes of processor_response that say more than that the card was declined, with PayPal's names of them.
var responseCodes = sdk.Reasons{
	{sdk.DeclineDoNotHonor, "0500:DO_NOT_HONOR 9540:REFUSED_CARD 10BR:ISSUER_REJECTED PPSE:AMEX_DENIED"},
	{sdk.DeclineInsufficientFunds, "5120:INSUFFICIENT_FUNDS"},
	{sdk.DeclineLostCard, "9520:LOST_OR_STOLEN"},
	{sdk.DeclineExpiredCard, "5400:EXPIRED_CARD PPEX:EXPIRY_DATE PPEF:EXPIRED_FUNDING_INSTRUMENT"},
	{sdk.DeclineIncorrectExpiry, "1380:INVALID_EXPIRATION"},
	{sdk.DeclineIncorrectNumber, "1330:INVALID_ACCOUNT 0330:INVALID_ACCOUNT 0390:ACCOUNT_NOT_FOUND 6300:ACCOUNT_NOT_ON_FILE 7800:BIN_ERROR PPFI:INVALID_FUNDING_INSTRUMENT"},
	{sdk.DeclineClosedAccount, "5140:CARD_CLOSED"},
	{sdk.DeclineIncorrectCVC, "5110:CVV2_FAILURE 00N7:CVV2_FAILURE_POSSIBLE_RETRY_WITH_CVV 1382:INVALID_CARD_VERIFICATION_VALUE PCVV:CVV_FAILURE PPC2:ARC_CVV"},
	{sdk.DeclineIncorrectAddress, "5170:AVS_FAILURE 5190:SOFT_AVS PPAD:BILLING_ADDRESS PPAV:ARC_AVS"},
	{sdk.DeclineLimitExceeded, "5150: 5710:TX_ATTEMPTS_EXCEED_LIMIT PPAX:AMOUNT_EXCEEDED PPEL:EXCEEDS_FREQUENCY_LIMIT PPNL:EXCEEDS_NETWORK_FREQUENCY_LIMIT"},
	{sdk.DeclineInvalidAmount, "1310:INVALID_AMOUNT PPAI:AMOUNT_INCOMPATIBLE"},
	{sdk.DeclineRestrictedCard, "5180:INVALID_OR_RESTRICTED_CARD 1352:RESTRICTED_OR_INACTIVE_ACCOUNT 5930:CARD_NOT_ACTIVATED PPFR:RESTRICTED_FUNDING_INSTRUMENT PPAB:ACCOUNT_BLOCKED_BY_ISSUER PPCO:COUNTRY"},
	{sdk.DeclineNotPermitted, "5160:UNAUTHORIZED_USER 5210:INVALID_TRANSACTION 8030:UNSUPPORTED_OPERATION PPTT:TRANSACTION_TYPE_UNSUPPORTED"},
	{sdk.DeclineStopRecurring, "1335:INVALID_ACCOUNT_RECURRING 0R00:CANCELLED_PAYMENT PPRN:REATTEMPT_NOT_PERMITTED"},
	{sdk.DeclineCardNotSupported, "PPCT:CARD_TYPE_UNSUPPORTED PPAE:AMEX_DISABLED PPDI:DINERS_REJECT PPMC:BLOCKED_Mastercard"},
	{sdk.DeclineCurrency, "1320:INVALID_CURRENCY_CODE PPCU:CURRENCY_USED_INVALID PPUC:CURRENCY_CODE_UNSUPPORTED PPVC:VALIDATE_CURRENCY"},
	{sdk.DeclineInvalidMerchant, "1340:INVALID_TERMINAL 1350:INVALID_MERCHANT 1370:INVALID_MCC 8020:CONFIGURATION_ERROR PPAU:MCC_CODE PPNM:NO_MID_FOUND PPRR:MERCHANT_NOT_REGISTERED PPUA:USER_NOT_AUTHORIZED"},
	{sdk.DeclineDuplicate, "5200:DUPLICATE_TRANSACTION"},
	{sdk.DeclineFraud, "9500:SUSPECTED_FRAUD PPSC:ARC_SCORE"},
	{sdk.DeclineSecurityViolation, "9510:SECURITY_VIOLATION 0880:CRYPTOGRAPHIC_FAILURE"},
	{sdk.DeclineAuthenticationNeeded, "5650:DECLINED_SCA_REQUIRED PCNR:CONTINGENCIES_NOT_RESOLVED"},
	{sdk.DeclineAuthenticationFailed, "7700:ERROR_3DS 7710:AUTHENTICATION_FAILED PPD3:SECURE_ERROR_3DS"},
	{sdk.DeclineIssuerUnavailable, "5910:ISSUER_NOT_AVAILABLE_NOT_RETRIABLE 5920:ISSUER_NOT_AVAILABLE_RETRIABLE 9100:DECLINED_PLEASE_RETRY"},
	{sdk.DeclineProcessingError, "0100:REFERRAL 0800:BAD_RESPONSE_REVERSAL_REQUIRED 0960:SYSTEM_MALFUNCTION 1300:INVALID_DATA_FORMAT 8000:PROCESSOR_SYSTEM_ERROR " +
		"8010:HOST_KEY_ERROR 8100:FATAL_COMMUNICATION_ERROR 8110:RETRIABLE_COMMUNICATION_ERROR 8220:SYSTEM_UNAVAILABLE 9600:UNRECOGNIZED_RESPONSE_CODE " +
		"PPER:INTERNAL_SYSTEM_ERROR PPNT:NETWORK_ERROR PPIF:IDEMPOTENCY_FAILURE"},
	{sdk.DeclineGeneric, "5100:GENERIC_DECLINE 0580:UNAUTHORIZED_TRANSACTION"},
}

// declineOf is why a payment was declined, by what PayPal said of it: the card's response code, else the reason of its status.
func declineOf(raw map[string]string) *sdk.Decline {
	code, reason := raw["response_code"], responseCodes.Of(raw["response_code"])
	if code == "" || code == "0000" { // approved by the issuer, and refused all the same
		code = cmp.Or(raw["reason"], raw["status"])
		reason = cmp.Or(responseCodes.Of(code), issues.Of(code))
	}
	d := sdk.NewDecline(code, cmp.Or(raw["reason"], responseCodes.Name(code), raw["status"]), reason)
	d.AdviceCode = raw["payment_advice_code"]
	return d
}

// issues are PayPal's names of what is wrong with a request, in errors and in status_details.
var issues = sdk.Reasons{
	{sdk.DeclineExpiredCard, "CARD_EXPIRED"},
	{sdk.DeclineClosedAccount, "CARD_CLOSED PAYER_ACCOUNT_LOCKED_OR_CLOSED"},
	{sdk.DeclineIncorrectNumber, "INVALID_ACCOUNT_NUMBER INVALID_CARD_NUMBER"},
	{sdk.DeclineIncorrectCVC, "CVV_FAILURE INVALID_SECURITY_CODE_LENGTH"},
	{sdk.DeclineIncorrectExpiry, "INVALID_EXPIRY_DATE"},
	{sdk.DeclineIncorrectAddress, "BILLING_ADDRESS_INVALID AVS_FAILURE"},
	{sdk.DeclineDoNotHonor, "INSTRUMENT_DECLINED DECLINED_BY_ISSUER PAYMENT_DENIED DECLINED_BY_PROCESSOR"},
	{sdk.DeclineNotPermitted, "PAYER_CANNOT_PAY PAYER_ACCOUNT_RESTRICTED PERMISSION_DENIED MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED"},
	{sdk.DeclineLimitExceeded, "TRANSACTION_LIMIT_EXCEEDED TRANSACTION_AMOUNT_EXCEEDS_MONTHLY_MAX_LIMIT"},
	{sdk.DeclineFraud, "TRANSACTION_BLOCKED_BY_RISK DECLINED_BY_RISK_FRAUD_FILTERS"},
	{sdk.DeclineBlocked, "TRANSACTION_REFUSED COMPLIANCE_VIOLATION TRANSACTION_BLOCKED_BY_PAYEE"},
	{sdk.DeclineAuthenticationNeeded, "PAYER_ACTION_REQUIRED CONTINGENCY_UNRESOLVED"},
	{sdk.DeclineAuthenticationFailed, "AUTHENTICATION_FAILED 3DS_VALIDATION_FAILED"},
	{sdk.DeclineCardNotSupported, "CARD_TYPE_NOT_SUPPORTED CARD_BRAND_NOT_SUPPORTED PAYMENT_SOURCE_NOT_SUPPORTED"},
	{sdk.DeclineCurrency, "CURRENCY_NOT_SUPPORTED CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE CURRENCY_NOT_SUPPORTED_FOR_COUNTRY UNSUPPORTED_INTENT_FOR_CURRENCY"},
	{sdk.DeclineInvalidAmount, "MAX_CAPTURE_AMOUNT_EXCEEDED REFUND_AMOUNT_EXCEEDED CAPTURE_AMOUNT_EXCEEDED DECIMAL_PRECISION AMOUNT_MISMATCH ITEM_TOTAL_MISMATCH"},
	{sdk.DeclineInvalidMerchant, "AUTHENTICATION_FAILURE NOT_AUTHORIZED invalid_token PAYEE_NOT_ENABLED_FOR_CARD_PROCESSING PAYEE_ACCOUNT_RESTRICTED PAYEE_ACCOUNT_LOCKED_OR_CLOSED " +
		"INVALID_ACCOUNT_STATUS NOT_ENABLED_FOR_CARD_PROCESSING NOT_ENABLED_TO_VAULT_PAYMENT_SOURCE"},
	{sdk.DeclineTryLater, "RATE_LIMIT_REACHED"},
	{sdk.DeclineProcessingError, "INVALID_REQUEST INTERNAL_SERVER_ERROR"},
}

// inDoubt says that another request of the same payment has been or is being worked on: this error is no answer to that one.
func inDoubt(issue string) bool {
	switch issue {
	case "PREVIOUS_REQUEST_IN_PROGRESS", "DUPLICATE_INVOICE_ID", "DUPLICATE_REQUEST_ID", "ORDER_ALREADY_CAPTURED", "ORDER_ALREADY_AUTHORIZED",
		"ORDER_ALREADY_COMPLETED", "ORDER_COMPLETION_IN_PROGRESS", "AUTHORIZATION_ALREADY_CAPTURED":
		return true
	}
	return false
}

// refused reads an answer that is not what was asked for. PayPal's own error with a 4xx is a refusal; everything else decides nothing.
func refused(a *sdk.Response) (*sdk.Outcome, error) {
	j := a.JSON()
	name, issue, message := j.Str("name"), j.Str("details.0.issue"), j.Str("details.0.description")
	if name == "" && a.Status == 401 { // errors of OAuth have another form
		name, message = j.Str("error"), j.Str("error_description")
	}
	if !a.Refuses() || name == "" || inDoubt(issue) {
		return nil, undecided(a)
	}
	o := sdk.Declined(sdk.NewDecline(cmp.Or(issue, name), cmp.Or(message, j.Str("message")), cmp.Or(issues.Of(issue), issues.Of(name))))
	o.Raw = map[string]string{"name": name, "debug_id": j.Str("debug_id")}
	return o, nil
}
