package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEligibility: every row of the contract's table, with each kind of caller.
func TestEligibility(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	p := w.post("/payments", open).ok()
	id, secret := p["payment_id"].(string), p["client_secret"].(string)
	path := "/payments/" + id + "/eligibility"
	card := func(number string) string {
		return `{"payment_method_type":"card","payment_method_subtype":"credit","colour":1,"payment_method_data":{"card":{"card_number":"` + number + `","x":1},"billing":null}}`
	}
	confirm := `{"payment_id":"` + id + `","sdk_next_action":{"next_action":"confirm","should_block_confirm":null},"surcharge_details":null}`
	deny := func(text string) string {
		return `{"payment_id":"` + id + `","sdk_next_action":{"next_action":{"deny":{"message":"` + text + `"}},"should_block_confirm":null},"surcharge_details":null}`
	}
	const visa = "4242424242424242"
	require.Equal(t, confirm, w.post(path, card(visa)).body)
	require.Equal(t, strings.Replace(confirm, `,"surcharge_details":null`, "", 1), w.post(path+"_check", card(visa)).body)
	w.block("card_bin", "424242").ok()
	require.Equal(t, confirm, w.post(path, card(visa)).body, "the guard is off")
	w.guarded(true)
	require.Equal(t, deny(listed), w.post(path, card("4242 4242 4242 4242")).body)
	require.Equal(t, confirm, w.post(path, card("4111111111111111")).body)
	require.Equal(t, confirm, w.post(path, `{"payment_method_type":"wallet","payment_method_data":{"wallet":{"apple_pay":{}}}}`).body, "no card")
	w.post("/account/m1/business_profile/"+w.profile, `{"payment_method_blocking":{"card":{"card_types":["debit"]}},"card_testing_guard_config":{
		"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,"guest_user_card_blocking_status":"disabled","guest_user_card_blocking_threshold":10,
		"customer_id_blocking_status":"enabled","customer_id_blocking_threshold":1,"card_testing_guard_expiry":3600}}`).ok()
	require.Equal(t, deny("Debit cards are not accepted for this transaction, please try a different card"), w.post(path, card("4111111111111111")).body)
	const amex = "378282246310005"
	require.Equal(t, confirm, w.post(path, card(amex)).body)
	require.Equal(t, "failed", w.post("/payments", with(typed("4000000000000002"), "customer_id", `"cus_1"`)).ok()["status"])
	for range 3 {
		require.Equal(t, deny("Blocked due to suspicious activity"), w.post(path, card(amex)).body)
	}
	require.Equal(t, "requires_payment_method", w.get("/payments/" + id).ok()["status"], "nothing is stored")

	publishable := func(more string) response {
		return w.send("POST", path, w.publishable, strings.Replace(card(visa), "{", "{"+more, 1))
	}
	require.Equal(t, deny(listed), publishable(`"client_secret":"`+secret+`",`).body)
	publishable("").expect(400, "IR_04", "Missing required param: client_secret")
	publishable(`"client_secret":"`+id+`_secret_x",`).refused(400, "IR_09", "")
	other := w.post("/payments", open).ok()
	publishable(fmt.Sprintf(`"client_secret":%q,`, other["client_secret"])).refused(400, "IR_09", "")
	require.Equal(t, deny(listed), w.as(tokenOf(t, p), "POST", path, card(visa)).body)
	w.passes(901e9)
	publishable(`"client_secret":"`+secret+`",`).refused(400, "IR_08", "")
	w.passes(-901e9)

	kept := w.post("/payments", with(plain, "confirm", "false")).ok()
	keptPath, token := "/payments/"+kept["payment_id"].(string)+"/eligibility", `{"payment_method_type":"card","payment_token":"%s"}`
	require.Contains(t, w.post(keptPath, fmt.Sprintf(token, kept["payment_token"])).body, listed)
	w.post(path, fmt.Sprintf(token, kept["payment_token"])).expect(422, "IR_29", "Invalid or expired payment token")
	w.post(keptPath, fmt.Sprintf(token, "token_unknown")).expect(422, "IR_29", "Invalid or expired payment token")
	w.passes(901e9)
	w.post(keptPath, fmt.Sprintf(token, kept["payment_token"])).expect(422, "IR_29", "Invalid or expired payment token")
	w.post(path, `{"payment_method_type":"card"}`).expect(400, "IR_04", "Missing required param: Either payment_token or payment_method_data")
	w.post(path, `{"payment_token":"x"}`).refused(400, "IR_06", "missing field `payment_method_type`")
	w.post(path, `{"payment_method_type":"credit","payment_token":"x"}`).refused(400, "IR_06", "unknown variant `credit`")
	w.post(path, `{"payment_method_type":"card","payment_method_data":{"card":{}}}`).refused(400, "IR_06", "missing field `card_number`")
	w.post(path, card("4242424242424243")).refused(400, "IR_06", "card number invalid")
	w.post("/payments/pay_none/eligibility", card(visa)).expect(404, "HE_02", "Payment does not exist in our records")
	_, stranger, _ := w.merchant("m2")
	w.send("POST", path, stranger, card(visa)).expect(404, "HE_02", "Payment does not exist in our records")
	w.send("POST", path, "", card(visa)).refused(401, "IR_01", "")
	require.NotContains(t, w.logs.String(), visa)
}

