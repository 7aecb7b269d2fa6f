package router_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/payment"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// tableState is a state of a payment, and how a test makes such a payment.
type tableState struct {
	name   string // the status, and what distinguishes two ways to have it
	status payment.Status
	create string // the fields of the create request besides the common ones
	then   string // a call that follows, with its body; "" for none
	forced payment.AttemptStatus
	at     string // the connector; "" is one that voids nothing after its capture
}

var tableStates = []tableState{
	{name: "requires_payment_method", create: `"confirm":false`},
	{name: "requires_confirmation", create: `"confirm":false,` + tableCard},
	{name: "requires_customer_action", create: `"confirm":true,"authentication_type":"three_ds","return_url":"https://shop.test/done",` + tableCard},
	{name: "requires_merchant_action", create: `"confirm":true,"amount":900000022,` + tableCard},
	{name: "processing (pending)", status: "processing", create: `"confirm":true,"amount":900000020,` + tableCard},
	{name: "processing (pending, manual_multiple)", status: "processing", create: `"confirm":true,"amount":900000020,"capture_method":"manual_multiple",` + tableCard},
	{name: "processing (unknown)", status: "processing", create: `"confirm":true,"amount":900000030,` + tableCard},
	{name: "processing (unknown, not done)", status: "processing", create: `"confirm":true,"amount":900000031,` + tableCard},
	{name: "requires_capture", create: `"confirm":true,"capture_method":"manual",` + tableCard},
	{name: "requires_capture (can be raised)", status: "requires_capture", create: tableRaise},
	{name: "requires_capture (raise refused)", status: "requires_capture", create: tableRaise, then: `incremental_authorization {"amount":900000501}`},
	{name: "requires_capture (raise unknown)", status: "requires_capture", create: tableRaise, then: `incremental_authorization {"amount":900000502}`},
	{name: "requires_capture (raise unknown, not done)", status: "requires_capture", create: tableRaise, then: `incremental_authorization {"amount":900000503}`},
	{name: "requires_capture (can be extended)", status: "requires_capture", create: tableExtend},
	{name: "requires_capture (extended)", status: "requires_capture", create: tableExtend, then: "extend_authorization {}"},
	{name: "partially_captured_and_capturable", create: `"confirm":true,"capture_method":"manual_multiple",` + tableCard, then: `capture {"amount_to_capture":400}`},
	{name: "partially_authorized_and_requires_capture", create: `"confirm":true,"amount":900000008,"capture_method":"manual","enable_partial_authorization":true,` + tableCard},
	{name: "succeeded", create: `"confirm":true,` + tableCard},
	{name: "succeeded (can be voided)", status: "succeeded", create: `"confirm":true,` + tableCard, at: "nmi"},
	{name: "succeeded (void pending)", status: "succeeded", create: `"confirm":true,"amount":900000302,` + tableCard, at: "nmi", then: "cancel_post_capture {}"},
	{name: "succeeded (void unknown, not done)", status: "succeeded", create: `"confirm":true,"amount":900000304,` + tableCard, at: "nmi", then: "cancel_post_capture {}"},
	{name: "partially_captured", create: `"confirm":true,"capture_method":"manual",` + tableCard, then: `capture {"amount_to_capture":400}`},
	{name: "failed", create: `"confirm":true,"payment_method":"card","payment_method_data":{"card":{"card_number":"4000000000000002","card_exp_month":"10","card_exp_year":"50",
		"card_cvc":"737"}}`},
	{name: "cancelled", create: `"confirm":true,"capture_method":"manual",` + tableCard, then: "cancel {}"},
	{name: "cancelled_post_capture", create: `"confirm":true,` + tableCard, forced: payment.VoidedPostCharge},
	{name: "expired", create: `"confirm":false`, forced: payment.AttemptExpired},
	{name: "conflicted", create: `"confirm":true,` + tableCard, forced: payment.IntegrityFailure},
	{name: "review", create: `"confirm":true,` + tableCard, forced: payment.CaptureReview},
}

const tableCard = `"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}`

const (
	tableRaise  = `"confirm":true,"capture_method":"manual","request_incremental_authorization":true,` + tableCard
	tableExtend = `"confirm":true,"capture_method":"manual","request_extended_authorization":true,` + tableCard
)

