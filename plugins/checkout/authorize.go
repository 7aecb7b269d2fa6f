package checkout

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// authorize is POST /payments, of a zero amount (verify) too.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	body, err := payment(c)
	if err != nil {
		return nil, err
	}
	resp, err := post(c, "/payments", body)
	if err != nil {
		return nil, err
	}
	if !resp.OK() {
		return refusal(resp)
	}
	return result(c, resp.JSON())
}

// payment is the body of POST /payments.
func payment(c *sdk.Call) (*sdk.Object, error) {
	r := c.Request
	value, err := amount(r.Amount)
	if err != nil {
		return nil, err
	}
	from, err := source(r)
	if err != nil {
		return nil, err
	}
	o := sdk.NewObject().Obj("source", from).Int("amount", value).Str("currency", string(r.Amount.Currency)).
		Str("processing_channel_id", c.Account.Credentials[channelID]).Obj("3ds", threeDS(r))
	if r.ReturnURL != "" {
		o.Str("success_url", withStatus(r.ReturnURL, "success")).Str("failure_url", withStatus(r.ReturnURL, "failure"))
	}
	mit := r.MerchantInitiated()
	o.Bool("capture", r.Capture != sdk.CaptureManual).Str("reference", r.Reference).Obj("metadata", metadata(r.Metadata)).
		Str("payment_type", paymentType(r.StoredCredential)).Bool("merchant_initiated", mit)
	if r.Stores() {
		o.Bool("store_for_future_use", true)
	}
	if mit {
		o.OptStr("previous_payment_id", previousPayment(r))
	}
	if r.DescriptorName != "" {
		o.Obj("billing_descriptor", sdk.NewObject().Str("name", r.DescriptorName))
	}
	if r.Browser != nil {
		o.OptStr("payment_ip", r.Browser.IP)
	}
	return o, nil
}

// source is a card, or the source id under which a card was stored.
func source(r *sdk.Request) (*sdk.Object, error) {
	if err := r.NeedInstrument(); err != nil {
		return nil, err
	}
	billing := sdk.NewObject()
	if b := r.Billing; b != nil {
		billing.OptStr("address_line1", b.Line1).OptStr("address_line2", b.Line2).OptStr("city", b.City).OptStr("state", b.State).
			OptStr("zip", b.Zip).OptStr("country", b.Country)
	}
	if id := r.Instrument.StoredCredentialID; id != "" {
		return sdk.NewObject().Str("type", "id").Str("id", id).Obj("billing_address", billing), nil
	}
	k := r.Instrument.Card
	o := sdk.NewObject().Str("type", "card").Str("number", k.Number).Str("expiry_month", k.Month()).Str("expiry_year", k.Year())
	return orNull(o, "cvv", k.CVC).Obj("billing_address", billing).Obj("account_holder", holder(k, r.Billing)), nil
}

// holder is the name on the card, or that of the billing address.
func holder(k *sdk.Card, b *sdk.Address) *sdk.Object {
	first, last := "", ""
	if i := strings.LastIndexByte(k.Holder, ' '); i >= 0 {
		first, last = k.Holder[:i], k.Holder[i+1:]
	} else if k.Holder != "" {
		last = k.Holder
	} else if b != nil {
		first, last = b.FirstName, b.LastName
	}
	if first == "" && last == "" {
		return nil
	}
	return sdk.NewObject().OptStr("first_name", first).OptStr("last_name", last)
}

// threeDS asks for 3-D Secure, or tells the result of one from elsewhere; xid is the directory server's transaction id in 3-D Secure 2.
func threeDS(r *sdk.Request) *sdk.Object {
	t, challenge := r.ThreeDS, "no_preference"
	if t == nil {
		t = &sdk.ThreeDSResult{}
	}
	if r.Request3DS {
		challenge = "challenge_requested"
	}
	o := sdk.NewObject().Bool("enabled", r.Request3DS || r.ThreeDS != nil).Bool("force_3ds", r.Request3DS)
	orNull(o, "eci", t.ECI)
	orNull(o, "cryptogram", t.CAVV)
	orNull(o, "xid", t.DSTransID)
	orNull(o, "version", t.Version)
	return o.Str("challenge_indicator", challenge)
}

// paymentType is what the networks are told of the payment.
func paymentType(s *sdk.StoredCredentialUse) string {
	switch {
	case s == nil:
	case s.Category == "recurring":
		return "Recurring"
	case s.Category == "installment":
		return "Installment"
	case s.Initiator == "mit" || s.First && s.Usage == "off_session":
		return "Unscheduled"
	}
	return "Regular"
}

// previousPayment is what a merchant-initiated payment refers to: the network's id, or the payment the credential was stored with.
func previousPayment(r *sdk.Request) string {
	return cmp.Or(r.Instrument.NetworkTransactionID, r.Kept().Method)
}

func metadata(m map[string]string) *sdk.Object {
	if len(m) == 0 {
		return nil
	}
	o := sdk.NewObject()
	for _, f := range sdk.Sorted(m) {
		o.Str(f.Name, f.Value)
	}
	return o
}

// withStatus adds how the customer came back to the return URL. It is told by whoever calls, so nothing is concluded from it.
func withStatus(url, status string) string {
	if strings.Contains(url, "?") {
		return url + "&status=" + status
	}
	return url + "?status=" + status
}

func orNull(o *sdk.Object, name, value string) *sdk.Object {
	if value == "" {
		return o.Null(name)
	}
	return o.Str(name, value)
}
