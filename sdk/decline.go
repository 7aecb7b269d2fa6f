package sdk

// DeclineReason is payswitch's vocabulary for the reasons of a refusal. Adapters map their processor's codes to it. The constants are the
// wire values.
type DeclineReason string

const (
	DeclineGeneric              DeclineReason = "generic_decline"
	DeclineDoNotHonor           DeclineReason = "do_not_honor"            // ISO 8583 05
	DeclineInsufficientFunds    DeclineReason = "insufficient_funds"      // 51
	DeclineLostCard             DeclineReason = "lost_card"               // 41
	DeclineStolenCard           DeclineReason = "stolen_card"             // 43
	DeclinePickUpCard           DeclineReason = "pick_up_card"            // 04, 07, 35 to 37
	DeclineExpiredCard          DeclineReason = "expired_card"            // 54
	DeclineIncorrectNumber      DeclineReason = "incorrect_number"        // 14
	DeclineIncorrectCVC         DeclineReason = "incorrect_cvc"           // 82, N7
	DeclineIncorrectExpiry      DeclineReason = "incorrect_expiry"        //
	DeclineIncorrectAddress     DeclineReason = "incorrect_address"       // AVS
	DeclineInvalidAmount        DeclineReason = "invalid_amount"          // 13
	DeclineLimitExceeded        DeclineReason = "limit_exceeded"          // 61, 65
	DeclineNotPermitted         DeclineReason = "transaction_not_allowed" // 57, 58
	DeclineRestrictedCard       DeclineReason = "restricted_card"         // 62
	DeclineClosedAccount        DeclineReason = "closed_account"          // 46
	DeclineIssuerUnavailable    DeclineReason = "issuer_unavailable"      // 91, 92
	DeclineProcessingError      DeclineReason = "processing_error"        // 96
	DeclineFraud                DeclineReason = "suspected_fraud"         // 59
	DeclineSecurityViolation    DeclineReason = "security_violation"      // 63, 38
	DeclineAuthenticationNeeded DeclineReason = "authentication_required" // 1A, 65 (Mastercard): soft decline
	DeclineAuthenticationFailed DeclineReason = "authentication_failed"   // 3-D Secure
	DeclineStopRecurring        DeclineReason = "stop_recurring"          // R0, R1, R3
	DeclineDuplicate            DeclineReason = "duplicate_transaction"   // 94
	DeclineCurrency             DeclineReason = "currency_not_supported"
	DeclineCardNotSupported     DeclineReason = "card_not_supported"
	DeclineTryLater             DeclineReason = "try_again_later"
	DeclineInvalidMerchant      DeclineReason = "invalid_merchant" // 03
	DeclineBlocked              DeclineReason = "blocked"          // by a rule of the merchant or the processor
	DeclineAbandoned            DeclineReason = "abandoned"        // the customer left
)

// DeclineFacts holds what is true of a reason at every processor.
type DeclineFacts struct {
	Reason DeclineReason
	// Title is a sentence for merchants. Never show it to customers: a thief must not learn that the card is reported stolen.
	Title string
	// Category names the party that can act on the reason. The unified codes group by it.
	Category DeclineCategory
	// RetryElsewhere means that another processor may accept the same card: the processor or its account refused, not the issuer.
	RetryElsewhere bool
	// RetryLater means that the same attempt may succeed on another day.
	RetryLater bool
	// Codes are the card networks' ISO 8583 response codes (field 39) for this reason; nil without any.
	Codes []string
}

// DeclineCategory groups reasons by the party that can act on them.
type DeclineCategory string

const (
	DeclineByIssuer         DeclineCategory = "issuer"         // the issuer refuses; another card may work
	DeclineByCardData       DeclineCategory = "card_data"      // the customer can correct the input
	DeclineByAccount        DeclineCategory = "account"        // the merchant's account or its set-up at the processor
	DeclineByTechnical      DeclineCategory = "technical"      // a failure between payswitch and the issuer
	DeclineByRisk           DeclineCategory = "risk"           // fraud and security rules
	DeclineByAuthentication DeclineCategory = "authentication" // 3-D Secure is needed, failed or was abandoned
)

// Unified returns the code and text of the category for the merchant's fields unified_code and unified_message.
func (c DeclineCategory) Unified() (code, message string) {
	switch c {
	case DeclineByIssuer, DeclineByCardData:
		return "UE_1000", "Issue with Payment Method details"
	case DeclineByAccount:
		return "UE_2000", "Issue with Configurations"
	case DeclineByTechnical:
		return "UE_3000", "Technical issue with PSP"
	}
	return "UE_9000", "Something went wrong"
}

