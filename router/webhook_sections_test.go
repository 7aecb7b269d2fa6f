package router_test

import (
	"strings"
	"testing"
)

// These tests follow the contract of processors' messages and of operators' words row by row. news_rows_test.go names further tests of the rows.

// Sections 7 and 8: the format of the connector stripe, at an account without a merchant_secret.
func TestWebhooksOfStripe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const to, get = "open POST /webhooks/m1/{mca:stripe}", "GET /payments/{payment_id}"
	intent := func(kind, more string) string {
		return `{"type":"payment_intent.` + kind + `","data":{"object":{"object":"payment_intent",` + more + `}}}`
	}
	refund := func(kind, status, more string) string {
		return `{"type":"` + kind + `","data":{"object":{"object":"refund","status":"` + status + `",` + more + `}}}`
	}
	byID, byOrder := `"id":"{connector_transaction_id}"`, `"id":"pi_other","metadata":{"order_id":"{payment_id}_1"}`
	pending := step{"a payment that the processor settles later", "POST /payments", paying("amount", "900000020"), `{"status":"processing"}`}
	later, settled, open := step{"time passes", "wait 1 days", "", ""}, step{"…", get, "", `{"status":"succeeded","amount_received":900000020,"updated":"*"}`}, step{"…", get, "", `{"status":"processing"}`}
	steps := []step{pending, later,
		{"created is ignored", to, intent("created", byID), ``}, open,
		{"processing is ignored", to, intent("processing", byID), ``}, open,
		{"an unknown type is ignored", to, `{"type":"customer.created","data":{"object":{"object":"customer"}}}`, ``}, open,
		{"charge.captured is ignored", to, `{"type":"charge.captured","data":{"object":{"object":"charge","payment_intent":"{connector_transaction_id}"}}}`, ``}, open,
		{"charge.refunded is ignored", to, `{"type":"charge.refunded","data":{"object":{"object":"charge","payment_intent":"{connector_transaction_id}"}}}`, ``}, open,
		{"a payment that is unknown", to, intent("succeeded", `"id":"pi_none"`), "404 WE_04 "},
		{"… by its order_id", to, intent("succeeded", `"id":"pi_none","metadata":{"order_id":"pay_none_1"}`), "404 WE_04 "},
		{"an account that is unknown is not told apart from a message without proof", "open POST /webhooks/m1/mca_none", intent("succeeded", byID), "401 WE_01 "},
		{"… a merchant", "open POST /webhooks/none/{mca:stripe}", intent("succeeded", byID), "401 WE_01 "},
	}
	for _, kind := range []string{"succeeded", "payment_failed", "canceled", "amount_capturable_updated", "requires_action", "partially_funded"} {
		steps = append(steps, pending, later, step{kind + ": the processor's answer counts", to, intent(kind, byID), ``}, settled)
	}
	steps = append(steps, pending, later, step{"finds by metadata.order_id", "open POST /webhooks/m1/stripe", intent("succeeded", byOrder), ``}, settled,
		pending, later, step{"PUT", "open PUT /webhooks/m1/stripe", intent("succeeded", byID), ``}, settled,
		step{"a repeated message", to, intent("succeeded", byID), ``}, settled)
	paid, asks := step{"a refund that is pending", "POST /payments", paying("amount", "999999999"), ``}, step{"…", refundPayment, refunding("amount", "900000402"), `{"status":"pending"}`}
	done := step{"…", "GET /refunds/{refund_id}", "", `{"status":"succeeded"}`}
	steps = append(steps, paid, asks, later,
		step{"charge.refund.updated, pending, is ignored", to, refund("charge.refund.updated", "pending", `"id":"simr_{refund_id}"`), ``}, step{"…", "GET /refunds/{refund_id}", "", `{"status":"pending"}`},
		step{"another type is ignored", to, refund("refund.created", "succeeded", `"id":"simr_{refund_id}"`), ``}, step{"…", "GET /refunds/{refund_id}", "", `{"status":"pending"}`},
		step{"a refund that is unknown", to, refund("charge.refund.updated", "succeeded", `"id":"re_none"`), "404 WE_04 "},
		step{"charge.refund.updated by id", to, refund("charge.refund.updated", "succeeded", `"id":"simr_{refund_id}"`), ``}, done,
		paid, step{"a refund whose answer was lost", refundPayment, refunding("amount", "900000404"), `{"status":"pending","connector_refund_id":null}`}, later,
		step{"by our refund id", to, refund("charge.refund.updated", "succeeded", `"id":"re_stated","metadata":{"is_refund_id_as_reference":"true","order_id":"{refund_id}"}`), ``}, done,
	)
	w.section(t, nil, steps...)
}

