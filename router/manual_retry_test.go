package router_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManualRetry: a failed payment is confirmed again, by the rows of the contract.
func TestManualRetry(t *testing.T) {
	t.Parallel()
	w := newRouted(t)
	profile := func(fields string) { w.post("/account/m1/business_profile/"+w.profile, fields).ok() }
	const card = `"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"123"}}`
	declined := func() map[string]any {
		return w.post("/payments", with(plain, "currency", `"USD"`, numberOf, `"`+refusedCard+`"`)).ok()
	}
	again := func(p map[string]any) response {
		return w.post("/payments/"+p["payment_id"].(string)+"/confirm", "{"+card+"}")
	}
	shown := func(p map[string]any) any {
		return w.get("/payments/" + p["payment_id"].(string)).ok()["manual_retry_allowed"]
	}
	toPayer := func(p map[string]any) any {
		return w.send("GET", "/payments/"+p["payment_id"].(string)+"?client_secret="+p["client_secret"].(string), w.publishable, "").ok()["manual_retry_allowed"]
	}

	p := declined()
	require.Equal(t, []any{true, false}, []any{shown(p), toPayer(p)}, "the merchant reads what the attempt leaves; the payer what a confirm would do")
	again(p).refused(400, "IR_16", "You cannot confirm this payment because it has status failed, you can enable `manual_retry` in profile to try this payment again")
	profile(`{"is_manual_retry_enabled":true}`)
	require.Equal(t, []any{true, true}, []any{shown(p), toPayer(p)})
	w.activated(`{"type":"single","data":"adyen"}`)
	require.Equal(t, "stripe", p["connector"])
	second := again(p).ok()
	require.Equal(t, []any{"succeeded", "adyen", 2.0}, []any{second["status"], second["connector"], second["attempt_count"]}, "it is routed afresh")
	attempts := w.get("/payments/" + p["payment_id"].(string) + "?expand_attempts=true").ok()["attempts"].([]any)
	require.Equal(t, []any{p["payment_id"].(string) + "_1", "failure", p["payment_id"].(string) + "_2", "charged"}, []any{
		attempts[0].(map[string]any)["attempt_id"], attempts[0].(map[string]any)["status"], attempts[1].(map[string]any)["attempt_id"], attempts[1].(map[string]any)["status"]})

	// Each attempt keeps its own authentication type.
	p = declined()
	authentication := func() (list []any) {
		for _, a := range w.get("/payments/" + p["payment_id"].(string) + "?expand_attempts=true").ok()["attempts"].([]any) {
			list = append(list, a.(map[string]any)["authentication_type"])
		}
		return list
	}
	require.Equal(t, []any{"no_three_ds"}, authentication())
	retry := func(kind, number string) {
		w.post("/payments/"+p["payment_id"].(string)+"/confirm", with(`{"payment_method":"card"}`, "authentication_type", kind, "payment_method_data.card",
			`{"card_number":"`+number+`","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}`)).ok()
	}
	retry(`"three_ds"`, "4000000000000002")
	require.Equal(t, []any{"no_three_ds", "three_ds"}, authentication())
	retry(`"no_three_ds"`, "4000000000000002")
	require.Equal(t, []any{"no_three_ds", "three_ds", "no_three_ds"}, authentication())
	retry(`"no_three_ds"`, "4242424242424242")
	require.Equal(t, []any{"no_three_ds", "three_ds", "no_three_ds", "no_three_ds"}, authentication())

	// The window is half of the session, from the creation on.
	profile(`{"session_expiry":600}`)
	p = declined()
	first := w.post("/payments", with(plain, "currency", `"USD"`, "confirm", "-", "payment_method", "-", "payment_method_data", "-")).ok()
	w.passes(299 * time.Second)
	require.Equal(t, "succeeded", again(p).ok()["status"])
	p = declined()
	w.passes(301 * time.Second)
	again(p).refused(400, "IR_16", "You cannot confirm this payment using `manual_retry` because the allowed duration has expired")
	require.Equal(t, []any{true, false}, []any{shown(p), toPayer(p)})
	require.Equal(t, "succeeded", again(first).ok()["status"], "a late first confirm is no retry")

	// What an operator says of the last attempt.
	for status, want := range map[string]any{"void_failed": false, "capture_failed": false, "router_declined": false, "failure": true, "authentication_failed": true,
		"authorization_failed": true, "charged": false, "pending": false, "voided": false} {
		p := declined()
		id := p["payment_id"].(string)
		w.send("PUT", "/payments/"+id+"/manual-update", adminKey, fmt.Sprintf(`{"merchant_id":%q,"attempt_id":"%s_1","attempt_status":%q}`, merchant, id, status), "X-Merchant-Id", merchant).ok()
		require.Equal(t, []any{want, want}, []any{shown(p), toPayer(p)}, status)
		if want == true {
			require.Equal(t, "succeeded", again(p).ok()["status"], status)
		} else if w.get("/payments/" + id).ok()["status"] == "failed" {
			again(p).refused(400, "IR_16", "You cannot confirm this payment because it has status failed, and the previous attempt has the status "+status)
			require.Equal(t, 1.0, w.get("/payments/" + id).ok()["attempt_count"])
		}
	}
	for name, changes := range map[string][]string{"requires_payment_method": {"confirm", "-", "payment_method", "-", "payment_method_data", "-"}, "requires_confirmation": {"confirm", "-"},
		"requires_capture": {"capture_method", `"manual"`}, "requires_customer_action": {"authentication_type", `"three_ds"`, numberOf, `"4000002500003155"`}} {
		p := w.post("/payments", with(plain, append([]string{"currency", `"USD"`}, changes...)...)).ok()
		require.Equal(t, []any{name, nil}, []any{p["status"], p["manual_retry_allowed"]})
	}
}
