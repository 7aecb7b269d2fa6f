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
	{"metadata", map[string]any{"shelf": "12"}, func(r sdk.Request) any { return r.Metadata }},
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
