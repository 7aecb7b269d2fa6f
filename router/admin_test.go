package router_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/router"
	"payswitch/sdk"
)

// admin makes a request with the admin key.
func (w *world) admin(method, path, body string) response {
	return w.send(method, path, adminKey, body)
}

// refused holds an error answer's status, code and message.
func (r response) refused(status int, code, message string) map[string]any {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.body)
	e := r.error()
	require.Equal(r.t, code, e["code"], r.body)
	require.Contains(r.t, e["message"], message)
	return e
}

func (r response) list() (list []map[string]any) {
	r.t.Helper()
	require.Equal(r.t, 200, r.status, r.body)
	require.NoError(r.t, json.Unmarshal([]byte(r.body), &list))
	return list
}

const accountKeys = `merchant_id merchant_name return_url enable_payment_response_hash payment_response_hash_key
	redirect_to_merchant_with_http_post merchant_details webhook_details payout_routing_algorithm sub_merchants_enabled parent_merchant_id
	publishable_key metadata locker_id primary_business_details frm_routing_algorithm organization_id is_recon_enabled default_profile
	recon_status pm_collect_link_config product_type merchant_account_type network_tokenization_credentials`

func TestAccounts(t *testing.T) {
	w := newWorld(t)
	a := w.admin("POST", "/accounts", `{"merchant_id":"shop_1"}`).ok()
	require.ElementsMatch(t, strings.Fields(accountKeys), keysOf(a), "every field is there, null when it has no value")
	require.Equal(t, "shop_1", a["merchant_id"])
	require.Regexp(t, `^pk_dev_[0-9a-f]{32}$`, a["publishable_key"])
	require.Regexp(t, `^org_[0-9A-Za-z]{20}$`, a["organization_id"])
	require.Regexp(t, `^pro_[0-9A-Za-z]{20}$`, a["default_profile"])
	require.Regexp(t, `^[0-9A-Za-z]{64}$`, a["payment_response_hash_key"])
	require.Equal(t, true, a["enable_payment_response_hash"])
	require.Equal(t, false, a["redirect_to_merchant_with_http_post"])
	require.Equal(t, "orchestration", a["product_type"])
	require.Equal(t, []any{}, a["primary_business_details"])
	require.Nil(t, a["merchant_name"])
	require.Equal(t, a, w.admin("GET", "/accounts/shop_1", "").ok())

	p := w.admin("GET", "/account/shop_1/business_profile", "").list()
	require.Len(t, p, 1)
	require.Equal(t, "default", p[0]["profile_name"])
	require.Equal(t, a["default_profile"], p[0]["profile_id"])
	require.Equal(t, a["payment_response_hash_key"], p[0]["payment_response_hash_key"])
	require.Empty(t, w.admin("GET", "/api_keys/shop_1/list", "").list(), "no API key is made with it")

	full := `{"merchant_id":"shop_2","merchant_name":"Shop","organization_id":"org_x","return_url":"https://shop.test/done",
		"merchant_details":{"primary_email":"a@b.test","website":"shop test","address":{"city":"Bonn","country":"DE"}},
		"webhook_details":{"webhook_url":"https://shop.test/hook","webhook_username":"u","webhook_password":"pw-very-secret"},
		"primary_business_details":[{"country":"US","business":"food"}],"metadata":{"a":{"b":1}},"enable_payment_response_hash":false,
		"payment_response_hash_key":"my_own_hash_key","redirect_to_merchant_with_http_post":true,"sub_merchants_enabled":false,"locker_id":"m1"}`
	b := w.admin("POST", "/accounts", full).ok()
	require.Equal(t, "org_x", b["organization_id"])
	require.Equal(t, "my_own_hash_key", b["payment_response_hash_key"])
	require.Equal(t, "Bonn", b["merchant_details"].(map[string]any)["address"].(map[string]any)["city"])
	require.Contains(t, b["merchant_details"], "about_business")
	require.Equal(t, map[string]any{"a": map[string]any{"b": 1.0}}, b["metadata"])
	hook := b["webhook_details"].(map[string]any)
	require.Equal(t, "https://shop.test/hook", hook["webhook_url"])
	require.Equal(t, "pw**********et", hook["webhook_password"])
	p = w.admin("GET", "/account/shop_2/business_profile", "").list()
	require.Equal(t, "US_food", p[0]["profile_name"])
	require.Equal(t, b["default_profile"], p[0]["profile_id"])
	for _, inherited := range []string{"return_url", "payment_response_hash_key", "enable_payment_response_hash", "redirect_to_merchant_with_http_post", "webhook_details"} {
		require.Equal(t, b[inherited], p[0][inherited], inherited)
	}

	several := w.admin("POST", "/accounts", `{"merchant_id":"shop_3","organization_id":"org_x",
		"primary_business_details":[{"country":"US","business":"food"},{"country":"DE","business":"toys"}]}`).ok()
	require.Nil(t, several["default_profile"])
	require.Len(t, w.admin("GET", "/account/shop_3/business_profile", "").list(), 2)

	list := w.admin("GET", "/accounts/list?organization_id=org_x", "").list()
	require.Len(t, list, 2)
	require.Equal(t, b, list[0])

	u := w.admin("POST", "/accounts/shop_2", `{"merchant_id":"shop_2","merchant_name":"New","return_url":"https://new.test/","metadata":{"c":2},
		"primary_business_details":[{"country":"US","business":"food"},{"country":"FR","business":"wine"}]}`).ok()
	require.Equal(t, "New", u["merchant_name"])
	require.Equal(t, map[string]any{"c": 2.0}, u["metadata"])
	require.Equal(t, b["webhook_details"], u["webhook_details"], "what was not sent stays")
	p = w.admin("GET", "/account/shop_2/business_profile", "").list()
	require.Len(t, p, 2)
	require.Equal(t, "https://new.test/", p[0]["return_url"], "profiles follow")
	require.Equal(t, "FR_wine", p[1]["profile_name"])
	u = w.admin("POST", "/accounts/shop_2", `{"default_profile":"`+p[1]["profile_id"].(string)+`"}`).ok()
	require.Equal(t, p[1]["profile_id"], u["default_profile"])

	require.Equal(t, map[string]any{"merchant_id": "shop_2", "deleted": true}, w.admin("DELETE", "/accounts/shop_2", "").ok())
	w.admin("GET", "/accounts/shop_2", "").refused(404, "HE_02", "Merchant account does not exist in our records")
}

