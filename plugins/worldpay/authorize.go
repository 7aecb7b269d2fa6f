package worldpay

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	return pay(c, c.Request.Stores(), agreement(c.Request))
}

// verify is a payment of nothing: Worldpay checks the card, and stores it for what the customer has agreed to.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	if err := c.Request.NeedZero(); err != nil {
		return nil, err
	}
	a := agreement(c.Request)
	if a == nil {
		a = sdk.NewObject().Str("type", "cardOnFile").Str("storedCardUsage", "first")
	}
	return pay(c, true, a)
}

func pay(c *sdk.Call, store bool, agreed *sdk.Object) (*sdk.Outcome, error) {
	r := c.Request
	from, err := instrument(r)
	if err != nil {
		return nil, err
	}
	proof, err := threeDS(r)
	if err != nil {
		return nil, err
	}
	instruction := sdk.NewObject().Obj("settlement", sdk.NewObject().Bool("auto", r.Capture != sdk.CaptureManual && r.Amount.Minor != 0)).
		Str("method", "card").Obj("paymentInstrument", from).Obj("narrative", narrative(c)).Obj("value", value(r.Amount)).Obj("threeDS", proof)
	if store && r.Instrument.Card != nil {
		instruction.Obj("tokenCreation", sdk.NewObject().Str("type", "worldpay"))
	}
	body := sdk.NewObject().Str("transactionReference", r.Reference).Obj("merchant", sdk.NewObject().Str("entity", c.Account.Credentials["entity_id"])).
		Obj("instruction", instruction.Obj("customerAgreement", agreed))
	answer, err := call(c, "POST", "/api/payments", mediaJSON, body)
	if err != nil {
		return nil, err
	}
	return readPayment(c, answer)
}

// instrument is the card, or the token of a stored one.
func instrument(r *sdk.Request) (*sdk.Object, error) {
	if err := r.NeedInstrument(); err != nil {
		return nil, err
	}
	if card := r.Instrument.Card; card != nil {
		return sdk.NewObject().Str("type", "plain").Str("cardNumber", card.Number).
			Obj("expiryDate", sdk.NewObject().Int("month", int64(card.ExpMonth)).Int("year", int64(card.ExpYear))).OptStr("cvc", card.CVC).
			OptStr("cardHolderName", card.Holder).Obj("billingAddress", address(r.Billing)), nil
	}
	return sdk.NewObject().Str("type", "token").Str("href", r.Instrument.StoredCredentialID), nil
}

// agreement says how the payment relates to a stored card; nil where it does not.
func agreement(r *sdk.Request) *sdk.Object {
	i, u := r.Instrument, r.StoredCredential
	switch {
	case u == nil && (i == nil || i.StoredCredentialID == ""):
		return nil
	case u == nil, u.Initiator != "mit" && !u.First:
		return sdk.NewObject().Str("type", "cardOnFile").Str("storedCardUsage", "subsequent")
	case u.First && u.Usage == "on_session":
		return sdk.NewObject().Str("type", "cardOnFile").Str("storedCardUsage", "first")
	case u.First:
		return sdk.NewObject().Str("type", "subscription").Str("storedCardUsage", "first")
	}
	kind := "subscription"
	switch u.Category {
	case "installment":
		kind = "installment"
	case "unscheduled", "resubmission":
		kind = "unscheduled"
	}
	return sdk.NewObject().Str("type", kind).Str("storedCardUsage", "subsequent").OptStr("schemeReference", i.NetworkTransactionID)
}

// narrative is what the customer's statement shows.
func narrative(c *sdk.Call) *sdk.Object {
	return sdk.NewObject().Str("line1", cmp.Or(c.Request.DescriptorName, c.Account.Config["merchant_name"], c.Account.Credentials["entity_id"])).OptStr("line2", c.Request.DescriptorSuffix)
}

// value is an amount in minor units.
func value(m sdk.Money) *sdk.Object {
	return sdk.NewObject().Int("amount", m.Minor).Str("currency", string(m.Currency))
}

// address is nil unless the address has what Worldpay demands of one.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Line1 == "" || a.City == "" || a.Zip == "" || a.Country == "" {
		return nil
	}
	return sdk.NewObject().Str("address1", a.Line1).OptStr("address2", a.Line2).OptStr("address3", a.Line3).Str("city", a.City).OptStr("state", a.State).
		Str("postalCode", a.Zip).Str("countryCode", a.Country)
}

// threeDS is the proof of an authentication done outside, or what Worldpay needs to run one; nil for neither.
func threeDS(r *sdk.Request) (*sdk.Object, error) {
	if t := r.ThreeDS; t != nil {
		return sdk.NewObject().Str("type", "external").OptStr("version", t.Version).OptStr("eci", t.ECI).OptStr("authenticationValue", t.CAVV).
			OptStr("dsTransactionId", t.DSTransID), nil
	}
	b := r.Browser
	switch {
	case !r.Request3DS:
		return nil, nil
	case b == nil || b.AcceptHeader == "":
		return nil, sdk.Missing("browser_info.accept_header", "3-D Secure needs the browser's Accept header")
	case b.UserAgent == "":
		return nil, sdk.Missing("browser_info.user_agent", "3-D Secure needs the browser's User-Agent header")
	case r.ReturnURL == "":
		return nil, sdk.Missing("return_url", "3-D Secure needs an address to send the customer back to")
	}
	device := sdk.NewObject().Str("acceptHeader", b.AcceptHeader).Str("userAgentHeader", b.UserAgent).OptStr("browserLanguage", b.Language)
	if b.ScreenWidth > 0 && b.ScreenHeight > 0 {
		device.Int("browserScreenWidth", int64(b.ScreenWidth)).Int("browserScreenHeight", int64(b.ScreenHeight))
	}
	if b.ColorDepth > 0 {
		device.Str("browserColorDepth", strconv.Itoa(b.ColorDepth))
	}
	device.Str("timeZone", strconv.Itoa(b.TimeZone)).Bool("browserJavaEnabled", b.JavaEnabled).Bool("browserJavascriptEnabled", b.JavaScriptEnable).
		Str("channel", "browser")
	return sdk.NewObject().Str("type", "integrated").Str("mode", "always").Obj("deviceData", device).
		Obj("challenge", sdk.NewObject().Str("returnUrl", r.ReturnURL)), nil
}
