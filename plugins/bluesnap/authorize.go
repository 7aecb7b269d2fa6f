package bluesnap

import (
	"sort"
	"strconv"

	"payswitch/sdk"
)

// authorize holds the amount (AUTH_ONLY) or takes it at once (AUTH_CAPTURE).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if r.Request3DS && r.ThreeDS == nil {
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Parameter: "authentication_type",
			Message: "BlueSnap runs 3-D Secure with its own script in the merchant's page; send the result of an authentication done outside"}
	}
	kind := "AUTH_CAPTURE"
	if r.Capture == sdk.CaptureManual {
		kind = "AUTH_ONLY"
	}
	body := sdk.NewObject().Str("amount", r.Amount.Major()).Str("currency", string(r.Amount.Currency)).Str("cardTransactionType", kind)
	if err := instrument(body, r); err != nil {
		return nil, err
	}
	body.Obj("cardHolderInfo", holder(r)).
		Obj("transactionFraudInfo", sdk.NewObject().Str("fraudSessionId", r.Reference)).
		Str("merchantTransactionId", r.Reference).
		Obj("threeDSecure", threeDS(r.ThreeDS)).
		Obj("transactionMetaData", metaData(r.Metadata))
	a, err := send(c, "POST", transactionsPath, body)
	if err != nil {
		return nil, err
	}
	o, err := transaction(a, kind, r)
	if err != nil {
		return nil, err
	}
	if id := a.Text("vaultedShopperId"); id != "" && o.Status != sdk.StatusDeclined && r.StoredCredential != nil && r.StoredCredential.First {
		o.StoredCredential = &sdk.StoredCredential{ID: id}
	}
	return o, nil
}

// instrument is the card, or the vaulted shopper that has it, and who began the payment.
func instrument(body *sdk.Object, r *sdk.Request) error {
	i := r.Instrument
	switch {
	case i != nil && i.StoredCredentialID != "":
		id, err := strconv.ParseInt(i.StoredCredentialID, 10, 64)
		if err != nil {
			return &sdk.Reject{Code: sdk.RejectInvalid, Message: "a vaulted shopper's id is a number", Parameter: "recurring_details"}
		}
		body.Int("vaultedShopperId", id)
	case i == nil || i.Card == nil:
		return &sdk.Reject{Code: sdk.RejectMissing, Message: "a card or a stored credential is needed", Parameter: "payment_method_data.card"}
	default:
		body.Obj("creditCard", sdk.NewObject().Str("cardNumber", i.Card.Number).OptStr("securityCode", i.Card.CVC).
			Str("expirationMonth", twoDigits(i.Card.ExpMonth)).Str("expirationYear", strconv.Itoa(i.Card.ExpYear)))
	}
	if i.NetworkTransactionID != "" {
		body.Obj("networkTransactionInfo", sdk.NewObject().Str("originalNetworkTransactionId", i.NetworkTransactionID))
	}
	if u := r.StoredCredential; u != nil {
		if u.First {
			body.Bool("storeCard", true)
		}
		initiator := "SHOPPER"
		if u.Initiator == "mit" {
			initiator = "MERCHANT"
		}
		body.Str("transactionInitiator", initiator)
	}
	return nil
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) }

// holder is who holds the card, nil where there is no name.
func holder(r *sdk.Request) *sdk.Object {
	b := r.Billing
	if b == nil || b.FirstName == "" || b.LastName == "" {
		return nil
	}
	email := b.Email
	if email == "" && r.Customer != nil {
		email = r.Customer.Email
	}
	return sdk.NewObject().Str("firstName", b.FirstName).Str("lastName", b.LastName).OptStr("email", email)
}

// threeDS is the result of an authentication done outside.
func threeDS(t *sdk.ThreeDSResult) *sdk.Object {
	if t == nil {
		return nil
	}
	return sdk.NewObject().OptStr("eci", t.ECI).OptStr("cavv", t.CAVV).OptStr("dsTransactionId", t.DSTransID).OptStr("threeDSecureVersion", t.Version)
}

// metaData is the merchant's metadata, by name.
func metaData(all map[string]string) *sdk.Object {
	if len(all) == 0 {
		return nil
	}
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	sort.Strings(names)
	list := sdk.NewArray()
	for _, name := range names {
		list.Obj(sdk.NewObject().Str("metaKey", name).Str("metaValue", all[name]).Str("isVisible", "Y"))
	}
	return sdk.NewObject().Arr("metaData", list)
}
