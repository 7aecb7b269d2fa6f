package router_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// These tests follow the contract of events row by row, one test for each section. news_rows_test.go names further tests of the rows.

const (
	toProfile  = "POST /account/m1/business_profile/{profile}"
	listEvents = "POST /events/m1"
	attemptsOf = "GET /events/m1/{event_id}/attempts"
	sendAgain  = "POST /events/m1/{event_id}/retry"
	hooked     = `{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`
)

// inBubble gives a test a world whose time is that of synctest, and whose background work looks for work at every pause.
func inBubble(t *testing.T, pause time.Duration, adapters map[string]*sdk.Adapter, test func(t *testing.T, w *world)) {
	t.Parallel()
	present := time.Now()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(present)) // bubbles begin in the year 2000
		all := map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter()}
		for name, a := range adapters {
			all[name] = a
		}
		w := newWorldOf(t, plugins.NativeConnectors(all), engine.Options{ResolveEvery: pause, WebhookPoll: pause})
		w.bubble = true
		for name := range adapters {
			if name != "stripe" && name != "adyen" {
				w.addAccount(name)
			}
		}
		w.delivers(t)
		test(t, w)
	})
}

// arrives is the step that wants the next request to an endpoint: want is of its url, headers and body. "arrives GET /path" also wants that content.object is what the
// path shows. The event's id becomes {event_id}. Every event has the contract's keys and signature, and a repeat is the first request again.
func (w *world) arrives(t *testing.T, says string, s step, values map[string]string) {
	t.Helper()
	a := w.arrivals(len(w.seen) + 1)[len(w.seen)]
	if w.bubble {
		synctest.Wait() // the attempt is stored
	}
	says += "\n" + a.body
	values["event_id"] = a.said["event_id"].(string)
	headers := map[string]any{}
	for name, v := range a.header {
		headers[name] = strings.Join(v, "\n")
	}
	matches(t, says, w.filled(s.want, values), map[string]any{"url": a.url, "headers": headers, "body": a.said})
	content := a.said["content"].(map[string]any)
	require.ElementsMatch(t, []string{"merchant_id", "event_id", "event_type", "content", "timestamp", "processor_merchant_id"}, keysOf(a.said), says)
	require.ElementsMatch(t, []string{"type", "object"}, keysOf(content), says)
	require.Regexp(t, `^evt_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`, a.said["event_id"], says)
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, a.said["timestamp"], says)
	require.Equal(t, []any{merchant, merchant}, []any{a.said["merchant_id"], a.said["processor_merchant_id"]}, says)
	if path, ok := strings.CutPrefix(s.call, "arrives GET "); ok {
		shown := w.get(w.filled(path, values)).ok()
		if _, there := shown["sdk_authorization"]; there {
			shown["sdk_authorization"] = nil // an event has no token for the payer's client
		}
		require.Equal(t, any(shown), content["object"], says)
	}
	repeated := false
	for _, first := range w.seen {
		if first.said["event_id"] != a.said["event_id"] {
			continue
		}
		repeated = true
		require.Equal(t, first.body, a.body, says)
		require.Equal(t, stored(first.header), stored(a.header), says)
		break
	}
	if key := values["payment_response_hash_key"]; key != "" && !repeated {
		h := hmac.New(sha512.New, []byte(key))
		h.Write([]byte(a.body))
		require.Equal(t, hex.EncodeToString(h.Sum(nil)), a.header.Get("X-Webhook-Signature-512"), says)
	}
	w.seen = append(w.seen, a)
}

// stored are the headers that repeats share with the first request: those of the contract.
func stored(h http.Header) http.Header {
	h = h.Clone()
	h.Del("Webhook-Timestamp")
	h.Del("Webhook-Signature")
	return h
}

// nothingArrives is the step that wants no further request to an endpoint.
func (w *world) nothingArrives(t *testing.T, says string) {
	t.Helper()
	require.True(t, w.bubble, "time must be that of synctest")
	time.Sleep(time.Second)
	w.hooks.mu.Lock()
	defer w.hooks.mu.Unlock()
	require.Len(t, w.hooks.got, len(w.seen), says)
}

