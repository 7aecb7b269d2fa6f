package account

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"payswitch/engine/approval"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// ClientCertificate returns the TLS client certificate that an account's credentials hold in the fields of type client_certificate; nil where they
// are empty or the adapter has none. Values are PEM, or base64 of it, of a certificate with its chain and of an unencrypted key (PKCS #8, PKCS #1 or
// SEC 1). The error says what is wrong and never holds a value.
func ClientCertificate(m *sdk.Manifest, credentials map[string]secret.Value) (*tls.Certificate, error) {
	var text strings.Builder
	for _, f := range m.Credentials {
		if f.Type == sdk.FieldClientCertificate {
			text.WriteString(pemText(credentials[approval.FieldKey(f)].Reveal()) + "\n")
		}
	}
	all := []byte(text.String())
	if strings.TrimSpace(text.String()) == "" {
		return nil, nil
	}
	if strings.Contains(text.String(), "ENCRYPTED") {
		return nil, errors.New("the client certificate's key is encrypted: remove its passphrase (openssl pkey -in key.pem)")
	}
	pair, err := tls.X509KeyPair(all, all)
	if err != nil {
		return nil, errors.New("the client certificate must be PEM with a certificate and the key that belongs to it")
	}
	if pair.Leaf == nil {
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, errors.New("the client certificate cannot be parsed: check that it is a complete X.509 certificate")
		}
	}
	return &pair, nil
}

// EarliestExpiry returns the end of the certificate among the account's credentials that ends first, and the field that holds it. The time is zero without a
// certificate. The caller has read the account with its credentials.
func (n *Account) EarliestExpiry() (field string, end time.Time) {
	for name, value := range n.Credentials {
		for block, rest := pem.Decode([]byte(pemText(value.Reveal()))); block != nil; block, rest = pem.Decode(rest) {
			c, err := x509.ParseCertificate(block.Bytes)
			if err != nil || block.Type != "CERTIFICATE" {
				continue
			}
			if end.IsZero() || c.NotAfter.Before(end) || c.NotAfter.Equal(end) && name < field {
				field, end = name, c.NotAfter
			}
		}
	}
	return field, end
}

// pemText returns PEM as it is, or decodes it from base64.
func pemText(s string) string {
	if strings.Contains(s, "-----BEGIN") {
		return s
	}
	b, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return s
	}
	return string(b)
}

// checkCertificate refuses a client certificate that cannot be used.
func (n *Account) checkCertificate(m *sdk.Manifest, now time.Time) error {
	c, err := ClientCertificate(m, n.Credentials)
	reason := ""
	switch {
	case err != nil:
		reason = err.Error()
	case c == nil:
		return nil
	case now.After(c.Leaf.NotAfter):
		reason = fmt.Sprintf("the client certificate %q expired on %s: ask the issuer for a new one", c.Leaf.Subject.CommonName, c.Leaf.NotAfter.UTC().Format(time.DateOnly))
	default:
		return nil
	}
	refused := fault.Unprocessable(fieldCredentials+".certificate", "The connector_account_details.certificate is invalid").WithHint("Send a certificate and its key in PEM, in Base64.")
	refused.Reason = reason
	return refused
}

// checkPEM refuses a field of type pem that holds no key and no certificate. The host would accept such a value later and sign with it, and the
// processor would refuse the signature.
func (n *Account) checkPEM(m *sdk.Manifest) error {
	for _, f := range m.Credentials {
		v := n.Credentials[approval.FieldKey(f)].Reveal()
		if f.Type != sdk.FieldPEM || v == "" || holdsKey([]byte(v)) {
			continue
		}
		err := fault.Unprocessable(fieldCredentials+"."+approval.FieldKey(f), "The connector_account_details."+approval.FieldKey(f)+" is invalid").WithHint("Send the form that reason names.")
		err.Reason = f.Label + ": PEM of a private key (PKCS #8, PKCS #1 or SEC 1, not encrypted), a public key or a certificate"
		return err
	}
	return nil
}

// holdsKey reports whether a PEM text holds a readable key or certificate.
func holdsKey(text []byte) bool {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		for _, parse := range []func([]byte) error{
			func(b []byte) error { _, err := x509.ParsePKCS8PrivateKey(b); return err },
			func(b []byte) error { _, err := x509.ParsePKCS1PrivateKey(b); return err },
			func(b []byte) error { _, err := x509.ParseECPrivateKey(b); return err },
			func(b []byte) error { _, err := x509.ParsePKIXPublicKey(b); return err },
			func(b []byte) error { _, err := x509.ParsePKCS1PublicKey(b); return err },
			func(b []byte) error { _, err := x509.ParseCertificate(b); return err },
		} {
			if parse(block.Bytes) == nil {
				return true
			}
		}
	}
	return false
}
