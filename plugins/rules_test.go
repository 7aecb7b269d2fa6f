package plugins_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/port"
	"payswitch/plugins"
	"payswitch/sdk"
)

func TestWhatStopsADriveBeforeSending(t *testing.T) {
	url, arrivals := server(t, ok)
	other, otherArrivals := server(t, ok)
	post := func(url string, headers ...sdk.Header) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "POST", URL: url, Headers: headers, Body: []byte("{}")})
			return authorized, err
		}
	}
	host := strings.TrimPrefix(url, "http://")
	for name, c := range map[string]struct {
		f    sdk.Func
		rule string
	}{
		"other host":            {post(other), plugins.RuleHost},
		"other port":            {post("http://127.0.0.1:1/"), plugins.RuleHost},
		"another name for it":   {post("http://localhost" + strings.TrimPrefix(host, "127.0.0.1")), plugins.RuleHost},
		"plain http":            {post("http://example.com/"), plugins.RuleURL},
		"other scheme":          {post("ftp://" + host), plugins.RuleURL},
		"user information":      {post("http://a:b@" + host), plugins.RuleURL},
		"fragment":              {post(url + "/#a"), plugins.RuleURL},
		"empty port":            {post("http://127.0.0.1:/"), plugins.RuleURL},
		"no host":               {post("https:///x"), plugins.RuleURL},
		"line feed in the URL":  {post(url + "/\n"), plugins.RuleURL},
		"long URL":              {post(url + "/" + strings.Repeat("a", 9000)), plugins.RuleURL},
		"line feed in a header": {post(url, sdk.H("X", "a\r\nY: b")), plugins.RuleHeader},
		"bad header name":       {post(url, sdk.H("X Y", "a")), plugins.RuleHeader},
		"Host":                  {post(url, sdk.H("host", "a")), plugins.RuleHeader},
		"Content-Length":        {post(url, sdk.H("Content-Length", "1")), plugins.RuleHeader},
		"Transfer-Encoding":     {post(url, sdk.H("Transfer-Encoding", "chunked")), plugins.RuleHeader},
		"Connection":            {post(url, sdk.H("Connection", "close")), plugins.RuleHeader},
		"Proxy-Authorization":   {post(url, sdk.H("Proxy-Authorization", "a")), plugins.RuleHeader},
		"large headers":         {post(url, sdk.H("X", strings.Repeat("a", 40_000))), plugins.RuleHeader},
		"method": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "CONNECT", URL: url})
			return authorized, err
		}, plugins.RuleRequest},
		"body of a GET": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "GET", URL: url, Body: []byte("{}")})
			return authorized, err
		}, plugins.RuleRequest},
		"idempotency header set by the adapter": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "POST", URL: url, IdempotencyHeader: "Key", Headers: []sdk.Header{sdk.H("key", "mine")}})
			return authorized, err
		}, plugins.RuleHeader},
		"card number in the body": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Post("/", "text/plain", []byte("card="+c.Request.Instrument.Card.Number))
			return authorized, err
		}, plugins.RuleSecret},
		"CVC in the URL": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Get("/?cvc=" + c.Request.Instrument.Card.CVC)
			return authorized, err
		}, plugins.RuleSecret},
		"credential in a header": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Get("/", sdk.H("Authorization", "Bearer "+c.Account.Credentials["secret_key"]))
			return authorized, err
		}, plugins.RuleSecret},
		"derivation": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Get("/", sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic("a", "b"))))
			return authorized, err
		}, plugins.RuleSecret},
		"derivation not declared": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Get("/", sdk.H(strings.TrimSuffix(c.Derive(sdk.Body()), "0"), "x"))
			return authorized, err
		}, plugins.RuleSecret},
		"capture": {func(c *sdk.Call) (*sdk.Outcome, error) {
			_, err := c.Do(&sdk.Send{Method: "GET", URL: "/", Capture: []sdk.Capture{{Path: "number", Name: "card_number"}}})
			return authorized, err
		}, plugins.RuleDerivation},
		"no status": {func(c *sdk.Call) (*sdk.Outcome, error) { return &sdk.Outcome{Status: "excellent"}, nil }, plugins.RuleOutcome},
		"connector data": {func(c *sdk.Call) (*sdk.Outcome, error) {
			return &sdk.Outcome{Status: sdk.StatusPending, ConnectorData: &sdk.ConnectorData{Payment: strings.Repeat("x", 5000)}}, nil
		}, plugins.RuleOutcome},
	} {
		t.Run(name, func(t *testing.T) {
			d := authorize("scripted", url)
			d.BeforeSend = func(context.Context, port.SendIntent) error {
				t.Fatal("no intent of what does not leave")
				return nil
			}
			counted := &observer{}
			res, err := native(t, plugins.Options{Observer: counted}, c.f, d)
			v, is := errors.AsType[*plugins.Violation](err)
			require.True(t, is, "%v", err)
			require.Equal(t, c.rule, v.Rule)
			require.Equal(t, "scripted", v.Adapter)
			require.False(t, res.MayHaveLeft)
			require.Nil(t, res.Outcome)
			require.Equal(t, []string{"violated " + c.rule}, counted.of("violated"))
			for _, secret := range []string{cardNumber, secretKey} {
				require.NotContains(t, err.Error(), secret)
			}
			require.NotRegexp(t, `\b`+cardCVC+`\b`, err.Error()) // a port may hold the same digits
		})
	}
	require.Zero(t, arrivals.Load())
	require.Zero(t, otherArrivals.Load())
}
