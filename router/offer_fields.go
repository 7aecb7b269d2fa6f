package router

import (
	"encoding/json"
	"slices"
	"strings"

	"payswitch/engine/change"
	"payswitch/engine/contact"
)

// requiredField is a field that a checkout must ask the payer for, unless its value is known.
type requiredField struct {
	path string // the key in required_fields
	send string // where the confirm request has the value
	name string
	kind string // JSON: a text or an object
}

const sentBilling = "payment_method_data."

func cardField(name, kind string) requiredField {
	path := "payment_method_data.card." + name
	return requiredField{path, path, name, `"` + kind + `"`}
}

func addressField(side, name, shown, kind string) requiredField {
	path, send := side+".address."+name, side+".address."+name
	if side == "billing" {
		send = sentBilling + path
	}
	return requiredField{path, send, shown, kind}
}

// fieldGroups are the fields that offer tables name.
var fieldGroups = map[string][]requiredField{
	"card": {cardField("card_number", "user_card_number"), cardField("card_exp_month", "user_card_expiry_month"),
		cardField("card_exp_year", "user_card_expiry_year"), cardField("card_cvc", "user_card_cvc")},
	"card_network": {cardField("card_network", "user_card_network")},
	"names": {addressField("billing", "first_name", "card_holder_name", `"user_full_name"`),
		addressField("billing", "last_name", "card_holder_name", `"user_full_name"`)},
	"billing_names": {addressField("billing", "first_name", "billing_first_name", `"user_billing_name"`),
		addressField("billing", "last_name", "billing_last_name", `"user_billing_name"`)},
	"line1":         {addressField("billing", "line1", "line1", `"user_address_line1"`)},
	"line2":         {addressField("billing", "line2", "line2", `"user_address_line2"`)},
	"city":          {addressField("billing", "city", "city", `"user_address_city"`)},
	"state":         {addressField("billing", "state", "state", `"user_address_state"`)},
	"zip":           {addressField("billing", "zip", "zip", `"user_address_pincode"`)},
	"country":       {addressField("billing", "country", "country", `{"user_address_country":{"options":["ALL"]}}`)},
	"phone":         askedPhone("billing"),
	"email":         {{"email", "email", "email", `"user_email_address"`}},
	"billing.email": {{"billing.email", sentBilling + "billing.email", "email", `"user_email_address"`}},
	"shipping": append([]requiredField{
		addressField("shipping", "first_name", "shipping_first_name", `"user_shipping_name"`),
		addressField("shipping", "last_name", "shipping_last_name", `"user_shipping_name"`),
		addressField("shipping", "line1", "line1", `"user_shipping_address_line1"`),
		addressField("shipping", "city", "city", `"user_shipping_address_city"`),
		addressField("shipping", "state", "state", `"user_shipping_address_state"`),
		addressField("shipping", "zip", "zip", `"user_shipping_address_pincode"`),
		addressField("shipping", "country", "country", `{"user_shipping_address_country":{"options":["ALL"]}}`),
	}, askedPhone("shipping")...),
}

func askedPhone(side string) []requiredField {
	send := side
	if side == "billing" {
		send = sentBilling + side
	}
	return []requiredField{{side + ".phone.number", send + ".phone.number", "phone", `"user_phone_number"`},
		{side + ".phone.country_code", send + ".phone.country_code", "dialing_code", `"user_phone_number_country_code"`}}
}

// billingGroups are all groups of a billing address. Profiles that always collect it from wallets ask for them.
var billingGroups = []string{"names", "line1", "line2", "city", "state", "zip", "country", "phone", "billing.email"}

// requiredFieldsOf returns the union of the fields that the connectors of an offer need. known is false if the tables say nothing about them.
func (s *Server) requiredFieldsOf(v *change.View, o *offer) (fields []requiredField, known bool) {
	seen := map[string]bool{}
	add := func(list []requiredField) {
		for _, f := range list {
			if !seen[f.path] {
				seen[f.path] = true
				fields = append(fields, f)
			}
		}
	}
	for _, connector := range o.connectors() {
		list, some := s.offers.fieldsOf(o.method, connector)
		known = known || some
		add(list)
	}
	if collect := profileSwitches(v.Profile); o.method == "wallet" && o.experience == "invoke_sdk_client" {
		if collect.AlwaysBilling {
			known = true
			for _, group := range billingGroups {
				add(fieldGroups[group])
			}
		}
		if collect.AlwaysShipping {
			known = true
			add(fieldGroups["shipping"])
		}
	}
	// 3-D Secure run by the switch needs something of the billing address. Payers mind the country least.
	has := func(name string) bool { return knownValue(v, "billing.address."+name) != "" }
	if o.method == "card" && v.Payment.Details.External3DS && !slices.ContainsFunc([]string{"line1", "city", "zip", "country"}, has) {
		known = true
		add(fieldGroups["country"])
	}
	return fields, known
}

// writeRequiredFields writes the fields with the values that the payment has, or null where nothing is known about the type.
func writeRequiredFields(w *writer, v *change.View, fields []requiredField, known bool) {
	if !known {
		w.null("required_fields")
		return
	}
	w.key("required_fields").open()
	for _, f := range fields {
		w.key(f.path).open().str("required_field", f.send).str("display_name", f.name).raw("field_type", json.RawMessage(f.kind))
		w.text("value", knownValue(v, f.path)).close()
	}
	w.close()
}

// knownValue returns the value that the payment has for a path, or "". Billing fills nothing if the profile keeps it apart from the method's own.
func knownValue(v *change.View, path string) string {
	private := v.Payment.Private
	if path == "email" {
		if c := private.Customer; c != nil && c.Email != "" {
			return c.Email
		}
		path = "billing.email"
	}
	side, rest, _ := strings.Cut(path, ".")
	var c *contact.Contact
	switch {
	case side == "shipping":
		c = private.Shipping
	case side == "billing" && v.Profile.Settings.UseBillingAsMethodBilling:
		c = private.Billing
	}
	if c == nil {
		return ""
	}
	if rest == "email" {
		return c.Email
	}
	if p := c.Phone; p != nil {
		switch rest {
		case "phone.number":
			return p.Number
		case "phone.country_code":
			return p.CountryCode
		}
	}
	a := c.Address
	if a == nil {
		return ""
	}
	return map[string]string{"address.first_name": a.FirstName, "address.last_name": a.LastName, "address.line1": a.Line1, "address.line2": a.Line2,
		"address.city": a.City, "address.state": a.State, "address.zip": a.Zip, "address.country": a.Country}[rest]
}
