package router_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// rows are captures[] of a payment: capture_id's number, status, amount.
func (w *world) captures(id string) (out []string) {
	w.t.Helper()
	p := w.get("/payments/" + id + "?expand_captures=true").ok()
	for _, c := range p["captures"].([]any) {
		row := c.(map[string]any)
		require.Equal(w.t, id+"_1", row["authorized_attempt_id"])
		require.Equal(w.t, fmt.Sprintf("%s_1_%.0f", id, row["capture_sequence"]), row["capture_id"])
		out = append(out, fmt.Sprintf("%.0f %s %.0f", row["capture_sequence"], row["status"], row["amount"]))
	}
	return out
}

// Captures that settle at once: their amounts.
func TestMultipleCaptures(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	p := w.held("stripe", "capture_method", `"manual_multiple"`)
	id := p["payment_id"].(string)
	capture := func(amount int) response {
		return w.payment(p, "/capture", fmt.Sprintf(`{"amount_to_capture":%d}`, amount))
	}
	missing := w.payment(p, "/capture", `{}`)
	require.Equal(t, []any{400, "IR_04", "Missing required param: amount_to_capture"}, []any{missing.status, missing.error()["code"], missing.error()["message"]})
	require.Equal(t, 422, capture(0).status)
	require.NotContains(t, capture(2000).ok(), "captures", "only a GET with expand_captures has them")
	require.Equal(t, "partially_captured_and_capturable 6000 6000 4000 2000", money(w.get("/payments/"+id).ok()))
	over := capture(7000)
	require.Equal(t, []any{422, "IR_06"}, []any{over.status, over.error()["code"]})
	require.Equal(t, "IR_14", w.post("/refunds", `{"payment_id":"`+id+`","amount":100}`).error()["code"], "between captures")
	require.Equal(t, "partially_captured_and_capturable 6000 6000 2000 4000", money(capture(2000).ok()))
	require.Equal(t, "succeeded 6000 6000 0 6000", money(capture(2000).ok()))
	require.Equal(t, []string{"1 charged 2000", "2 charged 2000", "3 charged 2000"}, w.captures(id))
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+id+`","amount":5000}`).ok()["status"])
	require.Equal(t, "IR_13", w.post("/refunds", `{"payment_id":"`+id+`","amount":1001}`).error()["code"])

	p = w.held("stripe", "capture_method", `"manual_multiple"`)
	capture(2000).ok()
	require.Equal(t, "partially_captured 6000 6000 0 2000", money(w.payment(p, "/cancel", `{}`).ok()), "a cancel releases the rest")
	require.Equal(t, "IR_13", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`","amount":2001}`).error()["code"])
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`"}`).ok()["status"])
}

