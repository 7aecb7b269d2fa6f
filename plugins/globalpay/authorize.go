package globalpay

import (
	"cmp"
	"strconv"

	"payswitch/sdk"
)

// authorize makes a sale, captured at once or later. Amounts are in minor units.
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	method := paymentMethod(r)
	body := sdk.NewObject().Str("account_name", c.Account.Config["account_name"]).Str("channel", "CNP").
		Str("amount", minor(r.Amount)).Str("currency", string(r.Amount.Currency)).Str("reference", r.Reference).
		Str("country", cmp.Or(c.Account.Config["country"], r.BillTo().Country, "US")).
		Str("capture_mode", sdk.Choose(r.Capture == sdk.CaptureManual, "LATER", "AUTO")).
		OptStr("authorization_mode", sdk.When(r.Wish().Partial, "PARTIAL"))
	storedCredential(body, r.StoredCredential)
	if r.WebhookURL != "" {
		body.Obj("notifications", sdk.NewObject().OptStr("cancel_url", r.ReturnURL).OptStr("return_url", r.ReturnURL).
			Str("status_url", r.WebhookURL))
	}
	a := post(c, transactionsPath, body.Obj("payment_method", method))
	o := transaction(c, a)
	o.StoredCredential = sdk.When(r.Stores() && o.Decline == nil, sdk.StoredAs(a.JSON().Str("payment_method.id"), ""))
	return o, nil
}

func minor(m sdk.Money) string { return strconv.FormatInt(m.Minor, 10) }

// paymentMethod returns the card, or GP API's id of a stored one.
func paymentMethod(r *sdk.Request) *sdk.Object {
	sdk.Check(r.NeedInstrument())
	i, m := r.Instrument, sdk.NewObject()
	if i.StoredCredentialID != "" {
		m.Str("entry_mode", "ECOM").Str("id", i.StoredCredentialID)
	} else {
		card := cardOf(i.Card).OptStr("cvv_indicator", sdk.When(i.Card.CVC != "", "PRESENT")).
			OptStr("avs_address", r.BillTo().Line1).OptStr("avs_postal_code", r.BillTo().Zip).
			OptStr("brand_reference", i.NetworkTransactionID)
		m.OptStr("name", r.Cardholder()).Str("entry_mode", "ECOM").Obj("card", card).
			OptStr("storage_mode", sdk.When(r.Stores(), "ON_SUCCESS"))
	}
	m.OptStr("narrative", sdk.When(r.DescriptorName != "", r.Statement(50)))
	t := r.Proof()
	proof := sdk.NewObject().OptStr("exempt_status", exemptions.Of(string(r.Exemption))).
		OptStr("message_version", t.Version).OptStr("eci", t.ECI).
		OptStr("server_trans_ref", t.ServerTransID).OptStr("ds_trans_ref", t.DSTransID).OptStr("value", t.CAVV)
	return m.At("authentication.three_ds", proof)
}

// exemptions are GP API's names (three_ds.exempt_status).
var exemptions = sdk.Names{{"LOW_VALUE", "low_value"}, {"TRANSACTION_RISK_ANALYSIS", "transaction_risk_analysis"},
	{"TRUSTED_MERCHANT", "trusted_beneficiary"},
	{"SECURE_CORPORATE_PAYMENT", "secure_corporate"}, {"SCA_DELEGATION", "sca_delegation"}}

func cardOf(k *sdk.Card) *sdk.Object {
	return sdk.NewObject().Str("number", k.Number).Str("expiry_month", k.Month()).Str("expiry_year", k.ShortYear()).
		OptStr("cvv", k.CVC)
}

// Who began a payment with a stored credential and under which agreement, as the card networks require.
var (
	initiators = sdk.Names{{"PAYER", "first cit"}, {"MERCHANT", "mit"}}
	models     = sdk.Names{{"INSTALLMENT", "mit_installment first_installment cit_installment"},
		{"UNSCHEDULED", "mit_unscheduled mit_resubmission"}, {"RECURRING", "mit first_recurring cit_recurring"}}
	sequences = sdk.Names{{"FIRST", "first"}, {"SUBSEQUENT", "cit mit"}}
	whys      = sdk.Names{{"RESUBMISSION", "mit_resubmission"}}
)

func storedCredential(body *sdk.Object, u *sdk.StoredCredentialUse) {
	if u != nil {
		body.Str("initiator", initiators.For(u)).Obj("stored_credential",
			sdk.NewObject().Str("model", cmp.Or(models.For(u), "UNSCHEDULED")).OptStr("reason", whys.For(u)).
				Str("sequence", sequences.For(u)))
	}
}

// verify stores a card without a payment.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	sdk.Check(r.NeedCard())
	sdk.Require(r.ThreeDS == nil, sdk.Unsupported("three_ds_data", "GP API supports 3-D Secure for payments only"))
	a := post(c, methodsPath, sdk.NewObject().Str("reference", r.Reference).Str("usage_mode", "MULTIPLE").
		Obj("card", cardOf(r.Instrument.Card)))
	j := a.JSON()
	id := j.Str("id")
	if !a.OK() || id == "" || j.Str("status") != "ACTIVE" {
		return refused(a), nil
	}
	return &sdk.Outcome{Status: sdk.StatusVerified, TransactionID: id, StoredCredential: sdk.StoredAs(id, "")}, nil
}
