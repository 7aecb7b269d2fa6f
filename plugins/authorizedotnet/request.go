package authorizedotnet

import (
	"errors"
	"strings"

	"payswitch/sdk"
)

// The elements of a request stand in the order of the API's XML schema, which holds for JSON as well.

var errAnswer = errors.New("not a whole answer of the API")

// request begins a request of a kind.
func request(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Obj("merchantAuthentication", sdk.NewObject().
		Str("name", c.Account.Credentials[loginName]).Str("transactionKey", c.Account.Credentials[transactionKey]))
}

// send posts a request and returns its answer, which is text behind a byte order mark. query says that it only reads.
func send(c *sdk.Call, kind string, body *sdk.Object, query bool) (text string, ok bool, err error) {
	r, err := c.Do(&sdk.Send{Method: "POST", Headers: []sdk.Header{sdk.H("Content-Type", "application/json")},
		Body: sdk.NewObject().Obj(kind, body).Bytes(), SafeToRepeat: query})
	if err != nil {
		return "", false, err
	}
	if !r.OK() && r.Status/100 != 4 {
		return "", false, errors.New("the HTTP status is no answer to a request")
	}
	return strings.TrimPrefix(string(r.Body), "\xef\xbb\xbf"), r.OK(), nil
}

// post sends a request and reads its answer.
func post(c *sdk.Call, kind string, body *sdk.Object, query bool) (sdk.JSON, error) {
	text, ok, err := send(c, kind, body, query)
	if err != nil {
		return sdk.JSON{}, err
	}
	j, err := sdk.ParseJSON([]byte(text))
	if err != nil {
		return sdk.JSON{}, err
	}
	switch result := j.Str("messages.resultCode"); {
	case result != "Ok" && result != "Error", result == "Ok" && !ok:
		return sdk.JSON{}, errAnswer
	}
	return j, nil
}

// failed says whether the request as a whole was refused.
func failed(j sdk.JSON) bool { return j.Str("messages.resultCode") != "Ok" }

// purchase is the transactionRequest of a payment.
func purchase(c *sdk.Call, kind string) (*sdk.Object, error) {
	r := c.Request
	if r.Request3DS && r.ThreeDS == nil {
		return nil, sdk.Unsupported("authentication_type", "Authorize.net runs no 3-D Secure; send the result of an authentication done outside")
	}
	if err := r.NeedInstrument(); err != nil {
		return nil, err
	}
	i := r.Instrument
	stored := i.StoredCredentialID != ""
	customer, profile, _ := strings.Cut(i.StoredCredentialID, "-")
	if stored && profile == "" {
		return nil, sdk.Invalid("recurring_details", "a stored credential is a customer profile, a dash and a payment profile")
	}
	o := sdk.NewObject().Str("transactionType", kind).Number("amount", r.Amount.Major()).Str("currencyCode", string(r.Amount.Currency))
	known := r.Kept().Customer
	switch {
	case stored:
		o.Obj("profile", sdk.NewObject().Str("customerProfileId", customer).Obj("paymentProfile", sdk.NewObject().Str("paymentProfileId", profile)))
	case r.Stores():
		o.Obj("payment", creditCard(i.Card)).Obj("profile", sdk.NewObject().Bool("createProfile", true).OptStr("customerProfileId", known))
	default:
		o.Obj("payment", creditCard(i.Card))
	}
	o.Obj("order", sdk.NewObject().Str("invoiceNumber", r.Reference).Str("description", r.Reference))
	if stored || !r.Stores() || known == "" { // a profile that is there holds its customer
		o.Obj("customer", payer(r.Customer))
	}
	if !stored {
		o.Obj("billTo", billTo(r.Billing))
	}
	return o.Obj("cardholderAuthentication", threeDS(r.ThreeDS)).Obj("userFields", userFields(r.Metadata)).Obj("processingOptions", processingOptions(r)).
		Obj("subsequentAuthInformation", subsequent(r)), nil
}

func creditCard(k *sdk.Card) *sdk.Object {
	return sdk.NewObject().Obj("creditCard", sdk.NewObject().Str("cardNumber", k.Number).Str("expirationDate", k.Year()+"-"+k.Month()).OptStr("cardCode", k.CVC))
}

// payer is the customer by the merchant's id, which has room for 20 characters.
func payer(c *sdk.Customer) *sdk.Object {
	if c == nil || c.ID == "" && c.Email == "" {
		return nil
	}
	o := sdk.NewObject()
	if len(c.ID) <= 20 {
		o.OptStr("id", c.ID)
	}
	return o.OptStr("email", c.Email)
}

// billTo is the billing address, cut to the lengths of the schema: longer ones would refuse the payment.
func billTo(a *sdk.Address) *sdk.Object {
	o := sdk.NewObject()
	if a == nil {
		return o
	}
	street := strings.TrimSpace(a.Line1 + " " + a.Line2)
	return o.OptStr("firstName", cut(a.FirstName, 50)).OptStr("lastName", cut(a.LastName, 50)).OptStr("address", cut(street, 60)).
		OptStr("city", cut(a.City, 40)).OptStr("state", cut(a.State, 40)).OptStr("zip", cut(a.Zip, 20)).OptStr("country", cut(a.Country, 60))
}

// cut is at most n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// threeDS is the result of an authentication done outside. The indicator is the ECI without its leading zero.
func threeDS(t *sdk.ThreeDSResult) *sdk.Object {
	if t == nil || t.ECI == "" && t.CAVV == "" {
		return nil
	}
	return sdk.NewObject().OptStr("authenticationIndicator", strings.TrimPrefix(t.ECI, "0")).OptStr("cardholderAuthenticationValue", t.CAVV)
}

// maxUserFields is how many user fields a transaction takes.
const maxUserFields = 20

// userFields are the merchant's metadata, by name.
func userFields(metadata map[string]string) *sdk.Object {
	if len(metadata) == 0 {
		return nil
	}
	all := sdk.NewArray()
	for _, f := range sdk.Sorted(metadata)[:min(len(metadata), maxUserFields)] {
		all.Obj(sdk.NewObject().Str("name", f.Name).Str("value", f.Value))
	}
	return sdk.NewObject().Arr("userField", all)
}

// processingOptions say how the payment relates to a stored credential, as the card networks want it.
func processingOptions(r *sdk.Request) *sdk.Object {
	u, o := r.StoredCredential, sdk.NewObject()
	switch {
	case u == nil:
		return nil
	case u.First && u.Category == "recurring":
		return o.Bool("isFirstRecurringPayment", true)
	case u.First:
		return o.Bool("isFirstSubsequentAuth", true)
	case u.Initiator == "mit":
		return o.Bool("isSubsequentAuth", true)
	}
	return o.Bool("isStoredCredentials", true)
}

// subsequent refers a charge of a card to the payment the customer agreed to, by the network's id.
func subsequent(r *sdk.Request) *sdk.Object {
	if r.Instrument.NetworkTransactionID == "" {
		return nil
	}
	o := sdk.NewObject().Str("originalNetworkTransId", r.Instrument.NetworkTransactionID)
	if r.StoredCredential != nil && r.StoredCredential.Category == "resubmission" {
		o.Str("reason", "resubmission")
	}
	return o
}
