package nmi

import (
	"sort"
	"strconv"

	"payswitch/sdk"
)

// maxDefinedFields is how many merchant_defined_field_n there are.
const maxDefinedFields = 20

// authorize holds the amount (auth) or takes it at once (sale).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	kind, approved := "sale", sdk.StatusCaptured
	if r.Capture == sdk.CaptureManual {
		kind, approved = "auth", sdk.StatusAuthorized
	}
	amount, err := amount(r.Amount)
	if err != nil {
		return nil, err
	}
	form := request(c, kind).Add("amount", amount).Add("currency", string(r.Amount.Currency)).Opt("dup_seconds", c.Account.Config[dupSeconds])
	return purchase(c, kind, approved, form)
}

// verify checks the card without an amount, and keeps it where that was asked for.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	if c.Request.Amount.Minor != 0 {
		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: "a verification has no amount", Parameter: "amount"}
	}
	return purchase(c, "validate", sdk.StatusVerified, request(c, "validate"))
}

// purchase sends the payment with everything that is known of it.
func purchase(c *sdk.Call, kind string, approved sdk.OutcomeStatus, form *sdk.Form) (*sdk.Outcome, error) {
	r := c.Request
	if r.Request3DS && r.ThreeDS == nil {
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Parameter: "authentication_type",
			Message: "NMI runs 3-D Secure with its own script in the merchant's page; send the result of an authentication done outside"}
	}
	form.Add("orderid", r.Reference)
	if err := instrument(form, r); err != nil {
		return nil, err
	}
	storedCredential(form, r)
	threeDS(form, r.ThreeDS)
	definedFields(form, r.Metadata)
	addresses(form, r)
	a, err := transact(c, kind, form)
	if err != nil {
		return nil, err
	}
	o := a.outcome(approved)
	if id := a.get("customer_vault_id"); id != "" && a.decline == nil && first(r) {
		// What refers to the agreement later needs the id of its first transaction as well.
		o.StoredCredential = &sdk.StoredCredential{ID: id}
		o.ConnectorData = &sdk.ConnectorData{Version: 1, Method: o.TransactionID}
	}
	return o, nil
}

// instrument is the card, or what the customer vault keeps of one.
func instrument(form *sdk.Form, r *sdk.Request) error {
	i := r.Instrument
	switch {
	case i != nil && i.StoredCredentialID != "":
		form.Add("customer_vault_id", i.StoredCredentialID)
	case i == nil || i.Card == nil:
		return &sdk.Reject{Code: sdk.RejectMissing, Message: "a card or a stored credential is needed", Parameter: "payment_method_data.card"}
	case i.NetworkTransactionID != "":
		return &sdk.Reject{Code: sdk.RejectUnsupported, Message: "NMI refers to earlier payments by its own ids alone", Parameter: "recurring_details"}
	default:
		form.Add("ccnumber", i.Card.Number).Add("ccexp", twoDigits(i.Card.ExpMonth)+twoDigits(i.Card.ExpYear)).Opt("cvv", i.Card.CVC)
		if first(r) {
			form.Add("customer_vault", "add_customer")
		}
	}
	return nil
}

func twoDigits(n int) string { return string([]byte{'0' + byte(n/10%10), '0' + byte(n%10)}) }

// first says that the credential is to be kept with this payment.
func first(r *sdk.Request) bool { return r.StoredCredential != nil && r.StoredCredential.First }

// storedCredential says who began the payment and under which agreement, as the card networks want it.
func storedCredential(form *sdk.Form, r *sdk.Request) {
	u := r.StoredCredential
	switch {
	case u == nil:
		return
	case u.First:
		form.Add("initiated_by", "customer").Add("stored_credential_indicator", "stored")
		return
	case u.Initiator == "mit":
		form.Add("initiated_by", "merchant")
	default:
		form.Add("initiated_by", "customer")
	}
	form.Add("stored_credential_indicator", "used")
	if u.Category == "recurring" || u.Category == "installment" {
		form.Add("billing_method", u.Category)
	}
	if d := r.ConnectorData; d != nil {
		form.Opt("initial_transaction_id", d.Method)
	}
}

// threeDS is the result of an authentication done outside.
func threeDS(form *sdk.Form, t *sdk.ThreeDSResult) {
	if t == nil {
		return
	}
	switch t.TransStatus {
	case "Y":
		form.Add("cardholder_auth", "verified")
	case "A":
		form.Add("cardholder_auth", "attempted")
	}
	form.Opt("cavv", t.CAVV).Opt("eci", t.ECI).Opt("three_ds_version", t.Version).Opt("directory_server_id", t.DSTransID)
}

// definedFields are the merchant's metadata, by name; NMI has no room for more.
func definedFields(form *sdk.Form, metadata map[string]string) {
	names := make([]string, 0, len(metadata))
	for name := range metadata {
		names = append(names, name)
	}
	sort.Strings(names)
	for i, name := range names[:min(len(names), maxDefinedFields)] {
		form.Add("merchant_defined_field_"+strconv.Itoa(i+1), name+"="+metadata[name])
	}
}

func addresses(form *sdk.Form, r *sdk.Request) {
	if b := r.Billing; b != nil {
		form.Opt("first_name", b.FirstName).Opt("last_name", b.LastName).Opt("address1", b.Line1).Opt("address2", b.Line2).Opt("city", b.City).
			Opt("state", b.State).Opt("zip", b.Zip).Opt("country", b.Country).Opt("phone", b.Phone).Opt("email", b.Email)
	}
	if s := r.Shipping; s != nil {
		form.Opt("shipping_firstname", s.FirstName).Opt("shipping_lastname", s.LastName).Opt("shipping_address1", s.Line1).
			Opt("shipping_address2", s.Line2).Opt("shipping_city", s.City).Opt("shipping_state", s.State).Opt("shipping_zip", s.Zip).
			Opt("shipping_country", s.Country).Opt("shipping_email", s.Email)
	}
}
