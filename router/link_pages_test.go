package router_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
)

// testCard is a card that the simulator accepts; refusedCard one that it declines.
const (
	goodCard    = "4242 4242 4242 4242"
	refusedCard = "4000000000000002"
)

// linkPath returns the path of a payment's link.
func linkPath(p map[string]any) string {
	return "/payment_link/" + merchant + "/" + p["payment_id"].(string)
}

func statusPath(p map[string]any) string {
	return "/payment_link/status/" + merchant + "/" + p["payment_id"].(string)
}

func (w *world) open(path string, headers ...string) response {
	return w.send("GET", path, "", "", headers...)
}

var formKey = regexp.MustCompile(`name="key" value="([^"]+)"`)

// keyOf returns the key of the form on a page.
func keyOf(t testing.TB, page string) string {
	t.Helper()
	m := formKey.FindStringSubmatch(page)
	require.NotNil(t, m, "the page has no form: %s", page)
	return m[1]
}

// cardForm returns a posted form.
func cardForm(key, number string, more ...string) string {
	v := url.Values{"key": {key}, "card_number": {number}, "card_expiry": {"10 / 50"}, "card_cvc": {"737"}, "card_holder_name": {"Ada Lovelace"}}
	for i := 0; i+1 < len(more); i += 2 {
		v.Set(more[i], more[i+1])
	}
	return v.Encode()
}

func (w *world) submit(path, form string, headers ...string) response {
	return w.send("POST", path, "", form, append([]string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}, headers...)...)
}

// authorizations counts the operations of a payment.
func (w *world) operations(id string) int {
	w.t.Helper()
	n := 0
	require.NoError(w.t, w.store.View(context.Background(), func(r engine.Reader) error {
		ops, err := r.Operations(merchant, id)
		n = len(ops)
		return err
	}))
	return n
}

func TestLinkPaysOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf("order_details", `[{"product_name":"book <b>","quantity":2,"amount":3000}]`, "description", `"Two books"`)
	id := p["payment_id"].(string)
	page := w.open(linkPath(p))
	require.Equal(t, 200, page.status)
	require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"))
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Contains(t, page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Equal(t, "DENY", page.header.Get("X-Frame-Options"))
	for _, part := range []string{"USD 65.40", "Book &lt;b&gt;", "60.00", "5.40", "Two books", id, "cc-number"} {
		require.Contains(t, page.body, part)
	}
	require.NotContains(t, page.body, p["client_secret"].(string), "everyone with the link can open the page")

	form := cardForm(keyOf(t, page.body), goodCard)
	paid := w.submit(linkPath(p), form)
	require.Equal(t, 303, paid.status, paid.body)
	require.Equal(t, statusPath(p), paid.header.Get("Location"))
	require.Equal(t, 1, w.operations(id))

	again := w.submit(linkPath(p), form)
	require.Equal(t, 303, again.status, "a form that comes again is answered as the first time")
	other := w.submit(linkPath(p), cardForm(keyOf(t, page.body), "5555555555554444"))
	require.Equal(t, 303, other.status, "the key with another card")
	require.Equal(t, 303, w.submit(linkPath(p), cardForm("another", goodCard)).status, "a form of another tab")
	require.Equal(t, 1, w.operations(id))

	status := w.open(statusPath(p))
	require.Contains(t, status.body, "Payment successful")
	require.Contains(t, status.body, "https://shop.example/done?")
	require.NotContains(t, status.body, "client_secret")
	require.Contains(t, status.body, `http-equiv="refresh" content="5; url=https://shop.example/done?`)
	link := w.open(linkPath(p))
	require.Contains(t, link.body, "Payment successful", "single use")
	require.NotContains(t, link.body, `http-equiv="refresh"`)
	for _, secret := range []string{"4242424242424242", "4242 4242", "4242+4242", "cvc=737", `"737"`} {
		require.NotContains(t, w.logs.String(), secret)
		require.NotContains(t, paid.body+status.body+link.body, secret)
	}
}

