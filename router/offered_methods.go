package router

import (
	"encoding/json"
	"slices"

	"payswitch/engine/account"
	"payswitch/engine/change"
	"payswitch/engine/fault"
	"payswitch/engine/optional"
	"payswitch/engine/payment"
	"payswitch/engine/routing"
	"payswitch/sdk"
)

// enabledMethod is an entry of payment_methods_enabled of a connector account, with the fields that offers need. It leaves out amounts and
// recurring_enabled, which do not decide about an offer.
type enabledMethod struct {
	Method string        `json:"payment_method"`
	Types  []enabledType `json:"payment_method_types"`
}

type enabledType struct {
	Type       string   `json:"payment_method_type"`
	Experience string   `json:"payment_experience"`
	Networks   []string `json:"card_networks"`
	Currencies *limited `json:"accepted_currencies"`
	Countries  *limited `json:"accepted_countries"`
}

// limited is a list of values that are accepted, or refused, by its type.
type limited struct {
	Type string   `json:"type"` // enable_only, disable_only, all_accepted
	List []string `json:"list"`
}

// allows reports whether v is accepted, by the entry and by the configured list. An unknown v ("") is accepted. all_accepted skips the configured list.
func (l *limited) allows(v string, configured list) bool {
	switch {
	case v == "":
		return true
	case l == nil:
		return configured.takes(v)
	case l.Type == "all_accepted":
		return true
	case len(l.List) == 0:
		return configured.takes(v)
	case l.Type == "enable_only":
		return slices.Contains(l.List, v) && configured.takes(v)
	case l.Type == "disable_only":
		return !slices.Contains(l.List, v) && configured.takes(v)
	}
	return configured.takes(v)
}

// candidate is an entry that can pay the payment, at one account.
type candidate struct {
	method  string
	entry   enabledType
	account *account.Account
}

// offerShape says how an offer is shown. The rows of the list come in this order.
type offerShape int

const (
	byExperience offerShape = iota
	byNetwork
	byBank
	byDebit
	byTransfer
	shapes
)

// offer is a type of payment method in one shape, with the connectors that take it. The lists keep the order in which they were found.
type offer struct {
	method, kind string
	shape        offerShape
	experience   string   // of the first entry
	groups       []string // experiences or networks; one group "" in the other shapes
	takers       map[string][]string
}

