package router_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// These tests follow the contract of refunds row by row, one test for each section. refund_rows_test.go names further tests of the rows.

const refundPayment = "POST /refunds"

// paying is a captured payment of 60.00.
func paying(changes ...string) string {
	return pay("stripe", append([]string{"capture_method", `"automatic"`}, changes...)...)
}

// refunding is the body of a refund of the latest payment.
func refunding(changes ...string) string { return with(`{"payment_id":"{payment_id}"}`, changes...) }

// Section 1.
func TestRefundsEndpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const unknown = "404 HE_02 Refund does not exist in our records."
	w.section(t, nil,
		step{"create", "POST /payments", paying(), ``},
		step{"…", refundPayment, refunding("amount", "100", "reason", `"size"`, "metadata", `{"a":1}`), `{"refund_id":"/^ref_[0-9A-Za-z]{20}$/","status":"succeeded"}`},
		step{"retrieve", "GET /refunds/{refund_id}", "", `{"refund_id":"{refund_id}","payment_id":"{payment_id}","amount":100}`},
		step{"retrieve?force_sync=", "GET /refunds/{refund_id}?force_sync=true", "", `{"status":"succeeded"}`},
		step{"retrieve: no bool", "GET /refunds/{refund_id}?force_sync=x", "", "400 "},
		step{"retrieve: unknown", "GET /refunds/none", "", unknown},
		step{"sync", "POST /refunds/sync", `{"refund_id":"{refund_id}","force_sync":true,"merchant_connector_details":{},"all_keys_required":true}`, `{"refund_id":"{refund_id}","status":"succeeded"}`},
		step{"sync: refund_id is required", "POST /refunds/sync", `{}`, "400 IR_06 missing field `refund_id`"},
		step{"sync: unknown", "POST /refunds/sync", `{"refund_id":"none"}`, unknown},
		step{"update: reason", "POST /refunds/{refund_id}", `{"reason":"broken"}`, `{"reason":"broken","metadata":{"a":1}}`},
		step{"update: metadata", "POST /refunds/{refund_id}", `{"metadata":{"b":2}}`, `{"reason":"broken","metadata":{"b":2}}`},
		step{"update: nothing else", "POST /refunds/{refund_id}", `{"amount":5}`, "400 IR_06 unknown field `amount`"},
		step{"update: unknown", "POST /refunds/none", `{"reason":"x"}`, unknown},
		step{"list", "POST /refunds/list", `{}`, `{"count":1,"total_count":1,"data":[{"refund_id":"{refund_id}","reason":"broken"}]}`},
		step{"filter", "POST /refunds/filter", `{"start_time":"2020-01-01T00:00:00Z"}`, `{"connector":["stripe"],"currency":["USD"],"refund_status":["success"]}`},
		step{"v2/filter", "GET /refunds/v2/filter", "", `{"connector":{"stripe":[{"connector_label":"*","merchant_connector_id":"{mca:stripe}"}]},"currency":"*","refund_status":"*"}`},
		step{"aggregate", "GET /refunds/aggregate?start_time=2020-01-01T00:00:00Z", "", `{"status_with_count":{"success":1,"failure":0,"pending":0,"manual_review":0,"transaction_failure":0}}`},
		step{"publishable key: create", "publishable POST /refunds", refunding(), "401 IR_01 "},
		step{"publishable key: retrieve", "publishable GET /refunds/{refund_id}", "", "401 IR_01 "},
		step{"publishable key: list", "publishable POST /refunds/list", `{}`, "401 IR_01 "},
		step{"no key", "open GET /refunds/{refund_id}", "", "401 IR_01 "},
	)
}

