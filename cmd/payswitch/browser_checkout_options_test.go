package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
)

// remounting is what the page of the tests of options has besides: it mounts an element anew in the loaded page, under other options.
const remounting = `let shown = element;
const again = (hyperOptions, group, options, type = "payment", confirm = {}) => new Promise((done) => {
	shown.destroy();
	const h = Hyper(KEY, Object.assign(hyperOptions, {isForceInit: true})), e = h.elements(group);
	shown = e.create(type, options);
	window.payAgain = (more) => h.confirmPayment({elements: e, redirect: "if_required", ...confirm, ...more}).then((v) => answers.push(v));
	shown.on("ready", () => done("ready"));
	shown.on("loaderror", (d) => done("loaderror: " + d.error.type));
	shown.mount("#slot");
});
document.getElementById("pay").onclick`

// remounts visits the shop's page for an order, with the function again in it.
func (s *checkoutShop) remounts(p object) {
	s.Helper()
	s.site.page = strings.Replace(s.fill(p, nil), `document.getElementById("pay").onclick`, strings.ReplaceAll(remounting, "KEY", quoted(s, s.public)), 1)
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`events.some((e) => e[0] === "ready")`)
}

// again mounts an element for an order with options in JavaScript, and waits until it is ready.
func (s *checkoutShop) again(p object, options string) {
	s.Helper()
	script[bool](s.tab, fmt.Sprintf(`window.state = "", again({}, {clientSecret: %s}, %s, "payment", {confirmParams: {return_url: location.origin + "/stay"}}).then((v) => { state = v; }), true`,
		quoted(s, p["client_secret"]), options))
	s.await("state")
	require.Equal(s, "ready", script[string](s.tab, "state"), options)
	s.awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready]")`)
}

// counts returns the number of the parts of the frame that match a selector and are seen.
func (s *checkoutShop) counts(selector string) int {
	s.Helper()
	n, ok := within[int](s, fieldsFrame, `[...document.querySelectorAll(`+quoted(s, selector)+`)].filter((e) => e.checkVisibility()).length`)
	require.True(s, ok)
	return n
}

