package router_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/router"
)

// again begins a payment with a saved method.
const again = `{"amount":1,"currency":"USD","confirm":true,"off_session":true,"customer_id":"{customer_id}",`

// idBodies are bodies of requests that name things by their ids, one in each line. The other routes get an empty object.
var idBodies = map[string]string{
	"POST /payments": again + `"recurring_details":{"type":"payment_method_id","data":"{payment_method_id}"}}
` + again + `"recurring_details":{"type":"mandate_id","data":"{mandate_id}"}}
` + again + `"mandate_id":"{mandate_id}"}
` + again + `"payment_method":"card","payment_token":"{token}"}
` + again + `"profile_id":"{profile_id}"}
` + with(plain, "routing", `{"type":"single","data":{"connector":"stripe","merchant_connector_id":"{merchant_connector_id}"}}`) + `
` + with(plain, "payment_link", "true", "payment_link_config_id", `"x"`, "profile_id", `"{profile_id}"`),
	"POST /refunds":                                                               `{"payment_id":"{payment_id}","amount":1}`,
	"POST /refunds/sync":                                                          `{"refund_id":"{refund_id}"}`,
	"POST /refunds/list":                                                          `{"payment_id":"{payment_id}"}`,
	"POST /refunds/profile/list":                                                  `{"refund_id":"{refund_id}","profile_id":"{profile_id}"}`,
	"POST /payments/list":                                                         `{"payment_id":"{payment_id}"}`,
	"POST /payments/profile/list":                                                 `{"profile_id":"{profile_id}","customer_id":"{customer_id}","merchant_connector_id":["{merchant_connector_id}"]}`,
	"POST /payments/sync":                                                         `{"payment_id":"{payment_id}"}`,
	"POST /payments/session_tokens":                                               `{"payment_id":"{payment_id}","client_secret":"{client_secret}","wallets":[]}`,
	"POST /payments/{payment_id}":                                                 `{"amount":5}`,
	"POST /disputes/evidence":                                                     `{"dispute_id":"{dispute_id}"}`,
	"DELETE /disputes/evidence":                                                   `{"dispute_id":"{dispute_id}","evidence_type":"receipt"}`,
	"POST /events/{merchant_id}":                                                  `{"object_id":"{payment_id}"}`,
	"POST /events/profile/list":                                                   `{"object_id":"{payment_id}"}`,
	"POST /relay":                                                                 `{"connector_resource_id":"sim_1","connector_id":"{merchant_connector_id}","type":"refund","data":{"refund":{"amount":1,"currency":"USD"}}}`,
	"POST /relay/unreferenced_refund":                                             `{"connector_id":"{merchant_connector_id}","amount":1,"currency":"USD"}`,
	"POST /ephemeral_keys":                                                        `{"customer_id":"{customer_id}"}`,
	"POST /v1/payment-method-sessions":                                            `{"customer_id":"{customer_id}"}`,
	"POST /payment_methods/collect":                                               `{"customer_id":"{customer_id}"}`,
	"POST /payment_link/list":                                                     `{"payment_id":"{payment_id}"}`,
	"POST /routing":                                                               `{"name":"n","description":"d","profile_id":"{profile_id}","algorithm":{"type":"single","data":{"connector":"stripe","merchant_connector_id":"{merchant_connector_id}"}}}`,
	"POST /routing/deactivate":                                                    `{"profile_id":"{profile_id}"}`,
	"POST /routing/replay":                                                        `{"routing_id":"{routing_id}"}`,
	"POST /routing/simulate":                                                      `{"profile_id":"{profile_id}","config":{"config":{"exploration_percent":0}}}`,
	"POST /routing/rule/evaluate":                                                 `{"created_by":"{profile_id}","parameters":{},"fallback_output":[]}`,
	"POST /routing/evaluate":                                                      `{"merchantId":"{profile_id}","paymentInfo":{"amount":1,"currency":"USD"},"eligibleGatewayList":["stripe"]}`,
	"POST /routing/default/profile/{profile_id}":                                  `[]`,
	"POST /three_ds_decision/execute":                                             `{"routing_id":"{routing_id}","payment":{"amount":1,"currency":"EUR"}}`,
	"POST /profile_acquirer":                                                      `{"profile_id":"{profile_id}","acquirer_assigned_merchant_id":"1","merchant_name":"n","network":"Visa","acquirer_bin":"456789","acquirer_ica":"1","acquirer_fraud_rate":0.1}`,
	"POST /profile_acquirer/{profile_id}/{profile_acquirer_id}":                   `{"merchant_name":"stolen"}`,
	"POST /payments/{payment_id}/confirm":                                         `{"client_secret":"{client_secret}","payment_method":"card","payment_token":"{token}"}`,
	"POST /payments/{payment_id}/complete_authorize":                              `{"client_secret":"{client_secret}"}`,
	"POST /payments/{payment_id}/post_session_tokens":                             `{"client_secret":"{client_secret}","payment_method_type":"paypal","payment_method":"wallet"}`,
	"POST /payments/{payment_id}/calculate_tax":                                   `{"client_secret":"{client_secret}","shipping":{},"payment_method_type":"apple_pay"}`,
	"POST /payments/{payment_id}/3ds/authentication":                              `{"client_secret":"{client_secret}","device_channel":"BRW","threeds_method_comp_ind":"Y"}`,
	"POST /payments/{payment_id}/incremental_authorization":                       `{"amount":9999}`,
	"POST /payments/{payment_id}/manual-status-update":                            `{"intent_status":"failed"}`,
	"POST /payments/{payment_id}/eligibility":                                     `{"client_secret":"{client_secret}","payment_method_type":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50"}}}`,
	"POST /payment_methods":                                                       `{"customer_id":"{customer_id}","payment_method":"card","card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50"}}`,
	"POST /payment_methods/{payment_method_id}/update":                            `{"card":{"nick_name":"stolen"},"client_secret":"{method_secret}"}`,
	"POST /payment_methods/{payment_method_id}/save":                              `{"client_secret":"{method_secret}","card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50"}}`,
	"PUT /v1/payment-method-sessions/{session_id}/update-saved-payment-method":    `{"payment_method_id":"{payment_method_id}","payment_method_data":{"card":{"nick_name":"stolen"}}}`,
	"DELETE /v1/payment-method-sessions/{session_id}":                             `{"payment_method_id":"{payment_method_id}"}`,
	"POST /account/{merchant_id}/connectors":                                      `{"connector_type":"payment_processor","connector_name":"stripe","profile_id":"{profile_id}","connector_account_details":{"auth_type":"HeaderKey","api_key":"k"}}`,
	"POST /account/{merchant_id}/connectors/{merchant_connector_id}":              `{"connector_type":"payment_processor","disabled":true}`,
	"POST /account/{merchant_id}/business_profile":                                `{"profile_name":"stolen"}`,
	"POST /account/{merchant_id}/business_profile/{profile_id}":                   `{"return_url":"https://evil.example/"}`,
	"POST /account/{merchant_id}/business_profile/{profile_id}/webhook_endpoints": `{"url":"https://evil.example/"}`,
	"POST /account/{merchant_id}/business_profile/{profile_id}/webhook_endpoints/{endpoint_id}": `{"url":"https://evil.example/"}`,
}

