package worldpay

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	return pay(c, c.Request.StoredCredential, c.Request.Stores())
}

// verify returns a payment of zero: Worldpay checks the card and stores it for the agreed use.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r, use := c.Request, c.Request.StoredCredential
	sdk.Check(r.NeedInstrument())
	if use == nil && r.Instrument.StoredCredentialID == "" {
		use = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "on_session"}
	}
	return pay(c, use, true)
}

func pay(c *sdk.Call, use *sdk.StoredCredentialUse, store bool) (*sdk.Outcome, error) {
	r := c.Request
	instruction := sdk.NewObject().Obj("settlement",
		sdk.NewObject().Bool("auto", r.Capture != sdk.CaptureManual && r.Amount.Minor != 0)).
		Str("method", "card").Obj("paymentInstrument", instrument(r)).Obj("narrative", narrative(c)).
		Obj("value", value(r.Amount).OptBool("acceptPartialAmount", r.Wish().Partial)).Obj("threeDS", threeDS(r))
	instruction.StrAt("tokenCreation.type", sdk.When(store && r.Instrument.Card != nil, "worldpay")).
		OptObj("customerAgreement", agreement(r.Instrument, use))
	body := sdk.NewObject().Str("transactionReference", r.Reference).
		StrAt("merchant.entity", c.Account.Credentials["entity_id"]).Obj("instruction", instruction)
	return readPayment(c, call(c, "POST", "/api/payments", mediaJSON, body))
}

// instrument returns the card, or the token of a stored card.
func instrument(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	k := r.Instrument.Card
	if k == nil {
		return sdk.NewObject().Str("type", "token").Str("href", r.Instrument.StoredCredentialID)
	}
	chosen := sdk.When(k.Network == sdk.CartesBancaires, "cartesBancaires") // of a card of two networks
	return sdk.NewObject().Str("type", "plain").Str("cardNumber", k.Number).
		Obj("expiryDate", sdk.NewObject().Int("month", int64(k.ExpMonth)).Int("year", int64(k.ExpYear))).OptStr("cvc", k.CVC).
		OptStr("cardHolderName", r.Cardholder()).Obj("billingAddress", address(r.Billing)).
		StrAt("routing.preferredCardBrand", chosen)
}

// The relation of a payment to a stored card.
var (
	agreements = sdk.Names{{"cardOnFile", "cit first_on_session"}, {"subscription", "first mit"},
		{"installment", "mit_installment first_installment"}, {"unscheduled", "mit_unscheduled mit_resubmission"}}
	usages = sdk.Names{{"first", "first"}, {"subsequent", "cit mit"}}
)

func agreement(i *sdk.Instrument, use *sdk.StoredCredentialUse) *sdk.Object {
	if use == nil && i.StoredCredentialID != "" {
		use = &sdk.StoredCredentialUse{Initiator: "cit"}
	}
	kind := agreements.For(use)
	return sdk.NewObject().OptStr("type", kind).
		OptStr("storedCardUsage", sdk.When(kind != "unscheduled", usages.For(use))). // it has no further details
		OptStr("installmentType", sdk.When(kind == "installment", "merchant")).
		OptStr("schemeReference", sdk.When(use.Agreement() == "mit", i.NetworkTransactionID))
}

// narrative returns the text on the customer's statement, at most 24 characters a line.
func narrative(c *sdk.Call) *sdk.Object {
	const line = 24
	return sdk.NewObject().Str("line1",
		cmp.Or(sdk.Clip(c.Request.DescriptorName, line), c.Account.Config["merchant_name"],
			c.Account.Credentials["entity_id"])).OptStr("line2", sdk.Clip(c.Request.DescriptorSuffix, line))
}

func value(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Int("amount", m.Minor).Str("currency", string(m.Currency))
}

// address is nil if the address lacks a part that Worldpay requires: outside Ireland that includes a postal code.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Line1 == "" || a.City == "" || a.Zip == "" && a.Country != "IE" || a.Country == "" {
		return nil
	}
	return sdk.NewObject().Str("address1", a.Line1).OptStr("address2", a.Line2).OptStr("address3", a.Line3).
		Str("city", a.City).OptStr("state", a.State).OptStr("postalCode", a.Zip).Str("countryCode", a.Country)
}

// colorDepths are the values of EMV 3-D Secure that Worldpay accepts. The adapter rounds any other value down.
var colorDepths = [...]int{48, 32, 24, 16, 15, 8, 4, 1}

// threeDS returns the result of an outside authentication, or the data that Worldpay needs to run one; nil for neither.
func threeDS(r *sdk.Request) *sdk.Object {
	t, b := r.ThreeDS, r.Device()
	switch {
	case t != nil:
		return sdk.NewObject().Str("type", "external").OptStr("version", t.Version).OptStr("eci", t.ECI).
			OptStr("authenticationValue", t.CAVV).OptStr("dsTransactionId", t.DSTransID)
	case !r.Request3DS:
		return nil
	}
	sdk.Require(b.AcceptHeader != "", sdk.Missing("browser_info.accept_header", "3-D Secure needs the Accept header"))
	sdk.Require(b.UserAgent != "", sdk.Missing("browser_info.user_agent", "3-D Secure needs the User-Agent header"))
	sdk.Require(r.ReturnURL != "", sdk.Missing("return_url", "3-D Secure needs a URL that the customer comes back to"))
	device := sdk.NewObject().Str("acceptHeader", b.AcceptHeader).Str("userAgentHeader", b.UserAgent).
		OptStr("browserLanguage", b.Language).OptInt("browserScreenWidth", int64(b.ScreenWidth)).
		OptInt("browserScreenHeight", int64(b.ScreenHeight))
	for _, depth := range colorDepths {
		if b.ColorDepth >= depth {
			device.Str("browserColorDepth", strconv.Itoa(depth))
			break
		}
	}
	device.Str("timeZone", strconv.Itoa(b.TimeZone)).Bool("browserJavaEnabled", b.JavaEnabled).
		Bool("browserJavascriptEnabled", b.JavaScriptEnable).Str("channel", "browser")
	challenge := sdk.NewObject().Str("returnUrl", r.ReturnURL).
		OptStr("preference", sdk.When(r.StoresForMerchant(), "challengeMandated"))
	return sdk.NewObject().Str("type", "integrated").Str("mode", "always").Obj("deviceData", device).
		Obj("challenge", challenge)
}
