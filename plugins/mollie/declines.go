package mollie

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

// reasons of declined card payments: details.failureReason and statusReason.code (docs.mollie.com, "Handling errors", "Status reasons").
var reasons = map[string]sdk.DeclineReason{
	"authentication_abandoned":       sdk.DeclineAbandoned,
	"authentication_failed":          sdk.DeclineAuthenticationFailed,
	"authentication_required":        sdk.DeclineAuthenticationNeeded,
	"authentication_unavailable_acs": sdk.DeclineAuthenticationFailed,
	"card_declined":                  sdk.DeclineGeneric,
	"card_expired":                   sdk.DeclineExpiredCard,
	"inactive_card":                  sdk.DeclineRestrictedCard,
	"insufficient_funds":             sdk.DeclineInsufficientFunds,
	"invalid_card_holder_name":       sdk.DeclineIncorrectNumber,
	"invalid_card_number":            sdk.DeclineIncorrectNumber,
	"invalid_card_type":              sdk.DeclineCardNotSupported,
	"invalid_cvv":                    sdk.DeclineIncorrectCVC,
	"possible_fraud":                 sdk.DeclineFraud,
	"refused_by_issuer":              sdk.DeclineDoNotHonor,
	"unknown_reason":                 sdk.DeclineGeneric,
	// Statuses that say themselves why there is no payment.
	"canceled": sdk.DeclineAbandoned,
	"expired":  sdk.DeclineAbandoned,
}

// fields of a request that Mollie may find wrong.
var fields = map[string]sdk.DeclineReason{
	"amount": sdk.DeclineInvalidAmount, "amount.value": sdk.DeclineInvalidAmount, "amount.currency": sdk.DeclineCurrency,
	"cardNumber": sdk.DeclineIncorrectNumber, "cardCvv": sdk.DeclineIncorrectCVC, "cardExpiryDate": sdk.DeclineIncorrectExpiry,
	"method": sdk.DeclineCardNotSupported,
}

// reasonOf is why an object of Mollie's ended badly; its status where it does not tell.
func reasonOf(j sdk.JSON, status string) *sdk.Decline {
	code, text := j.Str("details.failureReason"), j.Str("details.failureMessage")
	if code == "" {
		code, text = j.Str("statusReason.code"), j.Str("statusReason.message")
	}
	if code == "" {
		code, text = status, status
	}
	reason, known := reasons[code]
	if !known {
		reason = sdk.DeclineGeneric
	}
	return decline(code, text, reason)
}

// refusal reads Mollie's own error object, {"status":422,"title":…,"detail":…,"field":…}; nil where the answer is none, or one that
// does not say that nothing was done: 408, 409 (the same key is being worked on) and 5xx.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	title := j.Str("title")
	if answer.Status < 400 || answer.Status > 499 || answer.Status == 408 || answer.Status == 409 || title == "" || j.Number("status") != strconv.Itoa(answer.Status) {
		return nil
	}
	reason, known := fields[j.Str("field")]
	switch {
	case answer.Status == 401, answer.Status == 403:
		reason = sdk.DeclineInvalidMerchant
	case answer.Status == 429:
		reason = sdk.DeclineTryLater
	case !known:
		reason = sdk.DeclineProcessingError
	}
	return decline(title, cmp.Or(j.Str("detail"), title), reason)
}

func decline(code, text string, reason sdk.DeclineReason) *sdk.Decline {
	facts, _ := reason.Facts()
	return &sdk.Decline{Code: code, Message: cmp.Or(text, code), Reason: reason, RetryElsewhere: facts.RetryElsewhere}
}
