package mollie

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

// reasons of declined card payments: details.failureReason and statusReason.code (docs.mollie.com, "Handling errors", "Status reasons").
var reasons = sdk.Reasons{
	{sdk.DeclineAbandoned, "authentication_abandoned canceled expired"}, // the last two are statuses, which say themselves why there is no payment
	{sdk.DeclineAuthenticationFailed, "authentication_failed authentication_unavailable_acs"},
	{sdk.DeclineAuthenticationNeeded, "authentication_required"},
	{sdk.DeclineGeneric, "card_declined unknown_reason"},
	{sdk.DeclineExpiredCard, "card_expired"},
	{sdk.DeclineRestrictedCard, "inactive_card"},
	{sdk.DeclineInsufficientFunds, "insufficient_funds"},
	{sdk.DeclineIncorrectNumber, "invalid_card_holder_name invalid_card_number"},
	{sdk.DeclineCardNotSupported, "invalid_card_type"},
	{sdk.DeclineIncorrectCVC, "invalid_cvv"},
	{sdk.DeclineFraud, "possible_fraud"},
	{sdk.DeclineDoNotHonor, "refused_by_issuer"},
}

// fields of a request that Mollie may find wrong.
var fields = sdk.Reasons{
	{sdk.DeclineInvalidAmount, "amount amount.value"},
	{sdk.DeclineCurrency, "amount.currency"},
	{sdk.DeclineIncorrectNumber, "cardNumber"},
	{sdk.DeclineIncorrectCVC, "cardCvv"},
	{sdk.DeclineIncorrectExpiry, "cardExpiryDate"},
	{sdk.DeclineCardNotSupported, "method"},
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
	return sdk.NewDecline(code, cmp.Or(text, code), reasons.Of(code))
}

// refusal reads Mollie's own error object, {"status":422,"title":…,"detail":…,"field":…}; nil where the answer is none, or one that
// does not say that nothing was done: 408, 409 (the same key is being worked on) and 5xx.
func refusal(answer *sdk.Response) *sdk.Decline {
	j := answer.JSON()
	title := j.Str("title")
	if answer.Status < 400 || answer.Status > 499 || answer.Status == 408 || answer.Status == 409 || title == "" || j.Number("status") != strconv.Itoa(answer.Status) {
		return nil
	}
	reason := cmp.Or(fields.Of(j.Str("field")), sdk.DeclineProcessingError)
	switch answer.Status {
	case 401, 403:
		reason = sdk.DeclineInvalidMerchant
	case 429:
		reason = sdk.DeclineTryLater
	}
	return sdk.NewDecline(title, cmp.Or(j.Str("detail"), title), reason)
}