// A payer presses the button twice, and both forms travel at once.
func TestLinkDoubleSubmit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf()
	page := w.open(linkPath(p)).body
	var forms sync.WaitGroup
	for i := range 8 {
		key := keyOf(t, page)
		if i%2 == 1 {
			key = "other" + string(rune('a'+i)) // another tab with a form of its own
		}
		forms.Go(func() {
			r := w.submit(linkPath(p), cardForm(key, goodCard))
			require.Equal(t, 303, r.status, r.body)
		})
	}
	forms.Wait()
	require.Equal(t, 1, w.operations(p["payment_id"].(string)), "one charge")
}

// A refused card ends the link. Where the profile lets a payer try again, the same form still counts once.
func TestLinkRefusedCardOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.send("POST", "/account/"+merchant+"/business_profile/"+w.profile, adminKey, `{"is_manual_retry_enabled":true}`).ok()
	p := w.linkOf()
	form := cardForm(keyOf(t, w.open(linkPath(p)).body), refusedCard)
	require.Equal(t, 303, w.submit(linkPath(p), form).status)
	for range 3 {
		require.Equal(t, 303, w.submit(linkPath(p), form).status, "the browser's back button, and the form again")
	}
	require.Equal(t, 1, w.operations(p["payment_id"].(string)))
	status := w.open(statusPath(p)).body
	require.Contains(t, status, "Payment failed")
	require.Contains(t, status, "You have not been charged")
	require.Contains(t, status, "UE_9000")
}

func TestLinkForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf()
	for name, tc := range map[string]struct{ field, value, text string }{
		"no number":    {"card_number", "", "Enter the card number"},
		"luhn":         {"card_number", "4242424242424241", "Check the card number"},
		"letters":      {"card_number", "4242x4242", "Check the card number"},
		"month":        {"card_expiry", "13/50", "Check the expiry date"},
		"expired":      {"card_expiry", "01/20", "This card has expired"},
		"no expiry":    {"card_expiry", " ", "Enter the expiry date"},
		"short code":   {"card_cvc", "7", "Check the security code"},
		"number again": {"card_holder_name", "4242 4242 4242 4242", "Enter a name, not a card number"},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.submit(linkPath(p), cardForm("k"+strings.ReplaceAll(name, " ", ""), goodCard, tc.field, tc.value))
			require.Equal(t, 422, r.status)
			require.Contains(t, r.body, tc.text)
			require.Contains(t, r.body, `aria-invalid="true"`)
			require.NotContains(t, r.body, "4242 4242", "a page never shows what was typed")
			require.NotContains(t, r.body, "42424242")
			require.NotContains(t, r.body, `"737"`)
			if tc.field != "card_holder_name" {
				require.Contains(t, r.body, `value="Ada Lovelace"`)
			}
		})
	}
	require.Zero(t, w.operations(p["payment_id"].(string)))
	for _, expiry := range []string{"1050", "10/50", "10 / 2050", "2050-10", "١٠/٥٠", "１０/５０"} {
		p := w.linkOf()
		require.Equal(t, 303, w.submit(linkPath(p), cardForm("k", "٤٢٤٢-4242-４２４２-4242", "card_expiry", expiry)).status, expiry)
		require.Equal(t, "succeeded", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
	}
	p = w.linkOf()
	require.Equal(t, 403, w.submit(linkPath(p), cardForm("k", goodCard), "Sec-Fetch-Site", "cross-site").status, "a form of another site")
	require.Equal(t, 400, w.send("POST", linkPath(p)+"?"+cardForm("k", goodCard), "", "", "Sec-Fetch-Site", "same-origin").status, "a card in the address")
	require.Equal(t, 413, w.submit(linkPath(p), cardForm("k", goodCard, "x", strings.Repeat("x", 9000))).status)
	require.Equal(t, 422, w.submit(linkPath(p), "key=k").status)
	require.Zero(t, w.operations(p["payment_id"].(string)))
}

