package nmi

import (
	_ "embed"
	"errors"
	"strings"

	"payswitch/sdk"
)

// approvedCode is the only response_code of an approval.
const approvedCode = "100"

// declineOf is the decline of a response code, nil for what is no code of a decline: a cut answer, say.
func declineOf(code, text string) *sdk.Decline {
	if len(code) != 3 || code[0] < '2' || code[0] > '4' || code[1]-'0' > 9 || code[2]-'0' > 9 {
		return nil
	}
	if code == "300" && strings.HasPrefix(text, "Duplicate transaction") { // the gateway's own check has no code of its own
		return sdk.NewDecline(code, text, sdk.DeclineDuplicate)
	}
	return declines.New(code, text, "")
}

// inDoubt are the response codes after which the processor behind NMI may have acted all the same: an error that the processor returned, and errors of
// communication. They are no refusals.
var inDoubt = sdk.Names{{"in doubt", "400 420 421"}}

var errInDoubt = errors.New("an error after which the processor may have acted")

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
