package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/secret"
)

// axe runs axe-core in the frame with the fields, and returns what it found.
func (s *checkoutShop) axe(frame string) string {
	s.Helper()
	source, err := os.ReadFile("testdata/axe/axe.min.js")
	require.NoError(s, err)
	_, ok := within[bool](s, frame, string(source)+"; true")
	require.True(s, ok)
	found, ok := within[string](s, frame, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], resultTypes: ["violations"]})
		.then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120) + " " + n.failureSummary).join(" | ")).join("\n"))`)
	require.True(s, ok)
	return found
}

// everywhere holds what the frame shows now to WCAG: in each theme, in left-to-right and right-to-left languages, and narrow. It switches them in the loaded page.
func (s *checkoutShop) everywhere(name string) {
	s.Helper()
	for i, look := range [][2]string{{"ar", "midnight"}, {"he", "charcoal"}, {"de", "soft"}, {"ja", "brutal"}, {"ru", "bubblegum"}, {"en", "default"}} {
		s.size([]int64{320, 1000}[i%2], 720)
		script[bool](s.tab, fmt.Sprintf(`events.length = 0, elements.update({locale: %q, appearance: {theme: %q}}), true`, look[0], look[1]))
		s.await(`events.some((e) => e[0] === "ready")`)
		s.awaitIn(fieldsFrame, fmt.Sprintf(`document.documentElement.lang === %q && !document.querySelector("[data-phase=loading]")`, look[0]))
		s.shot(name + "-" + look[0] + "-" + look[1])
		require.Empty(s, s.axe(fieldsFrame), "%s, %v", name, look)
		fits, ok := within[bool](s, fieldsFrame, "document.documentElement.scrollWidth <= document.documentElement.clientWidth")
		require.True(s, ok && fits, "%s, %v: nothing is cut off", name, look)
	}
	s.size(1000, 800)
}

// media sets features of the payer's device, such as forced-colors.
func (s *checkoutShop) media(features ...*emulation.MediaFeature) {
	s.Helper()
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
		return chromedp.Void{}, err
	})
}

// spoken lists what a screen reader gets of the frame: role, name, description, and whether the value is wrong.
func (s *checkoutShop) spoken() (out []string) {
	s.Helper()
	id := s.frames(fieldsFrame)[0]
	s.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		tree, err := cdp.Call(ctx, t, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{FrameID: id})
		if err != nil {
			return chromedp.Void{}, err
		}
		text := func(v *accessibility.Value) (s string) {
			if v != nil {
				_ = json.Unmarshal(v.Value, &s) // parts without text are left out
			}
			return s
		}
		for _, n := range tree.Nodes {
			if role := text(n.Role); !n.Ignored && (role == "textbox" || role == "alert" || role == "checkbox" || role == "radio") {
				line := role + ": " + text(n.Name) + ": " + text(n.Description)
				for _, p := range n.Properties {
					if p.Name == "invalid" {
						line += ": " + text(p.Value)
					}
				}
				out = append(out, line)
			}
		}
		return chromedp.Void{}, nil
	})
	return out
}

// TestCheckoutForEverybody holds the form to WCAG over themes, languages and widths, with nothing typed and with faults on every field.
func TestCheckoutForEverybody(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	for name, c := range map[string]struct {
		group, body string
		width       int64
	}{
		"light":        {`locale: "en"`, "", 1000},
		"dark":         {`locale: "en", appearance: {colorScheme: "dark"}`, "background:#1a1f36;color:#fff", 1000},
		"narrow":       {`locale: "de"`, "", 320},
		"arabic":       {`locale: "ar", appearance: {labels: "floating"}`, "", 390},
		"japanese":     {`locale: "ja", appearance: {theme: "brutal", innerLayout: "compressed"}`, "", 320},
		"charcoal":     {`locale: "fr", appearance: {theme: "charcoal", labels: "floating"}`, "background:#292929;color:#fff", 1000},
		"soft":         {`locale: "ru", appearance: {theme: "soft"}`, "background:#3e3e3e;color:#fff", 320},
		"bubblegum":    {`locale: "he", appearance: {theme: "bubblegum", labels: "never"}`, "", 1000},
		"the shop's":   {`appearance: {variables: {colorPrimary: "#7c3aed", borderRadius: "14px", fontFamily: "Georgia, serif", spacingUnit: "10px"}, rules: {".Input": {boxShadow: "0 1px 3px rgba(0,0,0,.2)"}, ".Label": {textTransform: "uppercase"}}}`, "", 460},
		"without room": {`locale: "de", appearance: {variables: {fontSizeBase: "22px"}}`, "", 320},
	} {
		t.Run(name, func(t *testing.T) {
			s := s.with(t)
			s.size(c.width, 720)
			s.visit(s.order(nil), map[string]string{"GROUP": "{" + c.group + "}", "BODY": c.body})
			s.shot("looks-" + name)
			require.Empty(t, s.axe(fieldsFrame))
			drawn, _ := within[string](s, fieldsFrame, `getComputedStyle(document.querySelector("main")).colorScheme`)
			dark := name == "dark" || name == "charcoal" || name == "soft"
			require.Equal(t, dark, drawn == "dark", "the browser draws boxes to tick in the colours of the form")
			script[bool](s.tab, "pay(), true")
			s.answered(1)
			s.shot("looks-" + name + "-faults")
			require.Empty(t, s.axe(fieldsFrame))
			wide, ok := within[bool](s, fieldsFrame, "document.documentElement.scrollWidth <= document.documentElement.clientWidth && document.documentElement.scrollHeight <= document.documentElement.clientHeight + 1")
			require.True(t, ok && wide, "nothing is cut off")
			if name != "light" {
				return
			}
			spoken := strings.Join(s.spoken(), "\n")
			require.Contains(t, spoken, "textbox: Card number: Enter the card number: true")
			require.Contains(t, spoken, "textbox: Expiry date: Enter the expiry date: true")
			require.Contains(t, spoken, "textbox: Security code: 3 digits on the back of the card Enter the security code: true")
			// A device with colours of its own: edges and the focus ring stay, and nothing moves.
			s.media(&emulation.MediaFeature{Name: "forced-colors", Value: "active"}, &emulation.MediaFeature{Name: "prefers-reduced-motion", Value: "reduce"})
			s.awaitIn(fieldsFrame, `matchMedia("(forced-colors: active)").matches`)
			s.keys("[name=cvc]", "7")
			edges, _ := within[string](s, fieldsFrame, `(() => { const c = getComputedStyle(document.querySelector("[name=cvc]")); return [c.borderTopStyle, c.outlineStyle, c.outlineWidth, c.transitionDuration].join(); })()`)
			require.Equal(t, "solid,solid,3px,0s", edges)
			hint, _ := within[string](s, fieldsFrame, `getComputedStyle(document.querySelector("[name=cardnumber]"), "::placeholder").opacity`)
			require.Equal(t, "0", hint, "an empty field does not look filled")
			s.shot("looks-forced-colours")
			require.Empty(t, s.axe(fieldsFrame))
			s.media()
		})
	}
	t.Run("dialog", func(t *testing.T) { s.with(t).dialogs(t) })
}

// dialogIn opens the page around a bank's page by itself, and gives it the port that the frame gives it.
func (s *checkoutShop) dialogIn(language, bank, size string) {
	s.Helper()
	s.do(chromedp.Navigate(s.sw.url + challengeFrame + "?locale=" + language))
	script[bool](s.tab, fmt.Sprintf(`(() => { const c = new MessageChannel(); postMessage(0, location.origin, [c.port2]); c.port1.postMessage({url: %q, fields: {}, size: %s}); return true; })()`, bank, size))
	s.awaitIn(bank, `document.querySelector("p")`)
	s.await(`document.documentElement.lang === "` + language + `" && document.querySelector("[role=status]").hidden`)
}

// dialogs holds the dialog around the bank's page to WCAG: its first look, and the question whether to stop. In other languages its texts fit, and it is
// mirrored where they are written from right to left. On a device with colours of its own its edges stay.
func (s *checkoutShop) dialogs(t *testing.T) {
	bank := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!DOCTYPE html><html lang="en"><title>Bank</title><p>Bank</p>`))
	}))
	t.Cleanup(bank.Close)
	for _, look := range []struct {
		language, size string
		width          int64
		forced         bool
	}{{"ar", "[390, 400]", 1000, false}, {"ar", "null", 320, true}, {"de", "[250, 400]", 320, false}, {"ja", "[600, 400]", 1000, true}} {
		s.size(look.width, 720)
		if s.media(); look.forced {
			s.media(&emulation.MediaFeature{Name: "forced-colors", Value: "active"})
		}
		s.dialogIn(look.language, bank.URL, look.size)
		script[bool](s.tab, `document.querySelector(".link").hidden = false, true`) // as after ten seconds
		for _, asked := range []bool{false, true} {
			name := fmt.Sprint("dialog-", look.language, "-", look.width, "-", look.forced, "-", asked)
			if asked {
				s.do(chromedp.KeyEvent(kb.Escape))
				for _, at := range []string{".go", ".ask button:not(.go)", ".go, body"} { // the keyboard never reaches the parts that the question covers
					s.await(`document.querySelector(".ask").checkVisibility() && document.activeElement.matches("` + at + `")`)
					s.do(chromedp.KeyEvent(kb.Tab))
				}
			}
			s.shot(name)
			require.Empty(t, s.axe(challengeFrame), name)
			require.Empty(t, script[string](s.tab, dialogFaults), name)
		}
	}
	s.media()
}

