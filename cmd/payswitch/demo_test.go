package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

func startDemo(t *testing.T) *running {
	t.Helper()
	return start(t, testEnv(t, t.TempDir()), "demo", "--data", t.TempDir(), "--listen", "127.0.0.1:0")
}

// TestDemoShop makes the calls of the demo's page, in the order of a browser.
func TestDemoShop(t *testing.T) {
	r := startDemo(t)
	get := func(path string) (*http.Response, string) {
		resp, err := http.Get(r.url + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp, string(b)
	}
	page, text := get("/demo")
	require.Equal(t, 200, page.StatusCode)
	policy := page.Header.Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'; script-src 'self'")
	require.NotContains(t, policy, "unsafe")
	require.NotContains(t, text, "<style")
	require.NotRegexp(t, `<script(?:>| (?:[^s]|s[^r])[^>]*>)|\son\w+=|\sstyle=`, text, "no script and no style stands in the page")
	for _, secret := range []string{"dev_", "epk_", "secret"} {
		require.NotContains(t, text, secret)
	}
	for _, file := range []string{"/demo/shop.js", "/demo/shop.css"} {
		resp, _ := get(file)
		require.Equal(t, 200, resp.StatusCode)
	}
	for path, says := range map[string]string{"/demo/": "no such page", "/demo/shop.html": "no such page", "/demo/../demo/shop.html": "no such page",
		"/demo/thanks?payment_id=pay_none": "does not know this payment", "/demo/thanks?payment_id=%3Cb%3E": "does not know this payment", "/demo/thanks": "does not know this payment"} {
		resp, text := get(path)
		require.Equal(t, []any{404, "text/html; charset=utf-8"}, []any{resp.StatusCode, resp.Header.Get("Content-Type")}, path)
		require.Contains(t, text, says, path)
		require.Contains(t, text, `href="/demo"`, path)
	}
	home, _ := get("/health")
	require.Equal(t, 200, home.StatusCode, "the API is still there")

	ask := func(method, path, body, authorization string) (int, object) {
		req, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", authorization)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		var o object
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&o))
		return resp.StatusCode, o
	}
	status, order := ask("POST", "/demo/order", `{"item":"grinder"}`, "")
	require.Equal(t, 200, status, order)
	token := order["sdk_authorization"].(string)
	status, client := ask("GET", "/payments/"+order["payment_id"].(string)+"/client", "", token)
	require.Equal(t, 200, status, client)
	require.Equal(t, "card", client["payment_methods_enabled"].([]any)[0].(map[string]any)["payment_method"])
	require.EqualValues(t, 6540, client["intent_data"].(map[string]any)["amount"], "the shop's price, whatever the page says")
	status, paid := ask("POST", "/payments/"+order["payment_id"].(string)+"/confirm", `{"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`, token)
	require.Equal(t, []any{200, "succeeded"}, []any{status, paid["status"]}, paid)
	_, thanks := get("/demo/thanks?payment_id=" + order["payment_id"].(string))
	require.Contains(t, thanks, "65.40 USD")
	require.Contains(t, thanks, `data-status="succeeded"`)
	for body, want := range map[string]int{`{"item":"gold"}`: 404, `{`: 400, `{"item":"` + strings.Repeat("x", 2000) + `"}`: 400} {
		status, _ := ask("POST", "/demo/order", body, "")
		require.Equal(t, want, status, body)
	}
}

// TestDemoShopInABrowser pays in the demo's shop as a person does: at once, after a refused card, and with 3-D Secure.
func TestDemoShopInABrowser(t *testing.T) {
	costly(t)
	requireCheckout(t)
	r := startDemo(t)
	s := &checkoutShop{tab: newTab(t), said: &said{}}
	require.NoError(t, chromedp.Listen(s.ctx, s.said.hear))
	s.size(1100, 900)
	visit := func(secure bool) {
		s.do(chromedp.Navigate(r.url + "/demo"))
		s.await("!document.querySelector('#pay').disabled")
		if secure {
			script[bool](s.tab, "document.querySelector('#secure').click(), true")
			require.True(s, script[bool](s.tab, "document.querySelector('#pay').disabled"), "the order changes")
			s.await("!document.querySelector('#pay').disabled")
		}
		if v, _ := within[bool](s, fieldsFrame, "document.querySelectorAll('input[type=radio]').length > 0"); v {
			within[bool](s, fieldsFrame, "[...document.querySelectorAll('input[type=radio]')].pop().click(), true")
		}
	}
	visit(false)
	s.shot("demo-shop")
	s.card("4242424242424242")
	within[bool](s, fieldsFrame, "document.querySelector('.CheckboxInput').click(), true")
	s.press("#pay")
	s.await("document.querySelector('#result')")
	s.shot("demo-thanks")
	require.Equal(t, "succeeded", script[string](s.tab, "document.querySelector('#result').dataset.status"))

	visit(false)
	s.shot("demo-saved")
	require.Contains(t, s.shows(), "4242", "the card was saved")
	s.card("4000000000000002")
	s.press("#pay")
	s.awaitIn(fieldsFrame, "document.body.innerText.includes('declined the card')")
	s.shot("demo-declined")

	s.size(390, 800)
	visit(true)
	s.awaitIn(fieldsFrame, "document.querySelector('[name=cardnumber]').value === ''")
	s.card("4000003001700000")
	s.shot("demo-telephone")
	s.press("#pay")
	s.awaitIn(bankFrame, "document.querySelector('#otp')")
	s.shot("demo-challenge-telephone")
	within[bool](s, bankFrame, "document.querySelector('#otp').value = '1234', document.querySelector('#sendOtp').click(), true")
	s.await("document.querySelector('#result')")
	require.Equal(t, "succeeded", script[string](s.tab, "document.querySelector('#result').dataset.status"))

	// The orders change while the page is open: webhooks arrive.
	s.size(1000, 800)
	s.do(chromedp.Navigate(r.url + "/demo/orders"))
	s.await("document.querySelectorAll('#placed tr').length === 4 && document.querySelectorAll('#events tr').length >= 3")
	s.await("[...document.querySelectorAll('#placed .state')].filter((e) => e.textContent === 'paid').length === 2")
	script[bool](s.tab, `fetch("/demo/order", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({item: "beans"})}).then((r) => r.json())
		.then((p) => fetch("/payments/" + p.payment_id + "/confirm", {method: "POST", headers: {"Content-Type": "application/json", "Authorization": p.sdk_authorization},
			body: JSON.stringify({payment_method: "card", payment_method_data: {card: {card_number: "4242424242424242", card_exp_month: "10", card_exp_year: "50", card_cvc: "737"}}})})), true`)
	s.await("document.querySelectorAll('#placed tr').length === 5 && document.querySelector('#placed .state').textContent === 'paid'")
	require.Equal(t, "payment_succeeded", script[string](s.tab, "document.querySelector('#events code').textContent"))
	s.looked("demo-orders")
	require.NotContains(t, s.said.all(), "Content Security Policy")
}

