package router_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecideAttempt sets statuses by hand: no webhook follows, and no money becomes refundable.
func TestDecideAttempt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.post("/payments", `{"amount":1000,"currency":"USD"}`).ok()["payment_id"].(string)
	path := "/payments/" + id + "/manual-update"
	decide := func(more string, headers ...string) response {
		if headers == nil {
			headers = []string{"X-Merchant-Id", merchant}
		}
		return w.send("PUT", path, adminKey, `{"merchant_id":"`+merchant+`","attempt_id":"`+id+`_1"`+more+`}`, headers...)
	}
	want := map[string]any{"payment_id": id, "attempt_id": id + "_1", "merchant_id": merchant, "attempt_status": "payment_method_awaited", "error_code": nil,
		"error_message": nil, "error_reason": nil, "connector_transaction_id": nil, "amount_capturable": 1000.0}
	require.Equal(t, want, decide("").ok())
	require.Equal(t, want, decide(`,"payment_id":"other","made_up":1`).ok(), "other keys are ignored")
	want["attempt_status"], want["error_code"], want["error_message"], want["error_reason"] = "failure", "X1", "gone", "lost"
	want["connector_transaction_id"], want["amount_capturable"] = "ch_1", 7.0
	require.Equal(t, want, decide(`,"attempt_status":"failure","error_code":"X1","error_message":"gone","error_reason":"lost","connector_transaction_id":"ch_1","amount_capturable":7`).ok())
	p := w.get("/payments/" + id).ok()
	require.Equal(t, []any{"failed", "X1", "gone", "ch_1", 7.0}, []any{p["status"], p["error_code"], p["error_message"], p["connector_transaction_id"], p["amount_capturable"]})
	require.Equal(t, want, decide("").ok(), "absent values stay")
	for given, status := range map[string]string{"pending": "processing", "started": "processing", "charged": "succeeded", "auto_refunded": "succeeded", "voided": "cancelled",
		"capture_failed": "failed", "authorized": "requires_capture", "unresolved": "requires_merchant_action", "integrity_failure": "conflicted", "capture_review": "review"} {
		decide(`,"attempt_status":"` + given + `"`).ok()
		require.Equal(t, status, w.get("/payments/" + id).ok()["status"], given)
	}
	decide(`,"attempt_status":"charged"`).ok()
	w.post("/refunds", `{"payment_id":"`+id+`","amount":1}`).refused(400, "IR_13", "")

	decide(`,"amount_capturable":1001`).refused(422, "IR_06", "amount_capturable should be less than or equal to amount")
	decide(`,"attempt_status":"done"`).refused(400, "IR_06", "unknown variant `done`")
	decide("", "X-Merchant-Id", "").refused(422, "IR_06", "Missing header key: `X-Merchant-Id`")
	decide("", "X-Merchant-Id", "none").refused(404, "HE_02", "Merchant account does not exist in our records")
	_, other, _ := w.merchant("shop_2")
	decide("", "X-Merchant-Id", "shop_2").refused(404, "HE_02", "Payment does not exist in our records")
	header := []string{"X-Merchant-Id", merchant}
	w.send("PUT", path, adminKey, `{"merchant_id":"`+merchant+`"}`, header...).refused(400, "IR_06", "missing field `attempt_id`")
	w.send("PUT", path, adminKey, `{"attempt_id":"`+id+`_1"}`, header...).refused(400, "IR_06", "missing field `merchant_id`")
	w.send("PUT", path, adminKey, `{"merchant_id":"none","attempt_id":"`+id+`_1"}`, header...).refused(404, "HE_02", "Merchant account does not exist in our records")
	w.send("PUT", path, adminKey, `{"merchant_id":"`+merchant+`","attempt_id":"`+w.paid(5)+`_1","attempt_status":"failure"}`, header...).refused(404, "HE_02", "Payment does not exist in our records")
	w.send("PUT", "/payments/none/manual-update", adminKey, `{"merchant_id":"`+merchant+`","attempt_id":"a"}`, header...).refused(404, "HE_02", "Payment does not exist")
	w.send("PUT", path, w.secret, `{"merchant_id":"`+merchant+`","attempt_id":"`+id+`_1"}`, header...).refused(401, "IR_01", "")

	review := "/payments/" + id + "/manual-status-update"
	w.post(review, `{"intent_status":"failed"}`).refused(422, "IR_06", "Payment status must be 'review' to perform manual status update, current status is 'succeeded'")
	for status, attempt := range map[string]string{"succeeded": "charged", "failed": "failure"} {
		decide(`,"attempt_status":"capture_review"`).ok()
		require.Equal(t, map[string]any{"payment_id": id, "attempt_id": id + "_1", "intent_status": status, "attempt_status": attempt},
			w.post(review, fmt.Sprintf(`{"intent_status":%q}`, status)).ok())
	}
	w.post(review, `{"intent_status":"review"}`).refused(400, "IR_06", "unknown variant `review`")
	w.send("POST", review, other, `{"intent_status":"failed"}`).refused(404, "HE_02", "Payment does not exist in our records")
	w.send("POST", review, w.publishable, `{"intent_status":"failed"}`).refused(401, "IR_01", "")
}

// TestDecidedPaymentIsSynced leaves a payment in processing by hand. It then ends in what the processor holds, as an unsigned message makes payswitch ask.
func TestDecidedPaymentIsSynced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(1000)
	w.send("PUT", "/payments/"+id+"/manual-update", adminKey, `{"merchant_id":"`+merchant+`","attempt_id":"`+id+`_1","attempt_status":"pending"}`, "X-Merchant-Id", merchant).ok()
	require.Equal(t, "processing", w.get("/payments/" + id).ok()["status"])
	p := w.get("/payments/" + id + "?force_sync=true").ok()
	require.Equal(t, []any{"succeeded", 1000.0}, []any{p["status"], p["amount_received"]})
}
