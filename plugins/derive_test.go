package plugins_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

// The host checks a webhook's signature with the real secret, which the adapter does not know.
func TestVerifies(t *testing.T) {
	const body = `{"event":"paid","part":"signed"}`
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte("1700000000." + body))
	hexed := hex.EncodeToString(mac.Sum(nil))
	hashed := sha1.Sum([]byte(secretKey))
	mac = hmac.New(sha1.New, hashed[:])
	mac.Write([]byte(body))
	hexed1 := hex.EncodeToString(mac.Sum(nil))
	mac = hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte(`"signed"`))
	part := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	sum := sha512.Sum512([]byte(body + secretKey))
	digested := base64.RawURLEncoding.EncodeToString(sum[:])
	encodedKey := base64.StdEncoding.EncodeToString([]byte(secretKey))
	text, fn := sdk.Text, sdk.Fn
	key := func(c *sdk.Call) sdk.Expr { return text(c.Account.Credentials["secret_key"]) }
	signed := fn(sdk.FnConcat, text("1700000000."), sdk.Body())
	for name, c := range map[string]struct {
		expr       func(c *sdk.Call) sdk.Expr
		equal      string
		fails      string // part of the error, "" for none
		testSecret string // the credential, by default secretKey
	}{
		"hmac":       {func(c *sdk.Call) sdk.Expr { return fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key(c), signed)) }, hexed, "", ""},
		"other text": {func(c *sdk.Call) sdk.Expr { return fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key(c), sdk.Body())) }, "!" + hexed, "", ""},
		"other key":  {func(c *sdk.Call) sdk.Expr { return fn(sdk.FnHex, fn(sdk.FnHMACSHA256, key(c), signed)) }, "!" + hexed, "", "other"},
		"key in base64": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnHex, fn(sdk.FnHMACSHA256, fn(sdk.FnUnbase64, key(c)), signed))
		}, hexed, "", encodedKey},
		"key in hex": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnHex, fn(sdk.FnHMACSHA256, fn(sdk.FnUnhex, key(c)), signed))
		}, hexed, "", hex.EncodeToString([]byte(secretKey))},
		"of another key's digest": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnHex, fn(sdk.FnHMACSHA1, fn(sdk.FnSHA1, key(c)), sdk.Body()))
		}, hexed1, "", ""},
		"plain digest with the key in it": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnBase64URL, fn(sdk.FnSHA512, fn(sdk.FnConcat, sdk.Body(), key(c))))
		}, digested, "", ""},
		"signed part": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnBase64, fn(sdk.FnHMACSHA256, key(c), fn(sdk.FnUnbase64URL, text("InNpZ25lZCI"))))
		}, part, "", ""},
		"basic": {func(c *sdk.Call) sdk.Expr {
			return fn(sdk.FnConcat, text("Basic "), sdk.Basic("u", c.Account.Credentials["secret_key"]))
		}, "", "not a signature of the message", ""},
		"within text":                    {func(c *sdk.Call) sdk.Expr { return text("a" + c.Account.Credentials["secret_key"] + "b") }, "", "not a signature of the message", ""},
		"sha1":                           {func(*sdk.Call) sdk.Expr { return fn(sdk.FnHex, fn(sdk.FnSHA1, text("abc"))) }, "", "not a signature of the message", ""},
		"not its form":                   {func(c *sdk.Call) sdk.Expr { return fn(sdk.FnHMACSHA256, fn(sdk.FnUnhex, key(c)), sdk.Body()) }, "", "", ""},
		"not its form, of the adapter's": {func(*sdk.Call) sdk.Expr { return fn(sdk.FnUnhex, text("x")) }, "", "not in the form that it decodes", ""},
		"padding":                        {func(*sdk.Call) sdk.Expr { return fn(sdk.FnUnbase64URL, text("-_8=")) }, "", "not in the form that it decodes", ""},
		"rsa":                            {func(c *sdk.Call) sdk.Expr { return fn(sdk.FnRSASHA256, key(c), sdk.Body()) }, "", "", ""},
		"no function":                    {func(*sdk.Call) sdk.Expr { return fn("md5", sdk.Body()) }, "", "is not a function", ""},
		"arguments":                      {func(*sdk.Call) sdk.Expr { return fn(sdk.FnSHA256) }, "", "takes 1 arguments", ""},
		"derivation":                     {func(c *sdk.Call) sdk.Expr { return text(c.Derive(sdk.Body())) }, "", "derivation", ""},
		"large": {func(c *sdk.Call) sdk.Expr {
			x := text(strings.Repeat("x", 1<<19))
			return fn(sdk.FnHMACSHA256, key(c), fn(sdk.FnConcat, x, sdk.Body()))
		}, "", "", ""},
		"larger": {func(*sdk.Call) sdk.Expr {
			e := text(strings.Repeat("x", 1<<16))
			for range 5 {
				e = fn(sdk.FnHex, fn(sdk.FnHex, e))
			}
			return e
		}, "", "more than", ""},
		"many parts": {func(*sdk.Call) sdk.Expr {
			args := make([]sdk.Expr, 100)
			for i := range args {
				args[i] = text("x")
			}
			return fn(sdk.FnConcat, args...)
		}, "", "more than 64 parts", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := authorize("scripted", "")
			d.Operation, d.Secrets, d.Request = sdk.OpWebhook, card.Secrets{}, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}}
			if c.testSecret != "" {
				d.Account.Credentials["api_key"] = secret.New(c.testSecret)
			}
			equal, different := strings.CutPrefix(c.equal, "!")
			res, err := native(t, plugins.Options{}, func(call *sdk.Call) (*sdk.Outcome, error) {
				ok, err := call.Verify(c.expr(call), equal)
				if err != nil || !ok {
					return &sdk.Outcome{Status: sdk.StatusUnknown}, err
				}
				return &sdk.Outcome{Status: sdk.StatusHandled}, nil
			}, d)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails)
				require.NotContains(t, err.Error(), secretKey)
				return
			}
			require.NoError(t, err)
			require.Equal(t, different || c.equal == "", res.Outcome.Status == sdk.StatusUnknown, "%+v", res.Outcome)
			require.Len(t, res.Exchanges, 1)
			require.False(t, res.Exchanges[0].Sent)
			require.False(t, res.MayHaveLeft)
		})
	}
	t.Run("at most four", func(t *testing.T) {
		d := authorize("scripted", "")
		d.Operation, d.Request.Webhook = sdk.OpWebhook, &sdk.WebhookMessage{Body: []byte("x")}
		res, err := native(t, plugins.Options{}, func(call *sdk.Call) (*sdk.Outcome, error) {
			for range 10 {
				if _, err := call.Verify(fn(sdk.FnHMACSHA256, text(call.Account.Credentials["secret_key"]), sdk.Body()), "y"); err != nil {
					return nil, err
				}
			}
			return &sdk.Outcome{Status: sdk.StatusHandled}, nil
		}, d)
		require.NoError(t, err)
		require.Len(t, res.Exchanges, sdk.MaxVerifies)
		require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
	})
	t.Run("not over card data", func(t *testing.T) {
		d := authorize("scripted", "")
		d.Operation, d.Request.Webhook = sdk.OpWebhook, &sdk.WebhookMessage{Body: []byte("x")}
		_, err := native(t, plugins.Options{}, func(call *sdk.Call) (*sdk.Outcome, error) {
			_, err := call.Verify(text(call.Request.Instrument.Card.Number), "y")
			return nil, err
		}, d)
		require.ErrorContains(t, err, "card data")
	})
}