// tablePayment is one payment of the table.
type tablePayment struct{ id, secret, txn string }

// make makes a payment in the state.
func (s tableState) make(w *world) tablePayment {
	w.t.Helper()
	at := cmp.Or(s.at, "stripe")
	p := w.post("/payments", with(`{"amount":1000,"currency":"USD","routing":{"type":"single","data":"`+at+`"}}`, fields(`{`+s.create+`}`)...)).ok()
	made := tablePayment{id: p["payment_id"].(string), secret: p["client_secret"].(string)}
	if call, body, _ := strings.Cut(s.then, " "); call != "" {
		w.post("/payments/"+made.id+"/"+call, body).ok()
	}
	if s.forced != "" {
		require.NoError(w.t, w.store.Update(w.t.Context(), func(tx engine.Tx) error {
			p, err := tx.Payment(merchant, made.id)
			if err != nil {
				return err
			}
			a, err := tx.Attempt(merchant, p.AttemptID)
			if err != nil {
				return err
			}
			a.Status = s.forced
			payment.DeriveTotals(p, a)
			if err := tx.UpdatePayment(p); err != nil {
				return err
			}
			return tx.UpdateAttempt(a)
		}))
	}
	p = w.get("/payments/" + made.id).ok()
	if s.status == "" {
		s.status = payment.Status(s.name)
	}
	require.Equal(w.t, string(s.status), p["status"], s.name)
	made.txn, _ = p["connector_transaction_id"].(string)
	return made
}

// fields returns the pairs of an object's keys and values, for with.
func fields(object string) (out []string) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &m); err != nil {
		panic(err)
	}
	for k, v := range m {
		out = append(out, k, string(v))
	}
	return out
}

// tableCell is one operation by one actor.
type tableCell struct {
	actor, operation string
	do               func(w *world, p tablePayment) string
}

// tableCells returns the operations. Each makes its answer.
func tableCells(account string) []tableCell {
	call := func(actor, operation, method, path, body string) tableCell {
		return tableCell{actor, operation, func(w *world, p tablePayment) string {
			key, path, body := w.secret, strings.ReplaceAll(path, "{id}", p.id), strings.ReplaceAll(body, "{id}", p.id)
			if actor == "payer" {
				key = w.publishable
				if method == "GET" {
					path += "&client_secret=" + p.secret
				} else {
					body = with(body, "client_secret", `"`+p.secret+`"`)
				}
			}
			return w.said(w.send(method, path, key, body), p)
		}}
	}
	var out []tableCell
	for _, actor := range []string{"merchant", "payer"} {
		out = append(out,
			call(actor, "confirm", "POST", "/payments/{id}/confirm", `{`+tableCard+`}`),
			call(actor, "update", "POST", "/payments/{id}", `{"description":"blue"}`),
			call(actor, "capture", "POST", "/payments/{id}/capture", `{"amount_to_capture":100}`),
			call(actor, "cancel", "POST", "/payments/{id}/cancel", `{}`),
			call(actor, "increment", "POST", "/payments/{id}/incremental_authorization", `{"amount":900001000}`),
			call(actor, "extend", "POST", "/payments/{id}/extend_authorization", `{}`),
			call(actor, "cancel_post_capture", "POST", "/payments/{id}/cancel_post_capture", `{}`),
			call(actor, "refund", "POST", "/refunds", `{"payment_id":"{id}"}`),
			call(actor, "sync", "GET", "/payments/{id}?force_sync=true", ``),
			call(actor, "complete", "POST", "/payments/{id}/complete_authorize", `{}`))
	}
	for _, said := range []sdk.OutcomeStatus{sdk.StatusAuthorized, sdk.StatusCaptured, sdk.StatusDeclined, sdk.StatusVoided, sdk.StatusNotFound} {
		out = append(out, tableCell{"message", string(said), func(w *world, p tablePayment) string {
			b, err := json.Marshal(sdk.Event{Object: sdk.EventPayment, TransactionID: p.txn, Reference: p.id + "_1", Outcome: &sdk.Outcome{Status: said, TransactionID: p.txn, Decline: declineOf(said)}})
			require.NoError(w.t, err)
			return w.said(w.hook("POST", "/webhooks/m1/"+account, string(b), nil), p)
		}})
	}
	return append(out, tableCell{"resolution", "five minutes later", func(w *world, p tablePayment) string {
		time.Sleep(5 * time.Minute)
		w.work()
		return w.said(w.get("/payments/"+p.id), p)
	}})
}

