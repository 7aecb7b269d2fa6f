package threeds

// Values of threeDSRequestorChallengeInd, apart from those of exemptionInds.
const (
	indNoPreference = "01"
	indNoChallenge  = "02" // no challenge wanted
	indPreferred    = "03"
	indMandate      = "04"
	indTrustListing = "09" // challenge, and offer to put the merchant on the trusted list; from 2.2
	indIssuer       = "13" // the issuer asked for a challenge; from 2.3.1
)

// Preference is the merchant's wish for a challenge.
type Preference string

const (
	NoPreference       Preference = ""
	NoChallenge        Preference = "no_challenge"
	ChallengePreferred Preference = "challenge_preferred"
	ChallengeMandated  Preference = "challenge_mandated"
	// IssuerDemanded is a mandate that follows the issuer's decline without authentication.
	IssuerDemanded Preference = "issuer_demanded"
	// TrustListing asks for a challenge in which the payer may put the merchant on the issuer's trusted list.
	TrustListing Preference = "trust_listing"
)

// ChallengeInds translates preference and exemption for a message version: inds are the threeDSRequestorChallengeInd values to send (one
// value; 2.3.1 has an array on the wire). A demand or a mandate beats an exemption. If the version cannot carry the exemption, ChallengeInds
// sends 02, and authorization is the exemption that the authorization then claims.
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
