package router_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/authentication"
	"payswitch/plugins/simulator3ds"
	"payswitch/sdk"
)

// flowVector is a vector of group e2e. A key of expect that is absent is not compared; null is.
type flowVector struct {
	ID, Group, Title string
	Input            struct {
		Brand   string
		PAN     string
		Events  []json.RawMessage
		Capture string `json:"capture_method"`
		Knobs   json.RawMessage
	}
	Expect struct {
		Completion      *string         `json:"comp_ind"`
		FinalStatus     *string         `json:"final_trans_status"`
		PaymentStatus   string          `json:"payment_status"`
		ErrorCode       any             `json:"error_code"`
		ECI             json.RawMessage `json:"eci"`
		Shift           string          `json:"liability_shift"`
		Reason          string          `json:"reason"`
		ChallengeCancel string          `json:"challenge_cancel"`
		Alert           string          `json:"alert"`
		Flags           []string        `json:"flags"`
		Authorizations  *int            `json:"authorizations"`
		AReqs           *int            `json:"areq_count"`
		Prepares        *int            `json:"prepare_count"`
	}
}

// flowVectors is the number of e2e vectors, so that none is skipped unnoticed.
const flowVectors = 35

// TestThreeDSVectors runs the vectors of group e2e over HTTP, with the simulated 3DS server and the adapter of 3dsecure.io. The test plays the shop,
// the browser and the payer as each vector describes.
func TestThreeDSVectors(t *testing.T) {
	var file struct{ Cases []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(readFile(t, "../engine/threeds/internal/vector/vectors.json")), &file))
	n := 0
	for _, raw := range file.Cases {
		var group struct{ Group string }
		require.NoError(t, json.Unmarshal(raw, &group))
		if group.Group != "e2e" {
			continue
		}
		n++
		var v flowVector
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields() // nothing that a vector says is left unread
		require.NoError(t, d.Decode(&v), "%s", raw)
		t.Run(v.ID+" "+v.Title, func(t *testing.T) {
			t.Parallel()
			w := newBankWorld(t)
			w.background()
			(&flow{bankWorld: w, vector: v}).run()
		})
	}
	require.Equal(t, flowVectors, n)
}

// background runs the engine's background work until the test ends.
func (w *world) background() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.engine.Run(ctx) }()
	w.t.Cleanup(func() { cancel(); require.NoError(w.t, <-done) })
}

// record returns the stored record of a payment's latest authentication.
func (w *world) record(paymentID string) *authentication.Record {
	w.t.Helper()
	var list []*authentication.Record
	require.NoError(w.t, w.store.View(context.Background(), func(r engine.Reader) (err error) { list, err = r.Authentications(merchant, paymentID); return err }))
	require.NotEmpty(w.t, list)
	return list[len(list)-1]
}

// due moves the time forward by d and makes the payment's authentication due for background work, which uses the database's clock.
func (w *world) due(paymentID string, d time.Duration) {
	w.t.Helper()
	w.passes(d)
	require.Eventually(w.t, func() bool {
		a := w.record(paymentID)
		if a.DueAt.IsZero() {
			return true
		}
		a.DueAt = w.now().Add(-time.Second)
		return w.store.Update(context.Background(), func(tx engine.Tx) error { return tx.UpdateAuthentication(a) }) == nil
	}, 20*time.Second, time.Millisecond)
}

// booked waits until background work has booked its question about a payment. The clock must stand still until then: a question
// that the clock overtakes loses its lease, and counts as a technical error.
func (w *world) booked(paymentID string) {
	w.t.Helper()
	require.Eventually(w.t, func() bool {
		due := w.record(paymentID).DueAt
		return due.IsZero() || due.After(w.now())
	}, 20*time.Second, time.Millisecond)
}

// flow is one run of a vector.
type flow struct {
	*bankWorld
	vector  flowVector
	payment map[string]any
	data    map[string]any // of next_action

	notified bool           // the 3DS method has ended
	answered map[string]any // the last answer to 3ds/authentication
	submit   string         // the form on the bank's page
	fields   url.Values
	back     string // where the bank's page sends the browser at the end, "" while it does not
	cres     url.Values
}