// idQueries are queries of lists that name things by their ids.
var idQueries = map[string][]string{
	"GET /payments/list":                           {"?customer_id={customer_id}", "?starting_after={payment_id}", "?ending_before={payment_id}"},
	"GET /payments/profile/list":                   {"?starting_after={payment_id}"},
	"GET /disputes/list":                           {"?dispute_id={dispute_id}", "?payment_id={payment_id}", "?profile_id={profile_id}", "?merchant_connector_id={merchant_connector_id}"},
	"GET /disputes/profile/list":                   {"?dispute_id={dispute_id}"},
	"GET /customers/list":                          {"?customer_id={customer_id}"},
	"GET /customers/list_with_count":               {"?customer_id={customer_id}"},
	"GET /mandates/list":                           {"?connector=stripe", "?mandate_status=active"},
	"GET /routing/active":                          {"?profile_id={profile_id}"},
	"GET /routing/health":                          {"?profile_id={profile_id}"},
	"GET /routing":                                 {"?profile_id={profile_id}"},
	"GET /account/payment_methods":                 {"?client_secret={client_secret}"},
	"GET /customers/payment_methods":               {"?client_secret={client_secret}"},
	"GET /blocklist":                               {"?data_kind=card_bin", "?data_kind=card_bin&client_secret={client_secret}"},
	"GET /payments/{payment_id}":                   {"?client_secret={client_secret}", "?force_sync=true&expand_attempts=true"},
	"GET /payments/{payment_id}/client":            {"?client_secret={client_secret}"},
	"GET /payment_link/{payment_link_id}":          {"?client_secret={client_secret}"},
	"GET /customers/{customer_id}/payment_methods": {"?client_secret={client_secret}"},
}

