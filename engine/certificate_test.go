package engine_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine"
	"payswitch/engine/account"
	"payswitch/engine/fault"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// pemPair makes a client certificate and its key as an authenticator issues them.
func pemPair(t *testing.T, end time.Time) (certificate, key string) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "merchant 7"}, NotAfter: end}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	require.NoError(t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

// An account with an unusable client certificate is refused at creation. The error gives the reason and never the certificate.
func TestAccountWithClientCertificate(t *testing.T) {
	t.Parallel()
	a := &sdk.Adapter{Manifest: sdk.Manifest{ABI: sdk.ABI, Name: "mutual", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "Mutual", Description: "A test authenticator.",
		Credentials:   []sdk.Field{{Name: "certificate", Label: "Certificate", Type: "client_certificate"}, {Name: "private_key", Label: "Key", Type: "client_certificate"}},
		Authenticator: &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser}, MessageVersions: []string{"2.2.0"}, Result: "pull"}}}
	a.Authenticate = func(*sdk.Call) (*sdk.Outcome, error) { return nil, nil }
	a.Result = a.Authenticate
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"mutual": a})
	create := func(certificate, key string) error {
		details, err := json.Marshal(map[string]string{"auth_type": "CertificateAuth", "certificate": certificate, "private_key": key})
		require.NoError(t, err)
		_, err = w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: "mutual",
			Label: time.Now().Format(time.RFC3339Nano), Credentials: secret.New(string(details))})
		return err
	}
	certificate, key := pemPair(t, time.Now().Add(time.Hour))
	require.NoError(t, create(certificate, key))
	old, oldKey := pemPair(t, time.Now().Add(-time.Hour))
	for reason, pair := range map[string][2]string{
		`"merchant 7" expired on `: {old, oldKey}, "the key that belongs to it": {certificate, oldKey}, "must be PEM with": {"certificate", "key"},
		"is encrypted": {certificate, "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n"},
	} {
		err := create(pair[0], pair[1])
		var e *fault.Error
		require.ErrorAs(t, err, &e, reason)
		require.Contains(t, e.Reason, reason)
		require.NotContains(t, e.Reason+e.Message, "BEGIN")
	}
}

// A field of type pem without a key is refused when the account is made, because no later step would fail over it.
func TestAccountWithKeyInPEM(t *testing.T) {
	t.Parallel()
	a := shop(byReference)
	a.Manifest.Credentials = []sdk.Field{{Name: "key", Key: "api_key", Label: "Signing key", Type: "pem"}}
	w := newWorld(t, engine.Options{}, map[string]*sdk.Adapter{"shop": a})
	create := func(key string) error {
		details, err := json.Marshal(map[string]string{"auth_type": "HeaderKey", "api_key": key})
		require.NoError(t, err)
		_, err = w.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "payment_processor", Connector: "shop",
			Label: time.Now().Format(time.RFC3339Nano), Credentials: secret.New(string(details))})
		return err
	}
	certificate, key := pemPair(t, time.Now().Add(time.Hour))
	require.NoError(t, create(key))
	require.NoError(t, create(certificate))
	for _, wrong := range []string{"sk_live_of_the_shop", strings.Replace(key, "M", "", 1), "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----"} {
		err := create(wrong)
		require.Equal(t, "IR_06", code(t, err))
		require.ErrorContains(t, err, "connector_account_details.api_key is invalid (Signing key: PEM of a private key")
		require.NotContains(t, err.Error(), wrong)
	}
}
