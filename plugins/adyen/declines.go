package adyen

import "payswitch/sdk"

// refusalReasons maps refusalReasonCode (docs.adyen.com/development-resources/refusal-reasons).
var refusalReasons = map[string]sdk.DeclineReason{
	"2":  sdk.DeclineGeneric,              // Refused
	"3":  sdk.DeclineGeneric,              // Referral
	"4":  sdk.DeclineProcessingError,      // Acquirer Error
	"5":  sdk.DeclineRestrictedCard,       // Blocked Card
	"6":  sdk.DeclineExpiredCard,          // Expired Card
	"7":  sdk.DeclineInvalidAmount,        // Invalid Amount
	"8":  sdk.DeclineIncorrectNumber,      // Invalid Card Number
	"9":  sdk.DeclineIssuerUnavailable,    // Issuer Unavailable
	"10": sdk.DeclineNotPermitted,         // Not supported
	"11": sdk.DeclineAuthenticationFailed, // 3D Not Authenticated
	"12": sdk.DeclineInsufficientFunds,    // Not enough balance
	"14": sdk.DeclineFraud,                // Acquirer Fraud
	"15": sdk.DeclineAbandoned,            // Cancelled
	"16": sdk.DeclineAbandoned,            // Shopper Cancelled
	"20": sdk.DeclineFraud,                // FRAUD
	"21": sdk.DeclineProcessingError,      // Not Submitted
	"22": sdk.DeclineFraud,                // FRAUD-CANCELLED
	"23": sdk.DeclineNotPermitted,         // Transaction Not Permitted
	"24": sdk.DeclineIncorrectCVC,         // CVC Declined
	"25": sdk.DeclineRestrictedCard,       // Restricted Card
	"26": sdk.DeclineStopRecurring,        // Revocation Of Auth
	"27": sdk.DeclineGeneric,              // Declined Non Generic
	"28": sdk.DeclineLimitExceeded,        // Withdrawal amount exceeded
	"29": sdk.DeclineLimitExceeded,        // Withdrawal count exceeded
	"31": sdk.DeclineFraud,                // Issuer Suspected Fraud
	"32": sdk.DeclineIncorrectAddress,     // AVS Declined
	"38": sdk.DeclineAuthenticationNeeded, // Authentication required
	"39": sdk.DeclineAuthenticationFailed, // RReq not received from DS
	"42": sdk.DeclineAuthenticationNeeded, // 3D Secure: a step-up is needed
}

// errorReasons maps errorCode of a 4xx (docs.adyen.com/development-resources/error-codes).
var errorReasons = map[string]sdk.DeclineReason{
	"010": sdk.DeclineInvalidMerchant,      // Not allowed
	"100": sdk.DeclineInvalidAmount,        // No amount specified
	"101": sdk.DeclineIncorrectNumber,      // Invalid card number
	"103": sdk.DeclineIncorrectCVC,         // CVC is not the right length
	"104": sdk.DeclineIncorrectAddress,     // Billing address problem
	"105": sdk.DeclineAuthenticationFailed, // Invalid PaRes from issuer
	"117": sdk.DeclineIncorrectAddress,     // Invalid billing address
	"129": sdk.DeclineIncorrectExpiry,      // Expiry date invalid
	"137": sdk.DeclineInvalidAmount,        // Invalid amount specified
	"138": sdk.DeclineCurrency,             // Unsupported currency specified
	"140": sdk.DeclineIncorrectExpiry,      // Invalid expiry month or year
	"141": sdk.DeclineIncorrectExpiry,
	"901": sdk.DeclineInvalidMerchant,  // Invalid merchant account
	"905": sdk.DeclineCardNotSupported, // Payment details are not supported
}

// errorTypes maps errorType where the code says nothing more.
var errorTypes = map[string]sdk.DeclineReason{"security": sdk.DeclineInvalidMerchant, "configuration": sdk.DeclineInvalidMerchant}