func TestAccountsRefuse(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		code, message      string
	}{
		"twice":              {"POST", "/accounts", `{"merchant_id":"m1"}`, 400, "HE_01", "The merchant account with the specified details already exists in our records"},
		"no id":              {"POST", "/accounts", `{}`, 400, "IR_06", "missing field `merchant_id`"},
		"bad id":             {"POST", "/accounts", `{"merchant_id":"a b"}`, 400, "IR_06", "Json deserialize error"},
		"long id":            {"POST", "/accounts", `{"merchant_id":"` + strings.Repeat("a", 65) + `"}`, 400, "IR_06", "64"},
		"unknown key":        {"POST", "/accounts", `{"merchant_id":"x","colour":1}`, 400, "IR_06", "unknown field `colour`"},
		"unknown key inside": {"POST", "/accounts", `{"merchant_id":"x","merchant_details":{"colour":1}}`, 400, "IR_06", "unknown field `colour`"},
		"wrong type":         {"POST", "/accounts", `{"merchant_id":"x","metadata":"text"}`, 400, "IR_06", "invalid type"},
		"bad country":        {"POST", "/accounts", `{"merchant_id":"x","primary_business_details":[{"country":"XX","business":"b"}]}`, 400, "IR_06", "unknown variant `XX`, expected one of `AF`, `AX`"},
		"relative URL":       {"POST", "/accounts", `{"merchant_id":"x","return_url":"shop.test/x"}`, 400, "IR_06", "relative URL without a base"},
		"same business":      {"POST", "/accounts", `{"merchant_id":"x","primary_business_details":[{"country":"DE","business":"b"},{"country":"DE","business":"b"}]}`, 400, "IR_38", "DE_b"},
		"update of none":     {"POST", "/accounts/none", `{"merchant_name":"x"}`, 404, "HE_02", "Merchant account does not exist"},
		"update of another":  {"POST", "/accounts/m1", `{"merchant_id":"m2"}`, 400, "IR_07", "merchant_id"},
		"default profile":    {"POST", "/accounts/m1", `{"default_profile":"pro_x"}`, 404, "HE_02", "Business profile with the given id pro_x does not exist"},
		"delete of none":     {"DELETE", "/accounts/none", ``, 404, "HE_02", "Merchant account does not exist"},
		"list of nothing":    {"GET", "/accounts/list", ``, 400, "IR_04", "organization_id"},
		"list by other":      {"GET", "/accounts/list?org=1", ``, 400, "IR_06", "unknown field `org`"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.admin(c.method, c.path, c.body)
			r.t = t
			r.refused(c.status, c.code, c.message)
			r = w.send(c.method, c.path, w.secret, c.body)
			r.t = t
			r.refused(401, "IR_01", "API key not provided or invalid API key used")
		})
	}
	w.admin("GET", "/accounts/x", "").refused(404, "HE_02", "Merchant account") // nothing was left behind
}