// Section 9, with each status of an attempt.
func TestWebhooksManualUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const update, get = "admin PUT /payments/{payment_id}/manual-update X-Merchant-Id: m1", "GET /payments/{payment_id}"
	says := func(more string) string {
		return `{"merchant_id":"m1","attempt_id":"{payment_id}_1"` + more + `}`
	}
	steps := []step{
		{"any state, also an unconfirmed one", "POST /payments", `{"amount":6000,"currency":"USD"}`, ``},
		{"nothing given", update, says(""), `{"payment_id":"{payment_id}","attempt_id":"{payment_id}_1","merchant_id":"m1","attempt_status":"payment_method_awaited","error_code":null,"error_message":null,
			"error_reason":null,"connector_transaction_id":null,"amount_capturable":6000}`},
		{"no admin key", "PUT /payments/{payment_id}/manual-update X-Merchant-Id: m1", says(""), "401 IR_01 "},
		{"no X-Merchant-Id", "admin PUT /payments/{payment_id}/manual-update", says(""), "422 IR_06 Missing header key: `X-Merchant-Id`"},
		{"unknown merchant: header", "admin PUT /payments/{payment_id}/manual-update X-Merchant-Id: none", says(""), "404 HE_02 Merchant account does not exist in our records"},
		{"unknown merchant: body", update, `{"merchant_id":"none","attempt_id":"{payment_id}_1"}`, "404 HE_02 Merchant account does not exist in our records"},
		{"unknown payment", "admin PUT /payments/none/manual-update X-Merchant-Id: m1", says(""), "404 HE_02 Payment does not exist in our records"},
		{"attempt of another payment", update, `{"merchant_id":"m1","attempt_id":"pay_x_1"}`, "404 HE_02 Payment does not exist in our records"},
		{"attempt_id missing", update, `{"merchant_id":"m1"}`, "400 IR_06 missing field `attempt_id`"},
		{"merchant_id missing", update, `{"attempt_id":"{payment_id}_1"}`, "400 IR_06 missing field `merchant_id`"},
		{"status outside the list", update, says(`,"attempt_status":"succeeded"`), "400 IR_06 unknown variant `succeeded`"},
		{"amount_capturable > net amount", update, says(`,"amount_capturable":6001`), "422 IR_06 amount_capturable should be less than or equal to amount"},
		{"other keys are ignored", update, says(`,"payment_id":"other","more":1`), `{"attempt_status":"payment_method_awaited"}`},
		{"absent values stay", update, says(`,"error_code":"X1","error_message":"gone","error_reason":"lost","connector_transaction_id":"ch_1","amount_capturable":7`), ``},
		{"…", update, says(""), `{"error_code":"X1","error_message":"gone","error_reason":"lost","connector_transaction_id":"ch_1","amount_capturable":7}`},
	}
	for _, row := range []struct{ attempts, payment string }{
		{"payment_method_awaited", "requires_payment_method"},
		{"confirmation_awaited", "requires_confirmation"},
		{"authentication_pending device_data_collection_pending", "requires_customer_action"},
		{"started authentication_successful authorizing cod_initiated void_initiated capture_initiated pending", "processing"},
		{"authorized", "requires_capture"},
		{"partially_authorized", "partially_authorized_and_requires_capture"},
		{"charged auto_refunded", "succeeded"},
		{"partial_charged", "partially_captured"},
		{"partial_charged_and_chargeable", "partially_captured_and_capturable"},
		{"authentication_failed authorization_failed void_failed capture_failed router_declined failure", "failed"},
		{"voided", "cancelled"}, {"voided_post_charge", "cancelled_post_capture"},
		{"unresolved", "requires_merchant_action"},
		{"integrity_failure", "conflicted"}, {"expired", "expired"}, {"capture_review", "review"},
	} {
		for _, attempt := range strings.Fields(row.attempts) {
			steps = append(steps, step{attempt, update, says(`,"attempt_status":"` + attempt + `"`), ``}, step{"…", get, "", `{"status":"` + row.payment + `"}`})
		}
	}
	const review = "POST /payments/{payment_id}/manual-status-update"
	steps = append(steps,
		step{"out of review", review, `{"intent_status":"succeeded"}`, `{"payment_id":"{payment_id}","attempt_id":"{payment_id}_1","intent_status":"succeeded","attempt_status":"charged"}`},
		step{"outside review", review, `{"intent_status":"failed"}`, "422 IR_06 Payment status must be 'review' to perform manual status update, current status is 'succeeded'"},
		step{"another status", review, `{"intent_status":"review"}`, "400 IR_06 unknown variant `review`"},

		step{"a row of the error table", "admin POST /gsm", `{"connector":"stripe","flow":"Payment","sub_flow":"Authorize","code":"X9","message":"gone for good","status":"failure","decision":"do_default",
			"step_up_possible":false,"clear_pan_possible":false,"unified_code":"UE_1000","unified_message":"Ask your bank"}`, ``},
		step{"unified code", "POST /payments", pay("stripe"), `{"status":"requires_capture"}`},
		step{"…", update, says(`,"attempt_status":"failure","error_code":"X9","error_message":"gone for good"`), `{"attempt_status":"failure","error_code":"X9"}`},
		step{"…", get, "", `{"status":"failed","error_code":"X9","error_message":"gone for good","unified_code":"UE_1000","unified_message":"Ask your bank","payment_method":"card"}`},

		step{"refund", "POST /payments", paying(), ``},
		step{"…", refundPayment, refunding("amount", "100"), `{"status":"succeeded"}`},
	)
	const refund = "admin PUT /refunds/{refund_id}/manual-update"
	for _, status := range []string{"failed", "review", "pending", "succeeded", "pending"} {
		steps = append(steps, step{"any status to any: " + status, refund, `{"merchant_id":"m1","status":"` + status + `"}`, ``}, step{"…", "GET /refunds/{refund_id}", "", `{"status":"` + status + `"}`})
	}
	steps = append(steps,
		step{"texts", refund, `{"merchant_id":"m1","status":"failed","error_code":{"set":"X1"},"error_message":{"set":"gone"}}`, ``},
		step{"… merchant_id alone changes nothing", refund + " X-Merchant-Id: m1", `{"merchant_id":"m1"}`, ``},
		step{"…", "GET /refunds/{refund_id}", "", `{"status":"failed","error_code":"X1","error_message":"gone"}`},
		step{"… unset", refund, `{"merchant_id":"m1","error_code":"unset","error_message":"unset"}`, ``},
		step{"…", "GET /refunds/{refund_id}", "", `{"error_code":null,"error_message":null}`},
		step{"merchant_id is required", refund, `{"status":"failed"}`, "400 IR_06 missing field `merchant_id`"},
		step{"unknown merchant", refund, `{"merchant_id":"none"}`, "404 HE_02 Merchant account does not exist in our records"},
		step{"unknown refund", "admin PUT /refunds/none/manual-update", `{"merchant_id":"m1"}`, "404 HE_02 Refund does not exist in our records."},
		step{"status outside the list", refund, `{"merchant_id":"m1","status":"done"}`, "400 IR_06 unknown variant `done`"},
		step{"no admin key", "PUT /refunds/{refund_id}/manual-update", `{"merchant_id":"m1"}`, "401 IR_01 "},
	)
	w.section(t, nil, steps...)
}
