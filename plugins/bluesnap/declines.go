package bluesnap

import (
	"cmp"
	_ "embed"

	"payswitch/sdk"
)

func declineOf(code, name, text string) *sdk.Decline {
	d := declines.New(name, cmp.Or(text, name), "")
	d.Code = code
	return d
}

// declines are decline codes with their reasons.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
