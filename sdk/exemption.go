package sdk

// Exemption is an exemption from strong customer authentication that an authorization claims, without or after 3-D Secure. The issuer
// decides whether the exemption holds. Source: PSD2 RTS (Delegated Regulation (EU) 2018/389), articles 13 to 18, and the same rules of the
// United Kingdom.
type Exemption string

// The exemptions with their articles.
const (
	ExemptionLowValue           Exemption = "low_value"                 // 16: up to EUR 30
	ExemptionRiskAnalysis       Exemption = "transaction_risk_analysis" // 18: the acquirer's analysis found a low risk
	ExemptionTrustedBeneficiary Exemption = "trusted_beneficiary"       // 13: the merchant is on the payer's list at the issuer
	ExemptionSecureCorporate    Exemption = "secure_corporate"          // 17: a dedicated corporate process
	ExemptionDelegation         Exemption = "sca_delegation"            // not in the law: the issuer has delegated the authentication
)

// ExemptionsIn returns the exemptions in a processor's table of names, in the order of the table. Use them for Features.Exemptions.
//
//	var exemptions = sdk.Names{{"LOW_VALUE", "low_value"}, {"TRUSTED_MERCHANT", "trusted_beneficiary"}}
func ExemptionsIn(names Names) (all []Exemption) {
	for _, row := range names {
		all = append(all, Exemption(row[1]))
	}
	return all
}

// Valid reports whether e is one of the constants.
func (e Exemption) Valid() bool {
	switch e {
	case ExemptionLowValue, ExemptionRiskAnalysis, ExemptionTrustedBeneficiary, ExemptionSecureCorporate, ExemptionDelegation:
		return true
	}
	return false
}
