package bluesnap

import "payswitch/sdk"

// withShopper asks for the shopper in the answer: an older version answers with a URL alone.
var withShopper = sdk.H("bluesnap-version", "3.0")

// verify stores the card with a new shopper. BlueSnap lets the issuer check the card first.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	shopper := holder(r)
	sdk.Require(shopper != nil, sdk.Missing("billing.address.last_name",
		"BlueSnap stores a card only with the first and last name of its holder"))
	card := sdk.NewObject().Obj("creditCard", creditCard(r.Instrument.Card)).Obj("billingContactInfo", billingContact(r))
	a := send(c, "POST", shoppersPath, shopper.OptStr("softDescriptor", descriptor(r)).
		Obj("paymentSources", sdk.NewObject().Arr("creditCardInfo", sdk.NewArray().Obj(card))).
		Obj("transactionFraudInfo", fraudInfo(r)).Obj("threeDSecure", threeDS(r.ThreeDS)), withShopper)
	if a.decline != nil {
		return sdk.Declined(a.decline), nil
	}
	id := a.Need("vaultedShopperId")
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: id, StoredCredential: &sdk.StoredCredential{ID: id},
		Checks: checks(a.Get("paymentSources.creditCardInfo.0.processingInfo"))}, nil
}

// billingContact returns the card's own address; nil if none is known.
func billingContact(r *sdk.Request) *sdk.Object {
	if r.Billing == nil {
		return nil
	}
	return contact(sdk.NewObject(), r.Billing, "address1", "address2")
}