func TestLinkStates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf()
	require.Equal(t, 401, w.open("/payment_link/nobody/"+p["payment_id"].(string)).status)
	require.Equal(t, "IR_01", w.open("/payment_link/nobody/" + p["payment_id"].(string)).error()["code"])
	require.Equal(t, "Payment does not exist in our records", w.open("/payment_link/" + merchant + "/none").error()["message"])
	plain := w.post("/payments", `{"amount":1,"currency":"USD","payment_id":"plain"}`).ok()
	require.Equal(t, "Payment Link does not exist in our records", w.open(linkPath(plain)).error()["message"])
	_, _, _ = w.merchant("m2")
	require.Equal(t, 404, w.open("/payment_link/m2/"+p["payment_id"].(string)).status)

	cancelled := w.linkOf()
	w.post("/payments/"+cancelled["payment_id"].(string)+"/cancel", `{}`).ok()
	page := w.open(linkPath(cancelled))
	require.Equal(t, 200, page.status)
	require.Contains(t, page.body, "Payment cancelled")
	require.NotContains(t, page.body, "<form")
	require.Equal(t, 303, w.submit(linkPath(cancelled), cardForm("k", goodCard)).status)

	manual := w.linkOf("capture_method", `"manual"`)
	w.submit(linkPath(manual), cardForm("k", goodCard))
	require.Contains(t, w.open(linkPath(manual)).body, "Payment successful", "an authorized payment is one that succeeded, to the payer")

	updated := w.linkOf()
	w.post("/payments/"+updated["payment_id"].(string), `{"amount":7700}`).ok()
	require.Contains(t, w.open(linkPath(updated)).body, "USD 77.00", "the page shows what will be charged")

	form := cardForm(keyOf(t, w.open(linkPath(p)).body), goodCard)
	w.passes(15 * time.Minute)
	page = w.open(linkPath(p))
	require.Contains(t, page.body, "This link has expired")
	require.Equal(t, 303, w.submit(linkPath(p), form).status)
	require.Zero(t, w.operations(p["payment_id"].(string)), "a form that was open when the link ended")
}

// TestUnknownLink: a mistyped link shows a browser a page in the payer's language. The page is the same whether or not the merchant exists. A client
// that does not ask for a page gets the error object.
func TestUnknownLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	known := w.linkOf()["payment_id"].(string)
	plain := w.post("/payments", `{"amount":1,"currency":"USD"}`).ok()["payment_id"].(string)
	_, _, _ = w.merchant("m2")
	const chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
	nonce := regexp.MustCompile(`nonce="[^"]+"`)
	var first string
	for path, status := range map[string]int{"/payment_link/nobody/" + known: 401, "/payment_link/" + merchant + "/absent": 404, "/payment_link/" + merchant + "/" + plain: 404,
		"/payment_link/m2/" + known: 404, "/payment_link/" + merchant + "/" + known + ".": 400, "/payment_link/status/nobody/absent": 401, "/payment_link/status/" + merchant + "/absent": 404,
		"/payment_link/s/nobody/" + known: 401, "/payment_link/s/" + merchant + "/" + known: 404, "/payment_methods/collect/nobody/absent": 401,
		"/payment_methods/collect/" + merchant + "/absent": 404} {
		page := w.open(path, "Accept", chromium, "Accept-Language", "de-AT,de;q=0.9")
		require.Equal(t, 404, page.status, path)
		require.Equal(t, "text/html; charset=utf-8", page.header.Get("Content-Type"), path)
		require.Contains(t, page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		for _, part := range []string{`lang="de"`, "<h1>Dieser Link funktioniert nicht</h1>", "prüfen Sie die Adresse"} {
			require.Contains(t, page.body, part, path)
		}
		for _, part := range []string{`id="details"`, known, plain, "absent", "nobody", "m2"} {
			require.NotContains(t, strings.Split(page.body, "<body>")[1], part, path)
		}
		body := nonce.ReplaceAllString(page.body, "")
		if first == "" {
			first = body
		}
		require.Equal(t, first, body, path)
		for _, accept := range [][]string{nil, {"Accept", "application/json"}, {"Accept", "*/*"}, {"Accept", "application/json, text/html;q=0.5"}} {
			object := w.open(path, accept...)
			require.Equal(t, status, object.status, "%s %v", path, accept)
			require.NotEmpty(t, object.error()["code"], "%s %v", path, accept)
		}
	}
	require.Contains(t, w.open("/payment_link/"+merchant+"/absent", "Accept", chromium).body, "This link does not work")
}

