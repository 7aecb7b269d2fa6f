package checkout

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// authorize is POST /payments; verify sends it with a zero amount.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	return result(c, post(c, "/payments", payment(c))), nil
}

// payment returns the body of POST /payments.
func payment(c *sdk.Call) *sdk.Object {
	r, value := c.Request, amount(c.Request.Amount)
	o := sdk.NewObject().Obj("source", source(r)).Int("amount", value).Str("currency", string(r.Amount.Currency)).
		Str("processing_channel_id", c.Account.Credentials[channelID]).Obj("3ds", threeDS(r))
	if r.ReturnURL != "" {
		o.Str("success_url", withStatus(r.ReturnURL, "success")).Str("failure_url", withStatus(r.ReturnURL, "failure"))
	}
	mit := r.MerchantInitiated()
	o.Bool("capture", r.Capture != sdk.CaptureManual).Str("reference", r.Reference).
		OptObj("metadata", sdk.NewObject().Texts(sdk.Sorted(r.Metadata))).
		Str("payment_type", cmp.Or(paymentTypes.For(r.StoredCredential), "Regular")).Bool("merchant_initiated", mit).
		OptBool("store_for_future_use", r.Stores())
	raisable := c.Account.Config[authorizationType] == estimated && r.Capture == sdk.CaptureManual && r.Amount.Minor > 0
	previous := cmp.Or(r.Instrument.NetworkTransactionID, r.Kept().Method) // the payment that stored the credential
	return o.OptStr(authorizationType, sdk.When(raisable, estimated)).
		OptObj("partial_authorization", sdk.NewObject().OptBool("enabled", r.Wish().Partial)).
		OptStr("previous_payment_id", sdk.When(mit, previous)).OptObj("processing", processing(r)).
		StrAt("billing_descriptor.name", sdk.Clip(r.DescriptorName, 25)).
		OptStr("payment_ip", r.Device().IP).At("shipping.address", address(r.ShipTo()))
}

// source returns a card, or the source id of a stored card.
func source(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	b, billing := r.BillTo(), address(r.BillTo())
	if id := r.Instrument.StoredCredentialID; id != "" {
		return sdk.NewObject().Str("type", "id").Str("id", id).Obj("billing_address", billing)
	}
	k := r.Instrument.Card
	return sdk.NewObject().Str("type", "card").Str("number", k.Number).Str("expiry_month", k.Month()).
		Str("expiry_year", k.Year()).StrOrNull("cvv", k.CVC).Obj("billing_address", billing).
		OptObj("account_holder", holder(k, b))
}

func address(a *sdk.Address) *sdk.Object {
	return sdk.NewObject().OptStr("address_line1", a.Line1).OptStr("address_line2", a.Line2).OptStr("city", a.City).
		OptStr("state", a.State).OptStr("zip", a.Zip).OptStr("country", a.Country)
}

// holder returns the name on the card, or that of the billing address.
func holder(k *sdk.Card, b *sdk.Address) *sdk.Object {
	first, last := b.FirstName, b.LastName
	if k.Holder != "" {
		first, last = k.HolderNames()
	}
	return sdk.NewObject().OptStr("first_name", first).OptStr("last_name", last)
}

// processing has the chosen network of a card of two, and the reason of a merchant's charge outside an agreement.
func processing(r *sdk.Request) *sdk.Object {
	chosen := r.Instrument.Card.Scheme() == sdk.CartesBancaires
	return sdk.NewObject().OptStr("preferred_scheme", sdk.When(chosen, "cartes_bancaires")).
		OptStr("merchant_initiated_reason", sdk.Names{{"Resubmission", "mit_resubmission"}}.For(r.StoredCredential))
}

// threeDS asks for 3-D Secure, or sends an outside result. In 3-D Secure 2 xid is the directory server's id.
func threeDS(r *sdk.Request) *sdk.Object {
	t, challenge := r.Proof(), "no_preference"
	if r.Request3DS {
		challenge = "challenge_requested" + sdk.When(r.StoresForMerchant(), "_mandate")
	}
	return sdk.NewObject().Bool("enabled", r.Request3DS || r.ThreeDS != nil).Bool("force_3ds", r.Request3DS).
		StrOrNull("eci", t.ECI).StrOrNull("cryptogram", t.CAVV).StrOrNull("xid", t.DSTransID).StrOrNull("version", t.Version).
		OptStr("status", t.TransStatus).OptStr("flow_type", flows.Of(t.Flow)).OptStr("cryptogram_algorithm", t.CAVVAlgorithm).
		Str("challenge_indicator", challenge).OptStr("exemption", exemptions.Of(string(r.Exemption)))
}

// flows are the ways an authentication took.
var flows = sdk.Names{{"challenged", "challenge"}, {"frictionless", "frictionless"}}

// exemptions are Checkout.com's names (checkout.com/docs, "Request a payment", 3ds.exemption).
var exemptions = sdk.Names{{"low_value", "low_value"}, {"transaction_risk_assessment", "transaction_risk_analysis"},
	{"trusted_listing", "trusted_beneficiary"},
	{"secure_corporate_payment", "secure_corporate"}, {"sca_delegation", "sca_delegation"}}

// paymentTypes are the types of payments with a stored credential; all other payments are Regular.
var paymentTypes = sdk.Names{
	{"Recurring", "mit_recurring first_recurring cit_recurring"},
	{"Installment", "mit_installment first_installment cit_installment"},
	{"Unscheduled", "mit first_off_session"},
}

// withStatus adds how the customer came back to the return URL. Anyone can call that URL, so it proves nothing.
func withStatus(url, status string) string {
	return url + sdk.Choose(strings.Contains(url, "?"), "&", "?") + "status=" + status
}
