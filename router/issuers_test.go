package router_test

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCardIssuers: the register of issuers, by the rows of its contract.
func TestCardIssuers(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	call := func(method, path, body string) response { return w.send(method, path, adminKey, body) }
	name := func(n string) string { return fmt.Sprintf(`{"issuer_name":%q}`, n) }
	first := call("POST", "/card_issuers", name("Bank of Testing")).ok()
	require.Len(t, first, 2)
	require.Regexp(t, `^[0-9A-Za-z]{5}$`, first["id"])
	require.Equal(t, "Bank of Testing", first["issuer_name"])
	second := call("POST", "/card_issuers", name("bank of testing")).ok()
	require.NotEqual(t, first["id"], second["id"], "case counts")
	other := call("POST", "/card_issuers", name("Übersee_Bank 5%")).ok()
	const exists = "A card issuer with this name already exists"
	call("POST", "/card_issuers", name("Bank of Testing")).refused(400, "IR_38", exists)
	path := "/card_issuers/" + first["id"].(string)
	call("PUT", path, name("bank of testing")).refused(400, "IR_38", exists)
	require.Equal(t, map[string]any{"id": first["id"], "issuer_name": "Bank of Testing"}, call("PUT", path, name("Bank of Testing")).ok(), "its own name")
	require.Equal(t, "Bank of Rests", call("PUT", path, name("Bank of Rests")).ok()["issuer_name"])
	for reason, bad := range map[string]string{"missing": `{}`, "null": `{"issuer_name":null}`, "empty": `{"issuer_name":""}`, "blank": `{"issuer_name":" "}`, "number": `{"issuer_name":5}`,
		"too long": name(strings.Repeat("x", 256)), "no object": `[]`} {
		for _, method := range []string{"POST /card_issuers", "PUT " + path} {
			verb, at, _ := strings.Cut(method, " ")
			t.Log(reason, method)
			call(verb, at, bad).refused(400, "IR_06", "")
		}
	}
	call("POST", "/card_issuers", `{}`).refused(400, "IR_06", "missing field `issuer_name`")
	require.Len(t, call("POST", "/card_issuers", name(strings.Repeat("ü", 255))).ok()["issuer_name"], 510)
	for _, id := range []string{"00000", "x", strings.Repeat("y", 64), strings.Repeat("z", 300), "a.b", "ü", "a b"} {
		at := "/card_issuers/" + url.PathEscape(id)
		call("PUT", at, name("n")).refused(404, "IR_37", "Card issuer with id "+id+" not found")
		e := call("DELETE", at, "").refused(404, "IR_37", "Card issuer with id "+id+" not found")
		require.Equal(t, []any{"issuer_id", "GET /card_issuers lists the issuers."}, []any{e["param"], e["hint"]})
	}

	listed := func(query string) (out []string) {
		for _, i := range w.get("/card_issuers" + query).ok()["issuers"].([]any) {
			require.Len(t, i, 2)
			out = append(out, i.(map[string]any)["issuer_name"].(string))
		}
		return out
	}
	require.Equal(t, []string{"Bank of Rests", "bank of testing"}, listed("?query=BANK"), "a prefix, whatever its case, by name")
	require.Equal(t, []string{other["issuer_name"].(string)}, listed("?query=%C3%9Cbersee_bank%205%25"))
	require.Empty(t, listed("?query=of"), "no part of a name")
	require.Empty(t, listed("?query=%25"), "no wildcard")
	require.Empty(t, listed("?query=_ank"))
	require.Len(t, listed(""), 4)
	require.Len(t, listed("?limit=1"), 1)
	require.Empty(t, listed("?limit=0"))
	for _, bad := range []string{"256", "-1", "x", "1.5"} {
		w.get("/card_issuers?limit="+bad).refused(400, "IR_06", "limit")
	}
	w.get(path).refused(405, "IR_03", "")
	call("GET", "/card_issuers", "").refused(401, "IR_01", "")
	for _, method := range []string{"POST /card_issuers", "PUT " + path, "DELETE " + path} {
		verb, at, _ := strings.Cut(method, " ")
		w.send(verb, at, w.secret, name("n")).refused(401, "IR_01", "")
	}
	require.Equal(t, map[string]any{"id": first["id"], "deleted": true}, call("DELETE", path, "").ok())
	call("DELETE", path, "").refused(404, "IR_37", "")
}

// TestCardIssuersAtOnce: of requests that make the same issuer at once, one succeeds.
func TestCardIssuersAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var made sync.Map
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if r := w.send("POST", "/card_issuers", adminKey, `{"issuer_name":"one"}`); r.status == 200 {
				made.Store(i, true)
			} else if !strings.Contains(r.body, "IR_38") {
				t.Error(r.body)
			}
		})
	}
	all.Wait()
	n := 0
	made.Range(func(any, any) bool { n++; return true })
	require.Equal(t, 1, n)
}

// TestBlockedIssuers: card blocking of a profile names issuers by the ids of the register.
func TestBlockedIssuers(t *testing.T) {
	t.Parallel()
	w := newRisky(t)
	w.guarded(true)
	issuer := w.post("/payments", plain).ok()["payment_method_data"].(map[string]any)["card"].(map[string]any)["card_issuer"].(string)
	register := func(name string) string {
		return w.send("POST", "/card_issuers", adminKey, fmt.Sprintf(`{"issuer_name":%q}`, name)).ok()["id"].(string)
	}
	id, other := register(strings.ToLower(issuer)+" "), register("another bank")
	profile := "/account/m1/business_profile/" + w.profile
	set := func(card string) { w.post(profile, `{"payment_method_blocking":{"card":`+card+`}}`).ok() }
	set(`{"issuers":["` + other + `","zzzzz"]}`)
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"])
	set(`{"issuers":["` + other + `","` + id + `"]}`)
	const text = "We can't process payments from this bank, please try another card or a different payment method"
	w.stops(w.post("/payments", plain), text)
	w.stops(w.post("/payments", with(plain, "payment_method_data.card.card_issuer", `"another name"`)), text) // the payer does not say whose card it is
	require.Equal(t, "succeeded", w.post("/payments", typed("5555555555554444")).ok()["status"], "a card without a record")
	set(`{"issuers":["` + id + `"],"card_types":["credit"]}`)
	w.stops(w.post("/payments", plain), "Credit cards are not accepted for this transaction, please try a different card") // the type comes first
	set(`{"issuers":["` + id + `"]}`)
	p := w.post("/payments", with(plain, "confirm", "-")).ok()
	asked := w.post("/payments/"+p["payment_id"].(string)+"/eligibility", `{"payment_method_type":"card","payment_method_data":{"card":{"card_number":"4242424242424242"}}}`)
	require.Contains(t, asked.body, text)
	w.send("PUT", "/card_issuers/"+id, adminKey, `{"issuer_name":"renamed"}`).ok()
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"], "the register's name counts, at once")
	w.send("PUT", "/card_issuers/"+id, adminKey, fmt.Sprintf(`{"issuer_name":%q}`, issuer)).ok()
	w.stops(w.post("/payments", plain), text)
	w.send("DELETE", "/card_issuers/"+id, adminKey, "").ok()
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"])
	set(`{"issuers":["` + id + `"]}`)
	w.guarded(false)
	require.Equal(t, "succeeded", w.post("/payments", plain).ok()["status"], "the guard is off")
}