// Sections 2, 3 and 7.
func TestRefundsCreate(t *testing.T) {
	t.Parallel()
	w := simulators(t, "nmi")
	const tooMuch, positive = "400 IR_13 The refund amount exceeds the amount captured", "422 IR_05 amount contains invalid data. Expected format is positive integer"
	unpaid := func(status string) string {
		return "400 IR_14 This Payment could not be refund because it has a status of " + status + ". The expected state is succeeded, partially_captured"
	}
	x65 := `"` + strings.Repeat("x", 65) + `"`
	whole := `{"refund_id":"mine-1","payment_id":"{payment_id}","amount":100,"currency":"USD","status":"succeeded","reason":"size","metadata":{"a":{"b":1}},"error_code":null,"error_message":null,
		"unified_code":null,"unified_message":null,"issuer_error_code":null,"issuer_error_message":null,"created_at":"*","updated_at":"*","connector":"stripe","merchant_connector_id":"{mca:stripe}",
		"profile_id":"{profile}","connector_refund_id":"*","split_refunds":null,"raw_connector_response":null,"refund_type":"-"}`
	steps := []step{
		{"payment_id is required", refundPayment, `{}`, "400 IR_06 missing field `payment_id`"},
		{"unknown keys", refundPayment, `{"payment_id":"x","amout":1}`, "400 IR_06 unknown field `amout`"},
		{"refund_type", refundPayment, `{"payment_id":"x","refund_type":"later"}`, "400 IR_06 unknown variant `later`, expected `instant` or `scheduled`"},
		{"payment unknown", refundPayment, `{"payment_id":"none"}`, "404 HE_02 Payment does not exist in our records"},
		{"lengths come first", refundPayment, `{"payment_id":"none","refund_id":` + x65 + `}`, "422 IR_05 refund_id contains invalid data"},
		{"merchant_id of another", refundPayment, `{"payment_id":"none","merchant_id":"other"}`, "422 IR_05 merchant_id contains invalid data. Expected format is merchant_id from merchant account"},
		{"payment before amount", refundPayment, `{"payment_id":"none","amount":0}`, "404 HE_02 "},
		{"status: requires_payment_method", "POST /payments", `{"amount":6000,"currency":"USD"}`, ``},
		{"… before amount", refundPayment, refunding("amount", "0"), unpaid("requires_payment_method")},
		{"status: requires_capture", "POST /payments", pay("stripe"), ``},
		{"…", refundPayment, refunding(), unpaid("requires_capture")},
		{"status: failed", "POST /payments", paying("payment_method_data.card.card_number", `"4000000000000002"`), ``},
		{"…", refundPayment, refunding(), unpaid("failed")},
		{"status: processing", "POST /payments", paying("amount", "900000020"), ``},
		{"…", refundPayment, refunding(), unpaid("processing")},
		{"status: partially_captured_and_capturable", "POST /payments", pay("stripe", "capture_method", `"manual_multiple"`), ``},
		{"…", "POST /payments/{payment_id}/capture", `{"amount_to_capture":100}`, ``},
		{"…", refundPayment, refunding("amount", "50"), unpaid("partially_captured_and_capturable")},

		{"every field", "POST /payments", paying(), ``},
		{"… before it", "GET /payments/{payment_id}", "", `{"refunds":null,"state_metadata":null}`},
		{"…", refundPayment, refunding("refund_id", `"mine-1"`, "amount", "100", "reason", `"size"`, "refund_type", `"instant"`, "metadata", `{"a":{"b":1}}`, "merchant_id", `"m1"`,
			"merchant_connector_details", `{}`, "all_keys_required", "true"), whole},
		{"… GET", "GET /refunds/mine-1", "", whole},
		{"payment afterwards", "GET /payments/{payment_id}", "", `{"status":"succeeded","amount_received":6000,"refunds":[{"refund_id":"mine-1"}],
			"state_metadata":{"total_refunded_amount":100,"total_disputed_amount":null,"post_capture_void":null}}`},
		{"amount by default: the whole captured amount", refundPayment, refunding(), tooMuch},
		{"amount > captured - refunded", refundPayment, refunding("amount", "5901"), tooMuch},
		{"amount 0", refundPayment, refunding("amount", "0"), positive},
		{"amount below 0", refundPayment, refunding("amount", "-5"), positive},
		{"amount no integer", refundPayment, refunding("amount", "1.5"), "400 IR_06 "},
		{"duplicate comes last", refundPayment, refunding("amount", "0", "refund_id", `"mine-1"`), positive},
		{"duplicate", refundPayment, refunding("amount", "1", "refund_id", `"mine-1"`), "400 HE_01 Duplicate refund request. Refund already attempted with the refund ID"},
		{"a failed refund does not count", "POST /payments", paying("amount", "900000500"), ``},
		{"…", refundPayment, refunding("amount", "900000401"), `{"status":"failed"}`},
		{"…", refundPayment, refunding(), `{"status":"succeeded","amount":900000500}`},
		{"partial refunds, until the amount is used up", "POST /payments", paying(), ``},
		{"…", refundPayment, refunding("amount", "3000"), `{"status":"succeeded"}`},
		{"…", refundPayment, refunding("amount", "3000"), `{"status":"succeeded"}`},
		{"…", refundPayment, refunding("amount", "1"), tooMuch},
		{"a partially captured payment", "POST /payments", pay("stripe"), ``},
		{"…", "POST /payments/{payment_id}/capture", `{"amount_to_capture":2500}`, ``},
		{"…", refundPayment, refunding("amount", "2501"), tooMuch},
		{"… by default", refundPayment, refunding(), `{"status":"succeeded","amount":2500}`},
		{"… status unchanged", "GET /payments/{payment_id}", "", `{"status":"partially_captured"}`},
		{"post-capture void", "POST /payments", pay("nmi", "capture_method", `"automatic"`), ``},
		{"…", "POST /payments/{payment_id}/cancel_post_capture", `{}`, `{"status":"cancelled_post_capture"}`},
		{"… status", refundPayment, refunding("amount", "10"), unpaid("cancelled_post_capture")},

		{"scheduled", "POST /payments", paying(), ``},
		{"…", refundPayment, refunding("refund_type", `"scheduled"`), `{"status":"pending","connector_refund_id":null,"refund_type":"-"}`},
		{"… GET right after", "GET /refunds/{refund_id}", "", `{"status":"pending","connector_refund_id":null}`},
		{"… force_sync asks nobody", "GET /refunds/{refund_id}?force_sync=true", "", `{"status":"pending","connector_refund_id":null}`},
		{"attempts: the 12th try", "POST /payments", paying(), ``},
	}
	for range 11 {
		steps = append(steps, step{"…", refundPayment, refunding("amount", "1"), `{"status":"succeeded"}`})
	}
	steps = append(steps,
		step{"… too much comes first", refundPayment, refunding("amount", "6000"), tooMuch},
		step{"… 0 comes first", refundPayment, refunding("amount", "0"), positive},
		step{"…", refundPayment, refunding("amount", "1"), "400 IR_12 Reached maximum refund attempts"},
		step{"older than 365 days", "POST /payments", paying(), ``},
		step{"…", "wait 366 days", "", ""},
		step{"…", refundPayment, refunding(), "422 IR_05 created_at contains invalid data"},
	)
	w.section(t, nil, steps...)

	// Kinds of payments.
	w = simulators(t)
	saves := paying("customer_id", `"cus_1"`, "setup_future_usage", `"off_session"`, "customer_acceptance", `{"acceptance_type":"offline"}`)
	w.section(t, nil,
		step{"3DS", "POST /payments", paying("authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`, "payment_method_data.card.card_number", `"378282246310005"`,
			"payment_method_data.card.card_cvc", `"1234"`), `{"status":"succeeded"}`},
		step{"…", refundPayment, refunding(), `{"status":"succeeded","amount":6000}`},
		step{"stored card", "POST /payments", saves, `{"status":"succeeded","payment_method_id":"*"}`},
		step{"…", refundPayment, refunding(), `{"status":"succeeded"}`},
		step{"MIT", "POST /payments", `{"amount":700,"currency":"USD","confirm":true,"off_session":true,"customer_id":"cus_1","recurring_details":{"type":"payment_method_id","data":"{payment_method_id}"}}`,
			`{"status":"succeeded"}`},
		step{"…", refundPayment, refunding(), `{"status":"succeeded","amount":700}`},
	)
}

