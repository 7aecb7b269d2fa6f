package dashboard

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/routed"
	"payswitch/engine/routing/rule"
	"payswitch/engine/staff"
)

// draftOf returns the draft that the page's forms carry.
func draftOf(t testing.TB, rec *httptest.ResponseRecorder) string {
	t.Helper()
	found := regexp.MustCompile(`name="algorithm" value="([^"]*)"`).FindStringSubmatch(rec.Body.String())
	require.NotNil(t, found, mainOf(rec.Body.String()))
	return html.UnescapeString(found[1])
}

// TestRouting: a person writes rules, moves them, tries them on past payments, saves, activates, and goes back; nothing of it needs a script.
func TestRouting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.page("/m/acme/routing"), "no payment can go anywhere")
	a := w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "first")
	require.Contains(t, w.page("/m/acme/routing"), "because it is the only account")
	b := w.done("/m/acme/connectors", "connector", "simulator", "connector_label", "second")
	_, idA := a[:len("/m/acme/connectors/")], a[len("/m/acme/connectors/"):]
	idB := b[len("/m/acme/connectors/"):]
	require.Contains(t, w.page("/m/acme/routing"), "first, then second")
	for range 3 {
		w.pay(60000)
	}
	edit := "/m/acme/routing/" + w.profile().ID + "/edit"
	at := draftOf(t, get(t, w.server, edit))
	require.JSONEq(t, `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":[{"connector":"simulator","merchant_connector_id":"`+idA+`"},{"connector":"simulator","merchant_connector_id":"`+idB+`"}]},"rules":[],"metadata":{}}}`, at)
	for _, bad := range [][]string{{"lhs", "amount", "value", "much"}, {"lhs", "currency", "value", "usd"}, {"lhs", "nothing", "value", "x"}} {
		rec := w.post(edit, append([]string{"algorithm", at, "do", "add", "name", "large", "comparison", "equal", "to", idB}, bad...)...)
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, bad)
		require.Equal(t, at, draftOf(t, rec), "a refused rule leaves the draft as it was")
	}
	rec := w.post(edit, "algorithm", at, "do", "add", "name", "large", "lhs", "amount", "comparison", "greater_than_equal", "value", "50000", "to", idB)
	require.Contains(t, mainOf(rec.Body.String()), "large: if amount is at least 50000, the payment goes to second.")
	at = draftOf(t, rec)
	rec = w.post(edit, "algorithm", at, "do", "add", "name", "visa", "lhs", "card_network", "comparison", "equal", "value", "Visa", "to", idA)
	at = draftOf(t, rec)
	rec = w.post(edit, "algorithm", at, "do", "up", "i", "1")
	require.Contains(t, mainOf(rec.Body.String()), "1. visa: if card network is Visa")
	at = draftOf(t, rec)
	at = draftOf(t, w.post(edit, "algorithm", at, "do", "remove", "i", "0"))
	require.Equal(t, http.StatusOK, w.post(edit, "algorithm", at, "do", "remove", "i", "7").Code)
	rec = w.post(edit, "algorithm", at, "do", "try", "payments", "100")
	require.Equal(t, http.StatusOK, rec.Code, mainOf(rec.Body.String()))
	require.Contains(t, mainOf(rec.Body.String()), "3 payments: 0 go where it went, 3 change")

	require.Equal(t, http.StatusUnprocessableEntity, w.post(edit, "algorithm", at, "do", "save", "name", "").Code)
	for _, field := range []string{"name", "description"} {
		rec = w.post(edit, "algorithm", at, "do", "save", field, "as for 5105 1051 0510 5100", "name", "by amount")
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, field)
	}
	w.done(edit, "algorithm", at, "do", "save", "name", "by amount")
	list, err := w.engine.Routings(t.Context(), w.auth, routed.ForPayment, 10, 0)
	require.NoError(t, err)
	require.Empty(t, w.profile().Settings.ActiveRouting, "saving activates nothing")
	w.done("/m/acme/routing/"+w.profile().ID+"/activate", "id", list[0].ID)
	require.Contains(t, w.page("/m/acme/routing"), "large: if amount is at least 50000")
	require.Equal(t, idB, w.pay(60000).Attempt.AccountID)
	require.Equal(t, at, draftOf(t, get(t, w.server, edit+"?from="+list[0].ID)), "the editor loses nothing")
	w.done("/m/acme/routing/" + w.profile().ID + "/deactivate")
	require.Contains(t, w.page("/m/acme/routing"), "There are no rules")

	wrong := w.post(edit, "algorithm", at, "do", "split", "split."+idA, "70", "split."+idB, "20")
	require.Contains(t, mainOf(wrong.Body.String()), "The shares are 90 % together")
	rec = w.post(edit, "algorithm", at, "do", "split", "split."+idA, "70", "split."+idB, "30")
	require.Contains(t, mainOf(rec.Body.String()), "70 % to first, 30 % to second")

	w.as(staff.Grant{MerchantID: "acme", Role: staff.Support})
	require.Equal(t, http.StatusForbidden, get(t, w.server, "/m/acme/routing").Code)
}

// TestRoutingKeys: every fact that the form offers is one that the engine knows for payments.
func TestRoutingKeys(t *testing.T) {
	t.Parallel()
	for key, value := range map[string]string{"amount": "5", "currency": `"USD"`, "card_network": `"Visa"`, "issuer_country": `"Germany"`, "card_bin": `"424242"`, "card_type": `"credit"`,
		"capture_method": `"manual"`, "authentication_type": `"three_ds"`, "billing_country": `"Germany"`} {
		kind := ""
		for _, k := range routingKeys {
			if k[0] == key {
				kind = k[2]
			}
		}
		text := `{"type":"advanced","data":{"defaultSelection":{"type":"priority","data":["simulator"]},"metadata":{},"rules":[{"name":"r","connectorSelection":{"type":"priority","data":["simulator"]},` +
			`"statements":[{"condition":[{"lhs":"` + key + `","comparison":"equal","value":{"type":"` + kind + `","value":` + value + `},"metadata":{}}]}]}]}}`
		_, err := rule.ParseAlgorithm([]byte(text), func(string) bool { return true })
		require.NoError(t, err, key)
	}
	require.Len(t, routingKeys, 9)
}
