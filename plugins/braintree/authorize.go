package braintree

import (
	"cmp"
	"strings"

	"payswitch/sdk"
)

// singleUse reports whether a payment uses the payment method up: a card's token, not one of the vault.
func singleUse(i *sdk.Instrument) bool {
	return i.StoredCredentialID == "" || strings.HasPrefix(i.StoredCredentialID, "tokencc_")
}

// authorize authorizes the amount (authorizeCreditCard) or captures it at once (chargeCreditCard).
func authorize(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	amount, options, method := amount(c), cardOptions(r), paymentMethod(c)
	t := sdk.NewObject().Str("amount", amount).Str("merchantAccountId", c.Account.Config[merchantAccount]).
		Str("orderId", r.Reference).OptStr("paymentInitiator", initiators.For(r.StoredCredential))
	if singleUse(r.Instrument) { // a vaulted payment method has a customer already
		t.StrAt("vaultPaymentMethodAfterTransacting.when", sdk.When(r.Stores(), "ALWAYS")).
			OptObj("customerDetails", customerDetails(r))
	}
	t.OptObj("riskData", riskData(r)).StrAt("descriptor.name", descriptor(r)).OptObj("shipping", shipping(r))
	name := sdk.Choose(r.Capture == sdk.CaptureManual, "authorizeCreditCard", "chargeCreditCard")
	payload := mutate(c, name, "transaction {"+transaction+" }",
		keyed(c).Str("paymentMethodId", method).Obj("transaction", t).OptObj("options", options), true)
	o := paymentOf(c, payload.Get("transaction"))
	o.StoredCredential = sdk.When(r.StoredCredential != nil && o.Decline == nil,
		sdk.StoredAs(payload.Str("transaction.paymentMethod.id"), ""))
	return o, nil
}

// verify checks the card without a payment: while storing it in the vault if requested, else alone.
func verify(c *sdk.Call) (*sdk.Outcome, error) {
	r := c.Request
	pass := passThrough(r)
	if pass != nil && !r.Stores() {
		return nil, sdk.Unsupported("three_ds_data",
			"Braintree takes the result of an authentication with a payment, or when the card is stored")
	}
	account := sdk.NewObject().Str("merchantAccountId", c.Account.Config[merchantAccount])
	input := sdk.NewObject().Str("paymentMethodId", paymentMethod(c))
	if r.Stores() && singleUse(r.Instrument) {
		input.Obj("verification", account).Obj("billingAddress", address(r.BillTo())).Obj("threeDSecurePassThrough", pass).
			OptObj("riskData", riskData(r))
		return verificationOf(mutate(c, "vaultCreditCard", "paymentMethod { id }"+verified, input, false))
	}
	return verificationOf(mutate(c, "verifyCreditCard", verified,
		input.Obj("options", account.OptObj("riskData", riskData(r))), false))
}

// verifications are the meanings of a verification's status.
var verifications = sdk.Statuses{
	{sdk.StatusVerified, "VERIFIED"}, {sdk.StatusPending, "PENDING VERIFYING"},
	{sdk.StatusDeclined, "FAILED GATEWAY_REJECTED PROCESSOR_DECLINED"},
}

func verificationOf(payload sdk.JSON) (*sdk.Outcome, error) {
	v := payload.Get("verification")
	status := v.Str("status")
	o := &sdk.Outcome{Status: verifications.Must(status), Reference: v.Str("id"), Raw: map[string]string{"status": status},
		Checks: checksOf(v), NetworkTransactionID: v.Str("paymentMethodSnapshot.networkTransactionId")}
	switch o.Status {
	case sdk.StatusDeclined:
		o.Decline = declineFrom(v, status)
	case sdk.StatusVerified:
		o.StoredCredential = sdk.StoredAs(payload.Str("paymentMethod.id"), "")
	}
	return o, nil
}

// paymentMethod returns the id of the payment method: one of the vault, or a new one for the card.
func paymentMethod(c *sdk.Call) string {
	sdk.Check(c.Request.NeedInstrument())
	i := c.Request.Instrument
	if i.StoredCredentialID != "" {
		return i.StoredCredentialID
	}
	k := i.Card
	card := sdk.NewObject().Str("number", k.Number).Str("expirationYear", k.Year()).Str("expirationMonth", k.Month()).
		OptStr("cvv", k.CVC).Str("cardholderName", c.Request.Cardholder())
	// A token moves no money. A repetition makes a second token, which stays unused.
	return mutate(c, "tokenizeCreditCard", "clientMutationId paymentMethod { id }",
		sdk.NewObject().Str("clientMutationId", c.IdempotencyKey()).Obj("creditCard", card), true).Need("paymentMethod.id")
}

