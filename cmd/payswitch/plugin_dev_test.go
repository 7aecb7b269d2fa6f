package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The mock answers with the samples of the cases, or says which case is missing.
func TestPluginMock(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := newProject(t, "acme")
	m, err := loadMock(dir)
	require.NoError(t, err)
	server := httptest.NewServer(m)
	defer server.Close()
	ask := func(method, path string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader("{}"))
		require.NoError(t, err)
		answer, err := server.Client().Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	var said []string
	m.log = func(text string) { said = append(said, text) }
	for _, row := range []struct {
		method, path string
		status       int
		holds        string
	}{
		{"POST", "/v1/payments", 201, `"state":"captured"`},
		{"POST", "/v1/payments/pay_77/capture", 200, `"amount":1000`},
		{"POST", "/v1/payments/pay_77/void", 200, `"state":"voided"`},
		{"GET", "/v1/refunds?reference=x", 200, `"state":"pending"`},
		{"DELETE", "/v1/payments", 501, "no case matches DELETE /v1/payments: add one. The base is /v1"},
		{"POST", "/v1/other", 501, "no case matches"},
		{"POST", "/payments", 501, "no case matches POST /payments: add one. The base is /v1"},
		{"POST", "/_mock/next?sample=none", 404, "no sample is called none: choose one of captured, "},
		{"POST", "/_mock/next?sample=declined", 204, ""},
		{"POST", "/v1/payments", 402, "insufficient_funds"},
		{"POST", "/v1/payments", 201, `"state":"captured"`},
	} {
		status, text := ask(row.method, row.path)
		require.Equal(t, row.status, status, row.path)
		require.Contains(t, text, row.holds, row.path)
	}
	require.Contains(t, said, "no case matches POST /payments: add one. The base is /v1")
	_, err = loadMock(t.TempDir())
	require.ErrorContains(t, err, "testdata/NAME.responses.json")
}

// A recorded token that has ended would be refused: the mock's times are as far from now as the recorded ones are from the clock of the cases.
func TestPluginMockMovesTimes(t *testing.T) {
	got := later(map[string]any{"at": "2026-01-15T10:50:30+0000", "list": []any{"2026-01-15T10:50:30.5Z", 7.0}, "local": "2026-01-15T12:50:30+02:00",
		"day": "2026-01-15", "text": "int_1", "none": nil}, 24*time.Hour)
	require.Equal(t, map[string]any{"at": "2026-01-16T10:50:30+0000", "list": []any{"2026-01-16T10:50:30.5Z", 7.0}, "local": "2026-01-16T12:50:30+02:00",
		"day": "2026-01-15", "text": "int_1", "none": nil}, got)
}

