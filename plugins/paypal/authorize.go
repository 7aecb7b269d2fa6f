package paypal

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

// authorize creates an order together with its card, which PayPal then authorizes or captures at once.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.ThreeDS != nil {
		return nil, sdk.Unsupported("three_ds_data", "PayPal takes no authentication done outside; ask for its own with authentication_type three_ds")
	}
	unit, err := purchaseUnit(r)
	if err != nil {
		return nil, err
	}
	card, err := cardSource(r)
	if err != nil {
		return nil, err
	}
	intent := "CAPTURE"
	if r.Capture == sdk.CaptureManual {
		intent = "AUTHORIZE"
	}
	a, err := post(c, ordersPath, sdk.NewObject().Str("intent", intent).Arr("purchase_units", sdk.NewArray().Obj(unit)).
		Obj("payment_source", sdk.NewObject().Obj("card", card)))
	if err != nil {
		return nil, err
	}
	return orderAnswer(c, a)
}

// purchaseUnit is what is bought. PayPal wants the breakdown to add up to the amount.
func purchaseUnit(r *sdk.Request) (*sdk.Object, error) {
	total, err := money(r.Amount)
	if err != nil {
		return nil, err
	}
	part := func(minor int64) *sdk.Object {
		o, e := money(sdk.Money{Minor: minor, Currency: r.Amount.Currency})
		if e != nil {
			err = e
		}
		return o
	}
	goods := r.Amount.Minor - r.ShippingCost - r.TaxAmount
	if goods < 0 {
		return nil, sdk.Invalid("amount", "shipping cost and tax are more than the amount")
	}
	breakdown := sdk.NewObject().Obj("item_total", part(goods)).Obj("shipping", part(r.ShippingCost))
	if r.TaxAmount > 0 {
		breakdown.Obj("tax_total", part(r.TaxAmount))
	}
	items := sdk.NewArray()
	if sum := lineTotal(r.Lines); len(r.Lines) > 0 && sum == goods {
		for i := range r.Lines {
			items.Obj(item(r.Lines[i].Name, r.Lines[i].SKU, r.Lines[i].Quantity, part(r.Lines[i].UnitPrice)))
		}
	} else {
		items.Obj(item("Payment for invoice "+r.Reference, "", 1, part(goods)))
	}
	return sdk.NewObject().Str("reference_id", r.Reference).Str("invoice_id", r.Reference).OptStr("custom_id", clip(r.OrderReference, 127)).
		OptStr("description", clip(r.Description, 127)).OptStr("soft_descriptor", clip(r.DescriptorName, 22)).
		Obj("amount", total.Obj("breakdown", breakdown)).Obj("shipping", shipping(r.Shipping)).Arr("items", items), err
}

func item(name, sku string, quantity int, price *sdk.Object) *sdk.Object {
	return sdk.NewObject().Str("name", clip(name, 127)).OptStr("sku", clip(sku, 127)).Str("quantity", strconv.Itoa(quantity)).Obj("unit_amount", price)
}

// lineTotal is what the lines come to, -1 if one is not a sale of goods.
func lineTotal(lines []sdk.Line) (sum int64) {
	for i := range lines {
		l := &lines[i]
		if l.Name == "" || l.Quantity < 1 || l.Quantity > 1e6 || l.UnitPrice < 0 || l.UnitPrice > 1e12 {
			return -1
		}
		sum += int64(l.Quantity) * l.UnitPrice
	}
	return sum
}

// cardSource is the card: its number, or what PayPal keeps of one.
func cardSource(r *sdk.Request) (*sdk.Object, error) {
	if err := r.NeedInstrument(); err != nil {
		return nil, err
	}
	i, o := r.Instrument, sdk.NewObject()
	if i.StoredCredentialID != "" {
		o.Str("vault_id", i.StoredCredentialID)
	} else {
		o.Str("number", i.Card.Number).OptStr("security_code", i.Card.CVC)
		holder(o, i.Card, r.Billing)
	}
	storedCredential(o, r)
	attributes := sdk.NewObject()
	if r.Stores() && i.Card != nil {
		attributes.Obj("vault", sdk.NewObject().Str("store_in_vault", "ON_SUCCESS"))
	}
	if r.Request3DS {
		attributes.Obj("verification", sdk.NewObject().Str("method", "SCA_ALWAYS"))
		o.Obj("experience_context", sdk.NewObject().OptStr("return_url", r.ReturnURL).OptStr("cancel_url", r.ReturnURL))
	}
	if attributes.String() != "{}" {
		o.Obj("attributes", attributes)
	}
	return o, nil
}