// Section 4.
func TestRefundsStates(t *testing.T) {
	t.Parallel()
	w := simulators(t, "archipel")
	at := func(amount int) step {
		return step{fmt.Sprint("a refund of ", amount), refundPayment, refunding("amount", fmt.Sprint(amount)), ""}
	}
	wants := func(s step, want string) step { s.want = want; return s }
	const get, sync = "GET /refunds/{refund_id}", "GET /refunds/{refund_id}?force_sync=true"
	big := step{"a payment", "POST /payments", paying("amount", "999999999"), `{"status":"succeeded"}`}
	w.section(t, nil,
		big, wants(at(5), `{"status":"succeeded","connector_refund_id":"*"}`),
		wants(at(900000401), `{"status":"failed","error_code":"*","error_message":"*","unified_code":"UE_9000","unified_message":"Something went wrong"}`),
		step{"the payment's status does not change", "GET /payments/{payment_id}", "", `{"status":"succeeded","refunds":[{"status":"succeeded"},{"status":"failed"}],"state_metadata":{"total_refunded_amount":5}}`},
		big, wants(at(900000402), `{"status":"pending","error_code":null}`),
		step{"a GET asks nobody", get, "", `{"status":"pending"}`},
		step{"a payment without a succeeded refund", "GET /payments/{payment_id}", "", `{"refunds":[{"status":"pending"}],"state_metadata":null}`},
		step{"time passes", "wait 1 days", "", ""},
		step{"force_sync: succeeded", sync, "", `{"status":"succeeded"}`},
		step{"…", "GET /payments/{payment_id}", "", `{"state_metadata":{"total_refunded_amount":900000402}}`},
		big, wants(at(900000403), `{"status":"pending"}`),
		step{"time passes", "wait 1 days", "", ""},
		step{"POST /refunds/sync: failed", "POST /refunds/sync", `{"refund_id":"{refund_id}","force_sync":true}`, `{"status":"failed","error_code":"*"}`},
		step{"final: no processor is asked", sync, "", `{"status":"failed"}`},
		big, wants(at(900000404), `{"status":"pending","connector_refund_id":null}`),
	)

	// A processor that gives back another amount than it was asked for.
	other := simulator.Adapter()
	other.Refund = func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusRefunded, RefundID: "re_1", Amount: &sdk.Money{Minor: c.Request.Amount.Minor - 1, Currency: c.Request.Amount.Currency}}, nil
	}
	w = newWorldWith(t, plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": other, "adyen": simulator.Adapter()}))
	w.section(t, nil,
		big, wants(at(100), `{"status":"review"}`),
		step{"… internal name", "POST /refunds/list", `{"refund_status":["manual_review"]}`, `{"data":[{"status":"review"}]}`},
	)
}

