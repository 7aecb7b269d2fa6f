package router_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
)

// admin makes a request with the admin key.
func (w *world) admin(method, path, body string) response {
	return w.send(method, path, adminKey, body)
}

// refused checks status, code and message of an error answer.
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
	t.Parallel()
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
	profiles := w.admin("GET", "/account/shop_3/business_profile", "").list()
	require.Len(t, profiles, 2)
	key := w.admin("POST", "/api_keys/shop_3", `{"name":"k","expiration":"never"}`).ok()["api_key"].(string)
	create := func(fields string) response {
		return w.send("POST", "/payments", key, `{"amount":1,"currency":"USD"`+fields+`}`)
	}
	for _, profile := range profiles {
		country, label, _ := strings.Cut(profile["profile_name"].(string), "_")
		p := create(`,"business_country":"` + country + `","business_label":"` + label + `"`).ok()
		require.Equal(t, []any{profile["profile_id"], country, label}, []any{p["profile_id"], p["business_country"], p["business_label"]}, "country and label name the profile")
	}
	require.Equal(t, profiles[0]["profile_id"], create(`,"business_country":"DE","business_label":"toys","profile_id":"` + profiles[0]["profile_id"].(string) + `"`).ok()["profile_id"])
	for _, one := range []string{"", `,"business_country":"US"`, `,"business_label":"food"`} {
		create(one).refused(400, "IR_04", "Missing required param: profile_id or business_country, business_label")
	}
	r := create(`,"business_country":"US","business_label":"toys"`)
	r.refused(404, "HE_02", "Business profile with the given id US_toys does not exist")
	require.Equal(t, "business_label", r.error()["param"])

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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	require.True(t, *stored.Settings.AlwaysOvercapture)
	require.Equal(t, []string{"netcetera"}, stored.Settings.AuthenticationConnectors)

	require.Equal(t, map[string]any{"enabled": true}, w.post(one+"/toggle_connector_agnostic_mit", `{"enabled":true}`).ok())
	require.Equal(t, true, w.get(one).ok()["is_connector_agnostic_mit_enabled"])
	require.Equal(t, map[string]any{"enabled": true}, w.admin("POST", one+"/toggle_extended_card_info", `{"enabled":true}`).ok())

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
	w.admin("POST", path+"/pro_none/toggle_extended_card_info", `{"enabled":true}`).refused(404, "HE_02", "pro_none")
	w.admin("POST", one+"/toggle_extended_card_info", `{}`).refused(400, "IR_06", "missing field `enabled`")
	require.Len(t, w.send("GET", path, w.secret, "", "X-Profile-Id", w.profile).list(), 1)
	w.send("GET", one, w.secret, "", "X-Profile-Id", w.profile).refused(404, "HE_02", "")

	w.send("DELETE", one, w.secret, "").refused(401, "IR_01", "")
	require.Equal(t, "true", w.admin("DELETE", one, "").body)
	w.get(one).refused(404, "HE_02", "")
	w.admin("DELETE", one, "").refused(404, "HE_02", "")
	w.admin("DELETE", path+"/"+w.profile, "").refused(400, "IR_16", "last business profile")
}

func TestScoping(t *testing.T) {
	t.Parallel()
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
	// The paths of the other merchant show nothing of the first merchant.
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

// No answer, log line or database file shows secret or personal data in clear.
func TestAdminSecrets(t *testing.T) {
	t.Parallel()
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
	// The errors for malformed requests do not repeat such data either.
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

func keysOf(m map[string]any) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func TestRevokedElsewhereEndsWithinASecond(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present)) // bubbles begin in the year 2000
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
		time.Sleep(time.Second)
		require.Equal(t, 401, w.get("/customers/list").status)
	})
}
