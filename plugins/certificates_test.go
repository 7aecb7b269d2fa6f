package plugins

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/sdk"
)

// authority issues client certificates.
type authority struct {
	t    testing.TB
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t testing.TB) *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotAfter: time.Now().Add(400 * 24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return &authority{t, key, cert}
}

// issue makes a certificate and its key, both in PEM.
func (a *authority) issue(name string, life time.Duration) (certificate, key string) {
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(life),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &k.PublicKey, a.key)
	require.NoError(a.t, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(k)
	require.NoError(a.t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

func (a *authority) pair(name string, life time.Duration) *tls.Certificate {
	certificate, key := a.issue(name, life)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(a.t, err)
	return &pair
}

// mutual returns a server that demands a client certificate of the authority and answers with the certificate's name.
func (a *authority) mutual() (*httptest.Server, *sync.Map) {
	var bodies sync.Map // by name
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		name := r.TLS.PeerCertificates[0].Subject.CommonName
		bodies.Store(name, string(body))
		_, _ = io.WriteString(w, name)
	}))
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	s.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	a.t.Cleanup(s.Close)
	return s, &bodies
}

// A connection with one account's client certificate never carries a request of another account.
func TestClientCertificates(t *testing.T) {
	a := newAuthority(t)
	s, _ := a.mutual()
	e := client(t, s, Options{})
	pairs := map[string]*tls.Certificate{"one": a.pair("one", time.Hour), "two": a.pair("two", time.Hour)}
	for _, name := range []string{"one", "two", "one", "two"} {
		o := request(t, "GET", s.URL, "")
		o.certificate = pairs[name]
		got := e.do(context.Background(), o)
		require.NoError(t, got.err)
		require.Equal(t, name, string(got.body))
	}
	got := e.do(context.Background(), request(t, "GET", s.URL, ""))
	require.NotEmpty(t, got.failure, "a server that demands a certificate refuses a request without one")
	require.Zero(t, got.status)
	for range maxCertificates + 10 {
		o := request(t, "GET", s.URL, "")
		o.certificate = a.pair("many", time.Hour)
		e.transport(o)
	}
	require.Len(t, e.transports, maxCertificates)
}

func TestExpiringCertificatesAreWarnedOf(t *testing.T) {
	a := newAuthority(t)
	now := time.Now()
	var log bytes.Buffer
	e := newEgress(Options{Clock: func() time.Time { return now }, Logger: slog.New(slog.NewTextHandler(&log, nil))}.withDefaults())
	o := request(t, "GET", "https://3ds.example", "")
	o.certificate = a.pair("merchant 7", 40*24*time.Hour)
	warnings := func() int { e.transport(o); return bytes.Count(log.Bytes(), []byte("a client certificate expires")) }
	require.Equal(t, 0, warnings())
	now = now.Add(11 * 24 * time.Hour)
	require.Equal(t, 1, warnings())
	require.Equal(t, 1, warnings(), "the log warns once a day")
	require.Contains(t, log.String(), `subject="merchant 7"`)
	require.Contains(t, log.String(), "days_left=28")
	now = now.Add(25 * time.Hour)
	require.Equal(t, 2, warnings())
}

// mutualAdapter authenticates with the connection and, if declared, with a header of the account.
func mutualAdapter(f sdk.Func) *sdk.Adapter {
	return &sdk.Adapter{Authenticate: f, Webhook: f, Manifest: sdk.Manifest{ABI: sdk.ABI, Name: "mutual", Kind: sdk.KindAuthenticator, Version: "1.0.0",
		Operations: []sdk.Operation{sdk.OpAuthenticate, sdk.OpWebhook},
		Credentials: []sdk.Field{{Name: "certificate", Type: "client_certificate"}, {Name: "private_key", Type: "client_certificate"},
			{Name: "merchant_token", Key: "api_key", Type: "secret", Optional: true}},
		Authentication: []sdk.Placement{{Secret: "certificate", In: "tls", Field: "client_certificate"}, {Secret: "merchant_token", In: "header", Field: "Merchant-Token"}},
		Placements:     []sdk.Placement{{Secret: "card_number", In: "body", Field: "acctNumber"}},
		Authenticator:  &sdk.AuthenticatorRule{Channels: []sdk.DeviceChannel{sdk.ChannelBrowser}, MessageVersions: []string{"2.2.0"}, Result: "push"}}}
}

