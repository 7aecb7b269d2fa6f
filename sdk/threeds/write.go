package threeds

import (
	"payswitch/sdk"
)

// The methods below write a group of an AReq's fields under EMV's names, for flat messages and for vendors' groups.

// WriteChallengeInd writes threeDSRequestorChallengeInd: a text, or a list from 2.3.1.
func (a *AReq) WriteChallengeInd(o *sdk.Object) {
	if len(a.ChallengeInds) == 0 {
		return
	}
	const name = "threeDSRequestorChallengeInd"
	if !FromVersion(a.Version, "2.3.1") {
		o.Str(name, a.ChallengeInds[0])
		return
	}
	list := sdk.NewArray()
	for _, v := range a.ChallengeInds {
		list.Str(v)
	}
	o.Arr(name, list)
}

// WriteRequestor writes the requestor's fields: threeDSRequestorAuthenticationInd and -Info, -ChallengeInd, -PriorAuthenticationInfo, and
// -DecReqInd with -DecMaxTime.
func (a *AReq) WriteRequestor(o *sdk.Object) {
	o.OptStr("threeDSRequestorAuthenticationInd", a.AuthenticationInd)
	a.WriteChallengeInd(o)
	o.Obj("threeDSRequestorAuthenticationInfo", a.Login).Obj("threeDSRequestorPriorAuthenticationInfo", a.Prior)
	if a.DecoupledMaxTime != "" {
		o.Str("threeDSRequestorDecReqInd", "Y").Str("threeDSRequestorDecMaxTime", a.DecoupledMaxTime)
	}
}

// WriteRecurring writes the terms of a series, purchaseInstalData and recurring…, as far as the version defines them.
func (a *AReq) WriteRecurring(o *sdk.Object) {
	r := a.Recurring
	if r == nil {
		return
	}
	if r.Installments >= 2 && r.Installments <= 999 {
		o.Str("purchaseInstalData", digits(r.Installments, 1))
	}
	o.OptStr("recurringExpiry", r.Expiry)
	if r.FrequencyDays > 0 {
		o.Str("recurringFrequency", digits(min(r.FrequencyDays, 9999), 1))
	}
	if !FromVersion(a.Version, "2.3.1") {
		return
	}
	if m := r.Amount; m != nil {
		if exponent, ok := m.Currency.Exponent(); ok {
			o.Str("recurringAmount", sdk.Decimal(m.Minor, 0)).Str("recurringCurrency", m.Currency.Number()).Str("recurringExponent", digits(exponent, 1))
		}
	}
	o.OptStr("recurringDate", r.Date)
	if r.AmountInd != "" || r.FrequencyInd != "" {
		o.Obj("recurringInd", sdk.NewObject().OptStr("amountInd", r.AmountInd).OptStr("frequencyInd", r.FrequencyInd))
	}
}

// WriteCardholder writes name, contact and addresses.
func (a *AReq) WriteCardholder(o *sdk.Object) {
	h := &a.Holder
	o.OptStr("cardholderName", h.Name).OptStr("email", h.Email)
	if h.Phone != (Phone{}) {
		o.Obj("mobilePhone", sdk.NewObject().Str("cc", h.Phone.Country).Str("subscriber", h.Phone.Subscriber))
	}
	o.OptStr("addrMatch", h.AddressMatch)
	h.Billing.write(o, "bill")
	h.Shipping.write(o, "ship")
}

func (a *Address) write(o *sdk.Object, kind string) {
	o.OptStr(kind+"AddrLine1", a.Line1).OptStr(kind+"AddrLine2", a.Line2).OptStr(kind+"AddrLine3", a.Line3).OptStr(kind+"AddrCity", a.City).
		OptStr(kind+"AddrPostCode", a.PostCode).OptStr(kind+"AddrState", a.State).OptStr(kind+"AddrCountry", a.Country)
}

// WriteBrowser writes the browser's fields; without a browser it writes nothing.
func (a *AReq) WriteBrowser(o *sdk.Object) {
	b := a.Browser
	if b == nil {
		return
	}
	scripted := b.ColorDepth != ""
	if from22(a.Version) {
		o.Bool("browserJavascriptEnabled", b.JavaScript)
	}
	o.Str("browserAcceptHeader", b.AcceptHeader).Str("browserUserAgent", b.UserAgent).OptStr("browserIP", b.IP).OptStr("browserLanguage", b.Language)
	if len(b.AcceptLanguage) > 0 {
		list := sdk.NewArray()
		for _, v := range b.AcceptLanguage {
			list.Str(v)
		}
		o.Arr("acceptLanguage", list)
	}
	if scripted {
		o.Bool("browserJavaEnabled", b.Java).Str("browserColorDepth", b.ColorDepth).Str("browserScreenHeight", b.ScreenHeight).
			Str("browserScreenWidth", b.ScreenWidth).Str("browserTZ", b.TimeZone)
	}
}

// WriteApp writes the app SDK's fields; without an app it writes nothing.
func (a *AReq) WriteApp(o *sdk.Object) {
	p := a.App
	if p == nil {
		return
	}
	o.Str("sdkAppID", p.AppID).Str("sdkEncData", p.EncData).OptStr("sdkReferenceNumber", p.ReferenceNumber).Str("sdkTransID", p.TransID)
	o.Str("sdkMaxTimeout", digits(min(max(p.MaxTimeout, 5), 99), 2)) // EMV: two digits, 05 and more
	if key := object(p.EphemPubKey); key != "" {
		o.Raw("sdkEphemPubKey", key)
	}
	if FromVersion(a.Version, "2.3.1") {
		o.OptStr("sdkType", p.Type)
	}
}

// RenderOptions returns deviceRenderOptions of an app: the interfaces that its SDK can show.
func (a *AReq) RenderOptions() *sdk.Object {
	types := sdk.NewArray()
	all := a.App.UITypes
	if len(all) == 0 {
		all = []string{"01", "02", "03", "04", "05"}
	}
	for _, v := range all {
		types.Str(v)
	}
	return sdk.NewObject().Str("sdkInterface", first(a.App.Interface, "03")).Arr("sdkUiType", types)
}

// WriteRisk writes acctInfo, merchantRiskIndicator and messageExtension if they are set.
func (a *AReq) WriteRisk(o *sdk.Object) {
	for _, f := range []struct{ name, json string }{
		{"acctInfo", a.AccountInfo}, {"merchantRiskIndicator", a.MerchantRisk}, {"messageExtension", a.Extensions},
	} {
		if f.json != "" {
			o.Raw(f.name, f.json)
		}
	}
}
