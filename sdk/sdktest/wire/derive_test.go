package wire

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

func TestEvaluate(t *testing.T) {
	text, hex := sdk.Text, func(x sdk.Expr) sdk.Expr { return sdk.Fn(sdk.FnHex, x) }
	for want, x := range map[string]sdk.Expr{
		"abc": text("abc"), "the body": sdk.Body(), "ab": sdk.Fn(sdk.FnConcat, text("a"), text("b")), "": sdk.Fn(sdk.FnConcat),
		"dXNlcjpwYXNz": sdk.Basic("user", "pass"), "/+8=": sdk.Fn(sdk.FnBase64, text("\xff\xef")), "_-8": sdk.Fn(sdk.FnBase64URL, text("\xff\xef")),
		"\xff\xef": sdk.Fn(sdk.FnUnbase64, text("/+8=")), "\xff\xee": sdk.Fn(sdk.FnUnbase64URL, text("_-4")), "ff": hex(text("\xff")), "\xfe": sdk.Fn(sdk.FnUnhex, text("fe")),
		"a9993e364706816aba3e25717850c26c9cd0d89d":                                                                                         hex(sdk.Fn(sdk.FnSHA1, text("abc"))),
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad":                                                                 hex(sdk.Fn(sdk.FnSHA256, text("abc"))),
		"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f": hex(sdk.Fn(sdk.FnSHA512, text("abc"))),
		// RFC 2202 and RFC 4231, test case 2.
		"effcdf6ae5eb2fa2d27416d5f184df9c259a7c79":                                                                                         hex(sdk.Fn(sdk.FnHMACSHA1, text("Jefe"), text("what do ya want for nothing?"))),
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843":                                                                 hex(sdk.Fn(sdk.FnHMACSHA256, text("Jefe"), text("what do ya want for nothing?"))),
		"164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737": hex(sdk.Fn(sdk.FnHMACSHA512, text("Jefe"), text("what do ya want for nothing?"))),
	} {
		got, err := Evaluate(x, []byte("the body"))
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	for _, x := range []sdk.Expr{{}, {Fn: "rot13", Args: []sdk.Expr{text("a")}}, sdk.Fn(sdk.FnHex), sdk.Fn(sdk.FnBasic, text("a")), sdk.Fn(sdk.FnUnhex, text("x")),
		sdk.Fn(sdk.FnRSASHA256, text("no PEM"), text("a")), sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnUnhex, text("x")))} {
		_, err := Evaluate(x, nil)
		require.Error(t, err, x)
	}
}

func TestEvaluateKeys(t *testing.T) {
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	private := func(key any) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	public, err := x509.MarshalPKIXPublicKey(&r.PublicKey)
	require.NoError(t, err)
	sum := sha256.Sum256([]byte("data"))

	code, err := Evaluate(sdk.Fn(sdk.FnRSASHA256, sdk.Text(private(r)), sdk.Text("data")), nil)
	require.NoError(t, err)
	require.NoError(t, rsa.VerifyPKCS1v15(&r.PublicKey, crypto.SHA256, sum[:], code))
	code, err = Evaluate(sdk.Fn(sdk.FnECDSASHA256, sdk.Text(private(e)), sdk.Text("data")), nil)
	require.NoError(t, err)
	require.True(t, ecdsa.VerifyASN1(&e.PublicKey, sum[:], code))
	secret, err := Evaluate(sdk.Fn(sdk.FnRSAOAEPSHA256, sdk.Text(string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))), sdk.Text("data")), nil)
	require.NoError(t, err)
	plain, err := rsa.DecryptOAEP(sha256.New(), nil, r, secret, nil)
	require.NoError(t, err)
	require.Equal(t, "data", string(plain))
	_, err = Evaluate(sdk.Fn(sdk.FnECDSASHA256, sdk.Text(private(r)), sdk.Text("data")), nil)
	require.ErrorContains(t, err, "the key is not of the kind that the function needs")
}

