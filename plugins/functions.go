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

// maxKeyBits bounds RSA keys, whose use takes time with the third power of their size.
const maxKeyBits = 8192

// arity of the functions that take a fixed number of arguments.
var arity = map[string]int{sdk.FnText: 0, sdk.FnBody: 0,
	sdk.FnBase64: 1, sdk.FnBase64URL: 1, sdk.FnUnbase64: 1, sdk.FnUnbase64URL: 1, sdk.FnHex: 1, sdk.FnUnhex: 1,
	sdk.FnSHA1: 1, sdk.FnSHA256: 1, sdk.FnSHA512: 1, sdk.FnHMACSHA1: 2, sdk.FnHMACSHA256: 2, sdk.FnHMACSHA512: 2, sdk.FnBasic: 2,
	sdk.FnRSASHA256: 2, sdk.FnECDSASHA256: 2, sdk.FnRSAOAEPSHA256: 2}

// digests by the functions that are made of them.
var digests = map[string]func() hash.Hash{sdk.FnSHA1: sha1.New, sdk.FnSHA256: sha256.New, sdk.FnSHA512: sha512.New,
	sdk.FnHMACSHA1: sha1.New, sdk.FnHMACSHA256: sha256.New, sdk.FnHMACSHA512: sha512.New}

// apply computes one function. Over card data only encodings and encryption are to be had: with ten digits known, everything else that
// always gives the same is a guessing game, and what decodes fails by the digits.
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
			return nil, origin{}, e.broken("the body in a value that stands in the body or the URL")
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
		return nil, origin{}, e.broken("no function %.40q", x.Fn)
	}
	if all.card {
		return nil, origin{}, e.broken("%s over card data", x.Fn)
	}
	if decode := decoders[x.Fn]; decode != nil {
		return e.decode(x.Fn, decode, args[0], all)
	}
	if x.Fn == sdk.FnBasic {
		return base64.StdEncoding.AppendEncode(nil, bytes.Join(args, []byte(":"))), all.encoded(), nil
	}
	// What is left are digests. A keyed one is this account's if the key is; a plain one if one of its credentials is in it.
	proof := origin{secrets: all.secrets, body: all.body || all.rawBody, own: all.own, key: from[0].key, binary: true, size: digestSize}
	if len(args) == 1 {
		proof.signed = all.rawBody && all.own
		return sum(digests[x.Fn](), args[0]), proof, nil
	}
	if !from[0].known() && !from[0].key {
		return nil, origin{}, e.broken("the key of %s is not one whole credential, or one function of it", x.Fn)
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

// encoded is the origin of a value that has been made text.
func (o origin) encoded() origin {
	o.binary, o.size = false, 2*o.size+8
	return o
}

// noText stands for a signature or cipher text that cannot be computed.
const noText = "\xff"

// wrong notes, for the operator's log, that a secret is not what it is used as.
func (e *evaluation) wrong(o origin, what string) {
	if !e.secrets.madeUp {
		e.secrets.wrong = append(e.secrets.wrong, e.secrets.names(o.secrets)+": "+what)
	}
}

var decoders = map[string]func(dst, src []byte) ([]byte, error){sdk.FnUnbase64: base64.StdEncoding.Strict().AppendDecode,
	sdk.FnUnbase64URL: base64.RawURLEncoding.Strict().AppendDecode, sdk.FnUnhex: hex.AppendDecode}

// decode decodes what the adapter knows or is in a form; a secret that is not stays as it is. Line breaks, which package base64 skips,
// are of no form.
func (e *evaluation) decode(fn string, decode func(dst, src []byte) ([]byte, error), arg []byte, o origin) ([]byte, origin, error) {
	v, err := decode(nil, arg)
	if err == nil && bytes.ContainsAny(arg, "\r\n") {
		err = errors.New("line break")
	}
	switch {
	case err != nil && o.known():
		return nil, origin{}, e.broken("the argument of %s is not in its form", fn)
	case err != nil:
		e.wrong(o, "is not what "+fn+" decodes")
		v = arg
	}
	o.signed, o.binary = false, !o.known() || !utf8.Valid(v)
	return v, o, nil
}

func sum(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}

// encrypt is RSA-OAEP with SHA-256. The key is the account's, and whole: an adapter's own would open what it encrypts. Data that is too
// long for the key is cut.
func (e *evaluation) encrypt(args [][]byte, from []origin) ([]byte, origin, error) {
	switch {
	case e.verify:
		return nil, origin{}, e.broken("%s never gives the same twice", sdk.FnRSAOAEPSHA256)
	case from[0].foreign || from[0].card || !from[0].key:
		return nil, origin{}, e.broken("the key of %s is not the account's: one whole credential, or a config value that the merchant has set", sdk.FnRSAOAEPSHA256)
	case from[1].body || from[1].rawBody:
		return nil, origin{}, e.broken("%s over the body", sdk.FnRSAOAEPSHA256)
	}
	encrypted := origin{secrets: from[1].secrets, card: from[1].card, foreign: true, binary: true, size: digestSize}
	key, err := rsaPublicKey(args[0])
	var v []byte
	if err == nil {
		data := args[1]
		if room := key.Size() - 2*sha256.Size - 2; len(data) > room {
			e.wrong(from[0].and(from[1]), sdk.FnRSAOAEPSHA256+": the data is too long for the key, and is cut")
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
	return nil, errors.New("the key is of another kind")
}

// privateKey reads the first key of a PEM text: PKCS #8, PKCS #1 or SEC 1. Errors tell nothing of it.
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
	return nil, errors.New("the key is not PEM of a private key (PKCS #8, PKCS #1 or SEC 1)")
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
	return nil, errors.New("the key is not PEM of an RSA public key or certificate")
}
