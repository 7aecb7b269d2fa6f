package engine

import (
	"context"
	"slices"
)

// routeUse picks the connector account for a stored credential: in the order of the routing the first account that has a reference of
// its own to it, or may be given the card with the network's transaction id. Where the payment names no connector, accounts of the
// profile that the routing leaves out are tried last: a credential sticks to the account it was made at.
func (e *Engine) routeUse(ctx context.Context, w *work, in *PaymentInput, c *card) (*Account, AdapterInfo, error) {
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
		fits, crossed := w.use.fits(w.p, w.profile, a, info)
		otherCurrency = otherCurrency || crossed
		if !fits {
			continue
		}
		// An authentication of ours needs the card, too.
		if m := w.use.method; m != nil && (w.use.reference == nil || m.HasCard && runsExternal3DS(w, in)) {
			if err := e.takeNumber(ctx, w.use.method, c); err != nil {
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

// fits says whether an account can charge the stored credential, and chooses how: its own reference goes before the card with the
// network's transaction id. crossed says that its reference is good for another currency only.
func (u *use) fits(p *Payment, profile *Profile, a *Account, info AdapterInfo) (fits, crossed bool) {
	f := info.Manifest.Features
	switch {
	case u.processorToken != "":
		return f.StoredCredential, false
	case u.network != "":
		return f.NetworkMIT, false
	}
	u.reference = nil
	if r, ok := u.method.Details.Accounts[a.ID]; ok && r.Credential != nil && f.StoredCredential {
		if r.Currency == "" || r.Currency == p.Currency {
			u.reference = &r
			return true, false
		}
		crossed = true
	}
	return u.method.viaNetwork(profile) && f.NetworkMIT, crossed
}

// viaNetwork says whether any connector may be given the card with the network's transaction id.
func (m *PaymentMethod) viaNetwork(profile *Profile) bool {
	return profile.Settings.AgnosticMIT && m.HasCard && m.Details.NetworkTransactionID != ""
}

// recurringEnabled says whether a method can be charged without the customer under a profile: an account of the profile has a reference
// to it, or any connector may be given the card with the network's transaction id.
func (m *PaymentMethod) recurringEnabled(profile *Profile, accounts []*Account) bool {
	for _, a := range accounts {
		if r, ok := m.Details.Accounts[a.ID]; ok && r.Credential != nil && a.ProfileID == profile.ID {
			return true
		}
	}
	return m.viaNetwork(profile)
}
