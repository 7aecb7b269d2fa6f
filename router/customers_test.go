package router_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCustomers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"customer_id":"cus_x","name":"John Doe","email":"john@doe.test","phone":"999","phone_country_code":"+65","description":"first",
		"address":{"city":"Bonn","country":"DE","line1":"Street 1","zip":"1","extra":1},"metadata":{"a":"b"},"tax_registration_id":"T1",
		"document_details":{"document_type":"cpf","document_number":"1"},"colour":"ignored"}`
	c := w.post("/customers", body).ok()
	require.ElementsMatch(t, strings.Fields(`customer_id name email phone phone_country_code description address created_at metadata
		default_payment_method_id tax_registration_id document_details`), keysOf(c))
	require.Equal(t, map[string]any{"city": "Bonn", "country": "DE", "line1": "Street 1", "zip": "1", "extra": 1.0}, c["address"], "echoed as sent")
	require.Nil(t, c["default_payment_method_id"])
	require.Equal(t, c, w.get("/customers/cus_x").ok())
	w.post("/customers", body).refused(400, "IR_12", "Customer with the given `customer_id` already exists")

	empty := w.post("/customers", `{}`).ok()
	require.Regexp(t, `^cus_[0-9A-Za-z]{20}$`, empty["customer_id"])
	require.Nil(t, empty["phone"])

	u := w.post("/customers/cus_x", `{"name":"Jane","address":{"city":"Rome"}}`).ok()
	require.Equal(t, []any{"Jane", "john@doe.test", map[string]any{"city": "Rome"}}, []any{u["name"], u["email"], u["address"]})

	for range 11 {
		w.post("/customers", `{}`).ok()
	}
	require.Len(t, w.get("/customers/list").list(), 10)
	require.Len(t, w.get("/customers/list?limit=2&offset=12").list(), 1)
	one := w.get("/customers/list?customer_id=cus_x").list()
	require.Equal(t, []any{1, "cus_x"}, []any{len(one), one[0]["customer_id"]})
	require.Empty(t, w.get("/customers/list?customer_id=none").list())
	counted := w.get("/customers/list_with_count").ok()
	require.Len(t, counted["data"], 13)
	require.Equal(t, 13.0, counted["total_count"])
	counted = w.get("/customers/list_with_count?limit=1&offset=12").ok()
	require.Equal(t, "cus_x", counted["data"].([]any)[0].(map[string]any)["customer_id"], "the newest first")
	for _, limit := range []string{"0", "101", "-1"} {
		w.get("/customers/list_with_count?limit="+limit).refused(422, "IR_06", "limit should be in between 1 and 100")
	}
	w.get("/customers/list?colour=1").refused(400, "IR_06", "unknown field `colour`")
	w.get("/customers/list?limit=x").refused(400, "IR_06", "limit")

	require.Equal(t, map[string]any{"customer_id": "cus_x", "customer_deleted": true, "address_deleted": true, "payment_methods_deleted": true},
		w.send("DELETE", "/customers/cus_x", w.secret, "").ok())
	gone := w.get("/customers/cus_x").ok()
	for _, field := range []string{"name", "email", "phone", "phone_country_code", "description", "tax_registration_id"} {
		require.Equal(t, "Redacted", gone[field], field)
	}
	require.Equal(t, map[string]any{"city": "Redacted"}, gone["address"])
	require.Nil(t, gone["metadata"])
	require.Nil(t, gone["document_details"])
	require.Equal(t, c["created_at"], gone["created_at"])
	w.send("DELETE", "/customers/cus_x", w.secret, "").refused(400, "IR_11", "redacted")
	w.post("/customers/cus_x", `{"name":"x"}`).refused(400, "IR_11", "redacted")
	w.post("/customers", body).refused(400, "IR_12", "already exists")

	for _, method := range []string{"GET", "POST", "DELETE"} {
		w.send(method, "/customers/none", w.secret, `{}`).refused(404, "HE_02", "Customer does not exist in our records")
	}
	w.post("/customers", `{"email":"nobody"}`).refused(400, "IR_06", "invalid email address format")
	w.post("/customers", `{"customer_id":"a b"}`).refused(400, "IR_06", "invalid character")
	w.post("/customers", `{"address":{"country":"Germany"}}`).refused(400, "IR_06", "unknown variant `Germany`")
	w.post("/customers", `{"phone_country_code":"`+strings.Repeat("1", 256)+`"}`).
		refused(422, "IR_06", "phone_country_code must be at most 255 characters long. Received 256 characters")
}

func TestDeletedCustomerKeepsPayments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", with(plain, "customer_id", `"cus_gone"`)).ok()["payment_id"].(string)
	require.Equal(t, "cus_gone", w.get("/customers/cus_gone").ok()["customer_id"], "made on the fly")
	w.send("DELETE", "/customers/cus_gone", w.secret, "").ok()
	for _, query := range []string{"", "?force_sync=true"} {
		require.Equal(t, "cus_gone", w.get("/payments/" + id + query).ok()["customer_id"])
	}
}

// TestPaymentsShowTheirCustomer: an answer about one payment completes what came with the payment from the customer's record.
func TestPaymentsShowTheirCustomer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.post("/customers", `{"customer_id":"ada","name":"Ada","email":"ada@example.com","phone":"123","phone_country_code":"+1"}`).ok()
	shown := func(p map[string]any) []any {
		c := p["customer"].(map[string]any)
		require.Equal(t, []any{p["name"], p["email"], p["phone"]}, []any{c["name"], c["email"], c["phone"]}, "the top level mirrors them")
		return []any{c["id"], c["name"], c["email"], c["phone"], c["phone_country_code"]}
	}
	known := []any{"ada", "Ada", "ada@example.com", "123", "+1"}
	p := w.post("/payments", with(plain, "confirm", "-", "customer_id", `"ada"`)).ok()
	id, clientSecret := p["payment_id"].(string), p["client_secret"].(string)
	require.Equal(t, known, shown(p))
	require.Equal(t, known, shown(w.get("/payments/"+id).ok()))
	require.Equal(t, known, shown(w.post("/payments/"+id, `{"description":"x"}`).ok()))
	nothing := []any{"ada", nil, nil, nil, nil}
	require.Equal(t, nothing, shown(w.send("GET", "/payments/"+id+"?client_secret="+clientSecret, w.publishable, "").ok()), "the payer's client sees what came with the payment")
	require.Equal(t, nothing, shown(w.get("/payments/list").ok()["data"].([]any)[0].(map[string]any)), "lists read no records")
	require.Equal(t, known, shown(w.post("/payments", with(plain, "customer_id", `"ada"`)).ok()))
	require.Equal(t, []any{"ada", "Bea", "ada@example.com", "9", nil}, shown(w.post("/payments", with(plain, "customer", `{"id":"ada","name":"Bea","phone":"9"}`)).ok()), "the payment's own come first")

	later := w.post("/payments", with(plain, "confirm", "-")).ok()["payment_id"].(string)
	require.Equal(t, known, shown(w.post("/payments/"+later, `{"customer_id":"ada"}`).ok()))
	w.post("/customers/ada", `{"name":"Ada L"}`).ok()
	require.Equal(t, []any{"ada", "Ada L", "ada@example.com", "123", "+1"}, shown(w.get("/payments/"+id).ok()), "the record of today")
	w.send("DELETE", "/customers/ada", w.secret, "").ok()
	require.Equal(t, nothing, shown(w.get("/payments/"+id).ok()), "no answer shows the record of a deleted customer")
	require.Equal(t, []any{"new", nil, nil, nil, nil}, shown(w.post("/payments", with(plain, "customer_id", `"new"`)).ok()))
}
