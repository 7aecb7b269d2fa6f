package router_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUpdateMetadata: a merchant adds metadata to a payment that can no longer be updated, and nothing else of the payment changes.
func TestUpdateMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pay := func(fields ...string) string {
		return w.post("/payments", with(plain, append([]string{"metadata", `{"order":"7","tier":"basic"}`}, fields...)...)).ok()["payment_id"].(string)
	}
	add := func(id, body string) response { return w.post("/payments/"+id+"/update_metadata", body) }
	declined := `{"card":{"card_number":"4000000000000002","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}`
	for status, fields := range map[string][]string{
		"succeeded":                nil,
		"requires_capture":         {"capture_method", `"manual"`},
		"failed":                   {"payment_method_data", declined},
		"requires_customer_action": {"authentication_type", `"three_ds"`, "return_url", `"https://shop.example"`},
	} {
		id := pay(fields...)
		before := w.get("/payments/" + id).ok()
		time.Sleep(2 * time.Millisecond) // modified_at has milliseconds
		require.Equal(t, map[string]any{"payment_id": id, "status": status, "metadata": map[string]any{"order": "7", "tier": "gold", "note": map[string]any{"a": 1.0}},
			"feature_metadata": nil}, add(id, `{"metadata":{"tier":"gold","note":{"a":1}}}`).ok())
		after := w.get("/payments/" + id).ok()
		require.Equal(t, map[string]any{"order": "7", "tier": "gold", "note": map[string]any{"a": 1.0}}, after["metadata"])
		require.NotEqual(t, before["modified_at"], after["modified_at"])
		for field, value := range before {
			if field != "metadata" && field != "modified_at" && field != "updated" {
				require.Equal(t, value, after[field], field)
			}
		}
		require.Equal(t, map[string]any{"campaign": "x"}, add(id, `{"metadata":{},"feature_metadata":{"campaign":"x"}}`).ok()["feature_metadata"])
		require.Len(t, w.get("/payments/" + id).ok()["metadata"], 3, "an empty object takes nothing away")
	}

	for status, id := range map[string]string{"requires_payment_method": pay("confirm", "false", "payment_method", "-", "payment_method_data", "-", "payment_method_type", "-"),
		"requires_confirmation": pay("confirm", "false")} {
		r := add(id, `{"metadata":{"a":"b"}}`)
		r.refused(400, "IR_16", "You cannot update_metadata this payment because it has status "+status)
		require.Equal(t, []any{"status", "Update the payment with POST /payments/{payment_id}."}, []any{r.error()["param"], r.error()["hint"]})
	}
	cancelled := pay("capture_method", `"manual"`)
	w.post("/payments/"+cancelled+"/cancel", `{}`).ok()
	add(cancelled, `{"metadata":{"a":"b"}}`).refused(400, "IR_16", "You cannot update_metadata this payment because it has status cancelled")

	id := pay()
	add(id, `{}`).refused(400, "IR_06", "missing field `metadata`")
	add(id, `{"metadata":null}`).refused(400, "IR_06", "")
	add(id, `{"metadata":"x"}`).refused(400, "IR_06", "")
	add(id, `{"metadata":{},"amount":5}`).refused(400, "IR_06", "unknown field `amount`")
	add(id, `{"metadata":{"a":"4242424242424242"}}`).refused(422, "IR_06", "card number")
	add("none", `{"metadata":{}}`).refused(404, "HE_02", "Payment does not exist in our records")
	w.send("POST", "/payments/"+id+"/update_metadata", w.publishable, `{"metadata":{}}`).refused(401, "IR_01", "")
	_, other, _ := w.merchant("shop_2")
	w.send("POST", "/payments/"+id+"/update_metadata", other, `{"metadata":{}}`).refused(404, "HE_02", "")
}
