package routing

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/payment"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
)

// OrderOffers returns how a profile's routing orders the accounts of all for a method that a checkout offers for a payment: first what the active
// configuration chooses, then the default list. A configuration that cannot be read chooses nothing; payments raise the alarm about it.
func (s *Rules) OrderOffers(ctx context.Context, profile *account.Profile, p *payment.Payment, all []*account.Account) func(method, kind string) []*account.Account {
	rest := defaults(processors(all, profile.ID), profile)
	id := profile.Settings.ActiveRouting[routed.ForPayment]
	if id == "" {
		return func(string, string) []*account.Account { return rest }
	}
	active, err := s.compiled(ctx, p.MerchantID, id)
	if err != nil {
		return func(string, string) []*account.Account { return rest }
	}
	in := InputOf(p, profile, nil, &card.Card{})
	return func(method, kind string) []*account.Account {
		in.SetEnum(rule.PaymentMethod, method)
		in.SetMethodType(kind)
		var c candidates
		choices, _, _ := active.Choose(in, p.ID)
		for _, choice := range choices {
			c.add(accountsOf(all, choice.Connector, choice.AccountID))
		}
		return slices.Concat(c.list, rest)
	}
}
