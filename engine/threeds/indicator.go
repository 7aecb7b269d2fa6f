package threeds

// Values of threeDSRequestorChallengeInd beside those of exemptionInds.
const (
	indNoPreference = "01"
	indNoChallenge  = "02" // no challenge, please
	indPreferred    = "03"
	indMandate      = "04"
	indTrustListing = "09" // challenge, and offer to put the merchant on the trusted list; from 2.2
	indIssuer       = "13" // the issuer asked for a challenge; from 2.3.1
)

// Preference is how much of a challenge is wanted.
type Preference string

const (
	NoPreference       Preference = ""
	NoChallenge        Preference = "no_challenge"
	ChallengePreferred Preference = "challenge_preferred"
	ChallengeMandated  Preference = "challenge_mandated"
	// IssuerDemanded is a mandate because the issuer declined without authentication.
	IssuerDemanded Preference = "issuer_demanded"
	// TrustListing is a challenge in which the payer may put the merchant on the issuer's trusted list.
	TrustListing Preference = "trust_listing"
)

// ChallengeInds says preference and exemption in the words of a message version: the threeDSRequestorChallengeInd values to send (one;
// 2.3.1 has them as an array on the wire). A demand or a mandate beats an exemption. Where the version has no word for the exemption, 02
// is sent and authorization is the exemption that the authorization then claims.
func ChallengeInds(messageVersion string, p Preference, e Exemption) (inds []string, authorization Exemption) {
	v := version(messageVersion)
	switch p {
	case IssuerDemanded:
		if v.atLeast("2.3.1") {
			return []string{indIssuer}, NoExemption
		}
		return []string{indMandate}, NoExemption
	case ChallengeMandated:
		return []string{indMandate}, NoExemption
	case TrustListing:
		if v.atLeast("2.2.0") {
			return []string{indTrustListing}, NoExemption
		}
		return []string{indPreferred}, NoExemption
	case ChallengePreferred:
		return []string{indPreferred}, NoExemption
	}
	for _, i := range exemptionInds {
		if i.exemption == e && v.atLeast(i.since) {
			return []string{i.ind}, NoExemption
		}
	}
	if e != NoExemption {
		return []string{indNoChallenge}, e
	}
	if p == NoChallenge {
		return []string{indNoChallenge}, NoExemption
	}
	return []string{indNoPreference}, NoExemption
}
