package bluesnap

import (
	"strconv"
	"strings"

	"payswitch/sdk"
)

// authorize authorizes the amount (AUTH_ONLY) or captures it at once (AUTH_CAPTURE).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kind := sdk.Choose(r.Capture == sdk.CaptureManual, "AUTH_ONLY", "AUTH_CAPTURE")
	body := sdk.NewObject().Str("amount", r.Amount.Major()).Str("currency", string(r.Amount.Currency)).
		Str("cardTransactionType", kind)
	instrument(body, r)
	if body.OptStr("softDescriptor", r.Statement(20)); r.Billing != nil {
		body.Obj("cardHolderInfo", holder(r))
	}
	body.Obj("transactionFraudInfo", fraudInfo(r)).Str("merchantTransactionId", r.Reference).
		Obj("threeDSecure", threeDS(r.ThreeDS)).Obj("transactionMetaData", metaData(r.Metadata))
	a := send(c, "POST", transactionsPath, body)
	o := transaction(c, a, kind)
	o.StoredCredential = sdk.When(o.Decline == nil && r.Stores(), sdk.StoredAs(a.Text("vaultedShopperId"), ""))
	return o, nil
}

// instrument adds the card, or the vaulted shopper with the card, and who began the payment.
func instrument(body *sdk.Object, r *sdk.Request) {
	sdk.Check(r.NeedInstrument())
	i := r.Instrument
	if i.StoredCredentialID != "" {
		id, err := strconv.ParseInt(i.StoredCredentialID, 10, 64)
		sdk.Require(err == nil, sdk.Invalid("recurring_details", "the id of a vaulted shopper must be a number"))
		body.Int("vaultedShopperId", id)
	} else {
		body.Obj("creditCard", creditCard(i.Card))
	}
	body.StrAt("networkTransactionInfo.originalNetworkTransactionId", i.NetworkTransactionID).
		OptBool("storeCard", r.Stores()).OptStr("transactionInitiator", initiators.For(r.StoredCredential))
}

func creditCard(k *sdk.Card) *sdk.Object {
	return sdk.NewObject().Str("cardNumber", k.Number).OptStr("securityCode", k.CVC).Str("expirationMonth", k.Month()).
		Str("expirationYear", k.Year())
}

var initiators = sdk.Names{{"SHOPPER", "first cit"}, {"MERCHANT", "mit"}}

// threeDS returns the result of an outside authentication.
func threeDS(t *sdk.ThreeDSResult) *sdk.Object {
	if t == nil {
		return nil
	}
	return sdk.NewObject().OptStr("eci", t.ECI).OptStr("cavv", t.CAVV).OptStr("dsTransactionId", t.DSTransID).
		OptStr("threeDSecureVersion", t.Version)
}

// metaData returns the merchant's metadata by name, as far as BlueSnap has room, in its form.
func metaData(all map[string]string) *sdk.Object {
	if len(all) == 0 {
		return nil
	}
	list := sdk.NewArray()
	for _, m := range (sdk.Room{Pairs: 20, Name: 40, Value: 500}).For(all) {
		list.Obj(sdk.NewObject().Str("metaKey", m.Name).Str("metaValue", m.Value).Str("isVisible", "Y"))
	}
	return sdk.NewObject().Arr("metaData", list)
}

// verify stores the card with a new shopper. BlueSnap lets the issuer check the card first.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	shopper := holder(r)
	sdk.Require(shopper != nil, sdk.Missing("billing.address.last_name",
		"BlueSnap stores a card only with the first and last name of its holder"))
	card := sdk.NewObject().Obj("creditCard", creditCard(r.Instrument.Card)).
		Obj("billingContactInfo", sdk.When(r.Billing != nil, contact(r.BillTo(), "address1", "address2")))
	withShopper := sdk.H("bluesnap-version", "3.0") // an older version answers with a URL alone
	a := send(c, "POST", shoppersPath, shopper.OptStr("softDescriptor", r.Statement(20)).
		Obj("paymentSources", sdk.NewObject().Arr("creditCardInfo", sdk.NewArray().Obj(card))).
		Obj("transactionFraudInfo", fraudInfo(r)).Obj("threeDSecure", threeDS(r.ThreeDS)), withShopper)
	id := a.Need("vaultedShopperId")
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: id, StoredCredential: &sdk.StoredCredential{ID: id},
		Checks: checksOf(a.Get("paymentSources.creditCardInfo.0.processingInfo"))}, nil
}

// holder returns the cardholder with address, named by the billing address or the card; nil if neither has both names.
func holder(r *sdk.Request) *sdk.Object {
	b, k := *r.BillTo(), r.Instrument.Card
	if k != nil && (b.FirstName == "" || b.LastName == "") {
		b.FirstName, b.LastName = k.HolderNames()
	}
	if b.FirstName == "" || b.LastName == "" {
		return nil
	}
	return contact(&b, "address", "address2").OptStr("email", r.Email())
}

// contact is an address. BlueSnap refuses a state that is no code of the US or Canada: the address line holds it.
func contact(a *sdk.Address, line1, line2 string) *sdk.Object {
	second, state := a.Line2, a.State
	if a.Country != "US" && a.Country != "CA" || len(a.State) != 2 {
		second, state = strings.TrimSpace(a.Line2+" "+a.State), ""
	}
	return sdk.NewObject().OptStr("firstName", a.FirstName).OptStr("lastName", a.LastName).
		OptStr(line1, sdk.Clip(a.Line1, 100)).OptStr(line2, sdk.Clip(second, 100)).OptStr("city", sdk.Clip(a.City, 42)).
		OptStr("state", state).OptStr("zip", sdk.Clip(a.Zip, 20)).OptStr("country", a.Country)
}

// fraudInfo is data for fraud checks. A merchant-initiated payment has no shopper.
func fraudInfo(r *sdk.Request) *sdk.Object {
	return sdk.NewObject().Str("fraudSessionId", sdk.Clip(r.Reference, 32)).OptStr("shopperIpAddress", r.Shopper().IP).
		OptObj("shippingContactInfo", contact(r.ShipTo(), "address1", "address2"))
}
