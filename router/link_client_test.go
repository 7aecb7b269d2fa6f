package router_test

import (
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// clientPath returns what the checkout's frame on a link's page calls.
func clientPath(p map[string]any) string {
	return "/payment_link/client/" + merchant + "/" + p["payment_id"].(string)
}

const linkCard = `{"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"737"}}}`

func (w *world) asks(path string) response {
	return w.send("GET", path, "", "", "Sec-Fetch-Site", "same-origin")
}

func (w *world) confirmsLink(path, key, body string) response {
	return w.send("POST", path, "", body, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "Idempotency-Key", key)
}

// The frame on a link's page pays once, and learns nothing of the customer.
func TestLinkClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf("customer_id", `"cus_7"`, "email", `"ada@example.com"`, "billing", `{"address":{"line1":"1 Harbour St","zip":"1050","country":"DK"}}`, "metadata", `{"order":"4711"}`)
	id := p["payment_id"].(string)
	page := w.open(linkPath(p))
	require.Contains(t, page.header.Get("Content-Security-Policy"), "frame-src 'self'")
	require.Contains(t, page.body, clientPath(p)[1:len("/payment_link/client")])
	frame := w.open("/checkout/v1/frame?type=payment&link=" + merchant + "%2F" + id)
	require.Contains(t, frame.header.Get("Content-Security-Policy"), "frame-ancestors 'self'")
	require.NotContains(t, frame.header.Get("Content-Security-Policy"), "frame-ancestors 'self' http")
	require.Equal(t, 404, w.open("/checkout/v1/frame?type=payment&link="+merchant+"%2Fnone").status)

	asked := w.asks(clientPath(p))
	require.Equal(t, "requires_payment_method", asked.ok()["status"])
	require.Empty(t, asked.ok()["customer_payment_methods"])
	for _, secret := range []string{p["client_secret"].(string), "cus_7", "ada@example", "Harbour", "4711", "1050"} {
		require.NotContains(t, asked.body, secret)
		require.NotContains(t, page.body, secret)
	}
	require.Equal(t, 403, w.send("GET", clientPath(p), "", "", "Sec-Fetch-Site", "cross-site").status)
	require.Equal(t, 403, w.send("POST", clientPath(p), "", linkCard, "Content-Type", "application/json", "Sec-Fetch-Site", "cross-site", "Idempotency-Key", "k").status)
	require.Equal(t, "IR_04", w.send("POST", clientPath(p), "", linkCard, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin").error()["code"], "without a key")
	require.Equal(t, 422, w.confirmsLink(clientPath(p), "k0", with(linkCard, "description", `"mine"`)).status, "the payer's device may not change it")
	require.Equal(t, 404, w.confirmsLink("/payment_link/client/"+merchant+"/none", "k", linkCard).status)
	require.Zero(t, w.operations(id))

	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() { w.confirmsLink(clientPath(p), "k1", linkCard) })
	}
	calls.Wait()
	paid := w.confirmsLink(clientPath(p), "k1", linkCard)
	require.Equal(t, map[string]any{"payment_id": id, "status": "succeeded", "to": statusPath(p)}, paid.ok())
	require.Equal(t, paid.body, w.confirmsLink(clientPath(p), "k2", linkCard).body, "another tab")
	require.Equal(t, paid.ok(), w.asks(clientPath(p)).ok())
	require.Equal(t, 1, w.operations(id))
	require.NotContains(t, w.logs.String(), "4242424242424242")

	app := w.linkOf("return_url", `"myshop://done"`, "payment_link_config", `{"skip_status_screen":true}`)
	require.Equal(t, statusPath(app), w.confirmsLink(clientPath(app), "k", linkCard).ok()["to"], "a browser does not open an app's address by itself")
	bank := w.linkOf("authentication_type", `"three_ds"`)
	require.Contains(t, w.confirmsLink(clientPath(bank), "k", strings.Replace(linkCard, "4242424242424242", "4000003800000446", 1)).ok()["to"], "/payments/redirect/")
	require.Equal(t, statusPath(bank), w.asks(clientPath(bank) + "?framed=1").ok()["to"], "banks refuse frames")
	require.Equal(t, 401, w.asks("/payment_link/client/nobody/"+id).status)
}

