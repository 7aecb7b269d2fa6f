package router

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"strconv"

	"payswitch/engine/contact"
	"payswitch/engine/fault"
	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/routed"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// paymentRequest is the body of create, update and confirm. One table serves the three. The engine ignores the fields that do not apply.
type paymentRequest struct {
	request.Input
	routing    json.RawMessage
	connectors []string // the older way to name connectors, in order
}

// amount is money in minor units.
var amount = integer(0, math.MaxInt64)

// addend is an amount that is added to another. Its bound keeps sums from overflowing.
var addend = integer(0, 999_999_999)

// echo checks a field with parse and keeps it to show it as it came.
func echo[V any](key string, parse func(*reader) (V, error)) field[paymentRequest] {
	return echoAnd(key, parse, func(*paymentRequest, V) {})
}

// echoAnd is echo that also gives the value to use.
func echoAnd[V any](key string, parse func(*reader) (V, error), use func(*paymentRequest, V)) field[paymentRequest] {
	return field[paymentRequest]{key: key, read: func(r *reader, p *paymentRequest) error {
		v, raw, err := alsoRaw(r, parse)
		if err != nil {
			return err
		}
		use(p, v)
		if p.Echo == nil {
			p.Echo = map[string]json.RawMessage{}
		}
		p.Echo[key] = raw
		return nil
	}}
}

