package router_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/relay"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// account returns the id of the account of a connector.
func (w *world) accountOf(connector string) string {
	w.t.Helper()
	list, err := w.engine.Accounts(w.t.Context(), w.auth)
	require.NoError(w.t, err)
	for _, a := range list {
		if a.Connector == connector {
			return a.ID
		}
	}
	w.t.Fatal("no account of " + connector)
	return ""
}

func (w *world) relay(connector, kind, data string, headers ...string) response {
	w.t.Helper()
	return w.relayOf("sim_other", connector, kind, data, headers...)
}

// relayOf is relay for a transaction of its own.
func (w *world) relayOf(resource, connector, kind, data string, headers ...string) response {
	w.t.Helper()
	body := fmt.Sprintf(`{"connector_resource_id":"%s","connector_id":"%s","type":"%s","data":{"%s":%s}}`, resource, w.accountOf(connector), kind, kind, data)
	return w.send("POST", "/relay", w.secret, body, headers...)
}

// Each type at a connector that performs it at once, and what the answer has.
func TestRelay(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica", "archipel")
	for kind, data := range map[string]string{
		"refund":                    `{"amount":500,"currency":"USD","reason":"broken"}`,
		"capture":                   `{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD"}`,
		"incremental_authorization": `{"total_amount":8000,"additional_amount":2000,"currency":"USD"}`,
		"void":                      `{"cancellation_reason":"gone"}`,
	} {
		r := w.relay("bankofamerica", kind, data).ok()
		require.Equal(t, "success", r["status"], kind)
		require.Regexp(t, `^relay_[0-9A-Za-z]{20}$`, r["id"])
		require.NotNil(t, r["connector_reference_id"], kind)
		require.Nil(t, r["error"])
		require.Equal(t, []any{"sim_other", w.accountOf("bankofamerica"), w.profile, kind}, []any{r["connector_resource_id"], r["connector_id"], r["profile_id"], r["type"]})
		require.JSONEq(t, `{"`+kind+`":`+data+`}`, mustJSON(t, r["data"]), "as it was sent")
		require.Equal(t, r, w.get("/relay/"+r["id"].(string)).ok())
	}
	for i, kind := range []string{`"void":{"amount":6000,"currency":"USD"}`, `"void":{}`, `"refund":{"amount":500,"currency":"USD"}`,
		`"capture":{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD","capture_method":"manual_multiple"}`} {
		name, data, _ := strings.Cut(kind, ":")
		r := w.relayOf(fmt.Sprint("sim ", i), "bankofamerica", strings.Trim(name, `"`), data).ok()
		require.Equal(t, "success", r["status"])
		require.JSONEq(t, "{"+kind+"}", mustJSON(t, r["data"]), "as it was sent")
	}

	p := w.held("bankofamerica", "billing", `{"address":{"line1":"1 Main St"}}`) // an operation on our own reference does not change the payment
	r := w.post("/relay", fmt.Sprintf(`{"connector_resource_id":"%s","connector_id":"%s","type":"capture","data":{"capture":{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD"}}}`,
		p["connector_transaction_id"], w.accountOf("bankofamerica"))).ok()
	require.Equal(t, "success", r["status"])
	require.Equal(t, "requires_capture 6000 6000 6000 -", money(w.get("/payments/"+p["payment_id"].(string)).ok()))

	r = w.relay("archipel", "refund", `{"amount":500,"currency":"USD"}`).ok()
	require.Equal(t, "failure", r["status"], "a refusal is no error")
	require.NotEmpty(t, r["error"].(map[string]any)["code"])
	require.NotEmpty(t, r["error"].(map[string]any)["message"])

	r = w.relay("adyen", "capture", `{"authorized_amount":2000,"amount_to_capture":1500,"currency":"USD"}`).ok()
	require.Equal(t, "pending", r["status"])
	require.NotNil(t, r["connector_reference_id"])
	require.Equal(t, "pending", w.get("/relay/" + r["id"].(string) + "?force_sync=true").ok()["status"])
	for i, c := range []struct{ kind, data, asked string }{ // the simulator carries this out later, and reports it to a query
		{"refund", `{"amount":900000402,"currency":"USD"}`, "success"},
		{"refund", `{"amount":900000403,"currency":"USD"}`, "failure"},
		{"capture", `{"authorized_amount":900000999,"amount_to_capture":900000202,"currency":"USD"}`, "success"},
		{"capture", `{"authorized_amount":900000999,"amount_to_capture":900000203,"currency":"USD"}`, "pending"}, // it names no end
		{"refund", `{"amount":900000404,"currency":"USD"}`, "success"},                                           // the answer with the refund's id was lost
		{"capture", `{"authorized_amount":900000999,"amount_to_capture":900000204,"currency":"USD"}`, "success"},
	} {
		r = w.relayOf(fmt.Sprintf("sim_%d", i), "bankofamerica", c.kind, c.data).ok()
		require.Equal(t, "pending", r["status"], c.data)
		require.Nil(t, r["error"])
		id := r["id"].(string)
		require.Equal(t, "pending", w.get("/relay/" + id).ok()["status"], "the stored record")
		require.Equal(t, c.asked, w.get("/relay/" + id + "?force_sync=true").ok()["status"], c.data)
		require.Equal(t, c.asked, w.get("/relay/" + id).ok()["status"])
	}
}

