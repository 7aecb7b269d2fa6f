package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOperationsList makes a payment and a refund of an unknown result at the simulator, and finds both in the list.
func TestOperationsList(t *testing.T) {
	t.Parallel()
	env, config := testEnv(t, t.TempDir()), writeConfig(t, "")
	list := func(args ...string) []map[string]any {
		t.Helper()
		code, stdout, stderr := runProgram(t, env, append(append([]string{"operations", "list", "--json"}, args...), "--config", config)...)
		require.Equal(t, exitOK, code, stderr)
		var out []map[string]any
		for line := range strings.Lines(stdout) {
			var o map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &o), line)
			out = append(out, o)
		}
		return out
	}
	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	r.must(key, "/payments", cardPayment("done"))
	require.Empty(t, list())

	lost := cardPayment("lost")
	lost["amount"] = 900_000_031 // the simulator never receives it, and a query finds nothing for a while
	r.must(key, "/payments", lost)
	found := list("--unknown")
	require.Len(t, found, 1)
	o := found[0]
	require.Equal(t, []any{"shop", "lost", "lost_1", "authorize", "unknown", 900_000_031.0, "USD"},
		[]any{o["merchant_id"], o["payment_id"], o["attempt_id"], o["kind"], o["status"], o["amount"], o["currency"]})
	require.NotEmpty(t, o["last_answer"])

	r.must(key, "/refunds", map[string]any{"payment_id": "done", "refund_type": "scheduled"})
	found = list()
	require.Len(t, found, 2)
	require.Equal(t, []any{"refund", "done", nil}, []any{found[1]["kind"], found[1]["payment_id"], found[1]["last_send_at"]})
	require.Len(t, list("--limit", "1"), 1)

	code, stdout, _ := runProgram(t, env, "operations", "list", "--config", config)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "STARTED")
	require.Contains(t, stdout, "900000031 USD")
	code, _, stderr := runProgram(t, env, "operations", "list", "--limit", "0", "--config", config)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "--limit must be 1 or more")
}
