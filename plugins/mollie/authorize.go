package mollie

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// dataVersion is that of ConnectorData: Customer holds Mollie's customer id.
const dataVersion = 1

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	i := c.Request.Instrument
	switch {
	case c.Request.ThreeDS != nil:
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "Mollie runs 3-D Secure itself and takes no result from outside", Parameter: "three_ds_data"}
	case i != nil && i.Card != nil:
		return pay(c, i.Card, storing(c.Request))
	case i != nil && i.StoredCredentialID != "":
		return charge(c, i.StoredCredentialID)
	}
	return nil, missing("payment_method_data.card", "a card or a stored credential is needed")
}

// verify is a first payment of nothing, which checks the card and stores it.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	i := c.Request.Instrument
	switch {
	case i == nil || i.Card == nil:
		return nil, missing("payment_method_data.card", "a card is needed")
	case c.Request.Amount.Minor != 0:
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "a verification is made with the amount 0", Parameter: "amount"}
	}
	return pay(c, i.Card, true)
}

func storing(r *sdk.Request) bool {
	return r.StoredCredential != nil && r.StoredCredential.First && r.StoredCredential.Usage == "off_session"
}

// pay makes a payment with a card. One that stores the card is a "first" payment and belongs to a customer.
func pay(c *sdk.Call, card *sdk.Card, store bool) (*sdk.Outcome, error) {
	if c.Request.ReturnURL == "" {
		return nil, missing("return_url", "Mollie needs an address to send the customer back to")
	}
	body, kept := describe(c), (*sdk.ConnectorData)(nil)
	if store {
		id, refused, err := customer(c)
		if refused != nil || err != nil {
			return refused, err
		}
		kept = &sdk.ConnectorData{Version: dataVersion, Customer: id}
		body.Str("sequenceType", "first").Str("customerId", id)
	} else {
		body.Str("sequenceType", "oneoff")
	}
	token, refused, err := tokenize(c, card)
	if refused != nil || err != nil {
		return refused, err
	}
	body.Str("redirectUrl", c.Request.ReturnURL).Str("cardToken", token).Obj("billingAddress", address(c.Request.Billing)).
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
		id, mandate = keptCustomer(c.Request), credential
	}
	if id == "" {
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "a mandate is charged together with its customer: cst_…/mdt_…", Parameter: "recurring_details"}
	}
	return create(c, describe(c).Str("sequenceType", "recurring").Str("customerId", id).Str("mandateId", mandate))
}

// describe begins the body of a payment with what all kinds have.
func describe(c *sdk.Call) *sdk.Object {
	r := c.Request
	mode := "automatic"
	if r.Capture == sdk.CaptureManual && r.Amount.Minor != 0 {
		mode = "manual"
	}
	return sdk.NewObject().Obj("amount", amount(r.Amount)).Str("description", cmp.Or(r.Description, r.OrderReference, r.Reference)).
		OptStr("webhookUrl", r.WebhookURL).Obj("metadata", sdk.NewObject().Str("orderId", r.Reference)).
		Str("method", "creditcard").Str("captureMode", mode)
}

func create(c *sdk.Call, body *sdk.Object) (*sdk.Outcome, error) {
	answer, err := request(c, "POST", "/payments", body)
	if err != nil {
		return nil, err
	}
	return readPayment(c, answer)
}

// customer is Mollie's customer, the one that is kept or a new one.
func customer(c *sdk.Call) (id string, refused *sdk.Outcome, err error) {
	if id = keptCustomer(c.Request); id != "" {
		return id, nil, nil
	}
	body := sdk.NewObject()
	if u := c.Request.Customer; u != nil {
		body.OptStr("name", u.Name).OptStr("email", u.Email)
		if u.ID != "" {
			body.Obj("metadata", sdk.NewObject().Str("customerId", u.ID))
		}
	}
	answer, err := request(c, "POST", "/customers", body)
	if err != nil {
		return "", nil, err
	}
	return idOf(answer, "id")
}

func keptCustomer(r *sdk.Request) string {
	if r.ConnectorData == nil {
		return ""
	}
	return r.ConnectorData.Customer
}

// tokenize exchanges the card for a token. A token that is never used does nothing, so the request may be repeated.
func tokenize(c *sdk.Call, card *sdk.Card) (token string, refused *sdk.Outcome, err error) {
	body := sdk.NewObject().Str("cardHolder", card.Holder).Str("cardNumber", card.Number).OptStr("cardCvv", card.CVC).
		Str("cardExpiryDate", expiry(card))
	if b := c.Request.Browser; b != nil {
		body.OptStr("locale", b.Language)
	}
	body.Bool("testmode", c.Account.Environment != "live").Str("profileToken", c.Account.Credentials["profile_token"])
	answer, err := request(c, "POST", cardTokens, body)
	if err != nil {
		return "", nil, err
	}
	return idOf(answer, "cardToken")
}

// idOf is the id that was asked for, or why it was refused.
func idOf(answer *sdk.Response, field string) (id string, refused *sdk.Outcome, err error) {
	if d := refusal(answer); d != nil {
		return "", &sdk.Outcome{Status: sdk.StatusDeclined, Decline: d}, nil
	}
	if id = answer.JSON().Str(field); !answer.OK() || id == "" {
		return "", nil, errors.New("mollie answered without " + field)
	}
	return id, nil, nil
}

// expiry is the month and the year in the form 03/30.
func expiry(card *sdk.Card) string {
	two := func(n int) string { return strconv.Itoa(n%100 + 100)[1:] }
	return two(card.ExpMonth) + "/" + two(card.ExpYear)
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

func missing(parameter, text string) error {
	return &sdk.Reject{Code: sdk.RejectMissing, Message: text, Parameter: parameter}
}
