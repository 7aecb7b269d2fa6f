package bluesnap

import (
	"strconv"

	"payswitch/sdk"
)

// authorize authorizes the amount (AUTH_ONLY) or captures it at once (AUTH_CAPTURE).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kind := "AUTH_CAPTURE"
	if r.Capture == sdk.CaptureManual {
		kind = "AUTH_ONLY"
	}
	body := sdk.NewObject().Str("amount", r.Amount.Major()).Str("currency", string(r.Amount.Currency)).
		Str("cardTransactionType", kind)
	instrument(body, r)
	if body.OptStr("softDescriptor", descriptor(r)); r.Billing != nil {
		body.Obj("cardHolderInfo", holder(r))
	}
	body.Obj("transactionFraudInfo", fraudInfo(r)).Str("merchantTransactionId", r.Reference).
		Obj("threeDSecure", threeDS(r.ThreeDS)).Obj("transactionMetaData", metaData(r.Metadata))
	a := send(c, "POST", transactionsPath, body)
	o := transaction(c, a, kind)
	if id := a.Text("vaultedShopperId"); id != "" && o.Status != sdk.StatusDeclined && r.Stores() {
		o.StoredCredential = &sdk.StoredCredential{ID: id}
	}
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
	if i.NetworkTransactionID != "" {
		body.Obj("networkTransactionInfo", sdk.NewObject().Str("originalNetworkTransactionId", i.NetworkTransactionID))
	}
	body.OptBool("storeCard", r.Stores()).OptStr("transactionInitiator", initiators.For(r.StoredCredential))
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
	n := 0
	for _, m := range sdk.Sorted(all) {
		if len(m.Name) <= 40 && len(m.Value) <= 500 && n < 20 {
			list.Obj(sdk.NewObject().Str("metaKey", m.Name).Str("metaValue", m.Value).Str("isVisible", "Y"))
			n++
		}
	}
	return sdk.NewObject().Arr("metaData", list)
}
