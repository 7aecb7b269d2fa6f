package routing

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/port"
	"payswitch/engine/request"
	"payswitch/engine/threeds/flow"
)

// StoredCredential picks the connector account for a stored credential, in the order of the routing. It takes the first account that has its
// own reference, or that takes the card with the network's transaction id. If the payment names no connector, the profile's other accounts
// come last, because a credential works only at the account that made it.
func (t *Router) StoredCredential(ctx context.Context, w *change.Confirming, in *request.Input, c *card.Card) (*account.Account, port.AdapterInfo, error) {
	all, err := t.Dir.Accounts(ctx, w.Payment.MerchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.Type != account.TypeProcessor || a.ProfileID != w.Profile.ID })
	named := w.Payment.Details.Routing != nil
	candidates, err := choose(all, w.Payment.Details.Routing, w.Profile.Fallback)
	if err != nil {
		return nil, port.AdapterInfo{}, t.Dir.OrAltered(ctx, w.Payment.MerchantID, "", err)
	}
	if !named {
		candidates = slices.Clone(candidates)
		for _, a := range all {
			if !slices.Contains(candidates, a) {
				candidates = append(candidates, a)
			}
		}
	}
	if r := in.Recurring; r != nil && r.AccountID != "" {
		candidates = slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.ID != r.AccountID })
		if len(candidates) == 0 {
			return nil, port.AdapterInfo{}, t.Dir.OrAltered(ctx, w.Payment.MerchantID, r.AccountID, fault.NotFound("Merchant connector account"))
		}
		named = true
	}
	var otherCurrency bool
	for _, a := range candidates {
		if a.Disabled || !a.Active {
			if named {
				return nil, port.AdapterInfo{}, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: a.Connector}
			}
			continue
		}
		info, ok := t.Connectors.Adapter(a.Connector)
		if !ok || !takes(info.Manifest, w.Payment, c.Facts.Network) {
			continue
		}
		fits, crossed := w.Instrument.Fits(w.Payment, w.Profile, a.ID, info.Manifest.Features)
		otherCurrency = otherCurrency || crossed
		if !fits {
			continue
		}
		// An authentication needs the card even if the processor charges its own reference.
		if m := w.Instrument.Method; m != nil && (w.Instrument.Reference == nil || m.HasCard && flow.RunsExternal3DS(w, in)) {
			if err := t.Methods.TakeNumber(ctx, m, c); err != nil {
				return nil, port.AdapterInfo{}, err
			}
		}
		return a, info, nil
	}
	if otherCurrency {
		return nil, port.AdapterInfo{}, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Cross currency mandates not supported"}
	}
	return nil, port.AdapterInfo{}, t.Dir.OrAltered(ctx, w.Payment.MerchantID, "",
		fault.NoConnector("no account of the profile has a credential for this payment method that it may charge"))
}
