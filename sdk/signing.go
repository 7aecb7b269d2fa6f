package sdk

import (
	"errors"
	"strings"
)

// Secret returns the expression of a credential of the account, by the credential's name. It is a key for HMACSHA256 and the like, or a part of
// what they sign. A name that the manifest does not declare ends the operation with an error. An account without the credential is rejected.
func (c *Call) Secret(name string) Expr {
	value := c.Account.Credentials[name]
	switch {
	case c.declares(name):
		Require(value != "", Missing(name, "the account lacks the credential "+name))
	case value == "" || c.adapter != nil && name != "access_token": // the host adds the access token of an account
		Check(errors.New("the manifest declares no credential " + name + ", which Call.Secret reads"))
	}
	return Text(value)
}

// declares reports whether the manifest declares a credential.
func (c *Call) declares(name string) bool {
	if c.adapter == nil {
		return false
	}
	for i := range c.adapter.Manifest.Credentials {
		if c.adapter.Manifest.Credentials[i].Name == name {
			return true
		}
	}
	return false
}

// HMACSHA256 returns the expression of an HMAC-SHA256 over the parts, one after the other. It reads as processors document it:
//
//	signature := c.Derive(sdk.HMACSHA256(c.Secret("secret_key"), sdk.Text(method+path+salt), sdk.Body()).Hex().Base64())
func HMACSHA256(key Expr, parts ...Expr) Expr { return Fn(FnHMACSHA256, key, Join(parts...)) }

// HMACSHA512 is HMACSHA256 with SHA-512.
func HMACSHA512(key Expr, parts ...Expr) Expr { return Fn(FnHMACSHA512, key, Join(parts...)) }

// HMACSHA1 is HMACSHA256 with SHA-1.
func HMACSHA1(key Expr, parts ...Expr) Expr { return Fn(FnHMACSHA1, key, Join(parts...)) }

// RSASHA256 returns the expression of a PKCS #1 v1.5 signature with a private PEM key.
func RSASHA256(key Expr, parts ...Expr) Expr { return Fn(FnRSASHA256, key, Join(parts...)) }

// ECDSASHA256 returns the expression of an ASN.1 DER signature with a private PEM key.
func ECDSASHA256(key Expr, parts ...Expr) Expr { return Fn(FnECDSASHA256, key, Join(parts...)) }

// SHA256 returns the expression of a digest over the parts.
func SHA256(parts ...Expr) Expr { return Fn(FnSHA256, Join(parts...)) }

// SHA512 returns the expression of a digest over the parts.
func SHA512(parts ...Expr) Expr { return Fn(FnSHA512, Join(parts...)) }

// Join returns the expression of its parts, one after the other.
func Join(parts ...Expr) Expr {
	if len(parts) == 1 {
		return parts[0]
	}
	return Fn(FnConcat, parts...)
}

// Hex returns the expression in lowercase hexadecimal.
func (e Expr) Hex() Expr { return Fn(FnHex, e) }

// Base64 returns the expression in base64 of the standard alphabet with padding.
func (e Expr) Base64() Expr { return Fn(FnBase64, e) }

// Base64URL returns the expression in base64 of the URL alphabet without padding.
func (e Expr) Base64URL() Expr { return Fn(FnBase64URL, e) }

// Unhex returns the bytes of a hexadecimal text, as for a key that the processor issues so.
func (e Expr) Unhex() Expr { return Fn(FnUnhex, e) }

// Unbase64 returns the bytes of a base64 text, as for a key that the processor issues so.
func (e Expr) Unbase64() Expr { return Fn(FnUnbase64, e) }

// Target returns the path and the query of the request's URL, which many signatures cover.
func (s *Send) Target() string {
	_, rest, _ := strings.Cut(s.URL, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return "/"
}

// Add adds a header. It changes and returns s.
func (s *Send) Add(name, value string) *Send {
	s.Headers = append(s.Headers[:len(s.Headers):len(s.Headers)], H(name, value))
	return s
}
