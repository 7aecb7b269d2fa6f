package routing

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"

	"payswitch/engine/account"
	"payswitch/engine/alarm"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/routing/rule"
)

// Surcharges are a merchant's surcharge rules, for one payment. nil has no rule.
type Surcharges struct {
	program *Compiled
	// ShowBreakup is show_surcharge_breakup_screen: the checkout shows the surcharge apart from the amount.
	ShowBreakup bool

	in   *rule.Input
	base int64
}

// Surcharge is what a payment costs beyond its amount, in minor units.
type Surcharge struct {
	Terms       *rule.ChargeTerms
	Amount, Tax int64
}

// SurchargesFor returns the surcharge rules of a payment's merchant for the methods that a checkout offers, nil for none. A payment whose request named its own
// surcharge_details has none, and neither has one without an amount.
func (s *Rules) SurchargesFor(ctx context.Context, m *account.Merchant, profile *account.Profile, p *payment.Payment) (*Surcharges, error) {
	base := beforeRules(p)
	if base <= 0 || p.Details.SurchargeNamed {
		return nil, nil
	}
	program, shown, err := s.surchargesOf(ctx, m)
	if program == nil || err != nil {
		return nil, err
	}
	in := InputOf(p, profile, nil, &card.Card{})
	in.SetAmount(base)
	return &Surcharges{program: program, ShowBreakup: shown, in: in, base: base}, nil
}

// Of returns the surcharge of a method, nil for none. network is "" for methods without a card.
func (s *Surcharges) Of(method, kind, network string) *Surcharge {
	if s == nil {
		return nil
	}
	s.in.SetEnum(rule.PaymentMethod, method)
	s.in.SetMethodType(kind)
	s.in.SetEnum(rule.CardNetwork, network)
	return s.of()
}

func (s *Surcharges) of() *Surcharge {
	terms := s.program.selection(s.in).Surcharge
	if terms == nil {
		return nil
	}
	amount, tax := terms.Of(s.base)
	return &Surcharge{terms, amount, tax}
}

// beforeRules returns the amount of a payment without the surcharge of rules and without the interest of installments.
func beforeRules(p *payment.Payment) int64 {
	base := p.NetAmount - p.Details.InstallmentInterest()
	if p.Details.SurchargeRuled {
		base -= p.Details.SurchargeAmount
	}
	return base
}

// Surcharge adds to a payment that is being confirmed the surcharge that the merchant's rules say. Each confirm decides anew, because another card may cost
// something else. A charge without the payer has no surcharge: the payer could not agree to it. input returns the facts for rules, with the amount without
// surcharge. A program that cannot be read adds nothing.
func (t *Router) Surcharge(ctx context.Context, w *change.Confirming, input func() *rule.Input) {
	p := w.Payment
	if p.Details.SurchargeNamed || p.NetAmount == 0 || optional.IsTrue(p.Details.OffSession) || w.Instrument != nil && (w.Instrument.Stored || w.Instrument.Reference != nil) {
		return
	}
	program, _, err := t.Rules.surchargesOf(ctx, w.Merchant)
	if err != nil {
		t.Metrics.Alarm(alarm.RoutingUnreadable)
		t.Log.LogAttrs(ctx, slog.LevelError, "the surcharge rules cannot be read; the payment has no surcharge", slog.String("payment_id", p.ID), slog.Any("error", err))
		return
	}
	if program == nil {
		return
	}
	in := input()
	s := (&Surcharges{program: program, in: in, base: beforeRules(p)}).of()
	if s == nil || s.Amount+s.Tax == 0 {
		return
	}
	d := &p.Details
	d.Echo = maps.Clone(d.Echo)
	d.SetEcho("surcharge_details", fmt.Sprintf(`{"surcharge_amount":%d,"tax_amount":%d}`, s.Amount, s.Tax))
	d.SurchargeAmount, d.SurchargeRuled = s.Amount+s.Tax, true
	p.NetAmount += d.SurchargeAmount
	w.Attempt.Amount = p.NetAmount
	in.SetAmount(p.NetAmount)
}

// surchargesOf returns the compiled surcharge rules of a merchant, nil without any, and whether a checkout shows the surcharge apart.
func (s *Rules) surchargesOf(ctx context.Context, m *account.Merchant) (*Compiled, bool, error) {
	p, err := s.programsOf(ctx, m)
	if err != nil {
		return nil, false, err
	}
	return p.surcharge, p.showBreakup, p.surchargeErr
}

// showsBreakup reads show_surcharge_breakup_screen of merchant_surcharge_configs.
func showsBreakup(configs json.RawMessage) bool {
	var c struct {
		Show bool `json:"show_surcharge_breakup_screen"`
	}
	return json.Unmarshal(configs, &c) == nil && c.Show
}