// TestCheckoutOptions holds the options that the other tests leave out, each in the loaded page.
func TestCheckoutOptions(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.sw.must(s.key, "/customers", object{"customer_id": "cus_1", "email": "ada@example.com"})
	known := object{"customer_id": "cus_1"}
	for _, number := range []string{"4242424242424242", "5555555555554444"} {
		s.sw.must(s.key, "/payments", object{"amount": 100, "currency": "USD", "confirm": true, "customer_id": "cus_1", "setup_future_usage": "on_session",
			"payment_method": "card", "payment_method_type": "credit", "payment_method_data": object{"card": object{"card_number": number, "card_exp_month": "10", "card_exp_year": "50", "card_cvc": "737"}}, "billing": object{"address": object{"line1": "1 Main St", "city": "Aarhus", "zip": "8000", "country": "DK"}},
			"customer_acceptance": object{"acceptance_type": "online", "accepted_at": "2026-01-01T00:00:00Z", "online": object{"ip_address": "127.0.0.1", "user_agent": "test"}}})
	}
	s.remounts(s.order(known))
	require.Equal(t, 3, s.counts(".PickerItem"), "two saved cards, and another card")
	expires := func() bool { return strings.Contains(s.shows(), "Expires") }
	require.True(t, expires())
	require.NotContains(t, s.shows(), "Main St")

	s.again(s.order(known), `{displayBillingDetails: true, layout: {type: "accordion", radios: false, spacedAccordionItems: false, savedMethodCustomization: {hideCardExpiry: true}}}`)
	require.Contains(t, s.shows(), "1 Main St, 8000, Aarhus, DK")
	require.False(t, expires())
	look, _ := within[string](s, fieldsFrame, `[getComputedStyle(document.querySelector(".saved")).rowGap, getComputedStyle(document.querySelector("input[type=radio]")).opacity].join()`)
	require.Equal(t, "0px,0", look, "rows joined, and radio buttons hidden")
	s.shot("options-joined")
	require.Empty(t, s.axe(fieldsFrame))

	s.again(s.order(known), `{layout: {savedMethodCustomization: {maxItems: 1}}}`)
	require.Equal(t, 2, s.counts(".PickerItem"), "one saved card, and another card; the second card is behind a button")

	// Nothing is chosen yet: the form asks to choose.
	p := s.order(known)
	s.again(p, `{layout: {type: "accordion", defaultCollapsed: true}, customMethodNames: [{paymentMethodName: "card", aliasName: "Plastic"}], paymentMethodOrder: ["card"]}`)
	require.Zero(t, s.counts("[name=cardnumber]"))
	require.Zero(t, s.counts("input[type=radio]:checked"))
	script[bool](s.tab, "payAgain(), true")
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "validation_error", kind)
	require.Contains(t, s.shows(), "Choose a card")
	s.shot("options-collapsed")
	within[bool](s, fieldsFrame, `[...document.querySelectorAll("input[type=radio]")].pop().click(), true`)
	s.awaitIn(fieldsFrame, `document.querySelector("[name=cardnumber]").checkVisibility()`)
	require.NotContains(t, s.shows(), "Choose a card")
	require.Contains(t, s.shows(), "Plastic")
	// After the payment the browser is sent to an address without a page. The checkout warns the payer, unless the shop says never.
	for i, never := range []bool{false, true} {
		if never {
			s.again(s.order(known), `{displaySavedPaymentMethods: false, redirectionInfo: "never"}`)
		}
		s.card("4242424242424242")
		script[bool](s.tab, `payAgain(), true`)
		require.Equal(t, "succeeded", s.answered(2 + 2*i)["status"])
		script[bool](s.tab, `payAgain({redirect: "always"}), true`)
		s.answered(3 + 2*i)
		s.awaitIn(fieldsFrame, fmt.Sprintf(`document.body.innerText.includes("You will be taken") === %t`, !never))
		require.Equal(t, never, strings.Contains(s.shows(), "Thank you"))
	}

	// A whole address, filled with what the payment has; the shop keeps the country to itself.
	p = s.order(nil)
	s.again(p, `{billingAddress: {isUseBillingAddress: true}, fields: {billingDetails: {address: {country: "never"}}}, defaultValues: {billingDetails: {name: "Grace Hopper", address: {country: "NO"}}}}`)
	require.Zero(t, s.counts(".f-country"))
	values, _ := within[string](s, fieldsFrame, `["name", "line1", "postcode", "city"].map((k) => document.querySelector(".f-" + k + " input").value).join("|")`)
	require.Equal(t, "Grace Hopper|1 Main St|8000|Aarhus", values)
	s.shot("options-address")
	require.Empty(t, s.axe(fieldsFrame))
	s.card("4242424242424242")
	s.keys(".f-city input", "Oslo")
	script[bool](s.tab, "payAgain(), true")
	require.Equal(t, "succeeded", s.answered(6)["status"], script[object](s.tab, "answers.at(-1)"))
	data, _ := s.retrieve(p)["payment_method_data"].(map[string]any)
	billing, _ := data["billing"].(map[string]any)
	address, _ := billing["address"].(map[string]any)
	for field, want := range map[string]string{"first_name": "Grace", "last_name": "Hopper", "line1": "1 Main St", "zip": "8000", "city": "Oslo", "country": "NO"} {
		require.Equal(t, want, address[field], field)
	}
	s.again(s.order(nil), `{billingAddress: {isUseBillingAddress: true, usePrefilledValues: "never"}}`)
	values, _ = within[string](s, fieldsFrame, `[...document.querySelectorAll(".f-name input, .f-line1 input, .f-city input, .f-country select")].map((i) => i.value).join("|")`)
	require.Equal(t, "|||", values)
	s.again(s.order(nil), `{billingAddress: {isUseBillingAddress: true}, fields: {billingDetails: "never"}}`)
	require.Zero(t, s.counts(".f-line1, .f-name, .f-city"))

	// The console names an unknown option, and it breaks nothing.
	s.again(s.order(nil), `{nosuch1: 1, layout: {nosuch2: 1}, wallets: {}, readOnly: "yes", savedPaymentMethodsCheckboxCheckedByDefault: true}`)
	script[bool](s.tab, `elements.update({appearance: {nosuch3: 1, theme: "nosuch4"}}), Hyper("pk_x", {nosuch5: 1, env: "x"}).elements({nosuch6: 1, blockConfirm: true}), hyper.elements("text"), true`)
	for _, line := range []string{"the option nosuch1 has no effect", "layout.nosuch2 has no effect", "the option wallets has no effect", "readOnly must be", "does not hold in the EU",
		"Hyper: the option nosuch5 has no effect", "Hyper: the option env has no effect", "elements: the option nosuch6 has no effect", "elements: the option blockConfirm has no effect",
		"the options of elements must be an object"} {
		require.Eventually(t, func() bool { return strings.Contains(s.said.all(), line) }, patience, patience/300, line)
	}
}

