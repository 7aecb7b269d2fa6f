package threeds

import "slices"

// Exemption is an exemption from strong customer authentication, or another reason to request no challenge. The law is PSD2 RTS, articles
// 10 to 18, and the same articles of the United Kingdom's standards. The values are those of sdk.Exemption.
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

// Valid reports whether e is one of the constants, NoExemption included.
func (e Exemption) Valid() bool {
	return e == NoExemption || slices.ContainsFunc(exemptionInds, func(i exemptionInd) bool { return i.exemption == e })
}

// Exempts reports whether the profile's rules may claim an exemption: the rules are in force, and at least one is on.
func (c Config) Exempts() bool {
	r := c.ExemptionRules
	return c.ExemptionPolicy == RuleRules && (r.LowValue == RuleOn || r.TRAThresholdEUR > 0 || r.TrustedBeneficiary == RuleOn || r.SecureCorporate == RuleOn)
}

// exemptionInd is the threeDSRequestorChallengeInd that requests an exemption, and the first message version that has it.
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

// exemptionAsked returns the exemption that an answer I acknowledges. asked is false if the request did not ask to spare the payer a
// challenge.
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

// HasIndicator reports whether an authentication of a message version can carry the exemption.
func (e Exemption) HasIndicator(messageVersion string) bool {
	return slices.ContainsFunc(exemptionInds, func(i exemptionInd) bool {
		return i.exemption == e && version(messageVersion).atLeast(i.since)
	})
}
