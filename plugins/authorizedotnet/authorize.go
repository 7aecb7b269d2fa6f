package authorizedotnet

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// authorize authorizes the amount (authOnly) or captures it at once (authCapture).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	kind := sdk.Choose(c.Request.Capture == sdk.CaptureManual, "authOnlyTransaction", "authCaptureTransaction")
	return pay(c, kind, c.Request.Approved())
}

func pay(c *sdk.Call, kind string, approved sdk.OutcomeStatus) (*sdk.Outcome, error) {
	j, o := transact(c, request(c).Str("refId", c.Request.Reference), purchase(c, kind), approved)
	if o.Status == sdk.StatusDeclined {
		return o, nil
	}
	kept := sdk.NewObject()
	if number := j.Str("transactionResponse.accountNumber"); number != "" { // masked; a refund must name it
		kept.Obj("creditCard", sdk.NewObject().Str("cardNumber", number).Str("expirationDate", hidden))
	}
	// a part that was approved: its capture and void must name this id
	kept.OptStr(splitTenderID, j.Text("transactionResponse."+splitTenderID))
	data := sdk.ConnectorData{Version: 1, Payment: sdk.When(kept.String() != "{}", kept.String())}
	made := j.Get("profileResponse") // on request only
	o.StoredCredential = credential(made.Text("customerProfileId"), made.Text("customerPaymentProfileIdList.0"))
	if o.StoredCredential != nil {
		data.Customer = o.StoredCredential.CustomerID
	}
	o.ConnectorData = sdk.When(data.Payment+data.Customer != "", &data)
	return o, nil
}

// credential names a stored card by its customer profile and its payment profile; nil without both.
func credential(customer, profile string) *sdk.StoredCredential {
	return sdk.When(customer != "" && profile != "", sdk.StoredAs(customer+"-"+profile, customer))
}

// verify stores the card in a customer profile, which checks it with the issuer, or authorizes an amount of zero.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if !r.Stores() || r.NeedCard() != nil || r.ThreeDS != nil {
		return pay(c, "authOnlyTransaction", sdk.StatusVerified)
	}
	customer := r.Kept().Customer
	if customer == "" {
		customer = newCustomer(c)
	}
	data := &sdk.ConnectorData{Version: 1, Customer: customer}
	// testMode checks only the form of the card; a sandbox can do no more
	mode := sdk.Choose(c.Account.Environment == "live", "liveMode", "testMode")
	profile := sdk.NewObject().Obj("billTo", billTo(r.BillTo())).At("payment.creditCard", creditCard(r.Instrument.Card))
	j := post(c, createPaymentProfile, request(c).Str("customerProfileId", customer).Obj("paymentProfile", profile).
		Str("validationMode", mode))
	if failed(j) {
		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: refused(j), ConnectorData: data}, nil
	}
	id := j.Text("customerPaymentProfileId")
	if checked := j.Str("validationDirectResponse"); id == "" || checked != "" && !strings.HasPrefix(checked, "1,") {
		return nil, sdk.ErrAnswer
	}
	customer = cmp.Or(j.Text("customerProfileId"), customer)
	return &sdk.Outcome{Status: sdk.StatusVerified, StoredCredential: credential(customer, id), ConnectorData: data}, nil
}

// newCustomer creates the customer's profile, or finds the existing one.
func newCustomer(c *sdk.Call) string {
	r := c.Request
	profile := payer(r, "merchantCustomerId")
	if profile.String() == "{}" { // one of id, description and e-mail is required
		profile = sdk.NewObject().OptStr("description", r.Reference)
	}
	sdk.Require(profile.String() != "{}",
		sdk.Missing("customer.id", "a customer profile needs a customer id of 20 characters at most, or an e-mail"))
	j := post(c, "createCustomerProfileRequest", request(c).Obj("profile", profile))
	id := j.Text("customerProfileId")
	switch code, text := message(j); {
	case code == "E00039": // "A duplicate record with ID 39598611 already exists."
		_, rest, _ := strings.Cut(text, " ID ")
		id, _, _ = strings.Cut(rest, " ")
	case failed(j):
		c.End(sdk.Declined(refused(j)))
	}
	sdk.Require(id != "" && strings.Trim(id, "0123456789") == "", sdk.ErrAnswer)
	return id
}

