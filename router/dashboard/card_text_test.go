package dashboard

import (
	"net/http"
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
