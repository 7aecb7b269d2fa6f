package router

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"payswitch/engine/payment"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

//go:embed offer_tables.json
var defaultOfferTables []byte

// offerTables say what a checkout may offer with each connector, beyond what the connector accounts say themselves. Options.OfferTables replaces the
// built-in ones.
type offerTables struct {
	// Filters limit a type by country and currency: by connector, or "default" for a connector without an entry for the type.
	Filters map[string]map[string]offerFilter `json:"filters"`
	// ZeroAmount lists the connectors that can set up a type for later charges without a first charge, by type.
	ZeroAmount map[string]list `json:"zero_amount"`
	// Banks are the banks that a payer can choose from, by type and connector.
	Banks map[string]map[string]list `json:"banks"`
	// Fields are the fields that a checkout must ask for, by method and list of connectors. "" stands for all connectors without an entry.
	Fields map[string]map[string]string `json:"fields"`

	limits routing.Limits // of Filters
}

type offerFilter struct {
	Country  list `json:"country"`
	Currency list `json:"currency"`
	Not      struct {
		Capture payment.CaptureMethod `json:"capture_method"`
	} `json:"not_available_flows"`
}

// list is a text of values with commas between them.
type list []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *list) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	for v := range strings.SplitSeq(text, ",") {
		if v = strings.TrimSpace(v); v != "" {
			*l = append(*l, v)
		}
	}
	return nil
}

// takes reports whether the list has v. An empty list, and an unknown v (""), filter nothing.
func (l list) takes(v string) bool { return len(l) == 0 || v == "" || slices.Contains(l, v) }

// readOfferTables reads and checks the tables. nil stands for the built-in ones.
func readOfferTables(text []byte) (*offerTables, error) {
	if text == nil {
		text = defaultOfferTables
	}
	t := &offerTables{}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(t); err != nil {
		return nil, fmt.Errorf("router: OfferTables: %w", err)
	}
	unknown := func(what, v string) error { return fmt.Errorf("router: OfferTables: %s %q is unknown", what, v) }
	for _, byType := range t.Filters {
		for kind, f := range byType {
			if !slices.Contains(paymentMethodTypes, kind) {
				return nil, unknown("filters: payment_method_type", kind)
			}
			if f.Not.Capture != "" && !slices.Contains(captureMethods, f.Not.Capture) {
				return nil, unknown("filters: capture_method", string(f.Not.Capture))
			}
			for _, c := range f.Country {
				if !slices.Contains(countries, c) {
					return nil, unknown("filters: country", c)
				}
			}
			for _, c := range f.Currency {
				if !slices.Contains(currencies, sdk.Currency(c)) {
					return nil, unknown("filters: currency", c)
				}
			}
		}
	}
	for _, byConnector := range t.Fields {
		for _, names := range byConnector {
			for name := range strings.FieldsSeq(names) {
				if fieldGroups[name] == nil {
					return nil, unknown("fields: field", name)
				}
			}
		}
	}
	t.limits = limitsOf(t.Filters)
	return t, nil
}

// Limits returns the filters of the tables in the form that routing needs: what a checkout does not offer, no payment gets. nil stands for the built-in
// tables.
func Limits(tables []byte) (routing.Limits, error) {
	t, err := readOfferTables(tables)
	if err != nil {
		return nil, err
	}
	return t.limits, nil
}

// limitsOf returns the filters by connector and type.
func limitsOf(filters map[string]map[string]offerFilter) routing.Limits {
	out := routing.Limits{}
	for connector, byType := range filters {
		out[connector] = make(map[string]routing.Limit, len(byType))
		for kind, f := range byType {
			out[connector][kind] = routing.Limit{Countries: f.Country, Currencies: f.Currency, NotCapture: f.Not.Capture}
		}
	}
	return out
}

// fieldsOf returns the fields that a connector needs for a method. known is false if the tables say nothing about them.
func (t *offerTables) fieldsOf(method, connector string) (fields []requiredField, known bool) {
	names, known := "", false
	for connectors, text := range t.Fields[method] {
		if connectors != "" && slices.Contains(strings.Split(connectors, ","), connector) {
			names, known = text, true
		}
	}
	if !known {
		names, known = lookup(t.Fields[method], "")
	}
	for name := range strings.FieldsSeq(names) {
		fields = append(fields, fieldGroups[name]...)
	}
	return fields, known
}

func lookup(m map[string]string, key string) (string, bool) { v, ok := m[key]; return v, ok }
