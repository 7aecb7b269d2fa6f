package router_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// carriedFields are the fields of a payment that the merchant sends, the adapter gets, and the answer shows.
var carriedFields = []struct {
	name  string
	value any
	sent  func(r sdk.Request) any // the field in the adapter's request
}{
	{"description", "A coat", func(r sdk.Request) any { return r.Description }},
	{"statement_descriptor_name", "SHOP", func(r sdk.Request) any { return r.DescriptorName }},
	{"statement_descriptor_suffix", "ORDER 7", func(r sdk.Request) any { return r.DescriptorSuffix }},
	{"merchant_order_reference_id", "order_7", func(r sdk.Request) any { return r.OrderReference }},
	{"shipping_cost", 250, func(r sdk.Request) any { return r.ShippingCost }},
	{"order_tax_amount", 190, func(r sdk.Request) any { return r.TaxAmount }},
	{"partner_merchant_identifier_details", map[string]any{"partner_details": map[string]any{"name": "Shopware", "version": "6.7", "integrator": "Ada Ltd"},
		"merchant_details": map[string]any{"name": "shop", "version": nil}}, func(r sdk.Request) any {
		p := r.Partner
		return map[string]any{"partner_details": p.Platform, "merchant_details": map[string]any{"name": p.Application.Name, "version": nil}}
	}},
	{"metadata", map[string]any{"shelf": "12"}, func(r sdk.Request) any { return r.Metadata }},
}

// partner_merchant_identifier_details shows its own keys alone, null where nothing was sent.
func TestPartnerDetails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shown := func(sent string) any {
		return w.post("/payments", with(plain, "partner_merchant_identifier_details", sent)).ok()["partner_merchant_identifier_details"]
	}
	require.Nil(t, w.post("/payments", plain).ok()["partner_merchant_identifier_details"])
	require.Equal(t, map[string]any{"partner_details": nil, "merchant_details": nil}, shown(`{}`))
	require.Equal(t, map[string]any{"partner_details": map[string]any{"name": nil, "version": nil, "integrator": nil}, "merchant_details": map[string]any{"name": "a", "version": nil}},
		shown(`{"partner_details":{"x":1},"merchant_details":{"name":"a","integrator":"b"}}`))
	w.post("/payments", with(plain, "partner_merchant_identifier_details", `{"partner_details":{"name":5}}`)).refused(400, "IR_06", "expected a string")
}

// Every field of carriedFields arrives at the adapter, in the answer to the create, and in the answer to a later retrieve.
func TestPaymentFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, f := range carriedFields {
		t.Run(f.name, func(t *testing.T) {
			value, err := json.Marshal(f.value)
			require.NoError(t, err)
			created := w.post("/payments", with(plain, f.name, string(value))).ok()
			id := created["payment_id"].(string)
			asked, err := json.Marshal(f.sent(w.counted.asked(id, sdk.OpAuthorize)))
			require.NoError(t, err)
			require.JSONEq(t, string(value), string(asked), "the adapter's request")
			for answer, body := range map[string]map[string]any{"create": created, "retrieve": w.get("/payments/" + id).ok()} {
				shown, err := json.Marshal(body[f.name])
				require.NoError(t, err)
				require.JSONEq(t, string(value), string(shown), answer)
			}
		})
	}
}
