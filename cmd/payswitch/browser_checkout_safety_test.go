package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// cuttingProxy stands between browsers and the switch. It can lose the answers of confirms, or lose them before the switch has them, or send them twice.
type cuttingProxy struct {
	*httptest.Server
	lose   atomic.Int32 // answers of the next confirms to lose
	before atomic.Int32 // confirms to lose before the switch sees them
	twice  atomic.Bool
	seen   atomic.Int32 // confirms
	down   atomic.Bool
	bodies atomic.Pointer[string] // what the last confirm sent
}

func newCuttingProxy(t *testing.T, to string) *cuttingProxy {
	target, err := url.Parse(to)
	require.NoError(t, err)
	p, forward := &cuttingProxy{}, httputil.NewSingleHostReverseProxy(target)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.down.Load() {
			panic(http.ErrAbortHandler)
		}
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/confirm") {
			forward.ServeHTTP(w, r)
			return
		}
		p.seen.Add(1)
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		p.bodies.Store(&text)
		if p.before.Add(-1) >= 0 {
			panic(http.ErrAbortHandler)
		}
		send := func() *httptest.ResponseRecorder {
			again := r.Clone(r.Context())
			again.Body = io.NopCloser(strings.NewReader(text))
			rec := httptest.NewRecorder()
			forward.ServeHTTP(rec, again)
			return rec
		}
		rec := send()
		if p.twice.Load() {
			rec = send()
		}
		if p.lose.Add(-1) >= 0 {
			panic(http.ErrAbortHandler) // the browser sees the connection close
		}
		for k, v := range rec.Header() {
			w.Header()[k] = v
		}
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}))
	t.Cleanup(p.Close)
	return p
}

// TestCheckoutLosesNoAnswer pays through a network that loses and doubles requests: one press is one payment, and no answer is guessed.
func TestCheckoutLosesNoAnswer(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	proxy := newCuttingProxy(t, s.sw.url)
	s.at = proxy.URL
	for _, c := range []struct {
		name    string
		prepare func()
		number  string
		status  string
	}{
		{"the answer is lost twice", func() { proxy.lose.Store(2) }, "4242424242424242", "succeeded"},
		{"every answer of the confirms is lost", func() { proxy.lose.Store(99) }, "4242424242424242", "succeeded"},
		{"the answer of a decline is lost", func() { proxy.lose.Store(1) }, "4000000000000002", "failed"},
		{"the requests are lost", func() { proxy.before.Store(3) }, "4242424242424242", "succeeded"},
		{"each request arrives twice", func() { proxy.twice.Store(true) }, "4242424242424242", "succeeded"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s.with(t)
			proxy.lose.Store(0)
			proxy.before.Store(0)
			proxy.twice.Store(false)
			p := s.order(nil)
			s.visit(p, nil)
			s.card(c.number)
			c.prepare()
			script[bool](s.tab, "pay(), true")
			if c.name == "every answer of the confirms is lost" {
				s.awaitIn(fieldsFrame, `document.body.innerText.includes("Please do not pay again")`)
				s.shot("checkout-asking")
			}
			answer := s.answered(1)
			now := s.retrieve(p)
			require.Equal(t, c.status, now["status"])
			require.EqualValues(t, 1, now["attempt_count"], "one press is one attempt")
			if c.status == "failed" {
				kind, code := errorOf(answer)
				require.Equal(t, []string{"card_error", "card_declined"}, []string{kind, code})
				return
			}
			require.Equal(t, c.status, answer["status"])
		})
	}
}

// TestCheckoutInTwoTabs: what another tab has paid is not paid again.
func TestCheckoutInTwoTabs(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(nil)
	s.visit(p, nil)
	s.card("4242424242424242")
	o := cardPayment("")
	s.sw.must(s.key, "/payments/"+p["payment_id"].(string)+"/confirm", object{"payment_method": "card", "payment_method_data": o["payment_method_data"]}) // the other tab
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.EqualValues(t, 1, s.retrieve(p)["attempt_count"])
	require.Contains(t, s.shows(), "Thank you")
}

