package sdk_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestAuthorization(t *testing.T) {
	a := &sdk.Adapter{AccessToken: func(c *sdk.Call) (*sdk.Outcome, error) {
		return c.Token(sdk.FormSend("/token", sdk.NewForm(), c.BasicAuth("id", "secret"), c.Bearer("key")), "access_token", "expires_in")
	}}
	s := &sdk.Step{ABI: sdk.ABI, Operation: sdk.OpAccessToken, DerivePrefix: "DERIVED", Account: sdk.Account{BaseURL: "https://p.example",
		Credentials: map[string]string{"id": "me", "secret": "SECRET", "key": "KEY"}}}
	send := a.Step(s).Send
	require.Equal(t, "Basic DERIVED0", sdk.HeaderValue(send.Headers, "Authorization"))
	require.Equal(t, []sdk.Derivation{{StandIn: "DERIVED0", Expr: sdk.Basic("me", "SECRET")}}, send.Derive)
	require.Equal(t, sdk.H("Authorization", "Bearer KEY"), send.Headers[2])
	require.Equal(t, []sdk.Capture{{Path: "access_token", Name: "access_token"}}, send.Capture)
	require.True(t, send.SafeToRepeat)

	answer := func(status int, body string) *sdk.Outcome {
		s.Exchanges = []sdk.Exchange{{RequestHash: sdk.RequestHash(send), Sent: true, Status: status, Body: []byte(body)}}
		return a.Step(s).Outcome
	}
	require.Equal(t, &sdk.Outcome{Status: sdk.StatusToken, Token: &sdk.AccessToken{Value: "TOKEN", ExpiresIn: 60}}, answer(200, `{"access_token":"TOKEN","expires_in":60}`))
	o := answer(401, `{"error":"invalid_client"}`)
	require.Equal(t, sdk.StatusUnknown, o.Status)
	require.Equal(t, "no access token: HTTP 401 invalid_client", o.Raw["error"])
	for _, body := range []string{`{"access_token":"TOKEN"}`, `{"access_token":"TOKEN","expires_in":0}`, `{"expires_in":60}`, `<html>`, ``} {
		require.Equal(t, sdk.StatusUnknown, answer(200, body).Status, body)
	}
	for _, seconds := range []string{"-60", "0", "315360001", "1768472430"} { // the last is a time
		o := answer(200, `{"access_token":"TOKEN","expires_in":`+seconds+`}`)
		require.Equal(t, sdk.StatusUnknown, o.Status, seconds)
		require.Contains(t, o.Raw["error"], "expires_in: the token's lifetime of "+seconds+" s is not between 1 s and 315360000 s")
	}
	require.Equal(t, sdk.StatusToken, answer(200, `{"access_token":"TOKEN","expires_in":315360000}`).Status)
	require.Equal(t, sdk.StatusUnknown, answer(500, `{"access_token":"TOKEN","expires_in":60}`).Status)
}

func TestRefuses(t *testing.T) {
	for status, want := range map[int]bool{200: false, 302: false, 400: true, 404: true, 408: false, 409: false, 422: true, 499: true, 500: false} {
		require.Equal(t, want, (&sdk.Response{Status: status}).Refuses(), status)
	}
	r := &sdk.Response{Status: 422, Body: []byte(`{"name":"X","details":[{"code":7}]}`)}
	require.EqualError(t, r.Undecided("nothing", "name", "message", "details.0.code"), "nothing: HTTP 422 X 7")
	require.EqualError(t, (&sdk.Response{Status: 502, Body: []byte("<html>")}).Undecided("nothing", "name"), "nothing: HTTP 502")
}

// A message may be old, as processors repeat messages for days. Its time may not be further ahead than clocks differ.
func TestFresh(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	a := &sdk.Adapter{}
	status := func(age, tolerance time.Duration) int {
		a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
			c.Fresh(now.Add(-age), tolerance)
			return sdk.Handled(), nil
		}
		return a.Step(&sdk.Step{ABI: sdk.ABI, Operation: sdk.OpWebhook, Now: now.UnixMilli(), Request: sdk.Request{Webhook: &sdk.WebhookMessage{}}}).Outcome.Reply.Status
	}
	require.Equal(t, 200, status(35*time.Hour, 36*time.Hour))
	require.Equal(t, 401, status(37*time.Hour, 36*time.Hour))
	require.Equal(t, 200, status(-10*time.Minute, 36*time.Hour))
	require.Equal(t, 401, status(-11*time.Minute, 36*time.Hour))
	require.Equal(t, 401, status(-2*time.Minute, time.Minute))
	require.Equal(t, 401, status(now.Sub(time.Time{}), 36*time.Hour))
}
