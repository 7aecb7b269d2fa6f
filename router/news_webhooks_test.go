package router_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/payment"
	"payswitch/engine/port"
	"payswitch/engine/webhook"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// arrived is an event as an endpoint got it.
type arrived struct {
	url, body string
	header    http.Header
	said      map[string]any
}

// object returns the resource in the event.
func (a arrived) object() map[string]any {
	return a.said["content"].(map[string]any)["object"].(map[string]any)
}

// arrivals waits until endpoints have got n requests, and returns them.
func (w *world) arrivals(n int) (out []arrived) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		w.hooks.mu.Lock()
		defer w.hooks.mu.Unlock()
		return len(w.hooks.got) >= n
	}, 20*time.Second, 2*time.Millisecond)
	w.hooks.mu.Lock()
	defer w.hooks.mu.Unlock()
	for i, body := range w.hooks.got {
		a := arrived{url: w.hooks.urls[i], body: body, header: w.hooks.header[i]}
		require.NoError(w.t, json.Unmarshal([]byte(body), &a.said))
		out = append(out, a)
	}
	return out
}

// profileTo changes the profile.
func (w *world) profileTo(fields string) map[string]any {
	w.t.Helper()
	return w.post("/account/"+merchant+"/business_profile/"+w.profile, fields).ok()
}

// announced returns the event types of an object in the event API, oldest first.
func (w *world) announced(object string) []string {
	w.t.Helper()
	types := []string{}
	for _, e := range w.post("/events/profile/list", `{"object_id":"`+object+`"}`).ok()["events"].([]any) {
		types = append(types, e.(map[string]any)["event_type"].(string))
	}
	slices.Reverse(types)
	return types
}

// TestDeliveredEvent: what an endpoint gets, byte for byte, and what it gets when a person repeats the delivery after the resource and the URL have changed.
func TestDeliveredEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.delivers(t)
	early := w.paid(100)
	require.Eventually(t, func() bool { // the event of the early payment has found no URL
		var waiting []webhook.Waiting
		require.NoError(t, w.store.View(t.Context(), func(r engine.Reader) (err error) { waiting, err = r.WaitingEvents(10); return err }))
		return len(waiting) == 0
	}, 20*time.Second, 2*time.Millisecond)
	profile := w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/old","webhook_username":"ada","webhook_password":"hunter two"},
		"outgoing_webhook_custom_http_headers":{"X-Shop":"blue","Content-Type":"text/plain","X-Webhook-Signature-512":"forged"}}`)
	key := profile["payment_response_hash_key"].(string)
	shown := w.post("/payments", with(plain, "capture_method", `"manual"`)).ok()
	id := shown["payment_id"].(string)
	first := w.arrivals(1)[0]

	require.Regexp(t, `^evt_0[0-9a-f]{11}7[0-9a-f]{3}[89ab][0-9a-f]{15}$`, first.said["event_id"], "evt_ and a UUIDv7 in hex")
	require.Equal(t, []any{merchant, merchant, "payment_authorized", "payment_details"},
		[]any{first.said["merchant_id"], first.said["processor_merchant_id"], first.said["event_type"], first.said["content"].(map[string]any)["type"]})
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, first.said["timestamp"])
	require.ElementsMatch(t, []string{"merchant_id", "event_id", "event_type", "content", "timestamp", "processor_merchant_id"}, keysOf(first.said))
	want := w.get("/payments/" + id).ok()
	want["sdk_authorization"] = nil // an event has no token for the payer's client
	require.Equal(t, want, first.object(), "the payment as a retrieve with an API key shows it")
	require.NotEmpty(t, first.object()["updated"])

	mac := hmac.New(sha512.New, []byte(key))
	mac.Write([]byte(first.body))
	require.Equal(t, []string{"application/json", "payswitch", hex.EncodeToString(mac.Sum(nil)), "blue"},
		[]string{first.header.Get("Content-Type"), first.header.Get("User-Agent"), first.header.Get("X-Webhook-Signature-512"), first.header.Get("X-Shop")})
	for name, values := range first.header {
		require.NotContains(t, strings.Join(values, " "), "hunter", name)
		require.NotContains(t, []string{"Authorization", "X-Webhook-Signature-256"}, name)
	}

	// The payment moves on, and the profile gets another URL. A repeat goes there with the first body.
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/new"}}`)
	w.post("/payments/"+id+"/capture", `{}`).ok()
	require.Equal(t, "payment_succeeded", w.arrivals(2)[1].said["event_type"])
	again := w.post("/events/"+merchant+"/"+first.said["event_id"].(string)+"/retry", "").ok()
	repeat := w.arrivals(3)[2]
	require.Equal(t, []string{"https://shop.test/old", "https://shop.test/new"}, []string{first.url, repeat.url})
	require.Equal(t, first.body, repeat.body)
	require.Equal(t, first.header.Get("X-Webhook-Signature-512"), repeat.header.Get("X-Webhook-Signature-512"))
	require.Equal(t, first.header.Get("Webhook-Id"), repeat.header.Get("Webhook-Id"))
	require.Equal(t, []any{"manual_retry", first.said["event_id"]}, []any{again["delivery_attempt"], header(again, "webhook-id")})
	require.NotEqual(t, first.said["event_id"], again["event_id"], "an attempt has an id of its own")
	attempts := w.get("/events/" + merchant + "/" + first.said["event_id"].(string) + "/attempts").list()
	require.Len(t, attempts, 2)
	require.NotEqual(t, attempts[0]["event_id"], attempts[1]["event_id"])

	// What happened before there was a URL is not an event that anybody could get.
	require.Empty(t, w.announced(early))
}