// TestCheckoutReloaded begins with the payment's status: a payer who reloads during a challenge goes on with it.
func TestCheckoutReloaded(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(secure())
	s.visit(p, nil)
	s.card("4000003001700000")
	script[bool](s.tab, "pay(), true")
	s.awaitIn(bankFrame, "document.querySelector('#otp')")
	s.do(chromedp.Reload())
	s.await(`events.some((e) => e[0] === "ready")`)
	require.Contains(t, s.shows(), "still waits")
	s.shot("checkout-resume")
	script[bool](s.tab, "pay(), true")
	s.awaitIn(bankFrame, "document.querySelector('#otp')")
	within[bool](s, bankFrame, "document.querySelector('#otp').value = '1234', document.querySelector('#sendOtp').click(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.EqualValues(t, 1, s.retrieve(p)["attempt_count"])
}

// TestCheckoutKeepsSecrets types a marked card and looks for it wherever the shop's page, another page or a log could.
func TestCheckoutKeepsSecrets(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t, "PAYSWITCH_LOG__LEVEL=debug")
	proxy := newCuttingProxy(t, s.sw.url)
	s.at = proxy.URL
	spy := `<script>window.heard = [];
const post = MessagePort.prototype.postMessage, all = (m) => { try { heard.push(JSON.stringify(m)); } catch { heard.push(String(m)); } };
MessagePort.prototype.postMessage = function (...a) { all(a[0]); return post.apply(this, a); };
const on = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
Object.defineProperty(MessagePort.prototype, "onmessage", {set(f) { on.set.call(this, (e) => { all(e.data); f(e); }); }});
addEventListener("message", (e) => all(e.data));
</script><script src=`
	p := s.order(nil)
	s.site.page = strings.Replace(s.fill(p, nil), "<script src=", spy, 1)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`events.some((e) => e[0] === "ready")`)
	s.card("5555555555554444")
	// Messages that are not the loader's change nothing, and are not answered.
	script[bool](s.tab, `(() => { const f = document.querySelector("iframe").contentWindow, c = new MessageChannel(); c.port1.onmessage = (e) => heard.push("answered");
		f.postMessage(0, "*", [c.port2]); c.port1.postMessage({t: "options", o: {options: {}}}); f.postMessage({t: "confirm", n: 1, o: {}}, "*"); return true; })()`)
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.Contains(t, *proxy.bodies.Load(), "5555555555554444", "the test sees what is sent")
	heard := script[string](s.tab, "heard.join('\\n')")
	require.Contains(t, heard, `"succeeded"`, "the test hears the port")
	require.NotContains(t, heard, "answered", "the frame takes one port alone")
	for what, text := range map[string]string{"messages": heard, "page": script[string](s.tab, "document.documentElement.outerHTML + JSON.stringify(events) + JSON.stringify(answers) + location.href"),
		"storage": script[string](s.tab, "JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie"), "console": s.said.all()} {
		for _, secret := range []string{"5555555555554444", "5555 5555 5555 4444", "55555555", "10 / 50"} {
			require.NotContains(t, text, secret, what)
		}
		require.NotRegexp(t, `["'=]1050\b|\b737\b`, text, what) // the same digits may stand in a random id
	}
	left, _ := within[string](s, fieldsFrame, `[...document.querySelectorAll("input")].map((i) => i.value).join() + location.href + JSON.stringify({...localStorage, ...sessionStorage}) + document.cookie`)
	require.NotContains(t, left, "5555")
	require.NotContains(t, left, "secret_", "the frame's address holds no secret")
	require.NotContains(t, s.said.all(), "Content Security Policy")
	_, log := s.sw.stop()
	require.NotContains(t, log, "5555555555554444")
	require.NotContains(t, log, "_secret_")
}

