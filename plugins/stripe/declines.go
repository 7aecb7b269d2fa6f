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
	o := &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: e.Str("payment_intent.id"), Raw: raw(e, "type", "decline_code", "param", "charge"),
		Decline: decline(e, "")}
	if o.TransactionID == "" {
		o.TransactionID = e.Str("setup_intent.id")
	}
	if answer.Status == 401 || answer.Status == 403 {
		o.Decline.Reason = sdk.DeclineInvalidMerchant
		o.Decline.RetryElsewhere = true
	}
	return o
}

// unknown is what an answer without evidence means.
func unknown(answer *sdk.Response) *sdk.Outcome {
	o := &sdk.Outcome{Status: sdk.StatusUnknown, Raw: raw(answer.JSON().Get("error"), "type", "code")}
	o.Raw["http_status"] = sdk.Decimal(int64(answer.Status), 0)
	return o
}

// missing says that Stripe has no object of that id.
func missing(answer *sdk.Response) bool {
	return answer.Status == 404 && answer.JSON().Str("error.code") == "resource_missing"
}

// decline reads an error object; code is what stands for one that is missing.
func decline(e sdk.JSON, code string) *sdk.Decline {
	d := &sdk.Decline{Code: e.Str("code"), Message: e.Str("message"), NetworkCode: e.Str("network_decline_code"), AdviceCode: e.Str("network_advice_code"),
		Reason: sdk.DeclineProcessingError}
	why := e.Str("decline_code")
	if why == "" {
		why = d.Code
	}
	switch {
	case d.Code == "" && code != "":
		d.Code, d.Message, d.Reason = code, code, sdk.DeclineGeneric
	case d.Code == "":
		d.Code = e.Str("type")
	}
	if r, ok := reasons[why]; ok {
		d.Reason = r
	} else if e.Str("type") == "card_error" {
		d.Reason = sdk.DeclineGeneric
	}
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
	return d
}

func reasonOf(code string) sdk.DeclineReason {
	if r, ok := reasons[code]; ok {
		return r
	}
	return sdk.DeclineGeneric
}

// reasons are ours for Stripe's decline codes, and for the error and failure codes that stand where there is none.
var reasons = map[string]sdk.DeclineReason{
	"approve_with_id":                       sdk.DeclineDoNotHonor,
	"authentication_not_handled":            sdk.DeclineAuthenticationFailed,
	"authentication_required":               sdk.DeclineAuthenticationNeeded,
	"call_issuer":                           sdk.DeclineDoNotHonor,
	"card_not_supported":                    sdk.DeclineCardNotSupported,
	"card_velocity_exceeded":                sdk.DeclineLimitExceeded,
	"currency_not_supported":                sdk.DeclineCurrency,
	"do_not_honor":                          sdk.DeclineDoNotHonor,
	"do_not_try_again":                      sdk.DeclineDoNotHonor,
	"duplicate_transaction":                 sdk.DeclineDuplicate,
	"expired_card":                          sdk.DeclineExpiredCard,
	"fraudulent":                            sdk.DeclineFraud,
	"generic_decline":                       sdk.DeclineGeneric,
	"highest_risk_level":                    sdk.DeclineBlocked,
	"incorrect_address":                     sdk.DeclineIncorrectAddress,
	"incorrect_cvc":                         sdk.DeclineIncorrectCVC,
	"incorrect_number":                      sdk.DeclineIncorrectNumber,
	"incorrect_pin":                         sdk.DeclineSecurityViolation,
	"incorrect_zip":                         sdk.DeclineIncorrectAddress,
	"insufficient_funds":                    sdk.DeclineInsufficientFunds,
	"invalid_account":                       sdk.DeclineClosedAccount,
	"invalid_amount":                        sdk.DeclineInvalidAmount,
	"invalid_cvc":                           sdk.DeclineIncorrectCVC,
	"invalid_expiry_month":                  sdk.DeclineIncorrectExpiry,
	"invalid_expiry_year":                   sdk.DeclineIncorrectExpiry,
	"invalid_number":                        sdk.DeclineIncorrectNumber,
	"issuer_not_available":                  sdk.DeclineIssuerUnavailable,
	"lost_card":                             sdk.DeclineLostCard,
	"merchant_blacklist":                    sdk.DeclineBlocked,
	"new_account_information_available":     sdk.DeclineIncorrectNumber,
	"no_action_taken":                       sdk.DeclineDoNotHonor,
	"not_permitted":                         sdk.DeclineDoNotHonor,
	"pickup_card":                           sdk.DeclinePickUpCard,
	"processing_error":                      sdk.DeclineProcessingError,
	"reenter_transaction":                   sdk.DeclineTryLater,
	"restricted_card":                       sdk.DeclineRestrictedCard,
	"revocation_of_all_authorizations":      sdk.DeclineStopRecurring,
	"revocation_of_authorization":           sdk.DeclineStopRecurring,
	"security_violation":                    sdk.DeclineSecurityViolation,
	"service_not_allowed":                   sdk.DeclineNotPermitted,
	"stolen_card":                           sdk.DeclineStolenCard,
	"stop_payment_order":                    sdk.DeclineStopRecurring,
	"testmode_decline":                      sdk.DeclineNotPermitted,
	"transaction_not_allowed":               sdk.DeclineNotPermitted,
	"try_again_later":                       sdk.DeclineTryLater,
	"withdrawal_count_limit_exceeded":       sdk.DeclineInsufficientFunds,
	"amount_too_large":                      sdk.DeclineInvalidAmount,
	"amount_too_small":                      sdk.DeclineInvalidAmount,
	"card_declined":                         sdk.DeclineGeneric,
	"payment_intent_authentication_failure": sdk.DeclineAuthenticationFailed,
	"setup_intent_authentication_failure":   sdk.DeclineAuthenticationFailed,
	"expired_or_canceled_card":              sdk.DeclineExpiredCard,
	"lost_or_stolen_card":                   sdk.DeclineLostCard,
	"charge_for_pending_refund_disputed":    sdk.DeclineNotPermitted,
	"platform_api_key_expired":              sdk.DeclineInvalidMerchant,
	"account_invalid":                       sdk.DeclineInvalidMerchant,
	"testmode_charges_only":                 sdk.DeclineInvalidMerchant,
	"merchant_request":                      sdk.DeclineBlocked,
}