// paymentFields are the fields of create, update and confirm. Other keys are refused.
var paymentFields = named(closedObject(
	opt("amount", amount, func(p *paymentRequest) **int64 { return &p.Amount }),
	at("currency", oneOf(currencies), func(p *paymentRequest) *sdk.Currency { return &p.Currency }),
	opt("order_tax_amount", addend, func(p *paymentRequest) **int64 { return &p.OrderTaxAmount }),
	opt("amount_to_capture", amount, func(p *paymentRequest) **int64 { return &p.AmountToCapture }),
	opt("shipping_cost", addend, func(p *paymentRequest) **int64 { return &p.ShippingCost }),
	at("payment_id", identifier, func(p *paymentRequest) *string { return &p.PaymentID }),
	at("client_secret", text, func(p *paymentRequest) *string { return &p.ClientSecret }),
	at("profile_id", identifier, func(p *paymentRequest) *string { return &p.ProfileID }),
	at("routing", anyJSON, func(p *paymentRequest) *json.RawMessage { return &p.routing }),
	at("connector", listOf(text), func(p *paymentRequest) *[]string { return &p.connectors }),
	opt("confirm", boolean, func(p *paymentRequest) **bool { return &p.Confirm }),
	at("capture_method", oneOf(captureMethods), func(p *paymentRequest) *payment.CaptureMethod { return &p.CaptureMethod }),
	drop[paymentRequest]("capture_on", timestamp),
	at("authentication_type", oneOf(authenticationTypes), func(p *paymentRequest) *payment.AuthenticationType { return &p.AuthenticationType }),
	opt("request_external_three_ds_authentication", boolean, func(p *paymentRequest) **bool { return &p.External3DS }),
	at("setup_future_usage", oneOf(futureUsages), func(p *paymentRequest) *sdk.CredentialUsage { return &p.SetupFutureUsage }),
	opt("off_session", boolean, func(p *paymentRequest) **bool { return &p.OffSession }),
	at("payment_type", oneOf(paymentTypes), func(p *paymentRequest) *string { return &p.PaymentType }),
	opt("session_expiry", integer(0, math.MaxUint32), func(p *paymentRequest) **int64 { return &p.SessionExpiry }),
	opt("is_iframe_redirection_enabled", boolean, func(p *paymentRequest) **bool { return &p.IFrameRedirect }),
	at("return_url", webURL, func(p *paymentRequest) *string { return &p.ReturnURL }),

	at("customer_id", identifier, func(p *paymentRequest) *string { return &p.CustomerID }),
	opt("customer", customerFields.parse, func(p *paymentRequest) **contact.Customer { return &p.Customer }),
	at("email", email, func(p *paymentRequest) *string { return &p.Email }),
	at("name", text, func(p *paymentRequest) *string { return &p.Name }),
	at("phone", text, func(p *paymentRequest) *string { return &p.Phone }),
	at("phone_country_code", text, func(p *paymentRequest) *string { return &p.PhoneCountryCode }),
	opt("billing", contactFields.parse, func(p *paymentRequest) **contact.Contact { return &p.Billing }),
	opt("shipping", contactFields.parse, func(p *paymentRequest) **contact.Contact { return &p.Shipping }),
	opt("browser_info", browserFields.parse, func(p *paymentRequest) **contact.Browser { return &p.Browser }),

	at("payment_method", oneOf(paymentMethods), func(p *paymentRequest) *string { return &p.PaymentMethod }),
	at("payment_method_type", oneOf(paymentMethodTypes), func(p *paymentRequest) *string { return &p.PaymentMethodType }),
	field[paymentRequest]{key: "payment_method_data", read: func(r *reader, p *paymentRequest) error { return methodFields.into(r, p) }},
	at("payment_token", text, func(p *paymentRequest) *string { return &p.PaymentToken }),
	at("card_cvc", secretText, func(p *paymentRequest) *secret.Value { return &p.CardCVC }),
	opt("recurring_details", recurringDetails, func(p *paymentRequest) **request.Recurring { return &p.Recurring }),
	at("mandate_id", text, func(p *paymentRequest) *string { return &p.MandateID }),
	opt("mandate_data", mandateFields.parse, func(p *paymentRequest) **request.MandateInput { return &p.MandateData }),
	opt("customer_acceptance", acceptanceFields.parse, func(p *paymentRequest) **payment.Acceptance { return &p.Acceptance }),
	opt("three_ds_data", threeDSFields.parse, func(p *paymentRequest) **request.ThreeDSInput { return &p.ThreeDS }),

	at("description", text, func(p *paymentRequest) *string { return &p.Description }),
	at("statement_descriptor_name", text, func(p *paymentRequest) *string { return &p.DescriptorName }),
	at("statement_descriptor_suffix", text, func(p *paymentRequest) *string { return &p.DescriptorSuffix }),
	at("merchant_order_reference_id", apart(text), func(p *paymentRequest) *string { return &p.OrderReference }),
	at("metadata", anyObject, func(p *paymentRequest) *json.RawMessage { return &p.Metadata }),
	echoAnd("order_details", listOf(lineFields.parse), func(p *paymentRequest, lines []sdk.Line) { p.Lines = lines }),
	echoAnd("surcharge_details", surchargeFields.parse, func(p *paymentRequest, s surcharge) {
		p.SurchargeAmount, p.NamesSurcharge = s.amount+s.tax, true
	}),

	echo("allowed_payment_method_types", listOf(oneOf(paymentMethodTypes))),
	echo("payment_experience", oneOf(paymentExperiences)),
	echo("connector_metadata", anyObject),
	echo("feature_metadata", anyObject),
	echoAnd("frm_metadata", anyObject, func(p *paymentRequest, frm json.RawMessage) {
		accepted := payment.RiskAccepted(frm)
		p.RiskAccepted = &accepted
	}),
	echo("split_payments", anyObject),
	echoAnd("business_country", oneOf(countries), func(p *paymentRequest, country string) { p.BusinessCountry = country }),
	echoAnd("business_label", text, func(p *paymentRequest, label string) { p.BusinessLabel = label }),
	echo("payment_channel", paymentChannel),
	echo("billing_descriptor", anyObject),
	echoAnd("mit_category", oneOf(mitCategories), func(p *paymentRequest, c sdk.MITCategory) { p.MITCategory = c }),
	echoAnd("is_stored_credential", boolean, func(p *paymentRequest, yes bool) { p.StoredCredential = &yes }),
	echoAnd("force_3ds_challenge", boolean, func(p *paymentRequest, yes bool) { p.Force3DSChallenge = &yes }),
	echoAnd("psd2_sca_exemption_type", oneOf(scaExemptions), func(p *paymentRequest, x sdk.Exemption) { p.SCAExemption = x }),
	echoAnd("payment_link", boolean, func(p *paymentRequest, yes bool) { p.PaymentLink = &yes }),
	echoAnd("payment_link_config", linkConfig, func(p *paymentRequest, config json.RawMessage) { p.LinkConfig = config }),
	echoAnd("payment_link_config_id", text, func(p *paymentRequest, id string) { p.LinkConfigID = id }),
	echoAnd("request_incremental_authorization", boolean, func(p *paymentRequest, yes bool) { p.Incremental = &yes }),
	opt("request_extended_authorization", boolean, func(p *paymentRequest) **bool { return &p.Extended }),
	opt("enable_partial_authorization", boolean, func(p *paymentRequest) **bool { return &p.Partial }),
	opt("enable_overcapture", boolean, func(p *paymentRequest) **bool { return &p.Overcapture }),
	echo("retry_action", oneOf(retryActions)),
	opt("partner_merchant_identifier_details", partnerFields.parse, func(p *paymentRequest) **sdk.Partner { return &p.Partner }),

	// Fields of the API that have no effect here.
	drop[paymentRequest]("threeds_method_comp_ind", oneOf(completionIndicators)),
	drop[paymentRequest]("tokenization", oneOf(tokenizations)),
	drop[paymentRequest]("extended_authorization_days", anyJSON), // a processor decides how much longer it holds the funds
	drop[paymentRequest]("all_keys_required", boolean),
	echoAnd("skip_external_tax_calculation", boolean, func(p *paymentRequest, yes bool) { p.SkipTax = &yes }),
	drop[paymentRequest]("merchant_connector_details", anyObject),
	drop[paymentRequest]("ctp_service_details", anyObject),
	drop[paymentRequest]("tax_status", oneOf(taxStatuses)),
	drop[paymentRequest]("discount_amount", amount),
	drop[paymentRequest]("shipping_amount_tax", amount),
	drop[paymentRequest]("duty_amount", amount),
	drop[paymentRequest]("order_date", timestamp),
	echoAnd("installment_options", listOf(plansFields.parse), func(p *paymentRequest, plans []request.Plans) { p.Plans = plans }),
	opt("installment_data", installmentFields.parse, func(p *paymentRequest) **request.Installment { return &p.Installment }),
	echoAnd("profile_acquirer_id", text, func(p *paymentRequest, id string) { p.ProfileAcquirerID = &id }),
	drop[paymentRequest]("external_surcharge_strategy", oneOf(surchargeStrategies)),
	drop[paymentRequest]("business_sub_label", text),
))

