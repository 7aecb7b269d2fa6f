package sdk

// DeclineReason is our one vocabulary for why a payment was refused; adapters map their processor's codes to it. The constants
// are the wire values.
type DeclineReason string

const (
	DeclineGeneric              DeclineReason = "generic_decline"
	DeclineDoNotHonor           DeclineReason = "do_not_honor"            // ISO 8583 05
	DeclineInsufficientFunds    DeclineReason = "insufficient_funds"      // 51
	DeclineLostCard             DeclineReason = "lost_card"               // 41
	DeclineStolenCard           DeclineReason = "stolen_card"             // 43
	DeclinePickUpCard           DeclineReason = "pick_up_card"            // 04, 07
	DeclineExpiredCard          DeclineReason = "expired_card"            // 54
	DeclineIncorrectNumber      DeclineReason = "incorrect_number"        // 14
	DeclineIncorrectCVC         DeclineReason = "incorrect_cvc"           // 82, N7
	DeclineIncorrectExpiry      DeclineReason = "incorrect_expiry"        //
	DeclineIncorrectAddress     DeclineReason = "incorrect_address"       // AVS
	DeclineInvalidAmount        DeclineReason = "invalid_amount"          // 13
	DeclineLimitExceeded        DeclineReason = "limit_exceeded"          // 61, 65
	DeclineNotPermitted         DeclineReason = "transaction_not_allowed" // 57, 58
	DeclineRestrictedCard       DeclineReason = "restricted_card"         // 36, 62
	DeclineClosedAccount        DeclineReason = "closed_account"          // 46
	DeclineIssuerUnavailable    DeclineReason = "issuer_unavailable"      // 91, 92
	DeclineProcessingError      DeclineReason = "processing_error"        // 96
	DeclineFraud                DeclineReason = "suspected_fraud"         // 59
	DeclineSecurityViolation    DeclineReason = "security_violation"      // 63
	DeclineAuthenticationNeeded DeclineReason = "authentication_required" // 1A, 65 (Mastercard): soft decline
	DeclineAuthenticationFailed DeclineReason = "authentication_failed"   // 3-D Secure
	DeclineStopRecurring        DeclineReason = "stop_recurring"          // R0, R1, R3
	DeclineDuplicate            DeclineReason = "duplicate_transaction"   // 94
	DeclineCurrency             DeclineReason = "currency_not_supported"
	DeclineCardNotSupported     DeclineReason = "card_not_supported"
	DeclineTryLater             DeclineReason = "try_again_later"
	DeclineInvalidMerchant      DeclineReason = "invalid_merchant" // 03
	DeclineBlocked              DeclineReason = "blocked"          // by a rule of the merchant's or the processor's
	DeclineAbandoned            DeclineReason = "abandoned"        // the customer left
)
