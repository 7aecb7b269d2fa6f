package plugins

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
	"hash"
	"unicode/utf8"

	"payswitch/sdk"
)

// maxKeyBits bounds RSA keys: the time to use one grows with the third power of its size.
const maxKeyBits = 8192

// arity of the functions with a fixed number of arguments.
var arity = map[string]int{sdk.FnText: 0, sdk.FnBody: 0,
	sdk.FnBase64: 1, sdk.FnBase64URL: 1, sdk.FnUnbase64: 1, sdk.FnUnbase64URL: 1, sdk.FnHex: 1, sdk.FnUnhex: 1,
	sdk.FnSHA1: 1, sdk.FnSHA256: 1, sdk.FnSHA512: 1, sdk.FnHMACSHA1: 2, sdk.FnHMACSHA256: 2, sdk.FnHMACSHA512: 2, sdk.FnBasic: 2,
	sdk.FnRSASHA256: 2, sdk.FnECDSASHA256: 2, sdk.FnRSAOAEPSHA256: 2}

// digests by the functions that use them.
var digests = map[string]func() hash.Hash{sdk.FnSHA1: sha1.New, sdk.FnSHA256: sha256.New, sdk.FnSHA512: sha512.New,
	sdk.FnHMACSHA1: sha1.New, sdk.FnHMACSHA256: sha256.New, sdk.FnHMACSHA512: sha512.New}

// apply computes one function. Over card data it only encodes and encrypts. Ten digits of a card number are known. The rest
// could be guessed from any other function with a fixed result, and from a decoding that fails for some digits.
func (e *evaluation) apply(x *sdk.Expr, args [][]byte, from []origin) ([]byte, origin, error) {
	var all origin
	for _, o := range from {
		all = all.and(o)
	}
	if len(from) == 1 {
		all = from[0]
	}
	switch x.Fn {
	case sdk.FnText:
		return e.text(x.Text)
	case sdk.FnBody:
		if !e.hasBody {
			return nil, origin{}, e.broken("the function body cannot be used in a value of the body or the URL: use it in a header")
		}
		return e.body, origin{rawBody: true, foreign: true, binary: true, size: e.bodySize}, nil
	case sdk.FnConcat:
		all.mixed = all.mixed || all.card && len(args) > 1
		return bytes.Join(args, nil), all, nil
	case sdk.FnBase64:
		return base64.StdEncoding.AppendEncode(nil, args[0]), all.encoded(), nil
	case sdk.FnBase64URL:
		return base64.RawURLEncoding.AppendEncode(nil, args[0]), all.encoded(), nil
	case sdk.FnHex:
		return hex.AppendEncode(nil, args[0]), all.encoded(), nil
	case sdk.FnRSAOAEPSHA256:
		return e.encrypt(args, from)
	}
	if _, known := arity[x.Fn]; !known {
		return nil, origin{}, e.broken("%.40q is not a function", x.Fn)
	}
	if all.card {
		return nil, origin{}, e.broken("%s cannot be applied to card data", x.Fn)
	}
	if decode := decoders[x.Fn]; decode != nil {
		return e.decode(x.Fn, decode, args[0], all)
	}
	if x.Fn == sdk.FnBasic {
		return base64.StdEncoding.AppendEncode(nil, bytes.Join(args, []byte(":"))), all.encoded(), nil
	}
	// Only digests are left. A keyed digest proves the account if its key does; a plain digest if it includes a credential of the account.
	proof := origin{secrets: all.secrets, body: all.body || all.rawBody, own: all.own, key: from[0].key, binary: true, size: digestSize}
	if len(args) == 1 {
		proof.signed = all.rawBody && all.own
		return sum(digests[x.Fn](), args[0]), proof, nil
	}
	if !from[0].known() && !from[0].key {
		return nil, origin{}, e.broken("the key of %s must be one whole credential, or one function of it", x.Fn)
	}
	proof.own, proof.foreign = from[0].authentic(), !from[0].authentic()
	proof.signed = from[0].secrets != 0 && from[0].authentic() && (from[1].rawBody || from[1].known() && from[1].literal && e.ofMessage(args[1]))
	if h := digests[x.Fn]; h != nil {
		return sum(hmac.New(h, args[0]), args[1]), proof, nil
	}
	signature, err := sign(x.Fn, args[0], args[1])
	switch {
	case err != nil && from[0].known():
		return nil, origin{}, e.broken("%s: %v", x.Fn, err)
	case err != nil:
		e.wrong(from[0], x.Fn+": "+err.Error())
		return []byte(noText), proof, nil
	}
	return signature, proof, nil
}

// digestSize is what a digest or signature counts for in maxExprBytes.
const digestSize = maxKeyBits / 8

// encoded returns the origin of a value that was turned into text.
func (o origin) encoded() origin {
	o.binary, o.size = false, 2*o.size+8
	return o
}

