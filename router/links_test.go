package router_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// linkOf creates a payment with a link, and returns its answer.
func (w *world) linkOf(fields ...string) map[string]any {
	w.t.Helper()
	body := with(`{"amount":6540,"currency":"USD","payment_link":true,"return_url":"https://shop.example/done"}`, fields...)
	return w.post("/payments", body).ok()
}

func (w *world) profileLinks(config string) {
	w.t.Helper()
	w.send("POST", "/account/"+merchant+"/business_profile/"+w.profile, adminKey, `{"payment_link_config":`+config+`}`).ok()
}

func TestPaymentLinkCreate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf("description", `"Two books"`, "session_expiry", "3600")
	require.Equal(t, "requires_payment_method", p["status"])
	link := p["payment_link"].(map[string]any)
	id := p["payment_id"].(string)
	require.Equal(t, publicURL+"/payment_link/"+merchant+"/"+id+"?locale=en", link["link"])
	require.Nil(t, link["secure_link"])
	require.Regexp(t, `^plink_[A-Za-z0-9]{20}$`, link["payment_link_id"])

	require.Equal(t, link, w.get("/payments/" + id).ok()["payment_link"], "a retrieve shows it")
	require.Nil(t, w.post("/payments/"+id, `{"amount":6540,"description":"Three books"}`).ok()["payment_link"], "an update does not")
	require.Nil(t, w.post("/payments/"+id+"/cancel", `{}`).ok()["payment_link"], "a cancel does not")
	require.Nil(t, w.post("/payments", `{"amount":1,"currency":"USD","payment_link":false}`).ok()["payment_link"])

	r := w.get("/payment_link/" + link["payment_link_id"].(string)).ok()
	require.Equal(t, "Two books", r["description"], "the record keeps what the create said")
	require.Equal(t, "active", r["status"])
	require.Equal(t, link["link"], r["link_to_pay"])
	require.EqualValues(t, 6540, r["amount"])
	w.passes(time.Hour)
	require.Equal(t, "expired", w.get("/payment_link/" + link["payment_link_id"].(string)).ok()["status"])
}

func TestPaymentLinkRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, tc := range map[string]struct {
		body    string
		status  int
		code    string
		message string
	}{
		"confirm":     {`{"amount":1,"currency":"USD","payment_link":true,"confirm":true,"return_url":"https://s.example","payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"123"}}}`, 422, "IR_06", "cannot confirm a payment while creating a payment link"},
		"no card":     {`{"amount":1,"currency":"USD","payment_link":true,"confirm":true,"return_url":"https://s.example"}`, 422, "IR_06", "cannot confirm a payment while creating a payment link"},
		"return_url":  {`{"amount":1,"currency":"USD","payment_link":true}`, 422, "IR_06", "return_url must be sent while creating a payment link"},
		"wrong type":  {`{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_link_config":{"theme":1}}`, 400, "IR_06", ""},
		"wrong enum":  {`{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_link_config":{"details_layout":"layout3"}}`, 400, "IR_06", ""},
		"wrong size":  {`{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_link_config":{"background_image":{"url":"https://s.example/a.png","size":"huge"}}}`, 400, "IR_06", ""},
		"relative":    {`{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_link_config":{"background_image":{"url":"/a.png"}}}`, 400, "IR_06", ""},
		"short life":  {`{"amount":1,"currency":"USD","payment_link":true,"session_expiry":59}`, 422, "IR_06", "session_expiry should be between"},
		"unknown key": {`{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_link_config":{"theme":"#fff","new_key":[1]}}`, 200, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.post("/payments", tc.body)
			require.Equal(t, tc.status, r.status, string(r.body))
			if tc.code != "" {
				require.Equal(t, tc.code, r.error()["code"])
				require.Contains(t, r.error()["message"], tc.message)
			}
		})
	}
}

func TestPaymentLinkOfProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profileLinks(`{"theme":"#111111","domain_name":"pay.shop.example:8443","allowed_domains":["*.shop.example"],"business_specific_configs":{"gold":{"theme":"#ffd700"}}}`)
	p := w.send("POST", "/payments", w.secret, `{"amount":1,"currency":"USD","payment_link":true,"return_url":"https://s.example","payment_id":"pay_1"}`, "Accept-Language", "fr-BE, en;q=0.5").ok()
	link := p["payment_link"].(map[string]any)
	require.Equal(t, "https://pay.shop.example:8443/payment_link/"+merchant+"/pay_1?locale=fr-BE%2C+en%3Bq%3D0.5", link["link"])
	require.Equal(t, "https://pay.shop.example:8443/payment_link/s/"+merchant+"/pay_1?locale=fr-BE%2C+en%3Bq%3D0.5", link["secure_link"])
	w.profileLinks(`{"allowed_domains":[]}`)
	require.Contains(t, w.linkOf()["payment_link"].(map[string]any)["secure_link"], "/payment_link/s/", "an empty list makes a secure link, too")

	shown := w.get("/account/" + merchant + "/business_profile/" + w.profile)
	config := shown.ok()["payment_link_config"].(map[string]any)
	require.Equal(t, []any{}, config["allowed_domains"])
	require.Contains(t, config, "theme", "all keys are shown")
	require.Nil(t, config["theme"], "an update replaces the whole object")
	require.NotContains(t, config, "transaction_details")

	for _, bad := range []string{`{"domain_name":"https://pay.example"}`, `{"domain_name":"a b"}`, `{"domain_name":"pay.example/x"}`, `{"domain_name":"a@b"}`,
		`{"allowed_domains":["a b"]}`, `{"allowed_domains":["x;script-src *"]}`, `{"allowed_domains":["https://a/b"]}`, `{"allowed_domains":[""]}`,
		`{"custom_message_for_payment_method_types":[{"payment_method":"card","payment_method_types":[{"payment_method_type":"klarna","message":{"value":"x"}}]}]}`,
		`{"business_specific_configs":{"a":{"custom_message_for_payment_method_types":[{"payment_method":"pay_later","payment_method_types":[{"payment_method_type":"debit","message":{"value":"x"}}]}]}}}`} {
		r := w.send("POST", "/account/"+merchant+"/business_profile/"+w.profile, adminKey, `{"payment_link_config":`+bad+`}`)
		require.Equal(t, 422, r.status, "%s: %s", bad, r.body)
		require.Equal(t, "IR_06", r.error()["code"])
	}
	r := w.send("POST", "/account/"+merchant+"/business_profile/"+w.profile, adminKey, `{"payment_link_config":{"show_card_terms":"sometimes"}}`)
	require.Equal(t, 400, r.status, "a bad value of the default is not dropped in silence")
}

func TestPaymentLinkRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, "[]", string(w.post("/payment_link/list", ``).body))
	first := w.linkOf("payment_id", `"pay_1"`)
	w.passes(time.Second)
	second := w.linkOf("payment_id", `"pay_2"`)
	id := func(p map[string]any) string { return p["payment_link"].(map[string]any)["payment_link_id"].(string) }
	list := string(w.post("/payment_link/list", `not json, and of no effect`).body)
	require.Less(t, strings.Index(list, id(second)), strings.Index(list, id(first)), "newest first")
	require.True(t, strings.HasPrefix(list, "["))
	require.NotContains(t, string(w.post("/payment_link/list?limit=1", ``).body), id(first))
	require.Equal(t, 400, w.post("/payment_link/list?sort=asc", ``).status)
	require.Equal(t, 400, w.post("/payment_link/list?limit=-1", ``).status)
	get := w.get("/payment_link/list")
	require.Equal(t, 405, get.status)
	require.Equal(t, "IR_03", get.error()["code"])
	for _, path := range []string{"/payment_link/list", "/refunds/list", "/refunds/sync", "/payments/sync", "/payment_methods/collect", "/disputes/evidence"} {
		r := w.send("GET", path, "", "")
		r.refused(405, "IR_03", "")
		require.NotContains(t, r.header.Get("Allow"), "GET", path)
	}

	require.Equal(t, 404, w.get("/payment_link/plink_none").status)
	require.Equal(t, "Payment Link does not exist in our records", w.get("/payment_link/plink_none").error()["message"])
	_, other, _ := w.merchant("m2")
	require.Equal(t, 404, w.send("GET", "/payment_link/"+id(first), other, "").status, "another merchant's link")
	require.Equal(t, 401, w.send("GET", "/payment_link/"+id(first), "", "").status)
	require.Equal(t, 401, w.send("POST", "/payment_link/list", w.publishable, "").status)
	require.Equal(t, 400, w.send("GET", "/payment_link/"+id(first), w.publishable, "").status, "a publishable key needs the client secret")
	require.Equal(t, 200, w.send("GET", "/payment_link/"+id(first)+"?client_secret="+first["client_secret"].(string), w.publishable, "").status)
	require.NotEqual(t, 200, w.send("GET", "/payment_link/"+id(first)+"?client_secret="+second["client_secret"].(string), w.publishable, "").status, "of another payment")
	require.Equal(t, 400, w.post("/payments", `{"amount":1,"currency":"USD","payment_id":"pay_1","payment_link":true,"return_url":"https://s.example"}`).status)
}