// plugin dev runs a project against the recorded answers, shows each exchange with its stand-ins marked, and brings a change live.
func TestPluginDev(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := newProject(t, "acme")
	path, err := binary()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), path, "plugin", "dev")
	cmd.Dir, cmd.Env = dir, offline()
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	until := func(pattern string) string {
		t.Helper()
		for all := ""; lines.Scan(); {
			all += lines.Text() + "\n"
			if regexp.MustCompile(pattern).MatchString(all) {
				return all
			}
		}
		require.Fail(t, "plugin dev ended", "before %q: %s", pattern, problems.String())
		return ""
	}
	banner := until(`"data": "acme"`)
	at := regexp.MustCompile(`curl (\S+) -H 'api-key: (\S+)'`).FindStringSubmatch(banner)
	require.Len(t, at, 3)
	_, body, _ := strings.Cut(banner, " -d '")
	body, _, _ = strings.Cut(body, "'\n")
	require.Regexp(t, `mock: POST http://\S+/_mock/next\?sample=NAME chooses the next answer: captured, authorized, `, banner)
	pay := func(body string) map[string]any {
		r, err := http.NewRequestWithContext(t.Context(), "POST", at[1], strings.NewReader(body))
		require.NoError(t, err)
		r.Header = http.Header{"Api-Key": {at[2]}, "Content-Type": {"application/json"}}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		var all map[string]any
		require.NoError(t, json.NewDecoder(answer.Body).Decode(&all))
		return all
	}
	until(`tests passed after`)
	require.Equal(t, "succeeded", pay(body)["status"])
	shown := until(`outcome \{"status":"captured"`)
	for _, text := range []string{"authorize op_", "Authorization: Bearer «api_key»", `"number":"«card_number»","cvc":"«cvc»"`, `← 201 {"amount":2499,"id":"pay_1"`} {
		require.Contains(t, shown, text)
	}
	require.NotContains(t, shown, "4111111111111111")

	// A payment that names no connector reaches the adapter too: the simulator's account is disabled.
	anywhere := regexp.MustCompile(`, "routing": \{.*?\}`).ReplaceAllString(body, "")
	require.NotContains(t, anywhere, "routing")
	require.Equal(t, []any{"succeeded", "acme"}, []any{pay(anywhere)["status"], pay(anywhere)["connector"]})

	// Saved cases answer at once, and the tests run with them.
	answers := filepath.Join(dir, "testdata", "acme.responses.json")
	edit(t, answers, `"response": {"status": 201, "body": {"id": "pay_1", "state": "captured", "amount": 2499}}`, `"response": {"status": 201, "body": {"id": "pay_7", "state": "captured", "amount": 2499}}`)
	edit(t, answers, `"expected": {"status": "captured", "transaction_id": "pay_1", "amount": {"minor": 2499`, `"expected": {"status": "captured", "transaction_id": "pay_7", "amount": {"minor": 2499`)
	until(`(?s)mock: the saved cases answer.*tests passed after`)
	require.Equal(t, "pay_7", pay(body)["connector_transaction_id"])

	source, err := os.ReadFile(filepath.Join(dir, "acme.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "acme.go"), append(source, "\n// The end.\n"...), 0o600))
	until(`live already: the saved file gives the same build [0-9a-f]{12}`)
	edit(t, filepath.Join(dir, "acme.go"), `Str("reference", r.Reference)`, `Str("reference", r.Reference).Str("channel", "web")`)
	edit(t, filepath.Join(dir, "acme.go"), `		// How a result that was lost`, `		Captures: []sdk.CaptureMethod{sdk.CaptureAutomatic},
		// How a result that was lost`)
	live := until(`(?m)^live after \S+: acme 0\.1\.0`)
	t.Logf("a saved file is %s", regexp.MustCompile(`live after \S+`).FindString(live)) // under 2 s on a quiet machine
	until(`(?s)tests failed after .*channel`)                                           // the cases do not know the new field
	refused := pay(strings.Replace(body, "{", `{"capture_method": "manual", `, 1))
	require.NotContains(t, refused, "payment_id", "the simulator must not take a payment that the adapter cannot")
	require.Contains(t, fmt.Sprint(refused), "the connector does not take the capture method")
	require.Equal(t, "succeeded", pay(body)["status"])
	require.Contains(t, until(`outcome \{"status":"captured"`), `"channel":"web"`)
	edit(t, filepath.Join(dir, "acme.go"), `r := c.Request`, `r := c.Requests`)
	until(`(?s)not built: .*c\.Requests undefined`)
	// An editor that saves again, or another file, gives the same error: it is not shown once more.
	edit(t, filepath.Join(dir, "acme.go"), "// The end.", "// The very end.")
	require.NotContains(t, until(`not built: the error is still the same`), "undefined")
	edit(t, filepath.Join(dir, "acme.go"), `r := c.Requests`, `r := c.Requested`)
	until(`(?s)not built: .*c\.Requested undefined`)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	_, _ = io.Copy(io.Discard, out)
	require.NoError(t, cmd.Wait(), problems.String())
	_, err = os.Stat(filepath.Join(dir, "acme.wasm"))
	require.Error(t, err, "a development build is left in the project")
}
