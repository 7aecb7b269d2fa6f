package simulator

import "payswitch/sdk"

// refusal is the simulated processor's answer for one reason. Its words follow the processor whose test cards these
// are.
type refusal struct {
	reason    sdk.DeclineReason
	code      string
	name      string // the processor's finer code
	text      string
	network   string // ISO 8583 response code; "" if the issuer was not asked
	advice    string // merchant advice code
	elsewhere bool   // another processor may approve the same card
}

// declined is the text of refusals that a processor does not explain to the payer.
const declined = "Your card was declined."

// declines has every reason once, in the order of the amounts. Append only.
var declines = [...]refusal{
	{sdk.DeclineGeneric, "card_declined", "generic_decline", declined, "05", "", false},
	{sdk.DeclineDoNotHonor, "card_declined", "do_not_honor", declined, "05", "", false},
	{sdk.DeclineInsufficientFunds, "card_declined", "insufficient_funds", "Your card has insufficient funds.", "51", "",
		false},
	{sdk.DeclineLostCard, "card_declined", "lost_card", declined, "41", "", false},
	{sdk.DeclineStolenCard, "card_declined", "stolen_card", declined, "43", "", false},
	{sdk.DeclinePickUpCard, "card_declined", "pickup_card", declined, "04", "", false},
	{sdk.DeclineExpiredCard, "expired_card", "expired_card", "Your card has expired.", "54", "", false},
	{sdk.DeclineIncorrectNumber, "incorrect_number", "incorrect_number", "Your card number is incorrect.", "14", "",
		false},
	{sdk.DeclineIncorrectCVC, "incorrect_cvc", "incorrect_cvc", "Your card's security code is incorrect.", "82", "",
		false},
	{sdk.DeclineIncorrectExpiry, "invalid_expiry_year", "invalid_expiry_year", "Your card's expiration date is incorrect.",
		"54", "", false},
	{sdk.DeclineIncorrectAddress, "incorrect_address", "incorrect_address", "Your card's address is incorrect.", "", "",
		false},
	{sdk.DeclineInvalidAmount, "card_declined", "invalid_amount", "The amount is not one that your card can pay.", "13",
		"", false},
	{sdk.DeclineLimitExceeded, "card_declined", "withdrawal_count_limit_exceeded", "Your card's limit is exceeded.", "61",
		"", false},
	{sdk.DeclineNotPermitted, "card_declined", "transaction_not_allowed",
		"Your card does not support this type of purchase.", "57", "", false},
	{sdk.DeclineRestrictedCard, "card_declined", "restricted_card", declined, "62", "", false},
	{sdk.DeclineClosedAccount, "card_declined", "invalid_account", "Your card's account is closed.", "46", "", false},
	{sdk.DeclineIssuerUnavailable, "card_declined", "issuer_not_available", "Your card's issuer could not be reached.",
		"91", "02", true},
	{sdk.DeclineProcessingError, "processing_error", "processing_error",
		"An error occurred while processing your card. Try again in a little bit.", "96", "02", true},
	{sdk.DeclineFraud, "card_declined", "fraudulent", declined, "59", "", false},
	{sdk.DeclineSecurityViolation, "card_declined", "security_violation", declined, "63", "", false},
	{sdk.DeclineAuthenticationNeeded, "authentication_required", "authentication_required",
		"Your card was declined. This transaction requires authentication.", "1A", "", false},
	{sdk.DeclineAuthenticationFailed, "authentication_failed", "authentication_failed",
		"The authentication of your card has failed.", "", "", false},
	{sdk.DeclineStopRecurring, "card_declined", "stop_payment_order",
		"Recurring payments with your card have been stopped.", "R1", "03", false},
	{sdk.DeclineDuplicate, "card_declined", "duplicate_transaction",
		"A payment of the same amount was made with this card very recently.", "94", "", false},
	{sdk.DeclineCurrency, "card_declined", "currency_not_supported", "Your card does not support the currency.", "", "",
		true},
	{sdk.DeclineCardNotSupported, "card_declined", "card_not_supported", "Your card is not supported.", "", "", true},
	{sdk.DeclineTryLater, "card_declined", "try_again_later", declined, "19", "02", true},
	{sdk.DeclineInvalidMerchant, "card_declined", "invalid_merchant", "The merchant's account does not take this card.",
		"03", "", true},
	{sdk.DeclineBlocked, "card_declined", "blocked_by_rule", declined, "", "", false},
	{sdk.DeclineAbandoned, "payment_abandoned", "payment_abandoned", "The payment was given up before it ended.", "", "",
		false},
}

// declineOf returns the refusal for a reason.
func declineOf(reason sdk.DeclineReason) *sdk.Decline {
	for i := range declines {
		if d := &declines[i]; d.reason == reason {
			return &sdk.Decline{Code: d.code, Message: "message - " + d.text + ", decline_code - " + d.name,
				NetworkCode: d.network, AdviceCode: d.advice, Reason: reason, RetryElsewhere: d.elsewhere}
		}
	}
	return declineOf(sdk.DeclineGeneric)
}

// Codes of refusals by the processor's own rules.
const (
	codeState    = "unexpected_state"      // the payment's state does not allow the operation
	codeSettled  = "already_settled"       // a captured payment can no longer be voided
	codeTooLarge = "amount_too_large"      // more than is held or was captured
	codeTooSmall = "amount_too_small"      // an incremental authorization without an increase
	codeCapture  = "capture_refused"       // by the rule of the amount
	codeVoid     = "void_refused"          // by the rule of the amount
	codeRefund   = "refund_refused"        // by the rule of the amount
	codeCurrency = "currency_not_the_same" // another currency than the payment's
)

// refuse returns a refusal by the processor's own rules.
func refuse(code, text string, reason sdk.DeclineReason) *sdk.Decline {
	return &sdk.Decline{Code: code, Message: text, Reason: reason}
}
