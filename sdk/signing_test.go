package sdk_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// signed returns an adapter whose processor wants every request signed: method, target, time, access key and body.
func signed() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{Name: "signed", Kind: sdk.KindProcessor,
			Credentials:  []sdk.Field{{Name: "access_key", Type: "secret"}, {Name: "secret_key", Type: "secret"}, {Name: "other", Type: "secret", Optional: true}},
			Environments: map[string]sdk.Environment{"test": sdk.At("https://api.signed.example/v1")}},
		Signing: func(c *sdk.Call, s *sdk.Send) {
			at := strconv.FormatInt(c.Now().Unix(), 10)
			text := sdk.Text(s.Method + s.Target() + at + c.Account.Credentials["access_key"])
			s.Add("timestamp", at).Add("signature", c.Derive(sdk.HMACSHA256(c.Secret("secret_key"), text, sdk.Body()).Hex().Base64()))
		},
		Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
			body := sdk.NewObject().Int("amount", c.Request.Amount.Minor)
			first := sdk.Must(c.Do(sdk.JSONSend("POST", "/payments?a=1", body).Keyed("idempotency")))
			second := sdk.Must(c.Get("/payments/" + first.JSON().Str("id")))
			return &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: second.JSON().Str("id")}, nil
		},
	}
}

// Each send is signed once, over the request as it leaves. A repeated step signs the earlier sends alike.
func TestSigning(t *testing.T) {
	a := signed()
	calls, sign := 0, a.Signing
	a.Signing = func(c *sdk.Call, s *sdk.Send) { calls++; sign(c, s) }
	step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{Amount: sdk.Money{Minor: 5, Currency: "USD"}})
	played := wire.End(t, a, step, wire.Answer(200, `{"id":"p_1"}`), wire.Answer(200, `{"id":"p_1"}`))
	require.Equal(t, "p_1", played.TransactionID)
	require.Equal(t, 1+2+2, calls, "one for each send of the three steps")
	for i, want := range []string{"POST/v1/payments?a=1", "GET/v1/payments/p_1"} {
		send := played.Sends[i]
		at := strconv.FormatInt(step.Now/1000, 10)
		mac := hmac.New(sha256.New, []byte("test_secret_key"))
		mac.Write([]byte(want + at + "test_access_key" + string(send.Body)))
		require.Equal(t, base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString(mac.Sum(nil)))), sdk.HeaderValue(send.Headers, "signature"))
		count := 0
		for _, h := range send.Headers {
			if h.Name == "signature" {
				count++
			}
		}
		require.Equal(t, 1, count)
	}
}

// Secret refuses a name that the manifest does not declare, and an account without the credential.
func TestSecret(t *testing.T) {
	a := signed()
	ends := func(name string, change func(*sdk.Step)) sdk.Result {
		a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
			return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"key": c.Secret(name).Text}}, nil
		}
		step := wire.NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{Amount: sdk.Money{Minor: 5, Currency: "USD"}})
		if change != nil {
			change(step)
		}
		return a.Step(step)
	}
	require.Equal(t, "test_secret_key", ends("secret_key", nil).Outcome.Raw["key"])
	require.Equal(t, "the manifest declares no credential secret, which Call.Secret reads", ends("secret", nil).Outcome.Raw["error"])
	given := ends("secret", func(s *sdk.Step) { s.Account.Credentials["secret"] = "given" })
	require.Equal(t, "the manifest declares no credential secret, which Call.Secret reads", given.Outcome.Raw["error"], "a test's account may have more than the manifest declares")
	require.Equal(t, "the account lacks the credential other", ends("other", func(s *sdk.Step) { delete(s.Account.Credentials, "other") }).Reject.Message)
	require.Equal(t, "token", ends("access_token", func(s *sdk.Step) { s.Account.Credentials["access_token"] = "token" }).Outcome.Raw["key"])
}

// The helpers make the expressions that the protocol defines.
func TestSigningExpressions(t *testing.T) {
	key := sdk.Text("k")
	require.Equal(t, sdk.Fn("base64", sdk.Fn("hmac_sha512", sdk.Fn("unhex", key), sdk.Fn("concat", sdk.Text("a"), sdk.Body()))),
		sdk.HMACSHA512(key.Unhex(), sdk.Text("a"), sdk.Body()).Base64())
	require.Equal(t, sdk.Fn("base64url", sdk.Fn("sha256", sdk.Body())), sdk.SHA256(sdk.Body()).Base64URL())
	require.Equal(t, sdk.Fn("hex", sdk.Fn("rsa_sha256", sdk.Fn("unbase64", key), sdk.Body())), sdk.RSASHA256(key.Unbase64(), sdk.Body()).Hex())
	for url, want := range map[string]string{"https://a.example/v1/x?y=z": "/v1/x?y=z", "https://a.example": "/", "https://a.example/": "/"} {
		require.Equal(t, want, (&sdk.Send{URL: url}).Target())
	}
}

// A decline code may have spaces, and a key need not make a request safe to repeat.
func TestSmallHelpers(t *testing.T) {
	codes := sdk.ParseDeclines("\"Do Not Honor\" do_not_honor\n\"Lost, stolen*\" lost_card:final  Card lost\n51,52 insufficient_funds\n")
	require.Equal(t, sdk.DeclineDoNotHonor, codes.Of("Do Not Honor"))
	require.Equal(t, "Card lost", codes.New("Lost, stolen*", "", "").Message)
	require.Equal(t, sdk.DeclineInsufficientFunds, codes.Of("52"))
	require.PanicsWithValue(t, "decline codes, line 1: a quotation mark has no second one", func() { sdk.ParseDeclines("\"Do Not Honor do_not_honor\n") })
	send := sdk.JSONSend("POST", "/x", nil).KeyedOnce("Request-Id")
	require.False(t, send.SafeToRepeat)
	require.Equal(t, "Request-Id", send.IdempotencyHeader)
	require.EqualError(t, (&sdk.Request{}).NeedTransaction(), "missing_parameter: the processor's id of the payment is needed (connector_transaction_id)")
	require.NoError(t, (&sdk.Request{TransactionID: "p_1"}).NeedTransaction())
	a := &sdk.Adapter{Manifest: sdk.Manifest{Name: "asks", Kind: sdk.KindProcessor}}
	ask := func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusUnknown, Raw: map[string]string{"asks": strconv.FormatBool(c.Asks())}}, nil
	}
	a.Sync, a.Capture = ask, ask
	for op, want := range map[sdk.Operation]string{sdk.OpSync: "true", sdk.OpCapture: "false"} {
		require.Equal(t, want, a.Step(wire.NewStep(&a.Manifest, op, sdk.Request{})).Outcome.Raw["asks"])
	}
}
