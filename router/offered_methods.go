package router

import (
	"encoding/json"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/sdk"
)

// enabledMethod is an entry of payment_methods_enabled of a connector account, with the fields that offers need.
type enabledMethod struct {
	Method string `json:"payment_method"`
	Types  []struct {
		Type       string   `json:"payment_method_type"`
		Networks   []string `json:"card_networks"`
		Currencies *limited `json:"accepted_currencies"`
		Countries  *limited `json:"accepted_countries"`
		Minimum    *int64   `json:"minimum_amount"`
		Maximum    *int64   `json:"maximum_amount"`
		Recurring  *bool    `json:"recurring_enabled"`
	} `json:"payment_method_types"`
}

// limited is a list of values that are accepted, or refused, by its type.
type limited struct {
	Type string   `json:"type"` // enable_only, disable_only, all_accepted
	List []string `json:"list"`
}

// allows reports whether v is accepted. An unknown v ("") is accepted.
func (l *limited) allows(v string) bool {
	switch {
	case l == nil || v == "":
		return true
	case l.Type == "enable_only":
		return slices.Contains(l.List, v)
	case l.Type == "disable_only":
		return !slices.Contains(l.List, v)
	}
	return true
}

// offer is a card type that can pay, with the connectors for each network. Both keep the order in which they were found.
type offer struct {
	kind     string
	networks []string
	takers   map[string][]string
}

// offeredMethods lists the methods that can pay a payment: those that a connector account of its profile has enabled and whose adapter supports the
// payment.
func (s *Server) offeredMethods(c *call) (answer, error) {
	if !c.auth.Publishable && !c.query().has("client_secret") {
		return answer{}, &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "Profile id not found"}
	}
	v, err := s.paymentBySecret(c, c.auth)
	if err != nil {
		return answer{}, err
	}
	accounts, err := s.Admin.Accounts(c.ctx(), c.auth)
	if err != nil {
		return answer{}, err
	}
	offers := []*offer{}
	for _, a := range accounts {
		if info, loaded := s.Connectors.Adapter(a.Connector); loaded && a.ProfileID == v.Payment.ProfileID && a.Active && !a.Disabled && takes(info.Manifest, v.Payment) {
			if offers, err = addOffers(offers, a, v.Payment); err != nil {
				return answer{}, err
			}
		}
	}
	return offersAnswer(v, offers), nil
}

// takes reports whether the manifest of an adapter supports the kind, the currency and the capture method of the payment.
func takes(m *sdk.Manifest, p *payment.Payment) bool {
	capture := sdk.CaptureAutomatic
	if p.Details.CaptureMethod == payment.CaptureManual || p.Details.CaptureMethod == payment.CaptureManualMultiple {
		capture = sdk.CaptureManual
	}
	return m.Kind == sdk.KindProcessor && (len(m.Currencies) == 0 || slices.Contains(m.Currencies, p.Currency)) &&
		(len(m.Captures) == 0 || slices.Contains(m.Captures, capture)) && (p.Details.CaptureMethod != payment.CaptureManualMultiple || m.Features.MultipleCapture)
}

func addOffers(offers []*offer, a *account.Account, p *payment.Payment) ([]*offer, error) {
	var enabled []enabledMethod
	if len(a.PaymentMethods) > 0 {
		if err := json.Unmarshal(a.PaymentMethods, &enabled); err != nil {
			return nil, fault.Internal(err, "read payment_methods_enabled of "+a.ID)
		}
	}
	country := ""
	if p.Private.Billing != nil && p.Private.Billing.Address != nil {
		country = p.Private.Billing.Address.Country
	}
	for _, method := range enabled {
		for _, t := range method.Types {
			if method.Method != "card" || !t.Currencies.allows(string(p.Currency)) || !t.Countries.allows(country) ||
				t.Minimum != nil && p.Amount > 0 && p.Amount < *t.Minimum || t.Maximum != nil && p.Amount > *t.Maximum ||
				p.Details.SetupFutureUsage == sdk.UsageOffSession && t.Recurring != nil && !*t.Recurring {
				continue
			}
			i := slices.IndexFunc(offers, func(o *offer) bool { return o.kind == t.Type })
			if i < 0 {
				i = len(offers)
				offers = append(offers, &offer{kind: t.Type, takers: map[string][]string{}})
			}
			offers[i].add(t.Networks, a.Connector)
		}
	}
	return offers, nil
}