func TestAPIKeys(t *testing.T) {
	w := newWorld(t)
	k := w.admin("POST", "/api_keys/m1", `{"name":"first","expiration":"never"}`).ok()
	require.ElementsMatch(t, []string{"key_id", "merchant_id", "name", "description", "api_key", "created", "expiration"}, keysOf(k))
	key, id := k["api_key"].(string), k["key_id"].(string)
	require.Regexp(t, `^dev_[0-9A-Za-z]{64}$`, key)
	require.Regexp(t, `^dev_[0-9A-Za-z]{20}$`, id)
	require.Equal(t, "never", k["expiration"])
	require.Nil(t, k["description"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, k["created"])
	require.Equal(t, 200, w.send("GET", "/customers/list", key, "").status)

	got := w.admin("GET", "/api_keys/m1/"+id, "").ok()
	require.ElementsMatch(t, []string{"key_id", "merchant_id", "name", "description", "prefix", "created", "expiration"}, keysOf(got))
	require.Equal(t, key[:12], got["prefix"])

	u := w.admin("POST", "/api_keys/m1/"+id, `{"name":"renamed","description":"d","expiration":"2099-09-23T01:02:03.000Z"}`).ok()
	require.Equal(t, []any{"renamed", "d", "2099-09-23T01:02:03.000Z"}, []any{u["name"], u["description"], u["expiration"]})
	require.Equal(t, 200, w.send("GET", "/customers/list", key, "").status)
	u = w.admin("POST", "/api_keys/m1/"+id, `{"expiration":"2001-09-23T01:02:03Z"}`).ok()
	require.Equal(t, "renamed", u["name"])
	w.send("GET", "/customers/list", key, "").refused(401, "IR_01", "API key not provided or invalid API key used") // expired, at once
	w.admin("POST", "/api_keys/m1/"+id, `{"expiration":"never"}`).ok()
	require.Equal(t, 200, w.send("GET", "/customers/list", key, "").status)

	second := w.admin("POST", "/api_keys/m1", `{"name":"second","expiration":"never"}`).ok()
	names := func(query string) (names []string) {
		for _, k := range w.admin("GET", "/api_keys/m1/list"+query, "").list() {
			names = append(names, k["name"].(string))
		}
		return names
	}
	require.Equal(t, []string{"test", "renamed", "second"}, names(""))
	require.Equal(t, []string{"renamed"}, names("?limit=1&skip=1"))
	require.Empty(t, names("?skip=9"))

	require.Equal(t, map[string]any{"merchant_id": "m1", "key_id": id, "revoked": true}, w.admin("DELETE", "/api_keys/m1/"+id, "").ok())
	w.send("GET", "/customers/list", key, "").refused(401, "IR_01", "API key") // revoked, at once
	for _, method := range []string{"GET", "POST", "DELETE"} {
		w.admin(method, "/api_keys/m1/"+id, "{}").refused(404, "HE_02", "API Key does not exist in our records")
	}
	require.Equal(t, []string{"test", "second"}, names(""))

	w.merchant("m2")
	w.admin("GET", "/api_keys/m2/"+second["key_id"].(string), "").refused(404, "HE_02", "API Key") // another merchant's
	w.admin("POST", "/api_keys/none", `{"name":"x","expiration":"never"}`).refused(404, "HE_02", "Merchant account")
	w.admin("GET", "/api_keys/none/list", "").refused(404, "HE_02", "Merchant account")
	w.admin("POST", "/api_keys/m1", `{"expiration":"never"}`).refused(400, "IR_06", "missing field `name`")
	w.admin("POST", "/api_keys/m1", `{"name":"x"}`).refused(400, "IR_06", "missing field `expiration`")
	w.admin("POST", "/api_keys/m1", `{"name":"x","expiration":"soon"}`).refused(400, "IR_06", "`never` or an ISO 8601 time")
	w.admin("POST", "/api_keys/m1", `{"name":"x","expiration":"never","scope":1}`).refused(400, "IR_06", "unknown field `scope`")
	w.admin("POST", "/api_keys/m1", `{"name":"`+strings.Repeat("n", 65)+`","expiration":"never"}`).
		refused(422, "IR_06", "name must be at most 64 characters long. Received 65 characters")
	w.admin("POST", "/api_keys/m1", `{"name":"x","description":"`+strings.Repeat("n", 257)+`","expiration":"never"}`).
		refused(422, "IR_06", "description must be at most 256 characters long. Received 257 characters")
	w.send("POST", "/api_keys/m1", w.secret, `{"name":"x","expiration":"never"}`).refused(401, "IR_01", "")
}

func TestProfiles(t *testing.T) {
	w := newWorld(t)
	const path = "/account/m1/business_profile"
	p := w.post(path, `{"profile_name":"shop"}`).ok()
	require.Regexp(t, `^pro_[0-9A-Za-z]{20}$`, p["profile_id"])
	for field, want := range map[string]any{"merchant_id": "m1", "profile_name": "shop", "session_expiry": 900.0, "intent_fulfillment_time": 900.0,
		"enable_payment_response_hash": true, "redirect_to_merchant_with_http_post": false, "use_billing_as_payment_method_billing": true,
		"is_connector_agnostic_mit_enabled": false, "is_manual_retry_enabled": false, "is_auto_retries_enabled": false,
		"force_3ds_challenge": false, "return_url": nil, "authentication_connector_details": nil, "always_enable_overcapture": nil,
		"is_network_tokenization_enabled": false, "metadata": nil, "webhook_details": nil} {
		got, there := p[field]
		require.True(t, there, field)
		require.Equal(t, want, got, field)
	}
	one := path + "/" + p["profile_id"].(string)
	require.Equal(t, p, w.get(one).ok())
	require.Equal(t, p, w.admin("GET", one, "").ok())

	u := w.post(one, `{"session_expiry":60,"intent_fulfillment_time":1800,"is_manual_retry_enabled":true,"return_url":"https://a.test/",
		"outgoing_webhook_custom_http_headers":{"Authorization":"Bearer abcdef","x-short":"abcd"},"always_enable_overcapture":true,
		"authentication_connector_details":{"authentication_connectors":["netcetera"],"three_ds_requestor_url":"https://a.test"},
		"card_testing_guard_config":null,"payment_link_config":{"theme":"#fff"}}`).ok()
	require.Equal(t, 60.0, u["session_expiry"])
	require.Equal(t, map[string]any{"Authorization": "Be*********ef", "x-short": "****"}, u["outgoing_webhook_custom_http_headers"])
	require.Equal(t, map[string]any{"authentication_connectors": []any{"netcetera"}, "three_ds_requestor_url": "https://a.test",
		"three_ds_requestor_app_url": nil}, u["authentication_connector_details"])
	require.Equal(t, p["payment_response_hash_key"], u["payment_response_hash_key"])
	u = w.post(one, `{"outgoing_webhook_custom_http_headers":{}}`).ok()
	require.Equal(t, map[string]any{}, u["outgoing_webhook_custom_http_headers"])
	require.Equal(t, "https://a.test/", u["return_url"], "what was not sent stays")

	stored, err := w.engine.Profile(context.Background(), w.auth, p["profile_id"].(string))
	require.NoError(t, err)
	require.EqualValues(t, 60, stored.Settings.SessionExpirySeconds)
	require.EqualValues(t, 1800, stored.Settings.FulfillmentSeconds)
	require.True(t, stored.Settings.ManualRetry)
	require.True(t, stored.Settings.AlwaysOvercapture)
	require.Equal(t, []string{"netcetera"}, stored.Settings.AuthenticationConnectors)

	require.Equal(t, map[string]any{"enabled": true}, w.post(one+"/toggle_connector_agnostic_mit", `{"enabled":true}`).ok())
	require.Equal(t, true, w.get(one).ok()["is_connector_agnostic_mit_enabled"])
	require.Equal(t, map[string]any{"enabled": true}, w.post(one+"/toggle_extended_card_info", `{"enabled":true}`).ok())

	for name, c := range map[string]struct {
		body          string
		status        int
		code, message string
	}{
		"session short":     {`{"session_expiry":59}`, 422, "IR_06", "session_expiry should be between 60(1 min) to 7890000(3 months)."},
		"session long":      {`{"session_expiry":7890001}`, 422, "IR_06", "session_expiry should be between"},
		"fulfillment short": {`{"intent_fulfillment_time":59}`, 422, "IR_06", "intent_fulfillment_time should be between 60(1 min) to 1800(30 mins)."},
		"fulfillment long":  {`{"intent_fulfillment_time":1801}`, 422, "IR_06", "intent_fulfillment_time should be between"},
		"negative":          {`{"session_expiry":-1}`, 400, "IR_06", "Json deserialize error"},
		"unknown key":       {`{"colour":1}`, 400, "IR_06", "unknown field `colour`"},
		"header name":       {`{"outgoing_webhook_custom_http_headers":{"a b":"c"}}`, 400, "IR_06", "invalid HTTP header name"},
		"header value":      {`{"outgoing_webhook_custom_http_headers":{"a":"b\r\nc"}}`, 400, "IR_06", "invalid HTTP header value"},
		"authenticator":     {`{"authentication_connector_details":{"authentication_connectors":["acme3ds"],"three_ds_requestor_url":"x"}}`, 400, "IR_06", "unknown variant `acme3ds`, expected one of `threedsecureio`"},
		"name taken":        {`{"profile_name":"default"}`, 400, "IR_38", `"default" already exists`},
		"long name":         {`{"profile_name":"` + strings.Repeat("n", 65) + `"}`, 422, "IR_06", "profile_name must be at most 64 characters long. Received 65"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, to := range []string{path, one} {
				r := w.post(to, c.body)
				r.t = t
				r.refused(c.status, c.code, c.message)
			}
		})
	}
	w.get(path+"/pro_none").refused(404, "HE_02", "Business profile with the given id pro_none does not exist")
	w.post(path+"/pro_none", `{}`).refused(404, "HE_02", "pro_none")
	w.post(path+"/pro_none/toggle_extended_card_info", `{"enabled":true}`).refused(404, "HE_02", "pro_none")
	w.post(one+"/toggle_extended_card_info", `{}`).refused(400, "IR_06", "missing field `enabled`")
	require.Len(t, w.send("GET", path, w.secret, "", "X-Profile-Id", w.profile).list(), 1)
	w.send("GET", one, w.secret, "", "X-Profile-Id", w.profile).refused(404, "HE_02", "")

	w.send("DELETE", one, w.secret, "").refused(401, "IR_01", "")
	require.Equal(t, "true", w.admin("DELETE", one, "").body)
	w.get(one).refused(404, "HE_02", "")
	w.admin("DELETE", one, "").refused(404, "HE_02", "")
	w.admin("DELETE", path+"/"+w.profile, "").refused(400, "IR_16", "last business profile")
}

