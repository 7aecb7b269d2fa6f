package dashboard

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/engine/request"
	"payswitch/engine/secret"
)

// Pages name a network as people write it, also one whose name in the API is one word.
func TestNetworksAreNamedInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	id := w.pay(1000, func(in *request.Input) {
		in.Card.Number, in.Card.CVC = secret.New("378282246310005"), secret.New("7373")
	}).Payment.ID
	for _, path := range []string{"/m/acme/payments", "/m/acme/payments/" + id} {
		require.Contains(t, w.page(path), "American Express ··0005", path)
	}
}

// A card number that a person types into a text that is kept is refused, at its field, and reaches no row.
func TestCardsInReasonsAreRefused(t *testing.T) {
	t.Parallel()
	const number = "5105 1051 0510 5100"
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	paid := w.pay(1000).Payment.ID
	held := w.pay(1000, func(in *request.Input) { in.CaptureMethod = payment.CaptureManual }).Payment.ID
	for act, id := range map[string]string{"refund": paid, "void": paid, "cancel": held} {
		rec := w.post("/m/acme/payments/"+id+"/"+act, "amount", "1.00", "key", "k-"+act, "reason", "card "+number)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, act)
		require.Contains(t, rec.Body.String(), "This holds a card number. Leave it out", act)
	}
	file := strings.TrimPrefix(w.dsn, "sqlite:")
	for _, name := range []string{file, file + "-wal"} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, text := range []string{number, strings.ReplaceAll(number, " ", "")} {
			require.NotContains(t, string(b), text)
		}
	}
}

// A card number in the search box finds the payments by its last four digits, and stays out of the address and the page. An order reference that looks
// like one is found as an order.
func TestCardsInTheSearchBox(t *testing.T) {
	t.Parallel()
	const number, order = "5105105105105100", "4000000000000002"
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	w.pay(1000, func(in *request.Input) { in.OrderReference = order })
	for _, text := range []string{number, "5105-1051-0510-5100", "5105 1051 0510 5100"} {
		require.Equal(t, "/m/acme/payments?last4=5100", get(t, w.server, "/m/acme/payments?q="+url.QueryEscape(text)).Header().Get("Location"), text)
	}
	require.Equal(t, "/m/acme/payments?last4=5100&status=failed", get(t, w.server, "/m/acme/payments?q=failed+"+number).Header().Get("Location"))
	require.Equal(t, "/m/acme/payments?order="+order, get(t, w.server, "/m/acme/payments?q="+order).Header().Get("Location"))
	require.NotContains(t, get(t, w.server, "/m/acme/payments?q=two+words+"+number).Body.String(), number)

	// The box sends a form: the browser keeps no address with the number.
	require.Contains(t, get(t, w.server, "/m/acme/").Body.String(), `<form class="find" role="search" method="post" action="/m/acme/payments">`)
	for text, to := range map[string]string{number: "?last4=5100", "5105 1051 0510 5100": "?last4=5100", "failed " + number: "?last4=5100&status=failed", order: "?order=" + order, " ": ""} {
		rec := w.post("/m/acme/payments", "q", text)
		require.Equal(t, http.StatusSeeOther, rec.Code, text)
		require.Equal(t, "/m/acme/payments"+to, rec.Header().Get("Location"), text)
	}
	rec := w.post("/m/acme/payments", "q", "two words "+number)
	require.Equal(t, http.StatusOK, rec.Code)
	require.Contains(t, rec.Body.String(), "Nothing is named two words")
	require.NotContains(t, rec.Body.String(), number)
}

// The filters above the list are a form too. A card number in any of them filters by its last four digits; all else moves into the address, so that pages
// and links keep it.
func TestCardsInTheFilters(t *testing.T) {
	t.Parallel()
	const number, order = "5105105105105100", "4000000000000002"
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	w.pay(1000, func(in *request.Input) { in.OrderReference = order })
	require.Contains(t, w.page("/m/acme/payments"), `<form class="filters" method="post" action="/m/acme/payments">`)
	list := "/m/acme/payments"
	filter := func(fields ...string) string {
		t.Helper()
		rec := w.post(list, fields...)
		require.Equal(t, http.StatusSeeOther, rec.Code, fields)
		require.NotContains(t, rec.Body.String(), number)
		return rec.Header().Get("Location")
	}
	for _, typed := range []string{number, "5105 1051 0510 5100", "5105-1051-0510-5100"} {
		for _, name := range []string{"last4", "order", "email", "amount", "currency", "connector", "from"} {
			require.Equal(t, list+"?last4=5100&status=failed", filter(name, typed, "status", "failed"), name)
		}
	}
	require.Equal(t, list+"?order="+order, filter("order", order, "last4", ""), "an order reference that looks like a card number")
	require.Equal(t, list, filter("status", "", "order", " "))
	all := filter("status", "paid", "amount", ">5", "currency", "USD", "connector", "simulator", "order", "A-1", "email", "jo@shop.test", "from", "2026-01-01", "to", "2026-01-31")
	require.Regexp(t, `^/m/acme/payments\?amount=%3E5&connector=simulator&currency=USD&email=~[\w-]+&from=2026-01-01&order=A-1&status=paid&to=2026-01-31$`, all)
	require.Contains(t, w.page(all), `&amp;connector=simulator&amp;currency=USD&amp;email=~`)
	wrong := filter("amount", "much")
	require.Equal(t, list+"?amount=much", wrong)
	rec := get(t, w.server, wrong)
	require.Equal(t, http.StatusBadRequest, rec.Code)
	require.Contains(t, rec.Body.String(), "Write an amount such as")
}

// No address has an e-mail address that people type, because browsers and proxies keep addresses: it stands there sealed, for its merchant alone. An older
// bookmark with the plain one still filters.
func TestEmailsInTheFilters(t *testing.T) {
	t.Parallel()
	const typed = "jo.shopper@shop.test"
	w := newWorld(t)
	w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	w.pay(1000, func(in *request.Input) { in.Email = typed })
	w.pay(2000)
	list := "/m/acme/payments"
	found := func(address string) {
		t.Helper()
		body := w.page(address)
		require.Contains(t, body, "10.00")
		require.NotContains(t, body, "20.00")
		require.Contains(t, body, `value="`+typed+`"`, "the field shows it")
		for _, link := range regexp.MustCompile(`(?:href|action|hx-get)="([^"]*)"`).FindAllStringSubmatch(body, -1) {
			require.NotContains(t, link[1], "shopper")
		}
	}
	for _, fields := range [][]string{{"email", typed}, {"q", typed}, {"q", "email:" + typed}} {
		rec := w.post(list, fields...)
		require.Equal(t, http.StatusSeeOther, rec.Code, fields)
		at := rec.Header().Get("Location")
		require.Regexp(t, `^/m/acme/payments\?email=~[\w-]+$`, at)
		found(at)
	}
	found(list + "?email=" + url.QueryEscape(typed))
	require.NotContains(t, w.page(list+"?email=~AAAA"), "10.00", "the dashboard has not sealed this text: the list shows no payment")
}
