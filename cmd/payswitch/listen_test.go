package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestListen forwards every event that `payswitch trigger` makes to a program, signed with the secret that `payswitch listen` shows. The endpoint goes
// with the command.
func TestListen(t *testing.T) {
	t.Parallel()
	r := start(t, testEnv(t, t.TempDir()), "serve") // no private address is allowed: the switch posts nothing
	key := r.shop("shop")
	env := []string{"API_KEY=" + key}
	type request struct {
		header http.Header
		body   string
	}
	arrived := make(chan request, 100)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		arrived <- request{r.Header, string(body)}
		if strings.Contains(string(body), "refund_failed") {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	defer program.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr lockedBuffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"listen", "--url", r.url, "--merchant", "shop", "--forward-to", program.URL + "/hook"}, env, strings.NewReader(""), &stdout, &stderr)
	}()
	secret := ""
	require.Eventually(t, func() bool {
		if found := regexp.MustCompile(`Signing secret: whsec_(\S+)`).FindStringSubmatch(stdout.String()); found != nil {
			secret = found[1]
		}
		return secret != "" || stderr.String() != ""
	}, 10*probeWait, probeWait/100)
	signer, err := base64.StdEncoding.DecodeString(secret)
	require.NoError(t, err, stderr.String())

	for eventType := range triggers {
		code, _, log := runProgram(t, env, "trigger", "--url", r.url, "--merchant", "shop", eventType)
		require.Equal(t, exitOK, code, log)
	}
	wanted := maps.Clone(triggers)
	for len(wanted) > 0 {
		var got request
		select {
		case got = <-arrived:
		case <-t.Context().Done():
		case code := <-ended:
			t.Fatal(code, stderr.String())
		}
		var e struct {
			ID   string `json:"event_id"`
			Type string `json:"event_type"`
		}
		require.NoError(t, json.Unmarshal([]byte(got.body), &e))
		mac := hmac.New(sha256.New, signer)
		mac.Write([]byte(got.header.Get("webhook-id") + "." + got.header.Get("webhook-timestamp") + "." + got.body))
		require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), got.header.Get("webhook-signature"))
		require.Equal(t, e.ID, got.header.Get("webhook-id"))
		delete(wanted, e.Type)
	}
	taken := regexp.MustCompile(`(?m)payment_succeeded +pay_\S+  evt_\S+  200 OK$`)
	require.Eventually(t, func() bool { // the command writes a line after the program's answer
		return strings.Contains(stdout.String(), "not taken: 418") && taken.MatchString(stdout.String())
	}, 10*probeWait, probeWait/100)
	require.NotContains(t, stdout.String()+stderr.String(), key)

	profile := r.must(testAdminKey, "/accounts/shop", nil)["default_profile"].(string)
	endpoints := "/account/shop/business_profile/" + profile + "/webhook_endpoints"
	_, list := r.list(key, endpoints)
	require.Len(t, list, 1)
	require.Equal(t, "payswitch:listen", list[0]["url"])
	cancel()
	require.Equal(t, exitOK, <-ended)
	_, list = r.list(key, endpoints)
	require.Empty(t, list)
	require.Empty(t, stderr.String())
}

// The commands say what is wrong with their arguments, and with the switch.
func TestListenRefuses(t *testing.T) {
	t.Parallel()
	env := []string{"API_KEY=snd_0"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"trigger"}, "needs an event type: action_required, payment_authorized"},
		{[]string{"trigger", "payment_expired"}, "cannot make \"payment_expired\""},
		{[]string{"trigger", "--url", "nowhere", "payment_failed"}, "--url must be a whole URL"},
		{[]string{"listen", "--forward-to", "localhost:3000"}, "--forward-to must be a whole URL"},
	} {
		code, _, stderr := runProgram(t, env, c.args...)
		require.Equal(t, exitUsage, code, c.args)
		require.Contains(t, stderr, c.want)
	}
	r := start(t, testEnv(t, t.TempDir()), "serve")
	code, _, stderr := runProgram(t, env, "listen", "--url", r.url)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "the switch answered 401")

	r.must(testAdminKey, "/accounts", object{"merchant_id": "shop"})
	key := r.must(testAdminKey, "/api_keys/shop", object{"name": "e2e", "expiration": "never"})["api_key"].(string)
	code, _, stderr = runProgram(t, []string{"API_KEY=" + key}, "trigger", "--url", r.url, "--merchant", "shop", "payment_succeeded")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "has no connector account at the simulator")

	r.must(key, "/account/shop/connectors", object{"connector_type": "payment_processor", "connector_name": "simulator",
		"connector_account_details": object{"auth_type": "HeaderKey", "api_key": "any"}})
	r.must(key, "/blocklist/toggle?status=true", object{})
	r.must(key, "/blocklist", object{"type": "card_bin", "data": "424242"})
	code, stdout, stderr := runProgram(t, []string{"API_KEY=" + key}, "trigger", "--url", r.url, "--merchant", "shop", "payment_succeeded")
	require.Equal(t, exitFailed, code, stdout)
	require.Contains(t, stderr, "HE_03", "a payment that the block list stops has no id")
}

// The commands find the demo of make run, which keeps its keys in the folder of the project, at whatever address it listens.
func TestListenFindsTheDemo(t *testing.T) {
	env := testEnv(t, t.TempDir()) // builds in this folder what the switch needs
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	code, _, stderr := runProgram(t, nil, "trigger", "payment_succeeded")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "no API key: set the variable API_KEY, or start `payswitch demo` on this machine")

	code, _, stderr = runProgram(t, []string{"API_KEY=snd_0"}, "trigger", "--url", "http://127.0.0.1:1", "payment_succeeded")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "start the switch, or name its address with --url")

	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	old := filepath.Join(cache, "payswitch", "demo")
	require.NoError(t, os.MkdirAll(old, 0o700))
	require.NoError(t, writeDemoKeys(filepath.Join(old, "keys.json"), &demoKeys{API: "snd_of_an_earlier_demo"}))
	r := start(t, env, "demo", "--data", filepath.Join(".cache", "demo"), "--listen", "127.0.0.1:0")
	c := &shopClient{}
	require.NoError(t, c.complete(nil))
	require.Equal(t, r.url, c.url)
	var profiles []any
	require.NoError(t, c.call(t.Context(), "GET", "/account/"+demoMerchant+"/business_profile", nil, &profiles), "the demo takes the key")
	require.NotEmpty(t, profiles)
}
