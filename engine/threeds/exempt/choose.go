package exempt

import (
	"slices"

	"payswitch/engine/threeds"
)

// Payer holds the facts about a payment for the decision whether to challenge its payer. Zero values mean unknown, or no.
type Payer struct {
	// EURCents is the amount as EURCents returns it. A negative value means unknown.
	EURCents int64
	// IssuerCountry and AcquirerCountry are ISO 3166-1 alpha-2 codes.
	IssuerCountry, AcquirerCountry string

	Asked         bool               // the payment asks for authentication
	Forced        bool               // and for a challenge (force_3ds_challenge of payment or profile)
	Preference    threeds.Preference // of the merchant, for this payment
	Requested     threeds.Exemption  // the exemption that this payment requests
	MIT           bool               // merchant-initiated: the payer is absent
	FirstOfSeries bool               // the card will be charged again without the payer
	AddCard       bool               // a card is stored; no amount is charged
	SoftDeclined  bool               // the issuer declined this payment because it was not authenticated

	Counters     Counters
	RiskAccepted bool // a risk analysis accepted the payment
	// FraudRate is the acquirer's fraud rate, in percent of the value of its card payments. With nil (unknown), the profile's threshold alone
	// applies.
	FraudRate     *float64
	TrustListed   bool // the issuer reported that the payer has put the merchant on its list
	Corporate     bool // the card is a corporate card
	SecureChannel bool // the payment uses a dedicated corporate process
	// ProcessorTakes are the exemptions that the routed processor accepts in an authorization.
	ProcessorTakes []threeds.Exemption
	// Rates are the soft-decline rates of the card's issuer (by BIN) so far.
	Rates map[threeds.Exemption]Rate
}

// Counters are the low-value payments of a card since its payer's last authentication through payswitch. The issuer keeps counters of its
// own.
type Counters struct {
	Count    int
	EURCents int64
}

// Exhausted reports whether the card may claim no further low value until its payer has been authenticated.
func (c Counters) Exhausted() bool { return c.Count >= lowValueCount || c.EURCents > lowValueSum }

// NoCounters are the counters of a card that the engine cannot identify. They allow no claim.
var NoCounters = Counters{Count: lowValueCount}

// Rate counts how often an issuer soft-declined an exemption.
type Rate struct {
	Claimed, SoftDeclined int
}

// minClaims is the number of claims from which a rate is meaningful.
const minClaims = 20

// Exceeds reports whether the issuer soft-declines more than percent of the claims. No rate exceeds a percent of 0.
func (r Rate) Exceeds(percent int64) bool {
	return percent > 0 && r.Claimed >= minClaims && int64(r.SoftDeclined)*100 > percent*int64(r.Claimed)
}

// Choice is the decision. It is recorded with the payment.
type Choice struct {
	Route      threeds.Route
	Preference threeds.Preference
	Exemption  threeds.Exemption
	Reason     Reason
	// PassedOver are the exemptions that would have applied, but that the issuer declines too often.
	PassedOver []threeds.Exemption
}

// Reason says why a Choice was made.
type Reason string

const (
	BecauseSoftDecline  Reason = "soft_decline"
	BecauseForced       Reason = "forced"
	BecauseMIT          Reason = "merchant_initiated"
	BecauseOutOfScope   Reason = "out_of_scope" // issuer or acquirer is outside of EEA and United Kingdom
	BecauseSeries       Reason = "first_of_series"
	BecauseAddCard      Reason = "add_card"
	BecausePreference   Reason = "merchant_preference"
	BecauseRequested    Reason = "requested_exemption"
	BecauseInadmissible Reason = "requested_exemption_inadmissible" // the amount is above the exemption's legal limit, or unknown
	BecauseNoWay        Reason = "exemption_not_taken"              // neither the message version nor the processor can carry the exemption
	BecauseLowValue     Reason = "low_value"
	BecauseTRA          Reason = "transaction_risk_analysis"
	BecauseTrusted      Reason = "trusted_beneficiary"
	BecauseCorporate    Reason = "secure_corporate"
	BecauseNothing      Reason = "no_preference"
	BecauseNotAsked     Reason = "not_asked"
)

// Limits of exemptions, in euro cents (PSD2 RTS, articles 16 and 18).
const (
	lowValueLimit = 30_00
	lowValueSum   = 100_00
	lowValueCount = 5
	traLimit      = 500_00
)

// Choose decides whether a payment's payer is challenged, spared by an exemption, or neither. Demands come before exemptions, and a payment
// claims one exemption at a time. The profile's rules lower friction only if the profile switched them on. messageVersion is "" before
// prepare: the exemption is then meant for 3-D Secure, and the caller calls Choose again once the version is known.
func Choose(cfg threeds.Config, p Payer, messageVersion string) Choice {
	switch {
	case p.MIT: // no payer is there to answer a challenge, whichever party demands it
		return Choice{Reason: BecauseMIT}
	case p.SoftDeclined:
		return Choice{Route: threeds.Route3DS, Preference: threeds.IssuerDemanded, Reason: BecauseSoftDecline}
	case p.Forced:
		return Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseForced}
	case outOfScope(p.IssuerCountry, p.AcquirerCountry):
		if !p.Asked {
			return Choice{Reason: BecauseOutOfScope}
		}
		return Choice{Route: threeds.Route3DS, Preference: p.Preference, Reason: BecauseOutOfScope}
	case p.Asked && p.AddCard:
		return Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseAddCard}
	case p.Asked && p.FirstOfSeries:
		return Choice{Route: threeds.Route3DS, Preference: threeds.ChallengeMandated, Reason: BecauseSeries}
	case p.Asked && wantsChallenge(p.Preference):
		return Choice{Route: threeds.Route3DS, Preference: p.Preference, Reason: BecausePreference}
	case p.Requested != threeds.NoExemption && !admissible(p.Requested, p):
		return fallback(p, BecauseInadmissible)
	case p.Requested != threeds.NoExemption:
		return claim(cfg, p, messageVersion, p.Requested, BecauseRequested)
	case cfg.ExemptionPolicy == threeds.RuleRules && !p.AddCard && !p.FirstOfSeries:
		return byRules(cfg, p, messageVersion)
	}
	return fallback(p, reasonOf(p))
}

