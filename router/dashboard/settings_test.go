package dashboard

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/request"
	"payswitch/engine/secret"
	"payswitch/engine/staff"
	"payswitch/router"
	"payswitch/router/checkout"
)

const marked = "marked_secret_0815"

// TestConnectorForm: an account is made by the form that the manifest draws. Its secrets show on no page, and they stay when other fields change.
func TestConnectorForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/connectors"), "No connector yet")
	form := w.page("/m/acme/connectors/new?connector=adyen")
	for _, label := range []string{"API key", "Merchant account", "Live endpoint prefix (optional)", "Customer Area, Developers"} {
		require.Contains(t, form, label)
	}
	require.Contains(t, form, `name="credential.api_key" type="text" value="" required autocomplete="off"`)

	refused := w.post("/m/acme/connectors", "connector", "adyen", "credential.api_key", marked)
	require.Equal(t, http.StatusUnprocessableEntity, refused.Code)
	require.Contains(t, refused.Body.String(), `id="p-credential.key1">Enter this.`)
	require.NotContains(t, refused.Body.String(), marked, "a secret is not put back into the form")

	to := w.done("/m/acme/connectors", "connector", "adyen", "credential.api_key", marked, "credential.key1", marked+"_key1", "config.endpoint_prefix", "abc")
	page := w.page(to)
	require.Contains(t, page, "Stored: leave it empty to keep it.")
	require.Contains(t, page, "http://api.example/webhooks/acme/")
	require.NotContains(t, page, marked)
	require.NotContains(t, w.page("/m/acme/connectors"), marked)

	id := to[strings.LastIndex(to, "/")+1:]
	credentials := func() map[string]secret.Value {
		a, err := w.engine.Account(t.Context(), w.auth, id)
		require.NoError(t, err)
		require.Equal(t, "BodyKey", string(a.AuthType))
		return a.Credentials
	}
	rec := w.post(to, "connector_label", "main", "config.endpoint_prefix", "", "credential.api_key", "")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Equal(t, marked, credentials()["api_key"].Reveal())
	rec = w.post(to, "connector_label", "main", "credential.api_key", "other")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Contains(t, rec.Body.String(), "complete and well-formed")
	require.Equal(t, "other", credentials()["api_key"].Reveal())
	require.Equal(t, marked+"_key1", credentials()["key1"].Reveal(), "the key that was not typed again")
	a, err := w.engine.Account(t.Context(), w.auth, id)
	require.NoError(t, err)
	require.Equal(t, "main", a.Label)
	require.NotContains(t, string(a.Metadata), "endpoint_prefix", "an emptied field is cleared")

	w.done(to+"/switch", "on", "")
	require.Contains(t, w.page("/m/acme/connectors"), "off</span>")
	w.done(to+"/switch", "on", "true")
	require.Contains(t, w.page("/m/acme/connectors"), "on</span>")
	require.Equal(t, "/m/acme/connectors", w.done(to+"/delete"))
	require.Contains(t, w.page("/m/acme/connectors"), "No connector yet")
	for _, act := range w.audit.acts {
		for _, v := range act.Details {
			require.NotContains(t, v, marked)
		}
	}
	require.Equal(t, "connector.create", w.audit.acts[0].Action)
	require.Equal(t, "connector.delete", w.audit.acts[len(w.audit.acts)-1].Action)
}

// TestEveryManifestDraws: each adapter's form can be drawn, and what it draws is what the engine asks for.
func TestEveryManifestDraws(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, info := range w.server.Adapters.Adapters() {
		k := processors
		if info.Manifest.Kind == authenticators.kind {
			k = authenticators
		}
		html := w.page("/m/acme" + k.path + "/new?connector=" + info.Connector)
		for _, f := range info.Manifest.Credentials {
			require.Contains(t, html, f.Label)
		}
		other := processors
		if k.kind == processors.kind {
			other = authenticators
		}
		status, _ := w.get("/m/acme" + other.path + "/new?connector=" + info.Connector)
		require.Equal(t, http.StatusNotFound, status)
	}
}

