package nmi

import (
	"strings"

	"payswitch/sdk"
)

// approvedCode is the only response_code of an approval.
const approvedCode = "100"

// reasons are NMI's response codes. 2xx come from the processor or issuer, 3xx from the gateway, 4xx from what lies between.
var reasons = []struct {
	code   string
	reason sdk.DeclineReason
}{
	{"200", sdk.DeclineGeneric},           // declined by the processor
	{"201", sdk.DeclineDoNotHonor},        //
	{"202", sdk.DeclineInsufficientFunds}, //
	{"203", sdk.DeclineLimitExceeded},     // over limit
	{"204", sdk.DeclineNotPermitted},      // transaction not allowed
	{"220", sdk.DeclineIncorrectNumber},   // incorrect payment information
	{"221", sdk.DeclineIncorrectNumber},   // no such card issuer
	{"222", sdk.DeclineIncorrectNumber},   // no card number on file with the issuer
	{"223", sdk.DeclineExpiredCard},       //
	{"224", sdk.DeclineIncorrectExpiry},   //
	{"225", sdk.DeclineIncorrectCVC},      //
	{"226", sdk.DeclineSecurityViolation}, // wrong PIN
	{"240", sdk.DeclineDoNotHonor},        // call the issuer
	{"250", sdk.DeclinePickUpCard},        //
	{"251", sdk.DeclineLostCard},          //
	{"252", sdk.DeclineStolenCard},        //
	{"253", sdk.DeclineFraud},             // fraudulent card
	{"260", sdk.DeclineGeneric},           // further instructions in the text
	{"261", sdk.DeclineStopRecurring},     // stop all recurring payments
	{"262", sdk.DeclineStopRecurring},     // stop this recurring program
	{"263", sdk.DeclineTryLater},          // update the cardholder's data
	{"264", sdk.DeclineTryLater},          // retry in a few days
	{"300", sdk.DeclineProcessingError},   // rejected by the gateway
	{"301", sdk.DeclineTryLater},          // too many requests
	{"400", sdk.DeclineProcessingError},   // error of the processor
	{"410", sdk.DeclineInvalidMerchant},   // merchant configuration
	{"411", sdk.DeclineInvalidMerchant},   // merchant account inactive
	{"420", sdk.DeclineProcessingError},   // communication error
	{"421", sdk.DeclineIssuerUnavailable}, // communication error with the issuer
	{"430", sdk.DeclineDuplicate},         // duplicate at the processor
	{"440", sdk.DeclineProcessingError},   // format error at the processor
	{"441", sdk.DeclineProcessingError},   // invalid transaction data
	{"460", sdk.DeclineProcessingError},   // feature not available
	{"461", sdk.DeclineCardNotSupported},  // card type not supported
}

// declineOf is the decline of a response code, nil for what is no code of a decline: a cut answer, say.
func declineOf(code, text string) *sdk.Decline {
	if len(code) != 3 || code[0] < '2' || code[0] > '4' || code[1]-'0' > 9 || code[2]-'0' > 9 {
		return nil
	}
	d := &sdk.Decline{Code: code, Message: text, Reason: sdk.DeclineGeneric}
	for _, r := range reasons {
		if r.code == code {
			d.Reason = r.reason
		}
	}
	if code == "300" && strings.HasPrefix(text, "Duplicate transaction") { // the gateway's own check has no code of its own
		d.Reason = sdk.DeclineDuplicate
	}
	facts, _ := d.Reason.Facts()
	d.RetryElsewhere = facts.RetryElsewhere
	return d
}
