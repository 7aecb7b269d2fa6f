package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
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
			w.addAccount(name)
		}
	}
	return w
}

func (w *world) addAccount(connector string) {
	w.t.Helper()
	_, err := w.engine.CreateAccount(w.t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: connector,
		Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"k"}`)})
	require.NoError(w.t, err)
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

// money returns the fields of an answer that say what is held and taken.
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
	t.Parallel()
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
	require.Equal(t, "failed", w.post("/refunds", `{"payment_id":"`+id+`","amount":8000}`).ok()["status"], "archipel refunds nothing")

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
	t.Parallel()
	w := simulators(t)
	p := w.held("stripe", "request_incremental_authorization", "true", "customer_id", `"cus_a"`)
	w.send("DELETE", "/customers/cus_a", w.secret, "").ok()
	r := w.payment(p, "/incremental_authorization", `{"amount":8000}`)
	require.Equal(t, 400, r.status, r.body)
	require.Equal(t, "IR_11", r.error()["code"])
}

// While the result of a raise is not known, no other raise begins, and what was held before can be captured.
func TestUnknownRaise(t *testing.T) {
	t.Parallel()
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

// card is the instrument of a test card.
func cardOf(number, month, year, cvc string) string {
	return `{"card":{"card_number":"` + number + `","card_exp_month":"` + month + `","card_exp_year":"` + year + `","card_cvc":"` + cvc + `"}}`
}

func TestPartialAuthorization(t *testing.T) {
	t.Parallel()
	w := simulators(t, "checkout", "nuvei", "worldpay", "worldpayvantiv")
	const yes = "enable_partial_authorization"
	half := cardOf("5518207720770101", "12", "2027", "152")
	for _, c := range []struct {
		connector string
		changes   []string
		want      string
	}{
		{"checkout", []string{yes, "true", "payment_method_data", half}, "partially_captured 6000 6000 0 3000"},
		{"checkout", []string{"payment_method_data", half}, "succeeded 6000 6000 0 6000"},
		{"checkout", []string{yes, "true"}, "succeeded 6000 6000 0 6000"},
		{"nuvei", []string{yes, "true", "payment_method_data", cardOf("4531739335817394", "12", "2030", "152")}, "partially_captured 6000 6000 0 3000"},
		{"worldpay", []string{yes, "true", "amount", "1706"}, "partially_captured 1706 1706 0 123"},
		{"worldpayvantiv", []string{yes, "true", "amount", "5000", "payment_method_data", cardOf("4457010140000141", "12", "2030", "152")}, "partially_captured 5000 5000 0 4000"},
	} {
		p := w.held(c.connector, append(c.changes, "capture_method", `"automatic"`)...)
		require.Equal(t, c.want, money(p), c.connector)
		require.EqualValues(t, 1, p["attempt_count"])
		if c.changes[0] == yes {
			require.Equal(t, true, p[yes])
		} else {
			require.Nil(t, p[yes])
		}
	}
	for _, method := range []string{"manual", "manual_multiple"} {
		p := w.held("checkout", yes, "true", "payment_method_data", half, "capture_method", `"`+method+`"`)
		require.Equal(t, "partially_authorized_and_requires_capture 6000 6000 3000 -", money(p))
		over := w.payment(p, "/capture", `{"amount_to_capture":3001}`)
		require.Equal(t, []any{422, "IR_06"}, []any{over.status, over.error()["code"]})
		require.Equal(t, "IR_16", w.payment(p, "/incremental_authorization", `{"amount":9000}`).error()["code"])
		want := map[string]string{"manual": "partially_captured 6000 6000 0 3000", "manual_multiple": "succeeded 6000 6000 0 3000"}[method]
		require.Equal(t, want, money(w.payment(p, "/capture", `{"amount_to_capture":3000}`).ok()))
		require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":3000}`).ok()["status"])
		require.Equal(t, 400, w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":1}`).status)
	}
	p := w.held("checkout", yes, "true", "payment_method_data", half)
	require.Equal(t, "cancelled 6000 6000 0 -", money(w.payment(p, "/cancel", `{}`).ok()))

	// A confirm overrides the create.
	p = w.held("checkout", "confirm", "false", yes, "true")
	p = w.payment(p, "/confirm", `{"enable_partial_authorization":false}`).ok()
	require.Equal(t, false, p[yes])
}

// Funds of a payment that allows no partial approval are given back, and the payment has failed.
func TestUnwantedPartialAuthorization(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	p := w.held("stripe", "amount", "900000008")
	require.Equal(t, "failed 900000008 900000008 0 -", money(p))
	require.Equal(t, "partially_approved", p["error_code"])
	require.NoError(t, w.store.View(t.Context(), func(r engine.Reader) error {
		ops, err := r.Operations(merchant, p["payment_id"].(string))
		require.NoError(t, err)
		require.Len(t, ops, 2)
		require.Equal(t, sdk.OpVoid, ops[1].Kind)
		require.EqualValues(t, 450000004, ops[1].Amount)
		require.Equal(t, payment.OperationSucceeded, ops[1].Status)
		return nil
	}))
}

