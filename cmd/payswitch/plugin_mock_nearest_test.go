package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// ask returns the name of the sample that the mock answers a request with.
func (m *mockProcessor) ask(t *testing.T, method, path, mime, body string) string {
	t.Helper()
	named := ""
	m.log = func(text string) { _, named, _ = strings.Cut(text, "answered with the sample ") }
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", mime)
	m.ServeHTTP(httptest.NewRecorder(), r)
	return named
}

// The mock answers a payment by what it asks for, whatever its amount, card and reference are.
func TestPluginMockAnswersWhatIsAsked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "testdata"), 0o700))
	for _, name := range []string{"acme.json", "acme.responses.json"} {
		text, err := os.ReadFile(filepath.Join("project", "all", "testdata", name+".txt"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata", name), text, 0o600))
	}
	m, err := loadMock(dir)
	require.NoError(t, err)
	for body, want := range map[string]string{
		`{"reference":"r","amount":2499,"currency":"USD","capture":false,"card":{"number":"4111111111111111","cvc":"737","holder":"Ada Lovelace"}}`: "authorized",
		`{"reference":"r","amount":700,"currency":"JPY","capture":true,"card":{"number":"5555555555554444","exp_month":12,"exp_year":2031}}`:        "captured",
		`{}`:       "captured", // no field decides: the first good one
		`no JSON`:  "captured",
		`{"x":[]}`: "captured",
	} {
		require.Equal(t, want, m.ask(t, "POST", "/v1/payments", "application/json", body), body)
	}
	require.Equal(t, "part_captured", m.ask(t, "POST", "/v1/payments/pay_9/capture", "application/json", `{"amount":7}`))
	m.next = "declined"
	require.Equal(t, "declined", m.ask(t, "POST", "/v1/payments", "application/json", `{"capture":false}`), "a chosen sample comes first")
	m.requests[0].of.Request.BodyKind, m.requests[0].of.Request.Raw = "xml", "<a"
	_, err = newMockRequest(m.requests[0].of, "/v1/payments")
	require.ErrorContains(t, err, "(case authorize_auto): request: body: ")
}

// The mock of each built-in adapter answers a payment that is captured at once with a capture, and another one with an authorization.
func TestPluginMockTellsCapturesApart(t *testing.T) {
	t.Parallel()
	for _, name := range calledAdapters {
		m, err := loadMock(filepath.Join(root, "plugins", name))
		require.NoError(t, err)
		status, recorded := map[string]string{}, map[string]bool{}
		for i := range m.samples {
			status[m.samples[i].Name] = m.samples[i].Expected.Status
			recorded[string(m.samples[i].Operation())+" "+m.samples[i].Expected.Status] = true
		}
		seen := map[string]int{}
		for _, q := range m.requests {
			c := q.of
			if c.Operation() != sdk.OpAuthorize || len(c.Exchanges) > 0 || c.Input["request_3ds"] != nil || c.Input["stored_credential"] != nil || c.Input["hold"] != nil {
				continue
			}
			body := c.Request.Raw
			if c.Request.BodyKind == "form" && body == "" {
				form := url.Values{}
				for name, value := range c.Request.Body.(map[string]any) {
					form.Set(name, value.(string))
				}
				body = form.Encode()
			}
			if c.Request.BodyKind == "json" {
				text, err := json.Marshal(c.Request.Body)
				require.NoError(t, err)
				body = string(text)
			}
			u, err := url.Parse(c.Request.URL)
			require.NoError(t, err)
			want := "captured"
			if c.Input["capture"] == "manual" {
				want = "authorized"
			}
			if !recorded["authorize "+want] { // the recorded answers lack it
				continue
			}
			mime := http.Header{}
			for k, v := range c.Request.Headers {
				mime.Set(k, v)
			}
			answered := m.ask(t, c.Request.Method, u.RequestURI(), mime.Get("Content-Type"), body)
			if name == "mollie" && c.Name == "tokenize_card" { // the payment is the second request
				require.Empty(t, answered, "the token comes before the payment")
				continue
			}
			seen[want]++
			require.Equal(t, want, status[answered], "%s: %s", name, c.Name)
		}
		if name != "mollie" && name != "braintree" { // no case of Mollie is captured later; no answer of Braintree holds an authorization
			require.NotZero(t, min(seen["authorized"], seen["captured"]), name)
		}
	}
}

// An operation of two requests gets the recorded answer to each of them. An id in a path does not hide what the payment asks for.
func TestPluginMockAnswersEachRequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "testdata"), 0o700))
	step := func(name, capture, id string) string {
		return `{"name": "` + name + `", "operation": "authorize", "input": {"reference": "r_` + id + `", "amount": 100, "currency": "USD", "capture": "` + capture + `"},
			"exchanges": [{"status": 201, "body": {"id": "` + id + `", "state": "new"}}],
			"request": {"method": "POST", "url": "https://acme.example/v1/payments/` + id + `/confirm", "body_kind": "json",
				"body": {"capture": ` + map[string]string{"automatic": "true", "manual": "false"}[capture] + `}}}`
	}
	sample := func(capture, state string) string {
		return `{"name": "` + state + `", "operation": "authorize", "input": {"capture": "` + capture + `"}, "exchanges": [{"status": 201, "body": {"id": "p_1", "state": "new"}}],
			"response": {"status": 200, "body": {"id": "p_1", "state": "` + state + `"}}, "expected": {"status": "` + state + `"}}`
	}
	files := map[string]string{
		"acme.json": `{"base_url": "https://acme.example/v1", "credentials": {}, "clock": "2026-01-15T10:20:30Z", "cases": [` + step("auto", "automatic", "p_1") + `,
			{"name": "create", "operation": "authorize", "input": {"reference": "r_2", "amount": 100, "currency": "USD", "capture": "manual"},
				"request": {"method": "POST", "url": "https://acme.example/v1/payments", "body_kind": "json", "body": {"amount": 100}}},
			` + step("manual", "manual", "p_2") + `]}`,
		"acme.responses.json": `{"samples": [{"name": "refused", "operation": "authorize", "response": {"status": 400, "body": {"code": "no"}}, "expected": {"status": "unknown"}},
			` + sample("automatic", "captured") + `, ` + sample("manual", "authorized") + `]}`,
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "testdata", name), []byte(text), 0o600))
	}
	m, err := loadMock(dir)
	require.NoError(t, err)
	said := ""
	m.log = func(text string) { said = text }
	w := httptest.NewRecorder()
	m.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/payments", strings.NewReader(`{"amount": 7}`)))
	require.JSONEq(t, `{"id": "p_1", "state": "new"}`, w.Body.String())
	require.Contains(t, said, "answered with the exchange 1 of the case auto")
	require.Equal(t, "authorized", m.ask(t, "POST", "/v1/payments/p_1/confirm", "application/json", `{"capture": false}`))
	require.Equal(t, "captured", m.ask(t, "POST", "/v1/payments/p_2/confirm", "application/json", `{"capture": true}`))
}