// cardNumber returns the vector's card. The simulated 3DS server has another number with the same digits for one kind of card. Sandboxes of
// processors, and the simulated processor, decline these cards by their last four digits.
func (f *flow) cardNumber() string {
	pan := f.vector.Input.PAN
	own := simulator3ds.CardNumber(simulator3ds.Scheme(f.vector.Input.Brand), pan[8:12])
	if !strings.HasPrefix(pan, "400000") || !strings.HasSuffix(pan, "0002") {
		require.Equal(f.t, pan, own)
	}
	return own
}

func (f *flow) run() {
	in := &f.vector.Input
	if in.Knobs != nil {
		f.post("/account/m1/business_profile/"+f.profile, `{"external_three_ds_policy":`+string(in.Knobs)+`}`).ok()
	}
	more := ""
	if in.Capture != "" {
		more = `,"capture_method":"` + in.Capture + `"`
	}
	f.payment = f.post("/payments", secure(f.cardNumber(), more)).ok()
	if next, ok := f.payment["next_action"].(map[string]any); ok {
		f.data, _ = next["three_ds_data"].(map[string]any)
	}
	require.Equal(f.t, len(in.Events) > 0, f.data != nil, f.payment)
	for _, e := range in.Events {
		f.step(e)
	}
	if f.back != "" { // the page goes there by itself
		f.deliver()
	}
	f.compare(f.ended(f.payment))
}

// step runs one event of the vector.
func (f *flow) step(raw json.RawMessage) {
	var code struct{ OTP string }
	var event string
	if json.Unmarshal(raw, &code) == nil {
		f.act("submit", code.OTP)
		return
	}
	require.NoError(f.t, json.Unmarshal(raw, &event))
	id := f.payment["payment_id"].(string)
	switch event {
	case "method_notified":
		f.runMethod(f.data)
		f.notified = true
	case "authenticate":
		f.authenticateAs()
	case "wait_10s":
		f.passes(10 * time.Second)
	case "wait_90s":
		f.passes(90 * time.Second)
	case "post_creq":
		require.Equal(f.t, "C", f.answered["trans_status"], f.answered)
		f.open(f.answered["acs_url"].(string), url.Values{f.answered["challenge_request_key"].(string): {f.answered["challenge_request"].(string)},
			"threeDSSessionData": {f.answered["three_ds_session_data"].(string)}})
	case "auto": // as the card says, whatever the payer does
		f.act("submit", "1234")
	case "cancel":
		f.act("cancel", "")
	case "cres":
		require.NotEmpty(f.t, f.back, "the bank does not send the browser back")
		f.deliver()
		f.passes(6 * time.Second) // a late message has come by then
	case "worker":
		f.due(id, time.Minute)
		f.booked(id)
	case "deadline":
		f.due(id, 16*time.Minute)
	case "close_window":
		f.closeWindow()
	case "merchant_cancel":
		require.Equal(f.t, "cancelled", f.post("/payments/"+id+"/cancel", `{}`).ok()["status"])
	default:
		require.Fail(f.t, "a step that is not known", event)
	}
}

// authenticateAs calls 3ds/authentication with a web SDK's view of the 3DS method, and checks that a repeated call gets the same answer.
func (f *flow) authenticateAs() {
	completion := "N"
	switch {
	case f.notified:
		completion = "Y"
	case f.data["three_ds_method_details"].(map[string]any)["three_ds_method_data_submission"] == false:
		completion = "U"
	}
	out := f.authenticate(f.payment, completion)
	if f.answered != nil {
		require.Equal(f.t, f.answered["trans_status"], out["trans_status"])
		require.Equal(f.t, f.answered["three_ds_server_trans_id"], out["three_ds_server_trans_id"])
	}
	f.answered = out
}

// open posts a form of the bank's page and keeps the form on the next page.
func (f *flow) open(to string, fields url.Values) {
	action, next, page := f.bankForm(to, fields)
	if strings.Contains(action, "/3ds/c/") {
		f.back, f.cres = action, next
		return
	}
	f.submit, f.fields = action, next
	if action == "" {
		require.Contains(f.t, page, `id="lost"`, "neither a form nor a payer who is lost")
	}
}

// act is the payer's action on the bank's page.
func (f *flow) act(action, otp string) {
	f.fields.Set("action", action)
	f.fields.Set("otp", otp)
	f.open(f.submit, f.fields)
}

// deliver brings the bank's message to the notification URL, like the browser.
func (f *flow) deliver() {
	require.Equal(f.t, 200, f.ours(f.back, f.cres).status)
	f.back = ""
}