// The authentication value is the only card data that can be compared, and only as a whole.
func TestVerifiesTheAuthenticationValue(t *testing.T) {
	const value = "AAABBWcSNIdjeUZThmNHAAAAAAA="
	for name, c := range map[string]struct {
		ask  func(call *sdk.Call) (bool, error)
		want bool
		rule string // the broken rule
	}{
		"equal":         {func(call *sdk.Call) (bool, error) { return call.VerifyCAVV(value) }, true, ""},
		"another":       {func(call *sdk.Call) (bool, error) { return call.VerifyCAVV(value[:27] + "x") }, false, ""},
		"its beginning": {func(call *sdk.Call) (bool, error) { return call.VerifyCAVV(value[:4]) }, false, ""},
		"nothing":       {func(call *sdk.Call) (bool, error) { return call.VerifyCAVV("") }, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := authorize("scripted", "")
			d.Request.ThreeDS = &sdk.ThreeDSResult{CAVV: "whatever stood there", ECI: "05"}
			d.Secrets.CAVV = secret.New(value)
			res, err := native(t, plugins.Options{}, func(call *sdk.Call) (*sdk.Outcome, error) {
				require.NotContains(t, call.Request.ThreeDS.CAVV, value)
				ok, err := c.ask(call)
				if err != nil {
					return nil, err
				}
				require.Equal(t, c.want, ok)
				return &sdk.Outcome{Status: sdk.StatusAuthorized}, nil
			}, d)
			require.NoError(t, err)
			require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
			require.False(t, res.MayHaveLeft)
		})
	}
	for name, change := range map[string]func(s *sdk.Step) sdk.Expr{
		"a hash of it": func(s *sdk.Step) sdk.Expr { return sdk.Fn(sdk.FnSHA256, sdk.Text(s.Request.ThreeDS.CAVV)) },
		"with text":    func(s *sdk.Step) sdk.Expr { return sdk.Text(s.Request.ThreeDS.CAVV + "x") },
		"twice": func(s *sdk.Step) sdk.Expr {
			return sdk.Fn(sdk.FnConcat, sdk.Text(s.Request.ThreeDS.CAVV), sdk.Text(s.Request.ThreeDS.CAVV))
		},
		"the card's number": func(s *sdk.Step) sdk.Expr { return sdk.Text(s.Request.Instrument.Card.Number) },
		"the CVC":           func(s *sdk.Step) sdk.Expr { return sdk.Text(s.Request.Instrument.Card.CVC) },
		"a credential":      func(s *sdk.Step) sdk.Expr { return sdk.Text(s.Account.Credentials["api_key"]) },
		"the body":          func(*sdk.Step) sdk.Expr { return sdk.Body() },
	} {
		t.Run("not "+name, func(t *testing.T) {
			d := authorize("scripted", "")
			d.Request.ThreeDS = &sdk.ThreeDSResult{ECI: "05"}
			d.Secrets.CAVV = secret.New(value)
			_, err := plugins.CompareCAVV(d, &scripted(nil).Manifest, change, value)
			v, is := errors.AsType[*plugins.Violation](err)
			require.True(t, is, "%v", err)
			require.Equal(t, plugins.RuleVerify, v.Rule)
		})
	}
}
