package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// reactCalls is a page that calls the script as react-hyper-js 2.8 does. It copies the functions of the objects and calls create for every render.
// It mounts what another call of create gave, registers undefined handlers, and gives elements ids with colons. The test fills in the words in capitals.
const reactCalls = `<!doctype html><meta charset="utf-8"><title>Shop</title><div id="root"></div>
<script src="SWITCH/HyperLoader.js"></script><script>
"use strict";
const events = [], answers = [], node = (id) => { const d = document.createElement("div"); d.id = id; root.append(d); };
const t = Hyper({publishableKey: KEY, profileId: ""}, {env: "SANDBOX"}, {sessionID: "1", timeStamp: "2"}), n = {clientSecret: SECRET, ...GROUP};
const pick = (o, names) => Object.fromEntries(names.split(" ").map((name) => [name, o[name]]));
const hyper = pick(t, "confirmPayment confirmCardPayment retrievePaymentIntent paymentRequest initPaymentSession completeUpdateIntent initiateUpdateIntent confirmTokenization");
const widgets = pick(t.elements(n), "update getElement fetchUpdates create updateIntent createCardForm"), session = pick(t.initPaymentSession(n), "getCustomerSavedPaymentMethods updateIntent");
const missing = [hyper, widgets, session].flatMap((o) => Object.keys(o).filter((name) => typeof o[name] !== "function"));
function render(type, id) {
	const element = widgets.create(type, undefined);
	t.elements({...n});
	widgets.create(type, undefined).mount("#orca-elements-payment-element-" + id);
	element.on("ready", () => events.push("ready"));
	for (const e of ["focus", "blur", "clickTriggered", "change", "completeDoThis"]) element.on(e, undefined);
	element.onSDKHandleClick(undefined);
}
RENDER
</script>`

// settled returns the value of a promise in the shop's page.
func settled[T any](s *checkoutShop, promise string) T {
	s.Helper()
	script[bool](s.tab, `window.settled = undefined, Promise.resolve(`+promise+`).then((v) => { window.settled = [v]; }), true`)
	s.await("window.settled")
	return script[T](s.tab, "settled[0]")
}

