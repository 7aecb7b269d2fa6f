package router_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/payment"
	"payswitch/router"
	"payswitch/sdk"
)

// paid makes a captured payment and returns its id.
func (w *world) paid(amount int) string {
	p := w.post("/payments", fmt.Sprintf(`{"amount":%d,"currency":"USD","confirm":true,"payment_method":"card","payment_method_data":{"card":{"card_number":"4242424242424242",
		"card_exp_month":"10","card_exp_year":"50","card_cvc":"737","card_holder_name":"Jo"}}}`, amount)).ok()
	require.Equal(w.t, "succeeded", p["status"])
	return p["payment_id"].(string)
}

// TestRefundGolden shows the refund object, and the event of a refund.
func TestRefundGolden(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 25, 10, 11, 12, 13_000_000, time.UTC)
	r := &payment.Refund{MerchantID: "m1", ID: "ref_1", PaymentID: "pay_1", AttemptID: "pay_1_1", ProfileID: "pro_1", AccountID: "mca_1", Connector: "stripe",
		Status: payment.RefundFailed, Currency: "USD", Amount: 300, ProcessorID: "re_1", CreatedAt: at, ModifiedAt: at.Add(time.Second),
		Details: payment.RefundDetails{Reason: "size", Metadata: json.RawMessage(`{"a":"b"}`), Error: &payment.AttemptError{Operation: sdk.OpRefund, Code: "expired_card",
			Message: "The card has expired.", NetworkCode: "54"}}}
	body, err := router.Presenter{}.RefundEvent("evt_1", "refund_failed", at.Add(time.Minute), r)
	require.NoError(t, err)
	golden(t, "refund_event.json", body)
}