func declineOf(s sdk.OutcomeStatus) *sdk.Decline {
	if s == sdk.StatusDeclined {
		return &sdk.Decline{Code: "no", Message: "no"}
	}
	return nil
}

// work runs background work until nothing is due.
func (w *world) work() {
	ctx, stop := context.WithCancel(w.t.Context())
	done := make(chan error)
	go func() { done <- w.engine.Run(ctx) }()
	time.Sleep(time.Second)
	stop()
	require.NoError(w.t, <-done)
}

// said returns an answer in one line: an error, or what the payment (and its refunds) shows afterwards.
func (w *world) said(r response, p tablePayment) string {
	if r.status != 200 {
		e := r.error()
		return fmt.Sprintf("%d %s %s", r.status, e["code"], e["message"])
	}
	now := w.get("/payments/" + p.id).ok()
	out := fmt.Sprintf("200 %s", now["status"])
	if n, _ := now["amount_received"].(float64); n > 0 {
		out += fmt.Sprintf(", received %.0f", n)
	}
	if n, _ := now["amount_capturable"].(float64); n > 0 {
		out += fmt.Sprintf(", capturable %.0f", n)
	}
	if list, _ := now["refunds"].([]any); len(list) > 0 {
		out += fmt.Sprintf(", refund %s", list[0].(map[string]any)["status"])
	}
	return out
}

// contractAnswer returns the beginning of the answer that the API's contract has for a cell, "" where it leaves the answer open.
func contractAnswer(s tableState, c tableCell) string {
	status, _, _ := strings.Cut(s.name, " ")
	one := func(of ...string) bool {
		for _, x := range of {
			if x == status {
				return true
			}
		}
		return false
	}
	unconfirmed := one("requires_payment_method", "requires_confirmation")
	cannot := func(verb string) string {
		return "400 IR_16 You cannot " + verb + " this payment because it has status " + status
	}
	if c.actor == "message" && payment.Status(status).Facts().Terminal && status != "expired" {
		if one("cancelled") && c.operation == string(sdk.StatusCaptured) {
			return "200 review, received 1000" // the alternative is a charge that the merchant does not see
		}
		return "200 " + status
	}
	if c.actor == "message" && c.operation == string(sdk.StatusVoided) && one("partially_captured_and_capturable") {
		return "200 partially_captured, received 400"
	}
	if c.actor == "payer" && c.operation != "confirm" && c.operation != "sync" && c.operation != "complete" {
		return "401 IR_01 "
	}
	switch c.operation {
	case "confirm":
		switch {
		case unconfirmed:
			return "200 succeeded"
		case one("failed"):
			return cannot("confirm") + ", you can enable `manual_retry` in profile to try this payment again"
		}
		return cannot("confirm")
	case "update":
		if unconfirmed {
			return "200 requires_payment_method" // an update without payment method data drops the card
		}
		return cannot("update")
	case "capture":
		switch {
		case s.name == "processing (pending, manual_multiple)":
			return "200 "
		case one("processing"):
			return "400 IR_14 This Payment could not be captured because it has a capture_method of automatic. The expected state is manual_multiple"
		case one("requires_capture"):
			return "200 partially_captured, received 100"
		case one("partially_captured_and_capturable"):
			return "200 partially_captured_and_capturable, received 500"
		case one("partially_authorized_and_requires_capture"):
			return "200 partially_captured, received 100"
		}
		return "400 IR_14 This Payment could not be captured because it has a payment.status of " + status +
			". The expected state is requires_capture, partially_captured_and_capturable, processing"
	case "cancel":
		switch {
		case unconfirmed || one("requires_customer_action", "requires_capture", "partially_authorized_and_requires_capture"):
			return "200 cancelled"
		case one("partially_captured_and_capturable"):
			return "200 partially_captured, received 400"
		}
		return cannot("cancel")
	case "increment":
		switch {
		case !one("requires_capture"):
			return cannot("increment authorization")
		case s.create != tableRaise:
			return "400 IR_16 You cannot increment authorization this payment because it is not allowed for incremental_authorization"
		case strings.Contains(s.name, "unknown"):
			return "400 IR_16 You cannot increment authorization this payment because the result of an earlier increment is not known yet"
		}
		return "200 requires_capture, capturable 900001000"
	case "extend":
		switch {
		case !one("requires_capture", "partially_authorized_and_requires_capture"):
			return cannot("extend authorization")
		case s.create != tableExtend:
			return "400 IR_16 You cannot extend the authorization for this payment because authorization extension is not enabled."
		}
		return "200 requires_capture, capturable 1000"
	case "cancel_post_capture":
		switch {
		case !one("succeeded", "partially_captured"):
			return cannot("cancel_post_capture")
		case s.at == "":
			return "400 IR_20 cancel_post_capture flow not supported"
		case s.then == "":
			return "200 cancelled_post_capture"
		}
		return "400 IR_16 "
	case "refund":
		if strings.Contains(s.name, "(void ") {
			return "400 IR_16 Refund void cannot be performed after a post-capture void has been issued"
		}
		if one("succeeded", "partially_captured") {
			return "200 " + status
		}
		return "400 IR_14 This Payment could not be refund because it has a status of " + status + ". The expected state is succeeded, partially_captured"
	case "sync":
		return "200 "
	case "complete":
		switch {
		case c.actor == "merchant":
			return "401 IR_01 "
		case one("failed", "succeeded", "review"):
			return cannot("complete_authorize")
		}
		return "200 "
	}
	return ""
}

