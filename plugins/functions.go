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
// always gives the same is a guessing game.
func (e *evaluation) apply(x *sdk.Expr, args [][]byte, from []origin) ([]byte, origin, error) {
	var all origin
	for _, o := range from {
		all = all.and(o)
	}
	encoded := func(v []byte, err error) ([]byte, origin, error) {
		if err != nil && e.madeUp(all) {
			return args[0], all, nil
		}
		if err != nil { // what could not be decoded may be a secret
			return nil, origin{}, e.broken("the argument of %s is not in its form", x.Fn)
		}
		return v, all, nil
	}
	switch x.Fn {
	case sdk.FnText:
		return e.text(x.Text)
	case sdk.FnBody:
		if !e.hasBody {
			return nil, origin{}, e.broken("the body in a value that stands in the body or the URL")
		}
		return e.body, origin{rawBody: true, foreign: true}, nil
	case sdk.FnConcat:
		all.mixed = all.mixed || all.card && len(args) > 1
		return bytes.Join(args, nil), all, nil
	case sdk.FnBase64:
		return base64.StdEncoding.AppendEncode(nil, args[0]), all, nil
	case sdk.FnBase64URL:
		return base64.RawURLEncoding.AppendEncode(nil, args[0]), all, nil
	case sdk.FnUnbase64:
		return encoded(decode(base64.StdEncoding.Strict().AppendDecode, args[0]))
	case sdk.FnUnbase64URL:
		return encoded(decode(base64.RawURLEncoding.Strict().AppendDecode, args[0]))
	case sdk.FnHex:
		return hex.AppendEncode(nil, args[0]), all, nil
	case sdk.FnUnhex:
		return encoded(decode(hex.AppendDecode, args[0]))
	case sdk.FnRSAOAEPSHA256:
		return e.encrypt(args, from)
	}
	if _, known := arity[x.Fn]; !known {
		return nil, origin{}, e.broken("no function %.40q", x.Fn)
	}
	if all.card {
		return nil, origin{}, e.broken("%s over card data", x.Fn)
	}
	if x.Fn == sdk.FnBasic {
		return base64.StdEncoding.AppendEncode(nil, bytes.Join(args, []byte(":"))), all, nil
	}
	// What is left are digests. A keyed one is this account's if the key is; a plain one if one of its credentials is in it.
	proof := origin{secrets: all.secrets, body: all.body || all.rawBody, own: all.own}
	if len(args) == 1 {
		return sum(digests[x.Fn](), args[0]), proof, nil
	}
	proof.own, proof.foreign = from[0].authentic(), !from[0].authentic()
	if h := digests[x.Fn]; h != nil {
		return sum(hmac.New(h, args[0]), args[1]), proof, nil
	}
	if e.madeUp(from[0]) {
		return []byte(noText), proof, nil
	}
	signature, err := sign(x.Fn, args[0], args[1])
	if err != nil {
		return nil, origin{}, e.broken("%s: %v", x.Fn, err)
	}
	return signature, proof, nil
}

// noText stands for a signature or cipher text that cannot be computed.
const noText = "\xff"

// madeUp says whether a value was made of secrets that are not at hand, so that its form says nothing.
func (e *evaluation) madeUp(o origin) bool { return e.secrets.madeUp && o.secrets != 0 }

// decode refuses line breaks, which package base64 skips.
func decode(f func(dst, src []byte) ([]byte, error), src []byte) ([]byte, error) {
	if bytes.ContainsAny(src, "\r\n") {
		return nil, errors.New("line break")
	}
	return f(nil, src)
}

func sum(h hash.Hash, data []byte) []byte {
	h.Write(data)
	return h.Sum(nil)
}

// encrypt is RSA-OAEP with SHA-256. The key is the account's: an adapter's own would open what it encrypts.
func (e *evaluation) encrypt(args [][]byte, from []origin) ([]byte, origin, error) {
	switch {
	case e.verify:
		return nil, origin{}, e.broken("%s never gives the same twice", sdk.FnRSAOAEPSHA256)
	case from[0].foreign || from[0].card:
		return nil, origin{}, e.broken("the key of %s is not the account's", sdk.FnRSAOAEPSHA256)
	case from[1].body || from[1].rawBody:
		return nil, origin{}, e.broken("%s over the body", sdk.FnRSAOAEPSHA256)
	}
	encrypted := origin{secrets: from[1].secrets, card: from[1].card, foreign: true}
	if e.madeUp(from[0]) {
		return []byte(noText), encrypted, nil
	}
	key, err := rsaPublicKey(args[0])
	if err != nil {
		return nil, origin{}, e.broken("%s: %v", sdk.FnRSAOAEPSHA256, err)
	}
	v, err := rsa.EncryptOAEP(sha256.New(), rand.Reader, key, args[1], nil)
	if err != nil {
		return nil, origin{}, e.broken("%s: the data does not fit the key", sdk.FnRSAOAEPSHA256)
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
