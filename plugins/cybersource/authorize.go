package cybersource

import (
	"cmp"

	"payswitch/sdk"
)

// authorize authorizes or captures the amount, or checks a card with 0 (Verify). With 3-D Secure it begins with that.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedInstrument())
	switch {
	case r.ThreeDS != nil:
		indicator, result := externalResult(r)
		return pay(c, indicator, "", result)
	case r.Request3DS && r.NeedCard() == nil:
		return setup(c)
	}
	return pay(c, commerceIndicator(r), "", sdk.NewObject())
}

// pay sends the payment. action is a further service of the same request.
func pay(c *sdk.Call, indicator, action string, authentication *sdk.Object) (*sdk.Outcome, error) {
	r := c.Request
	if name := exemptions.Of(string(r.Exemption)); name != "" {
		authentication.Obj("strongAuthentication", sdk.NewObject().Str(name, "1"))
	}
	body := begin(r).Obj("processingInformation", processingInformation(c, indicator, action)).
		Obj("orderInformation", orderInformation(r)).
		StrAt("merchantInformation.merchantDescriptor.name", sdk.Clip(r.DescriptorName, 23)).
		OptObj("consumerAuthenticationInformation", authentication).
		OptArr("merchantDefinedInformation", sdk.When(r.Amount.Minor > 0, definedInformation(r)))
	a := ask(c, "POST", paymentsPath, body)
	c.About(a.Str("id"))
	if status := a.Str("status"); payments.Of(status) != sdk.StatusVoided {
		return paymentOutcome(r, a, status), nil
	}
	return refused(a), nil // Cybersource reversed the payment, which counts as a decline
}

// begin begins a request about a card with the instrument and our reference.
func begin(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	id := r.Instrument.StoredCredentialID
	instrument := sdk.NewObject().StrAt("paymentInstrument.id", id)
	if id == "" {
		instrument.Obj("card", card(r.Instrument.Card))
	}
	return sdk.NewObject().Obj("paymentInformation", instrument).Obj("clientReferenceInformation", reference(r))
}

func card(k *sdk.Card) *sdk.Object {
	kind := cardTypes[k.Scheme()]
	return sdk.NewObject().Str("number", k.Number).Str("expirationMonth", k.Month()).Str("expirationYear", k.Year()).
		OptStr("securityCode", k.CVC).OptStr("type", kind).
		OptStr("typeSelectionIndicator", sdk.When(kind != "", "1")) // 1: not chosen by the customer
}

var cardTypes = map[sdk.CardNetwork]string{
	sdk.Visa: "001", sdk.Mastercard: "002", sdk.AmericanExpress: "003", sdk.Discover: "004", sdk.DinersClub: "005",
	sdk.JCB: "007", sdk.CartesBancaires: "036", sdk.Maestro: "042", sdk.RuPay: "061", sdk.UnionPay: "062",
}

// reference returns our reference of the transaction: each has its own, a capture too.
func reference(r *sdk.Request) *sdk.Object {
	return sdk.NewObject().Str("code", cmp.Or(r.CaptureReference, r.Reference))
}

func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("totalAmount", m.Major()).Str("currency", string(m.Currency))
}

func processingInformation(c *sdk.Call, indicator, action string) *sdk.Object {
	r := c.Request
	var actions, tokens []string
	if r.Stores() {
		actions, tokens = []string{"TOKEN_CREATE"}, []string{"paymentInstrument", "customer"}
	}
	if action != "" {
		actions = append(actions, action)
	}
	options := sdk.NewObject().OptObj("initiator", initiator(r)).
		OptBool("ignoreAvsResult", c.Account.Config["disable_avs"] == "true").
		OptBool("ignoreCvResult", c.Account.Config["disable_cvn"] == "true").
		// Cybersource does not capture a partial approval by itself
		OptBool("partialAuthIndicator", r.Wish().Partial && r.Manual())
	return sdk.NewObject().Strs("actionList", actions...).Strs("actionTokenTypes", tokens...).
		OptObj("authorizationOptions", options).Str("commerceIndicator", indicator).
		Bool("capture", !r.Manual() && r.Amount.Minor > 0)
}

// initiator says who began a payment with a stored credential, as the card networks require; empty for other payments.
func initiator(r *sdk.Request) *sdk.Object {
	u, id := r.StoredCredential, r.Instrument.NetworkTransactionID
	o := sdk.NewObject().OptStr("type", sdk.Names{{"customer", "first cit"}, {"merchant", "mit"}}.For(u)).
		OptBool("credentialStoredOnFile", r.Stores()).OptBool("storedCredentialUsed", u != nil && !u.First)
	if u.Agreement() == "mit" && id != "" { // Cybersource knows both for a token
		reason := cmp.Or(mitReasons.Of(string(u.Category)), "10") // 10: unscheduled
		o.Obj("merchantInitiatedTransaction", sdk.NewObject().Str("reason", reason).Str("previousTransactionId", id))
	}
	return o
}

// mitReasons are the reason codes of merchant-initiated payments (Credentialed Transactions guide).
var mitReasons = sdk.Names{{"1", "resubmission"}, {"7", "recurring"}, {"9", "installment"}}

// commerceIndicator returns the kind of sale of a payment without 3-D Secure.
func commerceIndicator(r *sdk.Request) string {
	return cmp.Or(sdk.Names{{"recurring", "mit_recurring"}, {"install", "mit_installment"}}.For(r.StoredCredential),
		"internet")
}

func orderInformation(r *sdk.Request) *sdk.Object {
	to := *r.BillTo()
	if k := r.Instrument.Card; k != nil && to.Name() == "" { // Cybersource requires the name of the cardholder
		to.FirstName, to.LastName = k.HolderNames()
	}
	return sdk.NewObject().Obj("amountDetails", amount(r.Amount)).
		OptObj("billTo", address(&to).OptStr("email", r.Email())).OptObj("shipTo", address(r.ShipTo()))
}

func address(a *sdk.Address) *sdk.Object {
	return sdk.NewObject().OptStr("firstName", a.FirstName).OptStr("lastName", a.LastName).OptStr("address1", a.Line1).
		OptStr("locality", a.City).OptStr("administrativeArea", a.State).OptStr("postalCode", a.Zip).
		OptStr("country", a.Country)
}

// definedInformation returns the merchant's metadata and order number as "name=value", in at most 100 fields.
func definedInformation(r *sdk.Request) *sdk.Array {
	all, fields := sdk.Sorted(r.Metadata), sdk.NewArray()
	if r.OrderReference != "" {
		all = append(all[:min(len(all), 99)], sdk.H("merchant_order_reference_id", r.OrderReference))
	}
	for i, f := range all[:min(len(all), 100)] {
		fields.Obj(sdk.NewObject().Int("key", int64(i+1)).Str("value", f.Name+"="+f.Value))
	}
	return fields
}