// Sections 2, 4 and 7: what the adapter cannot do, and what background work does later.
func TestRefundsLater(t *testing.T) {
	none, whole, nameless := simulator.Adapter(), simulator.Adapter(), simulator.Adapter()
	none.Refund, none.RefundSync = nil, nil
	whole.Manifest.Features.PartialRefund = false
	authorize := nameless.Authorize
	nameless.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		o, err := authorize(c)
		if err == nil {
			o.TransactionID = ""
		}
		return o, err
	}
	inBubble(t, 10*time.Second, map[string]*sdk.Adapter{"worldpay": none, "payu": whole, "shift4": nameless}, func(t *testing.T, w *world) {
		paidAt := func(connector string) step {
			return step{"a payment at " + connector, "POST /payments", pay(connector, "capture_method", `"automatic"`), `{"status":"succeeded"}`}
		}
		w.section(t, nil,
			step{"a URL", toProfile, hooked, ``},
			paidAt("worldpay"), told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"the connector cannot refund", refundPayment, refunding(), "400 IR_20 refund flow not supported"},
			paidAt("payu"), told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"… cannot refund a part", refundPayment, refunding("amount", "5999"), `400 IR_20 partial refund flow not supported + {"param":"amount"}`},
			step{"… can refund the whole", refundPayment, refunding(), `{"status":"succeeded","amount":6000}`}, told("…", "refund_succeeded", "/refunds/{refund_id}"),
			paidAt("shift4"), told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"no processor transaction id", "GET /payments/{payment_id}", "", `{"connector_transaction_id":null}`},
			step{"…", refundPayment, refunding(), "500 HE_00 "},
			step{"… no refund is recorded", "GET /payments/{payment_id}", "", `{"refunds":null}`},
			step{"no payment_method_type: it has a default", "POST /payments", paying("payment_method_type", "-"), `{"payment_method_type":"*"}`}, told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"…", refundPayment, refunding(), `{"status":"succeeded"}`}, told("…", "refund_succeeded", "/refunds/{refund_id}"),

			step{"scheduled", "POST /payments", paying(), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"…", refundPayment, refunding("refund_type", `"scheduled"`), `{"status":"pending","connector_refund_id":null}`}, nothing,
			step{"… the background job's next run", "wait 20 seconds", "", ""},
			step{"… sends it", "GET /refunds/{refund_id}", "", `{"status":"succeeded","connector_refund_id":"*"}`}, told("…", "refund_succeeded", "/refunds/{refund_id}"),

			step{"the processor is unreachable", "POST /payments", paying("amount", "999999999"), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"),
			step{"…", refundPayment, refunding("amount", "900000404"), `{"status":"pending","connector_refund_id":null,"error_code":null}`}, nothing,
			step{"… background sync", "wait 20 minutes", "", ""},
			step{"…", "GET /refunds/{refund_id}", "", `{"status":"succeeded","connector_refund_id":"*"}`}, told("…", "refund_succeeded", "/refunds/{refund_id}"),
		)
	})
}

