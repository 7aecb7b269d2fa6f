package plugins_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/sdk"
)

func pemOf(kind string, der []byte, err error) string {
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func TestSignatures(t *testing.T) {
	p := newRecorder(t)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der := func(k any) string { b, err := x509.MarshalPKCS8PrivateKey(k); return pemOf("PRIVATE KEY", b, err) }
	ec, err := x509.MarshalECPrivateKey(ecKey)
	sec1 := pemOf("EC PRIVATE KEY", ec, err)
	for name, c := range map[string]struct {
		fn, key string
		unfit   bool // the key is unfit; the text in place of the signature does not reveal it
	}{
		"RSA, PKCS #8":   {sdk.FnRSASHA256, der(rsaKey), false},
		"RSA, PKCS #1":   {sdk.FnRSASHA256, pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), nil), false},
		"EC, PKCS #8":    {sdk.FnECDSASHA256, der(ecKey), false},
		"EC, SEC 1":      {sdk.FnECDSASHA256, sec1, false},
		"another kind":   {sdk.FnRSASHA256, der(ecKey), true},
		"another kind 2": {sdk.FnECDSASHA256, der(rsaKey), true},
		"no PEM":         {sdk.FnECDSASHA256, secretKey, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := authorize("scripted", p.URL)
			d.Account.Credentials["api_key"], d.Record = secret.New(c.key), true
			signs := sending(func(call *sdk.Call) *sdk.Send {
				return post("/", bytesOf(`{"card":{"card_number":"`, testCard(call).Number, `"}}`), mime("application/json"),
					sdk.H("Authorization", "Bearer "+call.Derive(fn(sdk.FnBase64, fn(c.fn, text(testSecret(call)), sdk.Body())))))
			})
			var log logged
			res, err := driveBlind(t, plugins.Options{Logger: log.logger()}, signs, d)
			require.NoError(t, err)
			require.Equal(t, c.unfit, strings.Contains(log.String(), "a secret of the account is unfit for its use"), log.String())
			if c.unfit {
				require.Equal(t, "Bearer /w==", p.take()[0].header.Get("Authorization"))
				return
			}
			require.Equal(t, sdk.StatusAuthorized, res.Outcome.Status)
			requireHeld(t, signs, res.Recordings[0], "")
			got := p.take()[0]
			signature, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(got.header.Get("Authorization"), "Bearer "))
			require.NoError(t, err)
			require.Contains(t, got.body, cardNumber)
			digest := sha256.Sum256([]byte(got.body))
			if c.fn == sdk.FnRSASHA256 {
				require.NoError(t, rsa.VerifyPKCS1v15(&rsaKey.PublicKey, crypto.SHA256, digest[:], signature))
			} else {
				require.True(t, ecdsa.VerifyASN1(&ecKey.PublicKey, digest[:], signature))
			}
		})
	}
}

// A processor's public key is in the account's config. The encrypted card may stand where card data may.
func TestEncryptedCard(t *testing.T) {
	p := newRecorder(t)
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	public, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	d := authorize("scripted", p.URL)
	d.Account.Config["merchant_id"] = pemOf("PUBLIC KEY", public, err)
	send := func(key string, data func(c *sdk.Call) string) error {
		p.take()
		_, err := driveBlind(t, plugins.Options{}, sending(func(c *sdk.Call) *sdk.Send {
			if key == "" {
				key = c.Account.Config["merchant_id"]
			}
			cipher := c.Derive(fn(sdk.FnBase64, fn(sdk.FnRSAOAEPSHA256, text(key), text(data(c)))))
			return post("/", bytesOf(`{"card":{"card_number":"`, cipher, `"}}`), mime("application/json"), bearer(c))
		}), d)
		return err
	}
	number := func(c *sdk.Call) string { return "number=" + testCard(c).Number }
	require.NoError(t, send("", number))
	var got struct{ Card struct{ Card_number []byte } }
	require.NoError(t, json.Unmarshal([]byte(p.take()[0].body), &got))
	plain, err := rsa.DecryptOAEP(sha256.New(), nil, k, got.Card.Card_number, nil)
	require.NoError(t, err)
	require.Equal(t, "number="+cardNumber, string(plain))

	require.ErrorContains(t, send("", func(c *sdk.Call) string { return number(c) + testCard(c).CVC }), "stand-in of cvc", "not declared there")
	require.ErrorContains(t, send("", func(c *sdk.Call) string { return number(c) + testSecret(c) }), "mixes")
	author, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	require.ErrorContains(t, send(pemOf("AUTHOR KEY", author, err), number), "must be the account's")
	require.Empty(t, p.take())
}

