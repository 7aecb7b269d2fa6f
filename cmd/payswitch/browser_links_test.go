package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// linkShop is a switch with a shop that sells by payment links, and a payer's browser.
type linkShop struct {
	*tab
	sw       *running
	key      string
	shop     *httptest.Server // the page to which payers return, and pages with frames
	framed   string           // the address in the shop's frame
	returned chan string
}

func newLinkShop(t *testing.T) *linkShop {
	s := &linkShop{tab: newTab(t), sw: start(t, testEnv(t, t.TempDir()), "serve"), returned: make(chan string, 10)}
	s.key = s.sw.shop("shop")
	s.shop = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/done" {
			s.returned <- r.URL.RawQuery
		}
		w.Header().Set("Content-Type", "text/html")
		frame := ""
		if r.URL.Path == "/frame" {
			frame = `<iframe title=pay id=pay width=900 height=700 src="` + s.framed + `"></iframe><script>told=[];addEventListener("message",(e)=>told.push(e.data))</script>`
		}
		_, _ = w.Write([]byte(`<!doctype html><html lang=en><title>Shop</title><main><h1>Shop</h1>` + frame + `</main>`))
	}))
	t.Cleanup(s.shop.Close)
	return s
}

// link makes a payment with a link, and returns the link.
func (s *linkShop) link(change object) object {
	s.Helper()
	o := object{"amount": 6540, "currency": "USD", "payment_link": true, "return_url": s.shop.URL + "/done", "description": "Two books and a lamp",
		"order_details": []object{{"product_name": "lamp", "quantity": 1, "amount": 2000}, {"product_name": "the tale of a very long title, in two volumes", "quantity": 2, "amount": 1500},
			{"product_name": "pen", "quantity": 3, "amount": 100}, {"product_name": "ink", "quantity": 1, "amount": 400}},
		"payment_link_config": object{"seller_name": "bright books", "transaction_details": []object{{"key": "Order", "value": "4711", "ui_configuration": object{"is_value_bold": true}}}}}
	for k, v := range change {
		o[k] = v
	}
	return s.sw.must(s.key, "/payments", o)
}

func linkIn(p object, key string) string {
	l, _ := p["payment_link"].(map[string]any)
	s, _ := l[key].(string)
	return s
}

func (s *linkShop) visit(url string) { s.do(chromedp.Navigate(url)) }

// embedded returns the checkout's frame on the page of a link.
func (s *linkShop) embedded() *checkoutShop { return &checkoutShop{tab: s.tab, said: &said{}} }

// pays fills the form in and sends it as a payer does: in the checkout's frame where the page's scripts run, else in the plain form.
func (s *linkShop) pays(scripts bool, number string) {
	s.Helper()
	s.await("document.querySelector('#card')")
	if scripts {
		s.awaitReady()
		s.embedded().card(number)
		s.press("#submit")
		return
	}
	const part = "document"
	for id, v := range map[string]string{"card_number": number, "card_expiry": "10 / 50", "card_cvc": "737", "card_holder_name": "Ada Lovelace"} {
		script[bool](s.tab, part+`.querySelector("#`+id+`").value = "`+v+`", true`)
	}
	script[bool](s.tab, part+`.querySelector("#submit").click(), true`)
}

// scripts switches the scripts of pages on or off.
func (s *linkShop) scripts(on bool) {
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return chromedp.Void{}, err
	})
}

// block makes the browser refuse what these addresses name.
func (b *tab) block(addresses ...string) {
	b.Helper()
	var patterns []*network.BlockPattern
	for _, a := range addresses {
		patterns = append(patterns, &network.BlockPattern{URLPattern: a, Block: true})
	}
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if _, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{}); err != nil {
			return chromedp.Void{}, err
		}
		_, err := cdp.Call(ctx, t, network.SetBlockedURLs, network.SetBlockedURLsParams{URLPatterns: patterns})
		return chromedp.Void{}, err
	})
}

// speaks sets the browser's language.
func (s *linkShop) speaks(language string) {
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": language}})
		return chromedp.Void{}, err
	})
}

