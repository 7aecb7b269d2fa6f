package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/drive"
	"payswitch/engine/secret"
	"payswitch/sdk"
	"payswitch/storage"
)

// stripeAt returns a server that answers like Stripe, and echoes the request: a processor's answer may hold anything.
func stripeAt(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		w.Header().Set("Content-Type", "application/json")
		if r.Form.Get("amount") == "" {
			r.Form.Set("amount", "6540")
		}
		fmt.Fprintf(w, `{"id":"pi_%s","object":"payment_intent","status":"succeeded","amount":%s,"amount_received":%[2]s,"currency":"usd",
			"latest_charge":{"id":"ch_1","payment_method_details":{"card":{"checks":{"cvc_check":"pass"},"network_transaction_id":"104102978678771"}}},
			"echo":{"number":%q,"key":%q}}`, r.Form.Get("metadata[order_id]"), r.Form.Get("amount"), r.Form.Get("payment_method_data[card][number]"), r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// changedStripe builds the Stripe adapter from changed source.
func changedStripe(t *testing.T, dir, old, with string) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(root, "plugins/stripe/adapter.go"))
	require.NoError(t, err)
	text, err := os.ReadFile(source)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	changed := filepath.Join(dir, "adapter.go")
	require.NoError(t, os.WriteFile(changed, []byte(strings.ReplaceAll(string(text), old, with)), 0o600))
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{source: changed}})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	wasm := filepath.Join(dir, "new.wasm")
	require.NoError(t, goBuild(wasmEnv, append([]string{"-overlay", file}, wasmArgs(wasm, "./plugins/stripe/wasm")...)...))
	return wasm
}

// kept lists the journal of a database, and checks that it holds no secrets.
func kept(t *testing.T, database string) (all []*drive.JournalRecord) {
	t.Helper()
	db, err := storage.Open(t.Context(), "sqlite:"+database, storage.Options{})
	require.NoError(t, err)
	defer db.Close()
	vault, err := engine.OpenVault(t.Context(), db, secret.New(testMasterKey))
	require.NoError(t, err)
	j := engine.NewJournal(db, vault)
	require.NoError(t, j.Each(t.Context(), drive.JournalFilter{}, func(r *drive.JournalRecord) error {
		all = append(all, r)
		rec, err := j.Open(r)
		require.NoError(t, err)
		text := string(sdk.EncodeStep(rec.Step))
		for _, s := range rec.Steps {
			text += string(s.Result)
		}
		for _, secret := range []string{"4242424242424242", "\"737\"", "=737\"", "sk_test_of_the_shop"} {
			require.NotContains(t, text, secret)
		}
		return nil
	}))
	return all
}