// noText takes the place of a signature or cipher text that cannot be computed.
const noText = "\xff"

// wrong notes for the operator's log that a secret is unfit for its use.
func (e *evaluation) wrong(o origin, what string) {
	if !e.secrets.madeUp {
		e.secrets.wrong = append(e.secrets.wrong, e.secrets.names(o.secrets)+": "+what)
	}
}

var decoders = map[string]func(dst, src []byte) ([]byte, error){sdk.FnUnbase64: base64.StdEncoding.Strict().AppendDecode,
	sdk.FnUnbase64URL: base64.RawURLEncoding.Strict().AppendDecode, sdk.FnUnhex: hex.AppendDecode}

// decode decodes a value. A secret that is not in this encoding stays as it is. Package base64 skips line breaks; decode counts them as faults.
func (e *evaluation) decode(fn string, decode func(dst, src []byte) ([]byte, error), arg []byte, o origin) ([]byte, origin, error) {
	v, err := decode(nil, arg)
	if err == nil && bytes.ContainsAny(arg, "\r\n") {
		err = errors.New("line break")
	}
	switch {
	case err != nil && o.known():
		return nil, origin{}, e.broken("the argument of %s is not in the form that it decodes", fn)
	case err != nil:
		e.wrong(o, "is not in the form that "+fn+" decodes")
		v = arg
	}
	o.signed, o.binary = false, !o.known() || !utf8.Valid(v)
	return v, o, nil
}

func sum(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}

// encrypt is RSA-OAEP with SHA-256. The key must be the account's and whole: an adapter could decrypt with a key of its own. Data
// too long for the key is cut.
func (e *evaluation) encrypt(args [][]byte, from []origin) ([]byte, origin, error) {
	switch {
	case e.verify:
		return nil, origin{}, e.broken("%s cannot be compared: its result differs each time", sdk.FnRSAOAEPSHA256)
	case from[0].foreign || from[0].card || !from[0].key:
		return nil, origin{}, e.broken("the key of %s must be the account's: one whole credential, or a config value that the merchant has set", sdk.FnRSAOAEPSHA256)
	case from[1].body || from[1].rawBody:
		return nil, origin{}, e.broken("%s cannot be applied to the body", sdk.FnRSAOAEPSHA256)
	}
	encrypted := origin{secrets: from[1].secrets, card: from[1].card, foreign: true, binary: true, size: digestSize}
	key, err := rsaPublicKey(args[0])
	var v []byte
	if err == nil {
		data := args[1]
		if room := key.Size() - 2*sha256.Size - 2; len(data) > room {
			e.wrong(from[0].and(from[1]), sdk.FnRSAOAEPSHA256+": the data is too long for the key and was cut")
			data = data[:max(room, 0)]
		}
		v, err = rsa.EncryptOAEP(sha256.New(), rand.Reader, key, data, nil)
	}
	switch {
	case err != nil && from[0].known():
		return nil, origin{}, e.broken("%s: %v", sdk.FnRSAOAEPSHA256, err)
	case err != nil:
		e.wrong(from[0], sdk.FnRSAOAEPSHA256+": "+err.Error())
		return []byte(noText), encrypted, nil
	}
	return v, encrypted, nil
}

func sign(fn string, key, data []byte) ([]byte, error) {
	k, err := privateKey(key)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(data)
	switch k := k.(type) {
	case *rsa.PrivateKey:
		if fn == sdk.FnRSASHA256 && k.N.BitLen() <= maxKeyBits {
			if signature, err := rsa.SignPKCS1v15(nil, k, crypto.SHA256, digest[:]); err == nil {
				return signature, nil
			}
		}
	case *ecdsa.PrivateKey:
		if fn == sdk.FnECDSASHA256 {
			return ecdsa.SignASN1(rand.Reader, k, digest[:])
		}
	}
	return nil, errors.New("the key is of another kind than the function needs, or too long")
}

// privateKey reads the first key of a PEM text: PKCS #8, PKCS #1 or SEC 1. Its errors do not quote the text.
func privateKey(text []byte) (any, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if k, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			return k, nil
		}
		if k, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
			return k, nil
		}
		if k, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return k, nil
		}
	}
	return nil, errors.New("the key is not a private key in PEM (PKCS #8, PKCS #1 or SEC 1)")
}

// rsaPublicKey reads the first RSA key or certificate of a PEM text.
func rsaPublicKey(text []byte) (*rsa.PublicKey, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var k any
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			k = c.PublicKey
		} else if k, err = x509.ParsePKIXPublicKey(block.Bytes); err != nil {
			k, _ = x509.ParsePKCS1PublicKey(block.Bytes)
		}
		if k, ok := k.(*rsa.PublicKey); ok && k != nil && k.N.BitLen() <= maxKeyBits {
			return k, nil
		}
	}
	return nil, errors.New("the key is not an RSA public key or certificate in PEM")
}
