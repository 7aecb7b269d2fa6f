package dashboard

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/contact"
	"payswitch/engine/request"
	"payswitch/engine/staff"
)

// hostile is what somebody writes who wants a page to run it, or to break out of an attribute.
const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

// TestHostileTexts: no text of a payer, a shop, a person or an address becomes a part of a page, or words that the page says itself.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.person.Name = hostile
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "main")
	id := w.pay(6540, func(in *request.Input) {
		in.Description, in.Customer = hostile, &contact.Customer{ID: "cus_1", Name: hostile, Email: "a@shop.example"}
	}).Payment.ID
	require.Contains(t, w.done("/m/acme/payments/"+id+"/refund", "amount", "1.00", "key", "k", "reason", hostile), "did=refund")
	q := url.QueryEscape(hostile)
	seen := 0
	for _, path := range []string{"/", "/payments", "/payments/" + id, "/payments/" + id + "/refund", "/customers", "/customers/cus_1", "/refunds", "/events", "/links", "/connectors", "/profiles", "/team",
		"/payments?q=" + q, "/payments?order=" + q + "&amount=" + q + "&from=" + q + "&status=" + q + "&currency=" + q, "/payments/" + q, "/payments/" + id + "?did=" + q, "/customers?from=" + q,
		"/refunds?status=" + q + "&after=" + q, "/events?sent=" + q + "&refused=1&state=" + q + "&type=" + q, "/events/evt_1/resend?of=" + q, "/webhooks?profile=" + q, "/connectors/new?connector=" + q, "/" + q} {
		rec := get(t, w.server, "/m/acme"+path)
		body := rec.Body.String()
		if rec.Code >= http.StatusMultipleChoices && rec.Code < http.StatusBadRequest {
			to, err := url.Parse(rec.Header().Get("Location"))
			require.NoError(t, err)
			require.True(t, to.Host == "" && strings.HasPrefix(to.Path, "/m/acme/"), "%s leads to %s", path, to)
			body = get(t, w.server, to.String()).Body.String()
		}
		require.NotContains(t, body, "<script>alert", path)
		require.NotContains(t, body, "<img src=x", path)
		seen += strings.Count(body, "&lt;script&gt;")
	}
	require.Greater(t, seen, 20, "the texts are shown as texts")
	require.NotContains(t, w.page("/m/acme/events?sent=Call+0900+1&refused=0"), "Call 0900")
	require.Contains(t, w.page("/m/acme/events?sent=1&refused=2"), "1 event was sent again, and the endpoint refused 2.")
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Viewer})
	require.NotContains(t, w.page("/m/acme/payments/"+id), "a@shop.example")
}
