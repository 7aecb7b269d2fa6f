package authorizedotnet

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// The elements of a request have the order of the API's XML schema, in JSON too.

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
		o.Obj("profile", sdk.NewObject().Str("customerProfileId", customer).
			At("paymentProfile", sdk.NewObject().Str("paymentProfileId", profile)))
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
	return o.OptStr("customerIP", r.Shopper().IPv4()).OptObj("cardholderAuthentication", threeDS(r.Proof())).
		OptObj("transactionSettings", settings(r)).OptObj("userFields", userFields(r.Metadata)).
		OptObj("processingOptions", processingOptions(r)).OptObj("subsequentAuthInformation", subsequent(r))
}

func creditCard(k *sdk.Card) *sdk.Object {
	return sdk.NewObject().Str("cardNumber", k.Number).Str("expirationDate", k.Year()+"-"+k.Month()).
		OptStr("cardCode", k.CVC)
}

// payer returns the customer with the merchant's id, which has room for 20 characters.
func payer(r *sdk.Request, id string) *sdk.Object {
	k := r.Payer()
	o := sdk.NewObject()
	if len(k.ID) <= 20 {
		o.OptStr(id, k.ID)
	}
	return o.OptStr("email", cmp.Or(k.Email, r.BillTo().Email))
}

// billTo returns the billing address, cut to the schema's lengths: Authorize.net refuses longer values.
func billTo(a *sdk.Address) *sdk.Object {
	street := strings.TrimSpace(a.Line1 + " " + a.Line2)
	return sdk.NewObject().OptStr("firstName", sdk.Clip(a.FirstName, 50)).OptStr("lastName", sdk.Clip(a.LastName, 50)).
		OptStr("address", sdk.Clip(street, 60)).
		OptStr("city", sdk.Clip(a.City, 40)).OptStr("state", sdk.Clip(a.State, 40)).OptStr("zip", sdk.Clip(a.Zip, 20)).
		OptStr("country", sdk.Clip(a.Country, 60))
}

// threeDS returns the result of an outside authentication. The indicator is the ECI without its leading zero.
func threeDS(t *sdk.ThreeDSResult) *sdk.Object {
	return sdk.NewObject().OptStr("authenticationIndicator", strings.TrimPrefix(t.ECI, "0")).
		OptStr("cardholderAuthenticationValue", t.CAVV)
}

// settings allow the approval of a part, if the payment does and the merchant captures. Authorize.net holds a part
// until a capture names its split tender id.
func settings(r *sdk.Request) *sdk.Object {
	o := sdk.NewObject()
	if r.Wish().Partial && r.Capture == sdk.CaptureManual {
		o.Arr("setting", sdk.NewArray().Obj(
			sdk.NewObject().Str("settingName", "allowPartialAuth").Str("settingValue", "true")))
	}
	return o
}

// userFields returns the merchant's metadata by name, at most 20.
func userFields(metadata map[string]string) *sdk.Object {
	all := sdk.NewArray()
	for _, f := range sdk.Sorted(metadata)[:min(len(metadata), 20)] {
		all.Obj(sdk.NewObject().Str("name", f.Name).Str("value", f.Value))
	}
	return sdk.NewObject().OptArr("userField", all)
}

// options say how the payment uses a stored credential, as the card networks require.
var options = sdk.Names{
	{"isFirstRecurringPayment", "first_recurring"}, {"isFirstSubsequentAuth", "first"}, {"isSubsequentAuth", "mit"},
	{"isStoredCredentials", "cit"},
}

func processingOptions(r *sdk.Request) *sdk.Object {
	o, option := sdk.NewObject(), options.For(r.StoredCredential)
	return o.OptBool(option, option != "")
}

// subsequent refers a card's charge to the payment that the customer agreed to, by the network's id.
func subsequent(r *sdk.Request) *sdk.Object {
	o, reason := sdk.NewObject(), sdk.Names{{"resubmission", "mit_resubmission"}}.For(r.StoredCredential)
	if id := r.Instrument.NetworkTransactionID; id != "" {
		o.Str("originalNetworkTransId", id).OptStr("reason", reason)
	}
	return o
}