// TestRefundCalls makes every call on refunds, with the contract's answers.
func TestRefundCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(1000)
	require.Nil(t, w.get("/payments/" + id).ok()["refunds"])
	require.Nil(t, w.get("/payments/" + id).ok()["state_metadata"])

	r := w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"r1","amount":300,"reason":"size","metadata":{"a":1},"refund_type":"instant","merchant_id":"`+merchant+`",
		"merchant_connector_details":{},"all_keys_required":true}`).ok()
	require.Equal(t, []any{"r1", id, 300.0, "USD", "succeeded", "size", map[string]any{"a": 1.0}},
		[]any{r["refund_id"], r["payment_id"], r["amount"], r["currency"], r["status"], r["reason"], r["metadata"]})
	require.NotEmpty(t, r["connector_refund_id"])
	require.NotContains(t, r, "refund_type")
	require.Equal(t, r, w.get("/refunds/r1").ok())
	require.Equal(t, r, w.get("/refunds/r1?force_sync=true").ok())
	require.Equal(t, r, w.post("/refunds/sync", `{"refund_id":"r1","force_sync":true}`).ok())

	p := w.get("/payments/" + id).ok()
	require.Equal(t, "succeeded", p["status"])
	require.Equal(t, []any{any(r)}, p["refunds"])
	require.Equal(t, map[string]any{"total_refunded_amount": 300.0, "total_disputed_amount": nil, "post_capture_void": nil}, p["state_metadata"])

	u := w.post("/refunds/r1", `{"reason":"broken"}`).ok()
	require.Equal(t, []any{"broken", map[string]any{"a": 1.0}}, []any{u["reason"], u["metadata"]})
	u = w.post("/refunds/r1", `{"metadata":{"b":2}}`).ok()
	require.Equal(t, []any{"broken", map[string]any{"b": 2.0}}, []any{u["reason"], u["metadata"]})
	w.post("/refunds/r1", `{"amount":1}`).refused(400, "IR_06", "unknown field `amount`")

	s := w.post("/refunds", `{"payment_id":"`+id+`","amount":100,"refund_type":"scheduled"}`).ok()
	require.Equal(t, []any{"pending", nil}, []any{s["status"], s["connector_refund_id"]})
	require.Equal(t, s, w.get("/refunds/"+s["refund_id"].(string)+"?force_sync=true").ok())

	long := strings.Repeat("x", 65)
	for name, c := range map[string]struct {
		body    string
		status  int
		code    string
		message string
	}{
		"no payment":       {`{}`, 400, "IR_06", "missing field `payment_id`"},
		"unknown payment":  {`{"payment_id":"none"}`, 404, "HE_02", "Payment does not exist in our records"},
		"unknown key":      {`{"payment_id":"` + id + `","amout":1}`, 400, "IR_06", "unknown field `amout`"},
		"whole":            {`{"payment_id":"` + id + `"}`, 400, "IR_13", "The refund amount exceeds the amount captured"},
		"too much":         {`{"payment_id":"` + id + `","amount":601}`, 400, "IR_13", "The refund amount exceeds the amount captured"},
		"zero":             {`{"payment_id":"` + id + `","amount":0}`, 422, "IR_05", "amount contains invalid data. Expected format is positive integer"},
		"below zero":       {`{"payment_id":"` + id + `","amount":-1}`, 422, "IR_05", "amount contains invalid data. Expected format is positive integer"},
		"long id":          {`{"payment_id":"` + id + `","refund_id":"` + long + `"}`, 422, "IR_05", "refund_id contains invalid data"},
		"bad id":           {`{"payment_id":"` + id + `","refund_id":"a b"}`, 400, "IR_06", "value \"a b\" contains invalid character"},
		"foreign merchant": {`{"payment_id":"` + id + `","merchant_id":"other"}`, 422, "IR_05", "merchant_id contains invalid data. Expected format is merchant_id from merchant account"},
		"id taken":         {`{"payment_id":"` + id + `","refund_id":"r1","amount":1}`, 400, "HE_01", "Duplicate refund request. Refund already attempted with the refund ID"},
		"type":             {`{"payment_id":"` + id + `","refund_type":"later"}`, 400, "IR_06", "unknown variant `later`"},
		"split":            {`{"payment_id":"` + id + `","amount":1,"split_refunds":{"a":1}}`, 422, "IR_06", "split_refunds is not supported"},
		"fraction":         {`{"payment_id":"` + id + `","amount":1.5}`, 400, "IR_06", "expected an integer"},
		"long reason":      {`{"payment_id":"` + id + `","reason":"` + strings.Repeat("x", 256) + `"}`, 422, "IR_06", "reason must be at most 255 characters long"},
	} {
		t.Run(name, func(t *testing.T) { w.post("/refunds", c.body).refused(c.status, c.code, c.message) })
	}
	held := w.post("/payments", `{"amount":1000,"currency":"USD","confirm":true,"capture_method":"manual","payment_method":"card","payment_method_data":{"card":{
		"card_number":"4242424242424242","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`).ok()
	w.post("/refunds", `{"payment_id":"`+held["payment_id"].(string)+`"}`).refused(400, "IR_14",
		"This Payment could not be refund because it has a status of requires_capture. The expected state is succeeded, partially_captured")

	w.get("/refunds/none").refused(404, "HE_02", "Refund does not exist in our records.")
	w.post("/refunds/none", `{}`).refused(404, "HE_02", "Refund does not exist in our records.")
	w.post("/refunds/sync", `{"refund_id":"none"}`).refused(404, "HE_02", "Refund does not exist in our records.")
	w.send("GET", "/refunds/r1", "", "").refused(401, "IR_01", "")
	w.send("GET", "/refunds/r1", w.publishable, "").refused(401, "IR_01", "")
	_, other, _ := w.merchant("shop_2")
	w.send("GET", "/refunds/r1", other, "").refused(404, "HE_02", "Refund does not exist in our records.")
	w.send("POST", "/refunds", other, `{"payment_id":"`+id+`"}`).refused(404, "HE_02", "Payment does not exist in our records")
}

// TestRefundRepeated sends one request twice with its Idempotency-Key.
func TestRefundRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(1000)
	body := `{"payment_id":"` + id + `","amount":400}`
	first := w.send("POST", "/refunds", w.secret, body, "Idempotency-Key", "k").ok()
	require.Equal(t, first, w.send("POST", "/refunds", w.secret, body, "Idempotency-Key", "k").ok())
	require.Len(t, w.get("/payments/" + id).ok()["refunds"], 1)
}

// TestRefundOutcomes uses the simulator's amounts: refused, pending, and without an answer.
func TestRefundOutcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for amount, c := range map[int]struct{ first, synced string }{
		900_000_401: {"failed", "failed"},
		900_000_402: {"pending", "succeeded"},
		900_000_403: {"pending", "failed"},
	} {
		id := w.paid(999_999_999)
		r := w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","amount":%d}`, id, amount)).ok()
		require.Equal(t, c.first, r["status"], amount)
		if c.first == "failed" {
			require.NotEmpty(t, r["error_code"])
			require.NotEmpty(t, r["error_message"])
			require.Equal(t, "UE_9000", r["unified_code"])
		}
		path := "/refunds/" + r["refund_id"].(string)
		require.Equal(t, c.first, w.get(path).ok()["status"], "without force_sync nobody is asked")
		w.passes(2 * time.Millisecond) // a query in the millisecond of the send proves nothing
		require.Equal(t, c.synced, w.get(path + "?force_sync=true").ok()["status"], amount)
	}
}