// TestCheckoutFromReact holds the calls of the shop's SDK as its packages make them, with the values that their types allow.
func TestCheckoutFromReact(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	visit := func(p object, group, render string) {
		s.site.page = strings.NewReplacer("SWITCH", s.at, "KEY", quoted(t, s.public), "SECRET", quoted(t, p["client_secret"]), "GROUP", group, "RENDER", render).Replace(reactCalls)
		s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
		s.await(`events.includes("ready")`)
	}
	const form = `node("orca-elements-payment-element-:r1:"); for (let i = 0; i < 3; i++) render("payment", ":r1:");`

	// null in update changes nothing. Names of layouts may have capitals.
	p := s.order(nil)
	visit(p, `{appearance: null, locale: null, fonts: null, paymentId: null}`, form)
	require.Empty(t, script[[]string](s.tab, "missing"))
	script[bool](s.tab, `widgets.update({locale: "de", clientSecret: null, appearance: {labels: "Floating", innerLayout: "Spaced"}}), true`)
	s.awaitIn(fieldsFrame, `document.documentElement.lang === "de" && document.documentElement.dataset.labels === "floating" && document.querySelector("[data-phase=ready] [name=cardnumber]")`)
	s.card("4242424242424242")
	script[bool](s.tab, `hyper.confirmPayment({widgets: {...widgets}, confirmParams: null, redirect: null}).then((v) => answers.push(v)), true`)
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.Equal(t, "succeeded", settled[string](s, `hyper.retrievePaymentIntent(n.clientSecret).then((v) => v.paymentIntent.status)`))
	require.Nil(t, settled[any](s, `hyper.retrievePaymentIntent("pay_none_secret_none")`))

	// A page that names another payment than the form's does not pay the form's.
	p, other := s.order(nil), s.order(nil)
	visit(p, "{}", strings.ReplaceAll(form, `"payment"`, `"card"`))
	s.card("4242424242424242")
	for i, c := range []struct {
		secret any
		data   string
	}{{other["client_secret"], "null"}, {other["client_secret"], `{payment_method: {card: widgets.getElement("card")}}`}, {p["client_secret"], "null"}} {
		script[bool](s.tab, `hyper.confirmCardPayment(`+quoted(t, c.secret)+`, `+c.data+`, null).then((v) => answers.push(v)), true`)
		answer := s.answered(i + 1)
		if c.secret == p["client_secret"] {
			require.Equal(t, []any{"succeeded", p["payment_id"]}, []any{answer["status"], answer["payment_id"]})
			continue
		}
		kind, _ := errorOf(answer)
		require.Equal(t, "invalid_request_error", kind)
		require.Equal(t, "requires_payment_method", s.retrieve(p)["status"])
	}
	require.Equal(t, "requires_payment_method", s.retrieve(other)["status"])

	// CardForm: three fields and their form.
	visit(s.order(nil), "{}", `const card = widgets.createCardForm(), fields = ["cardNumber", "cardExpiry", "cardCvc"].map((type) => {
			node("hyper-card-field-" + type);
			const e = card.create(type, {});
			e.mount("#hyper-card-field-" + type);
			return e;
		});
		card.on("ready", () => events.push("ready")), card.on("change", (d) => events.push(d.elementType)), fields[0].on("change", () => events.push("number"));`)
	for _, f := range [][3]string{{"cardNumber", "cardnumber", "4242424242424242"}, {"cardExpiry", "exp-date", "1050"}, {"cardCvc", "cvc", "737"}} {
		s.awaitIn("type="+f[0], `document.querySelector("[name=`+f[1]+`]:enabled")`)
		within[bool](s, "type="+f[0], `document.querySelector("[name=`+f[1]+`]").focus(), true`)
		s.do(chromedp.KeyEvent(f[2]))
	}
	s.await(`events.includes("number") && events.includes("cardNumber") && events.includes("cardCvc")`)
	script[bool](s.tab, `card.confirmPayment({confirmParams: {return_url: location.origin + "/return"}}).then((v) => answers.push(v)), true`)
	require.Equal(t, "succeeded", s.answered(1)["status"])
	require.Equal(t, "tokenize is not offered.", settled[string](s, `card.tokenize().then((v) => v.error.message)`))
	script[bool](s.tab, `card.deinit(), true`)
	require.Zero(t, script[int](s.tab, `document.querySelectorAll("iframe").length`))

	// The session of a customer without a saved card, called without options.
	require.Equal(t, "no_data", settled[string](s, `session.getCustomerSavedPaymentMethods(null).then((m) => m.confirmWithLastUsedPaymentMethod(null)).then((v) => v.error.type)`))
	require.NotContains(t, s.said.all(), "exception:")

	// A shop's developer finds in the console why the form does not load.
	for line, words := range map[string]map[string]string{"API key not provided or invalid API key used": {"KEY": `"pk_dev_wrong"`}, "clientSecret must be the client_secret of a payment": {"SECRET": "undefined"}} {
		s.site.page = s.fill(s.order(nil), words)
		s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
		s.await(`events.some((e) => e[0] === "loaderror")`)
		require.Eventually(t, func() bool { return strings.Contains(s.said.all(), "payswitch: "+line) }, patience, patience/300, line)
	}
}

