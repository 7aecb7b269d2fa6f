package router_test

import (
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (w *world) savedCards(customer string) int {
	w.t.Helper()
	return strings.Count(w.get("/customers/"+customer+"/payment_methods").body, `"payment_method_id"`)
}

func TestCollectLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	l := w.post("/payment_methods/collect", `{"customer_id":"cus_1","merchant_name":"books & more","theme":"#123456","return_url":"https://shop.example/cards","unknown":1}`).ok()
	id := l["pm_collect_link_id"].(string)
	require.Regexp(t, `^pm_collect_link_[A-Za-z0-9]{20}$`, id)
	path := "/payment_methods/collect/" + merchant + "/" + id
	require.Equal(t, publicURL+path, l["link"])
	require.Nil(t, l["logo"])
	require.Len(t, l["enabled_payment_methods"], 3)

	page := w.open(path)
	require.Equal(t, 200, page.status)
	require.Contains(t, page.body, "Save a card")
	require.Contains(t, page.body, "Books &amp; more")
	require.NotContains(t, page.body, "card_cvc\"", "a saved card keeps no security code, so that none is asked for")
	require.Contains(t, page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Equal(t, 422, w.submit(path, cardForm("k", "4242424242424241")).status)
	require.Zero(t, w.savedCards("cus_1"))

	form := cardForm(keyOf(t, page.body), goodCard)
	var forms sync.WaitGroup
	for range 4 {
		forms.Go(func() { require.Equal(t, 303, w.submit(path, form).status) })
	}
	forms.Wait()
	require.Equal(t, 1, w.savedCards("cus_1"), "one card, however often the form comes")
	done := w.open(path)
	require.Contains(t, done.body, "Your card is saved")
	require.Contains(t, done.body, `href="https://shop.example/cards"`)
	require.Equal(t, 303, w.submit(path, cardForm("other", "5555555555554444")).status)
	require.Equal(t, 1, w.savedCards("cus_1"), "single use")
	require.NotContains(t, w.logs.String(), "4242 4242")
}

// The checkout's frame on the page of a collect link saves one card, and learns nothing of the customer.
func TestCollectClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"cus_1","email":"ada@example.com"}`).ok()
	id := w.post("/payment_methods/collect", `{"customer_id":"cus_1"}`).ok()["pm_collect_link_id"].(string)
	page, client := "/payment_methods/collect/"+merchant+"/"+id, "/payment_methods/client/collect/"+merchant+"/"+id
	open := w.open(page)
	require.Contains(t, open.header.Get("Content-Security-Policy"), "frame-src 'self'")
	require.Contains(t, open.body, client[1:])
	frame := func(link string) response {
		return w.open("/checkout/v1/frame?type=payment&link=" + url.QueryEscape(link))
	}
	policy := frame("collect/" + merchant + "/" + id).header.Get("Content-Security-Policy")
	require.Regexp(t, "frame-ancestors 'self'$", policy)
	require.Equal(t, 404, frame("collect/"+merchant+"/none").status)
	require.Equal(t, 404, frame(merchant+"/"+id).status, "no payment has this id")
	require.Equal(t, 401, frame("collect/pay_1").status, "a merchant whose id is collect")

	asked := w.asks(client)
	require.Equal(t, true, asked.ok()["collect"])
	require.NotContains(t, asked.body+open.body, "ada@example")
	require.NotContains(t, asked.body, "cus_1")
	require.Equal(t, 403, w.send("GET", client, "", "", "Sec-Fetch-Site", "cross-site").status)
	body := strings.Replace(linkCard, `,"card_cvc":"737"`, "", 1)
	require.Equal(t, 403, w.send("POST", client, "", body, "Content-Type", "application/json", "Sec-Fetch-Site", "cross-site", "Idempotency-Key", "k").status)
	require.Equal(t, "IR_04", w.send("POST", client, "", body, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin").error()["code"], "without a key")
	require.Equal(t, "IR_04", w.confirmsLink(client, "k0", `{"payment_method":"card"}`).error()["code"])
	require.Equal(t, "IR_06", w.confirmsLink(client, "k00", strings.Replace(body, "4242424242424242", "4242424242424241", 1)).error()["code"])
	require.Zero(t, w.savedCards("cus_1"))

	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() { w.confirmsLink(client, "k1", body) })
	}
	calls.Wait()
	saved := w.confirmsLink(client, "k1", body)
	require.Equal(t, map[string]any{"collect": true, "status": "succeeded", "to": page}, saved.ok())
	require.Equal(t, saved.ok(), w.confirmsLink(client, "k2", strings.Replace(body, "4242424242424242", "5555555555554444", 1)).ok(), "single use")
	require.Equal(t, saved.ok(), w.asks(client).ok())
	require.Equal(t, 1, w.savedCards("cus_1"))
	require.NotContains(t, w.logs.String(), "4242424242424242")
}

func TestCollectLinkRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	r := w.post("/payment_methods/collect", `{}`)
	require.Equal(t, 400, r.status)
	require.Equal(t, "IR_06", r.error()["code"])
	r = w.post("/payment_methods/collect", `{"customer_id":"none"}`)
	require.Equal(t, 422, r.status)
	require.Equal(t, `customer [none] not found for merchant [MerchantId("m1")]`, r.error()["message"])
	r = w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"`+strings.Repeat("x", 65)+`"}`)
	require.Equal(t, 422, r.status)
	require.Equal(t, "IR_05", r.error()["code"])
	require.Equal(t, 400, w.post("/payment_methods/collect", `{"customer_id":"cus_1","logo":"not a URL"}`).status, "a bad logo is refused, not dropped")
	require.Equal(t, 200, w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"mine","return_url":"javascript:alert(1)"}`).status)
	r = w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"mine"}`)
	require.Equal(t, 400, r.status)
	require.Equal(t, "IR_38", r.error()["code"])
	require.Equal(t, 401, w.send("POST", "/payment_methods/collect", w.publishable, `{"customer_id":"cus_1"}`).status)

	require.Equal(t, "IR_01", w.open("/payment_methods/collect/none/mine").error()["code"])
	r = w.open("/payment_methods/collect/" + merchant + "/none")
	require.Equal(t, 404, r.status)
	require.Equal(t, `{"error":{"type":"invalid_request","message":"payment method collect link not found","code":"IR_37","param":"collect_id","hint":"Check the id, and that it belongs to this merchant."}}`, r.body)
	path := "/payment_methods/collect/" + merchant + "/mine"
	w.submit(path, cardForm("k", goodCard))
	require.NotContains(t, w.open(path).body, "javascript:", "the page leads to web pages alone")

	w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"short","session_expiry":60}`).ok()
	w.passes(time.Minute)
	require.Contains(t, w.open("/payment_methods/collect/"+merchant+"/short").body, "This link has expired")
	require.Equal(t, 303, w.submit("/payment_methods/collect/"+merchant+"/short", cardForm("k", "5555555555554444")).status)
	require.Equal(t, 1, w.savedCards("cus_1"))

	w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"gone"}`).ok()
	require.Equal(t, 200, w.send("DELETE", "/customers/cus_1", w.secret, "").status)
	r = w.open("/payment_methods/collect/" + merchant + "/gone")
	require.Equal(t, 422, r.status)
	require.Equal(t, "Customer [cus_1] not found for link_id - gone", r.error()["message"])
}

func TestCollectLinkOfAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"cus_1"}`).ok()
	config := func(c string) response {
		return w.send("POST", "/accounts/"+merchant, adminKey, `{"merchant_id":"m1","pm_collect_link_config":`+c+`}`)
	}
	config(`{"domain_name":"pay.shop.example","allowed_domains":["shop.example"],"merchant_name":"Shop","enabled_payment_methods":[{"payment_method":"card","payment_method_types":["debit"]}]}`).ok()
	l := w.post("/payment_methods/collect", `{"customer_id":"cus_1","pm_collect_link_id":"mine"}`).ok()
	require.Equal(t, "https://pay.shop.example/payment_methods/collect/m1/mine", l["link"])
	require.Equal(t, "Shop", l["merchant_name"])
	require.Len(t, l["enabled_payment_methods"], 1)
	require.Contains(t, w.open("/payment_methods/collect/m1/mine").header.Get("Content-Security-Policy"), "frame-ancestors 'self' shop.example")
	require.Equal(t, 400, config(`{"allowed_domains":[]}`).status, "enabled_payment_methods is required")
	require.Equal(t, 422, config(`{"allowed_domains":["a b"],"enabled_payment_methods":[]}`).status)
	require.Equal(t, 422, config(`{"domain_name":"http://x","allowed_domains":[],"enabled_payment_methods":[]}`).status)
}
