package paypal

import (
	"cmp"
	"errors"
	"strconv"

	"payswitch/sdk"
)

// authorize creates an order together with its card, which PayPal then authorizes or captures at once.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	intent := "CAPTURE"
	if r.Capture == sdk.CaptureManual {
		intent = "AUTHORIZE"
	}
	return order(c, post(c, ordersPath, sdk.NewObject().Str("intent", intent).Arr("purchase_units", sdk.NewArray().Obj(purchaseUnit(r))).
		Obj("payment_source", sdk.NewObject().Obj("card", cardSource(r))))), nil
}

// purchaseUnit is what is bought. PayPal wants the breakdown to add up to the amount.
func purchaseUnit(r *sdk.Request) *sdk.Object {
	total, goods := money(r, r.Amount.Minor), r.Amount.Minor-r.ShippingCost-r.TaxAmount
	sdk.Require(goods >= 0, sdk.Invalid("amount", "shipping cost and tax are more than the amount"))
	breakdown := sdk.NewObject().Obj("item_total", money(r, goods)).Obj("shipping", money(r, r.ShippingCost))
	if r.TaxAmount > 0 {
		breakdown.Obj("tax_total", money(r, r.TaxAmount))
	}
	return sdk.NewObject().Str("reference_id", r.Reference).Str("invoice_id", r.Reference).OptStr("custom_id", sdk.Clip(r.OrderReference, 127)).
		OptStr("description", sdk.Clip(r.Description, 127)).OptStr("soft_descriptor", sdk.Clip(r.DescriptorName, 22)).
		Obj("amount", total.Obj("breakdown", breakdown)).Obj("shipping", shipping(r.Shipping)).Arr("items", items(r, goods))
}

// items are the order's lines where they come to what the goods cost, else one for all: PayPal refuses items that do not add up.
func items(r *sdk.Request, goods int64) *sdk.Array {
	lines := r.Lines
	if total, ok := r.LinesTotal(); !ok || total != goods {
		lines = []sdk.Line{{Name: "Payment for invoice " + r.Reference, Quantity: 1, UnitPrice: goods}}
	}
	all := sdk.NewArray()
	for _, l := range lines {
		all.Obj(sdk.NewObject().Str("name", sdk.Clip(l.Name, 127)).OptStr("sku", sdk.Clip(l.SKU, 127)).Str("quantity", strconv.Itoa(l.Quantity)).
			Obj("unit_amount", money(r, l.UnitPrice)))
	}
	return all
}

// cardSource is the card: its number, or what PayPal keeps of one.
func cardSource(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	k, o, attributes := r.Instrument.Card, sdk.NewObject().OptStr("vault_id", r.Instrument.StoredCredentialID), sdk.NewObject()
	if k != nil {
		o = card(r)
	}
	if o.OptObj("stored_credential", storedCredential(r)); r.MerchantInitiated() {
		return o // PayPal refuses what only a customer can tell
	}
	if k != nil {
		o.OptStr("security_code", k.CVC)
	}
	if k != nil && r.Stores() {
		attributes.Obj("vault", sdk.NewObject().Str("store_in_vault", "ON_SUCCESS"))
	}
	if r.Request3DS {
		attributes.Obj("verification", sdk.NewObject().Str("method", "SCA_ALWAYS"))
	}
	if r.Request3DS || r.BillTo().Country != "US" { // PayPal asks for 3-D Secure by itself as well, where the law wants it
		o.OptObj("experience_context", sdk.NewObject().OptStr("return_url", r.ReturnURL).OptStr("cancel_url", r.ReturnURL))
	}
	return o.OptObj("attributes", attributes)
}

func card(r *sdk.Request) *sdk.Object {
	k := r.Instrument.Card
	return sdk.NewObject().Str("number", k.Number).Str("expiry", k.Year()+"-"+k.Month()).OptStr("name", cmp.Or(k.Holder, r.BillTo().Name())).
		Obj("billing_address", address(r.Billing))
}

// networks are PayPal's names of the card networks.
var networks = map[sdk.CardNetwork]string{sdk.Visa: "VISA", sdk.Mastercard: "MASTERCARD", sdk.AmericanExpress: "AMEX", sdk.Discover: "DISCOVER", sdk.JCB: "JCB",
	sdk.DinersClub: "DINERS", sdk.Maestro: "MAESTRO", sdk.UnionPay: "CHINA_UNION_PAY", sdk.CartesBancaires: "CB_NATIONALE"}

