package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCardOnly: the merchant charges a card that has no CVC and no agreement of its holder, at the processors that take such a card.
func TestCardOnly(t *testing.T) {
	t.Parallel()
	w := simulators(t, "peachpayments")
	body := func(data string, changes ...string) string {
		return with(`{"amount":999,"currency":"USD","confirm":true,"off_session":true,"recurring_details":{"type":"card_with_limited_data","data":`+data+`}}`, changes...)
	}
	const number = `{"card_number":"4242424242424242"}`
	p := w.post("/payments", body(number)).ok()
	require.Equal(t, []any{"succeeded", "peachpayments", "no_three_ds", 999.0, nil, nil, nil}, []any{p["status"], p["connector"], p["authentication_type"],
		p["amount_received"], p["payment_method_id"], p["customer_id"], p["mandate_id"]})
	shown := p["payment_method_data"].(map[string]any)["card"].(map[string]any)
	require.Equal(t, []any{"4242", "424242", "Visa"}, []any{shown["last4"], shown["card_isin"], shown["card_network"]})
	require.Equal(t, "succeeded", w.post("/payments", body(`{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_holder_name":"Ada","eci":"05"}`)).ok()["status"])
	require.Equal(t, "succeeded", w.post("/payments", body(`{"card_number":"4242424242424242","card_exp_month":null,"card_exp_year":null,"eci":null}`)).ok()["status"])
	require.Equal(t, "failed", w.post("/payments", body(`{"card_number":"4000000000000002"}`)).ok()["status"], "the card's issuer still decides")
	held := w.post("/payments", body(number, "capture_method", `"manual"`)).ok()
	require.Equal(t, "succeeded", w.payment(held, "/capture", `{}`).ok()["status"])
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+held["payment_id"].(string)+`"}`).ok()["status"])

	before := w.payments()
	for name, c := range map[string]struct {
		body         string
		status       int
		code, reason string
	}{
		"no number":      {body(`{"card_exp_month":"10"}`), 400, "IR_06", "missing field `card_number`"},
		"number":         {body(`{"card_number":"4242424242424241"}`), 400, "IR_06", "card number invalid"},
		"half an expiry": {body(`{"card_number":"4242424242424242","card_exp_month":"10"}`), 400, "IR_04", "card_exp_year"},
		"expired":        {body(`{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"20"}`), 400, "IR_16", "Invalid Expiry Year"},
		"eci":            {body(`{"card_number":"4242424242424242","eci":5}`), 400, "IR_06", "expected a string"},
		"confirm false":  {body(number, "confirm", "false"), 400, "IR_16", "`confirm` must be `true` for mandates"},
		"off_session":    {body(number, "off_session", "false"), 400, "IR_16", "`off_session` should be `true` for mandates"},
		"saving":         {body(number, "setup_future_usage", `"off_session"`), 400, "IR_16", "setup_future_usage"},
		"other account":  {body(number, "routing", `{"type":"single","data":"stripe"}`, "connector", `["stripe"]`), 400, "IR_39", "No eligible connector"},
	} {
		r := w.post("/payments", c.body)
		require.Equal(t, c.status, r.status, "%s: %s", name, r.body)
		require.Equal(t, c.code, r.error()["code"], name)
		require.Contains(t, r.error()["message"], c.reason, name)
	}
	key := "should_enable_mit_with_limited_card_data_m1"
	w.admin("POST", "/configs", `{"key":"`+key+`","value":"false"}`).ok()
	e := w.post("/payments", body(number)).refused(400, "IR_19", "Payment method type not supported")
	require.Contains(t, e["reason"], "MIT with Limited Card Data")
	require.Equal(t, before, w.payments())
	w.admin("POST", "/configs/"+key, `{"value":"true"}`).ok()
	require.Equal(t, "succeeded", w.post("/payments", body(number)).ok()["status"])
	w.admin("DELETE", "/configs/"+key, "").ok()
	require.Equal(t, "succeeded", w.post("/payments", body(number)).ok()["status"])
}
