package router_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMethodSessions manages a customer's cards in the order of a widget's calls. A session opens nothing of another customer.
func TestMethodSessions(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+cards)
	mine := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	theirs := w.post("/payments", with(keeping, "customer_id", `"cus_2"`)).ok()["payment_method_id"].(string)
	const sessions = "/v1/payment-method-sessions"
	s := w.post(sessions, `{"customer_id":"cus_1"}`).ok()
	key, path := s["client_secret"].(string), sessions+"/"+s["id"].(string)
	as := func(method, path, body string) response { return w.send(method, path, key, body) }

	require.Equal(t, map[string]any{"id": s["id"], "customer_id": "cus_1"}, as("GET", path, "").ok())
	list := as("GET", path+"/list-payment-methods", "").ok()
	require.Equal(t, map[string]any{"payment_method": "card", "payment_method_type": "credit", "card_networks": []any{"Visa", "Mastercard"}}, list["payment_methods_enabled"].([]any)[0])
	require.Equal(t, mine, list["customer_payment_methods"].([]any)[0].(map[string]any)["payment_method_id"])
	require.Len(t, list["customer_payment_methods"], 1)

	added := as("POST", path+"/confirm", `{"payment_method_type":"card","payment_method_data":{"card":{"card_number":"4111111111111111","card_exp_month":"1","card_exp_year":"50","card_holder_name":"J Doe"}}}`)
	m := added.ok()
	require.Equal(t, []any{"active", "cus_1", nil}, []any{m["status"], m["customer_id"], m["client_secret"]})
	require.NotContains(t, added.body, "_secret_")
	as("POST", path+"/confirm", `{"payment_method_data":{}}`).refused(400, "IR_04", "payment_method_data")
	as("POST", path+"/confirm", `{"payment_method_type":"wallet","payment_method_data":{}}`).refused(400, "IR_19", "")
	change := func(id string) response {
		return as("PUT", path+"/update-saved-payment-method", fmt.Sprintf(`{"payment_method_id":%q,"payment_method_data":{"card":{"nick_name":"blue"}}}`, id))
	}
	u := change(mine).ok()
	require.Equal(t, []any{"blue", nil}, []any{u["card"].(map[string]any)["nick_name"], u["client_secret"]})
	remove := func(id string) response { return as("DELETE", path, fmt.Sprintf(`{"payment_method_id":%q}`, id)) }
	for _, id := range []string{theirs, "pm_none"} {
		change(id).refused(404, "HE_02", "Payment method does not exist in our records")
		remove(id).refused(404, "HE_02", "Payment method does not exist in our records")
	}
	require.Equal(t, map[string]any{"payment_method_id": mine, "deleted": true}, remove(mine).ok())
	remove(mine).ok()
	as("DELETE", path, `{}`).refused(400, "IR_06", "payment_method_id")
	require.Len(t, as("GET", path+"/list-payment-methods", "").ok()["customer_payment_methods"], 1)

	// Only the session's own key opens it.
	other := w.post(sessions, `{"customer_id":"cus_2"}`).ok()
	token := tokenOf(t, w.post("/payments", open).ok())
	for _, r := range [][2]string{{"GET", ""}, {"GET", "/list-payment-methods"}, {"POST", "/confirm"}, {"PUT", "/update-saved-payment-method"}, {"DELETE", ""}} {
		for _, k := range []string{other["client_secret"].(string), w.publishable, w.secret, "", "epk_00000000000000000000000000000000"} {
			w.send(r[0], path+r[1], k, `{}`).refused(401, "IR_01", "")
		}
		w.as(token, r[0], path+r[1], `{}`).refused(401, "IR_01", "")
	}
	as("POST", sessions, `{"customer_id":"cus_1"}`).refused(401, "IR_01", "")
	w.post(sessions, `{"customer_id":"nobody"}`).refused(404, "HE_02", "Customer")
	w.passes(time.Hour)
	as("GET", path, "").refused(401, "IR_01", "")
	w.send("DELETE", "/ephemeral_keys/"+other["id"].(string), w.secret, "").ok()
}
