package plugins_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

const cavv = "vVD5sEUyriSo5+1pngYHMEhi/fg="

// authenticator returns an adapter with f as authenticate and webhook.
func authenticator(f sdk.Func) *sdk.Adapter {
	return &sdk.Adapter{Authenticate: f, Webhook: f, Manifest: sdk.Manifest{Name: "scripted", Kind: sdk.KindAuthenticator, Version: "1.0.0",
		Credentials:    []sdk.Field{{Name: "secret_key", Key: "api_key", Type: "secret"}},
		Authentication: []sdk.Placement{{Secret: "secret_key", In: "header", Field: "Authorization"}},
		Placements:     []sdk.Placement{{Secret: "card_number", In: "body", Path: "/v1/areq", Field: "acctNumber"}},
		Webhook:        &sdk.WebhookRule{Scheme: "hmac", Capture: []sdk.Capture{{Path: "authenticationValue", Name: "cavv_pushed"}, {Path: "rreq.authenticationValue", Name: "cavv_pushed"}}},
		Environments:   map[string]sdk.Environment{"test": {BaseURL: "https://a.example/v1", Hosts: []string{"a.example"}}},
		Authenticator:  &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser}, MessageVersions: []string{"2.2.0"}, Result: "push"}}}
}

func driveAuthenticator(t *testing.T, f sdk.Func, d *port.Drive, o plugins.Options) (*port.DriveResult, error) {
	t.Helper()
	o.AllowLoopbackHTTP = true
	n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": authenticator(f)}, o)
	require.NoError(t, err)
	return n.Drive(context.Background(), d)
}

func authentication(baseURL string) *port.Drive {
	d := authorize("scripted", baseURL)
	d.Operation, d.Request.Authentication = sdk.OpAuthenticate, &sdk.AuthenticationRequest{AuthenticationID: "auth_1"}
	return d
}

func areq(c *sdk.Call) *sdk.Send {
	s := post("/areq", bytesOf(`{"acctNumber":"`, testCard(c).Number, `"}`), mime("application/json"), bearer(c))
	s.Capture = []sdk.Capture{{Path: "authenticationValue", Name: "cavv_told"}, {Path: "again.authenticationValue", Name: "cavv_told"}}
	return s
}

// The engine receives the cryptogram. Adapter, outcome and exchanges hold its stand-in.
func TestTheCryptogramIsHandedOver(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, _ recorded) {
		_, _ = fmt.Fprintf(w, `{"transStatus":"Y","authenticationValue":%q,"again":{"authenticationValue":%q},"elsewhere":%q}`, cavv, cavv, cavv)
	}
	seen := ""
	res, err := driveAuthenticator(t, func(c *sdk.Call) (*sdk.Outcome, error) {
		r, err := c.Do(areq(c))
		if err != nil {
			return nil, err
		}
		seen = string(r.Body)
		require.Equal(t, r.JSON().Str("authenticationValue"), r.JSON().Str("again.authenticationValue"), "one value, one stand-in")
		return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: &sdk.AuthenticationOutcome{TransStatus: "Y", CAVV: r.JSON().Str("authenticationValue")}}, nil
	}, authentication(p.URL), plugins.Options{})
	require.NoError(t, err)
	a := res.Outcome.Authentication
	require.NotEqual(t, cavv, a.CAVV)
	require.NotEmpty(t, a.CAVV)
	require.Equal(t, cavv, res.CAVV(a).Reveal())
	require.Zero(t, res.CAVV(&sdk.AuthenticationOutcome{CAVV: "another"}))
	for _, text := range []string{seen, string(res.Exchanges[0].Body), fmt.Sprintf("%+v", res), string(sdk.EncodeResult(&sdk.Result{Outcome: res.Outcome}))} {
		require.NotContains(t, text, cavv)
	}
	everything, err := json.Marshal(res)
	require.NoError(t, err)
	require.NotContains(t, string(everything), cavv)
}

// A text of the adapter and the stand-in of another secret are not cryptograms.
func TestAMadeUpCryptogramIsBlanked(t *testing.T) {
	for name, value := range map[string]func(c *sdk.Call) string{
		"text": func(*sdk.Call) string { return cavv }, "card": func(c *sdk.Call) string { return testCard(c).Number },
		"credential": testSecret, "derived": func(c *sdk.Call) string { return c.Derive(fn(sdk.FnHex, text("x"))) },
	} {
		t.Run(name, func(t *testing.T) {
			o := &observer{}
			res, err := driveAuthenticator(t, func(c *sdk.Call) (*sdk.Outcome, error) {
				return &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: &sdk.AuthenticationOutcome{TransStatus: "Y", CAVV: value(c)}}, nil
			}, authentication("http://127.0.0.1:1"), plugins.Options{Observer: o})
			require.NoError(t, err)
			require.Equal(t, "Y", res.Outcome.Authentication.TransStatus)
			require.Empty(t, res.Outcome.Authentication.CAVV)
			require.Empty(t, res.Cryptograms)
			require.Equal(t, []string{"violated " + plugins.RuleOutcome}, o.of("violated"))
		})
	}
}

