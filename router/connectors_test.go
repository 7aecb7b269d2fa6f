package router_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
)

// Only the operator decides to which hosts an account may send.
func TestEgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/account/m1/connectors/" + w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string) + "/egress"
	for _, key := range []string{w.secret, w.publishable, ""} {
		w.send("POST", path, key, `{}`).refused(401, "IR_01", "")
		w.send("GET", path, key, "").refused(401, "IR_01", "")
	}
	mine := w.admin("POST", path, `{"base_url":"https://test.acme.example:8443/v1/","hosts":["files.acme.example"]}`).ok()
	require.Equal(t, "https://test.acme.example:8443/v1", mine["base_url"])
	require.Equal(t, []any{"files.acme.example"}, mine["hosts"])
	require.Equal(t, mine, w.admin("GET", path, "").ok())
	cleared := w.admin("POST", path, `{}`).ok()
	require.Nil(t, cleared["base_url"])
	require.Nil(t, cleared["hosts"])
	w.admin("POST", path, `{"base_url":"ftp://x"}`).refused(422, "IR_06", "base_url must be an absolute http(s) URL")
	w.admin("POST", path, `{"hosts":["https://x.example"]}`).refused(422, "IR_06", "is not a host name; give exact names")
	w.admin("POST", path, `{"host":"x"}`).refused(400, "IR_06", "unknown field")
	w.admin("GET", "/account/m1/connectors/mca_none/egress", "").refused(404, "HE_02", "Merchant connector account")
}

func TestConnectors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path = "/account/m1/connectors"
	body := `{"connector_type":"payment_processor","connector_name":"stripe","connector_label":"mine","test_mode":true,
		"connector_account_details":{"auth_type":"HeaderKey","api_key":"sk_test_12345"},"metadata":{"merchant_name":"x"},
		"payment_methods_enabled":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit","card_networks":["Visa"],
		"accepted_currencies":{"type":"enable_only","list":["USD"]},"accepted_countries":{"type":"all_accepted"},"minimum_amount":1,"maximum_amount":68607706,
		"recurring_enabled":true,"installment_payment_enabled":false}]},{"payment_method":"wallet","payment_method_types":[{"payment_method_type":"paypal"}]}],
		"connector_webhook_details":{"merchant_secret":"whsec_1234","additional_secret":null},"business_country":"US","business_label":"default"}`
	a := w.post(path, body).ok()
	require.ElementsMatch(t, strings.Fields(`connector_type connector_name connector_label merchant_connector_id profile_id connector_account_details
		payment_methods_enabled connector_webhook_details metadata test_mode disabled frm_configs business_country business_label business_sub_label
		applepay_verified_domains pm_auth_config status additional_merchant_data connector_wallets_details webhook_setup_capabilities`), keysOf(a))
	id := a["merchant_connector_id"].(string)
	require.Regexp(t, `^mca_[0-9A-Za-z]{20}$`, id)
	require.Equal(t, w.profile, a["profile_id"])
	require.Equal(t, map[string]any{"auth_type": "HeaderKey", "api_key": "sk*********45"}, a["connector_account_details"])
	require.Equal(t, map[string]any{"merchant_secret": "wh******34", "additional_secret": nil}, a["connector_webhook_details"])
	require.Equal(t, []any{"active", false, true}, []any{a["status"], a["disabled"], a["test_mode"]})
	methods := a["payment_methods_enabled"].([]any)[1].(map[string]any)["payment_method_types"].([]any)[0].(map[string]any)
	require.Contains(t, methods, "maximum_amount", "null, not absent")
	require.Equal(t, a, w.get(path+"/"+id).ok())

	list := w.get(path).list()
	require.Len(t, list, 3)
	for _, absent := range []string{"metadata", "additional_merchant_data", "connector_wallets_details", "connector_account_details"} {
		require.NotContains(t, list[2], absent)
	}
	require.Equal(t, "stripe_default", list[0]["connector_label"], "the label's default")
	require.Equal(t, id, w.fallback()[2], "a new processor is tried last")

	u := w.post(path+"/"+id, `{"connector_type":"payment_processor","status":"inactive","metadata":{"y":1}}`).ok()
	require.Equal(t, []any{"inactive", true, map[string]any{"y": 1.0}}, []any{u["status"], u["disabled"], u["metadata"]})
	require.Equal(t, a["connector_account_details"], u["connector_account_details"])
	w.post(path+"/"+id, `{"disabled":false}`).refused(422, "IR_06", "Connector cannot be enabled when connector_status is inactive")
	u = w.post(path+"/"+id, `{"status":"active"}`).ok()
	require.Equal(t, []any{"active", false}, []any{u["status"], u["disabled"]})
	u = w.post(path+"/"+id, `{"connector_account_details":{"auth_type":"TemporaryAuth"}}`).ok()
	require.Equal(t, []any{"inactive", true}, []any{u["status"], u["disabled"]})
	w.post(path+"/"+id, `{"status":"active"}`).refused(422, "IR_06", "Connector status cannot be active when using TemporaryAuth")

	w.send("DELETE", path+"/"+id, w.secret, "").refused(401, "IR_01", "")
	require.Equal(t, map[string]any{"merchant_id": "m1", "merchant_connector_id": id, "deleted": true}, w.admin("DELETE", path+"/"+id, "").ok())
	require.NotContains(t, w.fallback(), id)
	for _, method := range []string{"GET", "POST", "DELETE"} {
		e := w.admin(method, path+"/"+id, `{}`).refused(404, "HE_02", "Merchant connector account does not exist in our records")
		require.Contains(t, e["reason"], id)
	}
	own := w.post(path, with(body, "merchant_connector_id", `"mca_own"`)).ok()
	require.Equal(t, "mca_own", own["merchant_connector_id"])

	several := w.admin("POST", "/accounts", `{"merchant_id":"m3","primary_business_details":[{"country":"US","business":"a"},{"country":"US","business":"b"}]}`).ok()
	require.Nil(t, several["default_profile"])
	w.admin("POST", "/account/m3/connectors", body).refused(400, "IR_04", "profile_id")
	for name, c := range map[string]struct {
		path, value   string
		status        int
		code, message string
	}{
		"connector":       {"connector_name", `"nobody"`, 400, "IR_06", "Json deserialize error: unknown variant `nobody`, expected `adyen` or `stripe`"},
		"type":            {"connector_type", `"bank"`, 400, "IR_06", "unknown variant `bank`, expected one of `payment_processor`, `payment_vas`"},
		"no type":         {"connector_type", `-`, 400, "IR_06", "missing field `connector_type`"},
		"unknown key":     {"colour", `1`, 400, "IR_06", "unknown field `colour`"},
		"auth type":       {"connector_account_details.auth_type", `"Password"`, 422, "IR_05", "connector_account_details contains invalid data. Expected format is auth_type and api_key"},
		"key missing":     {"connector_account_details.api_key", `-`, 422, "IR_05", "HeaderKey with api_key"},
		"key not text":    {"connector_account_details.api_key", `7`, 422, "IR_05", "HeaderKey with api_key"},
		"profile":         {"profile_id", `"pro_none"`, 404, "HE_02", "Business profile with the given id pro_none does not exist"},
		"label taken":     {"connector_label", `"stripe_default"`, 400, "HE_01", "The merchant connector account with the specified profile_id '" + w.profile + "' and connector_label 'stripe_default' already exists in our records"},
		"id taken":        {"merchant_connector_id", `"mca_own"`, 400, "HE_01", "already exists"},
		"payment method":  {"payment_methods_enabled", `[{"payment_method":"shells"}]`, 400, "IR_06", "unknown variant `shells`, expected one of `card`, `card_redirect`"},
		"currency":        {"payment_methods_enabled", `[{"payment_method":"card","payment_method_types":[{"payment_method_type":"credit","accepted_currencies":{"type":"enable_only","list":["usd"]}}]}]`, 400, "IR_06", "unknown variant `usd`"},
		"active temporar": {"connector_account_details", `{"auth_type":"TemporaryAuth"}`, 422, "IR_06", "cannot be active"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.post(path, with(body, "connector_label", `"free"`, "status", `"active"`, c.path, c.value))
			r.t = t
			r.refused(c.status, c.code, c.message)
		})
	}
}

