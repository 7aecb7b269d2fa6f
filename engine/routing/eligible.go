package routing

import (
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routed"
	"payswitch/sdk"
)

// takes returns why an adapter cannot take the payment according to its manifest, "" if it can.
func takes(m *sdk.Manifest, p *payment.Payment, network sdk.CardNetwork) routed.Why {
	need := sdk.OpAuthorize
	if p.NetAmount == 0 {
		need = sdk.OpVerify
	}
	capture := drive.AdapterCapture(p.Details.CaptureMethod)
	switch {
	case m.Kind != sdk.KindProcessor, !slices.Contains(m.Operations, need) && !slices.Contains(m.Operations, sdk.OpAuthorize):
		return routed.LeftOperation
	case len(m.Currencies) > 0 && !slices.Contains(m.Currencies, p.Currency):
		return routed.LeftCurrency
	case len(m.Networks) > 0 && network != "" && !slices.Contains(m.Networks, network):
		return routed.LeftNetwork
	case len(m.Captures) > 0 && !slices.Contains(m.Captures, capture):
		return routed.LeftCapture
	case p.Details.CaptureMethod == payment.CaptureManualMultiple && !m.Features.MultipleCapture:
		return routed.LeftCapture
	}
	return ""
}

// enabledMethod is an entry of payment_methods_enabled, with the fields that routing needs.
type enabledMethod struct {
	Method string        `json:"payment_method"`
	Types  []enabledType `json:"payment_method_types"`
}

type enabledType struct {
	Type       string   `json:"payment_method_type"`
	Networks   []string `json:"card_networks"`
	Currencies *struct {
		Type string   `json:"type"` // enable_only, disable_only, all_accepted
		List []string `json:"list"`
	} `json:"accepted_currencies"`
	Minimum *int64 `json:"minimum_amount"`
	Maximum *int64 `json:"maximum_amount"`
}

// enabled is the parsed payment_methods_enabled of an account. It holds as long as the directory returns the same account.
type enabled struct {
	of      *account.Account
	methods []enabledMethod
	any     bool // the account does not say which methods it takes: it takes what its adapter takes
}

// enabledOf parses payment_methods_enabled of an account, once for each version of the account.
func (t *Router) enabledOf(a *account.Account) *enabled {
	key := a.MerchantID + "/" + a.ID
	if e, ok := t.enabled.get(key); ok && e.of == a {
		return e
	}
	e := &enabled{of: a, any: len(a.PaymentMethods) == 0 || string(a.PaymentMethods) == "null"}
	if !e.any {
		_ = json.Unmarshal(a.PaymentMethods, &e.methods) // the API has checked it
	}
	t.enabled.put(key, e, 0)
	return e
}

// take reports whether the account has enabled a card payment. An unknown type or network of the card fits every entry.
func (e *enabled) take(p *payment.Payment, f *card.Facts) bool {
	if e.any {
		return true
	}
	kind := strings.ToLower(f.Type)
	if kind != "credit" && kind != "debit" {
		kind = ""
	}
	for i := range e.methods {
		if e.methods[i].Method != payment.MethodCard {
			continue
		}
		for j := range e.methods[i].Types {
			if e.methods[i].Types[j].takes(p, kind, string(f.Network)) {
				return true
			}
		}
	}
	return false
}

func (t *enabledType) takes(p *payment.Payment, kind, network string) bool {
	n := p.NetAmount
	switch c := t.Currencies; {
	case kind != "" && t.Type != kind, network != "" && len(t.Networks) > 0 && !slices.Contains(t.Networks, network):
		return false
	case c != nil && c.Type == "enable_only" && !slices.Contains(c.List, string(p.Currency)):
		return false
	case c != nil && c.Type == "disable_only" && slices.Contains(c.List, string(p.Currency)):
		return false
	}
	return n == 0 || (t.Minimum == nil || n >= *t.Minimum) && (t.Maximum == nil || n <= *t.Maximum)
}

// fits returns why an account cannot take a payment, "" if it can, and the account's adapter.
func (t *Router) fits(a *account.Account, p *payment.Payment, f *card.Facts) (port.AdapterInfo, routed.Why) {
	if r := p.Details.Routing; r != nil && len(r.Only) > 0 && !slices.Contains(r.Only, a.Connector) {
		return port.AdapterInfo{}, routed.LeftFilter
	}
	if a.Disabled || !a.Active {
		return port.AdapterInfo{}, routed.LeftDisabled
	}
	info, ok := t.Connectors.Adapter(a.Connector)
	if !ok {
		return info, routed.LeftNoAdapter
	}
	why := takes(info.Manifest, p, f.Network)
	if why == "" && !t.enabledOf(a).take(p, f) {
		why = routed.LeftMethod
	}
	return info, why
}