// byRules claims the first exemption that the profile switched on, that applies, and that the issuer does not decline too often.
func byRules(cfg threeds.Config, p Payer, messageVersion string) Choice {
	var passed []threeds.Exemption
	r := cfg.ExemptionRules
	for _, rule := range []struct {
		exemption threeds.Exemption
		applies   bool
		reason    Reason
	}{
		{threeds.ExemptLowValue, r.LowValue == threeds.RuleOn && admissible(threeds.ExemptLowValue, p), BecauseLowValue},
		{threeds.ExemptTRA, p.RiskAccepted && p.EURCents <= traBand(r.TRAThresholdEUR, p.FraudRate)*100 && r.TRAThresholdEUR > 0 && admissible(threeds.ExemptTRA, p), BecauseTRA},
		{threeds.ExemptTrustedBeneficiary, r.TrustedBeneficiary == threeds.RuleOn && p.TrustListed, BecauseTrusted},
		{threeds.ExemptSecureCorporate, r.SecureCorporate == threeds.RuleOn && p.Corporate && p.SecureChannel, BecauseCorporate},
	} {
		switch {
		case !rule.applies:
		case p.Rates[rule.exemption].Exceeds(r.SuppressAbovePercent):
			passed = append(passed, rule.exemption)
		default:
			c := claim(cfg, p, messageVersion, rule.exemption, rule.reason)
			c.PassedOver = passed
			return c
		}
	}
	c := fallback(p, reasonOf(p))
	c.PassedOver = passed
	return c
}

// traBand returns the limit of risk analysis in euros: the profile's threshold, capped by the acquirer's fraud rate (PSD2 RTS, annex:
// reference fraud rates of remote card payments). It returns -1 for a rate above all bands.
func traBand(threshold int64, fraudRate *float64) int64 {
	if fraudRate == nil {
		return threshold
	}
	for _, band := range []struct {
		percent float64
		euros   int64
	}{{0.01, 500}, {0.06, 250}, {0.13, 100}} {
		if *fraudRate <= band.percent {
			return min(threshold, band.euros)
		}
	}
	return -1
}

// admissible reports whether the law's own limits allow a claim of the exemption. The merchant answers for its acquirer's limits.
func admissible(e threeds.Exemption, p Payer) bool {
	if p.AddCard || p.FirstOfSeries {
		return false
	}
	known := p.EURCents >= 0
	switch e {
	case threeds.ExemptLowValue:
		return known && p.EURCents <= lowValueLimit && !p.Counters.Exhausted()
	case threeds.ExemptTRA:
		return known && p.EURCents <= traLimit
	}
	return true
}

// claim finds the exemption's route. If the processor does not accept it in an authorization, it goes through 3-D Secure. If the message
// version cannot carry it either, claim claims nothing, and the payment goes on as without an exemption.
func claim(cfg threeds.Config, p Payer, messageVersion string, e threeds.Exemption, reason Reason) Choice {
	c := Choice{Route: threeds.Route3DS, Exemption: e, Reason: reason}
	said := messageVersion == "" || e.HasIndicator(messageVersion) // true if 3-D Secure can carry it
	if !slices.Contains(p.ProcessorTakes, e) || only3DS(e) {
		if !p.Asked || !said { // no way to claim it
			return fallback(p, BecauseNoWay)
		}
		return c
	}
	switch {
	case !p.Asked, cfg.ExemptionRules.Route == threeds.RuleAuthorization, cfg.ExemptionRules.Route == threeds.RuleAuto && !said:
		c.Route = threeds.RouteAuthorization
	}
	return c
}

// only3DS reports whether an exemption has a meaning only in a 3-D Secure request.
func only3DS(e threeds.Exemption) bool {
	return e == threeds.ExemptDataOnly || e == threeds.ExemptDelegation
}

// fallback returns the choice without a claim.
func fallback(p Payer, reason Reason) Choice {
	if !p.Asked {
		return Choice{Reason: reason}
	}
	return Choice{Route: threeds.Route3DS, Preference: p.Preference, Reason: reason}
}

func reasonOf(p Payer) Reason {
	switch {
	case !p.Asked:
		return BecauseNotAsked
	case p.Preference != threeds.NoPreference:
		return BecausePreference
	}
	return BecauseNothing
}

func wantsChallenge(p threeds.Preference) bool {
	return p != threeds.NoPreference && p != threeds.NoChallenge
}

// outOfScope reports whether the issuer or the acquirer is known to be outside of the European Economic Area and the United Kingdom.
func outOfScope(issuer, acquirer string) bool {
	return issuer != "" && !slices.Contains(scaCountries, issuer) || acquirer != "" && !slices.Contains(scaCountries, acquirer)
}

// scaCountries are the countries whose law requires strong customer authentication: the EEA (with the outermost regions of the Union that
// have codes of their own) and the United Kingdom.
var scaCountries = []string{"AT", "AX", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GF", "GP", "GR", "HR", "HU",
	"IE", "IS", "IT", "LI", "LT", "LU", "LV", "MF", "MQ", "MT", "NL", "NO", "PL", "PT", "RE", "RO", "SE", "SI", "SK", "YT"}