// TestStepUp: credentials and keys need a fresh second factor, and nothing changes without it.
func TestStepUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person.SecondFactorAt = time.Now().Add(-time.Hour)
	require.Contains(t, w.page("/m/acme/keys"), "Confirm with the second factor")
	for path, pairs := range map[string][]string{"/m/acme/keys": {"name", "shop", "expiration", "never"},
		"/m/acme/connectors":                              {"connector", "simulator"},
		"/m/acme/profiles/" + w.profile().ID + "/general": {"profile_name", "default", "return_url", "https://shop.example/"}} {
		rec := w.post(path, pairs...)
		require.Equal(t, http.StatusForbidden, rec.Code, path)
		require.Contains(t, rec.Body.String(), "/confirm?next=", path)
	}
	require.Empty(t, w.audit.acts)
	keys, err := w.engine.APIKeys(t.Context(), w.auth, 0, 0)
	require.NoError(t, err)
	require.Empty(t, keys)
}

// TestKeys: a key is shown once, works, and ends when it is revoked.
func TestKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/keys"), "No API key yet")
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/m/acme/keys", "name", "", "expiration", "never").Code)
	rec := w.post("/m/acme/keys", "name", "shop", "expiration", "90")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	text := regexp.MustCompile(`dev_[0-9A-Za-z]{64}`).FindString(rec.Body.String())
	require.NotEmpty(t, text, rec.Body.String())
	_, err := w.engine.Authenticate(t.Context(), secret.New(text))
	require.NoError(t, err)
	require.NotContains(t, w.page("/m/acme/keys"), text)
	keys, err := w.engine.APIKeys(t.Context(), w.auth, 0, 0)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(90*24*time.Hour), keys[0].ExpiresAt, time.Minute)
	w.done("/m/acme/keys/" + keys[0].ID + "/revoke")
	_, err = w.engine.Authenticate(t.Context(), secret.New(text))
	require.Error(t, err)

	card := w.post("/m/acme/keys", "name", "4242424242424242", "expiration", "never")
	require.Equal(t, http.StatusUnprocessableEntity, card.Code, "the API's check against card numbers in texts holds here as well")
}

// TestDeveloperInLive: a developer makes no live key, and changes no live account.
func TestDeveloperInLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Live = true })
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Developer})
	require.NotContains(t, w.page("/m/acme/keys"), "Make the key")
	require.Equal(t, http.StatusForbidden, w.post("/m/acme/keys", "name", "shop", "expiration", "never").Code)
	require.Equal(t, http.StatusForbidden, w.post("/m/acme/connectors", "connector", "simulator").Code)
	to := w.done("/m/acme/connectors", "connector", "simulator", "test_mode", "true")
	require.Equal(t, http.StatusForbidden, w.post(to, "connector_label", "a").Code, "the same account as a live one")
	require.Equal(t, http.StatusOK, w.post(to, "connector_label", "a", "test_mode", "true").Code)
}

// TestProfileForms: each form of a profile changes its own settings, and what the form does not show stays.
func TestProfileForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := "/m/acme/profiles/" + w.profile().ID
	rec := w.post(to+"/general", "profile_name", "shop", "return_url", "https://shop.example/back")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Equal(t, "https://shop.example/back", w.profile().Settings.ReturnURL)
	require.False(t, w.profile().Settings.EnableResponseHash)
	for _, bad := range []string{"no url", "javascript:alert(1)"} {
		rec = w.post(to+"/general", "profile_name", "shop", "return_url", bad)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, bad)
		require.Contains(t, rec.Body.String(), `id="general-p-return_url"`, "the message stands at its field")
	}
	rec = w.post(to+"/general", "profile_name", "shop", "return_url", "")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Empty(t, w.profile().Settings.ReturnURL)

	rec = w.post(to+"/3ds", "authentication_connectors", " netcetera \n\nthreedsecureio\n", "three_ds_requestor_url", "https://shop.example")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Equal(t, []string{"netcetera", "threedsecureio"}, w.profile().Settings.AuthenticationConnectors)
	rec = w.post(to+"/3ds", "authentication_connectors", "nothing", "three_ds_requestor_url", "")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), `id="3ds-p-authentication_connectors"`)

	rec = w.post(to+"/times", "session_expiry", "59", "intent_fulfillment_time", "60")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), `id="times-p-session_expiry"`)
	rec = w.post(to+"/times", "session_expiry", "soon")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Equal(t, http.StatusOK, w.post(to+"/times", "session_expiry", "1200").Code)
	require.EqualValues(t, 1200, w.profile().Settings.SessionExpirySeconds)
	require.Equal(t, http.StatusOK, w.post(to+"/retries", "is_auto_retries_enabled", "true", "max_auto_retries_enabled", "3").Code)
	require.Equal(t, 3, w.profile().Settings.Retries.Most)
	require.Equal(t, http.StatusOK, w.post(to+"/saved", "is_connector_agnostic_mit_enabled", "true").Code)
	require.True(t, w.profile().Settings.AgnosticMIT)
	require.Equal(t, 3, w.profile().Settings.Retries.Most)
	require.Equal(t, http.StatusNotFound, w.post(to+"/nothing").Code)

	require.Contains(t, w.done("/m/acme/profiles", "profile_name", "second"), "/m/acme/profiles/pro_")
	again := w.post("/m/acme/profiles", "profile_name", "second")
	require.Equal(t, http.StatusUnprocessableEntity, again.Code)
	require.Contains(t, again.Body.String(), "already exists")
}

