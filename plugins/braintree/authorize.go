package braintree

import (
	"cmp"
	"errors"
	"strings"

	"payswitch/sdk"
)

// singleUse says that the payment method is used up by its first payment: it is the token of a card, not one of the vault.
func singleUse(i *sdk.Instrument) bool {
	return i.StoredCredentialID == "" || strings.HasPrefix(i.StoredCredentialID, "tokencc_")
}

// authorize holds the amount (authorizeCreditCard) or takes it at once (chargeCreditCard).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	amount, err := amount(c, r.Amount)
	if err != nil {
		return nil, err
	}
	options, err := cardOptions(r)
	if err != nil {
		return nil, err
	}
	method, refused, err := paymentMethod(c)
	if err != nil || refused != nil {
		return refused, err
	}
	name, inputType := "chargeCreditCard", "ChargeCreditCardInput"
	if r.Capture == sdk.CaptureManual {
		name, inputType = "authorizeCreditCard", "AuthorizeCreditCardInput"
	}
	t := sdk.NewObject().Str("amount", amount).Str("merchantAccountId", c.Account.Config[merchantAccount]).Str("orderId", r.Reference).
		OptStr("paymentInitiator", initiator(r.StoredCredential))
	if singleUse(r.Instrument) { // what is vaulted has a customer already
		if r.Stores() {
			t.Obj("vaultPaymentMethodAfterTransacting", sdk.NewObject().Str("when", "ALWAYS"))
		}
		if email := email(r); email != "" {
			t.Obj("customerDetails", sdk.NewObject().Str("email", email))
		}
	}
	input := sdk.NewObject().Str("apiRequestKey", c.IdempotencyKey()).Str("paymentMethodId", method).Obj("transaction", t).Obj("options", options)
	payload, refused, err := mutate(c, name, inputType, " transaction {"+transaction+" }", input, true)
	if err != nil || refused != nil {
		return refused, err
	}
	o, err := paymentOf(payload.Get("transaction"), r.Amount.Currency)
	if err != nil {
		return nil, err
	}
	if o.Status == sdk.StatusVoided { // an apiRequestKey that is repeated after a void
		o.Status, o.Decline = sdk.StatusDeclined, declineFrom(sdk.JSON{}, "VOIDED")
	}
	if id := payload.Str("transaction.paymentMethod.id"); id != "" && r.Stores() && o.Decline == nil {
		o.StoredCredential = &sdk.StoredCredential{ID: id}
	}
	return o, nil
}

// verify checks the card without a payment: on its way into the vault where it is to be kept, else by itself.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	if err := r.NeedZero(); err != nil {
		return nil, err
	}
	pass, err := passThrough(r)
	if err != nil {
		return nil, err
	}
	if pass != nil && !r.Stores() {
		return nil, sdk.Unsupported("three_ds_data", "Braintree takes the result of an authentication with a payment, or when the card is stored")
	}
	method, refused, err := paymentMethod(c)
	if err != nil || refused != nil {
		return refused, err
	}
	account := sdk.NewObject().Str("merchantAccountId", c.Account.Config[merchantAccount])
	input := sdk.NewObject().Str("paymentMethodId", method)
	var payload sdk.JSON
	if r.Stores() && singleUse(r.Instrument) {
		input.Obj("verification", account).Obj("threeDSecurePassThrough", pass)
		payload, refused, err = mutate(c, "vaultCreditCard", "VaultCreditCardInput", " paymentMethod { id }"+verified, input, false)
	} else {
		payload, refused, err = mutate(c, "verifyCreditCard", "VerifyCreditCardInput", verified, input.Obj("options", account), false)
	}
	if err != nil || refused != nil {
		return refused, err
	}
	return verificationOf(payload)
}

func verificationOf(payload sdk.JSON) (*sdk.Outcome, error) {
	v := payload.Get("verification")
	status := v.Str("status")
	o := &sdk.Outcome{Reference: v.Str("id"), NetworkTransactionID: v.Str("paymentMethodSnapshot.networkTransactionId"),
		Checks: checks(v.Get("processorResponse")), Raw: map[string]string{"status": status}}
	switch status {
	case "VERIFIED":
		o.Status = sdk.StatusVerified
		if id := payload.Str("paymentMethod.id"); id != "" {
			o.StoredCredential = &sdk.StoredCredential{ID: id}
		}
	case "PENDING", "VERIFYING":
		o.Status = sdk.StatusPending
	case "FAILED", "GATEWAY_REJECTED", "PROCESSOR_DECLINED":
		o.Status, o.Decline = sdk.StatusDeclined, declineFrom(v, status)
	default:
		return nil, errStatus
	}
	return o, nil
}