// TestDemoOrders: the shop learns from webhooks alone what became of an order, and takes only those that payswitch has signed, each once.
func TestDemoOrders(t *testing.T) {
	r := startDemo(t)
	look := func() (seen demoSeen) {
		resp, err := http.Get(r.url + "/demo/orders.json")
		require.NoError(t, err)
		defer resp.Body.Close()
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&seen))
		return seen
	}
	require.Equal(t, demoSeen{Orders: []demoOrder{}, Events: []demoEvent{}}, look())
	resp, err := http.Post(r.url+"/demo/order", "application/json", strings.NewReader(`{"item":"beans"}`))
	require.NoError(t, err)
	var order object
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&order))
	resp.Body.Close()
	require.Equal(t, "waiting", look().Orders[0].State)
	req, err := http.NewRequest("POST", r.url+"/payments/"+order["payment_id"].(string)+"/confirm", strings.NewReader(`{"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", order["sdk_authorization"].(string))
	resp, err = http.DefaultClient.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	require.Eventually(t, func() bool { return look().Orders[0].State == "paid" }, patience, patience/300)
	seen := look()
	require.Equal(t, []any{"payment_succeeded", order["payment_id"], "18.50 USD", 1}, []any{seen.Events[0].Type, seen.Events[0].Payment, seen.Events[0].Amount, seen.Events[0].Number})
	resp, err = http.Post(r.url+"/demo/webhook", "application/json", strings.NewReader(`{"event_id":"evt_1","event_type":"payment_succeeded"}`))
	require.NoError(t, err)
	resp.Body.Close()
	require.Equal(t, 401, resp.StatusCode)
	require.Equal(t, 1, look().Refused)
}

func TestDemoWebhookSignature(t *testing.T) {
	t.Parallel()
	o := &demoOrders{secret: "whsec_" + base64.StdEncoding.EncodeToString([]byte("0123456789abcdef"))}
	o.placed("pay_1", "beans", "1.00 USD", time.Now())
	send := func(id, kind string, at time.Time, change func(h http.Header)) int {
		amount := "100"
		if kind == "dispute_opened" {
			amount = `"100"` // the API writes the amount of a dispute as a text
		}
		body := `{"event_id":"` + id + `","event_type":"` + kind + `","content":{"object":{"payment_id":"pay_1","amount":` + amount + `,"currency":"USD"}}}`
		r := httptest.NewRequest("POST", "/demo/webhook", strings.NewReader(body))
		stamp := strconv.FormatInt(at.Unix(), 10)
		h := hmac.New(sha256.New, []byte("0123456789abcdef"))
		h.Write([]byte(id + "." + stamp + "." + body))
		r.Header = http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {"v1,AAAA v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))}}
		if change != nil {
			change(r.Header)
		}
		w := httptest.NewRecorder()
		o.take(w, r)
		return w.Code
	}
	now := time.Now()
	require.Equal(t, 200, send("evt_1", "payment_failed", now, nil))
	require.Equal(t, 200, send("evt_2", "payment_succeeded", now, nil))
	require.Equal(t, 200, send("evt_1", "payment_failed", now, nil), "a repeat is taken")
	require.Equal(t, "paid", o.look().Orders[0].State, "and changes nothing")
	require.Equal(t, 200, send("evt_dispute", "dispute_opened", now, nil))
	require.Equal(t, "1.00 USD", o.look().Events[0].Amount)
	require.Len(t, o.look().Events, 3)
	require.Equal(t, 401, send("evt_3", "refund_succeeded", now.Add(-time.Hour), nil))
	require.Equal(t, 401, send("evt_3", "refund_succeeded", now, func(h http.Header) { h.Set("Webhook-Id", "evt_4") }))
	require.Equal(t, 401, send("evt_3", "refund_succeeded", now, func(h http.Header) { h.Del("Webhook-Signature") }))
	require.Equal(t, 3, o.look().Refused)
	require.Equal(t, "paid", o.look().Orders[0].State)
	o.secret = ""
	require.Equal(t, 401, send("evt_3", "refund_succeeded", now, nil), "a shop without a secret trusts nobody")
	for i := range 2 * demoKept {
		o.placed(strconv.Itoa(i), "beans", "1.00 USD", now)
	}
	require.Len(t, o.look().Orders, demoKept)
}