// TestPaymentLinkRows: what a record has, how the list is filtered by time, and which configuration of the profile a payment takes.
func TestPaymentLinkRows(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.linkOf("payment_id", `"pay_1"`, "description", `"Books"`, "session_expiry", "600")
	link := first["payment_link"].(map[string]any)
	record := w.get("/payment_link/" + link["payment_link_id"].(string)).ok()
	made, err := time.Parse(time.RFC3339, record["created_at"].(string))
	require.NoError(t, err)
	expiry, err := time.Parse(time.RFC3339, record["expiry"].(string))
	require.NoError(t, err)
	require.Equal(t, 10*time.Minute, expiry.Sub(made).Round(time.Second))
	delete(record, "created_at")
	delete(record, "expiry")
	require.Equal(t, map[string]any{"payment_link_id": link["payment_link_id"], "merchant_id": merchant, "processor_merchant_id": merchant, "link_to_pay": link["link"], "amount": 6540.0,
		"description": "Books", "status": "active", "currency": "USD", "secure_link": nil}, record)

	w.passes(time.Hour)
	w.linkOf("payment_id", `"pay_2"`)
	between := made.Add(30 * time.Minute).UTC().Format("2006-01-02T15:04:05.000Z")
	for query, want := range map[string]int{"": 2, "?created.lt=" + between: 1, "?created.lte=" + between: 1, "?created.gt=" + between: 1, "?created.gte=" + between: 1, "?created=" + between: 0,
		"?limit=0": 0, "?created.gt=" + between + "&created.lt=" + between: 0} {
		require.Len(t, w.post("/payment_link/list"+query, "").list(), want, query)
	}
	w.post("/payment_link/list?created.lt=yesterday", "").refused(400, "IR_06", "created.lt")

	w.profileLinks(`{"seller_name":"standard shop","business_specific_configs":{"gold":{"seller_name":"golden shop"}}}`)
	for config, want := range map[string]string{"": "Standard shop", "gold": "Golden shop", "none": "Standard shop"} {
		p := w.linkOf("payment_link_config_id", `"`+config+`"`)
		require.Contains(t, w.open("/payment_link/"+merchant+"/"+p["payment_id"].(string)).body, want, config)
	}
	p := w.linkOf("payment_link_config_id", `"gold"`, "payment_link_config", `{"seller_name":"own shop"}`)
	require.Contains(t, w.open("/payment_link/"+merchant+"/"+p["payment_id"].(string)).body, "Own shop", "the request's own value wins")
	w.profileLinks(`{"seller_name":"later shop"}`)
	require.Contains(t, w.open("/payment_link/"+merchant+"/"+p["payment_id"].(string)).body, "Own shop", "a later profile changes no link")
}
