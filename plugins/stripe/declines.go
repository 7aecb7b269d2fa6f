package stripe

import "payswitch/sdk"

// refusal reads an error of Stripe's. An error is a refusal only where it says that nothing was done and will be.
func refusal(answer *sdk.Response) *sdk.Outcome {
	e := answer.JSON().Get("error")
	switch kind := e.Str("type"); {
	case answer.Status < 400 || answer.Status >= 500, answer.Status == 409, answer.Status == 429: // of 409 and 429 the first request is still to be answered
		return unknown(answer)
	case kind != "card_error" && kind != "invalid_request_error": // api_error; idempotency_error: the key has been used for something else
		return unknown(answer)
	}
	o := sdk.Declined(decline(e, ""))
	o.TransactionID, o.Raw = e.First("payment_intent.id", "setup_intent.id"), e.Pick("type", "decline_code", "param", "charge")
	if answer.Status == 401 || answer.Status == 403 {
		o.Decline.Reason = sdk.DeclineInvalidMerchant
		o.Decline.RetryElsewhere = true
	}
	return o
}

// unknown is what an answer without evidence means.
func unknown(answer *sdk.Response) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusUnknown, Raw: answer.JSON().Get("error").Pick("type", "code")}
	o.Raw["http_status"] = sdk.Decimal(int64(answer.Status), 0)
	return o
}

// missing says that Stripe has no object of that id.
func missing(answer *sdk.Response) bool {
	return answer.Status == 404 && answer.JSON().Str("error.code") == "resource_missing"
}

// decline reads an error object; code is what stands for one that is missing.
func decline(e sdk.JSON, code string) *sdk.Decline {
	reason := reasons.Of(e.First("decline_code", "code"))
	switch {
	case reason != "":
	case e.Str("type") == "card_error", e.Str("code") == "" && code != "":
		reason = sdk.DeclineGeneric
	default:
		reason = sdk.DeclineProcessingError
	}
	d := sdk.NewDecline(e.Str("code"), e.Str("message"), reason)
	switch d.NetworkCode, d.AdviceCode = e.Str("network_decline_code"), e.Str("network_advice_code"); {
	case d.Code == "" && code != "":
		d.Code, d.Message = code, code
	case d.Code == "":
		d.Code = e.Str("type")
	}
	return d
}

// reasons are ours for Stripe's decline codes, and for the error and failure codes that stand where there is none.
var reasons = sdk.Reasons{
	{sdk.DeclineGeneric, "generic_decline card_declined"},
	{sdk.DeclineDoNotHonor, "approve_with_id call_issuer do_not_honor do_not_try_again no_action_taken not_permitted"},
	{sdk.DeclineInsufficientFunds, "insufficient_funds withdrawal_count_limit_exceeded"},
	{sdk.DeclineLostCard, "lost_card lost_or_stolen_card"},
	{sdk.DeclineStolenCard, "stolen_card"},
	{sdk.DeclinePickUpCard, "pickup_card"},
	{sdk.DeclineExpiredCard, "expired_card expired_or_canceled_card"},
	{sdk.DeclineIncorrectNumber, "incorrect_number invalid_number new_account_information_available"},
	{sdk.DeclineIncorrectCVC, "incorrect_cvc invalid_cvc"},
	{sdk.DeclineIncorrectExpiry, "invalid_expiry_month invalid_expiry_year"},
	{sdk.DeclineIncorrectAddress, "incorrect_address incorrect_zip"},
	{sdk.DeclineInvalidAmount, "invalid_amount amount_too_large amount_too_small"},
	{sdk.DeclineLimitExceeded, "card_velocity_exceeded card_decline_rate_limit_exceeded"},
	{sdk.DeclineNotPermitted, "service_not_allowed testmode_decline transaction_not_allowed charge_for_pending_refund_disputed offline_pin_required online_or_offline_pin_required"},
	{sdk.DeclineRestrictedCard, "restricted_card"},
	{sdk.DeclineClosedAccount, "invalid_account"},
	{sdk.DeclineIssuerUnavailable, "issuer_not_available"},
	{sdk.DeclineProcessingError, "processing_error"},
	{sdk.DeclineFraud, "fraudulent"},
	{sdk.DeclineSecurityViolation, "incorrect_pin invalid_pin pin_try_exceeded security_violation"},
	{sdk.DeclineAuthenticationNeeded, "authentication_required mobile_device_authentication_required"},
	{sdk.DeclineAuthenticationFailed, "authentication_not_handled payment_intent_authentication_failure setup_intent_authentication_failure"},
	{sdk.DeclineStopRecurring, "revocation_of_all_authorizations revocation_of_authorization stop_payment_order"},
	{sdk.DeclineDuplicate, "duplicate_transaction"},
	{sdk.DeclineCurrency, "currency_not_supported"},
	{sdk.DeclineCardNotSupported, "card_not_supported"},
	{sdk.DeclineTryLater, "reenter_transaction try_again_later"},
	{sdk.DeclineInvalidMerchant, "platform_api_key_expired account_invalid testmode_charges_only"},
	{sdk.DeclineBlocked, "highest_risk_level merchant_blacklist merchant_request"},
}