// fallback returns the routing list of the default profile.
func (w *world) fallback() []string {
	p, err := w.engine.Profile(context.Background(), w.auth, w.profile)
	require.NoError(w.t, err)
	return p.Fallback
}

// acme returns a world with an adapter that is not simulated, so credentials and metadata must fit its manifest.
func acme(t *testing.T) *world {
	w := newWorld(t)
	a := simulator.Adapter()
	a.Manifest.Name, a.Manifest.DisplayName = "acme", "Acme"
	a.Manifest.Credentials = []sdk.Field{{Name: "user", Key: "api_key", Label: "User", Type: "secret"}, {Name: "password", Key: "key1", Label: "Password", Type: "secret"}}
	a.Manifest.Config = []sdk.Field{{Name: "region", Label: "Region", Type: "enum", Values: []string{"eu", "us"}}, {Name: "site", Label: "Site", Type: "text", Optional: true}}
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"acme": a})
	vault, err := engine.OpenVault(context.Background(), w.store, secret.New("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(t, err)
	e, err := engine.New(engine.Deps{Store: w.store, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}}, engine.Options{PublicURL: publicURL})
	require.NoError(t, err)
	w.server, err = router.New(router.Deps{Access: e, Payments: e, Admin: e, Connectors: connectors}, router.Options{PublicURL: publicURL, AdminKey: secret.New(adminKey)})
	require.NoError(t, err)
	w.handler = checked(t, w.server)
	return w
}

