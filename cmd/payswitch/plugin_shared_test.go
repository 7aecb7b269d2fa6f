package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/storage/pgtest"
)

// TestPluginInstallForAllNodes installs an adapter into the database. Two nodes, each with folders of its own, take it up; one begins a payment,
// the other ends it; the adapter is listed and removed.
func TestPluginInstallForAllNodes(t *testing.T) {
	costly(t)
	t.Parallel()
	w, processor := newWorkshop(t), newAcmeProcessor(t)
	bundle := w.bundle("acme.bundle", "--sign", "mine.key")
	server := pgtest.Own(t)
	dsn := server.Create(t)
	env := func() []string {
		return append(onPostgres(t, dsn), "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+t.TempDir(), "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true",
			"PAYSWITCH_PLUGINS__DIRECTORY="+t.TempDir())
	}
	first, second := env(), env()
	nodes := []*process{startProcess(t, first, "serve"), startProcess(t, second, "serve")}
	code, stdout, stderr := operate(t, first, "plugin", "install", bundle, "--key", w.path("mine.pub"), "--yes")
	require.Equal(t, exitOK, code, stdout+stderr)
	require.Contains(t, stdout, "acme 0.1.0 is installed")
	for _, e := range [][]string{first, second} {
		code, stdout, stderr = operate(t, e, "plugin", "list")
		require.Equal(t, exitOK, code, stderr)
		require.Regexp(t, `(?m)^acme +0\.1\.0 +database +signed, key not in plugins\.trusted_keys +[0-9a-f]{64}$`, stdout)
	}

	key := nodes[0].shop("shop")
	account := object{"connector_type": "payment_processor", "connector_name": "acme", "connector_account_details": object{"auth_type": "HeaderKey", "api_key": "k"}}
	var made object
	require.Eventually(t, func() bool {
		status, answer := nodes[0].call(key, "/account/shop/connectors", account)
		made = answer
		return status == http.StatusOK
	}, time.Minute, 50*time.Millisecond, "%v", made)
	nodes[0].must(testAdminKey, "/account/shop/connectors/"+made["merchant_connector_id"].(string)+"/egress", object{"base_url": processor.URL})
	routed := func(id string) object {
		return cardPayment(id).with(object{"routing": object{"type": "single", "data": object{"connector": "acme", "merchant_connector_id": made["merchant_connector_id"]}}})
	}
	for i, n := range nodes {
		var answer object
		require.Eventually(t, func() bool {
			var status int
			status, answer = n.call(key, "/payments", routed("pay_"+n.url[len(n.url)-5:]))
			return status == http.StatusOK && answer["status"] == "succeeded"
		}, time.Minute, 100*time.Millisecond, "node %d: %v", i, answer)
	}

	code, _, stderr = operate(t, second, "plugin", "remove", "acme", "--yes")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "1 connector accounts use acme")
	code, _, stderr = operate(t, second, "plugin", "install", bundle, "--yes")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "signed by a key that is not trusted here")

	// An intruder with access to the database installs nothing: the row is signed.
	require.NoError(t, pgtest.Run(dsn, `UPDATE adapters SET pin = replace(pin, '0.1.0', '0.1.1')`))
	require.Eventually(t, func() bool {
		status, _ := nodes[1].call(key, "/payments", routed("pay_after"))
		return status != http.StatusOK
	}, time.Minute, 50*time.Millisecond)
	code, stdout, stderr = operate(t, second, "plugin", "remove", "acme", "--yes", "--force")
	require.Equal(t, exitOK, code, stderr)
	require.Contains(t, stdout, "acme is removed")
	code, _, stderr = operate(t, second, "plugin", "remove", "acme", "--yes")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "no adapter acme is installed in the database")
	require.NotContains(t, nodes[0].stderr.String()+nodes[1].stderr.String()+stderr, "hunter2")
}

// TestAnotherNodeFindsTheBuild kills a node in the middle of a payment. The other node has another build of the adapter, as during an upgrade, and
// settles the payment with the build from the database.
func TestAnotherNodeFindsTheBuild(t *testing.T) {
	costly(t)
	t.Parallel()
	w, processor := newWorkshop(t), newAcmeProcessor(t)
	server := pgtest.Own(t)
	dsn, folder, other := server.Create(t), t.TempDir(), t.TempDir()
	module, err := os.ReadFile(w.path("acme.wasm"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "acme.wasm"), module, 0o600))
	module = append(module, 0, 3, 1, 'x', 0) // a section without a meaning makes another build
	require.NoError(t, os.WriteFile(filepath.Join(other, "acme.wasm"), module, 0o600))
	env := func(folder string) []string {
		return append(onPostgres(t, dsn), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__CACHE_DIRECTORY="+t.TempDir(),
			"PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true", "PAYSWITCH_PLUGINS__SEND_TIMEOUT=2s", "PAYSWITCH_ENGINE__LEASE_TIME=5s",
			"PAYSWITCH_ENGINE__RESOLVE_EVERY=200ms", "PAYSWITCH_ENGINE__RESOLVE_PAUSE=1s")
	}
	dies, lives := startProcess(t, env(folder), "serve"), startProcess(t, env(other), "serve")
	key := dies.shop("shop")
	made := dies.must(key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "acme",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "sk_test_of_acme_1"}})
	dies.must(testAdminKey, fmt.Sprint("/account/shop/connectors/", made["merchant_connector_id"], "/egress"), object{"base_url": processor.URL})
	pay := func(id string) object {
		return cardPayment(id).with(object{"routing": object{"type": "single", "data": object{"connector": "acme", "merchant_connector_id": made["merchant_connector_id"]}}})
	}
	require.Equal(t, "succeeded", dies.must(key, "/payments", pay("pay_one"))["status"])
	require.Eventually(t, func() bool { return len(pgtest.Rows(t, dsn, `SELECT sha256 FROM adapter_modules`)) == 1 }, time.Minute, 20*time.Millisecond)

	before := processor.arrivals()
	processor.gate.Lock()
	open := make(chan struct{})
	go func() {
		defer close(open)
		_, _, _ = dies.try(key, "/payments", pay("pay_open")) // the node dies before it answers
	}()
	require.Eventually(t, func() bool { return processor.arrivals() > before }, time.Minute, time.Millisecond)
	require.NoError(t, dies.cmd.Process.Kill())
	dies.exit()
	<-open
	processor.gate.Unlock()
	require.Eventually(t, func() bool {
		_, is := lives.call(key, "/payments/pay_open", nil)
		return is["status"] == "succeeded"
	}, time.Minute, 100*time.Millisecond, "it stays open")
	require.NoError(t, lives.cmd.Process.Kill())
	lives.exit() // its whole log has arrived
	require.Contains(t, lives.stderr.String(), "an earlier build of an adapter is loaded for an operation that began with it")
}
