package routing

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/routing/health"
	"payswitch/engine/routing/rule"
	"payswitch/engine/threeds/flow"
)

// StoredCredential picks the connector account for a stored credential, in the order of the routing. It takes the first account that has its
// own reference, or that takes the card with the network's transaction id. If the payment names no connector, the profile's other accounts
// come last, because a credential works only at the account that made it.
func (t *Router) StoredCredential(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card, input func() *rule.Input) (*Route, error) {
	all, err := t.Dir.Accounts(ctx, w.Payment.MerchantID)
	if err != nil {
		return nil, err
	}
	all = processors(all, w.Profile.ID)
	chosen, err := t.choose(ctx, all, w.Payment, w.Profile, nil, input)
	if err != nil {
		return nil, t.Dir.OrAltered(ctx, w.Payment.MerchantID, "", err)
	}
	list := chosen.list
	if chosen.named {
		list = list[:chosen.own] // the caller wants this account or none
	} else {
		for _, a := range all {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	if r := in.Recurring; r != nil && r.AccountID != "" {
		list = slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.ID != r.AccountID })
		if len(list) == 0 {
			return nil, t.Dir.OrAltered(ctx, w.Payment.MerchantID, r.AccountID, fault.NotFound("Merchant connector account").WithParam("recurring_details.data.merchant_connector_id"))
		}
		chosen = &candidates{named: true, own: 1, trace: &routed.Trace{By: routed.ByCredential}}
	}
	turns := t.turns(w.Profile, &candidates{list: list, named: chosen.named, own: len(list)})
	var otherCurrency bool
	leave := func(a *account.Account, why routed.Why) {
		chosen.trace.Left = append(chosen.trace.Left, routed.LeftOut{Account: a.ID, Why: why})
	}
	for n := 0; n < len(turns); n++ {
		i := turns[n].place
		a := list[i]
		info, why := t.fits(a, w.Payment, w.Profile, &c.Facts)
		if why == routed.LeftDisabled && chosen.named && i < chosen.own {
			return nil, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: a.Connector, Param: "merchant_connector_id", Hint: "Enable the account, or name another one."}
		}
		if why != "" {
			leave(a, why)
			continue
		}
		fits, crossed := w.Instrument.Fits(w.Payment, w.Profile, a.ID, info.Manifest.Features)
		otherCurrency = otherCurrency || crossed
		if !fits {
			leave(a, routed.LeftCredential)
			continue
		}
		if turns[n].standing == health.Trial && !t.Health.Begin(keyOf(a)) { // another payment tries it
			turns = append(turns, try{i, health.Out, false})
			continue
		}
		// An authentication needs the card even if the processor charges its own reference.
		if m := w.Instrument.Method; m != nil && (w.Instrument.Reference == nil || m.HasCard && flow.RunsExternal3DS(w, in)) {
			if err := t.Methods.TakeNumber(ctx, m, c); err != nil {
				return nil, err
			}
		}
		chosen.taken(i)
		chosen.trace.Trial = turns[n].standing == health.Trial
		chosen.trace.Left = append(chosen.trace.Left, passed(turns, n, list)...)
		return &Route{Account: a, Adapter: info, Trace: chosen.trace}, nil
	}
	if otherCurrency {
		return nil, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Cross currency mandates not supported", Param: "currency", Hint: "Charge in the mandate's currency."}
	}
	none := severalCaptures(w.Payment, list, chosen.trace.Left)
	if none == nil {
		none = fault.NoConnector("no account of the profile has a credential for this payment method that it may charge")
		if w.Instrument.Method != nil {
			none = none.WithHint(`To charge a card without the customer, save it in a payment with "setup_future_usage": "off_session".`)
		}
	}
	return nil, t.Dir.OrAltered(ctx, w.Payment.MerchantID, "", none)
}