// TestLinkLeadsWhereTheMerchantSaid: a person with the link alone cannot change where the page leads the payer afterwards. The way back from the bank brings that
// person no client secret either.
func TestLinkLeadsWhereTheMerchantSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.linkOf()
	declined := strings.Replace(linkCard, "4242424242424242", "4000000000000002", 1)
	w.confirmsLink(clientPath(p), "k1", with(declined, "return_url", `"https://evil.example/done"`)).refused(422, "IR_06", "return_url is for the merchant's server")
	require.Equal(t, "https://shop.example/done", w.get("/payments/" + p["payment_id"].(string)).ok()["return_url"])
	require.Equal(t, "failed", w.confirmsLink(clientPath(p), "k2", with(declined, "return_url", `"https://shop.example/done"`)).ok()["status"], "it may be repeated")
	require.NotContains(t, w.open(statusPath(p)).body, "evil")

	for name, config := range map[string]string{"status": `{}`, "none": `{"skip_status_screen":true}`} {
		bank := w.linkOf("authentication_type", `"three_ds"`, "payment_link_config", config)
		to := w.confirmsLink(clientPath(bank), "k", strings.Replace(linkCard, "4242424242424242", "4000003800000446", 1)).ok()["to"].(string)
		hop, err := url.Parse(w.open(strings.TrimPrefix(to, publicURL)).header.Get("Location"))
		require.NoError(t, err)
		back := w.open(strings.TrimPrefix(hop.Query().Get("return_url"), publicURL) + "?result=decline")
		require.Equal(t, 302, back.status, back.body)
		location := back.header.Get("Location")
		require.Equal(t, name == "none", strings.HasPrefix(location, "https://shop.example/done?"), location)
		require.NotContains(t, location, "_secret", name)
	}
}

// Saved cards are for secure links with the proof alone.
func TestLinkSavedCards(t *testing.T) {
	t.Parallel()
	w := offering(t, `"connector_name":"stripe","connector_label":"a","payment_methods_enabled":`+cards)
	w.profileLinks(`{"allowed_domains":["shop.example"]}`)
	saved := w.post("/payments", with(plain, "customer_id", `"cus_7"`, "setup_future_usage", `"on_session"`,
		"customer_acceptance", `{"acceptance_type":"online","accepted_at":"2026-01-01T00:00:00Z","online":{"ip_address":"127.0.0.1","user_agent":"x"}}`)).ok()
	require.Equal(t, "succeeded", saved["status"])
	secure := func(p map[string]any) *url.URL {
		u, err := url.Parse(p["payment_link"].(map[string]any)["secure_link"].(string))
		require.NoError(t, err)
		return u
	}
	without := w.linkOf("customer_id", `"cus_7"`)
	require.Empty(t, secure(without).Query().Get("key"))
	p := w.linkOf("customer_id", `"cus_7"`, "payment_link_config", `{"enabled_saved_payment_method":true}`)
	key := secure(p).Query().Get("key")
	require.Len(t, key, 24)
	id := p["payment_id"].(string)
	require.Equal(t, p["payment_link"], w.get("/payments/" + id).ok()["payment_link"])
	record := w.get("/payment_link/" + p["payment_link"].(map[string]any)["payment_link_id"].(string)).ok()
	require.Equal(t, p["payment_link"].(map[string]any)["secure_link"], record["secure_link"])

	list := func(path string) []any { return w.asks(path).ok()["customer_payment_methods"].([]any) }
	require.Empty(t, list(clientPath(p)), "without the proof")
	require.Empty(t, list(clientPath(p)+"?key="+key[1:]+"x"))
	require.Empty(t, list(clientPath(without)+"?key="+key), "the proof of another link")
	other := w.linkOf("customer_id", `"cus_7"`, "payment_link_config", `{"enabled_saved_payment_method":true}`)
	require.Empty(t, list(clientPath(other)+"?key="+key), "the proof of another link")
	found := list(clientPath(p) + "?key=" + key)
	require.Len(t, found, 1)
	card := found[0].(map[string]any)
	require.Equal(t, "4242", card["payment_method_data"].(map[string]any)["card"].(map[string]any)["last4_digits"])

	framed := []string{"Sec-Fetch-Dest", "iframe", "Referer", "https://shop.example/"}
	require.Contains(t, w.open(secure(p).RequestURI(), framed...).body, "key="+key)
	require.NotContains(t, w.open(linkPath(p)+"?key="+key).body, key, "the open page offers none")
	require.Contains(t, w.open("/checkout/v1/frame?link="+merchant+"%2F"+id).header.Get("Content-Security-Policy"), "frame-ancestors 'self' shop.example")
	body := `{"payment_method":"card","payment_token":"` + card["payment_token"].(string) + `","payment_method_data":{"card_token":{"card_cvc":"737"}}}`
	require.Equal(t, "succeeded", w.confirmsLink(clientPath(p)+"?framed=1&key="+key, "k", body).ok()["status"])
}