// TestUnreferencedRefund: money to a card without a payment, by both routes, at the connector that offers it. No card number is shown or kept.
func TestUnreferencedRefund(t *testing.T) {
	t.Parallel()
	w := simulators(t, "fiservcommercehub", "stripe")
	mca := w.accountOf("fiservcommercehub")
	data := func(number string, amount int) string {
		return fmt.Sprintf(`{"amount":%d,"currency":"USD","customer_id":"cus_1","recipient_payment_method_data":{"card":{"card_number":"%s","card_exp_month":"10","card_exp_year":"50",
			"card_holder_name":"Ada Lovelace"}}}`, amount, number)
	}
	r := w.relayOf("mine-1", "fiservcommercehub", "unreferenced_refund", data("4242 4242 4242 4242", 700)).ok()
	require.Equal(t, []any{"success", "mine-1", mca, w.profile, "unreferenced_refund", nil}, []any{r["status"], r["connector_resource_id"], r["connector_id"], r["profile_id"], r["type"], r["error"]})
	require.Regexp(t, `^simr_`, r["connector_reference_id"])
	require.JSONEq(t, `{"unreferenced_refund":{"amount":700,"currency":"USD","customer_id":"cus_1","recipient_payment_method_data":{"card":{"card_number":"424242******4242",
		"card_exp_month":"10","card_exp_year":"50"}}}}`, mustJSON(t, r["data"]))
	require.Equal(t, r, w.get("/relay/"+r["id"].(string)).ok())

	// The route of its own has the data at the top, and another answer.
	own := func(data, more string) response {
		return w.post("/relay/unreferenced_refund", `{"connector_id":"`+mca+`"`+more+`,`+strings.TrimPrefix(data, "{"))
	}
	r = own(data("4242424242424242", 700), "").ok()
	require.Regexp(t, `^internal_[0-9a-f-]{36}$`, r["connector_resource_id"])
	require.Equal(t, []any{"success", "fiservcommercehub", mca, w.profile, nil, nil},
		[]any{r["status"], r["connector"], r["connector_id"], r["profile_id"], r["error"], r["raw_connector_response"]})
	require.Len(t, r, 10)
	require.Equal(t, "unreferenced_refund", w.get("/relay/" + r["id"].(string)).ok()["type"])
	require.Equal(t, "mine-2", own(data("4242424242424242", 700), `,"connector_resource_id":"mine-2"`).ok()["connector_resource_id"])

	// The processor refuses, answers later, or its answer is lost.
	r = own(data("4000000000009995", 700), "").ok()
	require.Equal(t, []any{"failure", "card_declined"}, []any{r["status"], r["error"].(map[string]any)["code"]})
	for amount, want := range map[int]string{900000402: "success", 900000403: "failure", 900000404: "success", 900000405: "pending"} {
		r = own(data("4242424242424242", amount), "").ok()
		require.Equal(t, "pending", r["status"], amount)
		require.NotEmpty(t, r["pending_reason"])
		require.Equal(t, want, w.get("/relay/" + r["id"].(string) + "?force_sync=true").ok()["status"], amount)
	}

	// What is wrong is named before anything is sent.
	own(data("4242424242424242", 0), "").refused(400, "IR_16", "Invalid relay request")
	own(data("4242424242424241", 700), "").refused(400, "IR_06", "card number invalid")
	own(`{"amount":5,"currency":"USD"}`, "").refused(400, "IR_06", "missing field `recipient_payment_method_data`")
	own(`{"amount":5,"currency":"USD","recipient_payment_method_data":{}}`, "").refused(400, "IR_06", "missing field `card`")
	expired := strings.Replace(data("4242424242424242", 700), `"50"`, `"20"`, 1)
	require.Equal(t, "recipient_payment_method_data.card.card_exp_year", own(expired, "").refused(400, "IR_16", "Invalid Expiry Year")["param"])
	w.relayOf("mine-3", "stripe", "unreferenced_refund", data("4242424242424242", 700)).refused(422, "IR_06", "Connector stripe does not support unreferenced refund")
	w.send("POST", "/relay/unreferenced_refund", w.secret, `{"connector_id":"mca_none",`+data("4242424242424242", 5)[1:]).refused(404, "HE_02", "")

	// A repetition with the same key finds the first one, and sends no second.
	again := func(key string, amount int) response {
		return w.send("POST", "/relay/unreferenced_refund", w.secret, `{"connector_id":"`+mca+`",`+data("4242424242424242", amount)[1:], "Idempotency-Key", key)
	}
	require.Equal(t, again("key-1", 700).ok()["id"], again("key-1", 700).ok()["id"])
	lost := again("key-2", 900000404).ok()
	require.Equal(t, "pending", lost["status"])
	found := again("key-2", 900000404).ok()
	require.Equal(t, []any{lost["id"], "success"}, []any{found["id"], found["status"]})
}

