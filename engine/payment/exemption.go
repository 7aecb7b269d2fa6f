package payment

import (
	"payswitch/engine/authentication"
	"payswitch/engine/threeds"
	"payswitch/engine/threeds/exempt"
)

// AttemptExemption records the decision about an exemption from strong customer authentication for an attempt (exempt.Choose), and its
// grounds. The json names are storage format.
type AttemptExemption struct {
	// Exemption is the claimed exemption, "" for no claim. Route is the way of the claim, 3ds or authorization, "" without a claim.
	Exemption threeds.Exemption `json:"exemption,omitempty"`
	Route     threeds.Route     `json:"route,omitempty"`
	Reason    exempt.Reason     `json:"reason"`
	// PassedOver are the exemptions that would apply, but that the card's issuer declines too often.
	PassedOver []threeds.Exemption `json:"passed_over,omitempty"`
	// Card is the vault's keyed fingerprint of the card, under which low value is counted. It is "" if the engine does not have the number.
	Card string `json:"card,omitempty"`
	// EURCents is the amount in euro cents, -1 if the engine knows no rate for the currency.
	EURCents int64 `json:"eur_cents"`
	// Counted is true once the issuer's answer to the claim has been counted.
	Counted bool `json:"counted,omitempty"`
}

// Direct reports whether the authorization itself claims the exemption, without an authentication.
func (x *AttemptExemption) Direct() bool {
	return x != nil && x.Exemption != threeds.NoExemption && x.Route == threeds.RouteAuthorization
}

// Choose records a decision.
func (x *AttemptExemption) Choose(c exempt.Choice, route threeds.Route) {
	x.Exemption, x.Reason, x.Route, x.PassedOver = c.Exemption, c.Reason, threeds.RouteNone, c.PassedOver
	if c.Exemption != threeds.NoExemption {
		x.Route = route
	}
}

// Effective reports whether the payment went to the processor under the exemption. It is false after a challenge, and if the issuer's 3-D
// Secure gave no answer.
func (x *AttemptExemption) Effective(s *authentication.Summary) bool {
	if x.Route == threeds.RouteAuthorization && (s == nil || s.Flow == "") {
		return true
	}
	switch {
	case s == nil || s.Flow == authentication.FlowChallenge:
		return false
	case s.Outcome == threeds.Authenticated, s.Outcome == threeds.Attempted, s.Outcome == threeds.Exempted:
		return true
	}
	return false
}