// initiators are who began a payment with a stored credential. A payment by a present customer has none.
var initiators = sdk.Names{
	{"RECURRING", "mit_recurring"}, {"INSTALLMENT", "mit_installment"}, {"UNSCHEDULED", "mit"},
	{"RECURRING_FIRST", "first_recurring"}, {"INSTALLMENT_FIRST", "first_installment"},
}

// cardOptions are the earlier payment that a card's payment refers to, the billing address, and an authentication.
func cardOptions(r *sdk.Request) *sdk.Object {
	o := sdk.NewObject()
	if i := r.Instrument; i != nil && i.Card != nil {
		o.OptObj("externalVault", sdk.NewObject().OptStr("status", sdk.When(i.NetworkTransactionID != "", "VAULTED")).
			OptStr("verifyingNetworkTransactionId", i.NetworkTransactionID)).Obj("billingAddress", address(r.BillTo()))
	}
	return o.At("threeDSecureAuthentication.passThrough", passThrough(r)).
		OptStr("scaExemption", exemptions.Of(string(r.Exemption)))
}

func address(b *sdk.Address) *sdk.Object {
	if b.Line1 == "" && b.Zip == "" && b.Country == "" {
		return nil
	}
	// countryCode is alpha-3 in this version of the API.
	return sdk.NewObject().OptStr("firstName", b.FirstName).OptStr("lastName", b.LastName).OptStr("addressLine1", b.Line1).
		OptStr("addressLine2", b.Line2).OptStr("adminArea2", b.City).OptStr("adminArea1", b.State).
		OptStr("postalCode", b.Zip).OptStr("countryCodeAlpha2", b.Country)
}

// exemptions are the values of ScaExemptionType.
var exemptions = sdk.Names{{"LOW_VALUE", "low_value"}, {"TRANSACTION_RISK_ANALYSIS", "transaction_risk_analysis"},
	{"TRUSTED_BENEFICIARY", "trusted_beneficiary"}, {"SECURE_CORPORATE", "secure_corporate"}}

// passThrough returns the result of an outside authentication; nil for none.
func passThrough(r *sdk.Request) *sdk.Object {
	t := r.ThreeDS
	if t == nil {
		return nil
	}
	sdk.Require(t.ECI != "", sdk.Missing("three_ds_data.eci", "Braintree requires the ECI of an authentication"))
	return sdk.NewObject().Str("eciFlag", t.ECI).OptStr("cavv", t.CAVV).
		OptStr("threeDSecureServerTransactionId", cmp.Or(t.ServerTransID, t.DSTransID)).
		OptStr("version", t.Version).OptStr("directoryServerResponse", t.TransStatus).OptStr("cavvAlgorithm", t.CAVVAlgorithm)
}

// customerDetails are the payer's. Braintree takes a telephone number with its country code, but no plus sign.
func customerDetails(r *sdk.Request) *sdk.Object {
	b, c := r.BillTo(), r.Payer()
	return sdk.NewObject().OptStr("email", cmp.Or(c.Email, b.Email)).
		OptStr("phoneNumber", strings.TrimPrefix(cmp.Or(c.E164(), b.E164()), "+"))
}

// riskData is data of the customer's browser for fraud checks. A merchant-initiated payment has none.
func riskData(r *sdk.Request) *sdk.Object {
	b := r.Shopper()
	return sdk.NewObject().OptStr("customerBrowser", sdk.Clip(b.UserAgent, 255)).OptStr("customerIp", b.IP)
}

// descriptor returns the text on the customer's statement. Braintree refuses a payment if that is not "company*product"
// of at most 22 characters, with a company of 3, 7 or 12. In place of any other the account's own applies.
func descriptor(r *sdk.Request) string {
	name := r.DescriptorName + sdk.When(r.DescriptorSuffix != "", "*"+r.DescriptorSuffix)
	company, product, _ := strings.Cut(name, "*")
	if n := len(company); n != 3 && n != 7 && n != 12 || product == "" || len(name) > 22 {
		return ""
	}
	return name
}

func shipping(r *sdk.Request) *sdk.Object {
	cost := sdk.Money{Minor: r.ShippingCost, Currency: r.Amount.Currency}
	return sdk.NewObject().OptObj("shippingAddress", address(r.ShipTo())).
		OptStr("shippingAmount", sdk.When(cost.Minor > 0, cost.Major()))
}