func TestScoping(t *testing.T) {
	w := newWorld(t)
	_, other, publishable := w.merchant("m2")
	mca := w.get("/account/m1/connectors").list()[0]["merchant_connector_id"].(string)
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/account/m1/business_profile", `{}`},
		{"GET", "/account/m1/business_profile", ``},
		{"GET", "/account/m1/business_profile/" + w.profile, ``},
		{"POST", "/account/m1/business_profile/" + w.profile, `{}`},
		{"POST", "/account/m1/connectors", `{"connector_type":"payment_processor","connector_name":"stripe"}`},
		{"GET", "/account/m1/connectors", ``},
		{"GET", "/account/m1/connectors/" + mca, ``},
		{"POST", "/account/m1/connectors/" + mca, `{}`},
		{"DELETE", "/account/m1/connectors/" + mca, ``},
		{"DELETE", "/account/m1/business_profile/" + w.profile, ``},
	} {
		for _, key := range []string{other, publishable, w.publishable, "nonsense", ""} {
			w.send(c.method, c.path, key, c.body).refused(401, "IR_01", "API key not provided or invalid API key used")
		}
	}
	// The other merchant's own paths lead to nothing of the first's.
	w.send("GET", "/account/m2/connectors/"+mca, other, "").refused(404, "HE_02", "Merchant connector account does not exist in our records")
	w.send("GET", "/account/m2/business_profile/"+w.profile, other, "").refused(404, "HE_02", w.profile)
	w.send("POST", "/account/m2/connectors", other, `{"connector_type":"payment_processor","connector_name":"stripe","connector_label":"x","profile_id":"`+w.profile+`"}`).
		refused(404, "HE_02", w.profile)
	w.post("/customers", `{"customer_id":"cus_a"}`).ok()
	w.send("GET", "/customers/cus_a", other, "").refused(404, "HE_02", "Customer does not exist in our records")
	w.send("DELETE", "/customers/cus_a", other, "").refused(404, "HE_02", "Customer")
	w.send("POST", "/customers", other, `{"customer_id":"cus_a"}`).ok()
	w.send("POST", "/customers", publishable, `{}`).refused(401, "IR_01", "")
}

