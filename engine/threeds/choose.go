package threeds

import "slices"

// Route is where a payment goes first.
type Route string

const (
	RouteNone          Route = ""              // to the processor, with nothing claimed
	Route3DS           Route = "3ds"           // to the authenticator, with Choice.Preference and Choice.Exemption
	RouteAuthorization Route = "authorization" // to the processor, which is told Choice.Exemption
)

// Payer is what is known of a payment when it is decided whether its payer is to be challenged. Zero values are unknown, or no.
type Payer struct {
	// EURCents is the amount, see EURCents; negative is unknown.
	EURCents int64
	// IssuerCountry and AcquirerCountry are ISO 3166-1 alpha-2 codes.
	IssuerCountry, AcquirerCountry string

	Asked         bool       // the payment asks for authentication
	Forced        bool       // and for a challenge (force_3ds_challenge of payment or profile)
	Preference    Preference // the merchant's, of this payment
	Requested     Exemption  // the one this payment asks for
	MIT           bool       // merchant-initiated: the payer is not there
	FirstOfSeries bool       // the card will be charged again without the payer
	AddCard       bool       // a card is stored, nothing is paid
	SoftDeclined  bool       // the issuer declined this payment for want of authentication

	Counters     Counters
	RiskAccepted bool // a risk analysis of the payment found nothing against it
	// FraudRate is the acquirer's, percent of the value of its card payments; nil where it is not known: then the profile's threshold holds alone.
	FraudRate     *float64
	TrustListed   bool // the issuer told that the payer has put the merchant on its list
	Corporate     bool // a corporate card
	SecureChannel bool // used over a dedicated corporate process
	// ProcessorTakes are the exemptions that the routed processor takes in an authorization.
	ProcessorTakes []Exemption
	// Rates are those of the card's issuer (by BIN) so far.
	Rates map[Exemption]Rate
}

// Counters are what we saw a card pay as low value since we last saw its payer authenticated. The issuer has its own.
type Counters struct {
	Count    int
	EURCents int64
}

// Exhausted says whether nothing more may be claimed as low value until the payer has been authenticated.
func (c Counters) Exhausted() bool { return c.Count >= lowValueCount || c.EURCents > lowValueSum }

// NoCounters are those of a card that cannot be told from others: they allow nothing.
var NoCounters = Counters{Count: lowValueCount}

// Rate is how often an issuer soft-declined an exemption.
type Rate struct {
	Claimed, SoftDeclined int
}

// minClaims is how many claims a rate needs to say anything.
const minClaims = 20

// Exceeds says whether the issuer declines more than percent of what was claimed; a percent of 0 is never exceeded.
func (r Rate) Exceeds(percent int64) bool {
	return percent > 0 && r.Claimed >= minClaims && int64(r.SoftDeclined)*100 > percent*int64(r.Claimed)
}

// Choice is what was decided; it is recorded with the payment.
type Choice struct {
	Route      Route
	Preference Preference
	Exemption  Exemption
	Reason     Reason
	// Passed over are the exemptions that would have applied, but that the issuer declines too often.
	PassedOver []Exemption
}

// Reason is why a Choice was made.
type Reason string

const (
	BecauseSoftDecline  Reason = "soft_decline"
	BecauseForced       Reason = "forced"
	BecauseMIT          Reason = "merchant_initiated"
	BecauseOutOfScope   Reason = "out_of_scope" // one leg is outside of EEA and United Kingdom
	BecauseSeries       Reason = "first_of_series"
	BecauseAddCard      Reason = "add_card"
	BecausePreference   Reason = "merchant_preference"
	BecauseRequested    Reason = "requested_exemption"
	BecauseInadmissible Reason = "requested_exemption_inadmissible" // its legal limit is passed, or unknown: nothing is claimed
	BecauseNoWay        Reason = "exemption_not_taken"              // neither the version nor the processor has a word for it
	BecauseLowValue     Reason = "low_value"
	BecauseTRA          Reason = "transaction_risk_analysis"
	BecauseTrusted      Reason = "trusted_beneficiary"
	BecauseCorporate    Reason = "secure_corporate"
	BecauseNothing      Reason = "no_preference"
	BecauseNotAsked     Reason = "not_asked"
)

// Limits of exemptions, euro cents (PSD2 RTS, articles 16 and 18).
const (
	lowValueLimit = 30_00
	lowValueSum   = 100_00
	lowValueCount = 5
	traLimit      = 500_00
)

