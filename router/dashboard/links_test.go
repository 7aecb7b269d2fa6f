package dashboard

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/method"
	"payswitch/engine/paylink"
	"payswitch/engine/staff"
)

const linkKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// TestPaymentLinks: a link is made once for a form, shows its address while it can be paid, and says how its payment stands.
func TestPaymentLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/links"), "No payment link yet")
	for field, pairs := range map[string][]string{"amount": {"amount", "much", "currency", "USD"}, "currency": {"amount", "1", "currency", "XX"}, "return_url": {"amount", "1", "currency", "USD"}} {
		rec := w.post("/m/acme/links", append(pairs, "key", linkKey)...)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, field)
		require.Contains(t, rec.Body.String(), `id="new-p-`+field, field)
	}
	form := []string{"key", linkKey, "amount", "1200", "currency", "jpy", "return_url", "https://shop.example/done", "description", "Two books", "session_expiry", "86400"}
	card := w.post("/m/acme/links", append(form, "merchant_order_reference_id", "4242424242424242")...)
	require.Equal(t, http.StatusSeeOther, card.Code, "the reference stands apart, as in the API")
	to := w.done("/m/acme/links", form...)
	require.Equal(t, card.Header().Get("Location"), to, "a second click makes no second link")
	card = w.post("/m/acme/links", "key", linkKey+"2", "amount", "1", "currency", "USD", "return_url", "https://shop.example/", "description", "4242 4242 4242 4242")
	require.Equal(t, http.StatusUnprocessableEntity, card.Code, "the API's check against card numbers in texts holds here as well")

	page := w.page(to)
	require.Contains(t, page, "http://api.example/payment_link/acme/pay_link_"+linkKey)
	require.Contains(t, page, "data:image/svg")
	require.Contains(t, page, "open</span>")
	require.Contains(t, w.page("/m/acme/links"), "1,200")
	_, err := w.engine.CancelPayment(t.Context(), w.auth, "pay_link_"+linkKey, "")
	require.NoError(t, err)
	page = w.page(to)
	require.Contains(t, page, "cancelled</span>")
	require.NotContains(t, page, "data:image")
	require.Contains(t, page, "takes nothing any more")

	_, err = w.engine.CreateMerchant(t.Context(), account.MerchantInput{ID: "other"})
	require.NoError(t, err)
	w.as(staff.Grant{MerchantID: "other", Role: staff.Admin})
	status, _ := w.get(strings.Replace(to, "/acme/", "/other/", 1))
	require.Equal(t, http.StatusNotFound, status, "another merchant's link")
}

// TestCollectLinks: a link for an unknown customer is refused at its field, and a link that was ended takes no card.
func TestCollectLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.post("/m/acme/collect-links", "key", linkKey, "customer_id", "nobody")
	require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
	require.Contains(t, rec.Body.String(), `id="new-p-customer_id"`)
	_, err := w.engine.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "cus_1"})
	require.NoError(t, err)
	to := w.done("/m/acme/collect-links", "key", linkKey, "customer_id", "cus_1", "session_expiry", "3600")
	require.Equal(t, to, w.done("/m/acme/collect-links", "key", linkKey, "customer_id", "cus_1"))
	id := to[strings.LastIndex(to, "/")+1:]
	require.Contains(t, w.page(to), "open</span>")
	require.Equal(t, to, w.done(to+"/end"))
	require.Contains(t, w.page(to), "ended</span>")
	require.Contains(t, w.page("/m/acme/collect-links"), "ended</span>")
	require.Equal(t, to, w.done(to+"/end"), "ending it again changes nothing")
	p, err := w.engine.CollectPage(t.Context(), "acme", id)
	require.NoError(t, err)
	require.False(t, p.Form)
	require.Equal(t, paylink.Invalidated, p.Link.Status)
	status, _ := w.get("/m/acme/links/" + id)
	require.Equal(t, http.StatusNotFound, status, "the kinds of links are apart")
}

// TestWhoMakesLinks: a viewer reads, and a developer makes links in test mode alone.
func TestWhoMakesLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Live = true })
	form := []string{"key", linkKey, "amount", "12", "currency", "USD", "return_url", "https://shop.example/done"}
	for _, role := range []staff.Role{staff.Viewer, staff.Developer} {
		w.as(staff.Grant{MerchantID: "acme", Role: role})
		require.NotContains(t, w.page("/m/acme/links"), "Make the link")
		require.Equal(t, http.StatusForbidden, w.post("/m/acme/links", form...).Code)
	}
	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Contains(t, w.page(w.done("/m/acme/links", form...)), "12.00")
}

// TestManyLinks: the list pages through links that were made at the same moment, and shows each once.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.engine.CreateCustomer(t.Context(), w.auth, method.CustomerData{ID: "cus_1"})
	require.NoError(t, err)
	const n = 2*listRows + 3
	for range n {
		_, err := w.engine.CreateCollect(t.Context(), w.auth, paylink.Collect{CustomerID: "cus_1"})
		require.NoError(t, err)
	}
	seen, path := map[string]bool{}, "/m/acme/collect-links"
	for range 4 {
		html := w.page(path)
		for _, part := range strings.Split(html, `class="row" href="`)[1:] {
			link, _, _ := strings.Cut(part, `"`)
			require.False(t, seen[link], link)
			seen[link] = true
		}
		_, after, more := strings.Cut(html, `<a href="/m/acme/collect-links?after=`)
		if !more {
			break
		}
		after, _, _ = strings.Cut(after, `"`)
		path = "/m/acme/collect-links?after=" + after
	}
	require.Len(t, seen, n)
}