func TestCapture(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) {
		_, _ = w.Write([]byte(`{"session":{"key":"session_\"key\"_0123456789","n":4200000000042},"list":[{"a":"first"},{"a":"second"}],"again":"first"}`))
	}
	f := func(c *sdk.Call) (*sdk.Outcome, error) {
		s := post("/session", nil, bearer(c))
		s.Capture = []sdk.Capture{{Path: "session.key", Name: "session"}, {Path: "session.n", Name: "n"}, {Path: "list.1.a", Name: "a"}, {Path: "none", Name: "b"}}
		r, err := c.Do(s)
		if err != nil {
			return nil, err
		}
		require.NotContains(t, string(r.Body), "session_")
		require.NotContains(t, string(r.Body), "4200000000042")
		require.NotContains(t, string(r.Body), "second")
		require.Equal(t, "first", r.JSON().Str("list.0.a"))
		_, err = c.Do(post("/pay", bytesOf(`{"credential":"`, testSecret(c), `"}`), mime("application/json"), sdk.H("Authorization", "Bearer "+r.JSON().Str("session.key"))))
		if err != nil {
			return nil, err
		}
		return authorized, nil
	}
	d := authorize("scripted", p.URL)
	res, err := driveBlind(t, plugins.Options{}, f, d)
	require.NoError(t, err)
	require.Len(t, res.Exchanges, 2)
	require.NotContains(t, string(res.Exchanges[0].Body), "session_")
	require.Equal(t, `Bearer session_"key"_0123456789`, p.take()[1].header.Get("Authorization"))

	d.Resume = res.Exchanges[:1]
	_, err = driveBlind(t, plugins.Options{}, f, d)
	require.ErrorContains(t, err, "a captured value that the host no longer has")
	require.Empty(t, p.take(), "the stand-in itself does not leave either")
}

// A returned card number is not captured: a captured value could be hashed.
func TestTheCardIsNotCaptured(t *testing.T) {
	p := newRecorder(t)
	p.answer = func(w http.ResponseWriter, r recorded) {
		if r.body != "" {
			_, _ = w.Write([]byte(`{"n":"4111 1111 1111 1111","cvc":"737","hex":{"cvc":"373337"}}`))
		}
	}
	var seen string
	_, err := driveBlind(t, plugins.Options{}, func(c *sdk.Call) (*sdk.Outcome, error) {
		s := post("/", bytesOf(`{"card":{"card_number":"`, testCard(c).Number, `","cvc":"`, c.Derive(fn(sdk.FnHex, text(testCard(c).CVC))), `"}}`), mime("application/json"), bearer(c))
		s.Capture = []sdk.Capture{{Path: "n", Name: "n"}, {Path: "cvc", Name: "c"}, {Path: "hex.cvc", Name: "h"}}
		r, err := c.Do(s)
		if err != nil {
			return nil, err
		}
		seen = string(r.Body)
		return authorized, nil
	}, authorize("scripted", p.URL))
	require.NoError(t, err)
	require.Equal(t, `{"n":"4111 11** **** 1111","cvc":"","hex":{"cvc":""}}`, seen)
}

// The operation, host, method and path of a placement decide. A host that the operator set counts as the manifest's host that it
// replaces.
func TestPlacementsAreHeeded(t *testing.T) {
	p := newRecorder(t)
	for name, c := range map[string]struct {
		change func(l *sdk.Placement)
		ok     bool
	}{
		"host":           {func(l *sdk.Placement) { l.Host = "api.acme.example" }, true},
		"another host":   {func(l *sdk.Placement) { l.Host = "vault.acme.example" }, false},
		"path":           {func(l *sdk.Placement) { l.Path = "/v1/*/pay" }, true},
		"another path":   {func(l *sdk.Placement) { l.Path = "/v1/*" }, false},
		"longer path":    {func(l *sdk.Placement) { l.Path = "/v1/*/pay/*" }, false},
		"method":         {func(l *sdk.Placement) { l.Method = "PUT" }, false},
		"operation":      {func(l *sdk.Placement) { l.Operation = sdk.OpSync }, false},
		"kind":           {func(l *sdk.Placement) { l.Escapes = "xml" }, false},
		"kind, declared": {func(l *sdk.Placement) { l.Escapes = "json" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := blind(sending(func(c *sdk.Call) *sdk.Send {
				return post("/v1/m/pay", bytesOf(`{"n":"`, testCard(c).Number, `"}`), mime("application/json"), bearer(c))
			}))
			l := sdk.Placement{Secret: "card_number", In: "body", Field: "n"}
			c.change(&l)
			a.Manifest.Placements = []sdk.Placement{l}
			a.Manifest.Environments = map[string]sdk.Environment{"test": {BaseURL: "https://api.acme.example", Hosts: []string{"api.acme.example", "vault.acme.example"}}}
			n, err := plugins.NewNative(map[string]*sdk.Adapter{"scripted": a}, plugins.Options{AllowLoopbackHTTP: true})
			require.NoError(t, err)
			_, err = n.Drive(t.Context(), authorize("scripted", p.URL))
			require.Equal(t, c.ok, err == nil, "%v", err)
			require.Equal(t, c.ok, len(p.take()) == 1)
		})
	}
}
