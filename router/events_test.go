package router_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/webhook"
)

// hooks are merchants' endpoints. It implements webhook.Sender. The zero value answers 200.
type hooks struct {
	mu     sync.Mutex
	got    []string // bodies
	urls   []string
	header []http.Header
	status int            // of the answers: 0 stands for 200, -1 for no answer
	takes  time.Duration  // until they answer
	to     webhook.Sender // that the requests go to, if set
}

func (h *hooks) Allows(url string) error {
	if h.to != nil {
		return h.to.Allows(url)
	}
	if strings.HasPrefix(url, "http://") {
		return errors.New("it must begin with https://")
	}
	return nil
}

func (h *hooks) Post(ctx context.Context, url string, header http.Header, body []byte) webhook.Reply {
	h.mu.Lock()
	h.got, h.urls, h.header = append(h.got, string(body)), append(h.urls, url), append(h.header, header)
	takes := h.takes
	h.mu.Unlock()
	time.Sleep(takes)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.to != nil:
		return h.to.Post(ctx, url, header, body)
	case h.status < 0:
		return webhook.Reply{Class: "timeout", Failure: "no answer within 30s"}
	case h.status != 0:
		return webhook.Reply{Status: h.status, Body: []byte("no: 4242424242424242"), Headers: [][2]string{{"Retry-After", "5"}}}
	}
	return webhook.Reply{Status: 200}
}

func (h *hooks) answer(status int) { h.mu.Lock(); h.status = status; h.mu.Unlock() }

// delivers runs the background work until the test ends.
func (w *world) delivers(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); w.engine.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}

