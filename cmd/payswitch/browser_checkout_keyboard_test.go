package main

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// focused says where the keyboard's focus is: in the shop's page, in the form, in the dialog around the bank's page, or in the bank's page.
func (s *checkoutShop) focused() string {
	s.Helper()
	const here = `((e) => /^(radio|checkbox)$/.test(e.type) ? e.type : /^(IFRAME|MAIN|BODY)$/.test(e.tagName) ? e.tagName : e.name || e.textContent.trim() || e.className)(document.activeElement)`
	at := script[string](s.tab, `((e) => e.closest("dialog") ? "dialog" : e.tagName)(document.activeElement)`)
	for _, c := range []struct{ tag, name, frame string }{{"IFRAME", "form: ", fieldsFrame}, {"dialog", "dialog: ", challengeFrame}, {"dialog: IFRAME", "bank: ", bankFrame}} {
		if at == c.tag {
			inner, _ := within[string](s, c.frame, here)
			at = c.name + inner
		}
	}
	return at
}

// focuses presses keys, and waits until the focus is at a place.
func (s *checkoutShop) focuses(place, keys string) {
	s.Helper()
	if keys != "" {
		s.do(chromedp.KeyEvent(keys))
	}
	at := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if at = s.focused(); at == place {
			return
		}
	}
	s.shot(s.Name())
	require.Equal(s, place, at, "after %q", keys)
}

// TestCheckoutPress: a payer leaves a wrong field by pressing the shop's button below the form. The button stays under the pointer until the press has ended:
// what is wrong shows only afterwards.
func TestCheckoutPress(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.visit(s.order(nil), nil)
	s.card("4242424242424242")
	s.keys("[name=cvc]", "73")
	script[bool](s.tab, `document.querySelector("button").onclick = () => pay(), true`)
	at := script[[]float64](s.tab, `((b) => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector("button").getBoundingClientRect())`)
	frame := script[float64](s.tab, `document.querySelector("iframe").getBoundingClientRect().bottom`)
	require.Greater(t, at[1], frame, "the button is below the form")
	s.do(chromedp.MouseEvent(chromedp.MousePressed, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	time.Sleep(120 * time.Millisecond) // as long as a press of a person
	s.do(chromedp.MouseEvent(chromedp.MouseReleased, at[0], at[1], chromedp.ButtonLeft, chromedp.ClickCount(1)))
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "validation_error", kind)
	s.focuses("form: cvc", "")
	require.Contains(t, s.shows(), "The security code has 3 digits")
	s.keys("[name=cardnumber]", "4242424242424241")
	script[bool](s.tab, `document.querySelector("button").focus(), true`)
	s.awaitIn(fieldsFrame, `document.body.innerText.includes("Check the card number")`)
}

// TestCheckoutNextOrder: a page that goes on to the next order hears nothing of the order before, also if it confirms at once.
func TestCheckoutNextOrder(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	first, second := s.order(nil), s.order(nil)
	s.visit(first, nil)
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])
	script[bool](s.tab, `elements.update({clientSecret: `+quoted(t, second["client_secret"])+`}), pay(), true`)
	kind, _ := errorOf(s.answered(2))
	require.Equal(t, "validation_error", kind, "no card was typed for this order: %v", s.answered(2))
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, second["payment_id"], s.answered(3)["payment_id"])
	require.Equal(t, "succeeded", s.retrieve(second)["status"])
}

// oldPhone takes from a page what phones of 2021 do not have. They show an element that they do not know, such as a dialog.
const oldPhone = `delete Crypto.prototype.randomUUID; delete HTMLDialogElement.prototype.showModal;
if (top === window) addEventListener("DOMContentLoaded", () => { const s = document.createElement("style"); s.textContent = "dialog{display:block}"; document.head.append(s); });`

// TestCheckoutOldPhone: a payer with an old phone pays, also with the bank's page.
func TestCheckoutOldPhone(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: oldPhone})
		return chromedp.Void{}, err
	})
	p := s.order(secure())
	s.visit(p, nil)
	require.False(t, script[bool](s.tab, `"randomUUID" in crypto || "showModal" in HTMLDialogElement.prototype`))
	s.card("4000003001700000")
	script[bool](s.tab, "pay(), true")
	s.awaitIn(bankFrame, `document.querySelector("#otp")`)
	require.True(t, script[bool](s.tab, `((b) => b.top === 0 && b.left === 0 && b.width === innerWidth && document.elementFromPoint(9, 9).closest("dialog") !== null)(document.querySelector("dialog").getBoundingClientRect())`))
	_, ok := within[bool](s, bankFrame, `document.querySelector("#otp").value = "1234", document.querySelector("#sendOtp").click(), true`)
	require.True(t, ok)
	require.Equal(t, "succeeded", s.answered(1)["status"], "%v", s.answered(1))
	require.False(t, script[bool](s.tab, `document.querySelector("dialog") !== null`))
}

