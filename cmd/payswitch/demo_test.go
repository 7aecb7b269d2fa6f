package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

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
	for _, path := range []string{"/demo/", "/demo/shop.html", "/demo/../demo/shop.html", "/demo/thanks?payment_id=pay_none", "/demo/thanks"} {
		resp, _ := get(path)
		require.Equal(t, 404, resp.StatusCode, path)
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
	r := startDemo(t)
	b := newTab(t)
	b.size(1100, 900)
	choose := func(card string) {
		b.do(chromedp.Navigate(r.url + "/demo"))
		b.await("document.querySelector('button.card')")
		b.press(`button.card[data-number="` + card + `"]`)
	}
	choose("4242 4242 4242 4242")
	b.shot("demo-shop")
	b.press("#pay")
	b.await("document.querySelector('#result')")
	b.shot("demo-thanks")
	require.Equal(t, "succeeded", script[string](b, "document.querySelector('#result').dataset.status"))

	choose("4000 0000 0000 0002")
	b.press("#pay")
	b.await("!document.querySelector('#message').hidden")
	b.shot("demo-declined")
	require.Contains(t, script[string](b, "document.querySelector('#message').textContent"), "declined")

	choose("4000 0030 0170 0000")
	b.press("#pay")
	b.await(bank + ".querySelector('#otp')")
	script[bool](b, bank+".querySelector('#otp').value = '1234', "+bank+".querySelector('#sendOtp').click(), true")
	b.await("document.querySelector('#result')")
	require.Equal(t, "succeeded", script[string](b, "document.querySelector('#result').dataset.status"))

	b.size(390, 800)
	b.do(chromedp.Navigate(r.url + "/demo"))
	b.await("document.querySelector('#pay')")
	b.shot("demo-telephone")
	b.press("#pay")
	b.await("!document.querySelector('#message').hidden")
	require.Equal(t, "number", script[string](b, "document.activeElement.id"), "what is missing has the focus")
}
