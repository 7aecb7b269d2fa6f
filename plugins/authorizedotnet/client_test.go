package authorizedotnet_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/authorizedotnet"
	"payswitch/plugins/internal/published"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// models returns those of the library's types, made from the API's XML schema. Authorize.net refuses elements in
// another order.
func models(t *testing.T) *published.Schema {
	s, err := published.Load(os.DirFS("testdata"), nil)
	require.NoError(t, err)
	return s
}

// TestRequestsAreOfTheClientsModels compares every request, of the recorded cases and of others, with the library's types.
func TestRequestsAreOfTheClientsModels(t *testing.T) {
	a, s, seen := authorizedotnet.Adapter(), models(t), map[string]bool{}
	requests, _, err := wire.Load(os.DirFS("testdata"), "authorizedotnet")
	require.NoError(t, err)
	check := func(name string, step *sdk.Step, answers ...sdk.Exchange) {
		sends, end, err := wire.Play(a, step, answers...)
		require.NoError(t, err)
		require.NotEmpty(t, sends, "%s: %+v", name, end)
		for _, send := range sends {
			j := wire.JSONBody(t, send)
			for kind := range j.Members() {
				m := strings.ToUpper(kind[:1]) + kind[1:]
				seen[m] = true
				require.NoError(t, s.Check(m, []byte(j.Raw(kind))), "%s: %s", name, send.Body)
			}
		}
	}
	for i := range requests.Cases {
		c := &requests.Cases[i]
		if requests.Skip[c.Name] == "" {
			check(c.Name, c.Step(c.Operation(), wire.Account(&a.Manifest, requests), requests.Clock))
		}
	}
	everything := func() sdk.Request {
		address := &sdk.Address{FirstName: "Ann", LastName: "Doe", Line1: "1 Market St", Line2: "Suite 300", City: "San Francisco", State: "CA", Zip: "94105", Country: "US",
			Email: "ann@example.com", Phone: "4155550100"}
		return sdk.Request{Reference: "pay_1_1", Amount: sdk.Money{Minor: 2499, Currency: "USD"}, Description: "Two widgets", OrderReference: "77", DescriptorName: "ACME",
			Metadata: map[string]string{"cart": "77", "tier": "gold"}, Billing: address, Shipping: address, Browser: &sdk.Browser{IP: "203.0.113.10"},
			Customer: &sdk.Customer{ID: "c1", Name: "Ann Doe", Email: "ann@example.com", Phone: "4155550100"}, TaxAmount: 199, ShippingCost: 500,
			Lines:      []sdk.Line{{Name: "Widget", SKU: "w-1", Quantity: 2, UnitPrice: 900}},
			ThreeDS:    &sdk.ThreeDSResult{CAVV: "AAABBEg0VhI0VniQEjRWAAAAAAA=", ECI: "05", TransStatus: "Y", Version: "2.2.0"},
			Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "4111111111111111", CVC: "737", ExpMonth: 3, ExpYear: 2030, Network: sdk.Visa}}}
	}
	for _, initiator := range []sdk.Initiator{"cit", "mit"} {
		for _, first := range []bool{false, true} {
			for _, category := range []sdk.MITCategory{"", "recurring", "installment", "unscheduled", "resubmission"} {
				use := &sdk.StoredCredentialUse{Initiator: initiator, First: first && initiator == "cit", Usage: "off_session", Category: category}
				for name, change := range map[string]func(r *sdk.Request){
					"card":                func(*sdk.Request) {},
					"known customer":      func(r *sdk.Request) { r.ConnectorData = &sdk.ConnectorData{Version: 1, Customer: "39598611"} },
					"stored":              func(r *sdk.Request) { r.Instrument = &sdk.Instrument{StoredCredentialID: "39598611-33211899"} },
					"another processor's": func(r *sdk.Request) { r.Instrument.NetworkTransactionID = "016153570198200" },
				} {
					r := everything()
					r.StoredCredential = use
					change(&r)
					check(name, wire.NewStep(&a.Manifest, sdk.OpAuthorize, r))
				}
			}
		}
	}
	r := everything()
	r.ThreeDS, r.Amount.Minor, r.StoredCredential = nil, 0, &sdk.StoredCredentialUse{Initiator: "cit", First: true}
	check("verification of a new customer", wire.NewStep(&a.Manifest, sdk.OpVerify, r), answer(200, `{"customerProfileId":"39598611",`+ok+`}`))
	lost := sdk.Request{Reference: "pay_1_1", Amount: sdk.Money{Minor: 2499, Currency: "USD"}, Payment: &sdk.PaymentState{CreatedAt: now - 60_000, Currency: "USD"}}
	check("query by our reference", wire.NewStep(&a.Manifest, sdk.OpSync, lost), answer(200, `{"transactions":[],`+ok+`}`),
		answer(200, `{"batchList":[{"batchId":"1"}],`+ok+`}`))
	for _, m := range []string{"CreateTransactionRequest", "CreateCustomerProfileRequest", "CreateCustomerPaymentProfileRequest", "GetTransactionDetailsRequest",
		"GetUnsettledTransactionListRequest", "GetSettledBatchListRequest", "GetTransactionListRequest"} {
		require.True(t, seen[m], m)
	}
	require.ErrorContains(t, s.Check("CreateTransactionRequest", []byte(`{"transactionRequest":{"amount":1,"transactionType":"x"}}`)), "stands behind")
	require.Error(t, s.Check("CreateTransactionRequest", []byte(`{"transactionRequest":{"colour":"red"}}`)))
}