// The host captures from a pushed message before the adapter sees it. The signature covers the original message.
func TestTheCryptogramOfAPush(t *testing.T) {
	body := `{"transStatus":"Y","authenticationValue":"` + cavv + `","rreq":{"authenticationValue":"` + cavv + `","x":"` + cavv + `"}}`
	d := authentication("http://127.0.0.1:1")
	d.Operation = sdk.OpWebhook
	d.Request = sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}}
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte(body))
	seen := ""
	res, err := driveAuthenticator(t, func(c *sdk.Call) (*sdk.Outcome, error) {
		w := c.Request.Webhook
		ok, err := c.Verify(fn(sdk.FnHMACSHA256, text(testSecret(c)), sdk.Body()), string(mac.Sum(nil)))
		if err != nil {
			return nil, err
		}
		require.True(t, ok, "the signature covers the original message")
		require.Equal(t, len(w.Body), w.BodyLength)
		seen = string(w.Body)
		j, err := sdk.ParseJSON(w.Body)
		require.NoError(t, err)
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "authentication", Outcome: &sdk.Outcome{Status: sdk.StatusAuthenticated,
			Authentication: &sdk.AuthenticationOutcome{TransStatus: "Y", CAVV: j.Str("rreq.authenticationValue")}}}}}, nil
	}, d, plugins.Options{})
	require.NoError(t, err)
	require.NotContains(t, seen, cavv)
	require.Equal(t, cavv, res.CAVV(res.Outcome.Events[0].Outcome.Authentication).Reveal())
	require.Contains(t, string(d.Request.Webhook.Body), cavv, "the caller's message is left as it is")
}

// Values captured before a restart are available after it.
func TestCapturedValuesAreTakenUpAgain(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) {
		_, _ = fmt.Fprintf(w, `{"key":"session_key_%s"}`, r.uri[1:])
	}
	f := func(c *sdk.Call) (*sdk.Outcome, error) {
		var keys []string
		for _, path := range []string{"/first", "/second"} {
			s := post(path, nil, bearer(c))
			s.Capture = []sdk.Capture{{Path: "key", Name: "session"}}
			r, err := c.Do(s)
			if err != nil {
				return nil, err
			}
			keys = append(keys, r.JSON().Str("key"))
		}
		for i := range keys {
			if _, err := c.Do(post("/pay", bytesOf(`{"credential":"`, testSecret(c), `"}`), mime("application/json"), sdk.H("Authorization", "Bearer "+keys[1-i]))); err != nil {
				return nil, err
			}
		}
		return authorized, nil
	}
	d := authorize("scripted", p.URL)
	var intents []port.SendIntent
	d.BeforeSend = func(_ context.Context, s port.SendIntent) error { intents = append(intents, s); return nil }
	_, err := driveBlind(t, plugins.Options{}, f, d)
	require.NoError(t, err)
	require.Len(t, p.take(), 4)
	for n := 1; n < 4; n++ { // as if the node had died after answer n
		again := *d
		again.Resume, again.Captured = intents[n].Exchanges, intents[n].Captured
		require.Len(t, again.Captured, min(n, 2))
		again.BeforeSend = nil
		_, err := driveBlind(t, plugins.Options{}, f, &again)
		require.NoError(t, err)
		var keys []string
		for _, r := range p.take() {
			if r.uri == "/pay" {
				keys = append(keys, r.header.Get("Authorization"))
			}
		}
		require.Equal(t, []string{"Bearer session_key_second", "Bearer session_key_first"}[max(0, n-2):], keys)
	}
}

// Below the operator's base URL placements mean the same as below the manifest's.
func TestPlacementsBelowAnotherBaseURL(t *testing.T) {
	p := newRecorder(t)
	f := func(c *sdk.Call) (*sdk.Outcome, error) {
		if _, err := c.Do(areq(c)); err != nil {
			return nil, err
		}
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	for base, ok := range map[string]bool{p.URL: true, p.URL + "/sim/3ds": true, p.URL + "/sim/3ds/": true, p.URL + "/v1/v1": true} {
		_, err := driveAuthenticator(t, f, authentication(base), plugins.Options{})
		require.Equal(t, ok, err == nil, "%s: %v", base, err)
	}
	p.take()
	_, err := driveAuthenticator(t, func(c *sdk.Call) (*sdk.Outcome, error) {
		s := areq(c)
		s.URL = p.URL + "/areq" // outside the base URL
		_, err := c.Do(s)
		return nil, err
	}, authentication(p.URL+"/sim/3ds"), plugins.Options{})
	require.ErrorContains(t, err, "where the manifest does not declare it")
	require.Empty(t, p.take())
}
