package adyen

import (
	"cmp"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// authorize is POST /payments; verify sends it with a zero amount.
func authorize(c *sdk.Call) (*sdk.Outcome, error) { return result(c, post(c, "/payments", payment(c))) }

// payment returns the body of POST /payments.
func payment(c *sdk.Call) *sdk.Object {
	r, value := c.Request, amount(c.Request.Amount)
	method, shopper, mit := paymentMethod(r), shopperReference(c), r.MerchantInitiated()
	stored := r.Instrument.StoredCredentialID != ""
	model := cmp.Or(models.For(r.StoredCredential), sdk.When(stored && r.StoredCredential == nil, "CardOnFile"))
	interaction := sdk.Choose(mit || stored, "ContAuth", "Ecommerce")
	o := sdk.NewObject().Obj("amount", value).Str("merchantAccount", c.Account.Credentials["merchant_account"]).
		Obj("paymentMethod", method).OptObj("mpiData", mpiData(r.Proof())).Str("reference", r.Reference).
		OptStr("returnUrl", r.ReturnURL).Obj("browserInfo", browserInfo(r.Shopper())).
		Str("shopperInteraction", interaction).OptStr("recurringProcessingModel", model).
		Obj("additionalData", additionalData(r)).OptStr("shopperReference", shopper).
		OptBool("storePaymentMethod", r.Stores()).
		OptObj("installments", sdk.NewObject().OptInt("value", sdk.When(r.Installments > 1, int64(r.Installments))))
	person(o, r, mit)
	metadata := sdk.Room{Pairs: 20, Name: 20, Value: 80} // Adyen refuses payments with more (error 177)
	return o.OptStr("shopperStatement", r.DescriptorName).OptStr("merchantOrderReference", r.OrderReference).
		OptObj("metadata", sdk.NewObject().Texts(metadata.For(r.Metadata))).OptObj("applicationInfo", applicationInfo(r))
}

// applicationInfo names the software of the shop (docs.adyen.com, "Building Adyen solutions").
func applicationInfo(r *sdk.Request) *sdk.Object {
	p, unknown := cmp.Or(r.Partner, &sdk.Partner{}), &sdk.Software{}
	platform, shop := cmp.Or(p.Platform, unknown), cmp.Or(p.Application, unknown)
	return sdk.NewObject().OptObj("externalPlatform", sdk.NewObject().OptStr("name", platform.Name).
		OptStr("version", platform.Version).OptStr("integrator", platform.Integrator)).
		OptObj("merchantApplication", sdk.NewObject().OptStr("name", shop.Name).OptStr("version", shop.Version))
}

func paymentMethod(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	i, o := r.Instrument, sdk.NewObject().Str("type", "scheme")
	if i.StoredCredentialID != "" {
		return o.Str("storedPaymentMethodId", i.StoredCredentialID)
	}
	k := i.Card
	o.Str("number", k.Number).Str("expiryMonth", k.Month()).Str("expiryYear", k.Year()).OptStr("cvc", k.CVC).
		OptStr("holderName", holder(r))
	if i.NetworkTransactionID != "" || k.Network == sdk.CartesBancaires { // a card of two networks: name the chosen one
		o.OptStr("brand", brands[k.Network])
	}
	return o.OptStr("networkPaymentReference", i.NetworkTransactionID)
}

var brands = map[sdk.CardNetwork]string{
	sdk.Visa: "visa", sdk.Mastercard: "mc", sdk.AmericanExpress: "amex", sdk.JCB: "jcb", sdk.DinersClub: "diners",
	sdk.Discover: "discover", sdk.CartesBancaires: "cartebancaire", sdk.UnionPay: "cup", sdk.Maestro: "maestro",
}

// holder returns the name of the billing address, or the name on the card if 3-D Secure needs one.
func holder(r *sdk.Request) string {
	if name := r.BillTo().Name(); name != "" || !r.Request3DS && r.ThreeDS == nil {
		return name
	}
	return r.Instrument.Card.Holder
}

// mpiData returns an outside 3-D Secure 2 result (docs.adyen.com, "Third-party authentication"): directoryResponse is
// the transStatus of the ARes, authenticationResponse the one after the challenge. Without a known flow both are sent.
func mpiData(t *sdk.ThreeDSResult) *sdk.Object {
	challenged := t.Flow != "frictionless" && strings.Contains("YAUN", t.TransStatus) // a challenge never ends with R or I
	return sdk.NewObject().OptStr("directoryResponse", sdk.Choose(t.Flow == "challenge", "C", t.TransStatus)).
		OptStr("authenticationResponse", sdk.When(challenged, t.TransStatus)).
		OptStr("cavv", t.CAVV).OptStr("eci", t.ECI).OptStr("dsTransID", t.DSTransID).OptStr("threeDSVersion", t.Version).
		OptStr("cavvAlgorithm", t.CAVVAlgorithm) // Cartes Bancaires requires it
}

func additionalData(r *sdk.Request) *sdk.Object {
	holds := r.Capture == sdk.CaptureManual && r.Amount.Minor > 0
	return sdk.NewObject().OptStr("authorisationType", sdk.When(holds, "PreAuth")).
		OptStr("manualCapture", sdk.When(holds, "true")).OptStr("allowPartialAuth", sdk.When(r.Wish().Partial, "true")).
		Str("executeThreeD", strconv.FormatBool(r.Request3DS || r.ThreeDS != nil)).
		OptStr("scaExemption", exemptions.Of(string(r.Exemption)))
}

// exemptions are Adyen's names (docs.adyen.com, "SCA exemptions").
var exemptions = sdk.Names{{"lowValue", "low_value"}, {"transactionRiskAnalysis", "transaction_risk_analysis"},
	{"trustedBeneficiary", "trusted_beneficiary"}, {"secureCorporate", "secure_corporate"}}

// models say for what use a credential is stored; a merchant-initiated payment names the same.
var models = sdk.Names{{"UnscheduledCardOnFile", "mit first_off_session cit_off_session"}, {"CardOnFile", "first cit"}}

// shopperReference names the shopper of a stored credential: who stored it, else the merchant's customer.
func shopperReference(c *sdk.Call) string {
	r := c.Request
	stored := r.Instrument.StoredCredentialID != ""
	if r.StoredCredential == nil && !stored {
		return ""
	}
	kept := cmp.Or(r.Kept().Method, r.Kept().Customer)
	if kept == "" && r.Payer().ID != "" {
		return c.Account.ID + "_" + r.Customer.ID
	}
	sdk.Require(kept != "" || !stored && !r.Stores(),
		sdk.Missing("customer_id", "Adyen stores credentials by customer: give the payment a customer"))
	return kept
}

// person adds the payer's data. A merchant-initiated payment has no data of the payer's device.
func person(o *sdk.Object, r *sdk.Request, mit bool) {
	b := r.BillTo()
	if !mit {
		both := b.FirstName != "" && b.LastName != "" // as Adyen requires
		o.Obj("shopperName", sdk.NewObject().OptStr("firstName", sdk.When(both, b.FirstName)).
			OptStr("lastName", sdk.When(both, b.LastName))).
			OptStr("shopperEmail", r.Email()).OptStr("countryCode", b.Country)
	}
	o.OptStr("shopperIP", r.Device().IP).OptStr("telephoneNumber", cmp.Or(b.E164(), r.Payer().E164())).
		Obj("billingAddress", address(r.Billing)).Obj("deliveryAddress", address(r.Shipping))
}

// address has street and house number apart. It is nil for an incomplete address, with which Adyen refuses a payment.
func address(a *sdk.Address) *sdk.Object {
	if a == nil || a.Line1 == "" || a.City == "" || a.Zip == "" || a.Country == "" {
		return nil
	}
	house, street := a.Line1, a.Line2
	if street == "" {
		house, street = houseNumber(a.Line1)
	}
	return sdk.NewObject().Str("city", a.City).Str("country", a.Country).Str("houseNumberOrName", house).
		Str("postalCode", a.Zip).OptStr("stateOrProvince", a.State).Str("street", street)
}

// houseNumber splits the number off either end of "1 Market St" or "Damrak 1".
func houseNumber(line string) (house, street string) {
	if before, after, ok := strings.Cut(line, " "); ok && line[0]-'0' <= 9 {
		return before, after
	}
	if i := strings.LastIndexByte(line, ' '); i > 0 && i+1 < len(line) && line[i+1]-'0' <= 9 {
		return line[i+1:], line[:i]
	}
	return "N/A", line
}

func browserInfo(b *sdk.Browser) *sdk.Object {
	if b.UserAgent == "" || b.AcceptHeader == "" { // Adyen requires both
		return nil
	}
	return sdk.NewObject().Str("userAgent", b.UserAgent).Str("acceptHeader", b.AcceptHeader).
		OptStr("language", b.Language).Int("colorDepth", int64(b.ColorDepth)).
		Int("screenHeight", int64(b.ScreenHeight)).Int("screenWidth", int64(b.ScreenWidth)).
		Int("timeZoneOffset", int64(b.TimeZone)).Bool("javaEnabled", b.JavaEnabled)
}