// hostile are values that an option of a merchant's page could have by mistake or by malice.
const hostile = `(() => { const deep = {}; let at = deep; for (let i = 0; i < 20000; i++) at = at.a = {};
	const ring = {}; ring.self = ring;
	return [undefined, null, 0, -1, NaN, 1e308, "", "x".repeat(100000), "<img src=x onerror=alert(1)>", "javascript:alert(1)", "\u202e\u0000", [], [null, [[]], {a: 1}], {}, true, false, deep, ring,
		{billingDetails: 7}, {billingDetails: {address: "x", name: {}}}, {card: "always"}, {type: "accordion", maxAccordionItems: -5, savedMethodCustomization: 3}, 10n, Symbol("x"), () => 1, document.body, new Date(NaN),
		Object.create(null), {toString: null}, {get a() { throw new Error("no"); }}, {toJSON() { throw new Error("no"); }}, JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}')];
})()`

// TestCheckoutHostileOptions gives every option values that it cannot have. The element is ready or says an error; it never hangs, and nothing leaves its place.
func TestCheckoutHostileOptions(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	p := s.order(nil)
	s.remounts(p)
	script[bool](s.tab, fmt.Sprintf(`window.ends = [], (async () => {
		const values = %s, secret = %s;
		let seed = 7;
		const random = (n) => (seed = (seed * 1103515245 + 12345) %% 2147483648) %% 65536 %% n, any = () => values[random(values.length)];
		const some = (names) => Object.fromEntries(names.split(" ").filter(() => random(3)).map((n) => [n, any()]));
		for (let round = 0; round < 24; round++) {
			const group = {...some("appearance locale loader fonts sdkAuthorization customPodUri nosuch"), clientSecret: round %% 4 === 3 ? any() : secret};
			if (round %% 2) delete group.sdkAuthorization;
			if (random(2)) group.appearance = some("theme labels innerLayout colorScheme variables rules");
			const options = some("displaySavedPaymentMethodsCheckbox displaySavedPaymentMethods savedPaymentMethodsCheckboxCheckedByDefault hideExpiredPaymentMethods displayDefaultSavedPaymentIcon hideCardNicknameField alwaysSendCustomerAcceptance readOnly layout defaultValues business terms customMessageForCardTerms paymentMethodsHeaderText savedPaymentMethodsHeaderText sdkHandleConfirmPayment sdkHandleSavePayment displayBillingDetails fields billingAddress redirectionInfo paymentMethodOrder customMethodNames subscriptionEvents style classes placeholder disabled hideIcon showIcon showError");
			try {
				ends.push(await Promise.race([again(some("isTestMode redirectionFlags analytics version"), group, round %% 5 === 4 ? any() : options, ["payment", "card", "cardNumber", "cardCvc"][round %% 4]),
					new Promise((done) => setTimeout(() => done("hangs"), 25000))]));
				shown.update(any());
			} catch (e) { ends.push("threw " + e); }
		}
		window.over = true;
	})(), true`, hostile, quoted(t, p["client_secret"])))
	s.await("window.over")
	ends := script[[]string](s.tab, "ends")
	require.Len(t, ends, 24)
	for i, end := range ends {
		require.True(t, end == "ready" || strings.HasPrefix(end, "loaderror: "), "round %d: %s", i, end)
	}
	require.Contains(t, ends, "ready")
	require.NotContains(t, s.said.all(), "exception:")
	require.NotContains(t, s.said.all(), "Content Security Policy")
	polluted := script[bool](s.tab, `"polluted" in {}`)
	require.False(t, polluted)
	s.again(s.order(nil), "{}")
	s.card("4242424242424242")
	script[bool](s.tab, "payAgain(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"], "the page works on")

	// An appearance that tries to leave its rules: what is in force has known selectors and properties alone.
	s.visit(s.order(nil), nil)
	for seed := range 8 {
		script[bool](s.tab, fmt.Sprintf(`(() => {
			let seed = %d + 1;
			const random = (n) => (seed = (seed * 1103515245 + 12345) %% 2147483648) %% 65536 %% n, pick = (list) => list[random(list.length)];
			const bits = ["red", "0", "1px solid", "{", "}", ";", ":", "@import 'x'", "url(", "url (//evil.example/x)", "/*", "*/", "\\", "\\75 rl(", "<style>", "!important", "var(--x)", "expression(", "image-set('x')", "\n", "\"", "'", "(", ")", ",", "calc(1px + 1px)", "inherit", "attr(x)", "\u0000", "</style>", "body", "none", "-1"];
			const text = () => Array.from({length: 1 + random(5)}, () => pick(bits)).join(pick(["", " "]));
			const names = ["color", "backgroundColor", "background", "backgroundImage", "position", "opacity", "display", "outline", "content", "inset", "zIndex", "transform", "clipPath", "visibility", "pointerEvents", "__proto__", "constructor", "--x", "color;} body{display", "WebkitTextFillColor", "fontFamily", "borderColor", "boxShadow", "padding", "margin"];
			const where = [".Input", ".Label", ".Error", ".Input:focus", ".Button", "body", "*", ":root", ".Input, body", ".Input{} body", ".note", "#root", ".Input:has(body)", "@media all", ".Input::before", "__proto__"];
			const rules = {}, variables = {};
			for (let i = 0; i < 60; i++) { const w = random(4) ? pick(where) : text(); rules[w] = {}; for (let j = 0; j < 8; j++) rules[w][random(5) ? pick(names) : text()] = text(); }
			for (const n of ["colorPrimary", "colorText", "colorBackground", "fontFamily", "borderRadius", "spacingUnit", "shadowInput", "fontSizeBase", "toString", "__proto__"]) variables[n] = text();
			rules[".TabMore"] = {lineHeight: "1%d"};
			elements.update({appearance: {variables, rules}});
			return true;
		})()`, seed, seed))
		s.awaitIn(fieldsFrame, fmt.Sprintf(`[...document.adoptedStyleSheets[0].cssRules].some((r) => r.selectorText === ".TabMore" && r.style.lineHeight === "1%d")`, seed))
		bad, ok := within[string](s, fieldsFrame, `[...document.adoptedStyleSheets[0].cssRules].flatMap((r) => {
			if (r.type !== 1) return [r.cssText];
			if (r.selectorText === ":root") return [...r.style].filter((n) => !n.startsWith("--"));
			if (!/^(\.(Tab|TabLabel|TabIcon|TabMore|Label|Input|InputLogo|Error|Block|Checkbox|CheckboxLabel|CheckboxInput|PickerItem|TermsTextLabel|InfoElement|Button)(--\w+)?(:{1,2}[\w-]+)*[\s,]*)+$/.test(r.selectorText)) return [r.selectorText];
			return [...r.style].filter((n) => /^(position|opacity|display|outline|content|inset|top|left|z-index|transform|clip|visibility|pointer)/.test(n) || /url\(|evil|expression|image-set/.test(r.style.getPropertyValue(n)));
		}).join(" | ")`)
		require.True(t, ok)
		require.Empty(t, bad, "seed %d", seed)
		loaded, _ := within[string](s, fieldsFrame, `performance.getEntriesByType("resource").map((e) => e.name).filter((n) => n.includes("evil")).join()`)
		require.Empty(t, loaded)
	}
	script[bool](s.tab, `elements.update({appearance: {}}), true`)

	// Texts that a payer could paste into the fields: what the form says of them is what the engine says of their digits.
	got, ok := within[[][]string](s, fieldsFrame, `(async () => {
		let seed = 3;
		const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % 65536 % n, bits = [..."0123456789", "4242", "4242424242424242", "5555 5555", "37", "６", "٤", "-", " ", "/", "e", "\u00a0", "\u202e", "\u0000", "💳", "<b>", "\ud800"];
		const out = [], input = document.querySelector("[name=cardnumber]");
		for (let i = 0; i < 400; i++) {
			const text = Array.from({length: random(14)}, () => bits[random(bits.length)]).join("");
			input.value = text;
			input.setSelectionRange(random(text.length + 1), text.length);
			input.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertFromPaste"}));
			input.dispatchEvent(new FocusEvent("blur", {relatedTarget: document.body})); // on to the next field
			await new Promise((done) => setTimeout(done));
			out.push([text, input.value, document.getElementById(input.id + "e").textContent]);
		}
		return out;
	})()`)
	require.True(t, ok)
	require.Len(t, got, 400)
	accepted := 0
	for _, g := range got {
		digits := strings.ReplaceAll(g[1], " ", "")
		require.Empty(t, strings.Trim(digits, "0123456789"), "%q became %q", g[0], g[1])
		require.LessOrEqual(t, len(digits), 19)
		if digits == "" {
			continue // an empty field is said when the payer presses pay
		}
		if g[2] == "" {
			accepted++
			require.True(t, len(digits) >= 12 && card.HasLuhnDigit(digits), "%q became %q", g[0], g[1])
		} else if !strings.HasSuffix(g[2], " cards are not taken here") {
			require.Contains(t, []string{"This number is too short", "Check the card number"}, g[2], g[0])
		}
	}
	require.Positive(t, accepted)
	require.NotContains(t, s.said.all(), "exception:")
}

