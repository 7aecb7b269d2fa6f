package engine

import (
	"context"
	"slices"
)

// routeInstrument picks the connector account for a stored credential: in the order of the routing, the first account that has a reference of its
// own, or that takes the card with the network's transaction id. Where the payment names no connector, the profile's other accounts are tried
// last: a credential is good only at the account that made it.
func (e *Engine) routeInstrument(ctx context.Context, w *confirming, in *PaymentInput, c *card) (*Account, AdapterInfo, error) {
	all, err := e.dir.accounts(ctx, w.p.MerchantID)
	if err != nil {
		return nil, AdapterInfo{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(a *Account) bool { return a.Type != typeProcessor || a.ProfileID != w.profile.ID })
	named := w.p.Details.Routing != nil
	candidates, err := choose(all, w.p.Details.Routing, w.profile.Fallback)
	if err != nil {
		return nil, AdapterInfo{}, e.dir.orAltered(ctx, w.p.MerchantID, "", err)
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
		candidates = slices.DeleteFunc(slices.Clone(all), func(a *Account) bool { return a.ID != r.AccountID })
		if len(candidates) == 0 {
			return nil, AdapterInfo{}, e.dir.orAltered(ctx, w.p.MerchantID, r.AccountID, NotFound("Merchant connector account"))
		}
		named = true
	}
	var otherCurrency bool
	for _, a := range candidates {
		if a.Disabled || !a.Active {
			if named {
				return nil, AdapterInfo{}, &Error{Kind: KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: a.Connector}
			}
			continue
		}
		info, ok := e.connectors.Adapter(a.Connector)
		if !ok || !takes(info.Manifest, w.p, c.facts.Network) {
			continue
		}
		fits, crossed := w.instrument.fits(w.p, w.profile, a.ID, info.Manifest.Features)
		otherCurrency = otherCurrency || crossed
		if !fits {
			continue
		}
		// An authentication needs the card also where the processor charges its own reference.
		if m := w.instrument.Method; m != nil && (w.instrument.Reference == nil || m.HasCard && runsExternal3DS(w, in)) {
			if err := e.takeNumber(ctx, m, c); err != nil {
				return nil, AdapterInfo{}, err
			}
		}
		return a, info, nil
	}
	if otherCurrency {
		return nil, AdapterInfo{}, &Error{Kind: KindInvalid, Code: "HE_03", Message: "Mandate Validation Failed", Reason: "Cross currency mandates not supported"}
	}
	return nil, AdapterInfo{}, e.dir.orAltered(ctx, w.p.MerchantID, "",
		noConnector("no account of the profile has a credential for this payment method that it may charge"))
}
