package mollie

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// ofACard reports whether the reference is a card token, such as Mollie's fields in the merchant's page make. A mandate
// begins with mdt_, or includes its customer, or belongs to a merchant-initiated payment.
func ofACard(r *sdk.Request) bool {
	id := r.Instrument.StoredCredentialID
	return !r.MerchantInitiated() && !strings.HasPrefix(id, "mdt_") && !strings.Contains(id, "/")
}

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedInstrument())
	if r.Instrument.Card != nil || ofACard(r) {
		return pay(c, r.Instrument, r.Stores() && r.StoredCredential.Usage == "off_session")
	}
	return charge(c, r.Instrument.StoredCredentialID)
}

// verify returns a first payment of zero, which checks and stores the card.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	sdk.Check(c.Request.NeedInstrument())
	return pay(c, c.Request.Instrument, true)
}

// pay makes a payment with a card or a card token. One that stores the card is a "first" payment of a customer.
func pay(c *sdk.Call, i *sdk.Instrument, store bool) (*sdk.Outcome, error) {
	sdk.Require(c.Request.ReturnURL != "", sdk.Missing("return_url", "Mollie needs a URL that the customer comes back to"))
	id := ""
	if store {
		id = customer(c)
	}
	o := create(c, describe(c).Str("sequenceType", sdk.Choose(store, "first", "oneoff")).OptStr("customerId", id).
		Str("redirectUrl", c.Request.ReturnURL).Str("cardToken", tokenize(c, i)).
		Obj("billingAddress", address(c.Request.Billing)).Obj("shippingAddress", address(c.Request.Shipping)))
	if store && o.Status != sdk.StatusDeclined {
		o.ConnectorData = &sdk.ConnectorData{Version: 1, Customer: id}
	}
	return o, nil
}

// charge makes a payment with a mandate: "customer/mandate", or a mandate of the customer that the host has stored.
func charge(c *sdk.Call, credential string) (*sdk.Outcome, error) {
	id, mandate, both := strings.Cut(credential, "/")
	if !both {
		id, mandate = c.Request.Kept().Customer, credential
	}
	sdk.Require(id != "", sdk.Invalid("recurring_details", "a charge of a mandate needs its customer: give cst_…/mdt_…"))
	return create(c, describe(c).Str("sequenceType", "recurring").Str("customerId", id).Str("mandateId", mandate)), nil
}

// describe begins the body of a payment with the common fields.
func describe(c *sdk.Call) *sdk.Object {
	r := c.Request
	mode := sdk.Choose(r.Capture == sdk.CaptureManual && r.Amount.Minor != 0, "manual", "automatic")
	metadata := sdk.NewObject()
	for _, f := range sdk.Sorted(r.Metadata) {
		if f.Name != "orderId" { // orderId is the adapter's own field
			metadata.Str(f.Name, f.Value)
		}
	}
	if len(metadata.String()) > 900 { // Mollie accepts about 1 KB and refuses a payment with more
		metadata = sdk.NewObject()
	}
	return sdk.NewObject().Obj("amount", amount(r.Amount)).
		Str("description", cmp.Or(r.Description, r.OrderReference, r.Reference)).
		OptStr("webhookUrl", r.WebhookURL).Obj("metadata", metadata.Str("orderId", r.Reference)).
		Str("method", "creditcard").Str("captureMode", mode)
}

func create(c *sdk.Call, body *sdk.Object) *sdk.Outcome {
	return readPayment(c, request(c, "POST", "/payments", body))
}

// customer is Mollie's customer: the stored one or a new one.
func customer(c *sdk.Call) string {
	if id := c.Request.Kept().Customer; id != "" {
		return id
	}
	u := c.Request.Payer()
	body := sdk.NewObject().OptStr("name", u.Name).OptStr("email", u.Email).StrAt("metadata.customerId", u.ID)
	return idOf(request(c, "POST", "/customers", body), "id")
}

// tokenize exchanges a card for a token. An unused token has no effect, so the request may be repeated.
func tokenize(c *sdk.Call, i *sdk.Instrument) string {
	if i.Card == nil {
		return i.StoredCredentialID
	}
	card := i.Card
	body := sdk.NewObject().Str("cardHolder", c.Request.Cardholder()).
		Str("cardNumber", card.Number).OptStr("cardCvv", card.CVC).Str("cardExpiryDate", card.Month()+"/"+card.ShortYear()).
		OptStr("locale", c.Request.Device().Language).
		Bool("testmode", c.Account.Environment != "live").Str("profileToken", c.Account.Credentials["profile_token"])
	return idOf(request(c, "POST", cardTokens, body), "cardToken")
}

// idOf returns the id in an answer.
func idOf(answer *sdk.Response, field string) string {
	id := answer.JSON().Str(field)
	sdk.Expect(answer.OK() && id != "", "the answer lacks "+field)
	return id
}

// address is nil if the address lacks a part that Mollie requires: street, city and country.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Line1 == "" || a.City == "" || a.Country == "" {
		return nil
	}
	street := a.Line1 + sdk.When(a.Line2 != "", ","+a.Line2)
	return sdk.NewObject().Str("streetAndNumber", street).OptStr("postalCode", a.Zip).Str("city", a.City).
		OptStr("region", a.State).Str("country", a.Country)
}
