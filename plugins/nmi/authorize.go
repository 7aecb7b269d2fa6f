package nmi

import (
	"strconv"

	"payswitch/sdk"
)

// authorize authorizes the amount (auth) or captures it at once (sale).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kind := sdk.Choose(r.Capture == sdk.CaptureManual, "auth", "sale")
	form := request(c, kind).Add("amount", amount(r.Amount)).Add("currency", string(r.Amount.Currency)).
		Opt("dup_seconds", c.Account.Config["dup_seconds"]).
		Opt("partial_payments", sdk.When(r.Wish().Partial, "settle_partial")) // without payments of the rest
	return purchase(c, kind, r.Approved(), form)
}

// verify checks the card without an amount, and stores it on request.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	return purchase(c, "validate", sdk.StatusVerified, request(c, "validate"))
}

// purchase sends the payment with all its details.
func purchase(c *sdk.Call, kind string, approved sdk.OutcomeStatus, form *sdk.Form) (*sdk.Outcome, error) {
	r := c.Request
	form.Add("orderid", r.Reference)
	instrument(form, r)
	storedCredential(form, r)
	// the result of an outside authentication
	t := r.Proof()
	form.Opt("cardholder_auth", sdk.Names{{"verified", "Y"}, {"attempted", "A"}}.Of(t.TransStatus)).Opt("cavv", t.CAVV).
		Opt("eci", t.ECI).Opt("three_ds_version", t.Version).Opt("directory_server_id", t.DSTransID)
	for i, f := range (sdk.Room{Pairs: 20}).For(r.Metadata) {
		form.Add("merchant_defined_field_"+strconv.Itoa(i+1), f.Name+"="+f.Value)
	}
	order(form, r)
	addresses(form, r)
	a := transact(c, kind, form)
	o := a.outcome(approved)
	// may be lower than requested
	if text := a.get("amount_authorized"); text != "" && a.decline == nil && r.Amount.Minor > 0 {
		part := sdk.Must(sdk.ParseMajor(text, r.Amount.Currency))
		sdk.Require(part.Positive(), sdk.ErrAnswer)
		o.Amount = &part
	}
	if id := a.get("customer_vault_id"); id != "" && a.decline == nil && r.StoredCredential != nil {
		o.StoredCredential = &sdk.StoredCredential{ID: id}
		if r.Stores() { // later payments of the agreement need the id of its first transaction
			o.ConnectorData = &sdk.ConnectorData{Version: 1, Method: o.TransactionID}
		}
	}
	return o, nil
}

// instrument is the card, or the customer vault's id of one.
func instrument(form *sdk.Form, r *sdk.Request) {
	sdk.Check(r.NeedInstrument())
	if id := r.Instrument.StoredCredentialID; id != "" {
		form.Add("customer_vault_id", id)
		return
	}
	k := r.Instrument.Card
	form.Add("ccnumber", k.Number).Add("ccexp", k.Month()+k.ShortYear()).Opt("cvv", k.CVC).
		Opt("customer_vault", sdk.When(r.Stores(), "add_customer"))
}

// Who began a payment with a stored credential and under which agreement, as the card networks require.
var (
	initiators = sdk.Names{{"customer", "first cit"}, {"merchant", "mit"}}
	indicators = sdk.Names{{"stored", "first"}, {"used", "cit mit"}}
	billings   = sdk.Names{{"recurring", "mit_recurring cit_recurring"},
		{"installment", "mit_installment cit_installment"}}
)

func storedCredential(form *sdk.Form, r *sdk.Request) {
	u := r.StoredCredential
	form.Opt("initiated_by", initiators.For(u)).Opt("stored_credential_indicator", indicators.For(u)).
		Opt("billing_method", billings.For(u))
	if u != nil && !u.First {
		form.Opt("initial_transaction_id", r.Kept().Method)
	}
}

// order adds the purchase, the statement's text, and the payer's IP address, which must be of version 4.
func order(form *sdk.Form, r *sdk.Request) {
	part := func(minor int64) string {
		return sdk.When(minor > 0, sdk.Money{Minor: minor, Currency: r.Amount.Currency}.Major())
	}
	form.Opt("order_description", r.Description).Opt("descriptor", r.Statement(0)).Opt("shipping", part(r.ShippingCost)).
		Opt("tax", part(r.TaxAmount)).Opt("ipaddress", r.Shopper().IPv4())
}

func addresses(form *sdk.Form, r *sdk.Request) {
	if b := r.Billing; b != nil {
		form.Opt("first_name", b.FirstName).Opt("last_name", b.LastName).Opt("address1", b.Line1).
			Opt("address2", b.Line2).Opt("city", b.City).Opt("state", b.State).Opt("zip", b.Zip).Opt("country", b.Country).
			Opt("phone", b.E164()).Opt("email", b.Email)
	}
	if s := r.Shipping; s != nil {
		form.Opt("shipping_firstname", s.FirstName).Opt("shipping_lastname", s.LastName).Opt("shipping_address1", s.Line1).
			Opt("shipping_address2", s.Line2).Opt("shipping_city", s.City).Opt("shipping_state", s.State).
			Opt("shipping_zip", s.Zip).Opt("shipping_country", s.Country).Opt("shipping_email", s.Email)
	} else if r.Instrument.StoredCredentialID != "" { // the vault's data of the customer may be outdated
		form.Opt("shipping_email", r.Email())
	}
}
