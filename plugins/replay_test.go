package plugins_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

// recording drives f once and returns its recording as the journal returns it.
func recording(t *testing.T, f sdk.Func, d *port.Drive) (*port.Recording, *port.DriveResult) {
	t.Helper()
	d.Record = true
	r, err := plays(t, f, tick()).Drive(context.Background(), d)
	require.NotEmpty(t, r.Recordings, "%v", err)
	b, err := r.Recordings[len(r.Recordings)-1].Encode()
	require.NoError(t, err)
	for _, secret := range []string{cardNumber, secretKey} {
		require.NotContains(t, string(b), secret)
	}
	rec, err := port.DecodeRecording(b)
	require.NoError(t, err)
	return rec, r
}

// plays returns a scripted adapter with authentication.
func plays(t *testing.T, f sdk.Func, clock port.Clock) *plugins.Native {
	t.Helper()
	a := scripted(f)
	a.Manifest.Authentication = []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}}
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{AllowLoopbackHTTP: true, Clock: clock})
	require.NoError(t, err)
	return n
}

// tick returns a clock that never shows the same time twice.
func tick() port.Clock {
	at := time.Now()
	return func() time.Time { at = at.Add(7 * time.Millisecond); return at }
}

// again replays a recording with f.
func again(t *testing.T, f sdk.Func, rec *port.Recording) *plugins.Replayed {
	t.Helper()
	r, err := plays(t, f, nil).Replay(context.Background(), rec)
	require.NoError(t, err)
	require.Equal(t, r.Same(), len(r.Differences()) == 0)
	return r
}

// twice returns an adapter of two requests that uses everything that could differ on another day: time, random bytes, the seed, secrets.
func twice(c *sdk.Call) (*sdk.Outcome, error) {
	card := c.Request.Instrument.Card
	body, _ := json.Marshal(map[string]any{"reference": c.Request.Reference, "amount": c.Request.Amount.Minor, "nonce": c.ID("n_"), "last_four": card.LastFour})
	auth := sdk.H("Authorization", c.Derive(sdk.Basic(c.Account.Credentials["secret_key"], "")))
	if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/first", Body: body, Headers: []sdk.Header{sdk.H("X-Time", c.Now().Format(time.RFC3339Nano)), auth}}); err != nil {
		return nil, err
	}
	r, err := c.Get("/second?at=" + fmt.Sprint(c.Now().UnixMilli()))
	if err != nil {
		return nil, err
	}
	return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: r.JSON().Str("id"), Raw: map[string]string{"at": c.Now().String()}}, nil
}

// echo answers every request with the secrets that the request holds.
func echo(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, `{"id":"tx_1","path":%q,"body":%q,"auth":%q,"key":%q,"card":%q}`, r.URL.Path, body, r.Header.Get("Authorization"), secretKey, cardNumber)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestReplayIsTheSame(t *testing.T) {
	rec, res := recording(t, twice, authorize("scripted", echo(t)))
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	require.Len(t, rec.Steps, 3)
	require.Len(t, rec.Step.Exchanges, 2)
	for i := range 2 {
		require.Positive(t, rec.Steps[i].Exchange)
		require.NotContains(t, string(rec.Step.Exchanges[i].Body), secretKey)
		require.NotContains(t, string(rec.Step.Exchanges[i].Body), cardNumber)
	}
	require.NotEqual(t, rec.Step.Exchanges[0].Now, rec.Step.Now, "each step has its time")
	for range 2 {
		r := again(t, twice, rec)
		require.True(t, r.Same(), "%+v", r.Differences())
		require.Len(t, r.Steps, 3)
		require.Equal(t, "tx_1", r.Steps[2].Replayed.Outcome.TransactionID)
	}
}

