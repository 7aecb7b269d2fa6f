package plugins_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/testdata/hostile"
	"payswitch/sdk"
)

// The host stops what the hostile adapter tries before a request leaves, counts it, and reports it without a secret. Or the
// request leaves with random text. This holds in the sandbox and natively.
func TestHostileAdapter(t *testing.T) {
	plugins.Sequential(t)
	dir := t.TempDir()
	put(t, dir, "hostile.wasm", module(t, "payswitch/plugins/testdata/hostile/wasm"))
	var log logged
	counted := &observer{}
	o := plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger(), Observer: counted}
	sandboxed := newHost(t, o)
	o.AllowLoopbackHTTP = true
	native, err := plugins.NewNative(map[string]*sdk.Adapter{"hostile": hostile.Adapter()}, o)
	require.NoError(t, err)
	for name, host := range map[string]port.Connectors{"sandbox": sandboxed, "native": native} {
		t.Run(name, func(t *testing.T) { testHostile(t, host, counted, &log) })
	}
	t.Run("memory", func(t *testing.T) {
		for range 20 {
			d := authorize("hostile", "")
			d.Account.Config = map[string]string{"mode": "memory"}
			res, err := sandboxed.Drive(t.Context(), d)
			require.NoError(t, err)
			require.Empty(t, res.Outcome.Decline.Message, "no memory of an earlier payment remains")
		}
	})
}

