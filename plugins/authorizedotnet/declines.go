package authorizedotnet

import (
	"cmp"
	"errors"

	"payswitch/sdk"
)

// reasons are the response reason codes of transactions. Codes that are not here say nothing that our vocabulary has a word for.
var reasons = sdk.Reasons{
	{sdk.DeclinePickUpCard, "4"},
	{sdk.DeclineInvalidAmount, "5 47 49 50 51"},
	{sdk.DeclineIncorrectNumber, "6 37 200 315"},
	{sdk.DeclineIncorrectExpiry, "7 201 316"},
	{sdk.DeclineExpiredCard, "8 317"},
	{sdk.DeclineInvalidMerchant, "13 15 31 34 35 38 87 128"},
	{sdk.DeclineCardNotSupported, "17 28"},
	{sdk.DeclineProcessingError, "19 20 21 22 23 25 26 33 57 58 59 60 61 62 63 120 121 122 181 261"},
	{sdk.DeclineIncorrectAddress, "27 127 290"},
	{sdk.DeclineCurrency, "39"},
	{sdk.DeclineIncorrectCVC, "44 45 65 78 165"},
	{sdk.DeclineFraud, "41 141 145 193 250 251 252 253 254"},
	{sdk.DeclineNotPermitted, "46 54 55"},
}

// refusals are the codes of requests that were refused before there was a transaction.
var refusals = sdk.Reasons{
	{sdk.DeclineInvalidMerchant, "E00005 E00006 E00007 E00008 E00009 E00010 E00011"},
	{sdk.DeclineTryLater, "E00053 E00104"},
	{sdk.DeclineGeneric, "E00027"},
	{sdk.DeclineDuplicate, duplicateRecord},
}

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
	return sdk.NewDecline(code, text, cmp.Or(refusals.Of(code), sdk.DeclineProcessingError))
}

// declined is why a transaction was declined.
func declined(j sdk.JSON) *sdk.Decline {
	code, text := j.Text("transactionResponse.errors.0.errorCode"), j.Str("transactionResponse.errors.0.errorText")
	switch code {
	case duplicate:
		sdk.Check(errors.New("the processor has seen this very transaction before"))
	case "":
		return refused(j)
	}
	return sdk.NewDecline(code, text, reasons.Of(code))
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