func TestReplayTellsDifferences(t *testing.T) {
	rec, _ := recording(t, twice, authorize("scripted", echo(t)))
	changed := func(change func(*sdk.Send), status sdk.OutcomeStatus) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			body, _ := json.Marshal(map[string]any{"reference": c.Request.Reference, "amount": c.Request.Amount.Minor, "nonce": c.ID("n_"), "last_four": c.Request.Instrument.Card.LastFour})
			s := &sdk.Send{Method: "POST", URL: "/first", Body: body, Headers: []sdk.Header{sdk.H("X-Time", c.Now().Format(time.RFC3339Nano)),
				sdk.H("Authorization", c.Derive(sdk.Basic(c.Account.Credentials["secret_key"], "")))}}
			change(s)
			if _, err := c.Do(s); err != nil {
				return nil, err
			}
			r, err := c.Get("/second?at=" + fmt.Sprint(c.Now().UnixMilli()))
			if err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: status, TransactionID: r.JSON().Str("id"), Raw: map[string]string{"at": c.Now().String()}}, nil
		}
	}
	require.True(t, again(t, changed(func(*sdk.Send) {}, sdk.StatusAuthorized), rec).Same())

	r := again(t, changed(func(s *sdk.Send) {
		s.Headers = append(s.Headers, sdk.H("X-New", "1"))
		s.Body = []byte(`{"amount":10.5,"reference":` + string(s.Body[len(s.Body)-1-len(`"reference00"`):len(s.Body)-1]) + `}`)
		s.SafeToRepeat = true
	}, sdk.StatusCaptured), rec)
	require.Len(t, r.Steps, 3, "a different request gets the answer of the recorded request in its place")
	where := map[string]plugins.Difference{}
	for _, d := range r.Differences() {
		where[d.Where] = d
	}
	require.Equal(t, plugins.Difference{Where: "request 1 header X-New", Replayed: "1"}, where["request 1 header X-New"])
	require.Equal(t, plugins.Difference{Where: "outcome status", Recorded: "authorized", Replayed: "captured"}, where["outcome status"])
	require.Equal(t, "true", where["request 1 safe_to_repeat"].Replayed)
	require.NotContains(t, where, "request 2 url", "its time is the recorded one")

	r = again(t, changed(func(s *sdk.Send) { s.URL = "/other" }, sdk.StatusAuthorized), rec)
	require.Len(t, r.Differences(), 1)
	require.Equal(t, "request 1 url", r.Differences()[0].Where)

	more := func(c *sdk.Call) (*sdk.Outcome, error) {
		out, err := twice(c)
		if err == nil {
			_, err = c.Get("/third")
		}
		return out, err
	}
	r = again(t, more, rec)
	require.Len(t, r.Steps, 3)
	require.Equal(t, "step 3", r.Differences()[0].Where)
	require.Contains(t, r.Differences()[0].Replayed, "/third")
	require.Equal(t, "outcome authorized", r.Differences()[0].Recorded)
}

func TestReplayOfWhatFailed(t *testing.T) {
	d := authorize("scripted", "http://127.0.0.1:1") // no server listens there
	rec, res := recording(t, twice, d)
	require.False(t, res.MayHaveLeft)
	require.Equal(t, "connect", rec.Step.Exchanges[0].Failure)
	require.True(t, again(t, twice, rec).Same())

	leak := func(c *sdk.Call) (*sdk.Outcome, error) { // the host fails
		_, err := c.Post("/first", "text/plain", []byte(c.Account.Credentials["secret_key"]))
		return nil, err
	}
	rec, _ = recording(t, leak, authorize("scripted", echo(t)))
	require.Contains(t, rec.Error, "broke rule")
	require.Len(t, rec.Steps, 1)
	require.Empty(t, rec.Step.Exchanges)
	require.True(t, again(t, leak, rec).Same(), "the same request, but no answer to continue with")
	require.False(t, again(t, twice, rec).Same())

	rec, _ = recording(t, func(*sdk.Call) (*sdk.Outcome, error) {
		return nil, &sdk.Reject{Code: sdk.RejectUnsupported, Message: "no"}
	}, authorize("scripted", echo(t)))
	r := again(t, twice, rec)
	require.Equal(t, "reject unsupported", r.Differences()[0].Recorded)
	require.Contains(t, r.Differences()[0].Replayed, "request POST")
}

func TestReplayRefusesWhatTheHostWould(t *testing.T) {
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(slow.Close)
	rec, _ := recording(t, twice, authorize("scripted", slow.URL))
	require.True(t, rec.Step.Exchanges[0].Sent)
	r := again(t, func(c *sdk.Call) (*sdk.Outcome, error) {
		if out, err := twice(c); err == nil {
			return out, nil
		}
		_, err := c.Post("/once-more", "text/plain", nil)
		return nil, err
	}, rec)
	last := r.Differences()[len(r.Differences())-1]
	require.Contains(t, last.Where, "refused by the host")
	require.Contains(t, last.Replayed, "asks for a different send")
}