// What is wrong is named in the contract's order, and nothing is sent.
func TestRelayRefused(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica")
	mca := w.accountOf("bankofamerica")
	const data = `"data":{"refund":{"amount":500,"currency":"USD"}}`
	call := func(body string) response { return w.post("/relay", "{"+strings.ReplaceAll(body, "MCA", mca)+"}") }
	for body, want := range map[string]struct {
		status        int
		code, message string
	}{
		`"type":"credit"`: {400, "IR_06", "unknown variant `credit`, expected one of `refund`, `capture`, `incremental_authorization`, `void`, `unreferenced_refund`"},
		`"connector_id":"MCA","type":"refund",` + data:                                                                                                                                       {400, "IR_06", "missing field `connector_resource_id`"},
		`"connector_resource_id":"x","type":"refund",` + data:                                                                                                                                {400, "IR_06", "missing field `connector_id`"},
		`"connector_resource_id":"x","connector_id":"MCA",` + data:                                                                                                                           {400, "IR_06", "missing field `type`"},
		`"connector_resource_id":"","connector_id":"MCA","type":"refund",` + data:                                                                                                            {400, "IR_06", "must not be empty"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"refund"`:                                                                                                                   {422, "IR_06", "Relay data is required for relay type refund"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"void",` + data:                                                                                                             {422, "IR_06", "Relay data is required for relay type void"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"refund","data":{}`:                                                                                                         {400, "IR_06", ""},
		`"connector_resource_id":"x","connector_id":"MCA","type":"refund","data":{"credit":{}}`:                                                                                              {400, "IR_06", "unknown field `credit`"},
		`"connector_resource_id":"x","connector_id":"mca_none","type":"refund",` + data:                                                                                                      {404, "HE_02", ""},
		`"connector_resource_id":"x","connector_id":"MCA","type":"refund","data":{"refund":{"amount":0,"currency":"USD"}}`:                                                                   {400, "IR_16", "Invalid relay request"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"refund","data":{"refund":{"amount":1000000000,"currency":"USD"}}`:                                                          {400, "IR_16", "Invalid relay request"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"capture","data":{"capture":{"authorized_amount":5,"amount_to_capture":6,"currency":"USD"}}`:                                {400, "IR_16", "Invalid relay request"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"incremental_authorization","data":{"incremental_authorization":{"total_amount":5,"additional_amount":5,"currency":"USD"}}`: {400, "IR_16", "Invalid relay request"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"void","data":{"void":{"amount":-1,"currency":"USD"}}`:                                                                      {400, "IR_16", "Invalid relay request"},
		`"connector_resource_id":"x","connector_id":"MCA","type":"unreferenced_refund","data":{"unreferenced_refund":{}}`:                                                                    {400, "IR_06", "missing field `amount`"},
	} {
		r := call(body)
		require.Equal(t, want.status, r.status, body+" "+r.body)
		require.Equal(t, want.code, r.error()["code"], r.body)
		require.Contains(t, r.error()["message"], want.message)
	}
	const card = `"recipient_payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50"}}`
	call(`"connector_resource_id":"x","connector_id":"MCA","type":"unreferenced_refund","data":{"unreferenced_refund":{"amount":5,"currency":"USD",`+card+`}}`).
		refused(422, "IR_06", "Connector bankofamerica does not support unreferenced refund")
	for data, want := range map[string]string{
		`"refund","data":{"refund":{"amount":0,"currency":"USD"}}`:                                                                   "data.refund.amount",
		`"capture","data":{"capture":{"authorized_amount":5,"amount_to_capture":6,"currency":"USD"}}`:                                "data.capture.amount_to_capture",
		`"capture","data":{"capture":{"authorized_amount":5,"amount_to_capture":-6,"currency":"USD"}}`:                               "data.capture.amount_to_capture",
		`"incremental_authorization","data":{"incremental_authorization":{"total_amount":0,"additional_amount":0,"currency":"USD"}}`: "data.incremental_authorization.total_amount",
		`"incremental_authorization","data":{"incremental_authorization":{"total_amount":5,"additional_amount":5,"currency":"USD"}}`: "data.incremental_authorization.additional_amount",
		`"void","data":{"void":{"amount":0,"currency":"USD"}}`:                                                                       "data.void.amount",
		`"void","data":{"void":{"amount":5}}`:                                                                                        "data.void.currency",
	} {
		e := call(`"connector_resource_id":"x","connector_id":"MCA","type":`+data).refused(400, "IR_16", "Invalid relay request")
		require.Equal(t, want, e["param"], data)
		require.NotEmpty(t, e["hint"], data)
	}
	w.post("/relay/unreferenced_refund", `{"connector_id":"`+mca+`","amount":5,"currency":"USD",`+card+`}`).refused(422, "IR_06", "Connector bankofamerica does not support unreferenced refund")
	w.relay("bankofamerica", "refund", `{"amount":5,"currency":"USD"}`, "X-Profile-Id", "pro_none").refused(404, "HE_02", "")
	w.get("/relay/relay_none").refused(404, "IR_37", "relay not found")
	own := w.relay("bankofamerica", "refund", `{"amount":5,"currency":"USD"}`).ok()["id"].(string)
	_, other, _ := w.merchant("m2")
	w.send("GET", "/relay/"+own, other, "").refused(404, "IR_37", "relay not found")
	w.send("GET", "/relay/"+own, w.secret, "", "X-Profile-Id", "pro_none").refused(404, "HE_02", "Business profile with the given id pro_none does not exist")
	require.Equal(t, 401, w.send("POST", "/relay", w.publishable, "{}").status)
}

// A repetition with the same Idempotency-Key sends nothing again, and an answer that was lost leaves the relay pending.
func TestRelayIsSentOnce(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica")
	const refund = `{"amount":500,"currency":"USD"}`
	first := w.relay("bankofamerica", "refund", refund, "Idempotency-Key", "key-1").ok()
	require.Equal(t, first["id"], w.relay("bankofamerica", "refund", refund, "Idempotency-Key", "key-1").ok()["id"])
	require.NotEqual(t, first["id"], w.relay("bankofamerica", "refund", refund, "Idempotency-Key", "key-2").ok()["id"])
	other := w.relay("bankofamerica", "refund", refund, "X-Idempotency-Key", "key-3").ok()["id"]
	require.NotEqual(t, other, w.relay("bankofamerica", "refund", refund, "X-Idempotency-Key", "key-3").ok()["id"], "the v1 API ignores this header")
	a := w.auth // a try whose answer was lost before it was kept for the key
	a.RequestToken = "token"
	in := relay.Input{ResourceID: "x", AccountID: w.accountOf("bankofamerica"), Type: relay.Refund, Data: relay.Asked{Data: relay.Data{Refund: &relay.RefundData{Amount: 5, Currency: "USD"}}}}
	one, err := w.engine.CreateRelay(t.Context(), a, in)
	require.NoError(t, err)
	two, err := w.engine.CreateRelay(t.Context(), a, in)
	require.NoError(t, err)
	require.Equal(t, one, two)
	require.Regexp(t, `^relay_[0-9A-Za-z]{20}$`, one.ID)
	require.Equal(t, "pending", w.relay("bankofamerica", "capture", `{"authorized_amount":900000999,"amount_to_capture":900000202,"currency":"USD"}`).ok()["status"])
}

// A refund whose answer was lost ends when the merchant has the processor asked, at a processor that finds it by our reference. "Not found" ends it only
// when the answer cannot come too early, and never one that the processor has accepted.
func TestRelayedRefundWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		finds, forgets, never := simulator.Adapter(), simulator.Adapter(), simulator.Adapter()
		forgets.RefundSync = func(*sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: sdk.StatusNotFound}, nil }
		never.Manifest.Resolve.By = []sdk.ResolveBy{sdk.ResolveByProcessorID, sdk.ResolveByIdempotentResend}
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": finds, "adyen": forgets, "worldpay": never}))
		w.addAccount("worldpay")
		refund := func(connector, of string, amount int) map[string]any {
			r := w.relayOf(of, connector, "refund", fmt.Sprintf(`{"amount":%d,"currency":"USD"}`, amount)).ok()
			require.Equal(t, "pending", r["status"], of)
			return r
		}
		state := func(r map[string]any, query string) map[string]any {
			return w.get("/relay/" + r["id"].(string) + query).ok()
		}
		made, not, alien, accepted := refund("stripe", "made", 900000404), refund("stripe", "not made", 900000405), refund("worldpay", "made", 900000404), refund("adyen", "accepted", 900000402)
		require.Nil(t, made["connector_reference_id"])
		require.NotNil(t, accepted["connector_reference_id"])
		time.Sleep(time.Second)
		require.Equal(t, "pending", state(made, "")["status"], "no request has asked the processor")
		got := state(made, "?force_sync=true")
		require.Equal(t, "success", got["status"])
		require.NotNil(t, got["connector_reference_id"])
		require.Equal(t, "pending", state(not, "?force_sync=true")["status"], "the answer may come too early")
		time.Sleep(10 * time.Minute)
		got = state(not, "?force_sync=true")
		require.Equal(t, "failure", got["status"])
		require.Equal(t, map[string]any{"code": "not_processed", "message": "the processor does not know this refund"}, got["error"])
		require.Equal(t, "pending", w.relayOf("not made", "stripe", "refund", `{"amount":900000405,"currency":"USD"}`).ok()["status"], "it may be sent again")
		require.Equal(t, "pending", state(alien, "?force_sync=true")["status"], "the processor finds nothing by our reference")
		require.Equal(t, "pending", state(accepted, "?force_sync=true")["status"], "the processor has accepted it")
	})
}

// lostRelays are operations without an answer at the simulator that were done, and that were not.
var lostRelays = []struct{ kind, made, not string }{
	{"capture", `{"authorized_amount":900000999,"amount_to_capture":900000204,"currency":"USD"}`, `{"authorized_amount":900000999,"amount_to_capture":900000205,"currency":"USD"}`},
	{"incremental_authorization", `{"total_amount":900000502,"additional_amount":2,"currency":"USD"}`, `{"total_amount":900000503,"additional_amount":2,"currency":"USD"}`},
	{"void", `{"amount":900000303,"currency":"USD"}`, `{"amount":900000304,"currency":"USD"}`},
}

// A capture, a raise and a void whose answer was lost end by what the processor says of the transaction. That nothing was done counts once it is final.
func TestRelayWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		silent := simulator.Adapter()
		silent.Sync = func(*sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: sdk.StatusUnknown}, nil }
		byID, byReference := simulator.Adapter(), simulator.Adapter()
		query := byID.Sync
		byID.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
			require.Empty(t, c.Request.Reference, "the transaction does not have the relay's reference")
			return query(c)
		}
		byReference.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
			if c.Request.Reference == "" {
				return nil, sdk.Missing("reference", "the request lacks our reference")
			}
			return query(c)
		}
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": byID, "adyen": silent, "worldpay": byReference}))
		w.addAccount("worldpay")
		begin := func(connector, kind, of, data string) map[string]any {
			r := w.relayOf(of, connector, kind, data).ok()
			require.Equal(t, []any{"pending", "The processor's answer was lost.", nil}, []any{r["status"], r["pending_reason"], r["error"]}, kind)
			return r
		}
		ask := func(r map[string]any) map[string]any {
			return w.get("/relay/" + r["id"].(string) + "?force_sync=true").ok()
		}
		var open []map[string]any
		for _, c := range lostRelays {
			got := ask(begin("stripe", c.kind, "made "+c.kind, c.made))
			require.Equal(t, []any{"success", nil}, []any{got["status"], got["pending_reason"]}, c.kind)
			require.Equal(t, "success", ask(begin("worldpay", c.kind, "made "+c.kind, c.made))["status"], c.kind)
			var ids []any
			for range 3 { // the repetition of a request without an answer finds out, and its answer stays
				r := w.relayOf("keyed "+c.kind, "stripe", c.kind, c.made, "Idempotency-Key", "key-"+c.kind).ok()
				ids = append(ids, r["id"], r["status"])
			}
			require.Equal(t, []any{ids[0], "pending", ids[0], "success", ids[0], "success"}, ids)
			not := begin("stripe", c.kind, "not "+c.kind, c.not)
			got = ask(not)
			require.Equal(t, []any{"pending", "The processor's report shows nothing, but it may come too early to be final."}, []any{got["status"], got["pending_reason"]}, c.kind)
			got = ask(begin("adyen", c.kind, "silent "+c.kind, c.made))
			require.Equal(t, []any{"pending", "The processor's answer to the query does not show what became of the operation."}, []any{got["status"], got["pending_reason"]}, c.kind)
			open = append(open, not)
		}
		time.Sleep(10 * time.Minute)
		for i, c := range lostRelays {
			got := ask(open[i])
			require.Equal(t, []any{"failure", nil}, []any{got["status"], got["pending_reason"]}, c.kind)
			require.Equal(t, map[string]any{"code": "not_processed", "message": "the processor has not done it: its report on the transaction shows no " + c.kind}, got["error"])
			begin("stripe", c.kind, "not "+c.kind, c.not) // it may be sent again
		}
		two := strings.Replace(lostRelays[0].made, "900000999", "999999999", 1)
		first := begin("stripe", "capture", "two", two)
		w.relayOf("two", "stripe", "capture", `{"authorized_amount":999999999,"amount_to_capture":1,"currency":"USD"}`).ok()
		got := ask(first)
		require.Equal(t, []any{"pending", "Another capture of this transaction is pending or ended later, so the processor's report does not show whether this one was done."},
			[]any{got["status"], got["pending_reason"]})
	})
}

// A message that comes before the processor's answer, and shows less, does not keep the relay from ending by the answer.
func TestAnswerOfARelayAfterItsMessage(t *testing.T) {
	t.Parallel()
	var w *world
	a := simulator.Adapter()
	a.Webhook = eventOf
	refund := a.Refund
	a.RefundSync = func(*sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusPending, RefundID: "re_1"}, nil
	}
	a.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
		ev := sdk.Event{TransactionID: c.Request.TransactionID, Reference: c.Request.Reference, RefundID: "re_1"}
		w.hook("POST", "/webhooks/relay/m1/"+w.accountOf("stripe"), messageOf(ev, sdk.StatusPending), nil)
		o, err := refund(c)
		o.RefundID = "re_1"
		return o, err
	}
	w = newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": simulator.Adapter()}))
	r := w.relay("stripe", "refund", `{"amount":500,"currency":"USD"}`).ok()
	require.Equal(t, []any{"success", "re_1"}, []any{r["status"], r["connector_reference_id"]})
	require.Equal(t, r, w.get("/relay/"+r["id"].(string)).ok())
}

// A message at /webhooks/relay ends the relay that it names. Without a proof of its sender the processor is asked, and no payment changes.
func TestRelayMessages(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica")
	const secret = "a webhook secret of the merchant's"
	signed := func(connector, message string) response {
		h := hmac.New(sha256.New, []byte(secret))
		h.Write([]byte(message))
		return w.hook("POST", "/webhooks/relay/m1/"+w.accountOf(connector), message, map[string]string{"X-Simulator-Signature": hex.EncodeToString(h.Sum(nil))})
	}
	unsigned := func(connector, message string) response {
		return w.hook("POST", "/webhooks/relay/m1/"+connector, message, nil)
	}
	captured := func(r map[string]any, status string, amount int) string {
		return fmt.Sprintf(`{"type":"capture.updated","capture_id":"%s","status":"%s","amount":%d,"currency":"USD","transaction_id":"sim_other"}`,
			r["connector_reference_id"], status, amount)
	}
	state := func(r map[string]any) any { return w.get("/relay/" + r["id"].(string)).ok()["status"] }
	begin := func() map[string]any {
		r := w.relay("adyen", "capture", `{"authorized_amount":4500,"amount_to_capture":1500,"currency":"USD"}`).ok()
		require.Equal(t, "pending", r["status"])
		return r
	}
	one, two, three := begin(), begin(), begin()
	require.Equal(t, 200, unsigned("adyen", captured(one, "captured", 1500)).status)
	require.Equal(t, "pending", state(one), "a message without proof ends nothing")

	w.admin("POST", "/account/m1/connectors/"+w.accountOf("adyen"), `{"connector_type":"payment_processor","connector_webhook_details":{"merchant_secret":"`+secret+`"}}`).ok()
	unsigned("adyen", captured(one, "captured", 1500)).refused(401, "WE_01", "Webhook authentication failed")
	require.Equal(t, 200, signed("adyen", captured(two, "captured", 1500)).status)
	require.Equal(t, []any{"pending", "success", "pending"}, []any{state(one), state(two), state(three)})
	require.Equal(t, 200, signed("adyen", captured(two, "declined", 0)).status, "a relay that has ended stays as it is")
	require.Equal(t, 200, signed("adyen", captured(three, "declined", 0)).status)
	require.Equal(t, []any{"success", "failure"}, []any{state(two), state(three)})
	require.NotNil(t, w.get("/relay/" + three["id"].(string)).ok()["error"])
	require.Equal(t, 200, signed("adyen", `{"type":"capture.updated","capture_id":"none","status":"captured","transaction_id":"sim_other"}`).status)
	require.Equal(t, "pending", state(one), "the message names another capture")
	require.Equal(t, 200, signed("adyen", strings.Replace(captured(one, "captured", 1500), "USD", "EUR", 1)).status)
	require.Equal(t, 200, signed("adyen", captured(one, "captured", 1501)).status)
	require.Equal(t, "pending", state(one), "the message has another currency, or more money")

	p := w.held("adyen", "capture_method", `"manual_multiple"`) // a payment's message is not for this address
	w.payment(p, "/capture", `{"amount_to_capture":1000}`).ok()
	require.Equal(t, 200, signed("adyen", fmt.Sprintf(`{"type":"capture.updated","capture_id":"%s_c1","status":"captured","amount":1000,"currency":"USD","transaction_id":"%s"}`,
		p["connector_transaction_id"], p["connector_transaction_id"])).status)
	require.Equal(t, "processing", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])

	refund := w.relay("bankofamerica", "refund", `{"amount":900000402,"currency":"USD"}`).ok()
	require.Equal(t, "pending", refund["status"])
	require.Equal(t, 200, unsigned("bankofamerica", fmt.Sprintf(`{"type":"refund.updated","refund_id":"%s"}`, refund["connector_reference_id"])).status)
	require.Equal(t, "success", state(refund), "the processor was asked")
	unsigned("worldpay", captured(one, "captured", 1500)).refused(401, "WE_01", "")
	w.hook("POST", "/webhooks/relay/other/"+w.accountOf("adyen"), captured(one, "captured", 1500), nil).refused(401, "WE_01", "")
}

// Relays of one transaction are compared with each other: captures together stay within the authorized amount, and a refund whose end is not known is
// not made a second time.
func TestRelaysOfOneTransaction(t *testing.T) {
	t.Parallel()
	w := simulators(t, "bankofamerica")
	capture := func(of string, amount int) response {
		return w.relayOf(of, "bankofamerica", "capture", fmt.Sprintf(`{"authorized_amount":2000,"amount_to_capture":%d,"currency":"USD"}`, amount))
	}
	capture("one", 1200).ok()
	e := capture("one", 801).refused(400, "IR_16", "exceed its authorized amount")
	require.Contains(t, e["hint"], "1200 of 2000")
	require.Equal(t, "data.capture.amount_to_capture", e["param"])
	capture("one", 800).ok()
	capture("two", 2000).ok()
	capture("two", 1).refused(400, "IR_16", "")

	refund := func(of string, amount int) response {
		return w.relayOf(of, "bankofamerica", "refund", fmt.Sprintf(`{"amount":%d,"currency":"USD"}`, amount))
	}
	first := refund("one", 900000404).ok() // its answer is lost
	require.Equal(t, "pending", first["status"])
	e = refund("one", 900000404).refused(400, "IR_16", "A refund of the same amount is pending")
	require.Contains(t, e["hint"], first["id"])
	refund("two", 900000404).ok()
	require.Equal(t, "success", refund("one", 500).ok()["status"])
	require.Equal(t, "success", refund("one", 500).ok()["status"], "the first has ended: this is another one")

	var wg sync.WaitGroup
	made := make([]int, 4)
	for i := range made {
		wg.Go(func() { made[i] = capture("at once", 1500).status })
	}
	wg.Wait()
	require.ElementsMatch(t, []int{200, 400, 400, 400}, made)
}