// The connection's certificate proves the account of a request with card data, and the adapter never sees the certificate.
func TestCardDataOverMutualTLS(t *testing.T) {
	a := newAuthority(t)
	s, bodies := a.mutual()
	certificate, key := a.issue("merchant 7", 365*24*time.Hour)
	send := func(headers ...sdk.Header) sdk.Func {
		return func(c *sdk.Call) (*sdk.Outcome, error) {
			require.NotContains(t, c.Account.Credentials, "certificate")
			require.NotContains(t, c.Account.Credentials, "private_key")
			_, err := c.Do(&sdk.Send{Method: "POST", URL: "/areq", Body: []byte(`{"acctNumber":"` + c.Request.Instrument.Card.Number + `"}`),
				Headers: append([]sdk.Header{sdk.H("Content-Type", "application/json")}, headers...)})
			if err != nil {
				return nil, err
			}
			return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
		}
	}
	drive := func(f sdk.Func, url string, credentials map[string]string) (*port.DriveResult, error) {
		n, err := NewNative(map[string]*sdk.Adapter{"mutual": mutualAdapter(f)}, Options{AllowLoopbackHTTP: true, RootCAs: rootsOf(s)})
		require.NoError(t, err)
		d := &port.Drive{Connector: "mutual", Operation: sdk.OpAuthenticate, OperationID: "op_1", Started: time.Now(), Secrets: card.Secrets{Number: secret.New("4111111111111111")},
			Account: port.DriveAccount{ID: "mca_1", Environment: "test", BaseURL: url, Credentials: map[string]secret.Value{}},
			Request: sdk.Request{Instrument: &sdk.Instrument{Card: &sdk.Card{Length: 16}}}}
		for k, v := range credentials {
			d.Account.Credentials[k] = secret.New(v)
		}
		return n.Drive(context.Background(), d)
	}
	require.NoError(t, CheckManifest(&mutualAdapter(send()).Manifest))
	both := map[string]string{"certificate": certificate, "private_key": key}
	for name, credentials := range map[string]map[string]string{"PEM": both, "base64 of PEM": {"certificate": base64.StdEncoding.EncodeToString([]byte(certificate)),
		"private_key": base64.StdEncoding.EncodeToString([]byte(key))}, "one field": {"certificate": key + certificate}} {
		res, err := drive(send(), s.URL, credentials)
		require.NoError(t, err, name)
		require.Equal(t, 200, res.HTTPStatus, name)
		body, _ := bodies.LoadAndDelete("merchant 7")
		require.Equal(t, `{"acctNumber":"4111111111111111"}`, body, name)
	}

	var v *Violation
	_, err := drive(send(), s.URL, nil)
	require.ErrorAs(t, err, &v)
	require.Equal(t, RuleAuthentication, v.Rule, "without a certificate no card leaves")
	_, err = drive(send(sdk.H("Merchant-Token", "the author's own")), s.URL, both)
	require.ErrorAs(t, err, &v)
	require.Equal(t, RuleAuthentication, v.Rule, "the author's token together with the account's certificate")
	_, err = drive(send(sdk.H("X-Api-Key", "the author's own")), s.URL, both)
	require.ErrorAs(t, err, &v)
	require.Equal(t, RuleAuthentication, v.Rule)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	_, err = drive(send(), plain.URL, both)
	require.ErrorAs(t, err, &v)
	require.Equal(t, RuleAuthentication, v.Rule, "the client presents no certificate without TLS")
	other, _ := a.issue("other", time.Hour)
	_, err = drive(send(), s.URL, map[string]string{"certificate": other, "private_key": key})
	require.ErrorContains(t, err, "must be PEM with a certificate and the key that belongs to it")
	require.NotContains(t, err.Error(), "BEGIN")
	_, found := bodies.LoadAndDelete("merchant 7")
	require.False(t, found, "no request left")
}

func rootsOf(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}