// awaitReady waits until the checkout's frame has drawn its form.
func (s *linkShop) awaitReady() {
	s.Helper()
	s.embedded().awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready] [name=cardnumber]")`)
}

func (s *linkShop) title(text string) {
	s.Helper()
	s.await(`document.querySelector("h1") && document.querySelector("h1").textContent.includes("` + text + `")`)
}

// TestPaymentLinkInABrowser pays links with and without scripts, at every width and in both colours.
func TestPaymentLinkInABrowser(t *testing.T) {
	costly(t)
	s := newLinkShop(t)
	for _, scripts := range []bool{true, false} {
		s.scripts(scripts)
		name := map[bool]string{true: "link", false: "link-plain"}[scripts]
		p := s.link(nil)
		s.visit(linkIn(p, "link"))
		s.title("Pay USD 65.40")
		if scripts {
			s.awaitReady()
		}
		s.looked(name + "-form")
		s.size(390, 800)
		s.await(`!document.querySelector(".code").checkVisibility()`) // a telephone needs no QR code of its own page
		s.size(1000, 800)
		s.await(`document.querySelector(".code").checkVisibility()`)
		s.pays(scripts, "4242424242424241")
		if scripts {
			s.embedded().awaitIn(fieldsFrame, `document.body.innerText.includes("Check the card number")`)
			require.Empty(t, s.embedded().axe(fieldsFrame))
			require.False(t, script[bool](s.tab, `document.querySelector("#fields").checkVisibility()`), "the plain form has gone")
			s.await(`!document.querySelector("#submit").disabled`)
		} else {
			s.await(`document.querySelector("#card_number_wrong")`)
			require.Empty(t, script[string](s.tab, `document.querySelector("#card_number").value`))
		}
		s.looked(name + "-wrong")
		s.pays(scripts, "4242424242424242")
		s.title("Payment successful")
		require.Equal(t, "/payment_link/status/shop/"+p["payment_id"].(string), script[string](s.tab, "location.pathname + location.search"), "no card in an address")
		s.looked(name + "-paid")
		require.Contains(t, <-s.returned, "status=succeeded", "the page leads back to the shop by itself")
		s.await(`location.pathname === "/done"`)
		s.tab.back()
		s.visit(linkIn(p, "link"))
		s.title("Payment successful")
		require.Equal(t, "succeeded", s.sw.must(s.key, "/payments/"+p["payment_id"].(string), nil)["status"])

		changed := s.link(nil)
		s.visit(linkIn(changed, "link"))
		if scripts {
			s.awaitReady()
		}
		s.sw.must(s.key, "/payments/"+changed["payment_id"].(string), object{"amount": 7700})
		s.pays(scripts, "4242424242424242")
		s.title("Pay USD 77.00")
		s.await(`document.body.innerText.includes("The shop has changed the amount")`)
		if scripts {
			s.awaitReady()
		}
		s.pays(scripts, "4242424242424242")
		s.title("Payment successful")

		refused := s.link(object{"order_details": nil})
		s.visit(linkIn(refused, "link"))
		s.pays(scripts, "4000000000000002")
		s.title("Payment failed")
		s.looked(name + "-failed")

		bank := s.link(object{"authentication_type": "three_ds"})
		s.visit(linkIn(bank, "link"))
		s.pays(scripts, "4242424242424242")
		s.await(`document.querySelector("button.approve")`)
		s.visit(linkIn(bank, "link"))
		s.title("Your bank wants to confirm")
		s.looked(name + "-bank")
		script[bool](s.tab, `document.querySelector("#bank").click(), true`)
		s.await(`document.querySelector("button.approve")`)
		script[bool](s.tab, `document.querySelector("button.approve").click(), true`)
		s.title("Payment successful")
	}
	s.scripts(true)
	p := s.link(nil)
	s.sw.must(s.key, "/payments/"+p["payment_id"].(string)+"/cancel", object{})
	s.visit(linkIn(p, "link"))
	s.title("Payment cancelled")
	s.looked("link-cancelled")

	for _, language := range []string{"ar", "he", "de", "ja"} {
		s.speaks(language)
		s.visit(linkIn(s.link(nil), "link"))
		s.await(`document.documentElement.lang === "` + language + `"`)
		s.awaitReady()
		require.Equal(t, language == "ar" || language == "he", script[bool](s.tab, `getComputedStyle(document.body).direction === "rtl"`))
		s.looked("link-" + language)
	}
	s.speaks("en")
	branded := s.link(object{"payment_link_config": object{"theme": "#E11D48", "seller_name": "rose & sons", "background_colour": "#FFF1F2", "payment_button_text": "Send the flowers",
		"details_layout": "layout2", "payment_form_header_text": "Your card", "custom_message_for_card_terms": "We charge your card once.", "payment_form_label_type": "never"}})
	s.visit(linkIn(branded, "link"))
	s.title("Your card")
	s.awaitReady()
	s.looked("link-branded")
	require.Equal(t, "rgb(225, 29, 72)", script[string](s.tab, `getComputedStyle(document.querySelector("#submit")).backgroundColor`))
	s.visit(linkIn(s.link(object{"payment_link_config": object{"display_sdk_only": true}}), "link"))
	s.await(`document.querySelector("main.alone")`)
	s.awaitReady()
	s.colours("dark") // the payer's device turns dark while the page is open
	s.embedded().awaitIn(fieldsFrame, `getComputedStyle(document.querySelector(".Label")).color === "rgb(233, 236, 243)"`)
	s.shot("link-form-only-dark")
	require.Empty(t, s.embedded().axe(fieldsFrame))
	s.colours("light")
	s.looked("link-form-only")

	// The page of a collect link saves a card in the same frame. No security code is asked for.
	s.sw.must(s.key, "/customers", object{"customer_id": "cus_collect"})
	collect := s.sw.must(s.key, "/payment_methods/collect", object{"customer_id": "cus_collect", "merchant_name": "bright books"})
	s.visit(collect["link"].(string))
	s.awaitReady()
	s.looked("link-collect")
	require.Empty(t, s.embedded().axe(fieldsFrame))
	require.Contains(t, s.embedded().shows(), "you allow Bright books to charge it")
	s.embedded().keys("[name=cardnumber]", "4242424242424242")
	s.embedded().keys("[name=exp-date]", "1050")
	s.press("#submit")
	s.title("Your card is saved")
	saved := s.sw.must(s.key, "/customers/cus_collect/payment_methods", nil)
	require.Len(t, saved["customer_payment_methods"], 1)

	// Where the frame cannot load, the plain form comes back and pays.
	s.block("*://*:*/HyperLoader.js")
	s.visit(linkIn(s.link(nil), "link"))
	s.await(`document.querySelector("#fields").checkVisibility()`)
	s.pays(false, "4242424242424242")
	s.title("Payment successful")
}

