package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// simulators makes a world in which the simulator answers for these connectors, too, and each has an account.
func simulators(t testing.TB, names ...string) *world {
	adapters := map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter()}
	for _, name := range names {
		adapters[name] = simulator.Adapter()
	}
	w := newWorldWith(t, plugins.NativeConnectors(adapters))
	for _, name := range names {
		if name != "stripe" && name != "adyen" {
			_, err := w.engine.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: name,
				Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"k"}`)})
			require.NoError(t, err)
		}
	}
	return w
}

// held makes a payment of 60.00 at a connector by a create request with these fields.
func (w *world) held(connector string, changes ...string) map[string]any {
	w.t.Helper()
	body := `{"amount":6000,"currency":"USD","confirm":true,"capture_method":"manual",` + tableCard + `}`
	changes = append([]string{"routing", `{"type":"single","data":"` + connector + `"}`}, changes...)
	return w.post("/payments", with(body, changes...)).ok()
}

func (w *world) payment(p map[string]any, path, body string) response {
	return w.post("/payments/"+p["payment_id"].(string)+path, body)
}

// money are the fields of an answer that say what is held and taken.
func money(p map[string]any) string {
	out := fmt.Sprint(p["status"])
	for _, key := range []string{"amount", "net_amount", "amount_capturable", "amount_received"} {
		if n, ok := p[key].(float64); ok {
			out += fmt.Sprintf(" %.0f", n)
		} else {
			out += " -"
		}
	}
	return out
}

func TestIncrementalAuthorization(t *testing.T) {
	w := simulators(t, "archipel", "cybersource", "paypal", "wellsfargo")
	for _, connector := range []string{"archipel", "cybersource", "stripe", "paypal", "wellsfargo"} {
		p := w.held(connector, "request_incremental_authorization", "true")
		require.Equal(t, true, p["incremental_authorization_allowed"], connector)
		require.Nil(t, p["authorization_count"])
		require.Nil(t, p["incremental_authorizations"])
	}
	require.Nil(t, w.held("adyen", "request_incremental_authorization", "true")["incremental_authorization_allowed"], "the processor does not say")
	p := w.held("archipel")
	require.Equal(t, false, p["incremental_authorization_allowed"], "not requested")
	require.NotContains(t, p, "request_incremental_authorization")
	unconfirmed := w.held("archipel", "confirm", "false", "request_incremental_authorization", "true")
	require.Nil(t, unconfirmed["incremental_authorization_allowed"])
	refused := w.payment(p, "/incremental_authorization", `{"amount":8000}`)
	require.Equal(t, 400, refused.status)
	require.Equal(t, "IR_16", refused.error()["code"])
	require.Equal(t, "You cannot increment authorization this payment because it is not allowed for incremental_authorization", refused.error()["message"])

	p = w.held("archipel", "request_incremental_authorization", "true", "shipping_cost", "500", "order_tax_amount", "100")
	require.Equal(t, "requires_capture 6000 6600 6600 -", money(p))
	for body, want := range map[string]string{`{}`: "IR_06", `{"amount":"8000"}`: "IR_06", `{"amount":6600}`: "IR_16", `{"amount":-1}`: "IR_16"} {
		r := w.payment(p, "/incremental_authorization", body)
		require.Equal(t, 400, r.status, r.body)
		require.Equal(t, want, r.error()["code"], r.body)
	}
	require.Equal(t, 401, w.send("POST", "/payments/"+p["payment_id"].(string)+"/incremental_authorization", w.publishable, `{"amount":8000}`).status)
	require.Equal(t, "HE_02", w.post("/payments/pay_unknown/incremental_authorization", `{"amount":8000}`).error()["code"])

	raised := w.payment(p, "/incremental_authorization", `{"amount":8000,"reason":"minibar","other":1}`).ok()
	require.Equal(t, "requires_capture 7400 8000 8000 -", money(raised))
	require.EqualValues(t, 1, raised["authorization_count"])
	item := raised["incremental_authorizations"].([]any)[0].(map[string]any)
	require.Regexp(t, `^auth_[0-9A-Za-z]{20}_1$`, item["authorization_id"])
	delete(item, "authorization_id")
	require.Equal(t, map[string]any{"amount": 8000.0, "status": "success", "error_code": nil, "error_message": nil, "previously_authorized_amount": 6600.0}, item)

	raised = w.payment(p, "/incremental_authorization", `{"amount":900000501}`).ok()
	require.Equal(t, "requires_capture 7400 8000 8000 -", money(raised), "the processor refuses")
	require.EqualValues(t, 2, raised["authorization_count"])
	require.Nil(t, raised["error_code"])
	item = raised["incremental_authorizations"].([]any)[1].(map[string]any)
	require.Equal(t, "failure", item["status"])
	require.NotNil(t, item["error_code"])
	require.NotNil(t, item["error_message"])
	require.EqualValues(t, 8000, item["previously_authorized_amount"])
	id := p["payment_id"].(string)
	require.Len(t, w.get("/payments/" + id).ok()["incremental_authorizations"], 2)
	require.Equal(t, "succeeded 7400 8000 0 8000", money(w.payment(p, "/capture", `{"amount_to_capture":8000}`).ok()))
	require.Equal(t, "IR_16", w.payment(p, "/incremental_authorization", `{"amount":9000}`).error()["code"])
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+id+`","amount":8000}`).ok()["status"])

	p = w.held("paypal", "request_incremental_authorization", "true")
	soon := w.payment(p, "/incremental_authorization", `{"amount":8000}`).ok()
	item = soon["incremental_authorizations"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"failure", "REAUTHORIZATION_TOO_SOON", "REAUTHORIZATION_TOO_SOON"}, []any{item["status"], item["error_code"], item["error_message"]})
	require.EqualValues(t, 6000, soon["amount_capturable"])
	over := w.payment(p, "/capture", `{"amount_to_capture":8000}`)
	require.Equal(t, 422, over.status)
	require.Equal(t, "IR_06", over.error()["code"])

	for _, method := range []string{"automatic", "sequential_automatic"} {
		body := with(`{"amount":6000,"currency":"USD"}`, "capture_method", `"`+method+`"`, "request_incremental_authorization", "true")
		r := w.post("/payments", body)
		require.Equal(t, 400, r.status)
		require.Equal(t, "IR_19", r.error()["code"])
		require.Equal(t, "incremental authorization is not supported when capture_method is automatic", r.error()["reason"])
	}
	w.post("/payments", `{"amount":6000,"currency":"USD","request_incremental_authorization":true}`).ok()
}

