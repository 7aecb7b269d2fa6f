package sdk

import "cmp"

// CheckCodes maps a processor's codes for the checks of a card's owner: one code for the security code, and one for street and postal code
// together (AVS), as the card networks define them:
//
//	var checks = sdk.CheckCodes{
//		CVC:        sdk.Results{{sdk.CheckPass, "M"}, {sdk.CheckFail, "N"}, {sdk.CheckUnchecked, "P"}},
//		Line1:      sdk.Results{{sdk.CheckPass, "Y A"}, {sdk.CheckFail, "Z N"}},
//		PostalCode: sdk.Results{{sdk.CheckPass, "Y Z"}, {sdk.CheckFail, "A N"}},
//		Other:      sdk.CheckUnavailable,
//	}
type CheckCodes struct {
	CVC, Line1, PostalCode Results
	Other                  CheckResult // the meaning of all other codes; "" means no result
}

// Read returns the results of the checks, nil without any result. A code of "" has no result.
func (t *CheckCodes) Read(cvc, avs string) *Checks {
	return NewChecks(t.result(t.CVC, cvc), t.result(t.Line1, avs), t.result(t.PostalCode, avs))
}

func (t *CheckCodes) result(codes Results, code string) CheckResult {
	if code == "" {
		return ""
	}
	return cmp.Or(codes.Of(code), t.Other)
}
