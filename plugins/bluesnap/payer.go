package bluesnap

import (
	"strings"

	"payswitch/sdk"
)

// holder returns the cardholder with address, named by the billing address or the card; nil if neither has both names.
func holder(r *sdk.Request) *sdk.Object {
	b, k := *r.BillTo(), r.Instrument.Card
	if k != nil && (b.FirstName == "" || b.LastName == "") {
		b.FirstName, b.LastName = k.HolderNames()
	}
	if b.FirstName == "" || b.LastName == "" {
		return nil
	}
	return contact(sdk.NewObject(), &b, "address", "address2").OptStr("email", r.Email())
}

// contact adds an address with the given names of its lines. BlueSnap knows the codes of states in the US and Canada,
// and refuses a payment with other states. The adapter writes those into the address line.
func contact(o *sdk.Object, a *sdk.Address, line1, line2 string) *sdk.Object {
	second, state := a.Line2, a.State
	if a.Country != "US" && a.Country != "CA" || len(a.State) != 2 {
		second, state = strings.TrimSpace(a.Line2+" "+a.State), ""
	}
	return o.OptStr("firstName", a.FirstName).OptStr("lastName", a.LastName).OptStr(line1, sdk.Clip(a.Line1, 100)).
		OptStr(line2, sdk.Clip(second, 100)).
		OptStr("city", sdk.Clip(a.City, 42)).OptStr("state", state).OptStr("zip", sdk.Clip(a.Zip, 20)).
		OptStr("country", a.Country)
}

// fraudInfo is data for fraud checks. A merchant-initiated payment has no shopper.
func fraudInfo(r *sdk.Request) *sdk.Object {
	return sdk.NewObject().Str("fraudSessionId", sdk.Clip(r.Reference, 32)).OptStr("shopperIpAddress", r.Shopper().IP).
		OptObj("shippingContactInfo", contact(sdk.NewObject(), r.ShipTo(), "address1", "address2"))
}

// descriptor returns the text on the shopper's statement, at most 20 characters.
func descriptor(r *sdk.Request) string {
	return sdk.Clip(strings.TrimSpace(r.DescriptorName+" "+r.DescriptorSuffix), 20)
}
