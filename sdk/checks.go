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

// At returns the results of three checks whose codes stand at paths of a value, nil without any result. It is for processors with a code for
// each check. A table that is nil is the same as CVC.
func (t *CheckCodes) At(j JSON, cvc, line1, postalCode string) *Checks {
	lines, codes := t.Line1, t.PostalCode
	if lines == nil {
		lines = t.CVC
	}
	if codes == nil {
		codes = t.CVC
	}
	return NewChecks(t.result(t.CVC, j.Text(cvc)), t.result(lines, j.Text(line1)), t.result(codes, j.Text(postalCode)))
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