// Section 5.
func TestRefundsList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const list = "POST /refunds/list"
	found := func(ids ...string) string {
		var data []string
		for _, id := range ids {
			data = append(data, `{"refund_id":"`+id+`"}`)
		}
		return fmt.Sprintf(`{"count":%d,"total_count":%d,"data":[%s]}`, len(ids), len(ids), strings.Join(data, ","))
	}
	w.section(t, nil,
		step{"payment", "POST /payments", paying("amount", "999999999"), ``},
		step{"r1", refundPayment, refunding("amount", "100", "refund_id", `"r1"`), `{"status":"succeeded"}`},
		step{"r2", refundPayment, refunding("amount", "900000401", "refund_id", `"r2"`), `{"status":"failed"}`},
		step{"another payment", "POST /payments", pay("adyen", "capture_method", `"automatic"`, "currency", `"BRL"`), ``},
		step{"r3", refundPayment, refunding("amount", "300", "refund_id", `"r3"`), `{"status":"pending"}`},
		step{"newest first", list, `{}`, found("r3", "r2", "r1")},
		step{"payment_id", list, `{"payment_id":"{payment_id}"}`, found("r3")},
		step{"refund_id", list, `{"refund_id":"r2"}`, found("r2")},
		step{"profile_id", list, `{"profile_id":"{profile}"}`, found("r3", "r2", "r1")},
		step{"profile_id: another", list, `{"profile_id":"pro_x"}`, found()},
		step{"limit", list, `{"limit":1}`, `{"count":1,"total_count":3,"data":[{"refund_id":"r3"}]}`},
		step{"offset", list, `{"limit":1,"offset":1}`, `{"count":1,"total_count":3,"data":[{"refund_id":"r2"}]}`},
		step{"limit 100", list, `{"limit":100}`, found("r3", "r2", "r1")},
		step{"limit 0", list, `{"limit":0}`, "422 IR_06 limit should be in between 1 and 100"},
		step{"limit 101", list, `{"limit":101}`, "422 IR_06 limit should be in between 1 and 100"},
		step{"start_time, end_time", list, `{"start_time":"2020-01-01T00:00:00Z","end_time":"2020-02-01T00:00:00Z"}`, found()},
		step{"start_time", list, `{"start_time":"2020-01-01T00:00:00Z"}`, found("r3", "r2", "r1")},
		step{"amount_filter", list, `{"amount_filter":{"start_amount":100,"end_amount":300}}`, found("r3", "r1")},
		step{"… start_amount", list, `{"amount_filter":{"start_amount":301}}`, found("r2")},
		step{"… end_amount", list, `{"amount_filter":{"end_amount":100}}`, found("r1")},
		step{"connector", list, `{"connector":["adyen"]}`, found("r3")},
		step{"merchant_connector_id", list, `{"merchant_connector_id":["{mca:stripe}"]}`, found("r2", "r1")},
		step{"currency", list, `{"currency":["BRL","EUR"]}`, found("r3")},
		step{"refund_status: internal names", list, `{"refund_status":["success"]}`, found("r1")},
		step{"… failure", list, `{"refund_status":["failure"]}`, found("r2")},
		step{"… pending", list, `{"refund_status":["pending"]}`, found("r3")},
		step{"… no public name", list, `{"refund_status":["succeeded"]}`, "400 IR_06 unknown variant `succeeded`"},
	)
	for i := range 9 {
		w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","amount":1,"refund_id":"more%d"}`, w.get("/refunds/r1").ok()["payment_id"], i)).ok()
	}
	w.section(t, nil, step{"the default limit is 10", list, `{}`, `{"count":10,"total_count":12}`})
}