var nothing = step{"…", "nothing arrives", "", ""}

// told is the step that wants an event of a type, about what the path shows.
func told(row, kind, path string) step {
	return step{row, "arrives GET " + path, "", `{"body":{"event_type":"` + kind + `"}}`}
}

// Sections 1 and 6.
func TestEventsDelivery(t *testing.T) {
	inBubble(t, 10*time.Second, nil, func(t *testing.T, w *world) {
		const none = `{"events":[],"total_count":0}`
		manual := pay("stripe")
		steps := []step{
			{"no URL", "POST /payments", paying(), ``}, nothing,
			{"… an endpoint that is switched off", toProfile + "/webhook_endpoints", `{"url":"https://shop.test/off","disabled":true}`, ``},
			{"…", "POST /payments", paying(), ``}, nothing,
			{"… no event is recorded", listEvents, `{}`, none},
			{"a URL", toProfile, `{"webhook_details":{"webhook_url":"https://shop.test/old","webhook_username":"ada","webhook_password":"hunter two"},
				"outgoing_webhook_custom_http_headers":{"X-Shop":"blue","Authorization":"Bearer 1"}}`, `{"payment_response_hash_key":"*"}`},
			{"… nothing can be delivered later", listEvents, `{}`, none}, nothing,
			{"a payment", "POST /payments", manual, ``},
			{"…", "arrives GET /payments/{payment_id}", "", `{"url":"https://shop.test/old",
				"headers":{"Content-Type":"application/json","User-Agent":"payswitch","X-Webhook-Signature-512":"/^[0-9a-f]{128}$/","X-Shop":"blue","Authorization":"Bearer 1","X-Webhook-Signature-256":"-"},
				"body":{"event_type":"payment_authorized","content":{"type":"payment_details","object":{"payment_id":"{payment_id}","status":"requires_capture","updated":"*"}}}}`},
			{"… its attempt has an id of its own", attemptsOf, "", `[{"event_id":"/^att_/","initial_attempt_id":"/^att_/"}]`},
			{"a refund", "POST /payments", paying(), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"),
			{"…", refundPayment, refunding(), ``},
			{"…", "arrives GET /refunds/{refund_id}", "", `{"body":{"event_type":"refund_succeeded","content":{"type":"refund_details","object":{"refund_id":"{refund_id}","status":"succeeded","updated_at":"*"}}}}`},
		}
		for _, status := range []int{200, 201, 202, 204, 299} {
			steps = append(steps, step{fmt.Sprint("success is any 2xx: ", status), fmt.Sprint("endpoint answers ", status), "", ""}, step{"…", "POST /payments", paying(), ``},
				told("…", "payment_succeeded", "/payments/{payment_id}"), step{"…", attemptsOf, "", fmt.Sprintf(`[{"is_delivery_successful":true,"response":{"status_code":%d,"error_message":null}}]`, status)})
		}
		for _, status := range []int{-1, 101, 300, 301, 302, 303, 307, 308, 400, 401, 404, 410, 429, 500, 503} {
			code := fmt.Sprint(status)
			if status < 0 {
				code = "null"
			}
			steps = append(steps, step{fmt.Sprint("everything else is retried: ", status), fmt.Sprint("endpoint answers ", status), "", ""}, step{"…", "POST /payments", paying(), ``},
				told("…", "payment_succeeded", "/payments/{payment_id}"), nothing,
				step{"…", attemptsOf, "", `[{"is_delivery_successful":false,"delivery_attempt":"initial_attempt","response":{"status_code":` + code + `,"error_message":"*"}}]`},
				step{"…", "endpoint answers 200", "", ""}, step{"…", "wait 90 seconds", "", ""}, told("…", "payment_succeeded", "/payments/{payment_id}"),
				step{"…", attemptsOf, "", `[{"delivery_attempt":"initial_attempt"},{"delivery_attempt":"automatic_retry","is_delivery_successful":true}]`})
		}
		steps = append(steps,
			step{"repeats re-send the stored body and headers", "endpoint answers 500", "", ""}, step{"…", "POST /payments", manual, ``},
			told("…", "payment_authorized", "/payments/{payment_id}"),
			step{"… even if the resource has moved on", "POST /payments/{payment_id}/capture", `{}`, `{"status":"succeeded"}`},
			step{"… to the profile's current URL", toProfile, `{"webhook_details":{"webhook_url":"https://shop.test/new"},"outgoing_webhook_custom_http_headers":{"X-Shop":"red","X-New":"1"},
				"payment_response_hash_key":"another key of sixty-four characters, of which this one is made up"}`, ``},
			step{"… automatic", "endpoint answers 200", "", ""}, step{"…", "wait 90 seconds", "", ""},
			step{"…", "arrives", "", `{"url":"https://shop.test/new","headers":{"X-Shop":"blue","Authorization":"Bearer 1","X-New":"-"},
				"body":{"event_type":"payment_authorized","content":{"object":{"payment_id":"{payment_id}","status":"requires_capture"}}}}`},
			step{"… the attempts show what was sent", attemptsOf, "", `[{"delivery_attempt":"initial_attempt"},{"delivery_attempt":"automatic_retry"}]`},
			step{"… manual", sendAgain, "", `{"delivery_attempt":"manual_retry","is_delivery_successful":true}`},
			step{"the next event has the new headers", "arrives GET /payments/{payment_id}", "", `{"headers":{"X-Shop":"red","X-New":"1","Authorization":"-"},"body":{"event_type":"payment_succeeded"}}`},
			step{"manual, of the first event", "arrives", "", `{"url":"https://shop.test/new","headers":{"X-Shop":"blue","X-New":"-"},"body":{"event_type":"payment_authorized"}}`},
			step{"no URL again", toProfile, `{"webhook_details":{"webhook_url":null}}`, ``}, step{"…", "POST /payments", paying(), ``}, nothing,
			step{"…", listEvents, `{"object_id":"{payment_id}"}`, none},
		)
		w.section(t, nil, steps...)
		for _, a := range w.seen {
			for name, v := range a.header {
				require.NotContains(t, strings.Join(v, " "), "hunter", name)
			}
		}
	})
}

// TestEventsOnTheWire is section 1 at a server that receives the requests.
func TestEventsOnTheWire(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []*http.Request
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		got = append(got, r)
		if err == nil && len(got) > 1 {
			http.Redirect(rw, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	w := newWorld(t)
	sender := plugins.NewWebhooks(plugins.WebhookOptions{AllowPrivate: true})
	defer sender.Close()
	w.hooks.to = sender
	w.delivers(t)
	hook := `{"webhook_details":{"webhook_url":"` + server.URL + `/hook","webhook_username":"ada","webhook_password":"hunter two"},"outgoing_webhook_custom_http_headers":{"X-Shop":"blue"}}`
	values := map[string]string{}
	w.section(t, values, step{"a URL", toProfile, hook, ``}, step{"a payment", "POST /payments", paying(), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"),
		step{"redirects are not followed", "POST /payments", paying(), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"))
	require.Eventually(t, func() bool { return len(w.get("/events/m1/"+values["event_id"]+"/attempts").list()) == 1 }, 20*time.Second, 2*time.Millisecond)
	w.section(t, values, step{"… they are failures", attemptsOf, "", `[{"is_delivery_successful":false,"response":{"status_code":307,"error_message":"*"}}]`})
	mu.Lock()
	defer mu.Unlock()
	require.Len(t, got, 2)
	for i, r := range got {
		require.Equal(t, []string{"POST", "/hook", "application/json", "payswitch", "blue"}, []string{r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), r.Header.Get("X-Shop")})
		require.ElementsMatch(t, []string{"Content-Type", "Content-Length", "User-Agent", "X-Shop", "X-Webhook-Signature-512", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"},
			slices.Collect(maps.Keys(r.Header)))
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.Equal(t, w.seen[i].body, string(body))
		h := hmac.New(sha512.New, []byte(values["payment_response_hash_key"]))
		h.Write(body)
		require.Equal(t, hex.EncodeToString(h.Sum(nil)), r.Header.Get("X-Webhook-Signature-512"))
	}
}

// Section 3.
func TestEventsWhen(t *testing.T) {
	inBubble(t, 10*time.Second, map[string]*sdk.Adapter{"nmi": simulator.Adapter()}, func(t *testing.T, w *world) {
		const payment, refund = "/payments/{payment_id}", "/refunds/{refund_id}"
		draft, settles := `{"amount":6000,"currency":"USD"}`, paying("amount", "900000020")
		does := func(row, path, body string) step { return step{row, "POST /payments/{payment_id}/" + path, body, ``} }
		later := []step{{"a payment that the processor settles later", "POST /payments", settles, `{"status":"processing"}`}, told("…", "payment_processing", payment), {"…", "wait 10 seconds", "", ""}}
		asked := func(amount string) []step {
			return []step{{"a refund that the processor settles later", "POST /payments", paying("amount", "999999999"), ``}, told("…", "payment_succeeded", payment),
				{"…", refundPayment, refunding("amount", amount), `{"status":"pending"}`}, nothing, {"…", "wait 10 seconds", "", ""}}
		}
		message := func(object, id string) step {
			return step{"a processor's webhook", "open POST /webhooks/m1/{mca:stripe}", `{"type":"` + object + `.updated",` + id + `}`, ``}
		}
		steps := []step{
			{"a URL", toProfile, hooked, ``},
			{"requires_payment_method: none", "POST /payments", draft, `{"status":"requires_payment_method"}`}, nothing,
			{"requires_confirmation: none", "POST /payments", paying("confirm", "false"), `{"status":"requires_confirmation"}`}, nothing,
			does("confirm", "confirm", `{}`), told("…", "payment_succeeded", payment),
			{"create+confirm", "POST /payments", paying(), ``}, told("…", "payment_succeeded", payment),
			{"… failed", "POST /payments", paying("payment_method_data.card.card_number", `"4000000000000002"`), `{"status":"failed"}`}, told("…", "payment_failed", payment),
			{"… the customer must act", "POST /payments", paying("authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`), `{"status":"requires_customer_action"}`},
			told("…", "action_required", payment),
			{"capture, full", "POST /payments", pay("stripe"), ``}, told("…", "payment_authorized", payment), does("…", "capture", `{}`), told("…", "payment_succeeded", payment),
			{"capture, partial", "POST /payments", pay("stripe"), ``}, told("…", "payment_authorized", payment), does("…", "capture", `{"amount_to_capture":100}`), told("…", "payment_captured", payment),
			{"one event per change: each partial capture", "POST /payments", pay("stripe", "capture_method", `"manual_multiple"`), ``}, told("…", "payment_authorized", payment),
			does("…", "capture", `{"amount_to_capture":100}`), told("…", "payment_captured", payment), does("…", "capture", `{"amount_to_capture":100}`), told("…", "payment_captured", payment),
			does("… the rest", "capture", `{"amount_to_capture":5800}`), told("…", "payment_succeeded", payment),
			{"cancel", "POST /payments", pay("stripe"), ``}, told("…", "payment_authorized", payment), does("…", "cancel", `{}`), told("…", "payment_cancelled", payment),
			{"cancel_post_capture", "POST /payments", pay("nmi", "capture_method", `"automatic"`), ``}, told("…", "payment_succeeded", payment),
			does("…", "cancel_post_capture", `{}`), told("…", "payment_cancelled_post_capture", payment),
			does("a call that changes nothing", "capture", `{"amount_to_capture":1}`), nothing,
		}
		steps[len(steps)-2].want = "400 "
		sync := step{"sync", "GET /payments/{payment_id}?force_sync=true", "", ``}
		steps = append(append(steps, later...), sync, told("…", "payment_succeeded", payment), sync, nothing)
		steps = append(append(steps, later...), message("payment", `"transaction_id":"{connector_transaction_id}"`), told("…", "payment_succeeded", payment))
		steps = append(append(steps, later...), step{"background sync", "wait 55 seconds", "", ""}, told("…", "payment_succeeded", payment))
		steps = append(append(steps, asked("900000402")...), step{"sync", "GET /refunds/{refund_id}?force_sync=true", "", ``}, told("…", "refund_succeeded", refund))
		steps = append(append(steps, asked("900000403")...), step{"sync", "GET /refunds/{refund_id}?force_sync=true", "", ``}, told("…", "refund_failed", refund))
		steps = append(append(steps, asked("900000402")...), message("refund", `"refund_id":"{connector_refund_id}"`), told("…", "refund_succeeded", refund))
		steps = append(append(steps, asked("900000402")...), step{"background sync", "wait 55 seconds", "", ""}, told("…", "refund_succeeded", refund))
		w.section(t, nil, steps...)

		w.hooks.takes = 25 * time.Second
		began := time.Now()
		w.section(t, nil, step{"the API answer does not wait for delivery", "POST /payments", paying(), `{"status":"succeeded"}`})
		require.Less(t, time.Since(began), time.Second)
		w.section(t, nil, step{"…", "arrives", "", `{"body":{"event_type":"payment_succeeded"}}`})
	})
}

// Section 4.
func TestEventsRetries(t *testing.T) {
	inBubble(t, time.Minute, nil, func(t *testing.T, w *world) {
		values := map[string]string{}
		w.section(t, values, step{"a URL", toProfile, hooked, ``}, step{"an endpoint that fails", "endpoint answers 503", "", ""}, step{"…", "POST /payments", paying(), ``},
			told("…", "payment_succeeded", "/payments/{payment_id}"), step{"three days", "wait 80 hours", "", ""})
		attempts := w.get("/events/m1/" + values["event_id"] + "/attempts").list()
		var at []time.Time
		for i, a := range attempts {
			require.Equal(t, map[bool]string{true: "initial_attempt", false: "automatic_retry"}[i == 0], a["delivery_attempt"])
			when, err := time.Parse(time.RFC3339, a["attempted_at"].(string))
			require.NoError(t, err)
			at = append(at, when)
		}
		minutes := []int{1, 5, 5, 10, 10, 10, 10, 10, 60, 60, 60, 60, 60, 360, 360, 360}
		require.Greater(t, len(at), len(minutes))
		for i := 1; i < len(at); i++ {
			pause := time.Duration(minutes[min(i, len(minutes))-1]) * time.Minute
			require.GreaterOrEqual(t, at[i].Sub(at[i-1]), pause, "retry %d", i)
			require.LessOrEqual(t, at[i].Sub(at[i-1]), pause*6/5+3*time.Minute, "retry %d: a fifth of jitter, and the pauses between looks", i)
		}
		w.section(t, values, step{"… given up", listEvents, `{"event_id":"{event_id}"}`, `{"events":[{"is_delivery_successful":false,"state":"given_up","next_attempt_at":null}],"total_count":1}`})
		w.seen = w.arrivals(len(attempts))
		w.section(t, values, step{"retry by hand", "endpoint answers 200", "", ""}, step{"…", sendAgain, "", `{"delivery_attempt":"manual_retry","is_delivery_successful":true,"state":"delivered"}`},
			step{"…", "arrives GET /payments/{payment_id}", "", ""})
	})
}

// Section 5.
func TestEventsEndpoints(t *testing.T) {
	inBubble(t, 10*time.Second, nil, func(t *testing.T, w *world) {
		_, other, _ := w.merchant("m2")
		require.NotEqual(t, other, w.secret)
		const unknown = "404 HE_02 Event does not exist in our records"
		ago := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339) }
		const day = 24 * time.Hour
		row := `"merchant_id":"m1","profile_id":"{profile}","object_id":"{payment_id}","event_type":"payment_succeeded","event_class":"payments","is_delivery_successful":true,"initial_attempt_id":"/^att_/",
			"processor_merchant_id":"m1","created":"*"`
		one := `{"events":[{"event_id":"{event_id}",` + row + `}],"total_count":1}`
		attempt := func(kind string) string {
			return `{"event_id":"/^att_/",` + row + `,"request":{"body":"*","headers":"*"},"response":{"body":"*","headers":[],"status_code":202,"error_message":null},"delivery_attempt":"` + kind + `"}`
		}
		const neither, byID = "400 IR_16 Either `object_id` or `event_id` can be sent, not both", "400 IR_16 `object_id` and `event_id` cannot be combined with other filters"
		steps := []step{
			{"a URL", toProfile, hooked, ``}, {"…", "endpoint answers 202", "", ""},
			{"an event", "POST /payments", paying(), ``}, told("…", "payment_succeeded", "/payments/{payment_id}"),
			{"list", "admin " + listEvents, `{}`, one}, {"… merchant's key", listEvents, `{}`, one}, {"… profile/list", "POST /events/profile/list", `{}`, one},
			{"… no key", "open " + listEvents, `{}`, "401 IR_01 "}, {"… publishable key", "publishable " + listEvents, `{}`, "401 IR_01 "},
			{"… another merchant's events", "POST /events/m2", `{}`, "401 IR_01 "}, {"… unknown merchant", "admin POST /events/none", `{}`, "404 HE_02 Merchant account does not exist in our records"},
			{"… is_delivered", listEvents, `{"is_delivered":true}`, one}, {"…", listEvents, `{"is_delivered":false}`, `{"events":[],"total_count":0}`},
			{"… event_classes", listEvents, `{"event_classes":["payments","payouts"]}`, one}, {"…", listEvents, `{"event_classes":["refunds","disputes","mandates","payouts","subscriptions"]}`, `{"total_count":0}`},
			{"… event_types", listEvents, `{"event_types":["payment_succeeded","invoice_paid"]}`, one}, {"…", listEvents, `{"event_types":["payment_failed"]}`, `{"total_count":0}`},
			{"… profile_id", listEvents, `{"profile_id":"{profile}"}`, one}, {"… unknown profile", listEvents, `{"profile_id":"pro_none"}`, "404 HE_02 "},
			{"… object_id alone", listEvents, `{"object_id":"{payment_id}"}`, one}, {"… event_id alone", listEvents, `{"event_id":"{event_id}"}`, one},
			{"… created_after, created_before", listEvents, `{"created_after":"` + ago(time.Hour) + `","created_before":"` + ago(-time.Hour) + `"}`, one},
			{"… limit, offset", listEvents, `{"limit":100,"offset":0}`, one}, {"…", listEvents, `{"offset":1}`, `{"events":[],"total_count":1}`},
			{"mixing: both ids", listEvents, `{"object_id":"a","event_id":"b"}`, neither},
			{"limit > 100", listEvents, `{"limit":101}`, "422 IR_06 `limit` must be a number less than 100"},
			{"created_after older than 90 days", listEvents, `{"created_after":"` + ago(91*day) + `"}`, "422 IR_06 "},
			{"created_before older than 90 days", listEvents, `{"created_before":"` + ago(91*day) + `"}`, "422 IR_06 "},
			{"created_after later than created_before", listEvents, `{"created_after":"` + ago(day) + `","created_before":"` + ago(2*day) + `"}`, "422 IR_06 "},
			{"attempts", "admin " + attemptsOf, "", `[` + attempt("initial_attempt") + `]`}, {"… merchant's key", attemptsOf, "", `[` + attempt("initial_attempt") + `]`},
			{"… no key", "open " + attemptsOf, "", "401 IR_01 "}, {"… publishable key", "publishable " + attemptsOf, "", "401 IR_01 "}, {"… unknown", "GET /events/m1/evt_none/attempts", "", unknown},
			{"retry: the new attempt", "admin " + sendAgain, "", attempt("manual_retry")}, {"… at once", "arrives", "", `{"body":{"event_id":"{event_id}"}}`},
			{"… merchant's key", sendAgain, "", attempt("manual_retry")}, {"…", "arrives", "", ``},
			{"… no key", "open " + sendAgain, "", "401 IR_01 "}, {"… publishable key", "publishable " + sendAgain, "", "401 IR_01 "}, {"… unknown", "POST /events/m1/evt_none/retry", "", unknown},
			{"… the attempts", attemptsOf, "", `[` + attempt("initial_attempt") + `,` + attempt("manual_retry") + `,` + attempt("manual_retry") + `]`},
			{"one row per initial attempt", listEvents, `{}`, one},
		}
		for _, name := range []string{"object_id", "event_id"} {
			for _, filter := range []string{`"limit":5`, `"offset":1`, `"created_after":"` + ago(time.Hour) + `"`, `"created_before":"` + ago(0) + `"`, `"event_classes":["payments"]`, `"event_types":["payment_failed"]`,
				`"is_delivered":true`} {
				steps = append(steps, step{"mixing " + name, listEvents, `{"` + name + `":"a",` + filter + `}`, byID})
			}
		}
		values := map[string]string{}
		w.section(t, values, steps...)

		// What an attempt shows of its request is what the endpoint got.
		for i, a := range w.get("/events/m1/" + values["event_id"] + "/attempts").list() {
			request := a["request"].(map[string]any)
			require.Equal(t, w.seen[i].body, request["body"])
			got := map[string]string{}
			for _, pair := range request["headers"].([]any) {
				got[http.CanonicalHeaderKey(pair.([]any)[0].(string))] = pair.([]any)[1].(string)
			}
			for name := range w.seen[i].header {
				require.Equal(t, w.seen[i].header.Get(name), got[name], name)
			}
		}
	})
}

// Section 10.
func TestEventsBackgroundSync(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]time.Time{}
	pending := func(kind string) func(c *sdk.Call) (*sdk.Outcome, error) {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			mu.Lock()
			defer mu.Unlock()
			id := kind + " " + c.Request.TransactionID
			asked[id] = append(asked[id], time.Now())
			return &sdk.Outcome{Status: sdk.StatusPending, TransactionID: c.Request.TransactionID, RefundID: c.Request.RefundID}, nil
		}
	}
	a := simulator.Adapter()
	a.Sync, a.RefundSync = pending("payment"), pending("refund")
	inBubble(t, 10*time.Second, map[string]*sdk.Adapter{"stripe": a}, func(t *testing.T, w *world) {
		began := time.Now()
		transactions := map[string]string{}
		for name, s := range map[string]step{
			"payment in processing":               {"", "POST /payments", paying("amount", "900000020"), `{"status":"processing","connector_transaction_id":"*"}`},
			"payment in requires_customer_action": {"", "POST /payments", paying("authentication_type", `"three_ds"`, "return_url", `"https://shop.example/r"`), `{"status":"requires_customer_action"}`},
			"payment of a refund that is pending": {"", "POST /payments", paying("amount", "999999999"), `{"status":"succeeded"}`},
		} {
			values := map[string]string{}
			w.section(t, values, s)
			kind := "payment "
			if strings.Contains(name, "refund") {
				kind = "refund "
				w.section(t, values, step{name, refundPayment, refunding("amount", "900000402"), `{"status":"pending"}`})
			}
			transactions[name] = kind + values["connector_transaction_id"]
		}
		time.Sleep(1700 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		for name, id := range transactions {
			require.Len(t, asked[id], 6, "%s: %v", name, asked)
			last := began
			for i, at := range asked[id] {
				pause := 300 * time.Second
				if i == 0 {
					pause = 60 * time.Second
				}
				require.WithinRange(t, at, last.Add(pause), last.Add(pause+11*time.Second), "%s: %d", name, i)
				last = at
			}
		}
	})
}