// closeWindow opens three_ds_authorize_url, like web SDKs after the payer has closed the challenge. The page waits ten seconds for a result.
func (f *flow) closeWindow() {
	done := make(chan response, 1)
	to := strings.TrimPrefix(f.data["three_ds_authorize_url"].(string), publicURL)
	go func() {
		done <- f.send("POST", to, "", "", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Dest", "document")
	}()
	for end := time.Now().Add(20 * time.Second); ; f.passes(2 * time.Second) {
		select {
		case r := <-done:
			require.Equal(f.t, 303, r.status, r.body)
			require.Contains(f.t, r.header.Get("Location"), "status="+f.vector.Expect.PaymentStatus)
			return
		case <-time.After(200 * time.Millisecond):
			require.True(f.t, time.Now().Before(end), "the authorize URL does not answer")
		}
	}
}

// compare compares the payment, the stored record and the requests to the bank and the processor with the vector.
func (f *flow) compare(got map[string]any) {
	t, want, id := f.t, &f.vector.Expect, f.payment["payment_id"].(string)
	require.Equal(t, want.PaymentStatus, got["status"], got)
	require.Equal(t, want.ErrorCode, got["error_code"], got)
	d := got["external_authentication_details"].(map[string]any)
	if want.ECI != nil {
		var eci any
		require.NoError(t, json.Unmarshal(want.ECI, &eci))
		require.Equal(t, eci, d["electronic_commerce_indicator"], d)
	}
	if want.Shift != "" {
		require.Equal(t, want.Shift, d["liability_shift"])
	}
	if want.Reason != "" {
		require.Equal(t, want.Reason, d["trans_status_reason"])
	}
	if want.ChallengeCancel != "" {
		require.Equal(t, want.ChallengeCancel, d["challenge_cancel"])
	}
	if want.Alert != "" {
		require.Equal(t, 1, f.counted.alarmed(want.Alert))
	}
	f.told()
	for _, flag := range want.Flags {
		require.Contains(t, f.record(id).Details.Flags, flag)
	}
	n := f.counted.called(id, sdk.OpAuthorize)
	if want.Authorizations != nil {
		require.Equal(t, *want.Authorizations, n)
	}
	require.Equal(t, got["status"] == "succeeded" || got["status"] == "requires_capture", n == 1, "authorized %d times", n)
	require.LessOrEqual(t, n, 1)
	a := f.record(id)
	require.True(t, a.State.Ended())
	require.Empty(t, a.Instrument, "the card is gone")
}

// told compares the messages to and from the bank.
func (f *flow) told() {
	t, want, id := f.t, &f.vector.Expect, f.payment["payment_id"].(string)
	var prepares, areqs int
	var completion, final *string
	for _, m := range f.bankLog() {
		text := func(name string) *string {
			if s, ok := m.Message[name].(string); ok {
				return &s
			}
			return nil
		}
		switch m.What {
		case "switch→preauth":
			prepares++
		case "switch→auth":
			if areqs++; areqs == 1 {
				completion = text("threeDSCompInd")
			}
		case "auth→switch", "acs→ds":
			final = text("transStatus")
		case "browser→acs challenge":
			final = nil // open
		}
	}
	require.Equal(t, want.Completion, completion, "threeDSCompInd")
	require.Equal(t, want.FinalStatus, final, "transStatus")
	if want.AReqs != nil {
		require.Equal(t, *want.AReqs, areqs)
	}
	if want.Prepares != nil {
		require.Equal(t, *want.Prepares, prepares)
	}
	if want.PaymentStatus == "cancelled" { // with pull alone no further news arrives: a late CRes fetches nothing (vector cres-111)
		require.Equal(t, "C", f.record(id).Details.TransStatus)
	} else if want.FinalStatus != nil {
		require.Eventually(t, func() bool { return f.record(id).Details.TransStatus == *want.FinalStatus }, 20*time.Second, 10*time.Millisecond, "what the issuer said last is kept")
	}
}

// bankMessage is an entry in the log of the simulated 3DS server.
type bankMessage struct {
	What    string
	Message map[string]any
}

func (b *bankWorld) bankLog() []bankMessage {
	b.t.Helper()
	var log struct{ Messages []bankMessage }
	require.NoError(b.t, json.Unmarshal([]byte(b.bankGet("/sim/3ds/log")), &log))
	return log.Messages
}
