package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func saving(p map[string]any) []any {
	s, ok := p["payment_method_saving"].(map[string]any)
	if !ok {
		return nil
	}
	return []any{s["status"], s["usage"], s["reason"]}
}

// TestSavingIsAnswered: a payment that was to save its card says what became of that, and why.
func TestSavingIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.post("/payments", keeping).ok()
	require.Equal(t, []any{"saved", "off_session", nil}, saving(p))
	require.Nil(t, p["payment_method_saving"].(map[string]any)["message"])
	require.Nil(t, saving(w.get("/payments/list").ok()["data"].([]any)[0].(map[string]any)))
	require.Equal(t, []any{"saved", "on_session", nil}, saving(w.post("/payments", with(keeping, "setup_future_usage", "-")).ok()))
	require.Nil(t, saving(w.post("/payments", plain).ok()), "it was to save nothing")
	require.Nil(t, saving(w.post("/payments", charge(p["payment_method_id"].(string))).ok()), "a charge of a saved card")
	require.Equal(t, []any{"not_saved", "off_session", "payment_not_approved"},
		saving(w.post("/payments", with(keeping, "payment_method_data.card.card_number", `"4000000000000002"`)).ok()))

	// The payer's page forgot to ask for consent. The payment succeeds, and the answer says what is missing.
	open := w.post("/payments", with(keeping, "confirm", "false", "customer_acceptance", "-", "payment_method_data", "-", "payment_method", "-")).ok()
	require.Nil(t, saving(open), "not confirmed yet")
	path := "/payments/" + open["payment_id"].(string)
	c := w.as(tokenOf(t, open), "POST", path+"/confirm", `{"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}}}`).ok()
	require.Equal(t, "succeeded", c["status"])
	require.Nil(t, c["payment_method_id"])
	require.Equal(t, []any{"not_saved", "off_session", "customer_acceptance_missing"}, saving(c))
	require.Contains(t, c["payment_method_saving"].(map[string]any)["message"], "customer_acceptance")
	require.Equal(t, saving(c), saving(w.get(path).ok()), "a retrieve says it too")

	held := w.post("/payments", with(keeping, "authentication_type", `"three_ds"`, "customer_id", `"cus_held"`)).ok()
	require.Equal(t, []any{"pending", "off_session", nil}, saving(held))
}

// TestSavedCardWithoutCVC: a saved card needs its CVC, unless the account that charges it allows a charge without.
func TestSavedCardWithoutCVC(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/payments", with(keeping, "setup_future_usage", "-")).ok()
	pay := func(routed string) (item map[string]any, confirmed response) {
		p := w.post("/payments", with(open, "currency", `"USD"`, "routing", `{"type":"single","data":"`+routed+`"}`)).ok()
		token := tokenOf(t, p)
		item = w.as(token, "GET", "/customers/payment_methods", "").ok()["customer_payment_methods"].([]any)[0].(map[string]any)
		return item, w.as(token, "POST", "/payments/"+p["payment_id"].(string)+"/confirm", fmt.Sprintf(`{"payment_method":"card","payment_token":%q}`, item["payment_token"]))
	}
	item, c := pay("stripe")
	require.Equal(t, true, item["requires_cvv"])
	c.refused(400, "IR_04", "Missing required param: card_cvc")

	allow := func(i int) {
		id := w.get("/account/m1/connectors").list()[i]["merchant_connector_id"].(string)
		w.post("/account/m1/connectors/"+id, `{"connector_type":"payment_processor","metadata":{"saved_cards_without_cvc":true}}`).ok()
	}
	allow(0)
	first := w.get("/account/m1/connectors").list()[0]["connector_name"].(string)
	other := map[string]string{"stripe": "adyen", "adyen": "stripe"}[first]
	item, c = pay(first)
	require.Equal(t, true, item["requires_cvv"], "the other account still needs it")
	require.Equal(t, "succeeded", c.ok()["status"])
	_, c = pay(other)
	c.refused(400, "IR_04", "Missing required param: card_cvc")
	allow(1)
	item, c = pay(other)
	require.Equal(t, false, item["requires_cvv"])
	require.Equal(t, "succeeded", c.ok()["status"])
	w.post("/payments", with(plain, "payment_method_data.card.card_cvc", "-")).refused(400, "IR_06", "card_cvc") // a typed card always needs it
}
