package router_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/account"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/simulator"
	"payswitch/sdk"
)

// vendor is a fake 3DS server. It demands a client certificate, answers by path, and stores the requests.
type vendor struct {
	server *httptest.Server
	mu     sync.Mutex
	asked  []string          // "METHOD path"
	bodies map[string]string // the latest, by path
	// answers by path; BASE in them is the server's URL.
	answers map[string]string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	v.asked, v.bodies[r.URL.Path] = append(v.asked, r.Method+" "+r.URL.Path), string(body)
	answer, known := v.answers[r.URL.Path]
	v.mu.Unlock()
	if !known {
		w.WriteHeader(http.StatusNotFound)
	}
	io.WriteString(w, strings.ReplaceAll(answer, "BASE", v.server.URL))
}

func (v *vendor) answer(path, body string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.answers[path] = body
}

// body returns the latest request to a path.
func (v *vendor) body(t testing.TB, path string) map[string]any {
	v.mu.Lock()
	defer v.mu.Unlock()
	var m map[string]any
	require.NoError(t, json.Unmarshal([]byte(v.bodies[path]), &m), "%s of %v", path, v.asked)
	return m
}

func (v *vendor) count(asked string) (n int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, a := range v.asked {
		if a == asked {
			n++
		}
	}
	return n
}

// vendorWorld is a world that authenticates payments at a fake vendor, with the vendor's adapter.
type vendorWorld struct {
	*bankWorld
	vendor  *vendor
	account string // the authenticator's
}

// newVendorWorld makes a vendorWorld. credentials are the account's credentials other than the client certificate.
func newVendorWorld(t testing.TB, adapter *sdk.Adapter, metadata string, answers map[string]string) *vendorWorld {
	name := adapter.Manifest.Name
	v := &vendor{bodies: map[string]string{}, answers: answers}
	certificate, key, pool := clientCertificate(t)
	v.server = httptest.NewUnstartedServer(v)
	v.server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	v.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	v.server.StartTLS()
	t.Cleanup(v.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(v.server.Certificate())
	connectors, err := plugins.NewNative(map[string]*sdk.Adapter{"stripe": simulator.Adapter(), "adyen": simulator.Adapter(), name: adapter},
		plugins.Options{AllowLoopbackHTTP: true, RootCAs: roots})
	require.NoError(t, err)
	w := &vendorWorld{bankWorld: &bankWorld{world: newWorldWith(t, connectors)}, vendor: v}
	credentials, err := json.Marshal(map[string]string{"auth_type": "CertificateAuth", "certificate": certificate, "private_key": key})
	require.NoError(t, err)
	a, err := w.engine.CreateAccount(t.Context(), w.auth, account.AccountInput{Type: "authentication_processor", Connector: name,
		Credentials: secret.New(string(credentials)), Metadata: json.RawMessage(metadata)})
	require.NoError(t, err)
	w.account = a.ID
	_, err = w.engine.SetEgress(t.Context(), w.auth, a.ID, account.EgressInput{BaseURL: v.server.URL})
	require.NoError(t, err)
	w.authenticateWith(name)
	return w
}

// authenticateWith makes the connector the profile's authenticator.
func (w *world) authenticateWith(name string) {
	w.t.Helper()
	w.post("/account/m1/business_profile/"+w.profile, `{"authentication_connector_details":{"authentication_connectors":["`+name+`"],
		"three_ds_requestor_url":"https://shop.example","three_ds_requestor_app_url":"shop://back"}}`).ok()
}

// clientCertificate makes a certificate and its key in PEM, and a pool with its issuer.
func clientCertificate(t testing.TB) (certificate, key string, issuers *x509.CertPool) {
	ca, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "issuer"}, NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &ca.PublicKey, ca)
	require.NoError(t, err)
	issuer, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "merchant"}, NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	if der, err = x509.CreateCertificate(rand.Reader, leaf, issuer, &own.PublicKey, ca); err != nil {
		require.NoError(t, err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	issuers = x509.NewCertPool()
	issuers.AddCert(issuer)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})), issuers
}