func TestConnectorOfAnAdapter(t *testing.T) {
	t.Parallel()
	w := acme(t)
	const path = "/account/m1/connectors"
	body := `{"connector_type":"payment_processor","connector_name":"acme","connector_account_details":{"auth_type":"BodyKey","api_key":"a","key1":"b"},"metadata":{"region":"eu"}}`
	a := w.post(path, body).ok()
	for name, c := range map[string]struct{ path, value, message, reason string }{
		"other shape":    {"connector_account_details", `{"auth_type":"HeaderKey","api_key":"a"}`, "The auth type is invalid for the connector", "acme needs auth_type BodyKey with api_key, key1"},
		"more than that": {"connector_account_details", `{"auth_type":"SignatureKey","api_key":"a","key1":"b","api_secret":"c"}`, "The auth type is invalid for the connector", "BodyKey"},
		"empty":          {"connector_account_details.key1", `""`, "The auth type is invalid for the connector", "BodyKey"},
		"none":           {"connector_account_details", `-`, "The auth type is invalid for the connector", "BodyKey"},
		"config":         {"metadata", `-`, "The metadata.region is invalid", "is missing: one of eu, us"},
		"config value":   {"metadata.region", `"mars"`, "The metadata.region is invalid", "one of eu, us"},
		"kind":           {"connector_type", `"authentication_processor"`, "authentication_processor is invalid for the connector", "acme is a processor"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.post(path, with(body, "connector_label", `"x"`, c.path, c.value))
			r.t = t
			e := r.refused(422, "IR_06", c.message)
			require.Contains(t, e["reason"], c.reason)
		})
	}
	w.post(path+"/"+a["merchant_connector_id"].(string), `{"metadata":{}}`).refused(422, "IR_06", "The metadata.region is invalid")

	const verify = "/account/connectors/verify"
	r := w.post(verify, `{"connector_name":"acme","connector_account_details":{"auth_type":"BodyKey","api_key":"a","key1":"b"}}`)
	require.Equal(t, []any{200, ""}, []any{r.status, r.body})
	w.post(verify, `{"connector_name":"acme","connector_account_details":{"auth_type":"NoKey"}}`).refused(422, "IR_06", "The auth type is invalid for the connector")
	w.post(verify, `{"connector_name":"nobody","connector_account_details":{"auth_type":"NoKey"}}`).refused(400, "IR_06", "unknown variant `nobody`")
	w.send("POST", verify, adminKey, `{}`).refused(401, "IR_01", "")
}

func TestDefaultRouting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const path, profiles = "/routing/default", "/routing/default/profile"
	list := w.get(path).list()
	require.Equal(t, []any{"stripe", "adyen"}, []any{list[0]["connector"], list[1]["connector"]})
	entry := func(c map[string]any) string {
		return `{"connector":"` + c["connector"].(string) + `","merchant_connector_id":"` + c["merchant_connector_id"].(string) + `"}`
	}
	stripe, adyen := entry(list[0]), entry(list[1])
	require.Equal(t, "adyen", w.post(path, "["+adyen+","+stripe+"]").list()[0]["connector"])
	require.Equal(t, "adyen", w.get(path).list()[0]["connector"])
	require.Equal(t, "adyen", w.get(profiles).list()[0]["connector"], "without a profile, the merchant's list")
	require.Equal(t, "stripe", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "payments use the profile's list alone")
	changed := w.post(profiles+"/"+w.profile, "["+adyen+","+stripe+"]").ok()
	require.Equal(t, w.profile, changed["profile_id"])
	require.Equal(t, "adyen", changed["connectors"].([]any)[0].(map[string]any)["connector"])
	require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"])
	own := w.send("GET", profiles, w.secret, "", "X-Profile-Id", w.profile).list()
	require.Equal(t, "adyen", own[0]["connector"])
	w.post(profiles+"/"+w.profile, "["+adyen+`,{"connector":"stripe","merchant_connector_id":"mca_other"}]`).
		refused(422, "IR_06", `'stripe:Some(MerchantConnectorAccountId("mca_other"))'`)

	w.post(path, "["+stripe+"]").refused(400, "IR_16", "current config and updated config have different lengths")
	w.post(path, "["+stripe+","+stripe+"]").refused(422, "IR_06", "connector mismatch between old and new configs")
	w.post(path, "["+stripe+`,{"connector":"adyen","merchant_connector_id":"mca_other"}]`).refused(422, "IR_06", "connector mismatch")
	w.post(path, `[{"merchant_connector_id":"mca_1"}]`).refused(400, "IR_06", "missing field `connector`")
	w.post(path, `{}`).refused(400, "IR_06", "expected a list")
	w.post(profiles+"/pro_none", "[]").refused(404, "HE_02", "pro_none")
	_, other, _ := w.merchant("m2")
	w.send("POST", profiles+"/"+w.profile, other, "["+stripe+","+adyen+"]").refused(404, "HE_02", w.profile)
	w.send("GET", path, adminKey, "").refused(401, "IR_01", "")
}
