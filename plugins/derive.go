package plugins

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"

	"payswitch/sdk"
)

// Bounds of an expression: far above what a signature scheme needs, far below what costs anything.
const (
	maxExprNodes = 64
	maxExprBytes = 2 * sdk.MaxMessage // of all intermediate values together
)

// evaluation computes one expression over real secrets. Its values never leave the host.
type evaluation struct {
	secrets *standIns
	body    []byte
	nodes   int
	bytes   int
}

// verify says whether the value of v.Expr is v.Equal, compared in constant time (but for the length, which is no secret).
func verify(v *sdk.Verify, secrets *standIns, body []byte) (bool, error) {
	e := evaluation{secrets: secrets, body: body}
	value, err := e.value(&v.Expr)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(value, []byte(v.Equal)) == 1, nil
}

func (e *evaluation) value(x *sdk.Expr) ([]byte, error) {
	if e.nodes++; e.nodes > maxExprNodes {
		return nil, violation(RuleVerify, "expression of more than %d parts", maxExprNodes)
	}
	if want, ok := arity[x.Fn]; ok && want != len(x.Args) {
		return nil, violation(RuleVerify, "function %s takes %d arguments, not %d", x.Fn, want, len(x.Args))
	}
	args := make([][]byte, len(x.Args))
	for i := range x.Args {
		v, err := e.value(&x.Args[i])
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	v, err := e.apply(x, args)
	if e.bytes += len(v); err == nil && e.bytes > maxExprBytes {
		return nil, violation(RuleVerify, "expression of more than %d bytes", maxExprBytes)
	}
	return v, err
}

// arity of the functions that take a fixed number of arguments.
var arity = map[string]int{sdk.FnText: 0, sdk.FnBody: 0,
	sdk.FnBase64: 1, sdk.FnBase64URL: 1, sdk.FnUnbase64: 1, sdk.FnUnbase64URL: 1, sdk.FnHex: 1, sdk.FnUnhex: 1,
	sdk.FnSHA1: 1, sdk.FnSHA256: 1, sdk.FnSHA512: 1, sdk.FnHMACSHA1: 2, sdk.FnHMACSHA256: 2, sdk.FnHMACSHA512: 2, sdk.FnBasic: 2}

func (e *evaluation) apply(x *sdk.Expr, args [][]byte) ([]byte, error) {
	switch x.Fn {
	case sdk.FnText:
		return e.text(x.Text)
	case sdk.FnBody:
		return e.body, nil
	case sdk.FnConcat:
		return bytes.Join(args, nil), nil
	case sdk.FnBasic:
		return base64.StdEncoding.AppendEncode(nil, bytes.Join(args, []byte(":"))), nil
	case sdk.FnBase64:
		return base64.StdEncoding.AppendEncode(nil, args[0]), nil
	case sdk.FnBase64URL:
		return base64.RawURLEncoding.AppendEncode(nil, args[0]), nil
	case sdk.FnUnbase64:
		return decoded(x.Fn, base64.StdEncoding.Strict().AppendDecode, args[0])
	case sdk.FnUnbase64URL:
		return decoded(x.Fn, base64.RawURLEncoding.Strict().AppendDecode, args[0])
	case sdk.FnHex:
		return hex.AppendEncode(nil, args[0]), nil
	case sdk.FnUnhex:
		return decoded(x.Fn, hex.AppendDecode, args[0])
	case sdk.FnSHA1:
		return sum(sha1.New(), args[0]), nil
	case sdk.FnSHA256:
		return sum(sha256.New(), args[0]), nil
	case sdk.FnSHA512:
		return sum(sha512.New(), args[0]), nil
	case sdk.FnHMACSHA1:
		return sum(hmac.New(sha1.New, args[0]), args[1]), nil
	case sdk.FnHMACSHA256:
		return sum(hmac.New(sha256.New, args[0]), args[1]), nil
	case sdk.FnHMACSHA512:
		return sum(hmac.New(sha512.New, args[0]), args[1]), nil
	case sdk.FnRSASHA256, sdk.FnECDSASHA256, sdk.FnRSAOAEPSHA256:
		return nil, violation(RuleVerify, "function %s is not offered by this release", x.Fn)
	}
	return nil, violation(RuleVerify, "no function %.40q", x.Fn)
}

// text puts credentials in the place of their stand-ins, in one pass.
func (e *evaluation) text(s string) ([]byte, error) {
	var pairs []string
	for i := range e.secrets.secrets {
		x := &e.secrets.secrets[i]
		if !strings.Contains(s, x.standIn) {
			continue
		}
		if x.card {
			return nil, violation(RuleVerify, "card data in an expression")
		}
		pairs = append(pairs, x.standIn, x.value.Reveal())
	}
	if strings.Contains(s, e.secrets.derivePrefix) {
		return nil, violation(RuleVerify, "a derivation in an expression")
	}
	return []byte(strings.NewReplacer(pairs...).Replace(s)), nil
}

// decoded does not tell what could not be decoded: it may be a secret.
func decoded(fn string, decode func(dst, src []byte) ([]byte, error), src []byte) ([]byte, error) {
	v, err := decode(nil, src)
	if err != nil || bytes.ContainsAny(src, "\r\n") { // which package base64 skips
		return nil, violation(RuleVerify, "the argument of %s is not in its form", fn)
	}
	return v, nil
}

func sum(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}