// named makes every field of o note its name in Sent. The engine uses the names to refuse fields that a payer may not send.
func named(o *object[paymentRequest]) *object[paymentRequest] {
	for i := range o.fields {
		key, read := o.fields[i].key, o.fields[i].read
		o.fields[i].read = func(r *reader, p *paymentRequest) error {
			p.Sent = append(p.Sent, key)
			return read(r, p)
		}
	}
	return o
}

var lineFields = openObject(
	must(at("product_name", text, func(l *sdk.Line) *string { return &l.Name })),
	must(field[sdk.Line]{key: "quantity", read: func(r *reader, l *sdk.Line) error {
		n, err := integer(0, math.MaxUint16)(r)
		l.Quantity = int(n)
		return err
	}}),
	must(at("amount", amount, func(l *sdk.Line) *int64 { return &l.UnitPrice })),
	at("total_tax_amount", amount, func(l *sdk.Line) *int64 { return &l.Tax }),
	at("sku", text, func(l *sdk.Line) *string { return &l.SKU }),
)

type surcharge struct{ amount, tax int64 }

// partnerFields reads partner_merchant_identifier_details.
var partnerFields = openObject(
	opt("partner_details", softwareFields(at("integrator", text, func(s *sdk.Software) *string { return &s.Integrator })), func(p *sdk.Partner) **sdk.Software {
		return &p.Platform
	}),
	opt("merchant_details", softwareFields(), func(p *sdk.Partner) **sdk.Software { return &p.Application }),
)

func softwareFields(more ...field[sdk.Software]) func(*reader) (sdk.Software, error) {
	return openObject(append(more, at("name", text, func(s *sdk.Software) *string { return &s.Name }),
		at("version", text, func(s *sdk.Software) *string { return &s.Version }))...).parse
}