// Choose decides whether a payment's payer is challenged, spared by an exemption, or neither. Demands come first, exemptions after; one
// exemption is claimed at a time. Rules of the profile lower friction only where the profile switched them on. messageVersion is "" before
// prepare: then an exemption is meant to go through 3-D Secure, and Choose is to be asked again once the version is known.
func Choose(cfg Config, p Payer, messageVersion string) Choice {
	switch {
	case p.MIT: // nobody could answer a challenge, whoever demands it
		return Choice{Reason: BecauseMIT}
	case p.SoftDeclined:
		return Choice{Route: Route3DS, Preference: IssuerDemanded, Reason: BecauseSoftDecline}
	case p.Forced:
		return Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseForced}
	case outOfScope(p.IssuerCountry, p.AcquirerCountry):
		if !p.Asked {
			return Choice{Reason: BecauseOutOfScope}
		}
		return Choice{Route: Route3DS, Preference: p.Preference, Reason: BecauseOutOfScope}
	case p.Asked && p.AddCard:
		return Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseAddCard}
	case p.Asked && p.FirstOfSeries:
		return Choice{Route: Route3DS, Preference: ChallengeMandated, Reason: BecauseSeries}
	case p.Asked && wantsChallenge(p.Preference):
		return Choice{Route: Route3DS, Preference: p.Preference, Reason: BecausePreference}
	case p.Requested != NoExemption && !admissible(p.Requested, p):
		return fallback(p, BecauseInadmissible)
	case p.Requested != NoExemption:
		return claim(cfg, p, messageVersion, p.Requested, BecauseRequested)
	case cfg.ExemptionPolicy == RuleRules && !p.AddCard && !p.FirstOfSeries:
		return byRules(cfg, p, messageVersion)
	}
	return fallback(p, reasonOf(p))
}

// byRules claims the first exemption that the profile switched on, that applies, and that the issuer takes.
func byRules(cfg Config, p Payer, messageVersion string) Choice {
	var passed []Exemption
	r := cfg.ExemptionRules
	for _, rule := range []struct {
		exemption Exemption
		applies   bool
		reason    Reason
	}{
		{ExemptLowValue, r.LowValue == RuleOn && admissible(ExemptLowValue, p), BecauseLowValue},
		{ExemptTRA, p.RiskAccepted && p.EURCents <= traBand(r.TRAThresholdEUR, p.FraudRate)*100 && r.TRAThresholdEUR > 0 && admissible(ExemptTRA, p), BecauseTRA},
		{ExemptTrustedBeneficiary, r.TrustedBeneficiary == RuleOn && p.TrustListed, BecauseTrusted},
		{ExemptSecureCorporate, r.SecureCorporate == RuleOn && p.Corporate && p.SecureChannel, BecauseCorporate},
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

// traBand is up to where, in euros, risk analysis may be claimed: the profile's threshold, and no more than the acquirer's fraud rate allows (PSD2 RTS,
// annex: reference fraud rates of remote card payments).
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

// admissible says whether the law's own limits allow to claim an exemption. What the acquirer allows is the merchant's to know.
func admissible(e Exemption, p Payer) bool {
	if p.AddCard || p.FirstOfSeries {
		return false
	}
	known := p.EURCents >= 0
	switch e {
	case ExemptLowValue:
		return known && p.EURCents <= lowValueLimit && !p.Counters.Exhausted()
	case ExemptTRA:
		return known && p.EURCents <= traLimit
	}
	return true
}

// claim finds the exemption's route. One that the processor does not take in an authorization goes through 3-D Secure; where that has no
// word for it either, nothing is claimed and the payer is authenticated as without.
func claim(cfg Config, p Payer, messageVersion string, e Exemption, reason Reason) Choice {
	c := Choice{Route: Route3DS, Exemption: e, Reason: reason}
	said := messageVersion == "" || hasIndicator(e, messageVersion) // can 3-D Secure say it?
	if !slices.Contains(p.ProcessorTakes, e) || only3DS(e) {
		if !p.Asked || !said { // nowhere to claim it
			return fallback(p, BecauseNoWay)
		}
		return c
	}
	switch {
	case !p.Asked, cfg.ExemptionRules.Route == RuleAuthorization, cfg.ExemptionRules.Route == RuleAuto && !said:
		c.Route = RouteAuthorization
	}
	return c
}

// only3DS says whether an exemption makes sense in a 3-D Secure request alone.
func only3DS(e Exemption) bool { return e == ExemptDataOnly || e == ExemptDelegation }

// fallback is what is done when nothing is claimed.
func fallback(p Payer, reason Reason) Choice {
	if !p.Asked {
		return Choice{Reason: reason}
	}
	return Choice{Route: Route3DS, Preference: p.Preference, Reason: reason}
}

func reasonOf(p Payer) Reason {
	switch {
	case !p.Asked:
		return BecauseNotAsked
	case p.Preference != NoPreference:
		return BecausePreference
	}
	return BecauseNothing
}

func wantsChallenge(p Preference) bool { return p != NoPreference && p != NoChallenge }

func hasIndicator(e Exemption, messageVersion string) bool {
	return slices.ContainsFunc(exemptionInds, func(i exemptionInd) bool {
		return i.exemption == e && version(messageVersion).atLeast(i.since)
	})
}

// outOfScope says whether a leg of the payment is known to be outside of the European Economic Area and the United Kingdom.
func outOfScope(issuer, acquirer string) bool {
	return issuer != "" && !slices.Contains(scaCountries, issuer) || acquirer != "" && !slices.Contains(scaCountries, acquirer)
}

// scaCountries are those where strong customer authentication is law: EEA (with the outermost regions that are part of the Union and
// have codes of their own) and the United Kingdom.
var scaCountries = []string{"AT", "AX", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GB", "GF", "GP", "GR", "HR", "HU",
	"IE", "IS", "IT", "LI", "LT", "LU", "LV", "MF", "MQ", "MT", "NL", "NO", "PL", "PT", "RE", "RO", "SE", "SI", "SK", "YT"}