// holds makes the browser wait for the answers of these addresses; none lets all go on.
func (b *tab) holds(addresses ...string) {
	b.Helper()
	b.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if len(addresses) == 0 {
			_, err := cdp.Call(ctx, t, fetch.Disable, cdp.Empty{})
			return chromedp.Void{}, err
		}
		var patterns []*fetch.RequestPattern
		for _, a := range addresses {
			patterns = append(patterns, &fetch.RequestPattern{URLPattern: a})
		}
		_, err := cdp.Call(ctx, t, fetch.Enable, fetch.EnableParams{Patterns: patterns})
		return chromedp.Void{}, err
	})
}

// TestSlowLinkInABrowser: on a slow network the button waits until the page has its fields, whichever part of the checkout is late.
func TestSlowLinkInABrowser(t *testing.T) {
	costly(t)
	s := newLinkShop(t)
	open := func() { // Navigate would wait for the late part
		link := linkIn(s.link(nil), "link")
		script[bool](s.tab, `location.href = "`+link+`", true`)
		s.await(`location.href === "` + link + `"`)
	}

	// A loader that never comes leaves the payer the plain form. This stands first: later the browser has the loader in its cache.
	s.holds("*/HyperLoader.js*")
	open()
	s.await(`document.querySelector("#fields").hidden && document.querySelector("#submit").disabled`)
	s.await(`document.querySelector("#fields").checkVisibility() && !document.querySelector("#submit").disabled`)
	s.pays(false, "4242424242424242")
	s.title("Payment successful")

	for _, late := range []string{"*/HyperLoader.js*", "*/checkout/v1/frame*", "*/payment_link/client/*"} {
		s.holds(late)
		open()
		s.await(`document.querySelector("#card #checkout")`)
		time.Sleep(300 * time.Millisecond)
		require.True(t, script[bool](s.tab, `document.querySelector("#submit").disabled && !document.querySelector("#fields").checkVisibility()`), late)
		s.shot("link-slow")
		s.holds()
		s.awaitReady()
		s.await(`!document.querySelector("#submit").disabled`)
	}
	s.pays(true, "4242424242424242")
	s.title("Payment successful")

	// Without scripts the fields are part of the page, and the button works.
	s.scripts(false)
	s.visit(linkIn(s.link(nil), "link"))
	s.await(`document.querySelector("#fields").checkVisibility() && !document.querySelector("#submit").disabled`)
	s.scripts(true)
}

