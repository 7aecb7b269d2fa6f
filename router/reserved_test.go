package router_test

import (
	"testing"
)

// An id that is a name in a fixed path is refused before anything happens: the payment, refund or customer could not be retrieved by it, and who asks for the
// customer named list would get all customers.
func TestReservedIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	paid := w.post("/payments", plain).ok()["payment_id"].(string)
	for _, id := range []string{"list", "sync", "filter", "aggregate", "session_tokens", "profile", "v2", "redirect"} {
		w.post("/payments", with(plain, "payment_id", `"`+id+`"`)).refused(422, "IR_06", "payment_id must not be "+id)
	}
	for _, id := range []string{"list", "sync", "filter", "aggregate", "profile", "v2"} {
		w.post("/refunds", `{"payment_id":"`+paid+`","amount":1,"refund_id":"`+id+`"}`).refused(422, "IR_06", "refund_id must not be "+id)
	}
	for _, id := range []string{"list", "list_with_count", "payment_methods"} {
		w.post("/customers", `{"customer_id":"`+id+`"}`).refused(422, "IR_06", "customer_id must not be "+id)
		w.post("/payments", with(plain, "customer_id", `"`+id+`"`)).refused(422, "IR_06", "customer_id must not be "+id)
		w.post("/payments", with(plain, "customer", `{"id":"`+id+`"}`)).refused(422, "IR_06", "customer.id must not be "+id)
	}
	for _, id := range []string{"list", "payment_methods", "connectors", "profile"} {
		w.send("POST", "/accounts", adminKey, `{"merchant_id":"`+id+`"}`).refused(422, "IR_06", "merchant_id must not be "+id)
	}
	for _, id := range []string{"List", "redirects", "payments"} {
		w.post("/payments", with(plain, "payment_id", `"`+id+`"`)).ok()
		w.get("/payments/" + id).ok()
	}
}
