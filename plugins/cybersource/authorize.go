package cybersource

import (
	"slices"

	"payswitch/sdk"
)

// authorize holds the amount, or takes it at once; with amount 0 it is the check of a card (Verify). A payment for which 3-D Secure is
// asked begins with payer authentication instead.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.Request3DS && r.ThreeDS == nil && r.NeedCard() == nil {
		return setup(c)
	}
	var processed *sdk.Object
	indicator := commerceIndicator(r)
	if r.ThreeDS != nil {
		network := networkOf(r)
		indicator, processed = authenticatedIndicator(network, r.ThreeDS), externalResult(network, r.ThreeDS)
	}
	return pay(c, indicator, nil, processed)
}

// pay sends the payment. actions are further services of the same request; authentication is consumerAuthenticationInformation.
func pay(c *sdk.Call, indicator string, actions []string, authentication *sdk.Object) (*sdk.Outcome, error) {
	r := c.Request
	instrument, err := paymentInformation(r)
	if err != nil {
		return nil, err
	}
	body := sdk.NewObject().
		Obj("processingInformation", processingInformation(c, indicator, actions)).
		Obj("paymentInformation", instrument).
		Obj("orderInformation", orderInformation(r)).
		Obj("clientReferenceInformation", reference(r)).
		Obj("consumerAuthenticationInformation", authentication)
	if r.Amount.Minor > 0 {
		body.Arr("merchantDefinedInformation", definedInformation(r))
	}
	a, err := ask(c, "POST", paymentsPath, body)
	if err != nil {
		return nil, err
	}
	if released(a.Str("status")) { // taken back before it was made
		return refused(a), nil
	}
	return paymentOutcome(r, a, a.Str("status"))
}

func reference(r *sdk.Request) *sdk.Object { return sdk.NewObject().Str("code", r.Reference) }

func amount(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Str("totalAmount", m.Major()).Str("currency", string(m.Currency))
}

func processingInformation(c *sdk.Call, indicator string, actions []string) *sdk.Object {
	r := c.Request
	options := sdk.NewObject()
	used := false
	if u := r.StoredCredential; u != nil {
		options.Obj("initiator", initiator(r, u))
		used = true
		if u.First {
			actions = append([]string{"TOKEN_CREATE"}, actions...)
		}
	}
	for _, check := range [][2]string{{disableAVS, "ignoreAvsResult"}, {disableCVN, "ignoreCvResult"}} {
		if c.Account.Config[check[0]] == "true" {
			options.Bool(check[1], true)
			used = true
		}
	}
	p := sdk.NewObject()
	if len(actions) > 0 {
		p.Arr("actionList", texts(actions...))
	}
	if r.Stores() {
		p.Arr("actionTokenTypes", texts("paymentInstrument", "customer"))
	}
	if used {
		p.Obj("authorizationOptions", options)
	}
	return p.Str("commerceIndicator", indicator).Bool("capture", !manual(r) && r.Amount.Minor > 0)
}

func texts(all ...string) *sdk.Array {
	a := sdk.NewArray()
	for _, s := range all {
		a.Str(s)
	}
	return a
}

// initiator says who began a payment with a stored credential, as the card networks want it.
func initiator(r *sdk.Request, u *sdk.StoredCredentialUse) *sdk.Object {
	switch {
	case u.First:
		return sdk.NewObject().Str("type", "customer").Bool("credentialStoredOnFile", true)
	case u.Initiator != "mit":
		return sdk.NewObject().Str("type", "customer").Bool("storedCredentialUsed", true)
	}
	o := sdk.NewObject().Str("type", "merchant").Bool("storedCredentialUsed", true)
	if r.Instrument != nil && r.Instrument.NetworkTransactionID != "" { // with a token, Cybersource knows both itself
		o.Obj("merchantInitiatedTransaction", sdk.NewObject().Str("reason", mitReason(u.Category)).
			Str("previousTransactionId", r.Instrument.NetworkTransactionID))
	}
	return o
}

