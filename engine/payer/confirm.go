package payer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/sdk"
)

// payerSends are the fields that the payer's device may send in a confirm. payerInput copies them, except amount and confirm, which change nothing
// there.
var payerSends = []string{"client_secret", "confirm", "amount",
	"payment_method", "payment_method_type", "payment_method_data", "payment_token", "card_cvc",
	"browser_info", "billing", "shipping", "email", "phone", "name",
	"customer_acceptance", "return_url", "is_iframe_redirection_enabled", "setup_future_usage", "mandate_data", "payment_type", "authentication_type",
	"installment_data"}

// repeat is a field that belongs to the merchant's server. The payer's device may repeat the stored value, because some clients send the whole payment back.
// sent reports whether the request has the field. same reports whether its value is the stored one.
type repeat struct {
	name string
	sent func(in *request.Input) bool
	same func(p *payment.Payment, in *request.Input) bool
}

// payerRepeats are all such fields.
var payerRepeats = append([]repeat{
	{"payment_id", func(in *request.Input) bool { return in.PaymentID != "" }, func(p *payment.Payment, in *request.Input) bool { return in.PaymentID == p.ID }},
	{"request_external_three_ds_authentication", func(in *request.Input) bool { return in.External3DS != nil },
		func(p *payment.Payment, in *request.Input) bool { return *in.External3DS == p.Details.External3DS }},
	{"currency", func(in *request.Input) bool { return in.Currency != "" }, func(p *payment.Payment, in *request.Input) bool { return in.Currency == p.Currency }},
	{"profile_id", func(in *request.Input) bool { return in.ProfileID != "" }, func(p *payment.Payment, in *request.Input) bool { return in.ProfileID == p.ProfileID }},
	{"three_ds_data", func(in *request.Input) bool { return in.ThreeDS != nil }, never},
	{"session_expiry", func(in *request.Input) bool { return in.SessionExpiry != nil },
		func(p *payment.Payment, in *request.Input) bool {
			return p.ExpiresAt.Sub(p.CreatedAt) == time.Duration(*in.SessionExpiry)*time.Second
		}},
	{"customer_id", func(in *request.Input) bool { return in.CustomerID != "" },
		func(p *payment.Payment, in *request.Input) bool { return in.CustomerID == p.CustomerID }},
	{"customer", func(in *request.Input) bool { return in.Customer != nil && *in.Customer != contact.Customer{} }, sameCustomer},
	{"phone_country_code", func(in *request.Input) bool { return in.PhoneCountryCode != "" },
		func(p *payment.Payment, in *request.Input) bool {
			return p.Private.Customer != nil && in.PhoneCountryCode == p.Private.Customer.PhoneCountryCode
		}},
	{"metadata", func(in *request.Input) bool { return in.Metadata != nil },
		func(p *payment.Payment, in *request.Input) bool { return sameJSON(in.Metadata, p.Details.Metadata) }},
	{"order_details", func(in *request.Input) bool { return len(in.Lines) > 0 }, sameEcho("order_details")},
	{"surcharge_details", func(in *request.Input) bool { return in.NamesSurcharge }, sameEcho("surcharge_details")},
	{"installment_options", func(in *request.Input) bool { return len(in.Plans) > 0 }, sameEcho("installment_options")},
	{"payment_link", func(in *request.Input) bool { return in.PaymentLink != nil }, sameEcho("payment_link")},
	{"payment_link_config", func(in *request.Input) bool { return in.LinkConfig != nil }, sameEcho("payment_link_config")},
	{"payment_link_config_id", func(in *request.Input) bool { return in.LinkConfigID != "" }, sameEcho("payment_link_config_id")},
	{"payment_link", func(in *request.Input) bool { return in.Locale != "" }, never},
	{"connector", func(in *request.Input) bool { return in.Routing != nil && slices.Contains(in.Sent, "connector") }, sameRouting},
}, storedAlike()...)

// apiNames are the names in the API of fields of Input whose Go name is another.
var apiNames = map[string]string{
	"SurchargeAmount": "surcharge_details", "DescriptorName": "statement_descriptor_name", "DescriptorSuffix": "statement_descriptor_suffix",
	"OrderReference": "merchant_order_reference_id", "Partner": "partner_merchant_identifier_details", "MITCategory": "mit_category",
	"SCAExemption": "psd2_sca_exemption_type", "Incremental": "request_incremental_authorization", "Extended": "request_extended_authorization",
	"Partial": "enable_partial_authorization", "Overcapture": "enable_overcapture", "StoredCredential": "is_stored_credential",
	"Force3DSChallenge": "force_3ds_challenge", "RiskAccepted": "frm_metadata", "IFrameRedirect": "is_iframe_redirection_enabled", "SkipTax": "skip_external_tax_calculation",
}

