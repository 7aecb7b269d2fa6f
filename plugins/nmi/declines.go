package nmi

import (
	"strings"

	"payswitch/sdk"
)

// approvedCode is the only response_code of an approval.
const approvedCode = "100"

// reasons are NMI's response codes. 2xx come from the processor or issuer, 3xx from the gateway, 4xx from what lies between.
var reasons = sdk.Reasons{
	{sdk.DeclineGeneric, "200:declined 260:see_the_text"},
	{sdk.DeclineDoNotHonor, "201 240:call_the_issuer"},
	{sdk.DeclineInsufficientFunds, "202"},
	{sdk.DeclineLimitExceeded, "203:over_limit"},
	{sdk.DeclineNotPermitted, "204"},
	{sdk.DeclineIncorrectNumber, "220:payment_information 221:no_such_issuer 222:not_on_file"},
	{sdk.DeclineExpiredCard, "223"},
	{sdk.DeclineIncorrectExpiry, "224"},
	{sdk.DeclineIncorrectCVC, "225"},
	{sdk.DeclineSecurityViolation, "226:wrong_pin"},
	{sdk.DeclinePickUpCard, "250"},
	{sdk.DeclineLostCard, "251"},
	{sdk.DeclineStolenCard, "252"},
	{sdk.DeclineFraud, "253"},
	{sdk.DeclineStopRecurring, "261:all_recurring 262:this_program"},
	{sdk.DeclineTryLater, "263:update_cardholder_data 264:retry_in_days 301:too_many_requests"},
	{sdk.DeclineProcessingError, "300:gateway 400:processor 420:communication 440:format 441:invalid_data 460:feature_not_available"},
	{sdk.DeclineInvalidMerchant, "410:configuration 411:account_inactive"},
	{sdk.DeclineIssuerUnavailable, "421:communication_with_issuer"},
	{sdk.DeclineDuplicate, "430:at_the_processor"},
	{sdk.DeclineCardNotSupported, "461"},
}

// declineOf is the decline of a response code, nil for what is no code of a decline: a cut answer, say.
func declineOf(code, text string) *sdk.Decline {
	if len(code) != 3 || code[0] < '2' || code[0] > '4' || code[1]-'0' > 9 || code[2]-'0' > 9 {
		return nil
	}
	if code == "300" && strings.HasPrefix(text, "Duplicate transaction") { // the gateway's own check has no code of its own
		return sdk.NewDecline(code, text, sdk.DeclineDuplicate)
	}
	return sdk.NewDecline(code, text, reasons.Of(code))
}