// Captures that the processor makes later: several wait at once, each ends by its own message, in any order.
func TestPendingCaptures(t *testing.T) {
	t.Parallel()
	w := simulators(t)
	begin := func(amounts ...int) (p map[string]any, id string) {
		p = w.held("adyen", "capture_method", `"manual_multiple"`)
		id = p["payment_id"].(string)
		for _, amount := range amounts {
			w.payment(p, "/capture", fmt.Sprintf(`{"amount_to_capture":%d}`, amount)).ok()
		}
		return p, id
	}
	said := func(p map[string]any, n int, status string, amount int) {
		txn := p["connector_transaction_id"].(string)
		r := w.hook("POST", "/webhooks/m1/adyen", fmt.Sprintf(`{"type":"capture.updated","capture_id":"%s_c%d","status":"%s","amount":%d,"currency":"USD","transaction_id":"%s"}`,
			txn, n, status, amount, txn), nil)
		require.Equal(t, 200, r.status, r.body)
	}
	state := func(id string) string { return money(w.get("/payments/" + id).ok()) }

	p, id := begin(2000, 3000)
	require.Equal(t, "processing 6000 6000 1000 5000", state(id))
	require.Equal(t, "processing 6000 6000 1000 5000", money(w.get("/payments/"+id+"?force_sync=true").ok()))
	require.Equal(t, []string{"1 pending 2000", "2 pending 3000"}, w.captures(id))
	require.Equal(t, "IR_06", w.payment(p, "/capture", `{"amount_to_capture":1001}`).error()["code"], "what waits cannot be captured again")
	require.Equal(t, "IR_16", w.payment(p, "/cancel", `{}`).error()["code"])
	said(p, 2, "captured", 3000)
	require.Equal(t, "partially_captured_and_capturable 6000 6000 1000 5000", state(id))
	require.Equal(t, []string{"1 pending 2000", "2 charged 3000"}, w.captures(id))
	said(p, 2, "captured", 3000) // once more
	require.Equal(t, "partially_captured_and_capturable 6000 6000 1000 5000", state(id))
	refused := w.payment(p, "/cancel", `{}`)
	require.Equal(t, []any{400, "IR_16"}, []any{refused.status, refused.error()["code"]})
	require.Contains(t, refused.error()["message"], "capture is not known yet")
	require.Equal(t, "IR_14", w.post("/refunds", `{"payment_id":"`+id+`","amount":100}`).error()["code"])
	require.Equal(t, "partially_captured_and_capturable 6000 6000 0 6000", money(w.payment(p, "/capture", `{"amount_to_capture":1000}`).ok()), "all is captured or waits")
	said(p, 1, "declined", 0)
	require.Equal(t, "partially_captured_and_capturable 6000 6000 2000 4000", state(id), "a refused capture can be made again")
	require.Equal(t, []string{"1 failed 2000", "2 charged 3000", "3 pending 1000"}, w.captures(id))
	w.payment(p, "/capture", `{"amount_to_capture":2000}`).ok()
	said(p, 3, "captured", 1000)
	said(p, 4, "captured", 2000)
	require.Equal(t, "succeeded 6000 6000 0 6000", state(id))
	require.Equal(t, "IR_13", w.post("/refunds", `{"payment_id":"`+id+`","amount":6001}`).error()["code"])
	require.Equal(t, "pending", w.post("/refunds", `{"payment_id":"`+id+`","amount":6000}`).ok()["status"])

	p, id = begin(2000, 4000)
	require.Equal(t, "processing 6000 6000 0 6000", state(id), "even when nothing is left")
	said(p, 1, "declined", 0)
	require.Equal(t, "processing 6000 6000 2000 4000", state(id))
	said(p, 2, "declined", 0)
	require.Equal(t, "requires_capture 6000 6000 6000 -", strings.Replace(state(id), " 0", " -", 1), "nothing is captured")
	said(p, 1, "captured", 2000) // the processor changes its mind
	require.Equal(t, "partially_captured_and_capturable 6000 6000 4000 2000", state(id))
	require.Equal(t, []string{"1 charged 2000", "2 failed 4000"}, w.captures(id))
	require.Equal(t, "partially_captured 6000 6000 0 2000", money(w.payment(p, "/cancel", `{}`).ok()))

	p, id = begin(2000, 3000) // a message that names more than was asked for, and one that names a capture that no one made
	said(p, 1, "captured", 2001)
	said(p, 9, "captured", 1000)
	require.Equal(t, []string{"1 pending 2000", "2 pending 3000"}, w.captures(id))
	require.Equal(t, "processing 6000 6000 1000 5000", state(id))
}

// A processor that takes one capture only gets no payment with several: the refusal names it.
func TestMultipleCapturesNotTaken(t *testing.T) {
	t.Parallel()
	once, alsoOnce := simulator.Adapter(), simulator.Adapter()
	once.Manifest.Features.MultipleCapture, alsoOnce.Manifest.Features.MultipleCapture = false, false
	w := newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": once, "adyen": alsoOnce, "braintree": simulator.Adapter()}))
	body := with(`{"amount":6000,"currency":"USD","confirm":true,"capture_method":"manual_multiple",`+tableCard+`}`, "routing", `{"type":"single","data":"stripe"}`)
	refused := w.post("/payments", body)
	e := refused.error()
	require.Equal(t, []any{400, "IR_19", "Payment method type not supported", "manual_multiple is not supported by stripe"},
		[]any{refused.status, e["code"], e["message"], e["reason"]}, refused.body)
	require.Equal(t, "requires_capture", w.post("/payments", with(body, "capture_method", `"manual"`)).ok()["status"])

	// The simulator takes one capture under the name of a processor that takes one.
	w.addAccount("braintree")
	e = w.post("/payments", with(body, "routing", `{"type":"single","data":"braintree"}`)).refused(400, "IR_19", "Payment method type not supported")
	require.Equal(t, "manual_multiple is not supported by braintree", e["reason"])
}