// connectors returns all connectors of the offer.
func (o *offer) connectors() []string {
	var out []string
	for _, g := range o.groups {
		for _, c := range o.takers[g] {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// offeredMethods lists the methods that a checkout may offer for a payment: those that the connector accounts of its profile have enabled.
func (s *Server) offeredMethods(c *call) (answer, error) {
	q := c.query(offerFilters...)
	if !c.auth.Publishable && !q.has("client_secret") {
		return answer{}, &fault.Error{Kind: fault.KindNotFound, Code: "IR_37", Message: "Profile id not found", Param: "client_secret", Hint: "Add the parameter client_secret."}
	}
	if err := checkOfferQuery(q); err != nil {
		return answer{}, err
	}
	v, err := s.paymentBySecret(c, c.auth, offerFilters...)
	if err != nil {
		return answer{}, err
	}
	offers, err := s.offersFor(c, v)
	if err != nil {
		return answer{}, err
	}
	next, err := s.nextOfSDK(c, v)
	if err != nil {
		return answer{}, err
	}
	charges, err := s.surcharges(c, v)
	if err != nil {
		return answer{}, err
	}
	return s.offersAnswer(v, offers, next, charges), nil
}

// surcharges returns the rules that say what methods cost beyond the payment's amount, nil for none.
func (s *Server) surcharges(c *call, v *change.View) (*routing.Surcharges, error) {
	return s.Admin.SurchargesFor(c.ctx(), v.Merchant, v.Profile, v.Payment)
}

// offerFilters are the parameters of the query that may be repeated.
var offerFilters = []string{"accepted_countries", "accepted_currencies", "card_network"}

// checkOfferQuery checks the types of the query. Their values do not decide: only the payment counts.
func checkOfferQuery(q *query) error {
	q.int("amount")
	q.int("limit")
	q.bool("recurring_enabled")
	q.bool("installment_payment_enabled")
	for i, closed := range [][]string{countries, names(currencies), names(cardNetworks)} {
		name := offerFilters[i]
		for _, v := range q.values[name] {
			if !slices.Contains(closed, v) {
				q.fail(name, "unknown variant `"+shownText([]byte(v))+"`", fault.NameHint(v, closed, "Send an ISO code in capital letters, or a card network such as Visa."))
			}
		}
	}
	return q.err
}

// offersFor returns the offers for a payment, in the order of their shapes.
func (s *Server) offersFor(c *call, v *change.View) ([]*offer, error) {
	accounts, err := s.Admin.Accounts(c.ctx(), account.Auth{MerchantID: v.Payment.MerchantID})
	if err != nil {
		return nil, err
	}
	var found []candidate
	for _, a := range accounts {
		if a.Type != account.TypeProcessor || a.ProfileID != v.Payment.ProfileID || !a.Active || a.Disabled {
			continue
		}
		info, loaded := s.Connectors.Adapter(a.Connector)
		if !loaded {
			continue
		}
		var enabled []enabledMethod
		if len(a.PaymentMethods) > 0 {
			if err := json.Unmarshal(a.PaymentMethods, &enabled); err != nil {
				return nil, fault.Internal(err, "read payment_methods_enabled of "+a.ID)
			}
		}
		for _, m := range enabled {
			for _, t := range m.Types {
				if s.offers.fits(v.Payment, a.Connector, m.Method, &t, slices.Contains(info.Manifest.Operations, sdk.OpVerify)) {
					found = append(found, candidate{m.Method, t, a})
				}
			}
		}
	}
	return grouped(onePerRoutedType(found, s.Admin.OrderOffers(c.ctx(), v.Profile, v.Payment, accounts))), nil
}

// fits reports whether an entry can pay the payment. verifies is true if the connector's adapter checks cards without a charge.
func (t *offerTables) fits(p *payment.Payment, connector, method string, e *enabledType, verifies bool) bool {
	if raw := p.Details.Echo["allowed_payment_method_types"]; len(raw) > 0 {
		var allowed []string
		if json.Unmarshal(raw, &allowed) == nil && allowed != nil && !slices.Contains(allowed, e.Type) {
			return false
		}
	}
	country := ""
	if b := p.Private.Billing; b != nil && b.Address != nil {
		country = b.Address.Country
	}
	f := t.limits.Of(connector, e.Type)
	switch {
	case !e.Currencies.allows(string(p.Currency), f.Currencies), !e.Countries.allows(country, f.Countries):
		return false
	case f.NotCapture != "" && f.NotCapture == p.Details.CaptureMethod:
		return false
	case p.Amount == 0 && setsUpMandate(p):
		return slices.Contains(t.ZeroAmount[e.Type], connector) || method == payment.MethodCard && verifies
	}
	return true
}

// setsUpMandate reports whether the payment sets up later charges without the customer.
func setsUpMandate(p *payment.Payment) bool {
	return p.Details.SetupFutureUsage == sdk.UsageOffSession || p.Details.Mandate != nil
}

// paymentType returns the payment_type of a payment, inferred from what it sets up or charges.
func paymentType(p *payment.Payment) string {
	switch {
	case p.Details.MandateID != "":
		return "recurring_mandate"
	case setsUpMandate(p) && p.Amount == 0:
		return "setup_mandate"
	case setsUpMandate(p):
		return "new_mandate"
	}
	return "normal"
}

// onePerRoutedType keeps one account for each type whose client starts a session with that account: the one that the profile's routing puts first.
func onePerRoutedType(found []candidate, order func(method, kind string) []*account.Account) []candidate {
	best := map[string]candidate{}
	rank := map[string]int{}
	for _, c := range found {
		if !byRedirect(c.method, c.entry.Type) {
			continue
		}
		list := order(c.method, c.entry.Type)
		place := slices.IndexFunc(list, func(a *account.Account) bool { return a.ID == c.account.ID })
		if place < 0 {
			place = len(list)
		}
		if least, seen := rank[c.entry.Type]; !seen || place < least {
			best[c.entry.Type], rank[c.entry.Type] = c, place
		}
	}
	return slices.DeleteFunc(found, func(c candidate) bool {
		return byRedirect(c.method, c.entry.Type) && best[c.entry.Type].account.ID != c.account.ID
	})
}

func byRedirect(method, kind string) bool {
	return slices.Contains([]string{"bank_transfer", "bank_debit", "bank_redirect"}, method) ||
		slices.Contains([]string{"google_pay", "apple_pay", "klarna", "paypal", "samsung_pay"}, kind)
}

// grouped makes the offers of the entries. An entry appears in each shape that it has the facts for.
func grouped(found []candidate) []*offer {
	var out []*offer
	add := func(s offerShape, c candidate, groups ...string) {
		i := slices.IndexFunc(out, func(o *offer) bool { return o.shape == s && o.method == c.method && o.kind == c.entry.Type })
		if i < 0 {
			i = len(out)
			out = append(out, &offer{method: c.method, kind: c.entry.Type, shape: s, experience: c.entry.Experience, takers: map[string][]string{}})
		}
		for _, g := range groups {
			if out[i].takers[g] == nil {
				out[i].groups = append(out[i].groups, g)
			}
			if !slices.Contains(out[i].takers[g], c.account.Connector) {
				out[i].takers[g] = append(out[i].takers[g], c.account.Connector)
			}
		}
	}
	for s := range shapes {
		for _, c := range found {
			switch {
			case s == byExperience && c.entry.Experience != "":
				add(s, c, c.entry.Experience)
			case s == byNetwork && len(c.entry.Networks) > 0:
				add(s, c, c.entry.Networks...)
			case s == byBank && c.method == "bank_redirect", s == byDebit && c.method == "bank_debit", s == byTransfer && c.method == "bank_transfer":
				add(s, c, "")
			}
		}
	}
	return out
}

func (s *Server) offersAnswer(v *change.View, offers []*offer, next nextOfSDK, charges *routing.Surcharges) answer {
	p, w := v.Payment, new(writer)
	collect := profileSwitches(v.Profile)
	w.open().text("redirect_url", v.Profile.Settings.ReturnURL).str("currency", string(p.Currency)).key("payment_methods").openList()
	for i, o := range offers {
		first := !slices.ContainsFunc(offers[:i], func(e *offer) bool { return e.shape == o.shape && e.method == o.method })
		if !first {
			continue
		}
		w.open().str("payment_method", o.method).key("payment_method_types").openList()
		for _, e := range offers[i:] {
			if e.shape == o.shape && e.method == o.method {
				s.writeOffer(w, v, e, charges)
			}
		}
		w.closeList().close()
	}
	w.closeList()
	writeMandateType(w, "mandate_payment", p.Details.Mandate)
	w.text("merchant_name", merchantName(v.Merchant)).bool("show_surcharge_breakup_screen", charges != nil && charges.ShowBreakup)
	w.str("payment_type", paymentType(p)).bool("request_external_three_ds_authentication", p.Details.External3DS)
	w.bool("collect_shipping_details_from_wallets", collect.Shipping || collect.AlwaysShipping)
	w.bool("collect_billing_details_from_wallets", collect.Billing || collect.AlwaysBilling)
	w.bool("is_tax_calculation_enabled", calculatesTax(v))
	next.write(w)
	w.bool("is_guest_customer", p.CustomerID == "")
	s.writeIntentData(w, v, offers)
	return w.close().answer()
}

func (s *Server) writeOffer(w *writer, v *change.View, o *offer, charges *routing.Surcharges) {
	w.open().str("payment_method_type", o.kind)
	s.writeGroups(w, v, o, charges)
	fields, known := s.requiredFieldsOf(v, o)
	writeRequiredFields(w, v, fields, known)
	if o.shape == byNetwork {
		w.null("surcharge_details")
	} else {
		writeSurcharge(w, charges.Of(o.method, o.kind, ""), v.Payment.Currency)
	}
	w.null("pm_auth_connector").close()
}

// writeGroups writes the connectors of an offer in its shape. The keys of the other shapes are null.
func (s *Server) writeGroups(w *writer, v *change.View, o *offer, charges *routing.Surcharges) {
	grouped := func(at offerShape, key, name string) {
		if o.shape != at {
			w.null(key)
			return
		}
		w.key(key).openList()
		for _, g := range o.groups {
			w.open().str(name, g)
			if at == byNetwork {
				writeSurcharge(w, charges.Of(o.method, o.kind, g), v.Payment.Currency)
			}
			w.strings("eligible_connectors", o.takers[g]).close()
		}
		w.closeList()
	}
	grouped(byExperience, "payment_experience", "payment_experience_type")
	grouped(byNetwork, "card_networks", "card_network")
	if o.shape == byBank {
		w.key("bank_names").openList()
		s.writeBanks(w, o)
		w.closeList()
	} else {
		w.null("bank_names")
	}
	for _, row := range []struct {
		at  offerShape
		key string
	}{{byDebit, "bank_debits"}, {byTransfer, "bank_transfers"}} {
		if o.shape == row.at {
			w.key(row.key).open().strings("eligible_connectors", o.takers[""]).close()
		} else {
			w.null(row.key)
		}
	}
}

// writeSurcharge writes what a method costs beyond the payment's amount.
func writeSurcharge(w *writer, c *routing.Surcharge, currency sdk.Currency) {
	if c == nil {
		w.null("surcharge_details")
		return
	}
	percent := func(key string, n json.Number) { w.key(key).open().raw("percentage", []byte(n)).close() }
	major := func(key string, minor int64) {
		w.raw("display_"+key+"_amount", []byte(sdk.Money{Minor: minor, Currency: currency}.Major()))
	}
	w.key("surcharge_details").open().key("surcharge").open()
	if c.Terms.Rate != "" {
		w.str("type", "rate")
		percent("value", c.Terms.Rate)
	} else {
		w.str("type", "fixed").int("value", c.Terms.Fixed)
	}
	w.close()
	if c.Terms.Tax != "" {
		percent("tax_on_surcharge", c.Terms.Tax)
	} else {
		w.null("tax_on_surcharge")
	}
	major("surcharge", c.Amount)
	major("tax_on_surcharge", c.Tax)
	major("total_surcharge", c.Amount+c.Tax)
	w.close()
}

// writeBanks writes the banks that all connectors of the offer know, and then the rest of each connector.
func (s *Server) writeBanks(w *writer, o *offer) {
	byConnector, connectors := s.offers.Banks[o.kind], o.takers[""]
	var common []string
	for i, connector := range connectors {
		if i == 0 {
			common = slices.Clone(byConnector[connector])
		}
		common = slices.DeleteFunc(common, func(bank string) bool { return !slices.Contains(byConnector[connector], bank) })
	}
	rest := false
	for _, connector := range connectors {
		rest = rest || len(byConnector[connector]) > len(common)
	}
	if len(common) > 0 || !rest {
		w.open().strings("bank_name", common).strings("eligible_connectors", connectors).close()
	}
	for _, connector := range connectors {
		own := slices.DeleteFunc(slices.Clone(byConnector[connector]), func(bank string) bool { return slices.Contains(common, bank) })
		if len(own) > 0 {
			w.open().strings("bank_name", own).strings("eligible_connectors", []string{connector}).close()
		}
	}
}

// writeIntentData writes the payment's own fields for the checkout. It holds nothing that the answer to GET /payments/{id} does not show the same caller.
func (s *Server) writeIntentData(w *writer, v *change.View, offers []*offer) {
	p, d, private := v.Payment, &v.Payment.Details, v.Payment.Private
	w.key("intent_data").open().str("payment_id", p.ID).str("status", string(p.Status)).int("amount", p.Amount).str("currency", string(p.Currency))
	w.text("client_secret", private.ClientSecret).text("description", d.Description).text("customer_id", p.CustomerID)
	w.text("return_url", bareReturnURL(&change.ReturnView{View: v})).text("setup_future_usage", string(d.SetupFutureUsage))
	writeContact(w, "billing", private.Billing)
	writeContact(w, "shipping", private.Shipping)
	w.raw("metadata", d.Metadata).raw("order_details", d.Echo["order_details"]).time("created", p.CreatedAt).time("expires_on", p.ExpiresAt)
	w.str("profile_id", p.ProfileID).text("merchant_order_reference_id", d.OrderReference).int("attempt_count", int64(max(p.AttemptCount, 1)))
	s.writePlans(w, p, offers)
	w.text("capture_method", string(d.CaptureMethod)).text("merchant_name", merchantName(v.Merchant))
	writeMandateType(w, "mandate_payment", d.Mandate)
	w.str("payment_type", paymentType(p)).bool("request_external_three_ds_authentication", d.External3DS)
	w.bool("is_tax_calculation_enabled", calculatesTax(v)).bool("is_guest_customer", p.CustomerID == "").close()
}

// collectSwitches are the profile's settings for a checkout.
type collectSwitches struct {
	Billing        bool  `json:"collect_billing_details_from_wallet_connector"`
	Shipping       bool  `json:"collect_shipping_details_from_wallet_connector"`
	AlwaysBilling  bool  `json:"always_collect_billing_details_from_wallet_connector"`
	AlwaysShipping bool  `json:"always_collect_shipping_details_from_wallet_connector"`
	Tax            bool  `json:"is_tax_connector_enabled"`
	IFrame         *bool `json:"is_iframe_redirection_enabled"`
	// CheckoutOrigins are the origins whose pages may frame the checkout; empty: any page.
	CheckoutOrigins []string `json:"checkout_origins"`
}

// iframeField is the name of collectSwitches.IFrame.
const iframeField = "is_iframe_redirection_enabled"

// profileSwitches reads the settings from the profile's details. A missing setting is off.
func profileSwitches(p *account.Profile) (s collectSwitches) {
	_ = json.Unmarshal(p.Details, &s) // the details were checked when the profile was created
	return s
}

// calculatesTax reports whether a checkout must ask for the tax before it confirms.
func calculatesTax(v *change.View) bool {
	return profileSwitches(v.Profile).Tax && !optional.IsTrue(v.Payment.Details.SkipTax)
}

// merchantName returns the merchant_name from the merchant's private fields, where it is stored as JSON text.
func merchantName(m *account.Merchant) (name string) {
	_ = json.Unmarshal([]byte(m.Private["merchant_name"].Reveal()), &name) // "" if the merchant has no name
	return name
}