// A payer pays what the page has shown. If the merchant has changed the order meanwhile, nothing is charged, and the page shows the new amount.
func TestLinkChargesWhatItShowed(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]struct{ update, shows string }{
		"amount": {`{"amount":7700}`, "USD 77.00"}, "less": {`{"amount":100}`, "USD 1.00"}, "currency": {`{"amount":6540,"currency":"EUR"}`, "EUR 65.40"},
		"tax": {`{"amount":6540,"order_tax_amount":60}`, "USD 66.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.linkOf()
			id := p["payment_id"].(string)
			before := w.open(linkPath(p)).body
			frame := html.UnescapeString(regexp.MustCompile(`"link":"([^"]+)"`).FindStringSubmatch(before)[1])
			frame = strings.NewReplacer(`\u0026`, "&", `\/`, "/", `\u002f`, "/").Replace(frame)
			require.Contains(t, frame, "seen=")
			client := frame[strings.Index(frame, "/payment_link"):]
			require.Equal(t, "requires_payment_method", w.asks(client).ok()["status"])
			w.post("/payments/"+id, change.update).ok()

			stale := w.submit(linkPath(p), cardForm(keyOf(t, before), goodCard, "seen", seenOf(t, before)))
			require.Equal(t, 303, stale.status)
			require.Equal(t, linkPath(p)+"?changed", stale.header.Get("Location"))
			require.Equal(t, linkPath(p)+"?changed", w.asks(client).ok()["to"])
			require.Equal(t, linkPath(p)+"?changed", w.confirmsLink(client, "k", linkCard).ok()["to"])
			require.Equal(t, linkPath(p)+"?changed", w.confirmsLink(client, "k", linkCard).ok()["to"], "not stored")
			require.Zero(t, w.operations(id))

			now := w.open(linkPath(p) + "?changed").body
			require.Contains(t, now, change.shows)
			require.Contains(t, now, "The shop has changed the amount. Nothing was charged.")
			require.Equal(t, statusPath(p), w.submit(linkPath(p), cardForm(keyOf(t, now), goodCard, "seen", seenOf(t, now))).header.Get("Location"))
			require.Equal(t, "succeeded", w.get("/payments/" + id).ok()["status"])
			require.Equal(t, statusPath(p), w.confirmsLink(client, "k3", linkCard).ok()["to"], "a tab of before shows how the payment stands")
		})
	}
}

func seenOf(t testing.TB, page string) string {
	t.Helper()
	m := regexp.MustCompile(`name="seen" value="([^"]+)"`).FindStringSubmatch(page)
	require.NotNil(t, m, "the form does not say what the payer has seen: %s", page)
	return html.UnescapeString(m[1])
}

// Everyone with the link can ask its page to pay. So the page charges a card that the payer has typed, or a saved card with the proof of secure_link: never the
// card or the saved card that the merchant has given with the payment.
func TestLinkChargesNoCardOfAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	saved := w.post("/payments", with(plain, "customer_id", `"cus_1"`, "setup_future_usage", `"off_session"`,
		"customer_acceptance", `{"acceptance_type":"online","online":{"ip_address":"1.2.3.4","user_agent":"x"}}`)).ok()["payment_method_id"].(string)
	for name, p := range map[string]map[string]any{
		"kept card":    w.linkOf("payment_method", `"card"`, "payment_method_data", `{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"2050","card_cvc":"737"}}`),
		"saved method": w.linkOf("customer_id", `"cus_1"`, "currency", `"EUR"`, "setup_future_usage", `"off_session"`, "payment_method", `"card"`, "payment_token", `"`+saved+`"`),
	} {
		require.Equal(t, "requires_confirmation", p["status"], name)
		for i, body := range []string{`{}`, `{"payment_method":"card"}`, `{"card_cvc":"737"}`} {
			w.confirmsLink(clientPath(p), "k"+strconv.Itoa(i), body).refused(400, "IR_04", "payment_method_data")
		}
		w.confirmsLink(clientPath(p), "k", `{"payment_method":"card","payment_token":"`+saved+`"}`).refused(422, "IR_06", "payment_token")
		require.Zero(t, w.operations(p["payment_id"].(string)), name)
		require.Equal(t, "succeeded", w.confirmsLink(clientPath(p), "own", linkCard).ok()["status"], name)
	}
}
