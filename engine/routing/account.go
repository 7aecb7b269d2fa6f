package routing

import (
	"context"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/drive"
	"payswitch/engine/fault"
	"payswitch/engine/method"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/sdk"
)

// Router picks connector accounts. All fields are required. It is safe for concurrent use.
type Router struct {
	*account.Registry
	Methods    *method.Methods
	Connectors port.Connectors
}

// Account picks the connector account of a payment with a card. The candidates are the routing field, else the profile's fallback list, else the
// only account. Account returns the first candidate that can take the payment. Errors: HE_03, HE_04, IR_39 as the contract says, and the reason
// why the first candidate that could take the payment is not approved.
func (t *Router) Account(ctx context.Context, p *payment.Payment, profile *account.Profile, network sdk.CardNetwork) (*account.Account, port.AdapterInfo, error) {
	all, err := t.Dir.Accounts(ctx, p.MerchantID)
	if err != nil {
		return nil, port.AdapterInfo{}, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(a *account.Account) bool { return a.Type != account.TypeProcessor || a.ProfileID != profile.ID })
	candidates, err := choose(all, p.Details.Routing, profile.Fallback)
	if err != nil {
		return nil, port.AdapterInfo{}, t.Dir.OrAltered(ctx, p.MerchantID, "", err)
	}
	named := p.Details.Routing != nil
	var refused *fault.Error // why the first candidate that could take the payment may not
	for _, a := range candidates {
		if a.Disabled || !a.Active {
			if named {
				return nil, port.AdapterInfo{}, &fault.Error{Kind: fault.KindInvalid, Code: "HE_03", Message: "The selected merchant connector account is disabled", Connector: a.Connector}
			}
			continue
		}
		info, ok := t.Connectors.Adapter(a.Connector)
		if !ok || !takes(info.Manifest, p, network) {
			continue
		}
		more := account.Awaiting(a, info)
		if more.IsEmpty() {
			return a, info, nil
		}
		if err := t.NotApproved(ctx, a, info, more); refused == nil {
			refused = err
		}
	}
	if refused != nil {
		return nil, port.AdapterInfo{}, refused
	}
	return nil, port.AdapterInfo{}, t.Dir.OrAltered(ctx, p.MerchantID, "", fault.NoConnector(""))
}

func choose(all []*account.Account, routing *payment.Routing, fallback []string) ([]*account.Account, error) {
	if routing == nil {
		if len(all) == 1 {
			return all, nil
		}
		var out []*account.Account
		for _, id := range fallback {
			if i := slices.IndexFunc(all, func(a *account.Account) bool { return a.ID == id }); i >= 0 {
				out = append(out, all[i])
			}
		}
		return out, nil
	}
	var out []*account.Account
	for _, c := range routing.Choices {
		for _, a := range all {
			if a.Connector == c.Connector && (c.AccountID == "" || c.AccountID == a.ID) {
				out = append(out, a)
			}
		}
	}
	if len(out) == 0 {
		return nil, &fault.Error{Kind: fault.KindNotFound, Code: "HE_04", Message: "The connector provided in the request is incorrect or not available", Param: "routing"}
	}
	return out, nil
}

// takes reports whether an adapter can take the payment according to its manifest.
func takes(m *sdk.Manifest, p *payment.Payment, network sdk.CardNetwork) bool {
	need := sdk.OpAuthorize
	if p.NetAmount == 0 {
		need = sdk.OpVerify
	}
	capture := drive.AdapterCapture(p.Details.CaptureMethod)
	switch {
	case m.Kind != sdk.KindProcessor, !slices.Contains(m.Operations, need) && !slices.Contains(m.Operations, sdk.OpAuthorize):
		return false
	case len(m.Currencies) > 0 && !slices.Contains(m.Currencies, p.Currency):
		return false
	case len(m.Networks) > 0 && network != "" && !slices.Contains(m.Networks, network):
		return false
	case len(m.Captures) > 0 && !slices.Contains(m.Captures, capture):
		return false
	case p.Details.CaptureMethod == payment.CaptureManualMultiple && !m.Features.MultipleCapture:
		return false
	}
	return true
}
