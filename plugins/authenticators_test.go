package plugins

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins/gpayments"
	"payswitch/plugins/netcetera"
	"payswitch/plugins/threedsecureio"
	"payswitch/sdk"
)

// The built-in authenticators obey the host's rules: the card reaches the authenticator only where the manifest says, a key or a
// certificate proves the account, and the host hands over the cryptogram.
func TestBuiltInAuthenticators(t *testing.T) {
	const number, value = "4111111111111111", "vVD5sEUyriSo5+1pngYHMEhi/fg="
	a := newAuthority(t)
	certificate, key := a.issue("merchant 7", time.Hour)
	mutual := map[string]string{"certificate": certificate, "private_key": key}
	for name, k := range map[string]struct {
		adapter     *sdk.Adapter
		base        string // path of the base URL
		credentials map[string]string
		config      map[string]string
		answers     map[string]string // by path, BASE being the server's URL
		data        string
		push        string
	}{
		"threedsecureio": {adapter: threedsecureio.Adapter(), base: "/sim/3ds", credentials: map[string]string{"api_key": "9d3b2f0e-probe-key"},
			answers: map[string]string{
				"/sim/3ds/preauth":  `{"messageType":"CRD","threeDSServerTransID":"s-1","scheme":"visa","acsProtocolVersions":[{"version":"2.2.0"}]}`,
				"/sim/3ds/auth":     `{"messageType":"ARes","transStatus":"Y","eci":"05","authenticationValue":"VALUE","dsTransID":"d-1"}`,
				"/sim/3ds/postauth": `{"messageType":"RReq","transStatus":"Y","eci":"05","authenticationValue":"VALUE","dsTransID":"d-1"}`}},
		"netcetera": {adapter: netcetera.Adapter(), credentials: mutual, config: map[string]string{"endpoint_prefix": "acme"},
			answers: map[string]string{
				"/3ds/versioning":     `{"threeDSServerTransID":"s-1","cardRanges":[{"schemeId":"Visa","highestCommonSupportedVersion":"2.2.0"}]}`,
				"/3ds/authentication": `{"threeDSServerTransID":"s-1","transStatus":"Y","eci":"05","authenticationValue":"VALUE","authenticationResponse":{"dsTransID":"d-1","authenticationValue":"VALUE"}}`},
			push: `{"threeDSServerTransID":"s-1","transStatus":"Y","eci":"05","authenticationValue":"VALUE","resultsRequest":{"dsTransID":"d-1","authenticationValue":"VALUE"}}`},
		"gpayments": {adapter: gpayments.Adapter(), config: map[string]string{"endpoint_prefix": "acme", "merchant_id": "m-1"},
			credentials: map[string]string{"certificate": certificate, "private_key": key, "api_key": "merchant-token-1"}, data: `{"requestor":"r-1","auth_url":"BASE/api/v2/auth/brw?t=1","monitor":"BASE/api/v2/auth/mon?t=1"}`,
			answers: map[string]string{
				"/api/v2/auth/enrol":      `{"enrolmentStatus":"01","supportedMessageVersions":["2.2.0"]}`,
				"/api/v2/auth/brw/init":   `{"threeDSServerTransID":"s-1","authUrl":"BASE/api/v2/auth/brw?t=1"}`,
				"/api/v2/auth/brw":        `{"threeDSServerTransID":"s-1","transStatus":"Y","eci":"05","authenticationValue":"VALUE","dsTransID":"d-1"}`,
				"/api/v2/auth/mon":        `{"event":"AuthResultReady"}`,
				"/api/v2/auth/brw/result": `{"threeDSServerTransID":"s-1","transStatus":"Y","eci":"05","authenticationValue":"VALUE","dsTransID":"d-1"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := a.mutual()
			if name == "threedsecureio" {
				s = httptest.NewTLSServer(nil)
				t.Cleanup(s.Close)
			}
			var withCard []string
			s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), `"`+number+`"`) {
					withCard = append(withCard, r.URL.Path)
				}
				answer, known := k.answers[r.URL.Path]
				if !known {
					t.Errorf("asked for %s", r.URL.Path)
				}
				_, _ = io.WriteString(w, strings.NewReplacer("BASE", s.URL+k.base, "VALUE", value).Replace(answer))
			})
			n, err := NewNative(map[string]*sdk.Adapter{name: k.adapter}, Options{AllowLoopbackHTTP: true, RootCAs: rootsOf(s)})
			require.NoError(t, err)
			drive := func(op sdk.Operation, w *sdk.WebhookMessage) *port.DriveResult {
				d := &port.Drive{Connector: name, Operation: op, OperationID: "op_1", Started: time.Now(), Secrets: card.Secrets{Number: secret.New(number)},
					Account: port.DriveAccount{ID: "mca_1", Environment: "test", BaseURL: s.URL + k.base, Credentials: map[string]secret.Value{}, Config: k.config},
					Request: sdk.Request{Amount: sdk.Money{Minor: 6540, Currency: "EUR"}, Browser: &sdk.Browser{IP: "8.8.8.8"}, Webhook: w,
						Instrument: &sdk.Instrument{Card: &sdk.Card{ExpMonth: 3, ExpYear: 2030, Network: sdk.Visa, Length: 16}},
						Authentication: &sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0", ServerTransID: "s-1", AcquirerBIN: "412345", AcquirerMID: "m",
							MCC: "5411", MerchantName: "Shop", MerchantCountry: "DK", Data: strings.ReplaceAll(k.data, "BASE", s.URL+k.base)}}}
				for field, v := range k.credentials {
					d.Account.Credentials[field] = secret.New(v)
				}
				if w != nil {
					d.Request, d.Secrets = sdk.Request{Webhook: w}, card.Secrets{}
				}
				res, err := n.Drive(context.Background(), d)
				require.NoError(t, err)
				require.NotNil(t, res.Outcome, "%+v", res.Reject)
				everything, err := json.Marshal(res)
				require.NoError(t, err)
				for _, secret := range []string{number, value, "probe-key", "merchant-token", "PRIVATE KEY"} {
					require.NotContains(t, string(everything), secret)
				}
				return res
			}
			handed := func(res *port.DriveResult, at *sdk.AuthenticationOutcome) {
				require.NotNil(t, at, "%+v", res.Outcome)
				require.Equal(t, "Y", at.TransStatus)
				require.Equal(t, "d-1", at.DSTransID)
				require.Equal(t, value, res.CAVV(at).Reveal())
			}
			prepared := drive(sdk.OpPrepare, nil).Outcome
			require.Equal(t, sdk.StatusPrepared, prepared.Status, prepared.Raw)
			require.Equal(t, "2.2.0", prepared.Authentication.Ranges[0].Versions[0].Version)
			asked := len(withCard)
			require.Positive(t, asked)
			res := drive(sdk.OpAuthenticate, nil)
			handed(res, res.Outcome.Authentication)
			require.Len(t, withCard, asked+1)
			if k.push != "" {
				res = drive(sdk.OpWebhook, &sdk.WebhookMessage{Method: "POST", Body: []byte(strings.ReplaceAll(k.push, "VALUE", value))})
				handed(res, res.Outcome.Events[0].Outcome.Authentication)
				return
			}
			res = drive(sdk.OpResult, nil)
			handed(res, res.Outcome.Authentication)
			require.Len(t, withCard, asked+1, "a result is asked for without the card")
		})
	}
}