// Where an account may send is the operator's decision, not the merchant's.
func TestEgress(t *testing.T) {
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
	w.admin("POST", path, `{"hosts":["https://x.example"]}`).refused(422, "IR_06", "hosts must be exact host names")
	w.admin("POST", path, `{"host":"x"}`).refused(400, "IR_06", "unknown field")
	w.admin("GET", "/account/m1/connectors/mca_none/egress", "").refused(404, "HE_02", "Merchant connector account")
}

// Nothing secret or personal that goes in comes out again, or lies readable in the database or the log.
func TestAdminSecrets(t *testing.T) {
	w := newWorld(t)
	const secret, certificate = "TOPSECRETVALUE12", "CERTIFICATEVALUE"
	body := `{"connector_type":"payment_processor","connector_name":"stripe","connector_label":"s","connector_account_details":
		{"auth_type":"SignatureKey","api_key":"` + secret + `","key1":"` + secret + `","api_secret":"` + secret + `"},
		"connector_webhook_details":{"merchant_secret":"` + secret + `"},"connector_wallets_details":{"apple_pay":{"certificate":"` + certificate + `"}}}`
	answers := w.post("/account/m1/connectors", body).body
	answers += w.get("/account/m1/connectors").body
	answers += w.post("/account/m1/business_profile", `{"profile_name":"x","outgoing_webhook_custom_http_headers":{"a":"`+secret+`"},
		"webhook_details":{"webhook_password":"`+secret+`"},"network_tokenization_credentials":{"internal_network_token_service":{"private_key":"`+secret+`"}}}`).body
	answers += w.admin("POST", "/accounts/m1", `{"webhook_details":{"webhook_password":"`+secret+`"}}`).body
	answers += w.admin("GET", "/accounts/m1", "").body
	answers += w.get("/account/m1/business_profile").body
	// Malformed requests do not give them back either.
	answers += w.post("/account/m1/connectors", with(body, "connector_account_details", `"`+secret+`"`)).body
	answers += w.post("/account/m1/connectors", with(body, "connector_account_details.auth_type", `"None"`)).body
	answers += w.post("/account/m1/connectors", with(body, "connector_webhook_details", `"`+secret+`"`)).body
	answers += w.post("/account/m1/connectors", with(body, "connector_webhook_details.merchant_secret", `["`+secret+`"]`)).body
	answers += w.post("/account/m1/business_profile", `{"outgoing_webhook_custom_http_headers":"`+secret+`"}`).body
	require.NotContains(t, answers, secret)
	require.NotContains(t, answers, certificate)
	require.Contains(t, answers, "TO************12")

	w.post("/customers", `{"customer_id":"cus_p","name":"Personal Name","email":"personal@mail.test","address":{"line1":"Personal Street"}}`).ok()
	key := w.admin("POST", "/api_keys/m1", `{"name":"k","expiration":"never"}`).ok()["api_key"].(string)
	hashKey := w.admin("GET", "/accounts/m1", "").ok()["payment_response_hash_key"].(string)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(t.TempDir()), "*", "test.db*")) // the write-ahead log too
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := ""
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, s := range []string{secret, certificate, key, w.secret, hashKey, "Personal Name", "personal@mail.test", "Personal Street"} {
			require.NotContains(t, string(content), s, file)
			require.NotContains(t, w.logs.String(), s)
		}
		found += string(content)
	}
	require.Contains(t, found, "payment_processor", "the test reads the file that has the rows")
}

