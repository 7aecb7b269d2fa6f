package router_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProfileOfAnother: a call with a profile reaches no payment, refund, dispute or event of another profile, by no route.
func TestProfileOfAnother(t *testing.T) {
	t.Parallel()
	w, id, says := underDispute(t)
	other := w.post("/account/m1/business_profile", `{"profile_name":"second"}`).ok()["profile_id"].(string)
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`)
	w.delivers(t)
	says("opened", `"stage":"dispute","created":1790000000`)
	w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"r1","amount":100}`).ok()
	w.arrivals(3)
	dispute := w.get("/disputes/list").list()[0]["dispute_id"].(string)
	event := w.post("/events/m1", `{"object_id":"r1"}`).ok()["events"].([]any)[0].(map[string]any)["event_id"].(string)
	sent := len(w.arrivals(3))
	fill := strings.NewReplacer("PAYMENT", id, "DISPUTE", dispute, "EVENT", event, "PROFILE", w.profile).Replace
	for _, call := range []string{"GET /payments/PAYMENT", "GET /payments/PAYMENT?force_sync=true", `POST /payments/sync {"payment_id":"PAYMENT"}`, `POST /payments/PAYMENT {"amount":5}`,
		"POST /payments/PAYMENT/cancel {}", "POST /payments/PAYMENT/capture {}", "POST /payments/PAYMENT/cancel_post_capture {}",
		`POST /payments/PAYMENT/incremental_authorization {"amount":2000}`, `POST /payments/PAYMENT/manual-status-update {"intent_status":"failed"}`,
		"GET /payments/list?starting_after=PAYMENT", "GET /payments/profile/list?ending_before=PAYMENT",
		"GET /refunds/r1", `POST /refunds/r1 {"reason":"x"}`, `POST /refunds/sync {"refund_id":"r1"}`, `POST /refunds {"payment_id":"PAYMENT","amount":1}`,
		"GET /disputes/DISPUTE", "GET /disputes/DISPUTE?force_sync=true", "POST /disputes/accept/DISPUTE", "GET /disputes/evidence/DISPUTE",
		`POST /disputes/evidence {"dispute_id":"DISPUTE"}`, `DELETE /disputes/evidence {"dispute_id":"DISPUTE","evidence_type":"receipt"}`,
		"GET /events/m1/EVENT/attempts", "POST /events/m1/EVENT/retry", `POST /events/m1 {"profile_id":"PROFILE"}`,
		"GET /account/m1/business_profile/PROFILE/webhook_endpoints", `POST /account/m1/business_profile/PROFILE/webhook_endpoints {"url":"https://shop.test/mine"}`} {
		method, rest, _ := strings.Cut(fill(call), " ")
		path, body, _ := strings.Cut(rest, " ")
		r := w.send(method, path, w.secret, body, "X-Profile-Id", other)
		require.Equal(t, 404, r.status, "%s: %s", call, r.body)
		require.NotEqual(t, "IR_02", r.error()["code"], call)
	}
	for _, path := range []string{"/disputes/list", "/disputes/profile/list"} {
		for _, query := range []string{"", "?dispute_id=DISPUTE", "?payment_id=PAYMENT", "?profile_id=PROFILE"} {
			require.Len(t, w.get(fill(path+query)).list(), 1)
			require.Empty(t, w.send("GET", fill(path+query), w.secret, "", "X-Profile-Id", other).list(), path+query)
		}
	}
	for path, bodies := range map[string][]string{"/payments/list": {`{"payment_id":"PAYMENT"}`, `{"profile_id":"PROFILE"}`, `{"status":["succeeded"]}`},
		"/refunds/list": {`{"payment_id":"PAYMENT"}`, `{"refund_id":"r1"}`, `{"profile_id":"PROFILE"}`}, "/events/profile/list": {`{"object_id":"r1"}`, `{"object_id":"DISPUTE"}`, `{"event_id":"EVENT"}`}} {
		for _, body := range bodies {
			require.Equal(t, 1.0, w.post(path, fill(body)).ok()["total_count"], "%s %s", path, body)
			require.Equal(t, 0.0, w.send("POST", path, w.secret, fill(body), "X-Profile-Id", other).ok()["total_count"], "%s %s", path, body)
		}
	}
	require.Equal(t, "dispute_opened", w.get("/disputes/" + dispute).ok()["dispute_status"])
	require.Len(t, w.arrivals(sent), sent)
}