// purchase is the transaction of a payment. Elements have the order of the API's XML schema, in JSON too.
func purchase(c *sdk.Call, kind string) *sdk.Object {
	r := c.Request
	sdk.Check(r.NeedInstrument())
	o := sdk.NewObject().Str("transactionType", kind).Number("amount", r.Amount.Major()).
		Str("currencyCode", string(r.Amount.Currency))
	known, stored := r.Kept().Customer, r.Instrument.StoredCredentialID != ""
	if stored {
		customer, profile, _ := strings.Cut(r.Instrument.StoredCredentialID, "-")
		sdk.Require(profile != "", sdk.Invalid("recurring_details",
			"a stored credential is a customer profile, a dash and a payment profile"))
		o.Obj("profile",
			sdk.NewObject().Str("customerProfileId", customer).StrAt("paymentProfile.paymentProfileId", profile))
	} else {
		o.At("payment.creditCard", creditCard(r.Instrument.Card))
		if r.Stores() {
			o.Obj("profile", sdk.NewObject().Bool("createProfile", true).OptStr("customerProfileId", known))
		}
	}
	o.Obj("order", sdk.NewObject().Str("invoiceNumber", r.Reference).Str("description", r.Reference))
	if stored || !r.Stores() || known == "" { // an existing profile holds its customer
		o.OptObj("customer", payer(r, "id"))
	}
	if !stored {
		o.Obj("billTo", billTo(r.BillTo())).OptObj("shipTo", billTo(r.ShipTo()))
	}
	// the result of an outside authentication; the indicator is the ECI without its leading zero
	option := options.For(r.StoredCredential)
	proof := sdk.NewObject().OptStr("authenticationIndicator", strings.TrimPrefix(r.Proof().ECI, "0")).
		OptStr("cardholderAuthenticationValue", r.Proof().CAVV)
	return o.OptStr("customerIP", r.Shopper().IPv4()).OptObj("cardholderAuthentication", proof).
		OptObj("transactionSettings", settings(r)).OptObj("userFields", userFields(r.Metadata)).
		OptObj("processingOptions", sdk.NewObject().OptBool(option, option != "")).
		OptObj("subsequentAuthInformation", subsequent(r))
}

func creditCard(k *sdk.Card) *sdk.Object {
	return sdk.NewObject().Str("cardNumber", k.Number).Str("expirationDate", k.Year()+"-"+k.Month()).
		OptStr("cardCode", k.CVC)
}

// payer returns the customer with the merchant's id, which has room for 20 characters.
func payer(r *sdk.Request, id string) *sdk.Object {
	k := r.Payer()
	return sdk.NewObject().OptStr(id, sdk.When(len(k.ID) <= 20, k.ID)).OptStr("email", cmp.Or(k.Email, r.BillTo().Email))
}

// billTo returns the billing address, cut to the schema's lengths: Authorize.net refuses longer values.
func billTo(a *sdk.Address) *sdk.Object {
	street := strings.TrimSpace(a.Line1 + " " + a.Line2)
	return sdk.NewObject().OptStr("firstName", sdk.Clip(a.FirstName, 50)).OptStr("lastName", sdk.Clip(a.LastName, 50)).
		OptStr("address", sdk.Clip(street, 60)).OptStr("city", sdk.Clip(a.City, 40)).
		OptStr("state", sdk.Clip(a.State, 40)).OptStr("zip", sdk.Clip(a.Zip, 20)).OptStr("country", sdk.Clip(a.Country, 60))
}

// settings allow the approval of a part, which Authorize.net holds until a capture names its split tender id.
func settings(r *sdk.Request) *sdk.Object {
	if !r.Wish().Partial || r.Capture != sdk.CaptureManual {
		return nil
	}
	partly := sdk.NewObject().Str("settingName", "allowPartialAuth").Str("settingValue", "true")
	return sdk.NewObject().Arr("setting", sdk.NewArray().Obj(partly))
}

// userFields returns the merchant's metadata by name, at most 20.
func userFields(metadata map[string]string) *sdk.Object {
	all := sdk.NewArray()
	for _, f := range (sdk.Room{Pairs: 20}).For(metadata) {
		all.Obj(sdk.NewObject().Str("name", f.Name).Str("value", f.Value))
	}
	return sdk.NewObject().OptArr("userField", all)
}

// options say how the payment uses a stored credential, as the card networks require.
var options = sdk.Names{
	{"isFirstRecurringPayment", "first_recurring"}, {"isFirstSubsequentAuth", "first"}, {"isSubsequentAuth", "mit"},
	{"isStoredCredentials", "cit"},
}

// subsequent refers a card's charge to the payment that the customer agreed to, by the network's id.
func subsequent(r *sdk.Request) *sdk.Object {
	id, reasons := r.Instrument.NetworkTransactionID, sdk.Names{{"resubmission", "mit_resubmission"}}
	return sdk.NewObject().OptStr("originalNetworkTransId", id).
		OptStr("reason", sdk.When(id != "", reasons.For(r.StoredCredential)))
}