func TestOvercapture(t *testing.T) {
	t.Parallel()
	w := simulators(t, "checkout")
	const yes = "enable_overcapture"
	for _, method := range []string{"automatic", "manual_multiple"} {
		r := w.post("/payments", with(`{"amount":6000,"currency":"USD","enable_overcapture":true}`, "capture_method", `"`+method+`"`))
		require.Equal(t, 400, r.status, method)
		require.Equal(t, "Invalid overcapture request: supported only with manual capture", r.error()["message"])
	}
	require.Equal(t, "IR_16", w.post("/payments", `{"amount":6000,"currency":"USD","enable_overcapture":true}`).error()["code"], "an absent capture method is not manual")

	p := w.held("stripe", yes, "true")
	require.Equal(t, []any{true, true}, []any{p[yes], p["is_overcapture_enabled"]})
	require.Equal(t, 422, w.payment(p, "/capture", `{"amount_to_capture":0}`).status)
	require.Equal(t, "succeeded 6000 6000 0 7000", money(w.payment(p, "/capture", `{"amount_to_capture":7000}`).ok()))
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":7000}`).ok()["status"], "what was captured can be refunded")
	require.Equal(t, "partially_captured 6000 6000 0 5000", money(w.payment(w.held("stripe", yes, "true"), "/capture", `{"amount_to_capture":5000}`).ok()))

	p = w.held("stripe")
	require.Equal(t, []any{nil, nil}, []any{p[yes], p["is_overcapture_enabled"]})
	require.Equal(t, "IR_06", w.payment(p, "/capture", `{"amount_to_capture":7000}`).error()["code"])
	p = w.held("checkout", yes, "true")
	require.Equal(t, []any{nil, nil}, []any{p[yes], p["is_overcapture_enabled"]}, "the connector does not offer it")
	require.Equal(t, 422, w.payment(p, "/capture", `{"amount_to_capture":7000}`).status)

	p = w.held("adyen", yes, "true")
	const later = "processing 6000 6000 6000 -"
	require.Equal(t, later, money(w.payment(p, "/capture", `{"amount_to_capture":7000}`).ok()))
	require.Equal(t, later, money(w.get("/payments/"+p["payment_id"].(string)+"?force_sync=true").ok()))

	p = w.held("stripe", "confirm", "false", yes, "true")
	require.Equal(t, true, p[yes])
	require.Nil(t, p["is_overcapture_enabled"])
	require.Nil(t, w.payment(p, "", `{"description":"x"}`).ok()[yes], "an update without it clears it")

	w.send("POST", "/account/m1/business_profile/"+w.profile, adminKey, `{"always_enable_overcapture":true}`).ok()
	require.Equal(t, true, w.held("stripe")["is_overcapture_enabled"])
	require.Nil(t, w.held("stripe", "capture_method", `"automatic"`)["enable_overcapture"])
	p = w.held("checkout")
	require.Equal(t, []any{nil, nil}, []any{p[yes], p["is_overcapture_enabled"]}, "the profile's switch counts where the connector offers it")
}

func TestExtendedAuthorization(t *testing.T) {
	t.Parallel()
	w := simulators(t, "paypal", "checkout")
	const asked = "request_extended_authorization"
	p := w.held("paypal", "confirm", "false", asked, "true")
	require.Nil(t, p[asked], "not before the confirm")
	extend := func(p map[string]any, body string) response { return w.payment(p, "/extend_authorization", body) }
	require.Equal(t, "You cannot extend authorization this payment because it has status requires_confirmation", extend(p, `{}`).error()["message"])

	p = w.held("paypal", asked, "true")
	require.Equal(t, []any{true, nil, nil, nil}, []any{p[asked], p["extended_authorization_applied"], p["extended_authorization_last_applied_at"], p["capture_before"]})
	p = extend(p, "").ok()
	require.Equal(t, "requires_capture 6000 6000 6000 -", money(p))
	require.Equal(t, true, p["extended_authorization_applied"])
	require.NotNil(t, p["extended_authorization_last_applied_at"])
	require.NotNil(t, p["capture_before"])
	extend(p, `{"days":3}`).ok()

	refused := extend(w.held("paypal"), `{}`)
	require.Equal(t, 400, refused.status)
	require.Equal(t, "IR_16", refused.error()["code"])
	require.Equal(t, "You cannot extend the authorization for this payment because authorization extension is not enabled.", refused.error()["message"])
	refused = extend(w.held("checkout", asked, "true"), `{}`)
	require.Equal(t, []any{400, "IR_20", "extend_authorization flow not supported"}, []any{refused.status, refused.error()["code"], refused.error()["message"]})
	require.Equal(t, 404, w.post("/payments/pay_none/extend_authorization", `{}`).status)

	p = w.held("stripe", asked, "true")
	require.Equal(t, true, p["extended_authorization_applied"], "reported with the authorization")
	require.NotNil(t, p["capture_before"])

	for applied, word := range map[bool]string{true: "true", false: "false"} {
		p = w.held("adyen", asked, "true")
		p = extend(p, `{}`).ok()
		const later = "processing 6000 6000 6000 -"
		require.Equal(t, later, money(p))
		id := p["payment_id"].(string)
		require.Equal(t, later, money(w.get("/payments/"+id+"?force_sync=true").ok()))
		require.Equal(t, "IR_14", w.payment(p, "/capture", `{}`).error()["code"])
		r := w.hook("POST", "/webhooks/m1/adyen", `{"type":"extension.updated","applied":`+word+`,"transaction_id":"`+p["connector_transaction_id"].(string)+`"}`, nil)
		require.Equal(t, 200, r.status, r.body)
		p = w.get("/payments/" + id).ok()
		require.Equal(t, "requires_capture 6000 6000 6000 -", money(p))
		require.Equal(t, applied, p["extended_authorization_applied"])
		require.Equal(t, applied, p["extended_authorization_last_applied_at"] != nil)
		require.Nil(t, p["capture_before"])
	}
	w.send("POST", "/account/m1/business_profile/"+w.profile, adminKey, `{"always_request_extended_authorization":true}`).ok()
	require.Equal(t, true, w.held("stripe")[asked])
	require.Equal(t, false, w.held("stripe", asked, "false")[asked])
}
