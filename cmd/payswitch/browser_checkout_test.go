package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// checkoutShop is a shop on another origin than the switch's, whose page has the embedded checkout, and a payer's browser.
type checkoutShop struct {
	*tab
	sw      *running
	at      string // where the shop's page finds the switch
	pages   *httptest.Server
	key     string
	public  string
	profile string
	site    *shopSite
	number  *int
	said    *said
}

// shopSite is what the shop's server answers at /checkout: a page, and its Content-Security-Policy.
type shopSite struct{ page, policy string }

// said is what pages wrote to the console, and what the browser had to say about them.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (c *said) hear(ev any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventConsoleAPICalled:
		line := string(e.Type)
		for _, a := range e.Args {
			line += " " + string(a.Value) + a.Description
		}
		c.lines = append(c.lines, line)
	case *runtime.EventExceptionThrown:
		c.lines = append(c.lines, "exception: "+e.ExceptionDetails.Text+" "+e.ExceptionDetails.Exception.Description)
	case *log.EventEntryAdded:
		c.lines = append(c.lines, string(e.Entry.Level)+": "+e.Entry.Text)
	}
}

func (c *said) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}

// shopScript is the page of a shop: an element, a button, and what they said. The test fills in the words in capitals.
const shopScript = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><meta name="viewport" content="width=device-width">
<style>body{margin:0 auto;padding:16px;max-width:460px;font:16px system-ui;BODY}</style></head><body><h1>Shop</h1><div id="slot"></div><button id="pay">Pay</button>
<script src="SWITCH/HyperLoader.js"></script><script>
"use strict";
const events = [], answers = [];
const hyper = Hyper(KEY, HYPER), elements = hyper.elements({clientSecret: SECRET, ...GROUP});
const element = elements.create(TYPE, ELEMENT);
for (const e of ["ready", "focus", "blur", "change", "escape", "loaderror", "confirmTriggered", "completeDoThis"]) element.on(e, (d) => events.push([e, d]));
element.mount("#slot");
const pay = (more) => hyper.confirmPayment({elements, confirmParams: {return_url: location.origin + "/return"}, redirect: "if_required", ...more}).then((v) => answers.push(v));
document.getElementById("pay").onclick = () => pay();
</script></body></html>`

// requireCheckout fails if the checkout's scripts are not built.
func requireCheckout(t testing.TB) {
	t.Helper()
	_, err := os.Stat(root + "/router/checkout/assets/frame.js")
	require.NoError(t, err, "run make assets")
}

func newCheckoutShop(t *testing.T, settings ...string) *checkoutShop {
	t.Helper()
	requireCheckout(t)
	s := &checkoutShop{tab: newTab(t), number: new(int), said: &said{}, site: &shopSite{}}
	require.NoError(t, chromedp.Listen(s.ctx, s.said.hear))
	s.pages = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/checkout" {
			if s.site.policy != "" {
				w.Header().Set("Content-Security-Policy", s.site.policy)
			}
			fmt.Fprint(w, s.site.page)
			return
		}
		if r.URL.Path == "/stay" {
			w.WriteHeader(http.StatusNoContent) // a browser that is sent here stays where it is
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>Shop</title><p id=back data-status=\"%s\">Back at the shop", html.EscapeString(r.FormValue("status")))
	}))
	t.Cleanup(s.pages.Close)
	s.sw = start(t, append(append(testEnv(t, t.TempDir()), "PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms"), settings...), "serve")
	s.at = s.sw.url
	s.key = s.sw.shop("shop")
	var kinds []object
	for _, kind := range []string{"credit", "debit"} {
		kinds = append(kinds, object{"payment_method_type": kind, "card_networks": []string{"Visa", "Mastercard", "AmericanExpress", "CartesBancaires"},
			"minimum_amount": 0, "maximum_amount": 68607706, "recurring_enabled": true, "installment_payment_enabled": false})
	}
	s.sw.must(s.key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "simulator", "connector_label": "cards",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"},
		"payment_methods_enabled":   []object{{"payment_method": "card", "payment_method_types": kinds}}})
	s.sw.authenticateBy("shop", s.key, "simulator3ds", s.pages.URL)
	s.public, _ = s.sw.must(testAdminKey, "/accounts/shop", nil)["publishable_key"].(string)
	_, list := s.sw.list(s.key, "/account/shop/business_profile")
	s.profile, _ = list[0]["profile_id"].(string)
	s.set(object{"is_manual_retry_enabled": true})
	return s
}

// set changes the shop's profile.
func (s *checkoutShop) set(change object) {
	s.Helper()
	s.sw.must(s.key, "/account/shop/business_profile/"+s.profile, change)
}

// with returns the shop with the tab of a subtest.
func (s *checkoutShop) with(t *testing.T) *checkoutShop {
	sub := *s
	sub.tab = &tab{t, s.ctx}
	return &sub
}

// order makes a payment that waits for a card.
func (s *checkoutShop) order(change object) object {
	s.Helper()
	*s.number++
	o := object{"payment_id": fmt.Sprint("pay_checkout_", *s.number), "amount": 6540, "currency": "USD",
		"billing": object{"address": object{"first_name": "Ada", "last_name": "Lovelace", "line1": "1 Main St", "city": "Aarhus", "zip": "8000", "country": "DK"}}}
	for k, v := range change {
		o[k] = v
	}
	return s.sw.must(s.key, "/payments", o)
}

// secure returns the changes of an order that payswitch authenticates.
func secure() object {
	return object{"authentication_type": "three_ds", "request_external_three_ds_authentication": true}
}

// fill makes the shop's page for an order. words replaces the other words in capitals.
func (s *checkoutShop) fill(p object, words map[string]string) string {
	s.Helper()
	secret, _ := p["client_secret"].(string)
	all := map[string]string{"SWITCH": s.at, "KEY": quoted(s, s.public), "SECRET": quoted(s, secret), "TYPE": `"payment"`, "HYPER": "{}", "GROUP": "{}", "ELEMENT": "{}", "BODY": ""}
	for k, v := range words {
		all[k] = v
	}
	var pairs []string
	for k, v := range all {
		pairs = append(pairs, k, v)
	}
	return strings.NewReplacer(pairs...).Replace(shopScript)
}

func quoted(t testing.TB, v any) string {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// visit opens the shop's page for an order, and waits until the form is ready.
func (s *checkoutShop) visit(p object, words map[string]string) {
	s.Helper()
	s.site.page = s.fill(p, words)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	t, done := s.T, false
	t.Cleanup(func() {
		if !done {
			t.Log(s.said.all())
		}
	})
	s.await(`events.some((e) => e[0] === "ready")`)
	done = !t.Failed()
}

// frames returns the ids of the frames whose address has the text.
func (s *checkoutShop) frames(text string) []cdp.FrameID {
	s.Helper()
	var out []cdp.FrameID
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		tree, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return chromedp.Void{}, err
		}
		var walk func(n *page.FrameTree)
		walk = func(n *page.FrameTree) {
			if strings.Contains(n.Frame.URL, text) {
				out = append(out, n.Frame.ID)
			}
			for _, c := range n.ChildFrames {
				walk(c)
			}
		}
		walk(tree.FrameTree)
		return chromedp.Void{}, nil
	})
	return out
}

// within runs JavaScript in the frame whose address has the text, in a world of its own that shares the document. ok is false if there is no such frame.
func within[T any](s *checkoutShop, text, expression string) (value T, ok bool) {
	s.Helper()
	ids := s.frames(text)
	if len(ids) == 0 {
		return value, false
	}
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		world, err := cdp.Call(ctx, t, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: ids[len(ids)-1], WorldName: "test"})
		if err != nil {
			return chromedp.Void{}, nil // the frame has gone meanwhile
		}
		yes := true
		got, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes, AwaitPromise: &yes})
		if err != nil || got.ExceptionDetails != nil {
			return chromedp.Void{}, nil
		}
		ok = json.Unmarshal(got.Result.Value, &value) == nil
		return chromedp.Void{}, nil
	})
	return value, ok
}

const fieldsFrame, challengeFrame, bankFrame = "/checkout/v1/frame", "/checkout/v1/challenge", "/sim/acs/"

// awaitIn waits until an expression is true in a frame.
func (s *checkoutShop) awaitIn(frame, expression string) {
	s.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if v, ok := within[bool](s, frame, "Boolean("+expression+")"); ok && v {
			return
		}
		if time.Now().After(end) {
			s.shot(s.Name())
			text, _ := within[string](s, frame, "document.body.innerText")
			s.Fatalf("%s did not come true in %s, which shows: %s", expression, frame, text)
		}
	}
}

// keys types into a field of the frame, key by key.
func (s *checkoutShop) keys(selector, text string) {
	s.Helper()
	s.awaitIn(fieldsFrame, `document.querySelector("`+selector+`")`)
	_, ok := within[bool](s, fieldsFrame, `document.querySelector("`+selector+`").focus(), document.querySelector("`+selector+`").select?.(), true`)
	require.True(s, ok)
	s.do(chromedp.KeyEvent(text))
}

// card types a card with an expiry and a security code that are good.
func (s *checkoutShop) card(number string) {
	s.Helper()
	s.keys("[name=cardnumber]", number)
	s.keys("[name=exp-date]", "1050")
	s.keys("[name=cvc]", map[bool]string{true: "7373", false: "737"}[strings.HasPrefix(number, "37")])
}

// answered waits for the n-th answer of confirmPayment.
func (s *checkoutShop) answered(n int) object {
	s.Helper()
	s.await(fmt.Sprint("answers.length >= ", n))
	return script[object](s.tab, fmt.Sprint("answers[", n-1, "]"))
}

// shows returns the text of the frame that the payer sees.
func (s *checkoutShop) shows() string {
	s.Helper()
	text, _ := within[string](s, fieldsFrame, "document.body.innerText")
	return text
}

// retrieve asks the switch.
func (s *checkoutShop) retrieve(p object) object {
	s.Helper()
	id, _ := p["payment_id"].(string)
	return s.sw.must(s.key, "/payments/"+id+"?expand_attempts=true", nil)
}

func errorOf(o object) (kind, code string) {
	e, _ := o["error"].(map[string]any)
	kind, _ = e["type"].(string)
	code, _ = e["code"].(string)
	return kind, code
}

// TestCheckoutInABrowser pays with the embedded checkout in a shop's page.
func TestCheckoutInABrowser(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	for _, c := range []struct {
		name string
		run  func(s *checkoutShop)
	}{
		{"approved, and paid once by two presses", func(s *checkoutShop) {
			p := s.order(nil)
			s.visit(p, nil)
			s.shot("checkout-empty")
			s.card("4242424242424242")
			s.shot("checkout-filled")
			script[bool](s.tab, "pay(), pay(), true")
			require.Equal(s, "succeeded", s.answered(2)["status"])
			require.Equal(s, script[object](s.tab, "answers[0]"), script[object](s.tab, "answers[1]"))
			s.shot("checkout-succeeded")
			require.Contains(s, s.shows(), "Thank you")
			now := s.retrieve(p)
			require.Equal(s, "succeeded", now["status"])
			require.EqualValues(s, 1, now["attempt_count"])
			script[bool](s.tab, "pay(), true")
			require.Equal(s, "succeeded", s.answered(3)["status"], "nothing is sent again")
			require.EqualValues(s, 1, s.retrieve(p)["attempt_count"])
			s.do(chromedp.Reload())
			s.await(`events.some((e) => e[0] === "ready")`)
			require.Contains(s, s.shows(), "Thank you", "the form begins with the payment's status")
			s.everywhere("checkout-ended")
		}},
		{"declined, then another card", func(s *checkoutShop) {
			p := s.order(nil)
			s.visit(p, nil)
			s.card("4000000000000002")
			script[bool](s.tab, "pay(), true")
			kind, code := errorOf(s.answered(1))
			require.Equal(s, []string{"card_error", "card_declined"}, []string{kind, code})
			s.shot("checkout-declined")
			require.Empty(s, s.axe(fieldsFrame))
			require.Contains(s, s.shows(), "declined the card")
			cvc, _ := within[string](s, fieldsFrame, `document.querySelector("[name=cvc]").value`)
			require.Empty(s, cvc, "the code is cleared after each attempt")
			s.card("4242424242424242")
			script[bool](s.tab, "pay(), true")
			require.Equal(s, "succeeded", s.answered(2)["status"])
			require.EqualValues(s, 2, s.retrieve(p)["attempt_count"])
		}},
		{"what is missing has the focus and a message", func(s *checkoutShop) {
			s.visit(s.order(nil), nil)
			s.keys("[name=cardnumber]", "4242424242424241")
			script[bool](s.tab, "pay(), true")
			kind, _ := errorOf(s.answered(1))
			require.Equal(s, "validation_error", kind)
			s.shot("checkout-faults")
			require.Contains(s, s.shows(), "Check the card number")
			require.Contains(s, s.shows(), "Enter the expiry date")
			focus, _ := within[string](s, fieldsFrame, "document.activeElement.name")
			require.Equal(s, "cardnumber", focus)
		}},
		{"a co-badged card is paid over the network that the payer chooses", func(s *checkoutShop) {
			p := s.order(nil)
			s.visit(p, nil)
			s.card("4970003000000002")
			s.awaitIn(fieldsFrame, `document.querySelector(".networks")?.checkVisibility()`)
			s.shot("checkout-networks")
			within[bool](s, fieldsFrame, `[...document.querySelectorAll(".networks label")].find((l) => l.textContent === "Cartes Bancaires").click(), true`)
			script[bool](s.tab, "pay(), true")
			require.Equal(s, "succeeded", s.answered(1)["status"])
			data, _ := s.retrieve(p)["payment_method_data"].(map[string]any)
			card, _ := data["card"].(map[string]any)
			require.Equal(s, "CartesBancaires", card["card_network"])
		}},
		{"a card that the shop does not take", func(s *checkoutShop) {
			s.visit(s.order(nil), nil)
			s.keys("[name=cardnumber]", "6011000990139424")
			s.awaitIn(fieldsFrame, `document.body.innerText.includes("Discover cards are not taken here")`)
		}},
		{"to the processor's page and back", func(s *checkoutShop) {
			p := s.order(object{"authentication_type": "three_ds"})
			s.visit(p, nil)
			s.card("4242424242424242")
			script[bool](s.tab, "pay(), true")
			s.await(`document.querySelector("form button")`)
			script[bool](s.tab, `[...document.querySelectorAll("button")].find((b) => b.textContent.includes("Approve")).click(), true`)
			s.await("document.querySelector('#back')")
			require.Equal(s, "succeeded", s.retrieve(p)["status"])
		}},
		{"redirect always goes to the return URL with the status", func(s *checkoutShop) {
			p := s.order(nil)
			s.visit(p, nil)
			s.card("378282246310005")
			script[bool](s.tab, `pay({redirect: "always"}), true`)
			s.await("document.querySelector('#back')")
			require.Equal(s, "succeeded", script[string](s.tab, "document.querySelector('#back').dataset.status"))
			require.Equal(s, p["payment_id"], script[string](s.tab, `new URLSearchParams(location.search).get("payment_id")`))
			require.Equal(s, p["client_secret"], script[string](s.tab, `new URLSearchParams(location.search).get("payment_intent_client_secret")`))
		}},
		{"a return URL that is a script is refused", func(s *checkoutShop) {
			s.visit(s.order(nil), nil)
			script[bool](s.tab, `pay({confirmParams: {return_url: "javascript:alert(1)"}}), true`)
			kind, _ := errorOf(s.answered(1))
			require.Equal(s, "invalid_request_error", kind)
		}},
		{"a client secret that is wrong", func(s *checkoutShop) {
			s.site.page = s.fill(object{"client_secret": "pay_none_secret_wrong"}, nil)
			s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
			s.await(`events.some((e) => e[0] === "loaderror")`)
			script[bool](s.tab, "pay(), true")
			kind, _ := errorOf(s.answered(1))
			require.Contains(s, []string{"object_not_found", "invalid_request_error"}, kind)
			s.shot("checkout-unloadable")
		}},
		{"authenticated without a challenge, in place", func(s *checkoutShop) {
			p := s.order(secure())
			s.visit(p, nil)
			s.card("4000003000000006")
			script[bool](s.tab, "pay(), true")
			require.Equal(s, "succeeded", s.answered(1)["status"])
			require.Equal(s, "/checkout", script[string](s.tab, "location.pathname"))
		}},
		{"a challenge in a dialog", func(s *checkoutShop) {
			p := s.order(secure())
			s.visit(p, nil)
			s.card("4000003000700001")
			script[bool](s.tab, "pay(), true")
			s.awaitIn(bankFrame, "document.querySelector('#otp')")
			s.await("document.querySelector('dialog[open]')")
			for _, width := range []int64{320, 1000} {
				s.size(width, 720)
				s.shot(fmt.Sprint("checkout-challenge-", width))
				require.Empty(s, s.axe(challengeFrame))
			}
			within[bool](s, bankFrame, "document.querySelector('#otp').value = '1234', document.querySelector('#sendOtp').click(), true")
			require.Equal(s, "succeeded", s.answered(1)["status"])
			require.Equal(s, "/checkout", script[string](s.tab, "location.pathname"))
			require.False(s, script[bool](s.tab, "Boolean(document.querySelector('dialog'))"))
		}},
		{"a challenge that the bank refuses", func(s *checkoutShop) {
			s.visit(s.order(secure()), nil)
			s.card("4000003001720008")
			script[bool](s.tab, "pay(), true")
			kind, code := errorOf(s.answered(1))
			require.Equal(s, []string{"authentication_error", "failed"}, []string{kind, code})
		}},
		{"a challenge that the payer leaves", func(s *checkoutShop) {
			p := s.order(secure())
			s.visit(p, nil)
			s.card("4000003001700000")
			script[bool](s.tab, "pay(), true")
			s.awaitIn(bankFrame, "document.querySelector('#otp')")
			within[bool](s, challengeFrame, "document.querySelector('header button').click(), true")
			s.awaitIn(challengeFrame, "document.querySelector('.ask').checkVisibility()")
			s.shot("checkout-challenge-cancel")
			require.Empty(s, s.axe(challengeFrame))
			within[bool](s, challengeFrame, "document.querySelector('.ask button:not(.go)').click(), true")
			kind, code := errorOf(s.answered(1))
			require.Equal(s, []string{"authentication_error", "cancelled"}, []string{kind, code})
			require.Contains(s, s.shows(), "You cancelled")
			require.Equal(s, "failed", s.retrieve(p)["status"])
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(s.with(t)) })
	}
}