// The payer comes back from the bank to the status page, and from there to the shop.
func TestLinkAtTheBank(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf("authentication_type", `"three_ds"`)
	form := cardForm(keyOf(t, w.open(linkPath(p)).body), "4000003800000446")
	r := w.submit(linkPath(p), form)
	require.Equal(t, 303, r.status, r.body)
	if !strings.HasPrefix(r.header.Get("Location"), publicURL+"/payments/redirect/") {
		t.Fatalf("the payer does not go to the bank: %s", r.header.Get("Location"))
	}
	require.Equal(t, r.header.Get("Location"), w.submit(linkPath(p), form).header.Get("Location"), "the form again leads to the same place")
	page := w.open(linkPath(p)).body
	require.Contains(t, page, "Continue to your bank", "a payer who closed the bank's page can go on")
	require.Contains(t, page, "/payments/redirect/")
	require.Equal(t, string(payment.RequiresCustomerAction), w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
}

func TestSecureLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	open := w.linkOf()
	secure := func(p map[string]any) string {
		return "/payment_link/s/" + merchant + "/" + p["payment_id"].(string)
	}
	require.Equal(t, "IR_02", w.open(secure(open), "Sec-Fetch-Dest", "iframe", "Referer", "https://a.shop.example/").error()["code"], "a link without allowed domains")
	w.profileLinks(`{"allowed_domains":["*.shop.example","localhost:3000"]}`)
	p := w.linkOf()
	for name, tc := range map[string]struct {
		status  int
		headers []string
	}{
		"framed":        {200, []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://a.shop.example/cart"}},
		"by origin":     {200, []string{"Sec-Fetch-Dest", "iframe", "Origin", "https://a.b.shop.example"}},
		"port":          {200, []string{"Sec-Fetch-Dest", "iframe", "Referer", "http://localhost:3000/"}},
		"other port":    {403, []string{"Sec-Fetch-Dest", "iframe", "Referer", "http://localhost:3001/"}},
		"alone":         {403, []string{"Sec-Fetch-Dest", "document", "Referer", "https://a.shop.example/cart"}},
		"no dest":       {403, []string{"Referer", "https://a.shop.example/cart"}},
		"no page":       {403, []string{"Sec-Fetch-Dest", "iframe"}},
		"another":       {403, []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://evil.example/?x=.shop.example"}},
		"user":          {403, []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://a.shop.example@evil.example/"}},
		"suffix":        {403, []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://a.shop.example.evil.example/"}},
		"not a URL":     {403, []string{"Sec-Fetch-Dest", "iframe", "Referer", "a.shop.example"}},
		"script scheme": {403, []string{"Sec-Fetch-Dest", "iframe", "Origin", "javascript://a.shop.example"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := w.open(secure(p), tc.headers...)
			require.Equal(t, tc.status, r.status, r.body)
			if tc.status == 403 {
				require.Equal(t, "IR_22", r.error()["code"])
				require.Equal(t, "Access forbidden. Not authorized to access this resource payment_link", r.error()["message"])
			}
		})
	}
	framed := []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://a.shop.example/cart"}
	page := w.open(secure(p), framed...)
	for _, answer := range []response{page, w.open(linkPath(p)), w.open(statusPath(p))} {
		require.Contains(t, answer.header.Get("Content-Security-Policy"), "frame-ancestors 'self' *.shop.example localhost:3000")
		require.Empty(t, answer.header.Get("X-Frame-Options"))
	}
	paid := w.submit(secure(p), cardForm(keyOf(t, page.body), goodCard), "Sec-Fetch-Dest", "iframe")
	require.Equal(t, 303, paid.status, paid.body)
	require.Equal(t, 403, w.submit(secure(p), cardForm("k", goodCard), "Sec-Fetch-Dest", "document").status)
	status := w.open(statusPath(p), "Sec-Fetch-Dest", "iframe").body
	require.Contains(t, status, `target="_top"`)
	require.Contains(t, status, `postMessage({payment: {status: "succeeded"}}, "*")`)
	require.NotContains(t, status, `http-equiv="refresh"`, "the frame itself must not go to the shop")
	w.profileLinks(`{"allowed_domains":[]}`)
	require.Equal(t, 500, w.open(secure(w.linkOf()), framed...).status)
}

// What a merchant writes stays where it stands.
func TestLinkBranding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	evil := `\"></style><script>alert(1)</script>`
	p := w.linkOf("payment_link_config", `{"theme":"#FF0000","seller_name":"`+evil+`","logo":"https://cdn.example/a.png?x=\"'`+evil+`","payment_button_text":"`+evil+`",
		"background_colour":"red;}body{display:none","background_image":{"url":"https://img.example/b.png?a=\"),url(https://evil.example/"},
		"payment_link_ui_rules":{"#details":{"backgroundColor":"#abcdef","backgroundImage":"url(https://evil.example)","position":"fixed","color":"red}body{display:none","width":"expression(1)"},"a{}b":{"color":"red"},"@import 'x'":{"color":"red"}},
		"sdk_ui_rules":{"#submit":{"borderRadius":"2px","color":"var(--x)"}},
		"transaction_details":[{"key":"last","value":"3"},{"key":"`+evil+`","value":"2","ui_configuration":{"position":2}},{"key":"first","value":"1","ui_configuration":{"position":1,"is_key_bold":true}}]}`, "description", `"`+evil+`"`)
	r := w.open(linkPath(p))
	require.Equal(t, 200, r.status, r.body)
	require.NotContains(t, r.body, "<script>alert")
	require.NotContains(t, r.body, "evil.example)")
	require.NotContains(t, r.body, "position:fixed")
	require.NotContains(t, r.body, "expression")
	require.NotContains(t, r.body, "red}body")
	require.NotContains(t, r.body, "@import")
	require.NotContains(t, r.body, "a{}b")
	require.Contains(t, r.body, "--go:#ff0000;--go-ink:#000000", "black text is easier to read on red")
	require.Contains(t, r.body, "#details{background-color:#abcdef;}")
	require.Contains(t, r.body, "#submit{border-radius:2px;}")
	require.Equal(t, 1, strings.Count(r.body, "<style"))
	require.Equal(t, 1, strings.Count(r.body, "<script"))
	require.Less(t, strings.Index(r.body, ">first<"), strings.Index(r.body, ">last<"))
	policy := r.header.Get("Content-Security-Policy")
	require.Contains(t, policy, "img-src https://cdn.example https://img.example;")
	require.NotContains(t, policy, "unsafe")

	empty := w.linkOf("payment_link_config", `{"payment_link_ui_rules":{"":{"color":"red"}}}`)
	require.Equal(t, 500, w.open(linkPath(empty)).status, "an empty selector")
	only := w.linkOf("payment_link_config", `{"display_sdk_only":true}`)
	require.NotContains(t, w.open(linkPath(only)).body, `id="details"`)
	skip := w.linkOf("payment_link_config", `{"skip_status_screen":true}`)
	paid := w.submit(linkPath(skip), cardForm("k", goodCard))
	require.Contains(t, paid.header.Get("Location"), "https://shop.example/done?")
	require.Contains(t, paid.header.Get("Location"), "status=succeeded")
	require.NotContains(t, paid.header.Get("Location"), "secret")
}

func TestLinkQR(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf()
	r := w.open("/payment_link/qr/" + merchant + "/" + p["payment_id"].(string))
	require.Equal(t, 200, r.status)
	require.Equal(t, "image/svg+xml", r.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(r.body, "<svg "))
	require.Equal(t, 404, w.open("/payment_link/qr/"+merchant+"/none").status)
	require.Contains(t, w.open(linkPath(p)).body, "<svg xmlns")
}

// TestLinkShowsSurcharges: the payer sees what each network costs before the form is sent.
func TestLinkShowsSurcharges(t *testing.T) {
	t.Parallel()
	w := charging(t)
	p := w.linkOf("amount", "1000", "currency", `"EUR"`)
	page := w.open(linkPath(p)).body
	require.Contains(t, page, `<li><span>Visa</span><bdi>+ EUR 0.30</bdi></li><li><span>Mastercard</span><bdi>+ EUR 0.30</bdi></li></ul>`, "no other network costs more")
	require.Equal(t, 303, w.submit(linkPath(p), cardForm(keyOf(t, page), goodCard)).status)
	require.Equal(t, 1030.0, w.get("/payments/" + p["payment_id"].(string)).ok()["net_amount"])
	status := w.open(statusPath(p)).body
	require.Contains(t, status, "EUR 10.30")
	require.NotContains(t, status, "+ EUR 0.30")
}

// TestLinkRefusesBlockedCard: a card that the merchant does not accept is refused before any call of a processor, and the page says so.
func TestLinkRefusesBlockedCard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ setUp, number, text string }{
		"a listed BIN":                 {number: goodCard, text: "unable to accept this card"},
		"card blocking of the profile": {setUp: `{"payment_method_blocking":{"card":{"card_types":["credit"]}}}`, number: "4242 4242 4242 4242", text: "Credit cards are not accepted"},
		"spaces and zeros do not hide": {number: "0004242-4242-4242-4242", text: "unable to accept this card"},
	} {
		w := newRisky(t)
		w.guarded(true)
		if c.setUp != "" {
			w.post("/account/m1/business_profile/"+w.profile, c.setUp).ok()
		} else {
			w.block("card_bin", "424242").ok()
		}
		p := w.linkOf()
		form := cardForm(keyOf(t, w.open(linkPath(p)).body), c.number)
		answer := w.submit(linkPath(p), form)
		require.Equal(t, []any{303, statusPath(p)}, []any{answer.status, answer.header.Get("Location")}, "%s: %s", name, answer.body)
		status := w.open(statusPath(p)).body
		require.Contains(t, status, "Payment failed", name)
		require.Contains(t, status, c.text, "%s: the page says why", name)
		paid := w.get("/payments/" + p["payment_id"].(string)).ok()
		require.Equal(t, []any{"failed", "HE-03", nil}, []any{paid["status"], paid["error_code"], paid["connector"]}, name)
		require.Zero(t, w.operations(p["payment_id"].(string)), name)
		require.Equal(t, 303, w.submit(linkPath(p), form).status, "%s: the form again", name)
		require.Zero(t, w.operations(p["payment_id"].(string)), name)
	}
}

// TestLinkRefusesSuspiciousCard: after too many failures the guard refuses the card, and the page asks for another one. The payment stays.
func TestLinkRefusesSuspiciousCard(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	w.post("/account/m1/business_profile/"+w.profile, `{"card_testing_guard_config":{"card_ip_blocking_status":"disabled","card_ip_blocking_threshold":3,
		"guest_user_card_blocking_status":"enabled","guest_user_card_blocking_threshold":1,"customer_id_blocking_status":"disabled","customer_id_blocking_threshold":5,"card_testing_guard_expiry":3600}}`).ok()
	w.post("/payments", with(plain, "routing", `{"type":"single","data":"stripe"}`, numberOf, `"`+refusedCard+`"`)).ok()
	p := w.linkOf()
	answer := w.submit(linkPath(p), cardForm(keyOf(t, w.open(linkPath(p)).body), refusedCard))
	require.Equal(t, 422, answer.status)
	require.Contains(t, answer.body, "This card cannot be used here")
	require.Equal(t, 303, w.submit(linkPath(p), cardForm(keyOf(t, answer.body), goodCard)).status)
	require.Contains(t, w.open(statusPath(p)).body, "Payment successful")
}