// TestRefundCards uses the simulator's cards, whose payments succeed: pending, failing and slow refunds.
func TestRefundCards(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ card, first, soon, late string }{
		{"4000000000007726", "pending", "succeeded", "succeeded"},
		{"4000000000005126", "pending", "failed", "failed"},
		{"4000000000007734", "failed", "failed", "failed"},
		{"4000000000007742", "pending", "pending", "succeeded"},
	} {
		t.Run(c.card, func(t *testing.T) {
			id := w.post("/payments", `{"amount":6050,"currency":"USD","confirm":true,"payment_method":"card","payment_method_data":{"card":{"card_number":"`+c.card+
				`","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}}`).ok()["payment_id"].(string)
			r := w.post("/refunds", `{"payment_id":"`+id+`","amount":50}`).ok()
			require.Equal(t, c.first, r["status"])
			path := "/refunds/" + r["refund_id"].(string) + "?force_sync=true"
			w.passes(2 * time.Millisecond) // a query in the millisecond of the send proves nothing
			require.Equal(t, c.soon, w.get(path).ok()["status"])
			w.passes(time.Minute)
			r = w.get(path).ok()
			require.Equal(t, c.late, r["status"])
			require.Equal(t, c.late == "failed", r["error_code"] != nil)
			require.Equal(t, "succeeded", w.get("/payments/" + id).ok()["status"])
		})
	}
}

func TestListRefunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.paid(1000), w.paid(999_999_999)
	var ids []any
	for i, c := range []struct {
		payment string
		amount  int
	}{{a, 100}, {a, 200}, {b, 900_000_401}, {b, 900_000_402}} {
		w.post("/refunds", fmt.Sprintf(`{"payment_id":"%s","refund_id":"r%d","amount":%d}`, c.payment, i, c.amount)).ok()
		ids = append(ids, fmt.Sprintf("r%d", i))
	}
	connector := w.get("/refunds/r0").ok()["connector"].(string)
	account := w.get("/refunds/r0").ok()["merchant_connector_id"].(string)
	list := func(path, body string) (got []any, total any) {
		l := w.post(path, body).ok()
		got = []any{}
		for _, r := range l["data"].([]any) {
			got = append(got, r.(map[string]any)["refund_id"])
		}
		require.EqualValues(t, len(got), l["count"])
		return got, l["total_count"]
	}
	for body, want := range map[string][]any{
		`{}`:                         {"r3", "r2", "r1", "r0"},
		`{"payment_id":"` + a + `"}`: {"r1", "r0"},
		`{"refund_id":"r2"}`:         {"r2"},
		`{"amount_filter":{"start_amount":150,"end_amount":300}}`:                 {"r1"},
		`{"refund_status":["success"]}`:                                           {"r1", "r0"},
		`{"refund_status":["failure","pending"]}`:                                 {"r3", "r2"},
		`{"refund_status":["manual_review"]}`:                                     {},
		`{"refund_status":["transaction_failure"]}`:                               {},
		`{"currency":["EUR"]}`:                                                    {},
		`{"currency":["USD","EUR"],"limit":100}`:                                  {"r3", "r2", "r1", "r0"},
		`{"connector":["` + connector + `"]}`:                                     {"r3", "r2", "r1", "r0"},
		`{"merchant_connector_id":["` + account + `"],"refund_id":"r1"}`:          {"r1"},
		`{"profile_id":"` + w.profile + `"}`:                                      {"r3", "r2", "r1", "r0"},
		`{"profile_id":"pro_other"}`:                                              {},
		`{"start_time":"2020-01-01T00:00:00Z","end_time":"2020-01-02T00:00:00Z"}`: {},
		`{"start_time":"2020-01-01T00:00:00Z"}`:                                   {"r3", "r2", "r1", "r0"},
	} {
		for _, path := range []string{"/refunds/list", "/refunds/profile/list"} {
			got, total := list(path, body)
			require.Equal(t, want, got, body)
			require.EqualValues(t, len(want), total, body)
		}
	}
	got, total := list("/refunds/list", `{"limit":2,"offset":1}`)
	require.Equal(t, []any{"r2", "r1"}, got)
	require.Equal(t, 4.0, total)
	for _, body := range []string{`{"limit":0}`, `{"limit":101}`, `{"limit":-1}`} {
		w.post("/refunds/list", body).refused(422, "IR_06", "limit should be in between 1 and 100")
	}
	w.post("/refunds/list", `{"refund_status":["succeeded"]}`).refused(400, "IR_06", "unknown variant `succeeded`")
	w.post("/refunds/list", `{"offset":-1}`).refused(400, "IR_06", "")
	require.Equal(t, []any{"r0", "r1", "r2", "r3"}, ids)
}

