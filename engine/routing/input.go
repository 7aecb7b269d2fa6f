package routing

import (
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routing/rule"
)

// InputOf returns the facts of a payment that rules compare. in is the request that confirms the payment, nil for a stored payment; c is its
// card. authentication is the authentication type after the decisions, "" if neither request nor decision gave one.
func InputOf(p *payment.Payment, profile *account.Profile, in *request.Input, c *card.Card) *rule.Input {
	r, d := &rule.Input{}, &p.Details
	method, kind := payment.MethodCard, strings.ToLower(c.Facts.Type)
	if in != nil {
		if in.PaymentMethod != "" {
			method = in.PaymentMethod
		}
		if kind != "credit" && kind != "debit" {
			kind = in.PaymentMethodType
		}
	}
	r.SetEnum(rule.PaymentMethod, method)
	r.SetMethodType(kind)
	r.SetEnum(rule.CardNetwork, string(c.Facts.Network))
	r.SetText(rule.CardBIN, c.Facts.BIN)
	if n := c.Secrets.Number; !n.IsZero() && len(n.Reveal()) >= 8 {
		r.SetText(rule.ExtendedBIN, n.Reveal()[:8])
	}
	r.SetCountry(rule.IssuerCountry, c.Facts.CountryCode)
	r.SetText(rule.IssuerName, c.Facts.Issuer)
	r.SetAmount(p.NetAmount)
	r.SetEnum(rule.Currency, string(p.Currency))
	r.SetEnum(rule.AuthenticationType, string(d.AuthenticationType))
	if m := d.CaptureMethod; m == payment.CaptureAutomatic || m == payment.CaptureManual || m == payment.CaptureSequentialAutomatic {
		r.SetEnum(rule.CaptureMethod, string(m))
	}
	r.SetEnum(rule.SetupFutureUsage, string(d.SetupFutureUsage))
	setMandate(r, p, in)
	r.SetEnum(rule.Initiator, map[bool]string{true: "merchant", false: "customer"}[optional.IsTrue(d.OffSession)])
	r.SetCountry(rule.BillingCountry, billingCountry(p, profile))
	r.SetCountry(rule.BusinessCountry, d.BusinessCountry)
	r.SetText(rule.BusinessLabel, d.BusinessLabel)
	r.SetMetadata(d.Metadata)
	return r
}

func setMandate(r *rule.Input, p *payment.Payment, in *request.Input) {
	kind := "non_mandate"
	terms := p.Details.Mandate
	switch {
	case in != nil && in.Recurring != nil && in.Recurring.Type == request.RecurringProcessorToken:
		kind = "ppt_mandate"
	case terms != nil || in != nil && in.MandateData != nil:
		kind = "setup_mandate"
	}
	r.SetEnum(rule.PaymentType, kind)
	if terms == nil {
		return
	}
	r.SetEnum(rule.MandateType, map[bool]string{true: "single_use", false: "multi_use"}[terms.SingleUse])
	if a := p.Private.Acceptance; a != nil {
		r.SetEnum(rule.AcceptanceType, a.Type)
	}
}

// billingCountry returns the country of the payment method's billing address. Where the profile allows it, the payment's own address completes
// that address.
func billingCountry(p *payment.Payment, profile *account.Profile) string {
	if b := p.Private.MethodBilling; b != nil && b.Address != nil && b.Address.Country != "" {
		return b.Address.Country
	}
	if b := p.Private.Billing; b != nil && b.Address != nil && profile.Settings.UseBillingAsMethodBilling {
		return b.Address.Country
	}
	return ""
}