// TestSetupTicksItself: each line of the set-up follows the engine's state.
func TestSetupTicksItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ticked := func() int { return strings.Count(w.page("/m/acme/setup"), `class="done"`) }
	require.Equal(t, 0, ticked())
	require.Contains(t, w.page("/m/acme/setup"), "curl -sS http://api.example/payments")
	w.done("/m/acme/connectors", "connector", "simulator")
	require.Equal(t, 1, ticked())
	refused := w.post("/m/acme/3ds", "connector", "netcetera", "config.endpoint_prefix", "x")
	require.Contains(t, refused.Body.String(), `id="p-credential.private_key">Enter this.`)
	w.done("/m/acme/3ds", "connector", "threedsecureio", "credential.api_key", "k")
	require.Equal(t, 2, ticked())
	profile := "/m/acme/profiles/" + w.profile().ID
	w.post(profile+"/3ds", "authentication_connectors", "threedsecureio", "three_ds_requestor_url", "")
	require.Equal(t, 2, ticked(), "the requestor URL is missing")
	w.post(profile+"/3ds", "authentication_connectors", "threedsecureio", "three_ds_requestor_url", "https://shop.example")
	require.Equal(t, 3, ticked())
	w.post("/m/acme/keys", "name", "shop", "expiration", "never")
	require.Equal(t, 4, ticked())
	paid := w.pay(6540).Payment.ID
	require.Equal(t, 5, ticked())
	require.NotContains(t, w.page("/m/acme/setup"), "curl")
	require.Contains(t, w.page("/m/acme/setup"), `href="/m/acme/payments/`+paid+`"`)
	w.done("/m/acme/payments/"+paid+"/refund", "amount", "10.00", "key", "first")
	require.Equal(t, 6, ticked())
}

// TestFirstDay: each page of the first day leads on to the next step, and 3-D Secure stays optional.
func TestFirstDay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	setup := w.page("/m/acme/setup")
	require.Contains(t, setup, "take the simulator")
	require.Equal(t, 2, strings.Count(setup, "(optional)"), "an authenticator, and the choice of it")
	require.NotContains(t, setup, "#3ds", "no link to a choice among no authenticators")
	list := w.page("/m/acme/connectors")
	require.Contains(t, list, "To try payswitch, choose the simulator")
	require.Less(t, strings.Index(list, "new?connector=simulator"), strings.Index(list, "new?connector=adyen"), "the simulator stands first")
	require.NotContains(t, w.page("/m/acme/connectors/new?connector=simulator"), "Hosts, live</dt><dd></dd>")
	made := w.page(w.done("/m/acme/connectors", "connector", "simulator"))
	require.Contains(t, made, "Go on with the set-up")
	key := mainOf(w.post("/m/acme/keys", "name", "shop", "expiration", "never").Body.String())
	for _, text := range []string{"See the payment", "Go on with the set-up", "payswitch listen --url http://api.example --merchant acme"} {
		require.Contains(t, key, text)
	}
	require.Equal(t, 0, strings.Count(key, "YOUR_KEY"), "the commands work as they are pasted")
	require.NotContains(t, w.page("/m/acme/webhooks"), " --forward-to http://localhost:3000/webhooks</pre>", "the command needs no program that listens")

	live := newWorld(t, func(o *Options) { o.Live = true })
	require.NotContains(t, live.page("/m/acme/setup"), "take the simulator")
}

