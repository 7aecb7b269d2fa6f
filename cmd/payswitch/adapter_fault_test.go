package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faultyAdapters is a folder with two adapters that fail: faulty is made with the SDK, bad without.
var faultyAdapters = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "faulty")
	for name, pkg := range map[string]string{"faulty": "./plugins/testdata/faulty", "bad": "./plugins/testdata/bad"} {
		if err := goBuild(wasmEnv, wasmArgs(filepath.Join(dir, name+".wasm"), pkg)...); err != nil {
			return "", err
		}
	}
	return dir, nil
})

// The merchant of an installed adapter that is refused, stopped or unreadable reads that the adapter is at fault and what to do. That is
// so where nothing has left. Where something may have left, the payment is processing.
func TestTheMerchantLearnsOfAnAdaptersFault(t *testing.T) {
	costly(t)
	t.Parallel()
	folder, err := faultyAdapters()
	require.NoError(t, err)
	var asked atomic.Int32
	processor := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{}`)
	}))
	t.Cleanup(processor.Close)
	env := append(testEnv(t, t.TempDir()), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true")
	r := start(t, env, "serve")
	const apiKey = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"
	for i, tc := range []struct {
		connector, mode string
		what            string // what the adapter did; "" where something has left
		rule            string // that the connector account shows
	}{
		{"faulty", "secret", "asked for something that the switch does not allow (rule secret)", "secret"},
		{"faulty", "host", "asked for something that the switch does not allow (rule host)", "host"},
		{"faulty", "authentication", "asked for something that the switch does not allow (rule authentication)", "authentication"},
		{"faulty", "header", "asked for something that the switch does not allow (rule header)", "header"},
		{"faulty", "impossible", "returned an outcome that authorize cannot have (rule outcome)", ""},
		{"faulty", "invented", "returned the outcome captured without asking the processor (rule outcome)", ""},
		{"faulty", "exit", "stopped with an error", ""},
		{"faulty", "loop", "was stopped: it ran for too long", ""},
		{"bad", "panic", "stopped with an error", ""},
		{"bad", "recursion", "was stopped: it ran for too long", ""},
		{"bad", "garbage", "gave an answer that the switch cannot read", ""},
		{"bad", "two_results", "gave an answer that the switch cannot read", ""},
		{"bad", "huge", "gave an answer that the switch cannot read", ""},
		{"faulty", "then_secret", "", "secret"},
		{"faulty", "then_host", "", "host"},
		{"faulty", "then_impossible", "", ""},
		{"faulty", "then_exit", "", ""},
		{"faulty", "then_loop", "", ""},
		{"bad", "late_trap", "", ""},
		{"bad", "late_reject", "", "reject"},
	} {
		t.Run(tc.connector+" "+tc.mode, func(t *testing.T) {
			r := &running{t: t, url: r.url}
			id := fmt.Sprintf("shop_%d", i)
			r.must(testAdminKey, "/accounts", object{"merchant_id": id})
			key, _ := r.must(testAdminKey, "/api_keys/"+id, object{"name": "e2e", "expiration": "never"})["api_key"].(string)
			credentials := object{"auth_type": "HeaderKey", "api_key": apiKey}
			if tc.connector == "bad" {
				credentials = object{"auth_type": "NoKey"}
			}
			account := r.must(key, "/account/"+id+"/connectors", object{"connector_type": "payment_processor", "connector_name": tc.connector,
				"connector_account_details": credentials, "metadata": object{"mode": tc.mode}})
			path := fmt.Sprintf("/account/%s/connectors/%s", id, account["merchant_connector_id"])
			r.must(testAdminKey, path+"/egress", object{"base_url": processor.URL})

			before := asked.Load()
			status, answer := r.call(key, "/payments", cardPayment("pay_"+id))
			text := fmt.Sprint(answer)
			for _, secret := range []string{"4242424242424242", "424242424242424", apiKey, "Something went wrong"} {
				require.NotContains(t, text, secret)
			}
			is := r.must(key, "/payments/pay_"+id, nil)
			if tc.what == "" {
				require.Equal(t, http.StatusOK, status, text)
				require.Equal(t, "processing", answer["status"], text)
				require.Equal(t, "processing", is["status"])
				require.Equal(t, before+1, asked.Load())
			} else {
				require.Equal(t, http.StatusInternalServerError, status, text)
				problem, _ := answer["error"].(map[string]any)
				version := map[string]string{"faulty": "1.2.0", "bad": "1.0.0"}[tc.connector]
				require.Equal(t, "The adapter "+tc.connector+" "+version+" "+tc.what+"; nothing was sent to the processor", problem["message"])
				require.Equal(t, "The fault is not in the request. The operator of the switch must update or remove the adapter "+tc.connector+"; then try again.", problem["reason"])
				require.Equal(t, "HE_00", problem["code"])
				require.Equal(t, "api", problem["type"])
				require.Equal(t, tc.connector, problem["connector"])
				require.Equal(t, "requires_payment_method", is["status"], "nothing has left: the payment can be confirmed again")
				require.Equal(t, before, asked.Load())
			}
			if tc.rule == "" {
				return
			}
			list := fmt.Sprint(r.must(testAdminKey, path+"/violations", nil))
			require.Contains(t, list, "rule:"+tc.rule)
			require.False(t, strings.Contains(list, "4242424242424242") || strings.Contains(list, apiKey), list)
		})
	}
	require.Eventually(t, func() bool { status, _ := r.text("/health"); return status == http.StatusOK }, 20*time.Second, 50*time.Millisecond)
}
