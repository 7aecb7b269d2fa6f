package paypal

import (
	"strconv"

	"payswitch/sdk"
)

// authorize creates an order with its card, which PayPal authorizes or captures at once.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	return order(c, post(c, ordersPath,
		sdk.NewObject().Str("intent", sdk.Choose(r.Capture == sdk.CaptureManual, "AUTHORIZE", "CAPTURE")).
			Arr("purchase_units", sdk.NewArray().Obj(purchaseUnit(r))).
			Obj("payment_source", sdk.NewObject().Obj("card", cardSource(r))))), nil
}

// purchaseUnit describes the purchase. PayPal requires that the breakdown adds up to the amount.
func purchaseUnit(r *sdk.Request) *sdk.Object {
	total, goods := money(r, r.Amount.Minor), r.Amount.Minor-r.ShippingCost-r.TaxAmount
	sdk.Require(goods >= 0, sdk.Invalid("amount", "shipping cost and tax are higher than the amount"))
	breakdown := sdk.NewObject().Obj("item_total", money(r, goods)).Obj("shipping", money(r, r.ShippingCost))
	if r.TaxAmount > 0 {
		breakdown.Obj("tax_total", money(r, r.TaxAmount))
	}
	return sdk.NewObject().Str("reference_id", r.Reference).Str("invoice_id", r.Reference).
		OptStr("custom_id", sdk.Clip(r.OrderReference, 127)).OptStr("description", sdk.Clip(r.Description, 127)).
		OptStr("soft_descriptor", sdk.Clip(r.DescriptorName, 22)).
		Obj("amount", total.Obj("breakdown", breakdown)).Obj("shipping", shipping(r.Shipping)).Arr("items", items(r, goods))
}

// items returns the order's lines if they add up to the price of the goods, as PayPal requires, else one line for all.
func items(r *sdk.Request, goods int64) *sdk.Array {
	lines := r.Lines
	if total, ok := r.LinesTotal(); !ok || total != goods {
		lines = []sdk.Line{{Name: "Payment for invoice " + r.Reference, Quantity: 1, UnitPrice: goods}}
	}
	all := sdk.NewArray()
	for _, l := range lines {
		all.Obj(sdk.NewObject().Str("name", sdk.Clip(l.Name, 127)).OptStr("sku", sdk.Clip(l.SKU, 127)).
			Str("quantity", strconv.Itoa(l.Quantity)).Obj("unit_amount", money(r, l.UnitPrice)))
	}
	return all
}

// cardSource returns the card: its number, or PayPal's token of a stored card.
func cardSource(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	k, o := r.Instrument.Card, sdk.NewObject().OptStr("vault_id", r.Instrument.StoredCredentialID)
	if k != nil {
		o = card(r)
	}
	if o.OptObj("stored_credential", storedCredential(r)); r.MerchantInitiated() {
		return o // PayPal refuses data that only a present customer can give
	}
	if k != nil {
		o.OptStr("security_code", k.CVC)
	}
	if r.Request3DS || r.BillTo().Country != "US" { // PayPal also runs 3-D Secure on its own where the law requires it
		o.OptObj("experience_context", sdk.NewObject().OptStr("return_url", r.ReturnURL).OptStr("cancel_url", r.ReturnURL))
	}
	return o.OptObj("attributes",
		sdk.NewObject().StrAt("vault.store_in_vault", sdk.When(k != nil && r.Stores(), "ON_SUCCESS")).
			StrAt("verification.method", sdk.When(r.Request3DS, "SCA_ALWAYS")))
}

func card(r *sdk.Request) *sdk.Object {
	k := r.Instrument.Card
	return sdk.NewObject().Str("number", k.Number).Str("expiry", k.Year()+"-"+k.Month()).
		OptStr("name", r.Cardholder()).Obj("billing_address", address(r.Billing))
}

// networks are PayPal's names of the card networks.
var networks = map[sdk.CardNetwork]string{
	sdk.Visa: "VISA", sdk.Mastercard: "MASTERCARD", sdk.AmericanExpress: "AMEX", sdk.Discover: "DISCOVER", sdk.JCB: "JCB",
	sdk.DinersClub: "DINERS", sdk.Maestro: "MAESTRO", sdk.UnionPay: "CHINA_UNION_PAY", sdk.CartesBancaires: "CB_NATIONALE",
}