// TestCheckoutFramedByStrangers: a page that the profile does not name gets no form.
func TestCheckoutFramedByStrangers(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(nil)
	s.set(object{"checkout_origins": []string{"https://shop.example"}})
	s.site.page = s.fill(p, nil)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`document.querySelector("iframe")`)
	require.Eventually(t, func() bool { return strings.Contains(s.said.all(), "frame-ancestors") }, patience, patience/300, "the browser refuses")
	require.False(t, script[bool](s.tab, `events.some((e) => e[0] === "ready")`))
	_, ok := within[bool](s, fieldsFrame, "document.querySelector('input') !== null || undefined")
	require.False(t, ok)
	s.set(object{"checkout_origins": []string{s.pages.URL}})
	s.site.page = s.fill(p, map[string]string{"HYPER": "{isForceInit: true}", "KEY": `{publishableKey: ` + quoted(t, s.public) + `, profileId: ` + quoted(t, s.profile) + `}`})
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`events.some((e) => e[0] === "ready")`)
	// Under a strict policy of the shop, the two words of the guide are enough.
	s.site.policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' " + s.at + "; frame-src " + s.at
	s.visit(p, map[string]string{"KEY": `{publishableKey: ` + quoted(t, s.public) + `, profileId: ` + quoted(t, s.profile) + `}`})
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
}

// framing is a page that frames the form without the loader: the address names no key, and the port then brings the shop's.
const framing = `<!doctype html><body><script>
	const heard = [], frame = document.createElement("iframe"), channel = new MessageChannel();
	channel.port1.onmessage = (e) => heard.push(e.data.t + " " + (e.data.e || ""));
	frame.onload = () => {
		frame.contentWindow.postMessage(0, "*", [channel.port2]);
		channel.port1.postMessage({t: "options", o: {group: "g", CREDENTIALS, options: {}}});
	};
	frame.src = "SWITCH/checkout/v1/frame?" + new URLSearchParams({type: "payment", key: "", profile: "", origin: location.origin, locale: "en"});
	document.body.append(frame);
</script>`

// TestCheckoutFramedByAddress: a page that the profile does not name gets no form either if it leaves the key out of the frame's address.
func TestCheckoutFramedByAddress(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(nil)
	for name, credentials := range map[string]string{"key": "key: " + quoted(t, s.public) + ", secret: " + quoted(t, p["client_secret"]), "token": "token: " + quoted(t, p["sdk_authorization"])} {
		s.site.page = strings.NewReplacer("SWITCH", s.at, "CREDENTIALS", credentials).Replace(framing)
		for _, c := range []struct{ origin, says string }{{s.pages.URL, "event ready"}, {"https://shop.example", "event loaderror"}} {
			s.set(object{"checkout_origins": []string{c.origin}})
			s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
			s.await(`heard.includes("event ready") || heard.includes("event loaderror")`)
			require.True(t, script[bool](s.tab, "heard.includes("+quoted(t, c.says)+")"), "%s for %s: %s", name, c.origin, script[string](s.tab, "heard.join()"))
			fields, _ := within[bool](s, fieldsFrame, "document.querySelector('input') !== null")
			require.Equal(t, c.origin == s.pages.URL, fields, "fields")
		}
	}
}