// crossed is everything that the victim of TestObjectsOfOthers has.
func crossed(t *testing.T, w *world) map[string]string {
	ids := map[string]string{"merchant_id": merchant, "profile_id": w.profile, "customer_id": "cus_victim", "merchant_connector_id": w.accountOf("stripe"),
		"refund_id": "ref_victim", "payment_id": "pay_victim", "config_key": "x"}
	text := func(m map[string]any, name string) string { s, _ := m[name].(string); return s }
	w.post("/payments", with(full, "payment_id", `"pay_victim"`, "customer_id", `"cus_victim"`, "setup_future_usage", `"off_session"`,
		"customer_acceptance", `{"acceptance_type":"online","accepted_at":"2026-01-01T00:00:00Z","online":{"ip_address":"1.2.3.4","user_agent":"x"}}`,
		"mandate_data", `{"mandate_type":{"multi_use":{"amount":9000,"currency":"USD"}},"customer_acceptance":{"acceptance_type":"online","accepted_at":"2026-01-01T00:00:00Z","online":{"ip_address":"1.2.3.4","user_agent":"x"}}}`)).ok()
	paid := w.get("/payments/pay_victim").ok()
	ids["payment_method_id"], ids["mandate_id"], ids["attempt_id"] = text(paid, "payment_method_id"), text(paid, "mandate_id"), "pay_victim_1"
	w.post("/refunds", `{"payment_id":"pay_victim","refund_id":"ref_victim","amount":10}`).ok()
	open := w.post("/payments", `{"payment_id":"pay_openof","amount":700,"currency":"USD","customer_id":"cus_victim","payment_link":true,"return_url":"https://shop.example/"}`).ok()
	ids["client_secret"] = text(open, "client_secret")
	ids["payment_link_id"] = text(open["payment_link"].(map[string]any), "payment_link_id")
	ids["pm_collect_link_id"] = text(w.post("/payment_methods/collect", `{"customer_id":"cus_victim"}`).ok(), "pm_collect_link_id")
	ids["routing_id"] = text(w.post("/routing", fill(idBodies["POST /routing"], ids)).ok(), "id")
	ids["endpoint_id"] = text(w.post("/account/m1/business_profile/"+w.profile+"/webhook_endpoints", `{"url":"https://shop.test/hook"}`).ok(), "endpoint_id")
	w.post("/payments", with(plain, "payment_id", `"pay_event"`)).ok()
	require.Eventually(t, func() bool {
		list, _ := w.post("/events/m1", `{}`).ok()["events"].([]any)
		if len(list) > 0 {
			ids["event_id"] = text(list[0].(map[string]any), "event_id")
		}
		return len(list) > 0
	}, 20*time.Second, 5*time.Millisecond)
	ids["profile_acquirer_id"] = text(w.post("/profile_acquirer", fill(idBodies["POST /profile_acquirer"], ids)).ok(), "profile_acquirer_id")
	ids["relay_id"] = text(w.post("/relay", fill(idBodies["POST /relay"], ids)).ok(), "id")
	session := w.post("/v1/payment-method-sessions", `{"customer_id":"cus_victim"}`).ok()
	ids["session_id"], ids["key_id"] = text(session, "id"), text(w.post("/ephemeral_keys", `{"customer_id":"cus_victim"}`).ok(), "id")
	w.post("/blocklist", `{"type":"card_bin","data":"411111"}`).ok()
	for _, m := range w.get("/customers/cus_victim/payment_methods").ok()["customer_payment_methods"].([]any) {
		ids["token"] = text(m.(map[string]any), "payment_token")
	}
	ids["method_secret"] = text(w.get("/payment_methods/"+ids["payment_method_id"]).ok(), "client_secret")
	for name, id := range ids {
		if id == "" {
			t.Log("the victim has no " + name)
		}
	}
	return ids
}

var idName = regexp.MustCompile(`\{([a-z_0-9]+)\}`)

// fill puts ids in the place of their names.
func fill(text string, ids map[string]string) string {
	return idName.ReplaceAllStringFunc(text, func(name string) string {
		if id, ok := ids[strings.Trim(name, "{}")]; ok {
			return id
		}
		return name
	})
}

// ghosts are ids of the same shape that nothing has.
func ghosts(ids map[string]string) map[string]string {
	out := map[string]string{}
	for name, id := range ids {
		if len(id) > 4 {
			out[name] = id[:len(id)-4] + "Zz9Z"
		} else {
			out[name] = "z9"
		}
	}
	return out
}