// TestCheckoutPage shows the pinned script, the inventory and what is not safe yet. In live the set-up asks for the origins.
func TestCheckoutPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Live = true })
	files, err := checkout.New()
	require.NoError(t, err, "run make assets")
	page, profile := w.page("/m/acme/checkout"), "/m/acme/profiles/"+w.profile().ID
	require.Contains(t, page, strings.ReplaceAll(files.Integrity, "+", "&#43;"))
	require.Contains(t, page, "http://api.example/checkout/"+files.Hash+"/loader.js")
	require.Contains(t, page, "script-src http://api.example; frame-src http://api.example")
	require.Contains(t, page, "any page may frame your form")
	require.Contains(t, page, "does not hold in the European Union")
	require.Contains(t, w.page("/m/acme/setup"), "names none: any page may frame the card form")
	rec := w.post(profile+"/checkout", "checkout_origins", "https://shop.example/path")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), "without a path")
	rec = w.post(profile+"/checkout", "checkout_origins", "https://shop.example\nhttps://www.shop.example\n")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Equal(t, []string{"https://shop.example", "https://www.shop.example"}, router.CheckoutOrigins(w.profile()))
	require.NotContains(t, w.page("/m/acme/checkout"), "any page may frame your form")
	require.Contains(t, w.page("/m/acme/checkout"), "https://shop.example, https://www.shop.example")
	require.Contains(t, w.page("/m/acme/setup"), "Every profile names its shop")
}

// noMerchants is the engine of an empty installation.
type noMerchants struct{ Engine }

func (noMerchants) Merchants(context.Context, string) ([]*account.Merchant, error) { return nil, nil }

// TestFirstMerchant: an operator adds the first merchant on the page of an empty installation.
func TestFirstMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.as(staff.Grant{Role: staff.Operator})
	require.Equal(t, "/setup", get(t, w.server, "/").Header().Get("Location"), "an operator has no merchant's page to begin with")
	require.NotContains(t, w.page("/setup"), "/m/acme/", "nor a link to pages that refuse an operator")
	require.Contains(t, w.page("/setup"), "acme")
	require.Contains(t, get(t, w.server, "/decisions").Body.String(), `<a href="/setup">Merchants</a>`)
	w.as(staff.Grant{Role: staff.Operator}, staff.Grant{Role: staff.Admin})
	require.Contains(t, w.page("/setup"), "Add a merchant")
	merchants := w.server.Engine
	w.server.Engine = noMerchants{merchants}
	require.Equal(t, "/setup", get(t, w.server, "/").Header().Get("Location"), "the first user of an empty installation begins here")
	w.server.Engine = merchants
	rec := w.post("/setup", "merchant_id", "bad id")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Equal(t, "/m/second/setup", w.done("/setup", "merchant_id", "second", "merchant_name", "Second"))
	require.Contains(t, w.page("/setup"), "second")
	require.Equal(t, http.StatusUnprocessableEntity, w.post("/setup", "merchant_id", "second").Code)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Admin})
	require.Equal(t, http.StatusForbidden, w.post("/setup", "merchant_id", "third").Code)
}

// TestFares: the overview and the connectors say how the processors fare.
func TestFares(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator")
	require.NotContains(t, w.page("/m/acme/"), "How the processors fare")
	require.Contains(t, w.page("/m/acme/connectors"), "Success lately")
	for range 3 {
		w.pay(6540)
	}
	w.pay(6540, func(in *request.Input) { in.Card.Number = secret.New("4000000000000002") })
	for _, path := range []string{"/m/acme/", "/m/acme/connectors"} {
		require.Contains(t, w.page(path), "75.0 %", path)
	}
	require.Contains(t, w.page("/m/acme/"), "25.0 %")
	require.Contains(t, w.page("/m/acme/"), "in use</span>")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.NotContains(t, w.page("/m/acme/"), "/m/acme/connectors/", "a viewer may not open the account")
}