// The facts that card networks require about a payment with a stored credential.
var (
	initiators = sdk.Names{{"MERCHANT", "mit"}, {"CUSTOMER", "cit first"}}
	kinds      = sdk.Names{{"RECURRING", "mit_recurring mit_installment first_recurring first_installment"},
		{"UNSCHEDULED", "mit first_off_session"}, {"ONE_TIME", "first cit"}}
	usages = sdk.Names{{"FIRST", "first"}, {"SUBSEQUENT", "mit cit"}}
)

func storedCredential(r *sdk.Request) *sdk.Object {
	u, i := r.StoredCredential, r.Instrument
	o := sdk.NewObject().OptStr("payment_initiator", initiators.For(u)).OptStr("payment_type", kinds.For(u)).
		OptStr("usage", usages.For(u))
	if r.MerchantInitiated() && i.NetworkTransactionID != "" {
		reference := sdk.NewObject().Str("id", i.NetworkTransactionID)
		if i.Card != nil {
			reference.OptStr("network", networks[i.Card.Scheme()])
		}
		o.Obj("previous_network_transaction_reference", reference)
	}
	return o
}

// address returns a postal address; nil without a country, which PayPal requires.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Country == "" {
		return nil
	}
	return sdk.NewObject().OptStr("address_line_1", a.Line1).OptStr("address_line_2", a.Line2).
		OptStr("admin_area_2", a.City).OptStr("admin_area_1", a.State).OptStr("postal_code", a.Zip).
		Str("country_code", sdk.Choose(a.Country == "CN", "C2", a.Country)) // PayPal has a code of its own for China
}

func shipping(a *sdk.Address) *sdk.Object {
	to := address(a)
	if to == nil {
		return nil
	}
	return sdk.NewObject().StrAt("name.full_name", a.Name()).Obj("address", to)
}

// verify stores a card without a payment. The account's settings decide whether PayPal asks the issuer.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	sdk.Require(!r.Request3DS, sdk.Unsupported("authentication_type",
		"PayPal stores a card with 3-D Secure only together with a payment"))
	j := post(c, tokensPath, sdk.NewObject().Obj("payment_source", sdk.NewObject().Obj("card", card(r))))
	sdk.Expect(j.Get("payment_source.card").IsObject(), "the payment token is not a card's")
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: j.Str("id"),
		StoredCredential: sdk.StoredAs(j.Str("id"), j.Str("customer.id"))}, nil
}

// complete goes on after PayPal's 3-D Secure: if the customer is authenticated, it authorizes or captures the order.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	j := orderOf(c, nil)
	authorization, captured := payments(j)
	open := j.Str("status") == "CREATED" || j.Str("status") == "APPROVED"
	if authorization.Exists() || captured.Exists() || !open {
		return order(c, j), nil // the order is paid, or waits for the customer, or is gone
	}
	if d := unauthenticated(j.Get("payment_source.card.authentication_result")); d != nil {
		return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: j.Str("id"), Decline: d}, nil
	}
	action := sdk.Choose(c.Request.Capture == sdk.CaptureManual, "/authorize", "/capture")
	return order(c, post(c, orderPath(c)+action, sdk.NewObject())), nil
}

// unauthenticated returns the reason for which PayPal recommends to stop; nil if it recommends to go on, also with a
// card whose issuer does not take part (developer.paypal.com, "3D Secure response parameters").
func unauthenticated(result sdk.JSON) *sdk.Decline {
	enrolled, status, shift := result.Str("three_d_secure.enrollment_status"),
		result.Str("three_d_secure.authentication_status"), result.Str("liability_shift")
	switch {
	case enrolled == "Y" && (status == "Y" || status == "A"),
		shift == "NO" && (enrolled == "N" || enrolled == "U" || enrolled == "B"),
		enrolled == "" && (shift == "POSSIBLE" || shift == "YES"):
		return nil
	}
	return &sdk.Decline{Code: "3DS_" + enrolled + status, Reason: sdk.DeclineAuthenticationFailed,
		Message: "3-D Secure did not succeed: enrolment " + enrolled + ", authentication " + status + ", liability shift " +
			shift}
}
