package dashboard

import (
	"net/http"
	"net/url"
	"os"
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
