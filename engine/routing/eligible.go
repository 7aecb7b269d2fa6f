package routing

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/account"
	"payswitch/engine/card"
	"payswitch/engine/drive"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
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

// Limits is what the operator's table says about connectors, beyond their adapters' manifests: by connector, and by payment_method_type. The rows of
// "default" stand for connectors without a row for the type.
type Limits map[string]map[string]Limit

// Limit is a row of the table. An empty list limits nothing.
type Limit struct {
	Countries  []string // of the payer's billing address, ISO 3166 alpha-2
	Currencies []string
	NotCapture payment.CaptureMethod // the type is not available with this capture method
}

// Of returns the row of a type at a connector, the zero Limit for none.
func (l Limits) Of(connector, kind string) Limit {
	if row, ok := l[connector][kind]; ok {
		return row
	}
	return l["default"][kind]
}

// refuses returns why a card payment from a country does not fit the row, "" if it does. An unknown country ("") fits every row.
func (l *Limit) refuses(p *payment.Payment, country string) routed.Why {
	switch {
	case len(l.Countries) > 0 && country != "" && !slices.Contains(l.Countries, country):
		return routed.LeftCountry
	case len(l.Currencies) > 0 && p.Currency != "" && !slices.Contains(l.Currencies, string(p.Currency)):
		return routed.LeftCurrency
	case l.NotCapture != "" && p.Details.CaptureMethod == l.NotCapture:
		return routed.LeftCapture
	}
	return ""
}

// abroad reports whether the adapter takes no merchants of the country in which the account or its profile does business. An unknown country fits.
func abroad(m *sdk.Manifest, a *account.Account, profile *account.Profile) bool {
	if len(m.Countries) == 0 {
		return false
	}
	country := cmp.Or(countryIn(a.Details, "business_country"), countryIn(profile.Details, "merchant_country_code"))
	return country != "" && !slices.Contains(m.Countries, country)
}

// countryIn returns the two letters of a country among stored fields, "" for none. The v1 API has merchant_country_code as letters or as a number.
func countryIn(details json.RawMessage, field string) (country string) {
	if raw := account.DetailsOf(details)[field]; len(raw) > 0 {
		_ = json.Unmarshal(raw, &country) // the API accepts only a text
	}
	return rule.CountryLetters(country)
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
	any     bool // the account lists no methods: it takes every method that its adapter takes
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
	kind := cardType(f)
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

// cardType returns the payment_method_type of a card, "" if it is not known.
func cardType(f *card.Facts) string {
	if kind := strings.ToLower(f.Type); kind == "credit" || kind == "debit" {
		return kind
	}
	return ""
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
func (t *Router) fits(a *account.Account, p *payment.Payment, profile *account.Profile, f *card.Facts) (port.AdapterInfo, routed.Why) {
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
	if why == "" && abroad(info.Manifest, a, profile) {
		why = routed.LeftMerchant
	}
	if row := t.Rules.Limits.Of(a.Connector, cardType(f)); why == "" {
		why = row.refuses(p, billingCountry(p, profile))
	}
	if why == "" && !t.enabledOf(a).take(p, f) {
		why = routed.LeftMethod
	}
	return info, why
}
