package engine

import (
	"payswitch/engine/threeds"
	"payswitch/sdk"
)

// AttemptExemption is what was decided about an exemption from strong customer authentication for an attempt (threeds.Choose), and on what
// grounds. The json names are storage format.
type AttemptExemption struct {
	// Exemption is the one claimed, "" for none; Route the way: 3ds, authorization; "" with none.
	Exemption string `json:"exemption,omitempty"`
	Route     string `json:"route,omitempty"`
	Reason    string `json:"reason"`
	// PassedOver are those that would have applied, but that the card's issuer declines too often.
	PassedOver []string `json:"passed_over,omitempty"`
	// Card is the vault's keyed fingerprint of the card, under which low value is counted; "" where the number is not at hand.
	Card string `json:"card,omitempty"`
	// EURCents is what the amount counts as, -1 where no rate is known.
	EURCents int64 `json:"eur_cents"`
	// Counted says that what the issuer made of the claim has been counted.
	Counted bool `json:"counted,omitempty"`
}

// direct says whether the authorization itself claims the exemption, without an authentication.
func (x *AttemptExemption) direct() bool {
	return x != nil && x.Exemption != "" && x.Route == routeAuthorization
}

// choose notes a decision.
func (x *AttemptExemption) choose(c threeds.Choice, route string) {
	x.Exemption, x.Reason, x.Route, x.PassedOver = string(c.Exemption), string(c.Reason), "", nil
	if c.Exemption != threeds.NoExemption {
		x.Route = route
	}
	for _, e := range c.PassedOver {
		x.PassedOver = append(x.PassedOver, string(e))
	}
}

// effective says whether the payment went to the processor under the exemption: not after a challenge, nor where the issuer's 3-D Secure
// could say nothing.
func (x *AttemptExemption) effective(s *AttemptAuthentication) bool {
	if x.Route == routeAuthorization && (s == nil || s.Flow == "") {
		return true
	}
	switch {
	case s == nil || s.Flow == "challenge":
		return false
	case s.Outcome == string(threeds.Authenticated), s.Outcome == string(threeds.Attempted), s.Outcome == string(threeds.Exempted):
		return true
	}
	return false
}

// routeAuthorization and route3DS say which way an exemption is claimed.
const (
	routeAuthorization = "authorization"
	route3DS           = "3ds"
)

// broughtExemptions are the API's words for exemptions in three_ds_data, and our own.
var broughtExemptions = map[string]sdk.Exemption{"low_value": sdk.ExemptionLowValue, "transaction_risk_assessment": sdk.ExemptionRiskAnalysis,
	"transaction_risk_analysis": sdk.ExemptionRiskAnalysis, "trusted_listing": sdk.ExemptionTrustedBeneficiary, "trusted_beneficiary": sdk.ExemptionTrustedBeneficiary,
	"secure_corporate_payment": sdk.ExemptionSecureCorporate, "secure_corporate": sdk.ExemptionSecureCorporate, "sca_delegation": sdk.ExemptionDelegation}