// TestListBorders: bounds include their ends, times count to the nanosecond, and what a query or a body says twice or without sense is refused.
func TestListBorders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	free := w.post("/payments", `{"amount":0,"currency":"USD"}`).ok()["payment_id"].(string)
	time.Sleep(2 * time.Millisecond) // the two payments have different times
	id := w.paid(500)
	w.post("/refunds", `{"payment_id":"`+id+`","refund_id":"r1","amount":1}`).ok()
	at, err := time.Parse(time.RFC3339, w.get("/payments/" + id).ok()["created"].(string))
	require.NoError(t, err)
	moment := func(d time.Duration) string { return at.Add(d).Format("2006-01-02T15:04:05.000000000Z") }
	same, after, before := moment(0), moment(time.Nanosecond), moment(-time.Nanosecond)
	for body, n := range map[string]float64{
		`{"status":["succeeded"],"start_time":"` + same + `","end_time":"` + same + `"}`:    1,
		`{"customer_id":"none","start_time":"` + same + `"}`:                                0,
		`{"payment_id":"` + id + `","start_time":"` + same + `","end_time":"` + same + `"}`: 1,
		`{"payment_id":"` + id + `","start_time":"` + after + `"}`:                          0,
		`{"status":["succeeded"],"start_time":"` + after + `"}`:                             0,
		`{"status":["succeeded"],"start_time":"` + before + `","end_time":"` + after + `"}`: 1,
		`{"status":["succeeded"],"end_time":"` + before + `"}`:                              0,
		`{"start_time":"` + moment(time.Hour) + `","end_time":"` + same + `"}`:              0,
		`{"start_time":"0000-01-01T00:00:00Z","end_time":"9999-12-31T23:59:59Z"}`:           2,
		`{"amount_filter":{"start_amount":0,"end_amount":0}}`:                               1,
		`{"amount_filter":{"start_amount":500,"end_amount":500}}`:                           1,
		`{"amount_filter":{"start_amount":501}}`:                                            0,
		`{"amount_filter":{"end_amount":499}}`:                                              1,
		`{"amount_filter":{"start_amount":500,"end_amount":1}}`:                             0,
		`{"amount_filter":{}}`: 2,
		`{"amount_filter":null,"order":null,"status":null,"limit":null,"start_time":null,"payment_id":null}`: 2,
		`{"status":[]}`:                                          2,
		`{"status":["succeeded","succeeded"]}`:                   1,
		`{"connector":[""]}`:                                     1,
		`{"offset":1000000}`:                                     2,
		`{"offset":1000000,"status":["succeeded"]}`:              1,
		`{"offset":1000000,"order":{"on":"amount"},"limit":50}`:  2,
		`{"offset":1,"status":["succeeded"],"limit":1}`:          1,
		`{"payment_id":"` + free + `","status":["succeeded"]}`:   0,
		`{"order":{"on":"modified"},"currency":["USD","USD"]}`:   2,
		`{"order":{"by":"asc"},"offset":2,"currency":["USD"]}`:   2,
		`{"customer_email":"","merchant_order_reference_id":""}`: 2,
	} {
		require.Equal(t, n, w.post("/payments/list", body).ok()["total_count"], body)
	}
	for query, n := range map[string]int{"created.gte=" + same + "&created.lte=" + same: 1, "created=" + same: 1, "created=" + after: 0, "created=" + before: 0, "created.gt=" + before + "&created.lt=" + after: 1,
		"created.gt=" + same: 0, "limit=100": 2, "starting_after=" + id + "&ending_before=" + id: 0} {
		require.Len(t, w.get("/payments/list?" + query).ok()["data"], n, query)
	}
	for body, n := range map[string]float64{`{"offset":2147483647}`: 1, `{"amount_filter":{"start_amount":1,"end_amount":1}}`: 1, `{"amount_filter":{"end_amount":0}}`: 0} {
		require.Equal(t, n, w.post("/refunds/list", body).ok()["total_count"], body)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/payments/list?limit=1&limit=2", "", 400, "IR_06"}, {"GET", "/payments/list?limit=", "", 400, "IR_06"}, {"GET", "/payments/list?limit=101", "", 422, "IR_06"},
		{"GET", "/payments/list?limit=9223372036854775808", "", 400, "IR_06"}, {"GET", "/payments/list?status=succeeded", "", 400, "IR_06"},
		{"POST", "/payments/list", `{"limit":1,"limit":2}`, 400, "IR_06"}, {"POST", "/payments/list", "null", 400, "IR_06"}, {"POST", "/payments/list", "[]", 400, "IR_06"},
		{"POST", "/payments/list", `{"offset":1000001}`, 400, "IR_06"}, {"POST", "/payments/list", `{"amount_filter":{"start_amount":-1}}`, 400, "IR_06"},
		{"POST", "/payments/list", `{"connector":["\u0000"]}`, 400, "IR_06"}, {"POST", "/refunds/list", `{"refund_status":["succeeded"]}`, 400, "IR_06"},
		{"GET", "/disputes/list?offset=65536", "", 400, "IR_06"}, {"GET", "/disputes/list?connector=stripe&connector=adyen", "", 400, "IR_06"},
		{"GET", "/disputes/list?dispute_status=", "", 400, "IR_06"}, {"POST", "/disputes/list", "{}", 405, "IR_03"}, {"GET", "/events/m1", "", 405, "IR_03"},
		{"GET", "/payments/aggregate?start_time=" + same + "&start_time=" + same, "", 400, "IR_06"},
		{"GET", "/customers/list?limit=1&limit=1", "", 400, "IR_06"}, {"GET", "/customers/list_with_count?customer_id=none&limit=0", "", 422, "IR_06"},
	} {
		r := w.send(c.method, c.path, w.secret, c.body)
		require.Equal(t, fmt.Sprint(c.status, " ", c.code), fmt.Sprint(r.status, " ", r.error()["code"]), "%s %s %s", c.method, c.path, c.body)
	}
}
