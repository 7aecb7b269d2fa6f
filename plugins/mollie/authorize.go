package mollie

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// dataVersion is that of ConnectorData: Customer holds Mollie's customer id.
const dataVersion = 1

// ofACard says that the reference is the token of a card, which Mollie's fields in the merchant's page make as well: a mandate begins with
// mdt_, has its customer with it, or is charged by the merchant alone.
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

// verify is a first payment of nothing, which checks the card and stores it.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	sdk.Check(c.Request.NeedInstrument())
	return pay(c, c.Request.Instrument, true)
}

// pay makes a payment with a card, or the token of one. One that stores the card is a "first" payment and belongs to a customer.
func pay(c *sdk.Call, i *sdk.Instrument, store bool) (*sdk.Outcome, error) {
	sdk.Require(c.Request.ReturnURL != "", sdk.Missing("return_url", "Mollie needs an address to send the customer back to"))
	body, kept := describe(c), (*sdk.ConnectorData)(nil)
	if store {
		id := customer(c)
		kept = &sdk.ConnectorData{Version: dataVersion, Customer: id}
		body.Str("sequenceType", "first").Str("customerId", id)
	} else {
		body.Str("sequenceType", "oneoff")
	}
	body.Str("redirectUrl", c.Request.ReturnURL).Str("cardToken", tokenize(c, i)).Obj("billingAddress", address(c.Request.Billing)).
		Obj("shippingAddress", address(c.Request.Shipping))
	o, err := create(c, body)
	if o != nil && o.Status != sdk.StatusDeclined {
		o.ConnectorData = kept
	}
	return o, err
}

// charge makes a payment with a mandate, without the customer. The credential is "customer/mandate", or a mandate of the customer that
// is kept with ours.
func charge(c *sdk.Call, credential string) (*sdk.Outcome, error) {
	id, mandate, both := strings.Cut(credential, "/")
	if !both {
		id, mandate = c.Request.Kept().Customer, credential
	}
	sdk.Require(id != "", sdk.Invalid("recurring_details", "a mandate is charged together with its customer: cst_…/mdt_…"))
	return create(c, describe(c).Str("sequenceType", "recurring").Str("customerId", id).Str("mandateId", mandate))
}

// maxMetadata is the room for the merchant's own metadata: Mollie takes about 1 KB, and refuses a payment with more.
const maxMetadata = 900

// describe begins the body of a payment with what all kinds have.
func describe(c *sdk.Call) *sdk.Object {
	r := c.Request
	mode := "automatic"
	if r.Capture == sdk.CaptureManual && r.Amount.Minor != 0 {
		mode = "manual"
	}
	metadata := sdk.NewObject()
	for _, f := range sdk.Sorted(r.Metadata) {
		if f.Name != "orderId" { // ours
			metadata.Str(f.Name, f.Value)
		}
	}
	if len(metadata.String()) > maxMetadata {
		metadata = sdk.NewObject()
	}
	return sdk.NewObject().Obj("amount", amount(r.Amount)).Str("description", cmp.Or(r.Description, r.OrderReference, r.Reference)).
		OptStr("webhookUrl", r.WebhookURL).Obj("metadata", metadata.Str("orderId", r.Reference)).
		Str("method", "creditcard").Str("captureMode", mode)
}

func create(c *sdk.Call, body *sdk.Object) (*sdk.Outcome, error) {
	return readPayment(c, request(c, "POST", "/payments", body))
}

// customer is Mollie's customer, the one that is kept or a new one.
func customer(c *sdk.Call) string {
	if id := c.Request.Kept().Customer; id != "" {
		return id
	}
	body := sdk.NewObject()
	if u := c.Request.Customer; u != nil {
		body.OptStr("name", u.Name).OptStr("email", u.Email)
		if u.ID != "" {
			body.Obj("metadata", sdk.NewObject().Str("customerId", u.ID))
		}
	}
	return idOf(c, request(c, "POST", "/customers", body), "id")
}

// tokenize exchanges the card for a token, if it is none yet. A token that is never used does nothing, so the request may be repeated.
func tokenize(c *sdk.Call, i *sdk.Instrument) string {
	if i.Card == nil {
		return i.StoredCredentialID
	}
	card := i.Card
	body := sdk.NewObject().Str("cardHolder", cmp.Or(card.Holder, c.Request.BillTo().Name())).Str("cardNumber", card.Number).OptStr("cardCvv", card.CVC).
		Str("cardExpiryDate", card.Month()+"/"+card.ShortYear())
	if b := c.Request.Browser; b != nil {
		body.OptStr("locale", b.Language)
	}
	body.Bool("testmode", c.Account.Environment != "live").Str("profileToken", c.Account.Credentials["profile_token"])
	return idOf(c, request(c, "POST", cardTokens, body), "cardToken")
}

// idOf is the id that was asked for. Where it was refused, the operation ends with that.
func idOf(c *sdk.Call, answer *sdk.Response, field string) string {
	if d := refusal(answer); d != nil {
		c.End(sdk.Declined(d))
	}
	id := answer.JSON().Str(field)
	sdk.Require(answer.OK() && id != "", errors.New("mollie answered without "+field))
	return id
}

// address is nil unless the address has what Mollie demands of one: street, city and country.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Line1 == "" || a.City == "" || a.Country == "" {
		return nil
	}
	street := a.Line1
	if a.Line2 != "" {
		street += "," + a.Line2
	}
	return sdk.NewObject().Str("streetAndNumber", street).OptStr("postalCode", a.Zip).Str("city", a.City).OptStr("region", a.State).
		Str("country", a.Country)
}