// storedAlike returns the fields of Input that payment.Details has under the same name and with the same type. A new field is one of them without
// further ado.
func storedAlike() (list []repeat) {
	input, details := reflect.TypeFor[request.Input](), reflect.TypeFor[payment.Details]()
	for i := range input.NumField() {
		f := input.Field(i)
		stored, found := details.FieldByName(f.Name)
		name := cmp.Or(apiNames[f.Name], snakeCase(f.Name))
		if !found || stored.Type != f.Type || slices.Contains(payerSends, name) || f.Name == "Metadata" || f.Name == "Echo" { // JSON is compared as JSON
			continue
		}
		sent := func(in *request.Input) reflect.Value { return reflect.ValueOf(in).Elem().Field(i) }
		list = append(list, repeat{name, func(in *request.Input) bool { return !sent(in).IsZero() }, func(p *payment.Payment, in *request.Input) bool {
			return reflect.DeepEqual(sent(in).Interface(), reflect.ValueOf(&p.Details).Elem().FieldByIndex(stored.Index).Interface())
		}})
	}
	return list
}

// snakeCase writes a Go name as the API does: ShippingCost is shipping_cost.
func snakeCase(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(name[i-1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// sameEcho compares a field that the payment keeps as it came.
func sameEcho(field string) func(p *payment.Payment, in *request.Input) bool {
	return func(p *payment.Payment, in *request.Input) bool {
		return in.Echo[field] != nil && sameJSON(in.Echo[field], p.Details.Echo[field])
	}
}

func never(*payment.Payment, *request.Input) bool { return false }

func sameRouting(p *payment.Payment, in *request.Input) bool {
	return reflect.DeepEqual(in.Routing, p.Details.Routing)
}

func sameCustomer(p *payment.Payment, in *request.Input) bool {
	stored := contact.Customer{}
	if p.Private.Customer != nil {
		stored = *p.Private.Customer
	}
	c := in.Customer
	for _, pair := range [][2]string{{c.ID, p.CustomerID}, {c.Name, stored.Name}, {c.Email, stored.Email}, {c.Phone, stored.Phone},
		{c.PhoneCountryCode, stored.PhoneCountryCode}} {
		if pair[0] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}

// sameJSON compares two JSON values. The order of an object's keys does not count.
func sameJSON(a, b json.RawMessage) bool {
	read := func(raw json.RawMessage) (v any, err error) {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		return v, d.Decode(&v)
	}
	left, errLeft := read(a)
	right, errRight := read(b)
	return errLeft == nil && errRight == nil && reflect.DeepEqual(left, right)
}

// Allowed returns the part of a confirm that the payer's device may send, and refuses any other field by name (IR_06, 422). A field that
// neither payerSends nor payerRepeats lists has no effect; Allowed refuses it if in.Sent has its name. Errors also: IR_18 (401) for
// another customer, IR_01 (401) for a charge without the payer.
func Allowed(p *payment.Payment, in *request.Input) (*request.Input, error) {
	merchants := func(field string) error {
		return fault.Unprocessable(field, field+" is for the merchant's server: leave it out, or send it with the secret API key when the payment is created or updated").WithHint("Leave the field out.")
	}
	switch { // a charge without the payer needs the secret key, so the answer is the answer to a wrong key
	case in.Recurring != nil:
		return nil, merchantCharges("recurring_details")
	case in.MandateID != "":
		return nil, merchantCharges("mandate_id")
	}
	if err := SameCustomer(p, in); err != nil {
		return nil, err
	}
	for _, name := range in.Sent {
		if _, echoed := in.Echo[name]; !echoed && !slices.Contains(payerSends, name) && !isRepeatable(name) {
			return nil, merchants(name)
		}
	}
	for _, f := range payerRepeats {
		if f.sent(in) && !f.same(p, in) {
			return nil, merchants(f.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Echo)) {
		if raw := in.Echo[name]; string(raw) != "null" && !sameJSON(raw, p.Details.Echo[name]) {
			return nil, merchants(name)
		}
	}
	if err := payerAgrees(p, in); err != nil {
		return nil, err
	}
	return payerInput(p, in), nil
}

func merchantCharges(field string) error {
	return &fault.Error{Kind: fault.KindUnauthorized, Code: "IR_01", Param: field, Message: field + " is for the merchant's server: a charge without the payer needs the secret API key", Hint: "Send the request from the merchant's server with the secret API key."}
}

func isRepeatable(name string) bool {
	for _, f := range payerRepeats {
		if f.name == name {
			return true
		}
	}
	return false
}

// payerAgrees checks the fields that the payer's device may send only under a condition.
func payerAgrees(p *payment.Payment, in *request.Input) error {
	d := &p.Details
	consent := in.Acceptance != nil || in.MandateData != nil && in.MandateData.Acceptance != nil
	needsConsent := func(field string) error {
		return fault.Unprocessable(field, field+" needs the payer's consent when it is sent with the publishable key: send customer_acceptance in the same request").WithHint("Add customer_acceptance.")
	}
	switch {
	case in.AuthenticationType != "" && in.AuthenticationType != d.AuthenticationType && d.AuthenticationType != "" && in.AuthenticationType != payment.AuthenticationThreeDS:
		return fault.Unprocessable("authentication_type", "authentication_type may only be raised to three_ds with the publishable key: "+
			"the merchant's server may lower it with the secret API key").WithHint("Send three_ds, or leave the field out.")
	case in.ReturnURL != "" && in.ReturnURL != d.ReturnURL && !isWebURL(in.ReturnURL):
		return fault.Unprocessable("return_url", "return_url must begin with http:// or https:// when it is sent with the publishable key: "+
			"the merchant's server may set another scheme with the secret API key").WithHint("Send an address with https://, or leave the field out.")
	case in.SetupFutureUsage != "" && in.SetupFutureUsage != d.SetupFutureUsage && d.SetupFutureUsage == sdk.UsageOffSession:
		return fault.Unprocessable("setup_future_usage", "setup_future_usage may only be raised with the publishable key: "+
			"the merchant's server may lower it with the secret API key").WithHint("Leave the field out.")
	case in.SetupFutureUsage != "" && in.SetupFutureUsage != d.SetupFutureUsage && !consent:
		return needsConsent("setup_future_usage")
	case in.PaymentType != "" && in.PaymentType != d.PaymentType && !consent:
		return needsConsent("payment_type")
	case repeatsMandate(p, in):
	case in.MandateData != nil && !consent:
		return needsConsent("mandate_data")
	case in.MandateData != nil && d.Mandate != nil && !reflect.DeepEqual(in.MandateData.Terms, payment.MandateTerms{}) && !sameTerms(&in.MandateData.Terms, d.Mandate):
		return fault.Unprocessable("mandate_data", "mandate_data.mandate_type differs from the terms that the merchant's server set: "+
			"leave it out, or let the server change it with the secret API key").WithHint("Leave mandate_data.mandate_type out.")
	}
	return nil
}

// repeatsMandate reports whether mandate_data holds only the stored terms, without a new acceptance.
func repeatsMandate(p *payment.Payment, in *request.Input) bool {
	m := in.MandateData
	return m != nil && m.Acceptance == nil && p.Details.Mandate != nil && sameTerms(&m.Terms, p.Details.Mandate)
}

// sameTerms compares terms in their stored form.
func sameTerms(a, b *payment.MandateTerms) bool {
	left, errLeft := json.Marshal(a)
	right, errRight := json.Marshal(b)
	return errLeft == nil && errRight == nil && sameJSON(left, right)
}

func isWebURL(s string) bool {
	s = strings.ToLower(s)
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// payerInput copies the fields that the payer's device may change. A confirm from that device has no effect outside this list. The order
// lines come with the stored order_details.
func payerInput(p *payment.Payment, in *request.Input) *request.Input {
	out := &request.Input{ClientSecret: in.ClientSecret, PaymentMethod: in.PaymentMethod, PaymentMethodType: in.PaymentMethodType, Card: in.Card,
		HasMethodData: in.HasMethodData, MethodBilling: in.MethodBilling, PaymentToken: in.PaymentToken, CardCVC: in.CardCVC, CardHolder: in.CardHolder,
		Browser: in.Browser, CallerIP: in.CallerIP, Billing: in.Billing, Shipping: in.Shipping, Email: in.Email, Phone: in.Phone, Name: in.Name,
		Acceptance: in.Acceptance, ReturnURL: in.ReturnURL, IFrameRedirect: in.IFrameRedirect, SetupFutureUsage: in.SetupFutureUsage, PaymentType: in.PaymentType,
		AuthenticationType: in.AuthenticationType, Lines: in.Lines, Installment: in.Installment}
	if out.AuthenticationType == payment.AuthenticationNoThreeDS {
		out.AuthenticationType = "" // it repeats the default: the merchant's rules decide
	}
	if in.MandateData != nil && !repeatsMandate(p, in) {
		m := *in.MandateData
		if p.Details.Mandate != nil {
			m.Terms = *p.Details.Mandate
		}
		out.MandateData = &m
	}
	return out
}

// SameCustomer refuses a request that changes the customer of a payment (IR_18, 401).
func SameCustomer(p *payment.Payment, in *request.Input) error {
	id := in.CustomerID
	if id == "" && in.Customer != nil {
		id = in.Customer.ID
	}
	if id != "" && p.CustomerID != "" && id != p.CustomerID {
		return &fault.Error{Kind: fault.KindUnauthorized, Code: "IR_18", Message: "Unauthorised access to update customer", Param: "customer_id", Hint: "Leave the field out, or send the secret API key."}
	}
	return nil
}