// TestSecureLinkInABrowser: pages of allowed domains frame a link and hear its end. In another page the frame stays empty.
func TestSecureLinkInABrowser(t *testing.T) {
	costly(t)
	s := newLinkShop(t)
	profile := s.sw.must(testAdminKey, "/accounts/shop", nil)["default_profile"].(string)
	allow := func(domain string) {
		s.sw.must(testAdminKey, "/account/shop/business_profile/"+profile, object{"payment_link_config": object{"allowed_domains": []string{domain}}})
	}
	allow(strings.TrimPrefix(s.shop.URL, "http://"))
	p := s.link(nil)
	s.framed = linkIn(p, "secure_link")
	s.visit(s.shop.URL + "/frame")
	s.await(`document.querySelector("iframe")`)
	s.shot("link-framed")
	s.sw.must(s.key, "/payments/"+p["payment_id"].(string)+"/cancel", object{})
	s.visit(s.shop.URL + "/frame")
	s.await(`told.some((m) => m.payment && m.payment.status === "cancelled")`)

	// The merchant's own page shows its customer's saved cards, by the proof in the address.
	customer := object{"customer_id": "cus_1", "setup_future_usage": "on_session", "customer_acceptance": object{"acceptance_type": "online",
		"accepted_at": "2026-01-01T00:00:00Z", "online": object{"ip_address": "127.0.0.1", "user_agent": "x"}}}
	kind := object{"payment_method_type": "credit", "card_networks": []string{"Visa", "Mastercard"}}
	s.sw.must(s.key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "simulator", "connector_label": "cards",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"},
		"payment_methods_enabled":   []object{{"payment_method": "card", "payment_method_types": []object{kind}}}})
	paid := cardPayment("pay_saves")
	for k, v := range customer {
		paid[k] = v
	}
	require.Equal(t, "succeeded", s.sw.must(s.key, "/payments", paid)["status"])
	p = s.link(object{"customer_id": "cus_1", "payment_link_config": object{"enabled_saved_payment_method": true}})
	s.framed = linkIn(p, "secure_link")
	s.visit(s.shop.URL + "/frame")
	form := s.embedded()
	form.awaitIn(fieldsFrame, `document.body.innerText.includes("•••• 4242")`)
	s.shot("link-framed-saved")
	if asks, _ := within[bool](form, fieldsFrame, `document.querySelector(".inline input") !== null`); asks {
		form.keys(".inline input", "737")
	}
	within[bool](form, "/payment_link/s/", `document.querySelector("#submit").click(), true`)
	s.await(`told.some((m) => m.payment && m.payment.status === "succeeded")`)
	s.shot("link-framed-paid")

	allow("another.example")
	p = s.link(nil)
	s.sw.must(s.key, "/payments/"+p["payment_id"].(string)+"/cancel", object{})
	s.framed = s.sw.url + "/payment_link/status/shop/" + p["payment_id"].(string)
	s.visit(s.shop.URL + "/frame")
	s.await(`document.readyState === "complete"`)
	require.False(t, script[bool](s.tab, `told.length > 0`), "the browser shows nothing in the frame of another page")
}