var surchargeFields = openObject(
	must(at("surcharge_amount", addend, func(s *surcharge) *int64 { return &s.amount })),
	at("tax_amount", addend, func(s *surcharge) *int64 { return &s.tax }),
)

// payment reads the body of create, update and confirm. It checks the form first, then the lengths, then the connectors in the routing.
func (s *Server) payment(c *call) (*request.Input, error) {
	if source := c.r.Header.Get("X-Payment-Confirm-Source"); source == "webhook" || source == "external_authenticator" {
		return nil, fault.Unprocessable("X-Payment-Confirm-Source", "X-Payment-Confirm-Source must not be "+source+": the switch alone uses this value").WithHint("Leave the header out.")
	}
	p := &paymentRequest{}
	p.Sent = make([]string, 0, 16)
	if err := decode(c, paymentFields, p); err != nil {
		return nil, err
	}
	if err := p.checkLengths(); err != nil {
		return nil, err
	}
	if err := s.setRouting(p); err != nil {
		return nil, err
	}
	p.CallerIP, _, _ = net.SplitHostPort(c.r.RemoteAddr) // "" where there is no address
	if p.Browser != nil && p.Browser.IP == "" {
		p.Browser.IP = p.CallerIP
	}
	return &p.Input, nil
}

func (p *paymentRequest) checkLengths() error {
	phoneCountry := p.PhoneCountryCode
	if p.Customer != nil && len(p.Customer.PhoneCountryCode) > len(phoneCountry) {
		phoneCountry = p.Customer.PhoneCountryCode
	}
	return checkLengths(
		length{"return_url", p.ReturnURL, 2048},
		length{"mandate_id", p.MandateID, 64},
		length{"statement_descriptor_name", p.DescriptorName, 255},
		length{"statement_descriptor_suffix", p.DescriptorSuffix, 255},
		length{"phone_country_code", phoneCountry, 255},
		length{"merchant_order_reference_id", p.OrderReference, 255},
	)
}

// length is a field, its value, and how many bytes the value may have.
type length struct {
	field, value string
	most         int
}

func checkLengths(fields ...length) error {
	for _, f := range fields {
		if len(f.value) > f.most {
			return fault.Unprocessable(f.field, f.field+" must be at most "+strconv.Itoa(f.most)+" characters long. Received "+
				strconv.Itoa(len(f.value))+" characters").WithHint("Shorten the text to " + strconv.Itoa(f.most) + " characters.")
		}
	}
	return nil
}

// setRouting reads the routing rule and checks that an adapter serves every connector in it. A malformed rule is answered with 422, not
// as malformed JSON.
func (s *Server) setRouting(p *paymentRequest) error {
	for i, name := range p.connectors {
		if _, known := s.Connectors.Adapter(name); !known {
			return s.unknownConnector("connector["+strconv.Itoa(i)+"]", name)
		}
	}
	if p.routing == nil {
		if len(p.connectors) > 0 {
			p.Routing = &routed.Preference{Only: p.connectors}
		}
		return nil
	}
	routing, err := parseRouting(p.routing)
	if err != nil {
		return err
	}
	for i, choice := range routing.Choices {
		if _, known := s.Connectors.Adapter(choice.Connector); !known {
			param, names := "routing.data", s.connectorNames()
			if routing.Type != routed.Single {
				param += "[" + strconv.Itoa(i) + "]"
			}
			return badRouting(param, fmt.Sprintf("routing names the connector %s, expected %s", quoted([]byte(choice.Connector)), oneOfText(names)),
				fault.ChoiceHint(choice.Connector, names))
		}
	}
	routing.Only = p.connectors
	p.Routing = routing
	return nil
}

// unknownConnector returns the error for a connector in the field param that no adapter serves.
func (s *Server) unknownConnector(param, name string) error {
	names := s.connectorNames()
	return fault.Malformed(param, "unknown variant `"+shownText([]byte(name))+"`, expected "+oneOfText(names)).WithHint(fault.ChoiceHint(name, names))
}

func (s *Server) connectorNames() []string {
	var names []string
	for _, a := range s.Connectors.Adapters() {
		names = append(names, a.Connector)
	}
	return names
}
