package stripe

import (
	"strings"

	"payswitch/sdk"
)

// authorize creates and confirms a PaymentIntent.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r, minor := c.Request, amount(c.Request.Amount)
	sdk.Check(r.NeedInstrument())
	customer := customerOf(c)
	f := sdk.NewForm().Int("amount", minor).Add("currency", string(r.Amount.Currency)).Add("confirm", "true").
		Opt("customer", customer).Opt("description", r.Description).Opt("return_url", r.ReturnURL).
		Opt("statement_descriptor", sdk.Clip(r.DescriptorName, 22)).
		Opt("statement_descriptor_suffix", sdk.Clip(r.DescriptorSuffix, 22)).
		Opt("capture_method", string(r.Capture))
	metadata(f, r)
	shipping(f, r.Shipping)
	instrument(f, r)
	switch r.StoredCredential.Agreement() {
	case "first":
		f.Add("setup_future_usage", usage(r.StoredCredential))
	case "mit":
		f.Add("off_session", "true")
	}
	hold, manual, always := r.Wish(), r.Capture == sdk.CaptureManual, c.Account.Config["incremental_authorization"]
	request(f, "incremental_authorization", hold.Incremental || manual && always != "" && always != "never")
	request(f, "extended_authorization", hold.Extended && manual)
	request(f, "overcapture", hold.OverCapture)
	request(f, "multicapture", hold.Multiple)
	return paymentIntent.create(c, intents, f, customer), nil
}

// request asks for a kind of hold, if card and account allow it (docs.stripe.com/payments, pages of these names).
func request(f *sdk.Form, name string, wanted bool) {
	if wanted {
		f.Add("payment_method_options[card][request_"+name+"]", "if_available")
	}
}

// verify creates and confirms a SetupIntent, which checks the card with a zero amount.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	customer := customerOf(c)
	f := sdk.NewForm().Add("confirm", "true").Opt("customer", customer).Opt("return_url", r.ReturnURL)
	if r.StoredCredential != nil {
		f.Add("usage", usage(r.StoredCredential))
	}
	metadata(f, r)
	newCard(f, r)
	threeDSecure(f, r)
	return setupIntent.create(c, setups, f.Add("payment_method_types[0]", "card"), customer), nil
}

// customerOf is the customer through whom alone Stripe charges a stored card: known, or new if this payment stores it.
func customerOf(c *sdk.Call) string {
	r := c.Request
	if known := r.Kept().Customer; known != "" || !r.Stores() || r.Customer == nil {
		return known
	}
	j := post(c, "/v1/customers", sdk.NewForm().Opt("email", r.Customer.Email).Opt("name", r.Customer.Name))
	sdk.Expect(j.Str("object") == "customer" && j.Str("id") != "", "the answer is not a customer")
	return j.Str("id")
}

// create makes an intent. The outcome names the customer for later payments, also after a refusal.
func (k *intent) create(c *sdk.Call, path string, f *sdk.Form, customer string) *sdk.Outcome {
	answer := send(c, path, f.Add("expand[0]", k.attempt))
	o := refused(c, answer)
	if o == nil {
		o = k.read(c, answer.JSON())
	}
	if customer != "" {
		o.ConnectorData = &sdk.ConnectorData{Version: 1, Customer: customer}
		if o.StoredCredential != nil && o.StoredCredential.CustomerID == "" {
			o.StoredCredential.CustomerID = customer
		}
	}
	return o
}

func usage(s *sdk.StoredCredentialUse) string {
	return sdk.Choose(s.Usage == sdk.UsageOnSession, "on_session", "off_session")
}

// instrument adds the means of payment.
func instrument(f *sdk.Form, r *sdk.Request) {
	authenticates := r.ThreeDS != nil // with a result of the merchant's
	switch i := r.Instrument; {
	case i.Card == nil:
		f.Add("payment_method", i.StoredCredentialID).Add("payment_method_types[0]", "card")
		authenticates = authenticates || r.Request3DS
	case i.NetworkTransactionID != "":
		newCard(f, r)
		f.Add("payment_method_options[card][mit_exemption][network_transaction_id]", i.NetworkTransactionID)
	default:
		newCard(f, r)
		billing(f, r.BillTo())
		f.Add("payment_method_types[0]", "card")
		authenticates = true
	}
	if authenticates {
		threeDSecure(f, r)
	}
}