// TestEventAPI follows an event through the API: an endpoint, a payment, the list, the attempts, and a repeat by hand.
func TestEventAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, other, _ := w.merchant("other")
	path := "/account/" + merchant + "/business_profile/" + w.profile + "/webhook_endpoints"
	e := w.post(path, `{"url":"https://shop.test/hook","event_types":["payment_succeeded","refund_failed"],"description":"orders"}`).ok()
	secret := e["secret"].(string)
	require.True(t, strings.HasPrefix(secret, "whsec_"))
	require.Equal(t, []any{"payment_succeeded", "refund_failed"}, e["event_types"])
	one := path + "/" + e["endpoint_id"].(string)
	require.Nil(t, w.get(one).ok()["secret"], "shown once")
	require.NotEqual(t, secret, w.post(one+"/rotate_secret", `{"overlap_seconds":60}`).ok()["secret"])
	w.post(one+"/rotate_secret", `{"overlap_seconds":604801}`).refused(422, "IR_06", "")
	for range 2 {
		w.post(one+"/rotate_secret", `{"overlap_seconds":60}`).ok()
	}
	w.post(one+"/rotate_secret", `{"overlap_seconds":60}`).refused(422, "IR_06", "4 secrets sign at this moment")
	w.post(one+"/rotate_secret", `{"overlap_seconds":0}`).ok()
	w.post(one+"/rotate_secret", `{"overlap_seconds":60}`).ok()
	w.post(path, `{"url":"http://shop.test/hook"}`).refused(422, "IR_06", "")
	w.post(path, `{"url":"https://user:pass@shop.test/hook"}`).refused(422, "IR_06", "")
	w.post(path, `{}`).refused(400, "IR_04", "")
	w.post(path, `{"url":"https://shop.test/hook","event_types":["nonsense"]}`).refused(422, "IR_06", "")
	require.NotEqual(t, 200, w.send("GET", one, other, "").status, "another merchant's key")
	require.NotEqual(t, 200, w.send("DELETE", one, other, "").status)
	require.Equal(t, "https://shop.test/hook", w.admin("GET", one, "").ok()["url"])
	w.post("/account/"+merchant+"/business_profile/"+w.profile, `{"webhook_details":{"webhook_url":"https://shop.test/v1"}}`).ok()
	require.Len(t, w.get(path).list(), 2)
	for _, bad := range []string{"shop.test/v1", "ftp://shop.test/v1", "https://", "payswitch:listen", "https://shop.test/" + strings.Repeat("a", 2048)} {
		w.post("/account/"+merchant+"/business_profile/"+w.profile, `{"webhook_details":{"webhook_url":"`+bad+`"}}`).refused(400, "IR_06", "")
	}
	require.Len(t, w.get(path).list(), 2)

	w.hooks.answer(503)
	w.delivers(t)
	id := w.post("/payments", full).ok()["payment_id"].(string)
	listed := func() (out []map[string]any) {
		for _, v := range w.post("/events/profile/list", `{"object_id":"`+id+`"}`).ok()["events"].([]any) {
			out = append(out, v.(map[string]any))
		}
		return out
	}
	require.Eventually(t, func() bool {
		l := listed()
		return len(l) > 0 && l[0]["initial_attempt_id"] != nil
	}, 10*time.Second, 5*time.Millisecond)
	ev := listed()[0]
	require.Equal(t, []any{id, "payments", false, "open"}, []any{ev["object_id"], ev["event_class"], ev["is_delivery_successful"], ev["state"]})
	eventPath := "/events/" + merchant + "/" + ev["event_id"].(string)
	attempts := w.get(eventPath + "/attempts").list()
	require.Equal(t, "initial_attempt", attempts[0]["delivery_attempt"])
	reply := attempts[0]["response"].(map[string]any)
	require.Equal(t, []any{503.0, "no: ************4242"}, []any{reply["status_code"], reply["body"]})
	require.NotEmpty(t, reply["error_message"])
	require.Equal(t, ev["created"], w.get(one).ok()["oldest_undelivered"])
	require.Equal(t, false, w.get(one).ok()["disabled"])

	w.hooks.answer(0)
	again := w.post(eventPath+"/retry?endpoint_id="+ev["endpoint_id"].(string), ``).ok()
	require.Equal(t, []any{"manual_retry", true, "delivered"}, []any{again["delivery_attempt"], again["is_delivery_successful"], again["state"]})
	w.hooks.mu.Lock()
	for i, body := range w.hooks.got {
		require.Equal(t, w.hooks.got[0], body, "every attempt has the same body")
		require.NotEmpty(t, w.hooks.header[i].Get("X-Webhook-Signature-512"))
	}
	var sent struct {
		EventID string `json:"event_id"`
		Content struct {
			Type   string
			Object struct {
				PaymentID string `json:"payment_id"`
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(w.hooks.got[0]), &sent))
	w.hooks.mu.Unlock()
	require.Equal(t, []string{ev["event_id"].(string), "payment_details", id}, []string{sent.EventID, sent.Content.Type, sent.Content.Object.PaymentID})
	require.Equal(t, sent.EventID, header(again, "webhook-id"))

	w.send("POST", "/events/none", adminKey, `{}`).refused(404, "HE_02", "Merchant account does not exist in our records")
	w.post("/events/profile/list", `{"object_id":"a","event_id":"b"}`).refused(400, "IR_16", "")
	w.post("/events/profile/list", `{"object_id":"a","limit":5}`).refused(400, "IR_16", "")
	w.post("/events/profile/list", `{"limit":101}`).refused(422, "IR_06", "")
	w.post("/events/profile/list", `{"limit":0}`).refused(422, "IR_06", "")
	w.post("/events/"+merchant, `{"created_after":"2020-01-01T00:00:00Z"}`).refused(422, "IR_06", "")
	after, before := time.Now().Format(time.RFC3339), time.Now().Add(-time.Hour).Format(time.RFC3339)
	w.post("/events/"+merchant, `{"created_after":"`+after+`","created_before":"`+before+`"}`).refused(422, "IR_06", "")
	w.post("/events/"+merchant, `{"profile_id":"pro_none"}`).refused(404, "HE_02", "")
	w.post("/events/"+merchant, `{"event_types":["payment_succeded"]}`).refused(400, "IR_06", "expected one of `payment_succeeded`")
	require.Zero(t, w.post("/events/"+merchant, `{"event_types":["invoice_paid"]}`).ok()["total_count"])
	require.Positive(t, w.post("/events/"+merchant, `{"profile_id":"`+w.profile+`"}`).ok()["total_count"])
	require.Positive(t, w.admin("POST", "/events/"+merchant, `{"is_delivered":true,"event_classes":["payments"],"limit":1}`).ok()["total_count"])
	w.get("/events/"+merchant+"/evt_none/attempts").refused(404, "HE_02", "")
	require.NotEqual(t, 200, w.send("POST", eventPath+"/retry", other, "").status)
	require.NotEqual(t, 200, w.send("GET", eventPath+"/attempts", other, "").status)

	require.Equal(t, true, w.send("DELETE", one, w.secret, "").ok()["deleted"])
	w.get(one).refused(404, "HE_02", "")
	require.NotContains(t, w.logs.String(), "whsec_")
	require.NotContains(t, w.logs.String(), "shop.test", "a URL may hold a secret")
}