// mitReason is the reason code of a merchant-initiated payment (Credentialed Transactions guide).
func mitReason(category string) string {
	switch category {
	case "resubmission":
		return "1"
	case "recurring":
		return "7"
	case "installment":
		return "9"
	}
	return "10" // unscheduled
}

// commerceIndicator is the kind of sale of a payment without 3-D Secure.
func commerceIndicator(r *sdk.Request) string {
	if r.MerchantInitiated() {
		switch r.StoredCredential.Category {
		case "recurring":
			return "recurring"
		case "installment":
			return "install"
		}
	}
	return "internet"
}

func paymentInformation(r *sdk.Request) (*sdk.Object, error) {
	if err := r.NeedInstrument(); err != nil {
		return nil, err
	}
	if id := r.Instrument.StoredCredentialID; id != "" {
		return sdk.NewObject().Obj("paymentInstrument", sdk.NewObject().Str("id", id)), nil
	}
	k := r.Instrument.Card
	card := sdk.NewObject().Str("number", k.Number).Str("expirationMonth", k.Month()).Str("expirationYear", k.Year()).OptStr("securityCode", k.CVC)
	if kind := cardTypes[networkOf(r)]; kind != "" {
		card.Str("type", kind).Str("typeSelectionIndicator", "1") // 1: not chosen by the customer
	}
	return sdk.NewObject().Obj("card", card), nil
}

// networkOf is the card's network, by its BIN where nobody has told it.
func networkOf(r *sdk.Request) sdk.CardNetwork {
	if r.Instrument == nil || r.Instrument.Card == nil {
		return ""
	}
	k := r.Instrument.Card
	if k.Network != "" || len(k.BIN) < 4 {
		return k.Network
	}
	switch bin := k.BIN[:4]; {
	case bin[0] == '4':
		return sdk.Visa
	case bin >= "5100" && bin <= "5599", bin >= "2221" && bin <= "2720":
		return sdk.Mastercard
	case bin[:2] == "34", bin[:2] == "37":
		return sdk.AmericanExpress
	case bin == "6011", bin[:2] == "65", bin >= "6440" && bin <= "6499":
		return sdk.Discover
	case bin >= "3528" && bin <= "3589":
		return sdk.JCB
	case bin[:2] == "36", bin[:2] == "38", bin >= "3000" && bin <= "3059":
		return sdk.DinersClub
	}
	return ""
}

// cardTypes are Cybersource's numbers of the networks.
var cardTypes = map[sdk.CardNetwork]string{sdk.Visa: "001", sdk.Mastercard: "002", sdk.AmericanExpress: "003", sdk.Discover: "004", sdk.DinersClub: "005",
	sdk.JCB: "007", sdk.CartesBancaires: "036", sdk.Maestro: "042", sdk.UnionPay: "062"}

func orderInformation(r *sdk.Request) *sdk.Object {
	to, email := sdk.NewObject(), r.Email()
	if b := r.Billing; b != nil {
		to.OptStr("firstName", b.FirstName).OptStr("lastName", b.LastName).OptStr("address1", b.Line1).OptStr("locality", b.City).
			OptStr("administrativeArea", b.State).OptStr("postalCode", b.Zip).OptStr("country", b.Country)
	}
	o := sdk.NewObject().Obj("amountDetails", amount(r.Amount))
	if r.Billing != nil || email != "" {
		o.Obj("billTo", to.OptStr("email", email))
	}
	return o
}

// maxDefined is how many merchant defined data fields there are.
const maxDefined = 100

// definedInformation is the merchant's metadata by name, and the order number.
func definedInformation(r *sdk.Request) *sdk.Array {
	var all []string
	for name, value := range r.Metadata {
		all = append(all, name+"="+value)
	}
	slices.Sort(all)
	if r.OrderReference != "" {
		all = append(all[:min(len(all), maxDefined-1)], "merchant_order_reference_id="+r.OrderReference)
	}
	if len(all) == 0 {
		return nil
	}
	a := sdk.NewArray()
	for i, value := range all[:min(len(all), maxDefined)] {
		a.Obj(sdk.NewObject().Int("key", int64(i+1)).Str("value", value))
	}
	return a
}