// paymentMethod is the id of what is charged: of the vault, or a new one for the card. refused is how the operation ends where Braintree
// does not take the card.
func paymentMethod(c *sdk.Call) (id string, refused *sdk.Outcome, err error) {
	if err := c.Request.NeedInstrument(); err != nil {
		return "", nil, err
	}
	i := c.Request.Instrument
	if i.StoredCredentialID != "" {
		return i.StoredCredentialID, nil, nil
	}
	k := i.Card
	holder := k.Holder
	if b := c.Request.Billing; holder == "" && b != nil {
		holder = b.Name()
	}
	card := sdk.NewObject().Str("number", k.Number).Str("expirationYear", k.Year()).Str("expirationMonth", k.Month()).
		OptStr("cvv", k.CVC).Str("cardholderName", holder)
	// A token is no payment: asking twice makes two, of which one is used.
	payload, refused, err := mutate(c, "tokenizeCreditCard", "TokenizeCreditCardInput", " clientMutationId paymentMethod { id }",
		sdk.NewObject().Str("clientMutationId", c.IdempotencyKey()).Obj("creditCard", card), true)
	if err != nil || refused != nil {
		return "", refused, err
	}
	if id = payload.Str("paymentMethod.id"); id == "" {
		return "", nil, errors.New("a token without an id")
	}
	return id, nil, nil
}

// initiator is who began a payment with a stored credential; "" for the customer in the shop.
func initiator(u *sdk.StoredCredentialUse) string {
	if u == nil {
		return ""
	}
	mit := u.Initiator == "mit"
	switch {
	case u.Category == "recurring" && mit:
		return "RECURRING"
	case u.Category == "installment" && mit:
		return "INSTALLMENT"
	case mit:
		return "UNSCHEDULED"
	case u.Category == "recurring" && u.First:
		return "RECURRING_FIRST"
	case u.Category == "installment" && u.First:
		return "INSTALLMENT_FIRST"
	}
	return ""
}

// email is the customer's, else that of the bill.
func email(r *sdk.Request) string {
	if r.Customer != nil && r.Customer.Email != "" {
		return r.Customer.Email
	}
	if r.Billing != nil {
		return r.Billing.Email
	}
	return ""
}

// cardOptions are the details of a card payment beside the transaction: the earlier payment it refers to, the billing address, and the
// authentication done outside. nil where there are none.
func cardOptions(r *sdk.Request) (*sdk.Object, error) {
	o, some := sdk.NewObject(), false
	add := func(name string, value *sdk.Object) {
		if value != nil {
			o.Obj(name, value)
			some = true
		}
	}
	if i := r.Instrument; i != nil && i.Card != nil {
		if i.NetworkTransactionID != "" {
			add("externalVault", sdk.NewObject().Str("status", "VAULTED").Str("verifyingNetworkTransactionId", i.NetworkTransactionID))
		}
		add("billingAddress", address(r.Billing))
	}
	pass, err := passThrough(r)
	if err != nil {
		return nil, err
	}
	if pass != nil {
		add("threeDSecureAuthentication", sdk.NewObject().Obj("passThrough", pass))
		if e := exemptions[r.ThreeDS.Exemption]; e != "" {
			o.Str("scaExemption", e)
		}
	}
	if !some {
		return nil, nil
	}
	return o, nil
}

func address(b *sdk.Address) *sdk.Object {
	if b == nil || b.Line1 == "" && b.Zip == "" && b.Country == "" {
		return nil
	}
	// countryCode is alpha-3 in this version of the API.
	return sdk.NewObject().OptStr("firstName", b.FirstName).OptStr("lastName", b.LastName).OptStr("addressLine1", b.Line1).OptStr("addressLine2", b.Line2).
		OptStr("adminArea2", b.City).OptStr("adminArea1", b.State).OptStr("postalCode", b.Zip).OptStr("countryCodeAlpha2", b.Country)
}

// exemptions are ScaExemptionType by the names merchants use.
var exemptions = map[string]string{"low_value": "LOW_VALUE", "transaction_risk_analysis": "TRANSACTION_RISK_ANALYSIS",
	"secure_corporate_payment": "SECURE_CORPORATE", "trusted_listing": "TRUSTED_BENEFICIARY"}

// passThrough is the result of an authentication done outside, nil where there is none.
func passThrough(r *sdk.Request) (*sdk.Object, error) {
	t := r.ThreeDS
	if t == nil {
		if r.Request3DS {
			return nil, sdk.Unsupported("authentication_type",
				"Braintree runs 3-D Secure with its own script in the merchant's page; send the result of an authentication done outside")
		}
		return nil, nil
	}
	if t.ECI == "" {
		return nil, sdk.Missing("three_ds_data.eci", "Braintree wants the ECI of an authentication")
	}
	return sdk.NewObject().Str("eciFlag", t.ECI).OptStr("cavv", t.CAVV).OptStr("threeDSecureServerTransactionId", cmp.Or(t.ServerTransID, t.DSTransID)).OptStr("version", t.Version).
		OptStr("directoryServerResponse", t.TransStatus).OptStr("cavvAlgorithm", t.CAVVAlgorithm), nil
}
