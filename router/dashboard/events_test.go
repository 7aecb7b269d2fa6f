package dashboard

import (
	"html"
	"net/http"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/staff"
)

// endpoint returns the path of the page of the newest endpoint of the only profile.
func (w *world) endpoint() string {
	w.t.Helper()
	p := w.profile().ID
	list, err := w.engine.Webhooks.Endpoints(w.t.Context(), w.auth, p)
	require.NoError(w.t, err)
	require.NotEmpty(w.t, list)
	return "/m/acme/webhooks/" + p + "/" + list[len(list)-1].ID
}

var whsec = regexp.MustCompile(`whsec_[0-9A-Za-z+/=_-]+`)

// shownSecret returns the webhook secret that a page shows. The page escapes the secret's "+", so the text is unescaped first.
func shownSecret(page string) string { return whsec.FindString(html.UnescapeString(page)) }

// TestEndpoints: an endpoint is added, changed, gets a new secret, is switched and deleted; its secret shows once.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := "/m/acme/webhooks/" + w.profile().ID
	require.Contains(t, w.page("/m/acme/webhooks"), "No endpoint yet")
	refused := w.post(to, "url", "https://internal.example/")
	require.Equal(t, http.StatusUnprocessableEntity, refused.Code)
	require.Contains(t, mainOf(refused.Body.String()), "url cannot be used: the host is not public")
	refused = w.post(to, "url", "https://shop.example/", "event_types", "payment_made")
	require.Contains(t, mainOf(refused.Body.String()), `-p-event_types">event_types: &#34;payment_made&#34; is not an event type`)

	made := w.post(to, "url", "https://shop.example/hooks", "event_types", "payment_succeeded\nrefund_succeeded")
	require.Equal(t, http.StatusOK, made.Code, mainOf(made.Body.String()))
	secret := shownSecret(made.Body.String())
	require.NotEmpty(t, secret)
	one := w.endpoint()
	require.Empty(t, shownSecret(w.page(one)))
	require.Empty(t, shownSecret(w.page("/m/acme/webhooks")))
	require.Equal(t, http.StatusOK, w.post(one, "url", "https://shop.example/other", "event_types", "").Code)
	require.Contains(t, w.page("/m/acme/webhooks"), "https://shop.example/other")
	rotated := w.post(one+"/rotate", "overlap", "3600")
	require.Equal(t, http.StatusOK, rotated.Code)
	require.NotEqual(t, secret, shownSecret(rotated.Body.String()))
	w.done(one+"/switch", "on", "")
	require.Contains(t, w.page(one), "off</span>")
	w.done(one+"/switch", "on", "true")
	w.done(one + "/delete")
	require.Contains(t, w.page("/m/acme/webhooks"), "No endpoint yet")

	w.person.SecondFactorAt = time.Time{}
	require.Equal(t, http.StatusForbidden, w.post(to, "url", "https://shop.example/hooks").Code)
}

// TestProfileURL: the profile's own webhook_url is changed without what else its webhook_details hold.
func TestProfileURL(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.profile().ID
	for _, in := range []string{`{"webhook_details": {"webhook_url": "https://shop.example/old", "webhook_password": "marked_secret"}}`} {
		_, err := w.engine.UpdateProfile(t.Context(), w.auth, id, profileInput(t, in))
		require.NoError(t, err)
	}
	one := "/m/acme/webhooks/" + id + "/" + id
	require.NotContains(t, w.page(one), "Make a new secret")
	require.Equal(t, http.StatusOK, w.post(one, "url", "https://shop.example/new").Code)
	require.Equal(t, "https://shop.example/new", w.profile().Settings.WebhookURL)
	require.Contains(t, w.profile().Private["webhook_details"].Reveal(), "marked_secret")
	require.NotContains(t, w.page(one), "marked_secret")
	require.Equal(t, "/m/acme/webhooks", w.done(one, "url", ""))
	require.Empty(t, w.profile().Settings.WebhookURL)
}

// TestEvents: a delivery that failed is seen with its answer and sent again, alone or with others.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/events"), "No event yet")
	w.done("/m/acme/connectors", "connector", "simulator")
	w.post("/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/hooks")
	w.shop.status.Store(http.StatusInternalServerError)
	w.pay(6540)
	e := w.delivered(1, false)
	require.Contains(t, w.page("/m/acme/events"), "retrying</span>")
	require.Contains(t, w.page("/m/acme/events?state=delivered"), "No event fits")
	page := w.page("/m/acme/events/" + e.EventID)
	require.Contains(t, page, "500 Internal Server Error")
	require.Contains(t, page, "&lt;b&gt;&#34;thanks&#34;&lt;/b&gt;", "the answer is text, and not a part of the page")
	require.Contains(t, page, "payment_succeeded")
	again := w.post("/m/acme/events/"+e.EventID+"/again", "endpoint_id", e.EndpointID)
	require.Equal(t, http.StatusOK, again.Code)
	require.Contains(t, mainOf(again.Body.String()), "The endpoint did not take it")
	require.Contains(t, w.done("/m/acme/events/again"), "sent=0&refused=1")
	w.shop.status.Store(http.StatusOK)
	require.Contains(t, w.done("/m/acme/events/again"), "sent=1&refused=0")
	require.Contains(t, w.page("/m/acme/events?state=delivered"), "delivered</span>")
	require.Contains(t, mainOf(w.post(w.endpoint()+"/again").Body.String()), "took the event within")
	tested := mainOf(w.post(w.endpoint() + "/test").Body.String())
	require.Contains(t, tested, "took the event within")
	require.Contains(t, tested, "endpoint_test")
	require.Contains(t, tested, "&lt;b&gt;&#34;thanks&#34;&lt;/b&gt;", "the answer is text")
	w.shop.status.Store(http.StatusTeapot)
	require.Contains(t, mainOf(w.post(w.endpoint()+"/test").Body.String()), "did not answer with a status from 200 to 299")
	require.NotContains(t, w.page("/m/acme/events"), "endpoint_test", "a test event is not kept")

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.Equal(t, http.StatusForbidden, get(t, w.server, "/m/acme/events").Code)
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Equal(t, http.StatusForbidden, w.post("/m/acme/webhooks/"+w.profile().ID, "url", "https://shop.example/hooks").Code)
	require.NotContains(t, w.page("/m/acme/events"), "Endpoints")
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	require.Equal(t, http.StatusNotFound, get(t, w.server, "/m/acme/events/"+e.EventID).Code)
}

// TestShownBody: no person sees a client secret, and who may not unmask customers sees no personal data. The rest stays byte for byte.
func TestShownBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	m, err := w.engine.Merchant(t.Context(), "acme")
	require.NoError(t, err)
	c := &call{server: w.server, Session: w.person, Merchant: m}
	const text = `{"amount":1,"client_secret":"pay_1_secret_a\"b","email":"ada@shop.example","billing":{"address":{"line1":"1 \"Main\" St"}},"metadata":{"order":"7"}, "client_secret" : "cut`
	require.Equal(t, `{"amount":1,"client_secret":"(hidden)","email":"ada@shop.example","billing":{"address":{"line1":"1 \"Main\" St"}},"metadata":{"order":"7"}, "client_secret" : "(hidden)"`, c.shownBody(text))
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Developer})
	require.Equal(t, `{"amount":1,"client_secret":"(hidden)","email":"(hidden)","billing":{"address":{"line1":"(hidden)"}},"metadata":{"order":"7"}, "client_secret" : "(hidden)"`, c.shownBody(text))
}
