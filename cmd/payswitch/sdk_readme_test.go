package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The adapter that sdk/README.md prints is whole: as it stands it passes the suite, is certified, and reads an answer of its processor.
func TestAdapterOfTheSDKsReadme(t *testing.T) {
	costly(t)
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "sdk/README.md"))
	require.NoError(t, err)
	_, source, _ := strings.Cut(string(text), "```go\n")
	source, _, _ = strings.Cut(source, "```")
	require.Less(t, strings.Count(source, "\n"), 60)

	dir := newProject(t, "tiny")
	for _, name := range []string{"answer.go", "declines.txt", "testdata"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tiny.go"), []byte(source), 0o600))
	out := shell(t, dir, `gofmt -l . && go vet . && go test -run TestSuite .
payswitch plugin build
payswitch plugin check tiny.wasm
payswitch plugin call --plugin tiny.wasm <<'END'
{"operation": "authorize", "credentials": {"api_key": "sk_test_1"}, "input": {"reference": "order-1", "amount": 1050, "currency": "USD",
  "card": {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "737"}},
  "response": {"status": 200, "headers": {"content-type": "application/json"},
    "body": {"id": "pi_1", "status": "succeeded", "amount_received": 1050, "currency": "usd"}}}
END
`)
	require.Contains(t, out, "tiny 0.1.0 is certified")
	require.Contains(t, out, `"status": "captured"`)
	require.Contains(t, out, `"transaction_id": "pi_1"`)
}