// TestRefundFilters makes the calls that fill a dashboard's filters, and counts by status.
func TestRefundFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, b := w.paid(1000), w.paid(999_999_999)
	before := time.Now().UTC().Add(-time.Hour).Format(time.RFC3339)
	none := map[string]any{"success": 0.0, "failure": 0.0, "pending": 0.0, "manual_review": 0.0, "transaction_failure": 0.0}
	require.Equal(t, map[string]any{"status_with_count": none}, w.get("/refunds/aggregate?start_time="+before).ok())
	require.Equal(t, map[string]any{"connector": []any{}, "currency": []any{}, "refund_status": []any{}}, w.post("/refunds/filter", `{"start_time":"`+before+`"}`).ok())
	connector := w.post("/refunds", `{"payment_id":"`+a+`","amount":100}`).ok()["connector"].(string)
	account := w.post("/refunds", `{"payment_id":"`+a+`","amount":200}`).ok()["merchant_connector_id"].(string)
	w.post("/refunds", `{"payment_id":"`+b+`","amount":900000401}`).ok()
	w.post("/refunds", `{"payment_id":"`+b+`","amount":900000402}`).ok()
	some := map[string]any{"success": 2.0, "failure": 1.0, "pending": 1.0, "manual_review": 0.0, "transaction_failure": 0.0}
	for _, path := range []string{"/refunds/aggregate", "/refunds/profile/aggregate"} {
		require.Equal(t, some, w.get(path + "?start_time=" + before).ok()["status_with_count"])
		require.Equal(t, some, w.get(path + "?startTime=" + before + "&endTime=2100-01-01T00:00:00Z").ok()["status_with_count"])
		require.Equal(t, none, w.get(path + "?start_time=" + before + "&end_time=" + before).ok()["status_with_count"])
		w.get(path).refused(400, "IR_06", "missing field `start_time`")
		w.get(path+"?start_time=monday").refused(400, "IR_06", "start_time")
		w.send("GET", path+"?start_time="+before, w.publishable, "").refused(401, "IR_01", "")
	}
	require.Equal(t, map[string]any{"connector": []any{connector}, "currency": []any{"USD"}, "refund_status": []any{"failure", "pending", "success"}},
		w.post("/refunds/filter", `{"start_time":"`+before+`","end_time":"2100-01-01T00:00:00Z"}`).ok())
	require.Empty(t, w.post("/refunds/filter", `{"start_time":"2001-01-01T00:00:00Z","end_time":"2002-01-01T00:00:00Z"}`).ok()["connector"])
	w.post("/refunds/filter", `{}`).refused(400, "IR_06", "missing field `start_time`")
	w.post("/refunds/filter", `{"start_time":5}`).refused(400, "IR_06", "")
	w.send("POST", "/refunds/filter", w.publishable, `{"start_time":"`+before+`"}`).refused(401, "IR_01", "")
	for _, path := range []string{"/refunds/v2/filter", "/refunds/v2/profile/filter"} {
		got := w.get(path).ok()
		require.Contains(t, got["connector"], connector)
		require.Equal(t, account, got["connector"].(map[string]any)[connector].([]any)[0].(map[string]any)["merchant_connector_id"])
		require.Equal(t, "payment_processor", got["connector"].(map[string]any)[connector].([]any)[0].(map[string]any)["connector_type"])
		require.Contains(t, got["currency"], "CHF")
		require.Len(t, got["refund_status"], 5)
		w.send("GET", path, w.publishable, "").refused(401, "IR_01", "")
	}
	_, other, _ := w.merchant("shop_2")
	require.Equal(t, none, w.send("GET", "/refunds/aggregate?start_time="+before, other, "").ok()["status_with_count"])
	require.NotContains(t, w.send("GET", "/refunds/v2/filter", other, "").body, account)
}

