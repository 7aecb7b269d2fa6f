package adyen

import "payswitch/sdk"

// refusalReasons are refusalReasonCode (docs.adyen.com/development-resources/refusal-reasons).
var refusalReasons = sdk.Reasons{
	{sdk.DeclineGeneric, "2:Refused 3:Referral 27:Declined_Non_Generic"},
	{sdk.DeclineProcessingError, "4:Acquirer_Error 21:Not_Submitted"},
	{sdk.DeclineRestrictedCard, "5:Blocked_Card 25:Restricted_Card"},
	{sdk.DeclineExpiredCard, "6:Expired_Card"},
	{sdk.DeclineInvalidAmount, "7:Invalid_Amount"},
	{sdk.DeclineIncorrectNumber, "8:Invalid_Card_Number"},
	{sdk.DeclineIssuerUnavailable, "9:Issuer_Unavailable"},
	{sdk.DeclineNotPermitted, "10:Not_supported 23:Transaction_Not_Permitted"},
	{sdk.DeclineAuthenticationFailed, "11:3D_Not_Authenticated 39:RReq_not_received_from_DS"},
	{sdk.DeclineInsufficientFunds, "12:Not_enough_balance"},
	{sdk.DeclineFraud, "14:Acquirer_Fraud 20:FRAUD 22:FRAUD-CANCELLED 31:Issuer_Suspected_Fraud"},
	{sdk.DeclineAbandoned, "15:Cancelled 16:Shopper_Cancelled"},
	{sdk.DeclineSecurityViolation, "17:Invalid_Pin 18:Pin_tries_exceeded 19:Pin_validation_not_possible"},
	{sdk.DeclineIncorrectCVC, "24:CVC_Declined"},
	{sdk.DeclineBlocked, "46:blocked_by_Adyen_to_prevent_excessive_retry_fees"},
	{sdk.DeclineStopRecurring, "26:Revocation_Of_Auth"},
	{sdk.DeclineLimitExceeded, "28:Withdrawal_amount_exceeded 29:Withdrawal_count_exceeded"},
	{sdk.DeclineIncorrectAddress, "32:AVS_Declined"},
	{sdk.DeclineAuthenticationNeeded, "38:Authentication_required 42:step-up_needed"},
}

// errorReasons are errorCode of a 4xx (docs.adyen.com/development-resources/error-codes).
var errorReasons = sdk.Reasons{
	{sdk.DeclineInvalidMerchant, "010:Not_allowed 901:Invalid_merchant_account"},
	{sdk.DeclineInvalidAmount, "100:No_amount_specified 137:Invalid_amount_specified"},
	{sdk.DeclineIncorrectNumber, "101:Invalid_card_number"},
	{sdk.DeclineIncorrectCVC, "103:CVC_is_not_the_right_length"},
	{sdk.DeclineIncorrectAddress, "104:Billing_address_problem 117:Invalid_billing_address"},
	{sdk.DeclineAuthenticationFailed, "105:Invalid_PaRes_from_issuer"},
	{sdk.DeclineIncorrectExpiry, "129:Expiry_date_invalid 140:Invalid_expiry_month_or_year 141"},
	{sdk.DeclineCurrency, "138:Unsupported_currency_specified"},
	{sdk.DeclineCardNotSupported, "905:Payment_details_are_not_supported"},
}

// errorTypes are errorType where the code says nothing more.
var errorTypes = sdk.Reasons{{sdk.DeclineInvalidMerchant, "security configuration"}}