// newCard adds a card that Stripe does not know.
func newCard(f *sdk.Form, r *sdk.Request) {
	k := r.Instrument.Card
	f.Add("payment_method_data[type]", "card").Add("payment_method_data[card][number]", k.Number).
		Opt("payment_method_data[card][cvc]", k.CVC).Add("payment_method_data[card][exp_month]", k.Month()).
		Add("payment_method_data[card][exp_year]", k.Year()).
		Opt("payment_method_options[card][network]", networks[k.Network]).
		Opt("payment_method_data[ip]", r.Device().IP).Opt("payment_method_data[user_agent]", r.Device().UserAgent)
}

// networks are Stripe's names of card networks.
var networks = map[sdk.CardNetwork]string{
	sdk.Visa: "visa", sdk.Mastercard: "mastercard", sdk.AmericanExpress: "amex", sdk.JCB: "jcb", sdk.Discover: "discover",
	sdk.DinersClub: "diners", sdk.CartesBancaires: "cartes_bancaires", sdk.UnionPay: "unionpay", sdk.Interac: "interac",
}

// threeDSecure asks for 3-D Secure, or sends the result of an outside authentication, after which Stripe runs no other.
func threeDSecure(f *sdk.Form, r *sdk.Request) {
	const options = "payment_method_options[card]"
	f.Add(options+"[request_three_d_secure]", sdk.Choose(r.Request3DS && r.ThreeDS == nil, "any", "automatic"))
	// Stripe refuses a result without a cryptogram, which would shift no liability
	if t := r.ThreeDS; t != nil && t.CAVV != "" {
		f.Add(options+"[three_d_secure][cryptogram]", t.CAVV).
			Opt(options+"[three_d_secure][electronic_commerce_indicator]", t.ECI).
			Opt(options+"[three_d_secure][transaction_id]", t.DSTransID).Opt(options+"[three_d_secure][version]", t.Version).
			Opt(options+"[three_d_secure][ares_trans_status]", t.TransStatus)
		// Stripe takes these fields for a chosen network only
		if k := r.Instrument.Card; k != nil && k.Network == sdk.CartesBancaires {
			f.Opt(options+"[three_d_secure][network_options][cartes_bancaires][cb_avalgo]", t.CAVVAlgorithm)
		}
	}
}

func billing(f *sdk.Form, a *sdk.Address) {
	const details = "payment_method_data[billing_details]"
	f.Opt(details+"[name]", a.Name()).Opt(details+"[email]", a.Email).Opt(details+"[phone]", a.E164())
	address(f, details+"[address]", a)
}

func shipping(f *sdk.Form, a *sdk.Address) {
	if a == nil || a.Name() == "" || a.Line1 == "" { // Stripe requires both
		return
	}
	f.Add("shipping[name]", a.Name()).Opt("shipping[phone]", a.E164())
	address(f, "shipping[address]", a)
}

func address(f *sdk.Form, at string, a *sdk.Address) {
	f.OptIn(at, "line1", a.Line1).OptIn(at, "line2", a.Line2).OptIn(at, "city", a.City).OptIn(at, "state", a.State).
		OptIn(at, "postal_code", a.Zip).OptIn(at, "country", a.Country)
}

// metadata adds our reference, by which a sync finds a lost payment, and the merchant's metadata within Stripe's
// limits: 50 pairs, names of 40 characters without brackets, values of 500. Stripe refuses a payment with more.
func metadata(f *sdk.Form, r *sdk.Request) {
	f.Add("metadata[order_id]", r.Reference)
	n := 1
	for _, m := range sdk.Sorted(r.Metadata) {
		if m.Name != "order_id" && n < 50 && len(m.Name) <= 40 && len(m.Value) <= 500 && !strings.ContainsAny(m.Name, "[]") {
			f.Add("metadata["+m.Name+"]", m.Value)
			n++
		}
	}
}
