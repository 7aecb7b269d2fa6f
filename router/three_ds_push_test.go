package router_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/netcetera"
	"payswitch/sdk"
)

const (
	netceteraMetadata = `{"endpoint_prefix":"acme","acquirer_bin":"412345","acquirer_merchant_id":"MID1","mcc":"5411","merchant_name":"Shop","merchant_country_code":"208"}`
	pushedValue       = "vVD5sEUyriSo5+1pngYHMEhi/fg="
)

// netceteraAnswers returns the answers for a challenge whose result is pushed.
func netceteraAnswers() map[string]string {
	return map[string]string{
		"/3ds/versioning": `{"threeDSServerTransID":"s-1","cardRanges":[{"schemeId":"Visa","highestCommonSupportedVersion":"2.2.0","directoryServerId":"A000000003"}]}`,
		"/3ds/authentication": `{"threeDSServerTransID":"s-1","transStatus":"C","authenticationResponse":{"dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"a-1",
			"messageVersion":"2.2.0","acsURL":"https://acs.example/challenge","acsReferenceNumber":"ref"}}`,
	}
}

func rreq(status string) string {
	return `{"threeDSServerTransID":"s-1","transStatus":"` + status + `","eci":"05","authenticationValue":"` + pushedValue +
		`","resultsRequest":{"dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b","acsTransID":"a-1","messageVersion":"2.2.0","authenticationValue":"` + pushedValue + `"}}`
}

// Netcetera pushes to the URL that it got for this authentication. The URL is the only proof, so a push to another URL is refused.
func TestNetceteraPushes(t *testing.T) {
	t.Parallel()
	w := newVendorWorld(t, netcetera.Adapter(), netceteraMetadata, netceteraAnswers())
	p, _ := w.invoke("4242424242424242")
	require.Equal(t, "C", w.authenticate(p, "U")["trans_status"])
	result := strings.TrimPrefix(w.vendor.body(t, "/3ds/authentication")["merchant"].(map[string]any)["resultsResponseNotificationUrl"].(string), publicURL)
	require.Contains(t, result, "/3ds/r/")

	w.hook("POST", "/webhooks/m1/"+w.account, rreq("Y"), nil).refused(401, "WE_01", "Webhook authentication failed")
	w.hook("POST", "/webhooks/m1/netcetera", rreq("Y"), nil).refused(401, "WE_01", "")
	require.Equal(t, 404, w.hook("POST", result[:len(result)-1]+"_", rreq("Y"), nil).status, "a URL that leads nowhere")
	w.hook("POST", result, `{"no":"result"}`, nil).refused(400, "WE_02", "")
	require.Equal(t, "requires_customer_action", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])

	require.Equal(t, 200, w.hook("POST", result, rreq("Y"), nil).status)
	got := w.ended(p)
	require.Equal(t, "succeeded", got["status"], got)
	require.Equal(t, "challenge", got["external_authentication_details"].(map[string]any)["authentication_flow"])
	require.Equal(t, 200, w.hook("POST", result, rreq("N"), nil).status, "replayed, and another end")
	require.Equal(t, "succeeded", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
	require.NotContains(t, w.logs.String(), pushedValue)
}

// A vendor that signs its messages may send them to the account's URL.
func TestSignedResultsAtTheAccountsURL(t *testing.T) {
	t.Parallel()
	a := netcetera.Adapter()
	read := a.Webhook
	a.Manifest.Credentials = append(a.Manifest.Credentials, sdk.Field{Name: "webhook_secret", Label: "Webhook secret", Type: "secret", Optional: true})
	rule := *a.Manifest.Authenticator
	rule.PushAuthentication = "hmac"
	a.Manifest.Authenticator = &rule
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_secret"]), sdk.Body())),
			sdk.HeaderValue(c.Request.Webhook.Headers, "Signature"))
		if err != nil {
			return nil, err
		}
		if !ok {
			return sdk.Refuse(401, "signature"), nil
		}
		return read(c)
	}
	w := newVendorWorld(t, a, netceteraMetadata, netceteraAnswers())
	const secret = "what the vendor signs with"
	w.admin("POST", "/account/m1/connectors/"+w.account, `{"connector_type":"authentication_processor","connector_webhook_details":{"merchant_secret":"`+secret+`"}}`).ok()
	signed := func(body, key string) map[string]string {
		h := hmac.New(sha256.New, []byte(key))
		h.Write([]byte(body))
		return map[string]string{"Signature": hex.EncodeToString(h.Sum(nil))}
	}
	p, _ := w.invoke("4242424242424242")
	require.Equal(t, "C", w.authenticate(p, "U")["trans_status"])
	path := "/webhooks/m1/" + w.account
	w.hook("POST", path, rreq("Y"), nil).refused(401, "WE_01", "")
	w.hook("POST", path, rreq("Y"), signed(rreq("Y"), "a guess")).refused(401, "WE_01", "")
	w.hook("POST", path, rreq("Y"), signed(rreq("N"), secret)).refused(401, "WE_01", "")
	other := strings.ReplaceAll(rreq("Y"), "s-1", "s-2")
	require.Equal(t, 200, w.hook("POST", path, other, signed(other, secret)).status, "Netcetera is answered so, whatever it is about")
	require.Equal(t, "requires_customer_action", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])

	require.Equal(t, 200, w.hook("POST", path, rreq("Y"), signed(rreq("Y"), secret)).status)
	got := w.ended(p)
	require.Equal(t, "succeeded", got["status"], got)
	require.Equal(t, "05", got["external_authentication_details"].(map[string]any)["electronic_commerce_indicator"])
	require.Equal(t, 200, w.hook("POST", path, rreq("N"), signed(rreq("N"), secret)).status)
	require.Equal(t, "succeeded", w.get("/payments/" + p["payment_id"].(string)).ok()["status"])
}