func testHostile(t *testing.T, host port.Connectors, counted *observer, log *logged) {
	p, other := newRecorder(t), newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) {
		w.Header().Set("X-Echo", r.header.Get("Authorization"))
		_, _ = io.WriteString(w, `{"status":"ok","got":`+r.body+`}`)
	}
	drive := func(mode string, change func(d *port.Drive)) (*port.DriveResult, []string, error) {
		p.take()
		before := len(counted.of("violated"))
		d := authorize("hostile", p.URL)
		d.Account.Config = map[string]string{"mode": mode, "target": other.URL}
		if change != nil {
			change(d)
		}
		res, err := host.Drive(context.Background(), d)
		return res, counted.of("violated")[before:], err
	}
	said := func(res *port.DriveResult, err error) string {
		b, encodeErr := json.Marshal(res)
		require.NoError(t, encodeErr)
		for i := range res.Exchanges {
			b = append(b, res.Exchanges[i].Body...)
		}
		if err != nil {
			b = append(b, err.Error()...)
		}
		return string(b)
	}
	secrets := []string{cardNumber, reversed(cardNumber), base64.StdEncoding.EncodeToString([]byte(cardNumber)), secretKey}
	unsaid := func(t *testing.T, text string) {
		for _, s := range secrets {
			require.NotContains(t, text, s)
		}
	}

	res, violated, err := drive("honest", nil)
	require.NoError(t, err)
	require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
	require.Equal(t, []string{"violated answer"}, violated, "the processor echoes the request, and the host reports that")
	all := p.take()
	require.Len(t, all, 1)
	require.Contains(t, all[0].body, `"card":{"number":"`+cardNumber+`","cvc":"`+cardCVC+`"}`)
	require.Equal(t, "Bearer "+secretKey, all[0].header.Get("Authorization"))

	stolen, _, err := drive("outcome", func(d *port.Drive) {
		d.Account.ID, d.Account.Credentials = "mca_other", map[string]secret.Value{"api_key": secret.New("sk_live_of_another_merchant")}
	})
	require.NoError(t, err)

	for mode, rule := range map[string]string{
		"author_key": plugins.RuleAuthentication, "author_key_derived": plugins.RuleAuthentication, "second_authorization": plugins.RuleAuthentication,
		"other_authentication": plugins.RuleAuthentication, "other_merchant": plugins.RuleAuthentication,
		"description": plugins.RuleSecret, "metadata": plugins.RuleSecret, "part": plugins.RuleSecret, "key_in_metadata": plugins.RuleSecret,
		"hash": plugins.RuleDerivation, "encoded_elsewhere": plugins.RuleSecret, "body_digest": plugins.RuleSecret,
		"other_host": plugins.RuleHost, "other_path": plugins.RuleSecret, "path_tricks": plugins.RuleURL, "url": plugins.RuleSecret, "redirect_target": plugins.RuleSecret,
		"crlf": plugins.RuleHeader, "crlf_derived": plugins.RuleSecret, "many_headers:xx": plugins.RuleHeader,
		"header:Host=evil.example": plugins.RuleHeader, "header:Content-Length=3": plugins.RuleHeader, "header:Transfer-Encoding=chunked": plugins.RuleHeader,
		"header:Connection=close": plugins.RuleHeader, "header:Cookie=a=b": plugins.RuleAuthentication, "header:Content-Type=text/plain": plugins.RuleTemplate,
		"header:Content-Encoding=gzip": plugins.RuleTemplate,
		"twice":                        plugins.RuleTemplate, "deep": plugins.RuleTemplate, "utf8": plugins.RuleTemplate,
		"address:[::1]": plugins.RuleHost, "address:[0:0:0:0:0:0:0:1]": plugins.RuleHost, "address:[::ffff:127.0.0.1]": plugins.RuleHost,
		"address:127.1": plugins.RuleHost, "address:2130706433": plugins.RuleHost, "address:169.254.169.254": plugins.RuleHost, "address:localhost": plugins.RuleHost,
	} {
		t.Run(mode, func(t *testing.T) {
			res, violated, err := drive(mode, func(d *port.Drive) { d.Account.Config["stolen"] = stolen.Outcome.ConnectorData.Payment })
			v, is := errors.AsType[*plugins.Violation](err)
			require.True(t, is, "%v %+v", err, res.Outcome)
			require.Equal(t, rule, v.Rule, "%v", err)
			require.Equal(t, []string{"violated " + rule}, violated)
			require.False(t, res.MayHaveLeft)
			require.Empty(t, p.take())
			unsaid(t, said(res, err))
		})
	}
	for _, mode := range []string{"reversed", "base64", "split", "escaped"} {
		t.Run(mode, func(t *testing.T) {
			res, _, err := drive(mode, nil)
			all := p.take()
			if v, is := errors.AsType[*plugins.Violation](err); is && mode == "reversed" { // random text may look like somebody's key
				require.Equal(t, plugins.RuleAuthentication, v.Rule)
				require.Empty(t, all)
				return
			}
			require.NoError(t, err)
			require.Len(t, all, 1)
			unsaid(t, strings.Replace(all[0].body, `"number":"`+cardNumber+`"`, "", 1))
			unsaid(t, said(res, err))
		})
	}
	t.Run("ten thousand headers", func(t *testing.T) {
		res, _, err := drive("many_headers:xxxxxxxxxx", nil)
		require.Error(t, err)
		require.False(t, res.MayHaveLeft)
		require.Empty(t, p.take())
	})
	t.Run("outcome", func(t *testing.T) {
		res, violated, err := drive("outcome", nil)
		require.NoError(t, err)
		require.Equal(t, []string{"violated secret"}, violated)
		require.Equal(t, sdk.StatusDeclined, res.Outcome.Status)
		unsaid(t, said(res, err))
		require.NotEqual(t, cardCVC, res.Outcome.Raw["cvc"])
	})
	t.Run("echo", func(t *testing.T) {
		res, violated, err := drive("echo", nil)
		require.NoError(t, err)
		require.Equal(t, []string{"violated answer"}, violated)
		unsaid(t, said(res, err))
		require.Equal(t, "Bearer [redacted]", res.Outcome.Raw["header"])
		require.Contains(t, res.Outcome.Raw["body"], `"card":{"number":"411111******1111","cvc":""}`)
	})
	for _, address := range []string{"10.0.0.1", "169.254.169.254", "0.0.0.0", "[fe80::1]", "[fd00::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[::]"} {
		t.Run("approved address "+address, func(t *testing.T) {
			res, _, err := drive("address:"+address, func(d *port.Drive) { d.Account.Hosts = []string{address} })
			require.NoError(t, err)
			require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
			require.Equal(t, "refused", res.Exchanges[0].Failure)
			require.False(t, res.MayHaveLeft)
		})
	}
	require.Empty(t, other.take(), "no request has reached another server")
	unsaid(t, log.String())
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}
