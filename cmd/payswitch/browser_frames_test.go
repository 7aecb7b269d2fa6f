package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// framesAdapter is a folder with the adapter of an authenticator that has pages of its own.
var framesAdapter = sync.OnceValues(func() (string, error) {
	return folderOf("frames", "gpayments")
})

// activeServer is GPayments' server, faked: its API, and the pages that it has in the payer's browser.
type activeServer struct {
	server *httptest.Server
	mu     sync.Mutex
	asked  []string // "METHOD path", in order
	tell   string   // eventCallbackUrl
	status string   // of the result, "" while there is none
}

func newActiveServer(t *testing.T) *activeServer {
	s := &activeServer{}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

func (s *activeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.Method+" "+r.URL.Path)
	const ids = `"threeDSServerTransID":"7e7cb681-0000-4000-8000-000000000001","dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"a-1","messageVersion":"2.2.0"`
	// A page posts an event by itself, as ActiveServer's do.
	event := func(to, name string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><form method=post action="%s"><input name=requestorTransId value=r-1><input name=event value="%s"><input name=param value=e30></form>
			<script>document.forms[0].submit()</script>`, to, name)
	}
	switch r.URL.Path {
	case "/api/v2/auth/enrol":
		io.WriteString(w, `{"enrolmentStatus":"01","supportedMessageVersions":["2.2.0"]}`)
	case "/api/v2/auth/brw/init":
		_, rest, _ := strings.Cut(string(body), `"eventCallbackUrl":"`)
		s.tell, _, _ = strings.Cut(rest, `"`)
		fmt.Fprintf(w, `{"threeDSServerTransID":"7e7cb681-0000-4000-8000-000000000001","threeDSServerCallbackUrl":"%[1]s/page/method?t=1","monUrl":"%[1]s/page/monitor?t=1",
			"authUrl":"%[1]s/api/v2/auth/brw?t=1"}`, s.server.URL)
	case "/api/v2/auth/brw":
		fmt.Fprintf(w, `{%s,"transStatus":"C","challengeUrl":"%s/page/challenge?t=1"}`, ids, s.server.URL)
	case "/api/v2/auth/brw/result":
		if s.status == "" {
			fmt.Fprintf(w, `{%s,"transStatus":"C"}`, ids)
			return
		}
		fmt.Fprintf(w, `{%s,"transStatus":"%s","eci":"05","authenticationValue":"vVD5sEUyriSo5+1pngYHMEhi/fg="}`, ids, s.status)
	case "/page/monitor":
	case "/page/method":
		event(s.tell, "3DSMethodFinished")
	case "/page/challenge":
		if r.Method != http.MethodGet {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		event("/page/answered", "")
	case "/page/answered":
		s.status = "Y"
		event(s.tell, "AuthResultReady")
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// anyCertificate are credentials with a client certificate, which plain HTTP has no use for, and a merchant token.
func anyCertificate(t *testing.T) object {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	t.Cleanup(server.Close)
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	block := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return object{"auth_type": "CertificateAuth", "certificate": block("CERTIFICATE", pair.Certificate[0]), "private_key": block("PRIVATE KEY", key), "api_key": "merchant-token"}
}

// TestPagesOfTheAuthenticatorInABrowser takes a payer through an authenticator whose own pages run the 3DS method and the challenge, in the
// hosted page's frames: loaded with GET, heard by their events, with the payer never told to do anything.
func TestPagesOfTheAuthenticatorInABrowser(t *testing.T) {
	costly(t)
	folder, err := framesAdapter()
	require.NoError(t, err)
	active := newActiveServer(t)
	s := &threeDSShop{tab: newTab(t), number: new(int), dir: t.TempDir()}
	s.pages = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Shop</title><p id=back data-status=%q>Back at the shop", r.FormValue("status"))
	}))
	t.Cleanup(s.pages.Close)
	s.sw = start(t, append(testEnv(t, s.dir), "PAYSWITCH_PLUGINS__DIRECTORY="+folder, "PAYSWITCH_PLUGINS__ALLOW_LOOPBACK_HTTP=true"), "serve")
	s.key = s.sw.shop("shop")
	account := s.sw.must(s.key, "/account/shop/connectors", object{"connector_type": "authentication_processor", "connector_name": "gpayments",
		"connector_account_details": anyCertificate(t),
		"metadata": object{"endpoint_prefix": "acme", "merchant_id": "M1", "acquirer_bin": "412345", "acquirer_merchant_id": "MID1", "mcc": "5411",
			"merchant_name": "Shop", "merchant_country_code": "208"}})
	s.sw.must(testAdminKey, fmt.Sprint("/account/shop/connectors/", account["merchant_connector_id"], "/egress"), object{"base_url": active.server.URL})
	status, profiles := s.sw.list(s.key, "/account/shop/business_profile")
	require.Equal(t, http.StatusOK, status)
	s.sw.must(s.key, fmt.Sprint("/account/shop/business_profile/", profiles[0]["profile_id"]), object{"authentication_connector_details": object{
		"authentication_connectors": []string{"gpayments"}, "three_ds_requestor_url": s.pages.URL}})
	p := s.open("0070", nil)
	now := s.back(p, "succeeded", "")
	details, _ := now["external_authentication_details"].(map[string]any)
	require.Equal(t, "challenge", details["authentication_flow"])
	active.mu.Lock()
	defer active.mu.Unlock()
	at := func(what string) int { return slices.Index(active.asked, what) }
	require.Positive(t, at("GET /page/method"), active.asked)
	require.Positive(t, at("GET /page/monitor"), active.asked)
	require.Greater(t, at("POST /api/v2/auth/brw"), at("GET /page/method"), "the 3DS method comes first")
	require.Greater(t, at("GET /page/challenge"), at("POST /api/v2/auth/brw"))
	require.NotContains(t, active.asked, "POST /page/challenge")
}
