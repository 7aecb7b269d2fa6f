package router_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// recordState is a state of a refund or a relay: its status, and what distinguishes two ways to have it.
type recordState struct {
	name   string
	amount int    // the simulator's amount of such a refund
	more   string // further fields of the refund
	decide string // the status that an operator has set, "" for none
}

var recordStates = []recordState{
	{name: "succeeded", amount: 1000},
	{name: "failed", amount: 900000401},
	{name: "pending (refunded when asked)", amount: 900000402},
	{name: "pending (refused when asked)", amount: 900000403},
	{name: "pending (unknown)", amount: 900000404},
	{name: "pending (unknown, not done)", amount: 900000405},
	{name: "pending (scheduled)", amount: 1000, more: `"refund_type":"scheduled"`},
	{name: "succeeded (by hand)", amount: 900000401, decide: "succeeded"},
	{name: "failed (by hand)", amount: 1000, decide: "failed"},
	{name: "review (by hand)", amount: 1000, decide: "review"},
}

// tableRefund is one refund of the table, of a payment of 999000000.
type tableRefund struct{ id, payment, txn string }

const tablePaid = 999_000_000

func (s recordState) refund(w *world) tableRefund {
	w.t.Helper()
	p := w.post("/payments", with(`{"currency":"USD","confirm":true,"routing":{"type":"single","data":"stripe"}}`, fields(fmt.Sprintf(`{"amount":%d,`+tableCard+`}`, tablePaid))...)).ok()
	body := with(fmt.Sprintf(`{"payment_id":"%s","amount":%d}`, p["payment_id"], s.amount), fields(`{`+s.more+`}`)...)
	r := w.post("/refunds", body).ok()
	made := tableRefund{r["refund_id"].(string), p["payment_id"].(string), p["connector_transaction_id"].(string)}
	if s.decide != "" {
		require.Equal(w.t, 200, w.decideRefund(made.id, s.decide).status)
	}
	time.Sleep(time.Second) // an answer of the moment of the last send proves nothing
	status, _, _ := strings.Cut(s.name, " ")
	require.Equal(w.t, status, w.get("/refunds/" + made.id).ok()["status"], s.name)
	return made
}

func (w *world) decideRefund(id, status string) response {
	return w.admin("PUT", "/refunds/"+id+"/manual-update", `{"merchant_id":"`+merchant+`","status":"`+status+`"}`)
}

// saidOfRefund returns an answer in one line: an error, or what refund and payment show afterwards.
func (w *world) saidOfRefund(r response, of tableRefund) string {
	if r.status != 200 {
		e := r.error()
		return fmt.Sprintf("%d %s %s", r.status, e["code"], e["message"])
	}
	p := w.get("/payments/" + of.payment).ok()
	out := fmt.Sprintf("200 %s, payment %s", w.get("/refunds/" + of.id).ok()["status"], p["status"])
	total := 0.0
	if m, ok := p["state_metadata"].(map[string]any); ok {
		total, _ = m["total_refunded_amount"].(float64)
	}
	require.LessOrEqual(w.t, total, float64(tablePaid))
	return fmt.Sprintf("%s, refunded %.0f", out, total)
}

// messageOf returns a processor's message about a refund that names a new status.
func messageOf(e sdk.Event, said sdk.OutcomeStatus) string {
	e.Object, e.Outcome = sdk.EventRefund, &sdk.Outcome{Status: said, TransactionID: e.TransactionID, RefundID: e.RefundID, Decline: declineOf(said)}
	return eventText(e)
}

func eventText(e sdk.Event) string {
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestEveryRefundStateAndOperation compares what each actor gets in each state of a refund with testdata/refund_states.txt. Whatever the state: a refund that
// succeeded or failed changes by the processor's own word or an operator's alone, and no refund goes beyond the payment.
func TestEveryRefundStateAndOperation(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present)) // bubbles begin in the year 2000
		a := simulator.Adapter()
		a.Webhook = eventOf
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": a}))
		account := w.accountOf("stripe")
		message := func(said sdk.OutcomeStatus) func(tableRefund) response {
			return func(r tableRefund) response {
				id, _ := w.get("/refunds/" + r.id).ok()["connector_refund_id"].(string)
				return w.hook("POST", "/webhooks/m1/"+account, messageOf(sdk.Event{TransactionID: r.txn, Reference: r.id, RefundID: id}, said), nil)
			}
		}
		cells := []struct {
			actor, operation string
			do               func(tableRefund) response
		}{
			{"merchant", "retrieve", func(r tableRefund) response { return w.get("/refunds/" + r.id) }},
			{"merchant", "sync", func(r tableRefund) response { return w.get("/refunds/" + r.id + "?force_sync=true") }},
			{"merchant", "update", func(r tableRefund) response { return w.post("/refunds/"+r.id, `{"reason":"blue"}`) }},
			{"merchant", "refund the rest", func(r tableRefund) response { return w.post("/refunds", `{"payment_id":"`+r.payment+`"}`) }},
			{"merchant", "refund all", func(r tableRefund) response {
				return w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","amount":%d}`, r.payment, tablePaid))
			}},
			{"merchant", "cancel_post_capture", func(r tableRefund) response { return w.post("/payments/"+r.payment+"/cancel_post_capture", `{}`) }},
			{"payer", "retrieve", func(r tableRefund) response { return w.send("GET", "/refunds/"+r.id, w.publishable, "") }},
			{"message", "refunded", message(sdk.StatusRefunded)},
			{"message", "declined", message(sdk.StatusDeclined)},
			{"message", "pending", message(sdk.StatusPending)},
			{"operator", "succeeded", func(r tableRefund) response { return w.decideRefund(r.id, "succeeded") }},
			{"operator", "failed", func(r tableRefund) response { return w.decideRefund(r.id, "failed") }},
			{"resolution", "five minutes later", func(r tableRefund) response {
				time.Sleep(5 * time.Minute)
				w.work()
				return w.get("/refunds/" + r.id)
			}},
		}
		var lines bytes.Buffer
		lines.WriteString("# refund | actor | operation | answer. Messages name the refund's outcome. Written by go test ./router -run EveryRefundState -update\n")
		for _, s := range recordStates {
			fmt.Fprintln(&lines)
			for _, c := range cells {
				r := s.refund(w)
				before := w.get("/refunds/" + r.id).ok()["status"]
				got := w.saidOfRefund(c.do(r), r)
				fmt.Fprintf(&lines, "%s | %s | %s | %s\n", s.name, c.actor, c.operation, got)
				if final := before == "succeeded" || before == "failed"; c.actor == "merchant" && final || c.actor == "payer" || c.operation == "retrieve" {
					require.Equal(t, before, w.get("/refunds/" + r.id).ok()["status"], "%s: %s by the %s", s.name, c.operation, c.actor)
				}
			}
		}
		golden(t, "refund_states.txt", lines.Bytes())
	})
}