// dialogFaults lists what is wrong with how the dialog stands. A part is cut off, too small for a finger, or does not follow the language's direction; or it
// has no edge of its own where the device chooses the colours.
const dialogFaults = `(() => {
	const box = document.querySelector(".box"), r = box.getBoundingClientRect(), out = [], from = (e) => e.getBoundingClientRect();
	if (document.documentElement.scrollWidth > innerWidth) out.push("the page scrolls sideways");
	if (r.left < 0 || r.right > innerWidth || r.bottom > innerHeight) out.push("the box is cut off");
	for (const b of [...document.querySelectorAll("button")].filter((b) => b.checkVisibility())) {
		if (b.scrollWidth > b.clientWidth || from(b).left < r.left || from(b).right > r.right) out.push("cut off: " + b.textContent);
		if (from(b).height < 44) out.push("too small: " + b.textContent);
	}
	const rtl = document.documentElement.lang === "ar";
	if ((document.documentElement.dir === "rtl") !== rtl || (from(box.querySelector("header button")).left < from(box.querySelector("h1")).left) !== rtl) out.push("the direction is wrong");
	const edges = ["header button", ".go", ...(matchMedia("(forced-colors: active)").matches ? [".box", ".ask"] : [])];
	for (const e of edges) if (getComputedStyle(document.querySelector(e)).borderTopStyle !== "solid") out.push("no edge: " + e);
	return out.join("; ");
})()`

