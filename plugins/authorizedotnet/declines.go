package authorizedotnet

import (
	"errors"
	"slices"
	"strings"

	"payswitch/sdk"
)

// reasons are the response reason codes of transactions. Codes that are not here say nothing that our vocabulary has a word for.
var reasons = []struct {
	codes  string // separated by spaces
	reason sdk.DeclineReason
}{
	{"4", sdk.DeclinePickUpCard},
	{"5 47 49 50 51", sdk.DeclineInvalidAmount},
	{"6 37 200 315", sdk.DeclineIncorrectNumber},
	{"7 201 316", sdk.DeclineIncorrectExpiry},
	{"8 317", sdk.DeclineExpiredCard},
	{"13 15 31 34 35 38 87 128", sdk.DeclineInvalidMerchant},
	{"17 28", sdk.DeclineCardNotSupported},
	{"19 20 21 22 23 25 26 33 57 58 59 60 61 62 63 120 121 122 181 261", sdk.DeclineProcessingError},
	{"27 127 290", sdk.DeclineIncorrectAddress},
	{"39", sdk.DeclineCurrency},
	{"44 45 65 78 165", sdk.DeclineIncorrectCVC},
	{"41 141 145 193 250 251 252 253 254", sdk.DeclineFraud},
	{"46 54 55", sdk.DeclineNotPermitted},
}

// refusals are the codes of requests that were refused before there was a transaction.
var refusals = []struct {
	codes  string
	reason sdk.DeclineReason
}{
	{"E00005 E00006 E00007 E00008 E00009 E00010 E00011", sdk.DeclineInvalidMerchant},
	{"E00053 E00104", sdk.DeclineTryLater},
	{"E00027", sdk.DeclineGeneric},
	{"E00039", sdk.DeclineDuplicate},
}

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
func refused(j sdk.JSON) (*sdk.Decline, error) {
	code, text := message(j)
	if code == "" || code == unexpected {
		return nil, errAnswer
	}
	d := decline(code, text, sdk.DeclineProcessingError)
	for _, r := range refusals {
		if listed(r.codes, code) {
			d = decline(code, text, r.reason)
		}
	}
	return d, nil
}

// declined is why a transaction was declined.
func declined(j sdk.JSON) (*sdk.Decline, error) {
	code, text := j.Text("transactionResponse.errors.0.errorCode"), j.Str("transactionResponse.errors.0.errorText")
	switch code {
	case duplicate:
		return nil, errors.New("the processor has seen this very transaction before")
	case "":
		if !failed(j) {
			return nil, errAnswer
		}
		return refused(j)
	}
	return because(code, text), nil
}

// because is the decline of a response reason code.
func because(code, text string) *sdk.Decline {
	for _, r := range reasons {
		if listed(r.codes, code) {
			return decline(code, text, r.reason)
		}
	}
	return decline(code, text, sdk.DeclineGeneric)
}

func decline(code, text string, reason sdk.DeclineReason) *sdk.Decline {
	facts, _ := reason.Facts()
	return &sdk.Decline{Code: code, Message: text, Reason: reason, RetryElsewhere: facts.RetryElsewhere}
}

// listed says whether a code is one of a list.
func listed(codes, code string) bool { return slices.Contains(strings.Fields(codes), code) }

// checks reads the AVS and card code results.
func checks(avs, cvv string) *sdk.Checks {
	c := &sdk.Checks{}
	switch cvv {
	case "M":
		c.CVC = pass
	case "N":
		c.CVC = fail
	case "P", "S":
		c.CVC = unchecked
	case "U":
		c.CVC = unavailable
	}
	switch avs {
	case "X", "Y":
		c.AddressLine1, c.PostalCode = pass, pass
	case "A":
		c.AddressLine1, c.PostalCode = pass, fail
	case "W", "Z":
		c.AddressLine1, c.PostalCode = fail, pass
	case "N":
		c.AddressLine1, c.PostalCode = fail, fail
	case "E", "G", "R", "S", "U":
		c.AddressLine1, c.PostalCode = unavailable, unavailable
	case "B", "P":
		c.AddressLine1, c.PostalCode = unchecked, unchecked
	}
	if *c == (sdk.Checks{}) {
		return nil
	}
	return c
}

const (
	pass        = "pass"
	fail        = "fail"
	unavailable = "unavailable"
	unchecked   = "unchecked"
)