// TestCheckoutSavedCards saves a card with the payer's consent, pays with it, and manages it.
func TestCheckoutSavedCards(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.sw.must(s.key, "/customers", object{"customer_id": "cus_1", "email": "ada@example.com"})
	known := object{"customer_id": "cus_1"}
	box, nickname := `document.querySelector(".CheckboxInput")`, `document.querySelector(".f-nickname input")`
	shown := func(s *checkoutShop, expression string) bool {
		v, _ := within[bool](s, fieldsFrame, expression+"?.checkVisibility() === true")
		return v
	}
	for name, c := range map[string]struct {
		order  object
		option string
		box    bool
		sent   bool // customer_acceptance, with the box ticked if it is there
	}{
		"a guest":                        {nil, "", false, false},
		"a known customer":               {known, "", true, true},
		"a known customer, not asked":    {known, "displaySavedPaymentMethodsCheckbox: false", false, false},
		"off session":                    {object{"customer_id": "cus_1", "setup_future_usage": "off_session"}, "", true, true},
		"off session, not asked":         {object{"customer_id": "cus_1", "setup_future_usage": "off_session"}, "displaySavedPaymentMethodsCheckbox: false", false, true},
		"a card is set up":               {object{"customer_id": "cus_1", "setup_future_usage": "off_session", "amount": 0}, "", false, true},
		"always":                         {known, "alwaysSendCustomerAcceptance: true, displaySavedPaymentMethodsCheckbox: false", false, true},
		"always, a guest":                {nil, "alwaysSendCustomerAcceptance: true", false, false},
		"off session, the box is hidden": {object{"customer_id": "cus_1", "setup_future_usage": "off_session"}, "alwaysSendCustomerAcceptance: true, displaySavedPaymentMethodsCheckbox: false", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.with(t)
			proxy := newCuttingProxy(t, s.sw.url)
			s.at = proxy.URL
			p := s.order(c.order)
			s.visit(p, map[string]string{"ELEMENT": "{displaySavedPaymentMethods: false, " + c.option + "}"})
			require.Equal(t, c.box, shown(s, box))
			s.card("4242424242424242")
			if c.box {
				checked, _ := within[bool](s, fieldsFrame, box+".checked")
				require.False(t, checked, "consent is never ticked for the payer")
				within[bool](s, fieldsFrame, box+".click(), true")
				require.True(t, shown(s, nickname))
				s.keys(".f-nickname input", "Blue")
			}
			script[bool](s.tab, "pay(), true")
			require.Equal(t, "succeeded", s.answered(1)["status"])
			require.Equal(t, c.sent, strings.Contains(*proxy.bodies.Load(), "customer_acceptance"), "customer_acceptance")
		})
	}
	p := s.order(known)
	s.visit(p, nil)
	s.everywhere("checkout-saved")
	require.Contains(t, s.shows(), "•••• 4242")
	require.Contains(t, s.shows(), "Blue")
	require.False(t, shown(s, `document.querySelector("[name=cardnumber]")`), "a saved card is chosen")
	within[bool](s, fieldsFrame, `[...document.querySelectorAll("input[type=radio]")].pop().click(), true`)
	require.True(t, shown(s, `document.querySelector("[name=cardnumber]")`))
	s.keys("[name=cardnumber]", "4242")
	within[bool](s, fieldsFrame, `document.querySelector("input[type=radio]").click(), true`)
	hidden, _ := within[string](s, fieldsFrame, `document.querySelector("[name=cardnumber]").value`)
	require.Empty(t, hidden, "hidden fields hold nothing")
	if has, _ := within[bool](s, fieldsFrame, `document.querySelector(".inline input") !== null`); has {
		s.keys(".inline input", "737")
	}
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])

	epk, _ := s.sw.must(s.key, "/ephemeral_keys", object{"customer_id": "cus_1"})["secret"].(string)
	require.NotEmpty(t, epk)
	s.visit(s.order(nil), map[string]string{"TYPE": `"paymentMethodsManagement"`, "GROUP": "{clientSecret: undefined, ephemeralKey: " + quoted(t, epk) + "}"})
	s.everywhere("checkout-manage")
	require.Contains(t, s.shows(), "•••• 4242")
	within[bool](s, fieldsFrame, `[...document.querySelectorAll("button")].find((b) => b.textContent === "Remove").click(), true`)
	require.Contains(t, s.shows(), "Remove this card?")
	s.shot("checkout-manage-remove")
	require.Empty(t, s.axe(fieldsFrame))
	within[bool](s, fieldsFrame, `document.querySelector(".ask .bad").click(), true`)
	s.awaitIn(fieldsFrame, `document.body.innerText.includes("no saved cards")`)
	s.everywhere("checkout-manage-empty")
}