func TestReplayOfAResend(t *testing.T) {
	url := echo(t)
	first, _ := recording(t, twice, authorize("scripted", url))
	d := authorize("scripted", url)
	d.Seed, d.OperationID, d.Request.Reference = first.Seed, first.Step.OperationID, first.Step.Request.Reference
	d.Resume = first.Step.Exchanges[:1]
	d.Started = time.UnixMilli(first.Step.Exchanges[1].Now)
	rec, _ := recording(t, twice, d)
	require.Equal(t, 1, rec.Resumed)
	require.Len(t, rec.Steps, 2)
	r := again(t, twice, rec)
	require.Len(t, r.Steps, 3)
	require.True(t, r.Same(), "%+v", r.Differences())
	r = again(t, func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Get("/before"); err != nil {
			return nil, err
		}
		return twice(c)
	}, rec)
	require.Equal(t, "request 1 hash", r.Differences()[0].Where)
}

func TestReplayOfAWebhook(t *testing.T) {
	hook := func(fn string) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			ok, err := c.Verify(sdk.Fn(fn, sdk.Text(c.Account.Credentials["secret_key"]), sdk.Body()), "0000")
			if err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: sdk.StatusHandled, Raw: map[string]string{"verified": fmt.Sprint(ok), "body": string(c.Request.Webhook.Body)}}, nil
		}
	}
	d := authorize("scripted", "https://example.com")
	d.Operation, d.Request.Instrument, d.Secrets = sdk.OpWebhook, nil, card.Secrets{}
	d.Request.Webhook = &sdk.WebhookMessage{Method: "POST", Headers: []sdk.Header{sdk.H("X-Signature", "0000"), sdk.H("X-Echo", secretKey)}, Body: []byte(`{"card":"` + cardNumber + `","key":"` + secretKey + `"}`)}
	rec, _ := recording(t, hook(sdk.FnHMACSHA256), d)
	require.True(t, rec.Altered, "a credential in a message is not kept")
	require.NotContains(t, string(rec.Step.Request.Webhook.Body), cardNumber)
	require.NotContains(t, string(rec.Step.Request.Webhook.Body), secretKey)
	require.NotContains(t, fmt.Sprint(rec.Step.Request.Webhook.Headers), secretKey)

	d.Request.Webhook.Headers = d.Request.Webhook.Headers[:1]
	d.Request.Webhook.Body = []byte(`{"card":"` + cardNumber + `"}`)
	rec, _ = recording(t, hook(sdk.FnHMACSHA256), d)
	require.NotContains(t, string(rec.Step.Request.Webhook.Body), cardNumber)
	require.False(t, rec.Altered, "the adapter did not see the number either")
	require.True(t, again(t, hook(sdk.FnHMACSHA256), rec).Same())

	d.Request.Webhook.Body = []byte(`{"event":"paid"}`)
	rec, _ = recording(t, hook(sdk.FnHMACSHA256), d)
	require.False(t, rec.Altered)
	require.True(t, again(t, hook(sdk.FnHMACSHA256), rec).Same())
	r := again(t, hook(sdk.FnHMACSHA512), rec)
	require.Len(t, r.Steps, 1, "a verdict about one signature says nothing about another")
	require.Equal(t, "verify 1 expr.fn", r.Differences()[0].Where)
}

func TestNothingIsRecordedUnasked(t *testing.T) {
	r, err := plays(t, twice, nil).Drive(context.Background(), authorize("scripted", echo(t)))
	require.NoError(t, err)
	require.Nil(t, r.Recordings)
}

func TestDecodeRecordingOfDamage(t *testing.T) {
	rec, _ := recording(t, twice, authorize("scripted", echo(t)))
	b, err := rec.Encode()
	require.NoError(t, err)
	for n := range len(b) {
		_, err := port.DecodeRecording(b[:n])
		require.Error(t, err)
	}
}

func TestReplayOfAccessTokens(t *testing.T) {
	p := newRecorder(t)
	issued := 0
	p.answer = func(w http.ResponseWriter, r recorded) {
		if r.uri == "/token" {
			issued++
			fmt.Fprintf(w, `{"access_token":"token_number_%d","expires_in":600}`, issued)
			return
		}
		if r.header.Get("Authorization") == "Bearer token_number_1" {
			w.WriteHeader(401)
		}
		_, _ = io.WriteString(w, `{}`)
	}
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"oauth": oauth("access_token")}, plugins.Options{AllowLoopbackHTTP: true})
	require.NoError(t, err)
	d := authorize("oauth", p.URL)
	d.Record = true
	res, err := n.Drive(context.Background(), d)
	require.NoError(t, err)
	require.Len(t, res.Recordings, 3, "two tokens fetched, and the operation itself")
	require.True(t, res.Recordings[2].Steps[0].Refreshed)
	for i, kind := range []sdk.Operation{sdk.OpAccessToken, sdk.OpAccessToken, sdk.OpAuthorize} {
		rec := res.Recordings[i]
		require.Equal(t, kind, rec.Step.Operation)
		text := string(sdk.EncodeStep(rec.Step))
		for _, s := range rec.Steps {
			text += string(s.Result)
		}
		require.NotContains(t, text, "token_number_")
		require.NotContains(t, text, secretKey)
		require.NotContains(t, text, cardNumber)
		r, err := n.Replay(context.Background(), rec)
		require.NoError(t, err)
		require.True(t, r.Same(), "%+v", r.Differences())
	}
}

