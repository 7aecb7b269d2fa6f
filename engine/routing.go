package engine

import (
	"context"
	"slices"

	"payswitch/sdk"
)

// route picks the connector account of a payment: the routing field, else the profile's fallback list, else the only account; then
// whatever can take the payment. The first that can is used (contract: connector choice order).
func (e *Engine) route(ctx context.Context, p *Payment, profile *Profile, network sdk.CardNetwork) (*Account, AdapterInfo, error) {
	all, err := e.dir.accounts(ctx, p.MerchantID)
	if err != nil {
		return nil, AdapterInfo{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(a *Account) bool { return a.Type != typeProcessor || a.ProfileID != profile.ID })
	candidates, err := choose(all, p.Details.Routing, profile.Fallback)
	if err != nil {
		return nil, AdapterInfo{}, e.dir.orAltered(ctx, p.MerchantID, "", err)
	}
	named := p.Details.Routing != nil
	var refused *Error // why the first that could take the payment may not
	for _, a := range candidates {
		if a.Disabled || !a.Active {
			if named {
				return nil, AdapterInfo{}, &Error{Kind: KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: a.Connector}
			}
			continue
		}
		info, ok := e.connectors.Adapter(a.Connector)
		if !ok || !takes(info.Manifest, p, network) {
			continue
		}
		more := awaiting(a, info)
		if more.IsEmpty() {
			return a, info, nil
		}
		if err := e.notApproved(ctx, a, info, more); refused == nil {
			refused = err
		}
	}
	if refused != nil {
		return nil, AdapterInfo{}, refused
	}
	return nil, AdapterInfo{}, e.dir.orAltered(ctx, p.MerchantID, "", noConnector(""))
}

func choose(all []*Account, routing *Routing, fallback []string) ([]*Account, error) {
	if routing == nil {
		if len(all) == 1 {
			return all, nil
		}
		var out []*Account
		for _, id := range fallback {
			if i := slices.IndexFunc(all, func(a *Account) bool { return a.ID == id }); i >= 0 {
				out = append(out, all[i])
			}
		}
		return out, nil
	}
	var out []*Account
	for _, c := range routing.Choices {
		for _, a := range all {
			if a.Connector == c.Connector && (c.AccountID == "" || c.AccountID == a.ID) {
				out = append(out, a)
			}
		}
	}
	if len(out) == 0 {
		return nil, &Error{Kind: KindNotFound, Code: "HE_04", Message: "The connector provided in the request is incorrect or not available", Param: "routing"}
	}
	return out, nil
}

// takes says whether an adapter can take the payment by what its manifest says.
func takes(m *sdk.Manifest, p *Payment, network sdk.CardNetwork) bool {
	need := sdk.OpAuthorize
	if p.NetAmount == 0 {
		need = sdk.OpVerify
	}
	capture := adapterCapture(p.Details.CaptureMethod)
	switch {
	case m.Kind != sdk.KindProcessor, !slices.Contains(m.Operations, need) && !slices.Contains(m.Operations, sdk.OpAuthorize):
		return false
	case len(m.Currencies) > 0 && !slices.Contains(m.Currencies, p.Currency):
		return false
	case len(m.Networks) > 0 && network != "" && !slices.Contains(m.Networks, network):
		return false
	case len(m.Captures) > 0 && !slices.Contains(m.Captures, capture):
		return false
	case p.Details.CaptureMethod == captureManualMultiple && !m.Features.MultipleCapture:
		return false
	}
	return true
}
