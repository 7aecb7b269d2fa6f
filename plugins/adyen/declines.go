package adyen

import (
	_ "embed"

	"payswitch/sdk"
)

// declines are decline codes and what they mean.
var declines = sdk.ParseDeclines(declineCodes)

//go:embed declines.txt
var declineCodes string