func TestDecideRefund(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(1000)
	w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"r1","amount":300}`).ok()
	const path = "/refunds/r1/manual-update"
	decide := func(body string) response { return w.admin("PUT", path, body) }
	done := func(body string) {
		t.Helper()
		r := decide(body)
		require.Equal(t, 200, r.status, r.body)
		require.Empty(t, r.body)
	}
	done(`{"merchant_id":"` + merchant + `"}`)
	require.Equal(t, "succeeded", w.get("/refunds/r1").ok()["status"])
	done(`{"merchant_id":"` + merchant + `","status":"failed","error_code":{"set":"X1"},"error_message":{"set":"gone"}}`)
	r := w.get("/refunds/r1").ok()
	require.Equal(t, []any{"failed", "X1", "gone"}, []any{r["status"], r["error_code"], r["error_message"]})
	require.Nil(t, w.get("/payments/" + id).ok()["state_metadata"])
	done(`{"merchant_id":"` + merchant + `","error_code":"unset","error_message":"unset"}`)
	r = w.get("/refunds/r1").ok()
	require.Equal(t, []any{"failed", nil, nil}, []any{r["status"], r["error_code"], r["error_message"]})
	for _, status := range []string{"review", "pending", "succeeded"} {
		done(`{"merchant_id":"` + merchant + `","status":"` + status + `"}`)
		require.Equal(t, status, w.get("/refunds/r1").ok()["status"])
	}

	decide(`{"status":"failed"}`).refused(400, "IR_06", "missing field `merchant_id`")
	decide(`{"merchant_id":"`+merchant+`","status":"done"}`).refused(400, "IR_06", "unknown variant `done`")
	decide(`{"merchant_id":"`+merchant+`","error_code":"clear"}`).refused(400, "IR_06", "unknown variant `clear`")
	w.admin("PUT", path, `{"merchant_id":"shop_none","status":"failed"}`).refused(404, "HE_02", "Merchant account does not exist in our records")
	_, _, _ = w.merchant("shop_2")
	w.admin("PUT", path, `{"merchant_id":"shop_2","status":"failed"}`).refused(404, "HE_02", "Refund does not exist in our records.")
	w.admin("PUT", "/refunds/none/manual-update", `{"merchant_id":"`+merchant+`"}`).refused(404, "HE_02", "Refund does not exist in our records.")
	w.send("PUT", path, w.secret, `{"merchant_id":"`+merchant+`"}`).refused(401, "IR_01", "")
}

// TestRefundOrCancel holds each status of a payment against the contract: a refund gives captured money back, a cancel releases what is not captured.
func TestRefundOrCancel(t *testing.T) {
	t.Parallel()
	const card = `"payment_method":"card","payment_method_data":{"card":{"card_number":"%s","card_exp_month":"10","card_exp_year":"50","card_cvc":"737"}}`
	made := func(w *world, more, number string) string {
		return w.post("/payments", `{"amount":1000,"currency":"USD",`+more+fmt.Sprintf(card, number)+`}`).ok()["payment_id"].(string)
	}
	captured := func(w *world, method string, amount int) string {
		id := made(w, `"confirm":true,"capture_method":"`+method+`",`, "4242424242424242")
		w.post("/payments/"+id+"/capture", fmt.Sprintf(`{"amount_to_capture":%d}`, amount)).ok()
		return id
	}
	for status, c := range map[string]struct {
		make    func(w *world) string
		refund  bool
		cancels string // the status after a cancel, "" where it is refused
	}{
		"requires_payment_method": {func(w *world) string {
			return w.post("/payments", `{"amount":1000,"currency":"USD"}`).ok()["payment_id"].(string)
		}, false, "cancelled"},
		"requires_confirmation": {func(w *world) string { return made(w, "", "4242424242424242") }, false, "cancelled"},
		"requires_capture": {func(w *world) string { return made(w, `"confirm":true,"capture_method":"manual",`, "4242424242424242") }, false,
			"cancelled"},
		"partially_captured_and_capturable": {func(w *world) string { return captured(w, "manual_multiple", 400) }, false, "partially_captured"},
		"succeeded":                         {func(w *world) string { return captured(w, "manual", 1000) }, true, ""},
		"partially_captured":                {func(w *world) string { return captured(w, "manual", 400) }, true, ""},
		"failed":                            {func(w *world) string { return made(w, `"confirm":true,`, "4000000000000002") }, false, ""},
		"cancelled": {func(w *world) string {
			id := made(w, `"confirm":true,"capture_method":"manual",`, "4242424242424242")
			w.post("/payments/"+id+"/cancel", `{}`).ok()
			return id
		}, false, ""},
	} {
		t.Run(status, func(t *testing.T) {
			w := newWorld(t)
			id := c.make(w)
			require.Equal(t, status, w.get("/payments/" + id).ok()["status"])
			refund := w.post("/refunds", `{"payment_id":"`+id+`","amount":100}`)
			if c.refund {
				require.Equal(t, "succeeded", refund.ok()["status"])
			} else {
				refund.refused(400, "IR_14", "This Payment could not be refund because it has a status of "+status+". The expected state is succeeded, partially_captured")
			}
			cancel := w.post("/payments/"+id+"/cancel", `{}`)
			if c.cancels == "" {
				cancel.refused(400, "IR_16", "You cannot cancel this payment because it has status "+status)
				require.Equal(t, status, w.get("/payments/" + id).ok()["status"])
				return
			}
			require.Equal(t, c.cancels, cancel.ok()["status"])
		})
	}
}

// TestRefundChecksInOrder sends requests that break two rules at once: the contract's first rule answers.
func TestRefundChecksInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.paid(1000)
	old, used := w.paid(1000), w.paid(1000)
	w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"taken","amount":1}`).ok()
	for range payment.MaxRefunds {
		w.post("/refunds", `{"payment_id":"`+used+`","amount":1}`).ok()
	}
	unpaid := w.post("/payments", `{"amount":1000,"currency":"USD"}`).ok()["payment_id"].(string)
	long := strings.Repeat("x", 65)
	for name, c := range map[string]struct {
		body, code string
		status     int
	}{
		"length before payment":    {`{"payment_id":"none","refund_id":"` + long + `"}`, "IR_05", 422},
		"merchant before payment":  {`{"payment_id":"none","merchant_id":"other"}`, "IR_05", 422},
		"payment before amount":    {`{"payment_id":"none","amount":0}`, "HE_02", 404},
		"status before amount":     {`{"payment_id":"` + unpaid + `","amount":0}`, "IR_14", 400},
		"status before duplicate":  {`{"payment_id":"` + unpaid + `","refund_id":"taken"}`, "IR_14", 400},
		"too much before attempts": {`{"payment_id":"` + used + `","amount":1000}`, "IR_13", 400},
		"zero before attempts":     {`{"payment_id":"` + used + `","amount":0}`, "IR_05", 422},
		"attempts":                 {`{"payment_id":"` + used + `","amount":1}`, "IR_12", 400},
		"attempts before double":   {`{"payment_id":"` + used + `","amount":1,"refund_id":"taken"}`, "IR_12", 400},
		"zero before duplicate":    {`{"payment_id":"` + id + `","amount":0,"refund_id":"taken"}`, "IR_05", 422},
		"duplicate last":           {`{"payment_id":"` + id + `","amount":1,"refund_id":"taken"}`, "HE_01", 400},
	} {
		t.Run(name, func(t *testing.T) { w.post("/refunds", c.body).refused(c.status, c.code, "") })
	}
	w.passes(payment.MaxRefundAge + time.Hour)
	w.post("/refunds", `{"payment_id":"`+old+`","amount":1,"refund_id":"taken"}`).refused(422, "IR_05", "created_at")
	w.post("/refunds", `{"payment_id":"`+used+`","amount":1}`).refused(422, "IR_05", "created_at") // age before attempts
	w.post("/refunds", `{"payment_id":"`+old+`","amount":0}`).refused(422, "IR_05", "amount contains invalid data")
}

// TestDisputedAmounts books signed messages about a dispute: state_metadata shows it once it is lost, and its amount cannot be refunded.
func TestDisputedAmounts(t *testing.T) {
	t.Parallel()
	w, id, says := underDispute(t)
	says("opened", `"sign":false`)
	w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"r1","amount":100}`).ok()
	says("opened", "")
	require.Equal(t, map[string]any{"total_refunded_amount": 100.0, "total_disputed_amount": nil, "post_capture_void": nil}, w.get("/payments/" + id).ok()["state_metadata"])
	w.post("/refunds", `{"payment_id":"`+id+`","amount":301}`).refused(400, "IR_13", "The refund amount exceeds the amount captured")
	says("lost", "")
	got := w.get("/payments/" + id).ok()
	require.Equal(t, "succeeded", got["status"])
	require.Equal(t, map[string]any{"total_refunded_amount": 100.0, "total_disputed_amount": 600.0, "post_capture_void": nil}, got["state_metadata"])
	require.Equal(t, "succeeded", w.post("/refunds", `{"payment_id":"`+id+`","amount":300}`).ok()["status"])
	w.post("/refunds", `{"payment_id":"`+id+`","amount":1}`).refused(400, "IR_13", "")
}