func (o *offer) add(networks []string, connector string) {
	for _, n := range networks {
		if o.takers[n] == nil {
			o.networks = append(o.networks, n)
		}
		if !slices.Contains(o.takers[n], connector) {
			o.takers[n] = append(o.takers[n], connector)
		}
	}
}

// cardFieldTypes are the fields that a page must ask for, each with its kind of input.
var cardFieldTypes = [][2]string{{"card_number", "user_card_number"}, {"card_exp_month", "user_card_expiry_month"},
	{"card_exp_year", "user_card_expiry_year"}, {"card_cvc", "user_card_cvc"}}

func offersAnswer(v *change.View, offers []*offer) answer {
	p, w := v.Payment, &writer{}
	collect := profileSwitches(v.Profile)
	w.open().text("redirect_url", v.Profile.Settings.ReturnURL).str("currency", string(p.Currency)).key("payment_methods").openList()
	if len(offers) > 0 {
		w.open().str("payment_method", "card").key("payment_method_types").openList()
		for _, o := range offers {
			writeOffer(w, o)
		}
		w.closeList().close()
	}
	w.closeList().null("mandate_payment").text("merchant_name", merchantName(v.Merchant)).bool("show_surcharge_breakup_screen", false)
	w.text("payment_type", orElse(p.Details.PaymentType, "normal")).bool("request_external_three_ds_authentication", p.Details.External3DS)
	w.bool("collect_shipping_details_from_wallets", collect.Shipping || collect.AlwaysShipping)
	w.bool("collect_billing_details_from_wallets", collect.Billing || collect.AlwaysBilling)
	w.bool("is_tax_calculation_enabled", false).key("sdk_next_action").open().str("next_action", "confirm").null("should_block_confirm").close()
	return w.bool("is_guest_customer", p.CustomerID == "").null("intent_data").close().answer()
}

func writeOffer(w *writer, o *offer) {
	w.open().str("payment_method_type", o.kind).null("payment_experience").key("card_networks").openList()
	for _, n := range o.networks {
		w.open().str("card_network", n).null("surcharge_details").strings("eligible_connectors", o.takers[n]).close()
	}
	w.closeList().null("bank_names", "bank_debits", "bank_transfers").key("required_fields").open()
	for _, f := range cardFieldTypes {
		path := "payment_method_data.card." + f[0]
		w.key(path).open().str("required_field", path).str("display_name", f[0]).str("field_type", f[1]).null("value").close()
	}
	w.close().null("surcharge_details", "pm_auth_connector").close()
}

// collectSwitches are the profile's settings for collecting details from wallets.
type collectSwitches struct {
	Billing        bool `json:"collect_billing_details_from_wallet_connector"`
	Shipping       bool `json:"collect_shipping_details_from_wallet_connector"`
	AlwaysBilling  bool `json:"always_collect_billing_details_from_wallet_connector"`
	AlwaysShipping bool `json:"always_collect_shipping_details_from_wallet_connector"`
}

// profileSwitches reads the settings from the profile's details. A missing setting is off.
func profileSwitches(p *account.Profile) (s collectSwitches) {
	_ = json.Unmarshal(p.Details, &s) // the details were checked when the profile was created
	return s
}

// merchantName is the merchant_name from the merchant's private fields, where it is stored as JSON text.
func merchantName(m *account.Merchant) (name string) {
	_ = json.Unmarshal([]byte(m.Private["merchant_name"].Reveal()), &name) // "" if the merchant has no name
	return name
}