// TestCheckoutRefusesStyles: an appearance can neither load nor hide anything, nor leave its rule.
func TestCheckoutRefusesStyles(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.visit(s.order(nil), map[string]string{"GROUP": `{appearance: {variables: {colorPrimary: "red;} body{display:none", fontFamily: "url(https://evil.example/x)", colorText: "#000", nosuch: "1"},
		rules: {".Input": {backgroundImage: "url(https://evil.example/x)", position: "fixed", opacity: "0", outline: "none", color: "rgb(1, 2, 3)", background: "\\75rl(x)"},
			"body": {display: "none"}, ".Input, body": {color: "red"}, ".Input{}": {color: "red"}, "@import 'x'": {color: "red"}, ".Input:focus": {outline: "0", boxShadow: "0 0 0 2px blue"}}}}`})
	css, ok := within[string](s, fieldsFrame, `[...document.adoptedStyleSheets[0].cssRules].map((r) => r.cssText).join("\n")`)
	require.True(t, ok)
	for _, bad := range []string{"url", "evil", "position", "opacity", "outline", "display", "body", "import", "nosuch"} {
		require.NotContains(t, css, bad)
	}
	require.Contains(t, css, "rgb(1, 2, 3)")
	require.Contains(t, css, ".Input:focus")
	require.Contains(t, s.said.all(), "is not allowed")
}