// TestEveryRelayStateAndOperation compares what each actor gets in each state of a relay with testdata/relay_states.txt.
func TestEveryRelayStateAndOperation(t *testing.T) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present))
		a := simulator.Adapter()
		a.Webhook = eventOf
		w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": a}))
		account := w.accountOf("stripe")
		type relayed struct{ id, txn string }
		message := func(said sdk.OutcomeStatus) func(relayed) response {
			return func(r relayed) response {
				id, _ := w.get("/relay/" + r.id).ok()["connector_reference_id"].(string)
				return w.hook("POST", "/webhooks/relay/m1/"+account, messageOf(sdk.Event{TransactionID: r.txn, Reference: r.id, RefundID: id}, said), nil)
			}
		}
		about := func(r relayed) response { // a message about the transaction names no relay
			ev := sdk.Event{Object: sdk.EventPayment, TransactionID: r.txn, Sync: true}
			return w.hook("POST", "/webhooks/relay/m1/"+account, eventText(ev), nil)
		}
		cells := []struct {
			actor, operation, kinds string
			do                      func(relayed) response
		}{
			{"merchant", "retrieve", "", func(r relayed) response { return w.get("/relay/" + r.id) }},
			{"merchant", "sync", "", func(r relayed) response { return w.get("/relay/" + r.id + "?force_sync=true") }},
			{"payer", "retrieve", "", func(r relayed) response { return w.send("GET", "/relay/"+r.id, w.publishable, "") }},
			{"message", "refunded", "refund", message(sdk.StatusRefunded)},
			{"message", "declined", "refund", message(sdk.StatusDeclined)},
			{"message", "pending", "refund", message(sdk.StatusPending)},
			{"message", "transaction", "capture incremental_authorization void", about},
			{"resolution", "five minutes later", "", func(r relayed) response {
				time.Sleep(5 * time.Minute)
				w.work()
				return w.get("/relay/" + r.id)
			}},
			{"merchant", "sync ten minutes later", "", func(r relayed) response {
				time.Sleep(10 * time.Minute)
				return w.get("/relay/" + r.id + "?force_sync=true")
			}},
		}
		var lines bytes.Buffer
		lines.WriteString("# relay, a refund where no type is named | actor | operation | answer. Messages name the refund's outcome. Written by go test ./router -run EveryRelayState -update\n")
		said := func(r relayed, answer response) string {
			if answer.status != 200 {
				return fmt.Sprintf("%d %s %s", answer.status, answer.error()["code"], answer.error()["message"])
			}
			return fmt.Sprintf("200 %s", w.get("/relay/" + r.id).ok()["status"])
		}
		row := func(state, kind, data string, n int) {
			fmt.Fprintln(&lines)
			for i, c := range cells {
				if c.kinds != "" && !strings.Contains(c.kinds, kind) {
					continue
				}
				r := relayed{txn: fmt.Sprintf("sim_%d_%d", n, i)}
				made := w.relayOf(r.txn, "stripe", kind, data).ok()
				r.id = made["id"].(string)
				time.Sleep(time.Second)
				fmt.Fprintf(&lines, "%s: %s | %s | %s | %s\n", state, made["status"], c.actor, c.operation, said(r, c.do(r)))
			}
		}
		for n, s := range recordStates {
			if s.decide == "" && s.more == "" { // relays have neither
				row(s.name, "refund", fmt.Sprintf(`{"amount":%d,"currency":"USD"}`, s.amount), n)
			}
		}
		for n, k := range lostRelays {
			row(k.kind+", pending (unknown)", k.kind, k.made, 100+n)
			row(k.kind+", pending (unknown, not done)", k.kind, k.not, 200+n)
		}
		golden(t, "relay_states.txt", lines.Bytes())
	})
}

// eventOf returns a Webhook of an adapter whose messages are events as JSON.
func eventOf(c *sdk.Call) (*sdk.Outcome, error) {
	var ev sdk.Event
	if err := json.Unmarshal(c.Request.Webhook.Body, &ev); err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{ev}}, nil
}
