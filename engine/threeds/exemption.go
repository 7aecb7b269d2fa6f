package threeds

import "slices"

// Exemption from strong customer authentication (PSD2 RTS, articles 10 to 18, and the United Kingdom's alike), or another reason for
// which no challenge is asked. The values are sdk.ThreeDSResult's.
type Exemption string

const (
	NoExemption              Exemption = ""
	ExemptLowValue           Exemption = "low_value"
	ExemptTRA                Exemption = "transaction_risk_analysis"
	ExemptTrustedBeneficiary Exemption = "trusted_beneficiary"
	ExemptSecureCorporate    Exemption = "secure_corporate"
	ExemptDelegation         Exemption = "sca_delegation"
	ExemptDataOnly           Exemption = "data_only"
)

// Valid says whether e is one of the constants, none included.
func (e Exemption) Valid() bool {
	return e == NoExemption || slices.ContainsFunc(exemptionInds, func(i exemptionInd) bool { return i.exemption == e })
}

// Exempts says whether the profile's rules may claim an exemption: they are in force, and one is on.
func (c Config) Exempts() bool {
	r := c.ExemptionRules
	return c.ExemptionPolicy == RuleRules && (r.LowValue == RuleOn || r.TRAThresholdEUR > 0 || r.TrustedBeneficiary == RuleOn || r.SecureCorporate == RuleOn)
}

// exemptionInd is the threeDSRequestorChallengeInd that asks for an exemption, from the version that has it.
type exemptionInd struct {
	exemption Exemption
	ind       string
	since     version
}

var exemptionInds = []exemptionInd{
	{ExemptTRA, "05", "2.2.0"},
	{ExemptDataOnly, "06", "2.2.0"},
	{ExemptDelegation, "07", "2.2.0"},
	{ExemptTrustedBeneficiary, "08", "2.2.0"},
	{ExemptLowValue, "10", "2.3.1"},
	{ExemptSecureCorporate, "11", "2.3.1"},
}

// exemptionAsked is the exemption whose acknowledgement I is; asked is false when the payer was not to be spared a challenge.
func exemptionAsked(run Run) (e Exemption, asked bool) {
	for _, ind := range run.ChallengeInds {
		for _, i := range exemptionInds {
			if i.ind == ind {
				return i.exemption, true
			}
		}
	}
	if slices.Contains(run.ChallengeInds, indNoChallenge) {
		return run.Exemption, true
	}
	return NoExemption, false
}