// TestCheckoutCalls holds the events and calls that the other tests leave out.
func TestCheckoutCalls(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.sw.must(s.key, "/customers", object{"customer_id": "cus_1", "email": "ada@example.com"})
	known := object{"customer_id": "cus_1"}
	s.sw.must(s.key, "/payments", object{"amount": 100, "currency": "USD", "confirm": true, "customer_id": "cus_1", "setup_future_usage": "on_session", "payment_method": "card",
		"payment_method_data": object{"card": object{"card_number": "4242424242424242", "card_exp_month": "10", "card_exp_year": "50", "card_cvc": "737"}},
		"customer_acceptance": object{"acceptance_type": "online", "accepted_at": "2026-01-01T00:00:00Z", "online": object{"ip_address": "127.0.0.1", "user_agent": "test"}}})

	// The events that a shop asks for, and no others; and the form's own button, which asks the shop before it pays.
	s.remounts(s.order(nil))
	s.again(s.order(nil), `{subscriptionEvents: ["FORM_STATUS", "PAYMENT_METHOD_INFO_CARD"], sdkHandleConfirmPayment: {buttonText: "Buy"}}`)
	script[bool](s.tab, `["FORM_STATUS", "PAYMENT_METHOD_INFO_CARD", "PAYMENT_METHOD_STATUS", "completeDoThis"].forEach((e) => shown.on(e, (d) => events.push([e, d]))),
		shown.onSDKHandleClick(() => { events.push(["asked", {}]); }), true`)
	s.card("4242424242424242")
	s.await(`events.some((e) => e[0] === "FORM_STATUS" && e[1].status === "COMPLETE")`)
	info := script[object](s.tab, `events.filter((e) => e[0] === "PAYMENT_METHOD_INFO_CARD").at(-1)[1]`)
	require.Equal(t, []any{"424242", "4242", "Visa"}, []any{info["bin"], info["last4"], info["brand"]})
	require.False(t, script[bool](s.tab, `events.some((e) => e[0] === "PAYMENT_METHOD_STATUS")`))
	text, _ := within[string](s, fieldsFrame, `document.querySelector(".Button").textContent`)
	require.Equal(t, "Buy", text)
	within[bool](s, fieldsFrame, `document.querySelector(".Button").click(), true`)
	s.await(`events.some((e) => e[0] === "completeDoThis" && e[1].payload.status === "succeeded")`)
	require.True(t, script[bool](s.tab, `events.some((e) => e[0] === "asked")`))

	// While the shop updates the payment nothing can be confirmed; after it the form pays the new one.
	second := s.order(object{"amount": 700})
	s.visit(s.order(nil), map[string]string{"GROUP": `{fonts: [{family: "A", src: "http://127.0.0.1:9/a.woff2"}, {family: "B", src: "url(https://127.0.0.1:9/b.woff2)"}]}`})
	script[bool](s.tab, `elements.updateIntent(() => new Promise((done) => { window.release = done; })).then((v) => { window.updated = v; }), pay(), true`)
	kind, _ := errorOf(s.answered(1))
	require.Equal(t, "update_in_progress", kind)
	script[bool](s.tab, `release(`+quoted(t, second["client_secret"])+`), true`)
	s.await(`window.updated?.status === "succeeded"`)
	s.awaitIn(fieldsFrame, `performance.getEntriesByType("resource").some((e) => e.name.includes("`+second["payment_id"].(string)+`/client")) && document.querySelector("[data-phase=ready] input:enabled")`)
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, second["payment_id"], s.answered(2)["payment_id"])
	require.Equal(t, "succeeded", s.retrieve(second)["status"])
	for _, line := range []string{"a font needs family and src, with an https address", "fonts: B could not be loaded"} {
		require.Eventually(t, func() bool { return strings.Contains(s.said.all(), line) }, patience, patience/300, line)
	}

	// The page pays with a saved card that needs its code: the code is typed in the frame.
	p := s.order(known)
	s.visit(p, map[string]string{"TYPE": `"cardCvc"`})
	last := `hyper.initPaymentSession({clientSecret: ` + quoted(t, p["client_secret"]) + `}).getCustomerSavedPaymentMethods().then((m) =>
		m.confirmWithLastUsedPaymentMethod({confirmParams: {return_url: location.origin + "/return"}, redirect: "if_required"})).then((v) => answers.push(v)), true`
	script[bool](s.tab, last)
	kind, _ = errorOf(s.answered(1))
	require.Equal(t, "cvc_validation", kind)
	s.keys("[name=cvc]", "737")
	script[bool](s.tab, last)
	require.Equal(t, "succeeded", s.answered(2)["status"])
}
