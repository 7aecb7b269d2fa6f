package nmi

import (
	_ "embed"
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

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
