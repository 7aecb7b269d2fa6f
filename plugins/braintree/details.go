package braintree

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// customerDetails are who pays: the customer's, else what the bill says.
func customerDetails(r *sdk.Request) *sdk.Object {
	b, c := r.BillTo(), r.Customer
	if c == nil {
		c = &sdk.Customer{}
	}
	return sdk.NewObject().OptStr("email", cmp.Or(c.Email, b.Email)).OptStr("phoneNumber", cmp.Or(c.Phone, b.Phone))
}

// riskData is what fraud tools want to know of the customer's browser. There is none where the merchant charges on its own.
func riskData(r *sdk.Request) *sdk.Object {
	o := sdk.NewObject()
	if b := r.Browser; b != nil && !r.MerchantInitiated() {
		o.OptStr("customerBrowser", sdk.Clip(b.UserAgent, 255)).OptStr("customerIp", b.IP)
	}
	return o
}

// descriptor is the business name on the customer's statement. Braintree refuses a payment over one that is not "company*product" of at
// most 22 characters, with a company of 3, 7 or 12: another is left to the account's own.
func descriptor(r *sdk.Request) string {
	name := r.DescriptorName
	if r.DescriptorSuffix != "" {
		name += "*" + r.DescriptorSuffix
	}
	company, product, _ := strings.Cut(name, "*")
	if n := len(company); n != 3 && n != 7 && n != 12 || product == "" || len(name) > 22 {
		return ""
	}
	return name
}

func shipping(r *sdk.Request) *sdk.Object {
	o := sdk.NewObject()
	if r.Shipping != nil {
		o.Obj("shippingAddress", address(r.Shipping))
	}
	if r.ShippingCost > 0 {
		o.Str("shippingAmount", sdk.Money{Minor: r.ShippingCost, Currency: r.Amount.Currency}.Major())
	}
	return o
}