// Section 6.
func TestRefundsOrCancel(t *testing.T) {
	t.Parallel()
	w := simulators(t, "nmi")
	nmi := func(changes ...string) string {
		return pay("nmi", append([]string{"capture_method", `"automatic"`}, changes...)...)
	}
	const cancel, undo = "POST /payments/{payment_id}/cancel", "POST /payments/{payment_id}/cancel_post_capture"
	partly := []step{{"partially_captured", "POST /payments", pay("nmi"), ``}, {"…", "POST /payments/{payment_id}/capture", `{"amount_to_capture":100}`, `{"status":"partially_captured"}`}}
	w.section(t, nil,
		step{"requires_capture", "POST /payments", pay("stripe"), ``},
		step{"… refund", refundPayment, refunding(), "400 IR_14 "},
		step{"… cancel", cancel, `{}`, `{"status":"cancelled"}`},
		step{"succeeded", "POST /payments", nmi(), ``},
		step{"… cancel", cancel, `{}`, "400 IR_16 You cannot cancel this payment because it has status succeeded"},
		step{"… refund", refundPayment, refunding(), `{"status":"succeeded"}`},
		step{"succeeded, not settled", "POST /payments", nmi(), ``},
		step{"… cancel_post_capture", undo, `{}`, `{"status":"cancelled_post_capture"}`},
		partly[0], partly[1],
		step{"… cancel", cancel, `{}`, "400 IR_16 You cannot cancel this payment because it has status partially_captured"},
		step{"… cancel_post_capture", undo, `{}`, `{"status":"cancelled_post_capture"}`},
		partly[0], partly[1],
		step{"… refund", refundPayment, refunding(), `{"status":"succeeded","amount":100}`},
		step{"succeeded, settled", "POST /payments", nmi("amount", "900000305"), ``},
		step{"… cancel_post_capture", undo, `{}`, `{"status":"succeeded"}`},
		step{"… refund", refundPayment, refunding(), `{"status":"succeeded"}`},
		step{"a void that is pending", "POST /payments", nmi("amount", "900000302"), ``},
		step{"…", undo, `{}`, `{"status":"succeeded","state_metadata":{"post_capture_void":{"status":"pending"}}}`},
		step{"… refund", refundPayment, refunding(), "400 IR_16 Refund void cannot be performed after a post-capture void has been issued"},
		step{"… too much comes first", refundPayment, refunding("amount", "900000303"), "400 IR_13 The refund amount exceeds the amount captured"},
		step{"… before an amount of 0", refundPayment, refunding("amount", "0"), "400 IR_16 Refund void cannot be performed after a post-capture void has been issued"},
		step{"a processor without it", "POST /payments", paying(), ``},
		step{"…", undo, `{}`, "400 IR_20 cancel_post_capture flow not supported"},
	)
}