// header returns a header of an attempt's request.
func header(attempt map[string]any, name string) string {
	for _, h := range attempt["request"].(map[string]any)["headers"].([]any) {
		if pair := h.([]any); pair[0] == name {
			return pair[1].(string)
		}
	}
	return ""
}

// TestEndpointTest: a test event goes out at once, signed, and is not kept. A key of another merchant, or of the payer's page, sends none.
func TestEndpointTest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, other, _ := w.merchant("other")
	path := "/account/" + merchant + "/business_profile/" + w.profile + "/webhook_endpoints"
	w.post("/account/"+merchant+"/business_profile/"+w.profile, `{"webhook_details":{"webhook_url":"https://shop.test/v1"}}`).ok()
	own := path + "/" + w.post(path, `{"url":"https://shop.test/hook","disabled":true}`).ok()["endpoint_id"].(string)
	for url, one := range map[string]string{"https://shop.test/hook": own, "https://shop.test/v1": path + "/" + w.profile} {
		sent := w.post(one+"/test", "").ok()
		require.Equal(t, []any{"endpoint_test", url, true, 200.0}, []any{sent["event_type"], sent["url"], sent["is_delivery_successful"], sent["response"].(map[string]any)["status_code"]})
		last := len(w.hooks.got) - 1
		require.JSONEq(t, w.hooks.got[last], sent["request"].(map[string]any)["body"].(string))
		require.Contains(t, w.hooks.got[last], `"event_id":"`+sent["event_id"].(string)+`","event_type":"endpoint_test"`)
		require.Equal(t, sent["event_id"], w.hooks.header[last].Get("Webhook-Id"))
		require.NotEmpty(t, w.hooks.header[last].Get("Webhook-Signature"))
		require.NotEmpty(t, w.hooks.header[last].Get("X-Webhook-Signature-512"))
	}
	w.hooks.answer(500)
	failed := w.post(own+"/test", "").ok()
	require.Equal(t, []any{false, 500.0, "no: ************4242"}, []any{failed["is_delivery_successful"], failed["response"].(map[string]any)["status_code"], failed["response"].(map[string]any)["body"]})
	n := len(w.hooks.got)
	for _, key := range []string{other, w.publishable, ""} {
		require.NotEqual(t, 200, w.send("POST", own+"/test", key, "").status)
	}
	w.post(path+"/we_none/test", "").refused(404, "HE_02", "Webhook endpoint does not exist")
	require.Len(t, w.hooks.got, n)
	require.EqualValues(t, 0, w.post("/events/"+merchant, `{}`).ok()["total_count"])
	require.Nil(t, w.get(own).ok()["failing_since"], "a test says nothing about deliveries")
}