// Values are escaped for their places, also in nested derivations and in derivations over the body.
func TestSubstitute(t *testing.T) {
	send := func(contentType, body string) *sdk.Send {
		return &sdk.Send{Method: "POST", URL: "https://a.example/?k=D10", Body: []byte(body), Headers: []sdk.Header{sdk.H("Content-Type", contentType), sdk.H("Digest", "SHA=D2")},
			Derive: []sdk.Derivation{{StandIn: "D1", Expr: sdk.Text(`<"&SECRET`)}, {StandIn: "D10", Expr: sdk.Fn(sdk.FnConcat, sdk.Text("x D1"))}, {StandIn: "D2", Expr: sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA256, sdk.Body()))}}}
	}
	for contentType, body := range map[string]struct{ before, after string }{
		"application/json":                  {`{"a":"D1"}`, `{"a":"<\"&s"}`},
		"application/x-www-form-urlencoded": {"a=D1", "a=%3C%22%26s"},
		"text/xml":                          {"<a>D1</a>", "<a>&lt;&quot;&amp;s</a>"},
		"text/plain":                        {"D1", `<"&s`},
	} {
		got, err := Substitute(send(contentType, body.before), map[string]string{"SECRET": "s"})
		require.NoError(t, err)
		require.Equal(t, body.after, string(got.Body))
		require.Equal(t, "https://a.example/?k=x+%3C%22%26s", got.URL)
		sum, err := Evaluate(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA256, sdk.Text(body.after))), nil)
		require.NoError(t, err)
		require.Equal(t, "SHA="+string(sum), got.Headers[1].Value, "the digest is over what leaves")
	}
	circle := &sdk.Send{URL: "D1", Derive: []sdk.Derivation{{StandIn: "D1", Expr: sdk.Text("D2")}, {StandIn: "D2", Expr: sdk.Text("D1")}}}
	_, err := Substitute(circle, nil)
	require.ErrorContains(t, err, "circle")
}

// Bodies of every kind give the same paths for the same values.
func TestFields(t *testing.T) {
	for _, row := range []struct {
		contentType, body string
		want              fields
	}{
		{"application/json", `{"a":[1,{"b":"x"}],"c":null,"d":{},"e":[],"f":true}`, fields{"body.a[0]": "1", "body.a[1].b": `"x"`, "body.c": "null", "body.d": "{}", "body.e": "[]", "body.f": "true"}},
		{"application/x-www-form-urlencoded", "a%5B0%5D=1&b=x+y&b=z", fields{"body.a[0]": `"1"`, "body.b": `"x y"`, "body.b#2": `"z"`}},
		{"application/xml", `<?xml version="1.0"?><n:a k="v"><b>1</b><b c="2">3</b><d/></n:a>`, fields{"body.n:a.@k": `"v"`, "body.n:a.b[0]": `"1"`, "body.n:a.b[1].@c": `"2"`, "body.n:a.b[1].#text": `"3"`, "body.n:a.d": `""`}},
		{"multipart/form-data; boundary=X", "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--X--\r\n", fields{"body.a": `"1"`}},
		{"text/plain", "as it is", fields{"body": `"as it is"`}},
	} {
		s := &sdk.Send{Method: "POST", URL: "https://a.example/x", Body: []byte(row.body), Headers: []sdk.Header{sdk.H("Content-Type", row.contentType)}}
		got, err := fieldsOf(s)
		require.NoError(t, err)
		for _, p := range []string{"method", "url", "headers.content-type"} {
			require.NotEmpty(t, got[p])
			delete(got, p)
		}
		require.Equal(t, row.want, got)
	}
	for contentType, body := range map[string]string{"application/json": "{}{}", "text/json": "{", "text/xml": "<a>", "application/x-www-form-urlencoded": "a=%z", "multipart/form-data; boundary=X": "--X\r\nno"} {
		_, err := fieldsOf(&sdk.Send{Method: "POST", URL: "https://a.example/", Body: []byte(body), Headers: []sdk.Header{sdk.H("Content-Type", contentType)}})
		require.Error(t, err, contentType)
	}
}

func TestSetField(t *testing.T) {
	r := &Response{Body: map[string]any{"a": []any{map[string]any{"b": "x"}, "y"}}}
	require.True(t, SetField(r, "a[0].b", "1"))
	require.True(t, SetField(r, "a[1]", "2"))
	require.False(t, SetField(r, "a[2]", "3"))
	require.False(t, SetField(r, "a[0].c", "3"))
	require.Equal(t, map[string]any{"a": []any{map[string]any{"b": "1"}, "2"}}, r.Body)
	r.Body = "a=1&b=2"
	require.True(t, SetField(r, "b", "x y"))
	require.Equal(t, "a=1&b=x+y", r.Body)
	require.False(t, SetField(r, "c", ""))
	r.Body = "<x><state>old</state></x>"
	require.True(t, SetField(r, "x.state", "new"))
	require.Equal(t, "<x><state>new</state></x>", r.Body)
}
