package authorizedotnet

import (
	_ "embed"
	"errors"

	"payswitch/sdk"
)

// duplicateRecord is the code of a profile that is there already.
const duplicateRecord = "E00039"

// duplicate is the code of a transaction like one within the duplicate window. Ours differ by their invoice numbers, so that it is this
// very transaction that has been seen before: what has become of that one only a query tells.
const duplicate = "11"

// unexpected is the code of an error of theirs, which says nothing about what was done.
const unexpected = "E00001"

// message is the first message about a request as a whole.
func message(j sdk.JSON) (code, text string) {
	return j.Str("messages.message.0.code"), j.Str("messages.message.0.text")
}

// refused is why a request was refused as a whole.
func refused(j sdk.JSON) *sdk.Decline {
	code, text := message(j)
	sdk.Require(failed(j) && code != "" && code != unexpected, errAnswer)
	return declines.New(code, text, sdk.DeclineProcessingError)
}

// declined is why a transaction was declined.
func declined(j sdk.JSON) *sdk.Decline {
	code, text := j.Text("transactionResponse.errors.0.errorCode"), j.Str("transactionResponse.errors.0.errorText")
	switch code {
	case duplicate:
		sdk.Check(errors.New("the processor has seen this very transaction before"))
	case "":
		if failed(j) {
			return refused(j)
		}
		code = j.Text("transactionResponse.responseCode") // the verdict, of which no error says why
	}
	return declines.New(code, text, "")
}

// The results of the address check (AVS) and of the card code's.
var (
	cvc    = sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnchecked, "P S"}, {sdk.CheckUnavailable, "U"}}
	street = sdk.Results{{sdk.CheckPass, "X Y A"}, {sdk.CheckFail, "W Z N"}, {sdk.CheckUnavailable, "E G R S U"}, {sdk.CheckUnchecked, "B P"}}
	postal = sdk.Results{{sdk.CheckPass, "X Y W Z"}, {sdk.CheckFail, "A N"}, {sdk.CheckUnavailable, "E G R S U"}, {sdk.CheckUnchecked, "B P"}}
)

func checks(avs, code string) *sdk.Checks {
	return sdk.NewChecks(cvc.Of(code), street.Of(avs), postal.Of(avs))
}

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