// TestCheckoutSplitFields pays with three frames, and with a saved card in the page's own list.
func TestCheckoutSplitFields(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(object{"customer_id": "cus_1", "customer": object{"id": "cus_1"}, "setup_future_usage": "on_session"})
	extra := `const more = ["cardExpiry", "cardCvc"].map((t) => { const d = document.createElement("div"); d.id = t; document.querySelector("#slot").after(d);
		const e = elements.create(t, {}); e.on("ready", () => { window.count = (window.count || 0) + 1; }); e.mount(d); return e; });
		const session = hyper.initPaymentSession({clientSecret: SECRET});
		document.getElementById("pay").onclick`
	s.site.page = strings.Replace(s.fill(p, map[string]string{"TYPE": `"cardNumber"`, "ELEMENT": `{placeholder: "1234", classes: {base: "mine", complete: "mine-done"},
		style: {base: {color: "rgb(1, 2, 3)", position: "fixed", "::placeholder": {color: "rgb(4, 5, 6)"}}, invalid: {color: "rgb(7, 8, 9)"}}}`}), `document.getElementById("pay").onclick`,
		strings.Replace(extra, "SECRET", quoted(t, p["client_secret"]), 1), 1)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`window.count === 2 && events.some((e) => e[0] === "ready")`)
	type3 := func(kind, selector, text string) {
		_, ok := within[bool](s, "type="+kind, `document.querySelector("`+selector+`").focus(), true`)
		require.True(t, ok, kind)
		s.do(chromedp.KeyEvent(text))
	}
	look := func(pseudo string) string {
		v, _ := within[string](s, "type=cardNumber", `(() => { const i = document.querySelector("[name=cardnumber]"), c = getComputedStyle(i`+pseudo+`); return i.placeholder + " " + c.color + " " + c.position; })()`)
		return v
	}
	require.Equal(t, "1234 rgb(1, 2, 3) relative", strings.Replace(look(""), "static", "relative", 1), "the shop's style of a field")
	require.Contains(t, look(`, "::placeholder"`), "rgb(4, 5, 6)")
	type3("cardNumber", "[name=cardnumber]", "4242424242424241\t")
	s.awaitIn("type=cardNumber", `getComputedStyle(document.querySelector("[name=cardnumber]")).color === "rgb(7, 8, 9)"`)
	within[bool](s, "type=cardNumber", `document.querySelector("[name=cardnumber]").select(), true`)
	type3("cardNumber", "[name=cardnumber]", "4242424242424242")
	s.await(`document.querySelector("#slot > div").classList.contains("mine") && document.querySelector("#slot > div").classList.contains("mine-done")`)
	// React calls elements and create for every render, gives undefined handlers, and comes late to ready.
	script[bool](s.tab, `(async () => { let late = 0; element.on("change", undefined); element.on("ready", () => late++); await 0;
		for (const form of [elements.createCardForm(), hyper.paymentMethodsSession({}).createCardForm()]) { form.on("ready", () => {}); form.create("cardNumber").mount("#slot"); }
		window.react = [hyper.elements({clientSecret: `+quoted(t, p["client_secret"])+`}) === elements, elements.create("cardNumber") === element, late].join(" "); })(), true`)
	s.await(`window.react === "true true 1"`)
	script[bool](s.tab, "pay(), true")
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "validation_error", kind)
	s.awaitIn("type=cardCvc", `document.body.innerText.includes("Enter the security code")`)
	type3("cardExpiry", "[name=exp-date]", "1050")
	type3("cardCvc", "[name=cvc]", "737")
	s.shot("checkout-split")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(2)["status"])
	left, _ := within[string](s, "type=cardCvc", `document.querySelector("input")?.value || ""`)
	require.Empty(t, left)

	none := script[object](s.tab, `session.getCustomerSavedPaymentMethods().then((m) => m.getCustomerDefaultSavedPaymentMethodData())`)
	kind, _ = errorOf(none)
	require.Contains(t, []string{"no_data", ""}, kind)
}

// TestCheckoutAgreesWithTheSwitch types numbers, expiries and codes into the form, and holds what the form says to what the engine's own checks say.
func TestCheckoutAgreesWithTheSwitch(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.visit(s.order(nil), nil)
	fault := func(field, text string) string {
		v, ok := within[string](s, fieldsFrame, `(async () => { const i = document.querySelector("[name=`+field+`]"); i.value = `+quoted(t, text)+`;
			i.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertFromPaste"})); i.dispatchEvent(new FocusEvent("blur", {relatedTarget: document.body}));
			await new Promise((done) => setTimeout(done)); // the payer goes on to the next field
			return document.getElementById(i.id + "e").textContent; })()`)
		require.True(t, ok)
		return v
	}
	for text, digits := range map[string]string{"4242424242424242": "", "4242-4242 4242 4242": "4242424242424242", "４２４２４２４２４２４２４２４２": "4242424242424242", "4242424242424241": "",
		"378282246310005": "", "37828224631000": "", "5555555555554444": "", "2223003122003222": "", "4242": "", "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢": "4242424242424242", "4970003000000002": ""} {
		number := cmp.Or(digits, text)
		good := len(number) >= 12 && card.HasLuhnDigit(number)
		require.Equal(t, good, fault("cardnumber", text) == "", text)
	}
	now := time.Now().UTC()
	for text, e := range map[string][2]string{"1/50": {"01", "2050"}, "0150": {"01", "2050"}, "01 / 2050": {"01", "2050"}, "2050-01": {"01", "2050"}, "13/50": {"13", "2050"}, "00/50": {"00", "2050"},
		"01/20": {"01", "2020"}, "12/19": {"12", "2019"}, now.Format("01/06"): {now.Format("01"), now.Format("2006")}, now.AddDate(-1, 0, 0).Format("01/06"): {now.Format("01"), now.AddDate(-1, 0, 0).Format("2006")}} {
		require.Equal(t, card.CheckExpiry(e[0], e[1], now) == nil, fault("exp-date", text) == "", text)
	}
	require.Empty(t, fault("cardnumber", "4242424242424242"))
	for text, good := range map[string]bool{"737": true, "73": false, "7373": false} {
		require.Equal(t, good, fault("cvc", text) == "", text)
	}
	require.Empty(t, fault("cardnumber", "378282246310005"))
	for text, good := range map[string]bool{"737": false, "7373": true} {
		require.Equal(t, good, fault("cvc", text) == "", text)
		require.NoError(t, card.CheckCVC(secret.New(text)), "the engine takes both lengths")
	}
}