// TestCheckoutByKeyboard buys with the keyboard alone: with a card that is declined, with a new card that the bank asks about, and with the card that this
// saved. The focus always stands on something.
func TestCheckoutByKeyboard(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.sw.must(s.key, "/customers", object{"customer_id": "cus_1", "email": "ada@example.com"})
	known := object{"customer_id": "cus_1"}
	// enter opens the page of an order. The shop pays when the payer presses Enter in the form. The page watches for a focus that fell off the form.
	enter := func(o object) object {
		p := s.order(o)
		s.visit(p, nil)
		script[bool](s.tab, `element.on("confirmTriggered", () => pay()), true`)
		_, ok := within[bool](s, fieldsFrame, `window.lost = 0, document.addEventListener("focusout", (e) => setTimeout(() => { if (document.hasFocus() && document.activeElement === document.body) lost++; })), true`)
		require.True(t, ok)
		return p
	}
	kept := func() {
		lost, ok := within[int](s, fieldsFrame, "lost")
		require.True(t, ok)
		require.Zero(t, lost, "the focus fell off the form")
	}

	enter(known)
	s.focuses("form: cardnumber", kb.Tab)
	s.focuses("form: exp-date", "4000000000000002"+kb.Tab)
	s.focuses("form: cvc", "1050")
	s.focuses("form: cvc", "737"+kb.Enter)
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "card_error", kind)
	s.focuses("form: cvc", "")
	kept()

	change := secure()
	change["customer_id"] = "cus_1"
	enter(change)
	s.focuses("form: cardnumber", kb.Tab)
	s.focuses("form: exp-date", "4000003001700000"+kb.Tab)
	s.focuses("form: cvc", "1050")
	s.focuses("form: checkbox", "737"+kb.Tab)
	s.focuses("BUTTON", kb.Tab)
	s.focuses("dialog: Cancel", kb.Enter)
	s.awaitIn(bankFrame, "document.querySelector('#otp')")
	s.focuses("dialog: Go on", kb.Escape) // the dialog asks whether to stop
	require.Empty(t, s.axe(challengeFrame))
	s.focuses("dialog: Cancel", kb.Enter)
	s.focuses("dialog: Go on", kb.Enter)
	s.focuses("dialog: Stop the payment", kb.Tab)
	s.focuses("BUTTON", kb.Enter) // stopped: back on the shop's button
	kind, code := errorOf(s.answered(1))
	require.Equal(t, []string{"authentication_error", "cancelled"}, []string{kind, code})
	kept()

	p := enter(change)
	s.focuses("form: cardnumber", kb.Tab)
	s.focuses("form: exp-date", "4000003001700000"+kb.Tab)
	s.focuses("form: cvc", "1050")
	s.focuses("form: checkbox", "737"+kb.Tab)
	s.do(chromedp.KeyEvent(" " + kb.Tab + "Blue"))
	s.focuses("BUTTON", kb.Tab)
	s.focuses("dialog: Cancel", kb.Enter)
	s.awaitIn(bankFrame, "document.querySelector('#otp')")
	s.focuses("bank: otp", kb.Tab)
	s.focuses("BUTTON", "1234"+kb.Enter)
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.EqualValues(t, 1, s.retrieve(p)["attempt_count"])
	kept()

	enter(known)
	s.focuses("form: radio", kb.Tab)
	require.Contains(t, s.shows(), "Blue")
	s.awaitIn(fieldsFrame, `document.querySelector("input[type=radio]").checked`)
	s.do(chromedp.KeyEvent(kb.ArrowDown))
	s.awaitIn(fieldsFrame, `document.querySelector("[name=cardnumber]").checkVisibility()`)
	s.do(chromedp.KeyEvent(kb.ArrowUp))
	s.awaitIn(fieldsFrame, `!document.querySelector("[name=cardnumber]").checkVisibility()`)
	s.focuses("form: cvc", kb.Tab)
	s.focuses("form: MAIN", "737"+kb.Enter)
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.Contains(t, s.shows(), "Thank you")
	kept()
}