// TestEligibilityIsAskedFor: the config key makes checkouts ask first.
func TestEligibilityIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	p := w.post("/payments", open).ok()
	next := func() (out []any) {
		for _, path := range []string{"/account/payment_methods?client_secret=", "/payments/" + p["payment_id"].(string) + "/client?client_secret="} {
			out = append(out, w.send("GET", path+p["client_secret"].(string), w.publishable, "").ok()["sdk_next_action"])
		}
		return out
	}
	action := func(name string, block bool) []any {
		m := map[string]any{"next_action": name, "should_block_confirm": block}
		return []any{m, m}
	}
	require.Equal(t, action("confirm", false), next())
	w.send("POST", "/configs/", adminKey, `{"key":"should_perform_eligibility_m1","value":"true"}`).ok()
	require.Equal(t, action("eligibility_check", false), next())
	w.post("/account/m1/business_profile/"+w.profile, `{"surcharge_connector_details":{"surcharge_connector_id":"mca_1"}}`).ok()
	require.Equal(t, action("eligibility_check", true), next())
	w.send("POST", "/configs/should_perform_eligibility_m1", adminKey, `{"value":"false"}`).ok()
	require.Equal(t, action("confirm", false), next())
}

// TestClientSessionSwitch: with the check off, the ordinary rules of the client secret decide.
func TestClientSessionSwitch(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	p := w.post("/payments", open).ok()
	id, old := p["payment_id"].(string), tokenOf(t, p)
	w.post("/payments/"+id, `{"amount":2000}`).ok() // a new session
	w.as(old, "GET", "/payments/"+id, "").expect(401, "IR_01", "API key not provided or invalid API key used")
	key := "client_session_validation_enabled_m1"
	w.send("POST", "/configs/", adminKey, `{"key":"`+key+`","value":"false"}`).ok()
	require.Equal(t, id, w.as(old, "GET", "/payments/"+id, "").ok()["payment_id"])
	w.as(old, "GET", "/customers/cus_1", "").refused(401, "IR_01", "") // an unproven token opens no customer
	w.as(strings.Replace(old, "_secret_", "_secret_x", 1), "GET", "/payments/"+id, "").refused(400, "IR_09", "")
	w.as(strings.Replace(old, w.publishable, "pk_dev_none", 1), "GET", "/payments/"+id, "").refused(401, "IR_01", "")
	w.passes(901e9)
	w.as(old, "GET", "/payments/"+id, "").refused(400, "IR_08", "")
	w.send("POST", "/configs/"+key, adminKey, `{"value":"true"}`).ok()
	w.as(old, "GET", "/payments/"+id, "").refused(401, "IR_01", "")
}