// runBinary runs the built program. With the race detector, modules would compile too slowly on a busy machine.
func runBinary(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path, err := binary()
	require.NoError(t, err)
	var out, errs strings.Builder
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, t.TempDir(), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestReplay(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := t.TempDir()
	env := append(testEnv(t, dir), "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true", "PAYSWITCH_PLUGINS__DIRECTORY="+filepath.Join(dir, "adapters"))
	simulator, err := adapters()
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "adapters"), os.DirFS(simulator)))
	old := changedStripe(t, t.TempDir(), `"2022-11-15"`, `"2023-08-16"`) // a build that differs from the built-in one
	require.NoError(t, os.Rename(old, filepath.Join(dir, "adapters", "stripe.wasm")))
	database := filepath.Join(dir, "payswitch.db")
	replay := func(args ...string) (int, string, string) {
		return runBinary(t, env, append([]string{"plugin", "replay"}, args...)...)
	}

	code, _, stderr := replay("op_1")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "there is no database")
	require.NoFileExists(t, database)

	r := startProcess(t, env, "serve")
	r.must(r.shop("shop"), "/payments", cardPayment("pay_simulated"))
	r.must(testAdminKey, "/accounts", object{"merchant_id": "real"})
	key, _ := r.must(testAdminKey, "/api_keys/real", object{"name": "e2e", "expiration": "never"})["api_key"].(string)
	account := r.must(key, "/account/real/connectors", object{"connector_type": "payment_processor", "connector_name": "stripe",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "sk_test_of_the_shop"}})
	path := fmt.Sprintf("/account/real/connectors/%s", account["merchant_connector_id"])
	r.must(testAdminKey, path+"/egress", object{"base_url": stripeAt(t)})
	for i := range 3 {
		paid := r.must(key, "/payments", cardPayment(fmt.Sprint("pay_stripe_", i)))
		require.Equal(t, "succeeded", paid["status"], paid)
	}
	// The stand-in for a key stays the same when the key changes.
	r.must(key, path, object{"connector_type": "payment_processor",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "sk_test_of_another_time"}})

	all := kept(t, database)
	require.Len(t, all, 4)
	byConnector := map[string]string{}
	for _, record := range all {
		byConnector[record.Connector] = record.OperationID
		code, out, stderr := replay(record.OperationID)
		require.Equal(t, exitOK, code, "%s%s", out, stderr)
		require.Contains(t, out, record.OperationID+": authorize of "+record.PaymentID+" at "+record.Connector)
		require.Contains(t, out, ": same\n")
	}
	_, out, _ := replay(byConnector["stripe"])
	require.Regexp(t, `1 +request POST http://127\.0\.0\.1:\d+/v1/payment_intents +same +answered 200 in `, out)
	require.Regexp(t, `2 +outcome captured +same`, out)
	code, out, stderr = replay("--since", "1h")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, out, "4 operations, run again with their own builds:\n       4 same\n       0 different\n")

	code, out, stderr = replay("--payment", "pay_stripe_1")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, out, "authorize of pay_stripe_1 at stripe")

	wasm := changedStripe(t, t.TempDir(), `"2022-11-15"`, `"2024-06-20"`)
	code, out, stderr = replay(byConnector["stripe"], "--plugin", wasm)
	require.Equal(t, exitDifferent, code, stderr)
	require.Contains(t, out, "    request 1 header Stripe-Version\n      - 2023-08-16\n      + 2024-06-20\n")
	require.Contains(t, stderr, "1 of 1 are not the same")
	code, out, _ = replay("--since", "1h", "--plugin", wasm)
	require.Equal(t, exitDifferent, code)
	require.Contains(t, out, "3 operations, run again with stripe 1.0.0 (", "those of its own connector")
	require.Contains(t, out, "       0 same\n       3 different\n")
	require.Contains(t, out, "3 × authorize: request 1 header Stripe-Version\n")

	code, out, _ = replay("--since", "1h", "--connector", "stripe", "--plugin", filepath.Join(dir, "adapters", "simulator.wasm"), "--json")
	require.Equal(t, exitDifferent, code)
	var report replayReport
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Equal(t, "simulator", report.Plugin.Name)
	require.Equal(t, 3, report.Different)
	require.Len(t, report.Operations, 3)
	require.NotEqual(t, report.Operations[0].Recorded, report.Operations[0].Replayed)

	code, out, stderr = replay("--since", "1ns")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, out, "0 operations")

	// The report names a build that is gone.
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, exitOK, r.exit(), r.stderr)
	require.NoError(t, os.Remove(filepath.Join(dir, "adapters", "stripe.wasm")))
	var hash string
	for _, record := range all {
		if record.Connector == "stripe" {
			hash = record.AdapterHash
		}
	}
	code, out, _ = replay(byConnector["stripe"])
	require.Equal(t, exitOK, code, "the switch keeps what it has run: %s", out)
	gone := append(env, "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+filepath.Join(dir, "elsewhere"))
	code, out, stderr = runBinary(t, gone, "plugin", "replay", byConnector["stripe"])
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "build "+hash+" of stripe is gone")
	require.Contains(t, stderr, "1 of 1 could not be replayed")

	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{nil, exitUsage, "needs an operation, --payment or --since"},
		{[]string{"op_1", "--since", "1h"}, exitUsage, "either an operation or the flags"},
		{[]string{"op_1", "--connector", "stripe"}, exitUsage, "either an operation or the flags"},
		{[]string{"--since", "-1h"}, exitUsage, "--since takes a positive duration, as 24h"},
		{[]string{"--payment", "pay_none"}, exitFailed, "the journal has no recording of payment pay_none"},
		{[]string{"op_1"}, exitFailed, "no operation op_1 is in the database"},
		{[]string{"op_1", "--plugin", "none.wasm"}, exitFailed, "there is no file none.wasm"},
	} {
		code, _, stderr := replay(c.args...)
		require.Equal(t, c.code, code, "%v: %s", c.args, stderr)
		require.Contains(t, stderr, c.text)
	}
}

func TestReplayShowsNothingThatMovesATerminal(t *testing.T) {
	require.Equal(t, `{"a": "ü b"}`, onLine(`{"a": "ü b"}`))
	require.Equal(t, `"\x1b[2Jall is well\n"`, onLine("\x1b[2Jall is well\n"))
}