func TestConnectors(t *testing.T) {
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

// fallback is the default profile's list.
func (w *world) fallback() []string {
	p, err := w.engine.Profile(context.Background(), w.auth, w.profile)
	require.NoError(w.t, err)
	return p.Fallback
}

func keysOf(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestCustomers(t *testing.T) {
	w := newWorld(t)
	body := `{"customer_id":"cus_x","name":"John Doe","email":"john@doe.test","phone":"999","phone_country_code":"+65","description":"first",
		"address":{"city":"Bonn","country":"DE","line1":"Street 1","zip":"1","extra":1},"metadata":{"a":"b"},"tax_registration_id":"T1",
		"document_details":{"document_type":"cpf","document_number":"1"},"colour":"ignored"}`
	c := w.post("/customers", body).ok()
	require.ElementsMatch(t, strings.Fields(`customer_id name email phone phone_country_code description address created_at metadata
		default_payment_method_id tax_registration_id document_details`), keysOf(c))
	require.Equal(t, map[string]any{"city": "Bonn", "country": "DE", "line1": "Street 1", "zip": "1", "extra": 1.0}, c["address"], "echoed as sent")
	require.Nil(t, c["default_payment_method_id"])
	require.Equal(t, c, w.get("/customers/cus_x").ok())
	w.post("/customers", body).refused(400, "IR_12", "Customer with the given `customer_id` already exists")

	empty := w.post("/customers", `{}`).ok()
	require.Regexp(t, `^cus_[0-9A-Za-z]{20}$`, empty["customer_id"])
	require.Nil(t, empty["phone"])

	u := w.post("/customers/cus_x", `{"name":"Jane","address":{"city":"Rome"}}`).ok()
	require.Equal(t, []any{"Jane", "john@doe.test", map[string]any{"city": "Rome"}}, []any{u["name"], u["email"], u["address"]})

	for range 11 {
		w.post("/customers", `{}`).ok()
	}
	require.Len(t, w.get("/customers/list").list(), 10)
	require.Len(t, w.get("/customers/list?limit=2&offset=12").list(), 1)
	one := w.get("/customers/list?customer_id=cus_x").list()
	require.Equal(t, []any{1, "cus_x"}, []any{len(one), one[0]["customer_id"]})
	require.Empty(t, w.get("/customers/list?customer_id=none").list())
	counted := w.get("/customers/list_with_count").ok()
	require.Len(t, counted["data"], 13)
	require.Equal(t, 13.0, counted["total_count"])
	counted = w.get("/customers/list_with_count?limit=1&offset=12").ok()
	require.Equal(t, "cus_x", counted["data"].([]any)[0].(map[string]any)["customer_id"], "the newest first")
	for _, limit := range []string{"0", "101", "-1"} {
		w.get("/customers/list_with_count?limit="+limit).refused(422, "IR_06", "limit should be in between 1 and 100")
	}
	w.get("/customers/list?colour=1").refused(400, "IR_06", "unknown field `colour`")
	w.get("/customers/list?limit=x").refused(400, "IR_06", "limit")

	require.Equal(t, map[string]any{"customer_id": "cus_x", "customer_deleted": true, "address_deleted": true, "payment_methods_deleted": true},
		w.send("DELETE", "/customers/cus_x", w.secret, "").ok())
	gone := w.get("/customers/cus_x").ok()
	for _, field := range []string{"name", "email", "phone", "phone_country_code", "description", "tax_registration_id"} {
		require.Equal(t, "Redacted", gone[field], field)
	}
	require.Equal(t, map[string]any{"city": "Redacted"}, gone["address"])
	require.Nil(t, gone["metadata"])
	require.Nil(t, gone["document_details"])
	require.Equal(t, c["created_at"], gone["created_at"])
	w.send("DELETE", "/customers/cus_x", w.secret, "").refused(400, "IR_11", "redacted")
	w.post("/customers/cus_x", `{"name":"x"}`).refused(400, "IR_11", "redacted")
	w.post("/customers", body).refused(400, "IR_12", "already exists")

	for _, method := range []string{"GET", "POST", "DELETE"} {
		w.send(method, "/customers/none", w.secret, `{}`).refused(404, "HE_02", "Customer does not exist in our records")
	}
	w.post("/customers", `{"email":"nobody"}`).refused(400, "IR_06", "invalid email address format")
	w.post("/customers", `{"customer_id":"a b"}`).refused(400, "IR_06", "invalid character")
	w.post("/customers", `{"address":{"country":"Germany"}}`).refused(400, "IR_06", "unknown variant `Germany`")
	w.post("/customers", `{"phone_country_code":"`+strings.Repeat("1", 256)+`"}`).
		refused(422, "IR_06", "phone_country_code must be at most 255 characters long. Received 256 characters")
}

func TestDeletedCustomerKeepsPayments(t *testing.T) {
	w := newWorld(t)
	id := w.post("/payments", with(plain, "customer_id", `"cus_gone"`)).ok()["payment_id"].(string)
	require.Equal(t, "cus_gone", w.get("/customers/cus_gone").ok()["customer_id"], "made on the fly")
	w.send("DELETE", "/customers/cus_gone", w.secret, "").ok()
	for _, query := range []string{"", "?force_sync=true"} {
		require.Equal(t, "cus_gone", w.get("/payments/" + id + query).ok()["customer_id"])
	}
}

// acme is a world with a real adapter: the simulator does not answer for it, so credentials and metadata must fit its manifest.
func acme(t *testing.T) *world {
	w := newWorld(t)
	a := simulator.Adapter()
	a.Manifest.Name, a.Manifest.DisplayName = "acme", "Acme"
	a.Manifest.Credentials = []sdk.Field{{Name: "user", Key: "api_key", Label: "User", Type: "secret"}, {Name: "password", Key: "key1", Label: "Password", Type: "secret"}}
	a.Manifest.Config = []sdk.Field{{Name: "region", Label: "Region", Type: "enum", Values: []string{"eu", "us"}}, {Name: "site", Label: "Site", Type: "text", Optional: true}}
	connectors := plugins.NativeConnectors(map[string]*sdk.Adapter{"acme": a})
	vault, err := engine.OpenVault(context.Background(), w.store, engine.NewSecret("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="))
	require.NoError(t, err)
	e, err := engine.New(engine.Deps{Store: w.store, Connectors: connectors, Vault: vault, Presenter: router.Presenter{}}, engine.Options{PublicURL: publicURL})
	require.NoError(t, err)
	w.server, err = router.New(router.Deps{Access: e, Payments: e, Admin: e, Connectors: connectors}, router.Options{PublicURL: publicURL, AdminKey: engine.NewSecret(adminKey)})
	require.NoError(t, err)
	w.handler = checked(t, w.server)
	return w
}

func TestConnectorOfAnAdapter(t *testing.T) {
	w := acme(t)
	const path = "/account/m1/connectors"
	body := `{"connector_type":"payment_processor","connector_name":"acme","connector_account_details":{"auth_type":"BodyKey","api_key":"a","key1":"b"},"metadata":{"region":"eu"}}`
	a := w.post(path, body).ok()
	for name, c := range map[string]struct{ path, value, message, reason string }{
		"other shape":    {"connector_account_details", `{"auth_type":"HeaderKey","api_key":"a"}`, "The auth type is invalid for the connector", "acme needs auth_type BodyKey with api_key, key1"},
		"more than that": {"connector_account_details", `{"auth_type":"SignatureKey","api_key":"a","key1":"b","api_secret":"c"}`, "The auth type is invalid for the connector", "BodyKey"},
		"empty":          {"connector_account_details.key1", `""`, "The auth type is invalid for the connector", "BodyKey"},
		"none":           {"connector_account_details", `-`, "The auth type is invalid for the connector", "BodyKey"},
		"config":         {"metadata", `-`, "The metadata.region is invalid", "one of eu, us"},
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

func TestRevokedElsewhereEndsWithinASecond(t *testing.T) {
	w := newWorld(t)
	require.Equal(t, 200, w.get("/customers/list").status)
	require.NoError(t, w.store.Update(context.Background(), func(tx engine.Tx) error { // as another node would
		keys, err := tx.APIKeys("m1", 0, 0)
		if err != nil {
			return err
		}
		keys[0].RevokedAt = tx.Now()
		return tx.UpdateAPIKey(keys[0])
	}))
	require.Eventually(t, func() bool { return w.get("/customers/list").status == 401 }, 1500*time.Millisecond, 20*time.Millisecond)
}

func TestDefaultRouting(t *testing.T) {
	w := newWorld(t)
	const path, profiles = "/routing/default", "/routing/default/profile"
	list := w.get(path).list()
	require.Equal(t, []any{"stripe", "adyen"}, []any{list[0]["connector"], list[1]["connector"]})
	entry := func(c map[string]any) string {
		return `{"connector":"` + c["connector"].(string) + `","merchant_connector_id":"` + c["merchant_connector_id"].(string) + `"}`
	}
	stripe, adyen := entry(list[0]), entry(list[1])
	require.Equal(t, "adyen", w.post(path, "["+adyen+","+stripe+"]").list()[0]["connector"])
	require.Equal(t, "adyen", w.post("/payments", with(plain, "routing", "-")).ok()["connector"], "the order counts for payments")
	all := w.get(profiles).list()
	require.Len(t, all, 1)
	require.Equal(t, w.profile, all[0]["profile_id"])
	back := w.post(profiles+"/"+w.profile, "["+stripe+","+adyen+"]").ok()
	require.Equal(t, "stripe", back["connectors"].([]any)[0].(map[string]any)["connector"])

	w.post(path, "["+stripe+"]").refused(400, "IR_16", "current config and updated config have different lengths")
	w.post(path, "["+stripe+","+stripe+"]").refused(422, "IR_06", "connector mismatch between old and new configs")
	w.post(path, "["+stripe+`,{"connector":"adyen","merchant_connector_id":"mca_other"}]`).refused(422, "IR_06", "connector mismatch")
	w.post(path, `[{"connector":"adyen"}]`).refused(400, "IR_06", "missing field `merchant_connector_id`")
	w.post(path, `{}`).refused(400, "IR_06", "expected a list")
	w.post(profiles+"/pro_none", "[]").refused(404, "HE_02", "pro_none")
	_, other, _ := w.merchant("m2")
	w.send("POST", profiles+"/"+w.profile, other, "["+stripe+","+adyen+"]").refused(404, "HE_02", w.profile)
	w.send("GET", path, adminKey, "").refused(401, "IR_01", "")
}