// eventOfStatus is the contract's table of payment statuses and events.
var eventOfStatus = map[payment.Status]string{
	"succeeded": "payment_succeeded", "failed": "payment_failed", "processing": "payment_processing", "partially_captured_and_processing": "payment_processing",
	"requires_customer_action": "action_required", "requires_merchant_action": "action_required", "conflicted": "action_required", "review": "action_required",
	"requires_capture": "payment_authorized", "partially_authorized_and_requires_capture": "payment_partially_authorized",
	"partially_captured": "payment_captured", "partially_captured_and_capturable": "payment_captured",
	"cancelled": "payment_cancelled", "cancelled_post_capture": "payment_cancelled_post_capture", "expired": "payment_expired",
	"requires_payment_method": "", "requires_confirmation": "",
}

// TestEventOfEachStatus makes payments in every status that the API leads to, and finds their events in the event API.
func TestEventOfEachStatus(t *testing.T) {
	t.Parallel()
	for status, want := range eventOfStatus {
		require.Equal(t, want, status.Facts().Event, status)
	}
	w := newWorld(t)
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`)
	w.delivers(t)
	made := map[string]string{} // payments and their last events
	for _, s := range tableStates {
		if s.forced != "" || strings.Contains(s.name, "unknown") || s.at != "" || s.create == tableRaise || s.create == tableExtend {
			continue
		}
		if s.status == "" {
			s.status = payment.Status(s.name)
		}
		made[s.make(w).id] = eventOfStatus[s.status]
	}
	require.Len(t, made, 13)
	for id, want := range made {
		want := []string{want}
		if want[0] == "" {
			want = nil
		}
		require.Eventually(t, func() bool {
			got := w.announced(id)
			return slices.Equal(want, got[max(0, len(got)-1):])
		}, 20*time.Second, 5*time.Millisecond, "%s: %s", want, id)
	}

	// A full capture succeeds. Each partial capture is announced, also the second one.
	p := w.post("/payments", with(plain, "capture_method", `"manual_multiple"`)).ok()["payment_id"].(string)
	for _, amount := range []int{300, 300, 400} {
		w.post("/payments/"+p+"/capture", fmt.Sprintf(`{"amount_to_capture":%d}`, amount)).ok()
	}
	require.Eventually(t, func() bool {
		return slices.Equal([]string{"payment_authorized", "payment_captured", "payment_captured", "payment_succeeded"}, w.announced(p))
	}, 20*time.Second, 5*time.Millisecond)

	// Refunds that end have events. One under way has none.
	paid := w.paid(999_999_999)
	for name, c := range map[string]struct {
		amount int
		events []string
	}{"done": {100, []string{"refund_succeeded"}}, "refused": {900_000_401, []string{"refund_failed"}}} {
		w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"refund_id":%q,"amount":%d}`, paid, name, c.amount)).ok()
		require.Eventually(t, func() bool { return slices.Equal(c.events, w.announced(name)) }, 20*time.Second, 5*time.Millisecond, name)
	}
	w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"refund_id":"pending","amount":100,"reason":"simulate_pending"}`, w.paid(500))).ok()
	require.Empty(t, w.eventsOf("pending"))
	content := map[any]any{}
	for _, a := range w.arrivals(20) {
		content[a.said["event_type"]] = a.said["content"].(map[string]any)["type"]
	}
	require.Equal(t, []any{"payment_details", "refund_details"}, []any{content["payment_succeeded"], content["refund_succeeded"]})
}

// TestEnabledStatuses: the profile's lists of statuses decide which events its webhook_url gets. Without a list it gets all.
func TestEnabledStatuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "/account/" + merchant + "/business_profile/" + w.profile
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/hook","payment_statuses_enabled":["succeeded","requires_capture"],"refund_statuses_enabled":["failure"]}}`)
	for _, bad := range []string{`{"payment_statuses_enabled":["done"]}`, `{"refund_statuses_enabled":["done"]}`} {
		e := w.post(path, `{"webhook_details":`+bad+`}`)
		require.Equal(t, 400, e.status, "%s: %s", bad, e.body)
		require.Contains(t, e.error()["param"], "statuses_enabled", bad)
		require.NotEmpty(t, e.error()["hint"], bad)
	}
	w.delivers(t)
	w.post("/payments", typed("4000000000000002")).ok()
	multiple := w.post("/payments", with(plain, "capture_method", `"manual_multiple"`)).ok()["payment_id"].(string)
	for _, amount := range []int{300, 700} {
		w.post("/payments/"+multiple+"/capture", fmt.Sprintf(`{"amount_to_capture":%d}`, amount)).ok()
	}
	paid := w.paid(999_999_999)
	w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"amount":100}`, paid)).ok()
	w.post("/refunds", fmt.Sprintf(`{"payment_id":%q,"amount":900000401}`, paid)).ok()
	types := func(n int) (out []string) {
		for _, a := range w.arrivals(n) {
			out = append(out, a.said["event_type"].(string))
		}
		return out
	}
	want := []string{"payment_authorized", "payment_succeeded", "payment_succeeded", "refund_failed"}
	require.ElementsMatch(t, want, types(4))
	w.profileTo(`{"webhook_details":{"webhook_url":"https://shop.test/hook"}}`)
	w.post("/payments", typed("4000000000000002")).ok()
	require.ElementsMatch(t, append(want, "payment_failed"), types(5), "the settings were replaced as a whole")
}

// breaking are adapters that break when they read a message.
type breaking struct {
	port.Connectors
	broken bool
}

func (b *breaking) Drive(ctx context.Context, d *port.Drive) (*port.DriveResult, error) {
	if b.broken && d.Operation == sdk.OpWebhook {
		return nil, errors.New("the adapter broke")
	}
	return b.Connectors.Drive(ctx, d)
}

// TestIncomingMessages makes processors' calls: each method, each place, and each answer that the contract has for a message.
func TestIncomingMessages(t *testing.T) {
	t.Parallel()
	says := sdk.Outcome{}
	heard := 0
	a := simulator.Adapter()
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		heard++
		o := says
		return &o, nil
	}
	host := &breaking{Connectors: plugins.NativeConnectors(map[string]*sdk.Adapter{"stripe": a, "adyen": simulator.Adapter()})}
	w := newWorldWith(t, host)
	id := w.accountOf("stripe")
	path := "/webhooks/m1/" + id
	pending := w.post("/payments", with(plain, "amount", "900000020", "routing", `{"type":"single","data":"stripe"}`)).ok()
	event := func(o *sdk.Outcome) []sdk.Event {
		return []sdk.Event{{Object: sdk.EventPayment, TransactionID: pending["connector_transaction_id"].(string), Outcome: o, Sync: o == nil}}
	}

	// A ping and an event that payswitch does not know are acknowledged, by every method and at both addresses. Nothing is looked up.
	says = sdk.Outcome{Status: sdk.StatusHandled}
	for _, method := range []string{"POST", "GET", "PUT"} {
		for _, to := range []string{path, "/webhooks/m1/stripe"} {
			r := w.hook(method, to, "", nil)
			require.Equal(t, []any{200, ""}, []any{r.status, r.body}, "%s %s", method, to)
		}
	}
	require.Equal(t, 6, heard)
	says.Reply = &sdk.Reply{Status: 200, Body: "[accepted]"}
	require.Equal(t, "[accepted]", w.hook("POST", path, "{}", nil).body, "the body that the connector wants")

	// A payment that payswitch does not have.
	says = sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: sdk.EventPayment, TransactionID: "sim_none", Reference: "none", Sync: true}}}
	w.hook("POST", path, "{}", nil).refused(404, "WE_04", "Webhook resource not found")
	says.Reply = &sdk.Reply{Status: 200, Body: "[accepted]"}
	require.Equal(t, 200, w.hook("POST", path, "{}", nil).status, "the adapter acknowledges it")

	// An adapter that breaks, and one that does not believe the message.
	host.broken = true
	w.hook("POST", path, "{}", nil).refused(500, "WE_03", "Webhook processing failed")
	host.broken = false
	says = sdk.Outcome{Status: sdk.StatusUnknown, Reply: &sdk.Reply{Status: 401}}
	w.hook("POST", path, "{}", nil).refused(401, "WE_01", "Webhook authentication failed")
	require.Equal(t, "processing", w.get("/payments/" + pending["payment_id"].(string)).ok()["status"])

	// Unknown places answer like an unproven message, so that a stranger does not learn which merchants and accounts there are.
	says = sdk.Outcome{Status: sdk.StatusHandled}
	for _, to := range []string{"/webhooks/none/" + id, "/webhooks/m1/mca_none", "/webhooks/m1/worldpay"} {
		w.hook("POST", to, "{}", nil).refused(401, "WE_01", "Webhook authentication failed")
	}

	// An unproven event makes payswitch ask: what the processor holds counts, whatever the message says.
	w.passes(10 * time.Second)
	asked := w.counted.called(pending["payment_id"].(string), sdk.OpSync)
	says = sdk.Outcome{Status: sdk.StatusHandled, Events: event(nil)}
	require.Equal(t, 200, w.hook("POST", path, "{}", nil).status)
	p := w.get("/payments/" + pending["payment_id"].(string)).ok()
	require.Equal(t, []any{"succeeded", 900000020.0}, []any{p["status"], p["amount_received"]})
	require.Equal(t, asked+1, w.counted.called(pending["payment_id"].(string), sdk.OpSync))
}
