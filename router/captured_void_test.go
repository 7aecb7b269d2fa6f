package router_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVoidAfterCapture: the void of a captured payment over the API, and what the answer shows of it.
func TestVoidAfterCapture(t *testing.T) {
	t.Parallel()
	w := simulators(t, "nmi", "worldpayvantiv")
	void := func(p map[string]any) map[string]any {
		t.Helper()
		return w.payment(p, "/cancel_post_capture", `{"cancellation_reason":"requested_by_customer"}`).ok()
	}
	shown := func(p map[string]any) map[string]any {
		t.Helper()
		state := p["state_metadata"].(map[string]any)
		require.Equal(t, []any{nil, nil}, []any{state["total_refunded_amount"], state["total_disputed_amount"]})
		return state["post_capture_void"].(map[string]any)
	}
	for _, at := range []string{"nmi", "worldpayvantiv"} {
		p := w.held(at, "capture_method", `"automatic"`)
		require.Nil(t, p["state_metadata"])
		p = void(p)
		require.Equal(t, []any{"cancelled_post_capture", nil, 0.0, "requested_by_customer"},
			[]any{p["status"], p["amount_received"], p["amount_capturable"], p["cancellation_reason"]})
		said := shown(p)
		require.Equal(t, []any{"succeeded", p["connector_transaction_id"], nil}, []any{said["status"], said["connector_reference_id"], said["description"]})
		require.NotEmpty(t, said["updated_at"])
		events := w.eventsOf(p["payment_id"].(string))
		require.Equal(t, "payment_cancelled_post_capture", events[len(events)-1])
		w.payment(p, "/cancel_post_capture", `{}`).refused(400, "IR_16", "You cannot cancel_post_capture this payment because it has status cancelled_post_capture")
		w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`"}`).refused(400, "IR_14", "")
	}

	// A part was captured, and its rest is released.
	p := w.held("nmi")
	p = w.payment(p, "/capture", `{"amount_to_capture":100}`).ok()
	require.Equal(t, "partially_captured", p["status"])
	require.Equal(t, "cancelled_post_capture", void(p)["status"])

	// Refused, and too late: the payment is as it was, and is refunded instead.
	for amount, why := range map[string]string{"900000301": "void_refused: The void has been refused.", "900000305": "already_settled: The payment has settled."} {
		p := w.held("nmi", "capture_method", `"automatic"`, "amount", amount)
		p = void(p)
		require.Equal(t, []any{"succeeded", nil, nil}, []any{p["status"], p["error_code"], p["cancellation_reason"]})
		require.Equal(t, []any{"failed", why}, []any{shown(p)["status"], shown(p)["description"]})
		require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+p["payment_id"].(string)+`"}`).ok()["status"])
		e := w.payment(p, "/cancel_post_capture", `{}`).refused(400, "IR_16", "You cannot cancel_post_capture this payment because a part of it is refunded or being refunded")
		require.NotEmpty(t, e["hint"])
	}

	// Pending: neither a refund nor a second void.
	p = void(w.held("nmi", "capture_method", `"automatic"`, "amount", "900000302"))
	require.Equal(t, []any{"succeeded", "pending"}, []any{p["status"], shown(p)["status"]})
	id := p["payment_id"].(string)
	w.post("/refunds", `{"payment_id":"`+id+`"}`).refused(400, "IR_16", "Refund void cannot be performed after a post-capture void has been issued")
	w.post("/refunds", `{"payment_id":"`+id+`","amount":0}`).refused(400, "IR_16", "Refund void cannot be performed after a post-capture void has been issued")
	w.post("/refunds", `{"payment_id":"`+id+`","amount":900000303}`).refused(400, "IR_13", "")
	w.payment(p, "/cancel_post_capture", `{}`).refused(400, "IR_16", "You cannot cancel_post_capture this payment because the result of an earlier one is not known yet")

	e := w.payment(w.held("stripe", "capture_method", `"automatic"`), "/cancel_post_capture", `{}`).refused(400, "IR_20", "cancel_post_capture flow not supported")
	require.Equal(t, "Refund the payment with POST /refunds.", e["hint"])
}