// What PayPal is told of a payment with a stored credential, as the card networks want it: who began it, what for, and which of several it is.
var (
	initiators = sdk.Names{{"MERCHANT", "mit"}, {"CUSTOMER", "cit first"}}
	kinds      = sdk.Names{{"RECURRING", "mit_recurring mit_installment first_recurring first_installment"}, {"UNSCHEDULED", "mit first_off_session"}, {"ONE_TIME", "first cit"}}
	usages     = sdk.Names{{"FIRST", "first"}, {"SUBSEQUENT", "mit cit"}}
)

func storedCredential(r *sdk.Request) *sdk.Object {
	u, i := r.StoredCredential, r.Instrument
	o := sdk.NewObject().OptStr("payment_initiator", initiators.For(u)).OptStr("payment_type", kinds.For(u)).OptStr("usage", usages.For(u))
	if r.MerchantInitiated() && i.NetworkTransactionID != "" {
		reference := sdk.NewObject().Str("id", i.NetworkTransactionID)
		if i.Card != nil {
			reference.OptStr("network", networks[i.Card.Scheme()])
		}
		o.Obj("previous_network_transaction_reference", reference)
	}
	return o
}

// address is a postal address, nil where the country, without which PayPal takes none, is not known.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Country == "" {
		return nil
	}
	country := a.Country
	if country == "CN" { // PayPal's own code
		country = "C2"
	}
	return sdk.NewObject().OptStr("address_line_1", a.Line1).OptStr("address_line_2", a.Line2).OptStr("admin_area_2", a.City).
		OptStr("admin_area_1", a.State).OptStr("postal_code", a.Zip).Str("country_code", country)
}

func shipping(a *sdk.Address) *sdk.Object {
	to := address(a)
	if to == nil {
		return nil
	}
	return sdk.NewObject().OptObj("name", sdk.NewObject().OptStr("full_name", a.Name())).Obj("address", to)
}

// verify keeps a card without taking money. PayPal checks its form; whether the issuer is asked is up to the account.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	sdk.Require(!r.Request3DS, sdk.Unsupported("authentication_type", "PayPal keeps a card with 3-D Secure together with a payment only"))
	j := post(c, tokensPath, sdk.NewObject().Obj("payment_source", sdk.NewObject().Obj("card", card(r))))
	sdk.Require(j.Get("payment_source.card").IsObject(), errors.New("a payment token, but not of a card"))
	id := j.Str("id")
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: id,
		StoredCredential: &sdk.StoredCredential{ID: id, CustomerID: j.Str("customer.id")}}, nil
}

// complete goes on after PayPal's 3-D Secure: it looks at the result, and takes or holds the money if the card is the customer's.
func complete(c *sdk.Call) (*sdk.Outcome, error) {
	j := orderOf(c, nil)
	authorization, captured := payments(j)
	if status := j.Str("status"); authorization.Exists() || captured.Exists() || status != "CREATED" && status != "APPROVED" {
		return order(c, j), nil // paid; the customer has not finished; the order is no more
	}
	if d := unauthenticated(j.Get("payment_source.card.authentication_result")); d != nil {
		return &sdk.Outcome{Status: sdk.StatusDeclined, TransactionID: j.Str("id"), Decline: d}, nil
	}
	action := "/capture"
	if c.Request.Capture == sdk.CaptureManual {
		action = "/authorize"
	}
	return order(c, post(c, orderPath(c)+action, sdk.NewObject())), nil
}

// unauthenticated is why PayPal recommends not to go on, nil where it recommends to (developer.paypal.com, "3D Secure response
// parameters"). A card whose issuer takes no part (enrolment N, U or B without a shift of liability) is charged all the same.
func unauthenticated(result sdk.JSON) *sdk.Decline {
	enrolled, status, shift := result.Str("three_d_secure.enrollment_status"), result.Str("three_d_secure.authentication_status"), result.Str("liability_shift")
	switch {
	case enrolled == "Y" && (status == "Y" || status == "A"):
		return nil
	case shift == "NO" && (enrolled == "N" || enrolled == "U" || enrolled == "B"):
		return nil
	case enrolled == "" && (shift == "POSSIBLE" || shift == "YES"):
		return nil
	}
	return &sdk.Decline{Code: "3DS_" + enrolled + status, Reason: sdk.DeclineAuthenticationFailed,
		Message: "3-D Secure did not succeed: enrolment " + enrolled + ", authentication " + status + ", liability shift " + shift}
}