// A deleted customer's money is held no more.
func TestNoRaiseForADeletedCustomer(t *testing.T) {
	w := simulators(t)
	p := w.held("stripe", "request_incremental_authorization", "true", "customer_id", `"cus_a"`)
	w.send("DELETE", "/customers/cus_a", w.secret, "").ok()
	r := w.payment(p, "/incremental_authorization", `{"amount":8000}`)
	require.Equal(t, 400, r.status, r.body)
	require.Equal(t, "IR_11", r.error()["code"])
}

// While the result of a raise is not known, no other raise begins, and what was held before can be captured.
func TestUnknownRaise(t *testing.T) {
	w := simulators(t)
	p := w.held("stripe", "request_incremental_authorization", "true")
	open := w.payment(p, "/incremental_authorization", `{"amount":900000502}`).ok()
	require.Equal(t, "requires_capture 6000 6000 6000 -", money(open))
	require.Equal(t, "processing", open["incremental_authorizations"].([]any)[0].(map[string]any)["status"])
	require.Equal(t, "IR_16", w.payment(p, "/incremental_authorization", `{"amount":900000600}`).error()["code"])
	found := w.get("/payments/" + p["payment_id"].(string) + "?force_sync=true").ok()
	require.Equal(t, "requires_capture 900000502 900000502 900000502 -", money(found), "the processor says that it was raised")
	require.Equal(t, "success", found["incremental_authorizations"].([]any)[0].(map[string]any)["status"])

	p = w.held("stripe", "request_incremental_authorization", "true")
	w.payment(p, "/incremental_authorization", `{"amount":900000502}`).ok()
	require.Equal(t, "succeeded 6000 6000 0 6000", money(w.payment(p, "/capture", `{}`).ok()))
	late := w.get("/payments/" + p["payment_id"].(string)).ok()
	require.Equal(t, "unresolved", late["incremental_authorizations"].([]any)[0].(map[string]any)["status"])

	p = w.held("stripe", "request_incremental_authorization", "true")
	w.payment(p, "/incremental_authorization", `{"amount":900000502}`).ok()
	require.Equal(t, "cancelled", w.payment(p, "/cancel", `{}`).ok()["status"])
}
