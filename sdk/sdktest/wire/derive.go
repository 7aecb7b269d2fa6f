package wire

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"payswitch/sdk"
)

// Evaluate computes an expression without stand-ins. body is the body of the request or of the webhook message.
func Evaluate(x sdk.Expr, body []byte) ([]byte, error) {
	e := substitution{body: body}
	return e.value(x)
}

// A substitution replaces stand-ins by values.
type substitution struct {
	values map[string]string // by stand-in
	derive []sdk.Derivation
	body   []byte
	depth  int // of derivations within derivations
}

func (e *substitution) value(x sdk.Expr) ([]byte, error) {
	args := make([][]byte, len(x.Args))
	for i := range x.Args {
		v, err := e.value(x.Args[i])
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	want := 1
	switch x.Fn {
	case sdk.FnText:
		text, err := e.text(x.Text, plain)
		return []byte(text), err
	case sdk.FnBody:
		return e.body, nil
	case sdk.FnConcat:
		return bytes.Join(args, nil), nil
	case sdk.FnBasic, sdk.FnHMACSHA1, sdk.FnHMACSHA256, sdk.FnHMACSHA512, sdk.FnRSASHA256, sdk.FnECDSASHA256, sdk.FnRSAOAEPSHA256:
		want = 2
	}
	if len(args) != want {
		return nil, fmt.Errorf("function %s takes %d arguments, not %d", x.Fn, want, len(args))
	}
	return apply(x.Fn, args)
}

func apply(fn string, args [][]byte) ([]byte, error) {
	switch fn {
	case sdk.FnBasic:
		return []byte(base64.StdEncoding.EncodeToString(bytes.Join(args, []byte(":")))), nil
	case sdk.FnBase64:
		return []byte(base64.StdEncoding.EncodeToString(args[0])), nil
	case sdk.FnBase64URL:
		return []byte(base64.RawURLEncoding.EncodeToString(args[0])), nil
	case sdk.FnUnbase64:
		return base64.StdEncoding.DecodeString(string(args[0]))
	case sdk.FnUnbase64URL:
		return base64.RawURLEncoding.DecodeString(string(args[0]))
	case sdk.FnHex:
		return []byte(hex.EncodeToString(args[0])), nil
	case sdk.FnUnhex:
		return hex.DecodeString(string(args[0]))
	case sdk.FnSHA1:
		return digest(sha1.New(), args[0]), nil
	case sdk.FnSHA256:
		return digest(sha256.New(), args[0]), nil
	case sdk.FnSHA512:
		return digest(sha512.New(), args[0]), nil
	case sdk.FnHMACSHA1:
		return digest(hmac.New(sha1.New, args[0]), args[1]), nil
	case sdk.FnHMACSHA256:
		return digest(hmac.New(sha256.New, args[0]), args[1]), nil
	case sdk.FnHMACSHA512:
		return digest(hmac.New(sha512.New, args[0]), args[1]), nil
	case sdk.FnRSASHA256, sdk.FnECDSASHA256, sdk.FnRSAOAEPSHA256:
		return withKey(fn, args[0], args[1])
	}
	return nil, fmt.Errorf("function %q is not known", fn)
}

func digest(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}

func withKey(fn string, text, data []byte) ([]byte, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New(fn + ": the key is not PEM")
	}
	sum := sha256.Sum256(data)
	for _, parse := range []func([]byte) (any, error){x509.ParsePKCS8PrivateKey, x509.ParsePKIXPublicKey,
		func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) }, func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParsePKCS1PublicKey(b) }} {
		key, err := parse(block.Bytes)
		if err != nil {
			continue
		}
		switch key := key.(type) {
		case *rsa.PrivateKey:
			if fn == sdk.FnRSASHA256 {
				return rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
			}
		case *ecdsa.PrivateKey:
			if fn == sdk.FnECDSASHA256 {
				return ecdsa.SignASN1(rand.Reader, key, sum[:])
			}
		case *rsa.PublicKey:
			if fn == sdk.FnRSAOAEPSHA256 {
				return rsa.EncryptOAEP(sha256.New(), rand.Reader, key, data, nil)
			}
		}
	}
	return nil, errors.New(fn + ": the key is not of the kind that the function needs")
}

// text replaces the stand-ins in a text. It escapes each value for its place.
func (e *substitution) text(s string, escape func(string) string) (string, error) {
	var pairs []string
	for standIn, value := range e.values {
		pairs = append(pairs, standIn, escape(value))
	}
	derive := slices.Clone(e.derive) // longest first: the stand-in of index 1 is a prefix of that of index 10
	slices.SortFunc(derive, func(a, b sdk.Derivation) int { return len(b.StandIn) - len(a.StandIn) })
	for _, d := range derive {
		if !strings.Contains(s, d.StandIn) {
			continue
		}
		if e.depth++; e.depth > len(derive) {
			return "", errors.New("the derivations refer to each other in a circle")
		}
		v, err := e.value(d.Expr)
		e.depth--
		if err != nil {
			return "", fmt.Errorf("derivation %s: %w", d.StandIn, err)
		}
		pairs = append(pairs, d.StandIn, escape(string(v)))
	}
	return strings.NewReplacer(pairs...).Replace(s), nil
}

// Substitute returns the send as it leaves the host: it replaces the stand-ins of derivations by their values, escaped as JSON, form or XML
// by the content type. values holds further stand-ins with their values and may be nil.
func Substitute(s *sdk.Send, values map[string]string) (*sdk.Send, error) {
	e := substitution{values: values, derive: s.Derive}
	out := *s
	body, err := e.text(string(s.Body), escapeOf(bodyKind(s)))
	if err != nil {
		return nil, err
	}
	out.Body, e.body = []byte(body), []byte(body)
	if out.URL, err = e.text(s.URL, sdk.QueryEscape); err != nil {
		return nil, err
	}
	out.Headers = slices.Clone(s.Headers)
	for i, h := range s.Headers {
		if out.Headers[i].Value, err = e.text(h.Value, plain); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

func plain(s string) string { return s }

func escapeOf(kind string) func(string) string {
	switch kind {
	case "json":
		return func(s string) string {
			b := sdk.NewArray().Str(s).String()
			return b[2 : len(b)-2]
		}
	case "form":
		return sdk.QueryEscape
	case "xml":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace
	}
	return plain
}
