package nmi

import (
	_ "embed"
	"errors"
	"strings"

	"payswitch/sdk"
)

// approvedCode is the only response_code of an approval.
const approvedCode = "100"

// declineOf returns the decline of a response code; nil if the code is not one of a decline, for example in a cut
// answer.
func declineOf(code, text string) *sdk.Decline {
	if len(code) != 3 || code[0] < '2' || code[0] > '4' || code[1]-'0' > 9 || code[2]-'0' > 9 {
		return nil
	}
	// the gateway's own duplicate check has no code of its own
	if code == "300" && strings.HasPrefix(text, "Duplicate transaction") {
		return sdk.NewDecline(code, text, sdk.DeclineDuplicate)
	}
	return declines.New(code, text, "")
}

// inDoubt are response codes after which the processor behind NMI may still have acted: an error of the processor, and
// errors of communication. They are not refusals.
var inDoubt = sdk.Names{{"in doubt", "400 420 421"}}

var errInDoubt = errors.New("the processor may have acted before the error")

// declines are decline codes with their reasons.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
