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

// TestOperationsResolve resolves by hand what the simulator will never answer, next to a running switch, and finds the word in the list.
func TestOperationsResolve(t *testing.T) {
	t.Parallel()
	env, config := testEnv(t, t.TempDir()), writeConfig(t, "")
	r := start(t, env, "serve", "--config", config)
	key := r.shop("shop")
	done := cardPayment("done")
	done["amount"] = 900_000_500
	r.must(key, "/payments", done)
	r.must(key, "/refunds", map[string]any{"payment_id": "done", "refund_id": "lost", "amount": 900_000_405})
	list := func(args ...string) []shownOperation {
		t.Helper()
		code, stdout, stderr := runProgram(t, env, append(append([]string{"operations", "list", "--json"}, args...), "--config", config)...)
		require.Equal(t, exitOK, code, stderr)
		var out []shownOperation
		for line := range strings.Lines(stdout) {
			var o shownOperation
			require.NoError(t, json.Unmarshal([]byte(line), &o), line)
			out = append(out, o)
		}
		return out
	}
	resolve := func(args ...string) (int, string, string) {
		return runProgram(t, env, append(append([]string{"operations", "resolve"}, args...), "--config", config)...)
	}
	found := list("--unknown")
	require.Len(t, found, 1)
	id := found[0].OperationID

	code, _, stderr := resolve("--outcome", "succeeded", "--by", "Ada", "--why", "statement")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "needs the id of an operation")
	code, _, stderr = resolve(id, "--outcome", "succeeded", "--by", "Ada")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "Missing required param: why")
	code, _, stderr = resolve("op_none", "--outcome", "succeeded", "--by", "Ada", "--why", "statement")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "Operation does not exist in our records")

	code, stdout, stderr := resolve(id, "--outcome", "succeeded", "--by", "Ada", "--why", "settlement report, line 7", "--reference", "re_77")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, `"status":"succeeded"`)
	require.Empty(t, list())
	resolved := list("--resolved")
	require.Len(t, resolved, 1)
	require.Equal(t, []any{id, "refund", "succeeded"}, []any{resolved[0].OperationID, resolved[0].Kind, resolved[0].Status})
	require.Equal(t, []any{"succeeded", int64(900_000_405), "re_77", "Ada", "settlement report, line 7", "unknown"}, []any{resolved[0].Resolution.Outcome,
		resolved[0].Resolution.Amount, resolved[0].Resolution.Reference, resolved[0].Resolution.By, resolved[0].Resolution.Why, resolved[0].Resolution.Was})
	code, stdout, _ = runProgram(t, env, "operations", "list", "--resolved", "--config", config)
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "settlement report, line 7")
	code, _, stderr = resolve(id, "--outcome", "not_done", "--by", "Bob", "--why", "guess")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "The operation has ended with the status succeeded")
	require.Contains(t, stderr, "resolved by Ada")
	code, _, stderr = runProgram(t, env, "operations", "list", "--resolved", "--unknown", "--config", config)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "exclude each other")
}