// beyondContract are the cells in which payswitch answers otherwise than the contract's table, with the reason.
var beyondContract = map[string]string{
	"processing (unknown) | merchant | cancel":                   "a cancel while the outcome is unknown is a wish that is carried out later",
	"processing (unknown, not done) | merchant | cancel":         "a cancel while the outcome is unknown is a wish that is carried out later",
	"processing (pending, manual_multiple) | merchant | capture": "nothing is captured before the processor has said that it holds the money",
	"failed | message | captured":                                "the processor took the money after it had refused: the merchant must see it",
	"succeeded (can be voided) | message | voided":               "the processor says that it has voided the capture: the merchant must not believe in the money",
	"succeeded (void pending) | message | voided":                "the processor says that it has voided the capture",
	"succeeded (void unknown, not done) | message | voided":      "the processor says that it has voided the capture",
}

// TestEveryStateOperationAndActor compares what each actor gets in each state of a payment with testdata/states.txt, and with the contract.
func TestEveryStateOperationAndActor(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present)) // bubbles begin in the year 2000
		a := simulator.Adapter()
		a.Webhook = eventOf
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": simulator.Adapter(), "nmi": a}))
		_, err := w.engine.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "nmi",
			Credentials: secret.New(`{"auth_type":"HeaderKey","api_key":"k"}`)})
		require.NoError(t, err)
		accounts, err := w.engine.Accounts(t.Context(), w.auth)
		require.NoError(t, err)
		ids := map[string]string{}
		for _, a := range accounts {
			ids[a.Connector] = a.ID
		}
		var lines bytes.Buffer
		lines.WriteString("# state | actor | operation | answer. Messages name the payment's outcome. Written by go test ./router -run EveryState -update\n")
		met := map[string]bool{}
		for _, s := range tableStates {
			fmt.Fprintln(&lines)
			for _, c := range tableCells(ids[cmp.Or(s.at, "stripe")]) {
				got := c.do(w, s.make(w))
				cell := s.name + " | " + c.actor + " | " + c.operation
				fmt.Fprintf(&lines, "%s | %s\n", cell, got)
				if want := contractAnswer(s, c); !strings.HasPrefix(got, want) {
					if beyondContract[cell] == "" {
						t.Errorf("%s:\n  the contract says %s\n  payswitch says    %s", cell, want, got)
					}
					met[cell] = true
				}
			}
		}
		for cell := range beyondContract {
			require.True(t, met[cell], "payswitch answers as the contract says: %s", cell)
		}
		golden(t, "states.txt", lines.Bytes())
	})
}
