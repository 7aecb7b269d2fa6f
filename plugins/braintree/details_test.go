package braintree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestDetailsOfThePayment(t *testing.T) {
	r := payment()
	r.Billing = &sdk.Address{Email: "bill@example.com", Line1: "1 Market St", Zip: "94105", Country: "US"}
	r.Customer = &sdk.Customer{Email: "john@example.com", Phone: "4155550100", PhoneCountry: "+1"}
	r.Browser = &sdk.Browser{IP: "203.0.113.10", UserAgent: "Mozilla/5.0"}
	r.Shipping, r.ShippingCost = &sdk.Address{FirstName: "Jane", Line1: "2 Pine St", Country: "US"}, 300
	sent := func() map[string]any {
		_, in := input(t, play(t, sdk.OpAuthorize, r, token, charged(transaction("SETTLING", "24.99", "USD", ""))).sends[1])
		return in["transaction"].(map[string]any)
	}
	in := sent()
	require.Equal(t, map[string]any{"email": "john@example.com", "phoneNumber": "14155550100"}, in["customerDetails"])
	require.Equal(t, map[string]any{"customerBrowser": "Mozilla/5.0", "customerIp": "203.0.113.10"}, in["riskData"])
	require.Equal(t, map[string]any{"shippingAddress": map[string]any{"firstName": "Jane", "addressLine1": "2 Pine St", "countryCodeAlpha2": "US"},
		"shippingAmount": "3.00"}, in["shipping"])

	for _, v := range [][3]string{{"ABC*Books", "", "ABC*Books"}, {"Company", "1001", "Company*1001"}, {"ACME", "1001", ""}, {"Company", "", ""}, {"", "", ""},
		{"Company", "a text of sixteen", ""}} {
		r.DescriptorName, r.DescriptorSuffix = v[0], v[1]
		name, _ := at(sent(), "descriptor.name").(string)
		require.Equal(t, v[2], name, "Braintree refuses others: %v", v)
	}

	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "mit", Usage: "off_session", Category: "recurring"}
	require.NotContains(t, sent(), "riskData", "the customer is not there")

	r.StoredCredential, r.Amount = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}, usd(0)
	p := play(t, sdk.OpVerify, r, token, data(`{"vaultCreditCard":{"paymentMethod":{"id":"pm_1"},"verification":{"id":"v_1","status":"VERIFIED"}}}`))
	_, vault := input(t, p.sends[1])
	require.Equal(t, []any{"94105", "203.0.113.10"}, []any{at(vault, "billingAddress.postalCode"), at(vault, "riskData.customerIp")})
}