// In the sandbox: the recorded build and others, with faults.
func TestReplayInTheSandbox(t *testing.T) {
	plugins.Sequential(t)
	dir, p := t.TempDir(), newProcessor(t)
	put(t, dir, "acme.wasm", acmeModule(t))
	h := newHost(t, plugins.Options{Directory: dir, CacheDir: cacheDir()})
	d := authorize("acme", p.URL)
	d.Record = true
	res, err := h.Drive(context.Background(), d)
	require.NoError(t, err)
	rec := res.Recordings[0]
	r, err := h.Replay(context.Background(), "", rec)
	require.NoError(t, err)
	require.True(t, r.Same(), "%+v", r.Differences())
	require.Equal(t, res.AdapterHash, r.Hash)

	// A fault is a result like any other, and repeats.
	put(t, dir, "bad.wasm", badModule(t))
	require.Eventually(t, func() bool { _, ok := h.Adapter("bad"); return ok }, slow, time.Millisecond)
	url, _ := server(t, ok)
	for mode, fault := range map[string]string{"loop": "fuel", "garbage": "garbage", "panic": "", "late_trap": "", "queries": "", "late_reject": ""} {
		d := authorize("bad", url)
		d.Account.Config["mode"], d.Record = mode, true
		res, _ := h.Drive(context.Background(), d)
		require.Len(t, res.Recordings, 1, mode)
		last := res.Recordings[0].Steps[len(res.Recordings[0].Steps)-1]
		if fault != "" {
			require.Equal(t, fault, last.Fault, mode)
		}
		require.Equal(t, last.Fault == "", last.Result != nil, mode)
		r, err := h.Replay(context.Background(), "", res.Recordings[0])
		require.NoError(t, err, mode)
		require.True(t, r.Same(), "%s: %+v", mode, r.Differences())
		other, err := h.Replay(context.Background(), rec.Hash, res.Recordings[0])
		require.NoError(t, err, mode)
		require.False(t, other.Same(), mode)
		require.NotEmpty(t, other.Differences(), mode)
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "bad.wasm")))
	require.Eventually(t, func() bool { _, ok := h.Adapter("bad"); return !ok }, slow, time.Millisecond)

	bad, err := h.Load(context.Background(), badModule(t))
	require.NoError(t, err)
	_, answers := h.Adapter(bad.Name)
	require.False(t, answers, "the build serves replays alone")
	r, err = h.Replay(context.Background(), bad.Hash, rec)
	require.NoError(t, err)
	require.False(t, r.Same())
	require.Len(t, r.Differences(), 1)

	_, err = h.Replay(context.Background(), "0000000000000000000000000000000000000000000000000000000000000000", rec)
	require.ErrorIs(t, err, plugins.ErrNoBuild)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = h.Replay(ctx, "", rec)
	require.ErrorIs(t, err, context.Canceled)
}

// RecordOnly records what is known of a drive whose node has ended. It steps and sends nothing, and records nothing of a drive
// with plain secrets.
func TestRecordOnly(t *testing.T) {
	first, _ := recording(t, twice, authorize("scripted", echo(t)))
	stepped := false
	f := func(c *sdk.Call) (*sdk.Outcome, error) { stepped = true; return twice(c) }
	d := authorize("scripted", "http://127.0.0.1:1")
	d.Resume, d.RecordOnly = first.Step.Exchanges[:1], true
	rec, res := recording(t, f, d)
	require.Nil(t, res.Outcome)
	require.False(t, res.MayHaveLeft)
	require.Equal(t, 1, rec.Resumed)
	require.Len(t, rec.Steps, 1)
	require.Contains(t, rec.Error, "the node that drove it ended")
	require.NotContains(t, string(sdk.EncodeStep(rec.Step)), cardNumber)

	res, err := revealing(t, plugins.Options{}, f, func(d *port.Drive) { d.RecordOnly, d.Account.BaseURL = true, "http://127.0.0.1:1" })
	require.NoError(t, err)
	require.Empty(t, res.Recordings)
	require.False(t, stepped)
}