func holder(o *sdk.Object, card *sdk.Card, billing *sdk.Address) {
	o.Str("expiry", card.Year()+"-"+card.Month()).OptStr("name", card.Holder).Obj("billing_address", address(billing))
}

// networks are PayPal's names of the card networks.
var networks = map[sdk.CardNetwork]string{sdk.Visa: "VISA", sdk.Mastercard: "MASTERCARD", sdk.AmericanExpress: "AMEX", sdk.Discover: "DISCOVER", sdk.JCB: "JCB",
	sdk.DinersClub: "DINERS", sdk.Maestro: "MAESTRO", sdk.UnionPay: "CHINA_UNION_PAY", sdk.CartesBancaires: "CB_NATIONALE"}

// storedCredential says who began the payment and what it refers to, as the card networks want it.
func storedCredential(o *sdk.Object, r *sdk.Request) {
	u := r.StoredCredential
	if u == nil {
		return
	}
	s := sdk.NewObject()
	kind := "UNSCHEDULED"
	if u.Category == "recurring" || u.Category == "installment" {
		kind = "RECURRING"
	}
	switch {
	case u.Initiator == "mit":
		s.Str("payment_initiator", "MERCHANT").Str("payment_type", kind).Str("usage", "SUBSEQUENT")
		if id := r.Instrument.NetworkTransactionID; id != "" {
			reference := sdk.NewObject().Str("id", id)
			if card := r.Instrument.Card; card != nil {
				reference.OptStr("network", networks[card.Network])
			}
			s.Obj("previous_network_transaction_reference", reference)
		}
	case u.First && u.Usage == "off_session":
		s.Str("payment_initiator", "CUSTOMER").Str("payment_type", kind).Str("usage", "FIRST")
	case u.First:
		s.Str("payment_initiator", "CUSTOMER").Str("payment_type", "ONE_TIME").Str("usage", "FIRST")
	default:
		s.Str("payment_initiator", "CUSTOMER").Str("payment_type", "ONE_TIME").Str("usage", "SUBSEQUENT")
	}
	o.Obj("stored_credential", s)
}

// address is a postal address, nil where the country, without which PayPal takes none, is not known.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Country == "" {
		return nil
	}
	return sdk.NewObject().OptStr("address_line_1", a.Line1).OptStr("address_line_2", a.Line2).OptStr("admin_area_2", a.City).
		OptStr("admin_area_1", a.State).OptStr("postal_code", a.Zip).Str("country_code", a.Country)
}

func shipping(a *sdk.Address) *sdk.Object {
	to := address(a)
	if to == nil {
		return nil
	}
	o := sdk.NewObject()
	if name := a.Name(); name != "" {
		o.Obj("name", sdk.NewObject().Str("full_name", name))
	}
	return o.Obj("address", to)
}

// clip cuts a text to what PayPal takes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// verify keeps a card without taking money. PayPal checks its form; whether the issuer is asked is up to the account.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if err := cmp.Or(r.NeedZero(), r.NeedCard()); err != nil {
		return nil, err
	}
	if r.Request3DS || r.ThreeDS != nil {
		return nil, sdk.Unsupported("authentication_type", "PayPal keeps a card with 3-D Secure together with a payment only")
	}
	card := sdk.NewObject().Str("number", r.Instrument.Card.Number)
	holder(card, r.Instrument.Card, r.Billing)
	a, err := post(c, tokensPath, sdk.NewObject().Obj("payment_source", sdk.NewObject().Obj("card", card)))
	if err != nil {
		return nil, err
	}
	j := a.JSON()
	id := j.Str("id")
	if !a.OK() || id == "" || !j.Get("payment_source.card").IsObject() {
		return refused(a)
	}
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: id,
		StoredCredential: &sdk.StoredCredential{ID: id, CustomerID: j.Str("customer.id")}}, nil
}