var declines = []DeclineFacts{
	{DeclineGeneric, "The card was declined without a reason.", DeclineByIssuer, true, true, []string{"12", "30"}},
	{DeclineDoNotHonor, "The issuer refused without giving a reason.", DeclineByIssuer, true, true, []string{"05"}},
	{DeclineInsufficientFunds, "The account does not have enough money or credit.", DeclineByIssuer, false, true, []string{"51"}},
	{DeclineLostCard, "The card is reported lost.", DeclineByRisk, false, false, []string{"41"}},
	{DeclineStolenCard, "The card is reported stolen.", DeclineByRisk, false, false, []string{"43"}},
	{DeclinePickUpCard, "The issuer wants the card kept.", DeclineByRisk, false, false, []string{"04", "07", "35", "36", "37"}},
	{DeclineExpiredCard, "The card has expired.", DeclineByCardData, false, false, []string{"54", "33"}},
	{DeclineIncorrectNumber, "The card number is not one of an issued card.", DeclineByCardData, false, false, []string{"14", "15"}},
	{DeclineIncorrectCVC, "The security code is wrong.", DeclineByCardData, false, false, []string{"82", "N7"}},
	{DeclineIncorrectExpiry, "The expiry date is wrong.", DeclineByCardData, false, false, []string{"80"}},
	{DeclineIncorrectAddress, "The billing address does not match.", DeclineByCardData, false, false, nil},
	{DeclineInvalidAmount, "The amount is not acceptable.", DeclineByAccount, true, false, []string{"13"}},
	{DeclineLimitExceeded, "A limit of the card is exceeded: amount or number of payments.", DeclineByIssuer, false, true, []string{"61", "65"}},
	{DeclineNotPermitted, "The card or the terminal is not allowed this kind of payment.", DeclineByIssuer, true, false, []string{"57", "58"}},
	{DeclineRestrictedCard, "The card is restricted: by country, by trade or by the issuer.", DeclineByIssuer, true, false, []string{"62"}},
	{DeclineClosedAccount, "The account is closed.", DeclineByIssuer, false, false, []string{"46"}},
	{DeclineIssuerUnavailable, "The issuer could not be reached.", DeclineByTechnical, true, true, []string{"91", "92"}},
	{DeclineProcessingError, "The processor or the network could not handle the payment.", DeclineByTechnical, true, true, []string{"96", "06"}},
	{DeclineFraud, "The payment is suspected to be fraud.", DeclineByRisk, false, false, []string{"59", "34"}},
	{DeclineSecurityViolation, "A security rule was broken.", DeclineByRisk, false, false, []string{"63", "38"}},
	{DeclineAuthenticationNeeded, "The issuer wants the customer to authenticate.", DeclineByAuthentication, false, false, []string{"1A", "70"}},
	{DeclineAuthenticationFailed, "The customer did not pass authentication.", DeclineByAuthentication, false, false, nil},
	{DeclineStopRecurring, "The customer has stopped payments of this kind: do not charge again.", DeclineByIssuer, false, false, []string{"R0", "R1", "R3"}},
	{DeclineDuplicate, "The processor has seen this payment already.", DeclineByTechnical, false, false, []string{"94"}},
	{DeclineCurrency, "The currency is not supported.", DeclineByAccount, true, false, nil},
	{DeclineCardNotSupported, "The processor or its account does not take this kind of card.", DeclineByAccount, true, false, nil},
	{DeclineTryLater, "The payment cannot be made now.", DeclineByTechnical, true, true, []string{"19", "90"}},
	{DeclineInvalidMerchant, "The merchant's account at the processor is not set up for this.", DeclineByAccount, true, false, []string{"03"}},
	{DeclineBlocked, "A rule of the merchant's or the processor's blocks the payment.", DeclineByRisk, false, false, nil},
	{DeclineAbandoned, "The customer left before the payment was made.", DeclineByAuthentication, false, false, nil},
}

// DeclineReasons returns the facts about every reason, in the order of the constants.
func DeclineReasons() []DeclineFacts { return append([]DeclineFacts(nil), declines...) }

// Facts returns the facts about the reason. For an unknown reason ok is false, and the facts are those of DeclineGeneric.
func (r DeclineReason) Facts() (facts DeclineFacts, ok bool) {
	for i := range declines {
		if declines[i].Reason == r {
			return declines[i], true
		}
	}
	return declines[0], false
}

// DeclineByCode returns the reason of an ISO 8583 response code (field 39), DeclineGeneric for codes without a reason of their own.
// Use it for codes of the network or issuer alone: a processor's own codes look alike and mean something else.
func DeclineByCode(code string) DeclineReason {
	for i := range declines {
		for _, c := range declines[i].Codes {
			if c == code {
				return declines[i].Reason
			}
		}
	}
	return DeclineGeneric
}

// DeclineByMastercard is DeclineByCode for Mastercard's codes. Some codes differ. 65 asks for strong customer authentication in
// online payments. 79, 82 and 83 stand for groups of reasons (life cycle, policy, security).
func DeclineByMastercard(code string) DeclineReason {
	switch code {
	case "65":
		return DeclineAuthenticationNeeded
	case "79":
		return DeclineGeneric
	case "82":
		return DeclineDoNotHonor
	case "83":
		return DeclineFraud
	}
	return DeclineByCode(code)
}
