package router_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTokenInEveryAnswer: each answer of one payment has a token that opens this payment. Lists have none.
func TestTokenInEveryAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", with(open, "confirm", "false", "capture_method", `"manual"`)).ok()["payment_id"].(string)
	confirm := with(plain, "amount", "-", "currency", "-", "confirm", "-")
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/payments/{id}", `{"description":"blue"}`},
		{"GET", "/payments/{id}", ""},
		{"POST", "/payments/{id}/confirm", confirm},
		{"GET", "/payments/{id}?force_sync=true", ""},
		{"POST", "/payments/{id}/capture", `{}`},
	} {
		p := w.send(c.method, strings.ReplaceAll(c.path, "{id}", id), w.secret, strings.ReplaceAll(c.body, "{id}", id)).ok()
		require.Contains(t, tokenOf(t, p), ",payment_id="+id, c.path)
		require.Equal(t, "EUR", w.send("GET", "/payments/"+id, "", "", "Authorization", p["sdk_authorization"].(string)).ok()["currency"], c.path)
	}
	voided := w.post("/payments", open).ok()["payment_id"].(string)
	require.NotNil(t, w.post("/payments/"+voided+"/cancel", `{}`).ok()["sdk_authorization"])
	require.NotNil(t, w.post("/payments", with(plain, "payment_method_data.card.card_number", `"4000000000000002"`)).ok()["sdk_authorization"], "a declined one, too")
	for _, list := range []map[string]any{w.get("/payments/list").ok(), w.post("/payments/list", `{}`).ok()} {
		for _, p := range list["data"].([]any) {
			require.Nil(t, p.(map[string]any)["sdk_authorization"])
		}
	}
}

// TestTokenOpensClientRoutes: a token opens each route that the contract names. Without it the same call is refused.
func TestTokenOpensClientRoutes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	method := w.post("/payments", keeping).ok()["payment_method_id"].(string)
	p := w.post("/payments", open).ok()
	id, token := p["payment_id"].(string), base64.StdEncoding.EncodeToString([]byte(tokenOf(t, p)))
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/payments/{id}", ""},
		{"GET", "/payments/{id}/client", ""},
		{"GET", "/v1/sdk/configs/web/sdk_config.json", ""},
		{"GET", "/account/payment_methods", ""},
		{"GET", "/customers/payment_methods", ""},
		{"GET", "/customers/cus_1", ""},
		{"GET", "/blocklist?data_kind=card_bin", ""},
		{"GET", "/poll/status/external_authentication_{id}", ""},
		{"GET", "/payment_link/none", ""},
		{"POST", "/payments/session_tokens", `{"payment_id":"{id}","wallets":[]}`},
		{"POST", "/payments/{id}/post_session_tokens", `{"payment_method":"wallet","payment_method_type":"paypal"}`},
		{"POST", "/payments/{id}/calculate_tax", `{"payment_method_type":"paypal","shipping":{}}`},
		{"POST", "/payments/{id}/complete_authorize", `{}`},
		{"POST", "/payments/{id}/3ds/authentication", `{"device_channel":"BRW","threeds_method_comp_ind":"U"}`},
		{"POST", "/payments/{id}/eligibility", `{"payment_method_type":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}}}`},
		{"POST", "/payments/{id}/eligibility_check", `{"payment_method_type":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}}}`},
		{"POST", "/payment_methods/" + method + "/update", `{"card":{"nick_name":"blue"}}`},
		{"POST", "/customers/cus_1/payment_methods/" + method + "/default", ``},
		{"POST", "/payments/{id}/confirm", with(plain, "amount", "-", "currency", "-", "confirm", "-")},
	} {
		path, body := strings.ReplaceAll(c.path, "{id}", id), strings.ReplaceAll(c.body, "{id}", id)
		without := w.send(c.method, path, "", body)
		require.Equal(t, 401, without.status, "%s %s: %s", c.method, c.path, without.body)
		r := w.send(c.method, path, "", body, "Authorization", token)
		require.NotEqual(t, 401, r.status, "%s %s: %s", c.method, c.path, r.body)
		if r.status != 200 {
			require.NotEmpty(t, r.error()["code"], c.path)
		}
	}
}

// TestSDKConfig: the configuration that newer clients load first.
func TestSDKConfig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/v1/sdk/configs/web/sdk_config.json"
	p := w.post("/payments", open).ok()
	c := w.as(tokenOf(t, p), "GET", path, "").ok()
	require.ElementsMatch(t, []string{"raw_configs", "resolved_configs", "context_used", "payment_methods", "account_config"}, keysOf(c))
	require.Equal(t, []any{map[string]any{}, map[string]any{}, []any{"card"}}, []any{c["raw_configs"], c["resolved_configs"], c["payment_methods"]})
	require.Equal(t, "skip", c["account_config"].(map[string]any)["profile"].(map[string]any)["vaulting_action"])
	w.profileTo(`{"always_collect_billing_details_from_wallet_connector":true}`)
	shown := w.as(tokenOf(t, p), "GET", path, "").ok()["account_config"].(map[string]any)["profile"].(map[string]any)
	require.Equal(t, []any{true, false}, []any{shown["always_collect_billing_details_from_wallet_connector"], shown["collect_billing_details_from_wallet_connector"]})
	own := w.send("GET", path, w.publishable, "").ok()
	require.ElementsMatch(t, keysOf(c), keysOf(own))
	require.NotContains(t, fmt.Sprint(own), "true", "the publishable key alone shows no setting of the merchant")
}