// TestCheckoutModule loads the script by the module that stands for the shop's SDK in a bundle.
func TestCheckoutModule(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	s.site.page = `<!doctype html><title>Shop</title>`
	s.do(chromedp.Navigate(s.pages.URL + "/checkout"))
	s.await(`document.body`)
	load := func(source, options string) string {
		return settled[string](s, `import(`+source+`).then((m) => m.loadHyper(`+quoted(t, s.public)+`, `+options+`)).then((h) => typeof h.confirmPayment, (e) => e.message)`)
	}
	module := quoted(t, s.at+"/checkout/hyper.mjs")
	// A bundle comes from the shop: it does not know where payswitch is.
	script[bool](s.tab, `fetch(`+module+`).then((r) => r.text()).then((code) => { window.bundled = "data:text/javascript," + encodeURIComponent(code); }), true`)
	s.await("window.bundled")
	require.Equal(t, "payswitch: loadHyper needs the option customBackendUrl: the address of payswitch", load("bundled", "null"))
	require.Equal(t, "payswitch: the script "+s.pages.URL+"/HyperLoader.js could not be loaded", load("bundled", "{customBackendUrl: location.origin}"), "a page instead of the script")
	require.Equal(t, "function", load("bundled", `{customBackendUrl: `+quoted(t, s.at+"/")+`}`), "a second try")
	script[bool](s.tab, "delete window.Hyper, true")
	require.Equal(t, "function", load(module, "null"), "the module of the switch itself")
	require.True(t, settled[bool](s, `import(`+module+`).then((m) => Promise.all([m.loadHyper("pk_1"), m.loadStripe("pk_1")])).then(([a, b]) => a === b)`))
	require.Contains(t, s.said.all(), "loadStripe is deprecated")
}

// TestCheckoutSecureWithoutAddress: an order that asks for 3-D Secure without a billing address. The form asks for the country; a shop that forbids
// the question hears at once what is missing, and so does the second press.
func TestCheckoutSecureWithoutAddress(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	bare := secure()
	bare["billing"] = object{}
	p := s.order(bare)
	s.visit(p, nil)
	s.card("4000003000000006")
	s.awaitIn(fieldsFrame, `document.querySelector("[autocomplete=country]")`)
	within[bool](s, fieldsFrame, `(() => { const c = document.querySelector("[autocomplete=country]"); c.value = "DK"; c.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	s.keys("[name=cvc]", "737")
	script[bool](s.tab, "pay(), true")
	require.Equal(t, "succeeded", s.answered(1)["status"])

	s.visit(s.order(bare), map[string]string{"ELEMENT": `{fields: {billingDetails: "never"}}`})
	for i := range 2 {
		s.card("4000003000000006")
		script[bool](s.tab, "pay(), true")
		kind, code := errorOf(s.answered(i + 1))
		require.Equal(t, []string{"invalid_request_error", "IR_04"}, []string{kind, code})
		s.awaitIn(fieldsFrame, `document.querySelector("[data-phase=ready]")`)
	}
}

// TestCheckoutSecretChangesWhilePaying: a page that names the next payment while the payer is at the bank. The payment under way ends with its own
// answer, and the next confirm pays the next payment.
func TestCheckoutSecretChangesWhilePaying(t *testing.T) {
	costly(t)
	s := newCheckoutShop(t)
	first, second := s.order(secure()), s.order(nil)
	s.visit(first, nil)
	s.card("4000003001700000")
	script[bool](s.tab, "pay(), true")
	s.awaitIn(bankFrame, `document.querySelector("#otp")`)
	script[bool](s.tab, `elements.update({clientSecret: `+quoted(t, second["client_secret"])+`}), true`)
	within[bool](s, bankFrame, `document.querySelector("#otp").value = "1234", document.querySelector("#sendOtp").click(), true`)
	answer := s.answered(1)
	require.Equal(t, []any{"succeeded", first["payment_id"]}, []any{answer["status"], answer["payment_id"]})
	require.Equal(t, "requires_payment_method", s.retrieve(second)["status"])
	s.card("4242424242424242")
	script[bool](s.tab, "pay(), true")
	answer = s.answered(2)
	require.Equal(t, []any{"succeeded", second["payment_id"]}, []any{answer["status"], answer["payment_id"]})
	require.Equal(t, "succeeded", s.retrieve(second)["status"])
}