// TestObjectsOfOthers: a caller knows the ids of everything that another merchant has. Each route answers as for an id that does not exist. Another
// customer of the same merchant is refused. Nothing of the victim changes.
func TestObjectsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, theirs, theirPublishable := w.merchant("m2")
	w.delivers(t)
	w.send("POST", "/customers", theirs, `{"customer_id":"cus_m2"}`).ok()
	listed := w.lists(theirs)
	ids := crossed(t, w)
	require.Equal(t, listed, w.lists(theirs), "no list and no count shows what another merchant has")
	none := ghosts(ids)
	other := w.engine
	w.post("/customers", `{"customer_id":"cus_other"}`).ok()
	_, theirEphemeral, err := other.CreateEphemeralKey(t.Context(), account.Auth{MerchantID: "m2"}, "cus_m2")
	require.NoError(t, err)
	_, ephemeral, err := other.CreateEphemeralKey(t.Context(), account.Auth{MerchantID: merchant}, "cus_other")
	require.NoError(t, err)
	before := w.snapshot(ids)
	known := maps.Clone(ids) // the attacker has no secret
	for _, name := range []string{"client_secret", "method_secret", "token"} {
		known[name] = none[name]
	}
	callers := []struct {
		name, key, token string
		near             bool // with the victim's merchant
	}{{"another merchant's secret key", theirs, "", false}, {"another merchant's publishable key", theirPublishable, "", false},
		{"another merchant's customer", theirEphemeral.Reveal(), "", false}, {"no key", "", "", false},
		{"the SDK token of another merchant's payment", "", w.send("POST", "/payments", theirs, `{"amount":700,"currency":"USD","customer_id":"cus_m2"}`).ok()["sdk_authorization"].(string), false},
		{"another customer", ephemeral.Reveal(), "", true}, {"the publishable key", w.publishable, "", true},
		{"the SDK token of another payment", "", w.post("/payments", `{"payment_id":"pay_others","amount":700,"currency":"USD","customer_id":"cus_other"}`).ok()["sdk_authorization"].(string), true}}
	opened := map[string]bool{} // they have tests of their own
	for _, r := range router.OpenRoutes() {
		opened[r.Pattern] = true
	}
	tried := 0
	for _, r := range w.server.Routes() {
		name := r[0] + " " + r[1]
		if opened[r[1]] {
			continue
		}
		bodies := []string{""}
		if r[0] != "GET" {
			bodies = []string{"{}"}
			if b := idBodies[name]; b != "" {
				bodies = append(bodies, strings.Split(b, "\n")...)
			}
		}
		for _, query := range append([]string{""}, idQueries[name]...) {
			for _, body := range bodies {
				if !idName.MatchString(r[1] + query + body) {
					continue
				}
				for _, c := range callers {
					send := func(of map[string]string) response {
						var headers []string
						if c.token != "" {
							headers = []string{"Authorization", c.token}
						}
						return w.send(r[0], fill(r[1]+query, of), c.key, fill(body, of), headers...)
					}
					mine, nothing := send(known), send(none)
					tried++
					if c.near { // the route may say that the secret is wrong
						require.GreaterOrEqual(t, mine.status, 400, "%s%s as %s %s: %s", name, query, c.name, body, mine.body)
					} else {
						require.Equal(t, neutral(nothing, none), neutral(mine, known), "%s%s as %s %s", name, query, c.name, body)
					}
				}
			}
		}
	}
	require.Greater(t, tried, 500)
	require.ErrorContains(t, w.engine.RevokeMandate(t.Context(), account.Auth{MerchantID: merchant, CustomerID: "cus_other"}, ids["mandate_id"]), "Mandate does not exist")
	require.Equal(t, before, w.snapshot(ids))
}

var moments = regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"|[a-z]+_[A-Za-z0-9]{20,}|"(created_at|expires)":[0-9]+`)

var newTokens = regexp.MustCompile(`token_[A-Za-z0-9]{20}`)

// neutral returns an answer without the ids that were asked for, and without new ids and times.
func neutral(r response, ids map[string]string) string {
	text := r.body
	for name, id := range ids {
		if len(id) > 3 {
			text = strings.ReplaceAll(text, id, "{"+name+"}")
		}
	}
	return fmt.Sprint(r.status, moments.ReplaceAllString(text, "-"), len(r.header))
}

// lists returns what every list, filter and count without an id in its path answers to a key.
func (w *world) lists(key string) string {
	var all strings.Builder
	for _, r := range w.server.Routes() {
		if body := map[string]string{"POST": `{}`}[r[0]]; !strings.Contains(r[1], "{") && (r[0] == "GET" || strings.Contains(r[1], "list") || strings.Contains(r[1], "filter")) && r[1] != "/health" {
			query := map[string]string{"/blocklist": "?data_kind=card_bin"}[r[1]]
			all.WriteString(r[0] + " " + r[1] + " " + w.send(r[0], r[1]+query, key, body).body + "\n")
		}
	}
	return all.String()
}

// snapshot returns what the victim sees of its things.
func (w *world) snapshot(ids map[string]string) string {
	var all strings.Builder
	for _, path := range []string{"/payments/{payment_id}?expand_attempts=true", "/payments/pay_openof", "/refunds/{refund_id}", "/customers/{customer_id}", "/customers/{customer_id}/payment_methods",
		"/mandates/{mandate_id}", "/account/m1/connectors", "/account/m1/business_profile", "/account/m1/business_profile/{profile_id}/webhook_endpoints", "/routing", "/routing/active",
		"/blocklist?data_kind=card_bin", "/relay/{relay_id}"} {
		all.WriteString(path + " " + newTokens.ReplaceAllString(w.get(fill(path, ids)).body, "token") + "\n")
	}
	return all.String()
}
