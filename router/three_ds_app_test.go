package router_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/gpayments"
	"payswitch/plugins/netcetera"
)

const sdkInformation = `{"sdk_app_id":"dbd64fcb-c19a-4728-8849-e3d50bfdde39","sdk_enc_data":"eyJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.a.b.c.d",
	"sdk_ephem_pub_key":{"kty":"EC","crv":"P-256","x":"WWcpTjbOqiu_1aODllw5rYTq5oLXE_T0huCPjMIRbkI","y":"Wz_7anIeadV8SJZUfr4drwjzuWoUbOsHp5GdRZBAAiw"},
	"sdk_trans_id":"b2385523-a66c-4907-ac3c-91848e8c0067","sdk_reference_number":"3DS_LOA_SDK_PPFU_020100_00007","sdk_max_timeout":5,"sdk_type":"01",
	"device_details":{"device_type":"phone","device_os":"iOS"}}`

// app calls 3ds/authentication like a merchant's app.
func (b *bankWorld) app(payment map[string]any, information string) response {
	b.t.Helper()
	id, _ := payment["payment_id"].(string)
	secret, _ := payment["client_secret"].(string)
	return b.send("POST", "/payments/"+id+"/3ds/authentication", b.publishable,
		`{"client_secret":"`+secret+`","device_channel":"APP","threeds_method_comp_ind":"U"`+information+`}`)
}

// In a merchant's app, the data of its 3DS SDK goes to the issuer. The signed content of the issuer's ACS comes back to the SDK.
func TestAppChannel(t *testing.T) {
	t.Parallel()
	b := newBankWorld(t)
	const with = `,"sdk_information":` + sdkInformation
	t.Run("frictionless", func(t *testing.T) {
		p, _ := b.invoke("4000003001000005")
		out := b.app(p, with).ok()
		require.Equal(t, "Y", out["trans_status"], out)
		require.NotEmpty(t, out["acs_trans_id"])
		require.NotEmpty(t, out["acs_reference_number"])
		require.Nil(t, out["acs_signed_content"])
		again := b.app(p, with).ok()
		for _, answer := range []map[string]any{out, again} { // the authorization may have ended before either answer
			require.Contains(t, []any{"processing", "succeeded"}, answer["status"])
			delete(answer, "status")
		}
		require.Equal(t, out, again, "the same answer")
		got := b.ended(p)
		require.Equal(t, "succeeded", got["status"], got)
		require.Equal(t, "frictionless", got["external_authentication_details"].(map[string]any)["authentication_flow"])
	})
	t.Run("challenge", func(t *testing.T) {
		p, _ := b.invoke("4000003001700000", `,"capture_method":"manual"`)
		out := b.app(p, with).ok()
		require.Equal(t, "C", out["trans_status"], out)
		require.Nil(t, out["acs_url"], "the app's SDK finds it in what is signed")
		require.Nil(t, out["challenge_request"], "and makes the CReq")
		parts := strings.Split(out["acs_signed_content"].(string), ".")
		require.Len(t, parts, 3, "a JWS")
		signed, err := base64.RawURLEncoding.DecodeString(parts[1])
		require.NoError(t, err)
		var content map[string]any
		require.NoError(t, json.Unmarshal(signed, &content))
		require.Equal(t, out["acs_trans_id"], content["acsTransID"])
		require.NotEmpty(t, out["acs_reference_number"])
		require.NotEmpty(t, out["three_ds_server_trans_id"])
		require.Equal(t, "https://shop.example", out["three_ds_requestor_url"])

		// The app runs the challenge with the ACS and then reads the payment.
		require.Equal(t, "requires_customer_action", b.get("/payments/" + p["payment_id"].(string) + "?force_sync=true").ok()["status"])
		require.Equal(t, "Y", b.complete(out["three_ds_server_trans_id"].(string), `"otp":"1234"`))
		b.clock.Add(int64(4 * time.Second)) // it is asked every few seconds at most
		got := b.ended(p)
		require.Equal(t, "requires_capture", got["status"], got)
		details := got["external_authentication_details"].(map[string]any)
		require.Equal(t, "challenge", details["authentication_flow"])
		require.Equal(t, "05", details["electronic_commerce_indicator"])
	})
	t.Run("cancelled in the app", func(t *testing.T) {
		p, _ := b.invoke("4000003001700000")
		out := b.app(p, with).ok()
		b.complete(out["three_ds_server_trans_id"].(string), `"result":"cancel"`)
		b.clock.Add(int64(4 * time.Second))
		got := b.ended(p)
		require.Equal(t, "failed", got["status"])
		require.Equal(t, "challenge_cancelled", got["error_code"])
	})
	t.Run("what is missing", func(t *testing.T) {
		p, _ := b.invoke("4000003001000005")
		b.app(p, "").refused(400, "IR_04", "sdk_information")
		b.app(p, `,"sdk_information":{"sdk_app_id":"a"}`).refused(400, "IR_06", "missing field `sdk_enc_data`")
		b.app(p, strings.Replace(with, `"sdk_max_timeout":5`, `"sdk_max_timeout":256`, 1)).refused(400, "IR_06", "invalid value")
		b.app(p, strings.Replace(with, `"sdk_type":"01"`, `"sdk_type":"09"`, 1)).refused(400, "IR_06", "unknown variant")
		require.Equal(t, "requires_customer_action", b.get("/payments/" + p["payment_id"].(string)).ok()["status"], "nothing has been asked")
		require.Equal(t, "Y", b.app(p, with).ok()["trans_status"])
	})
}

// complete ends a challenge at the bank without a browser and returns its transStatus.
func (b *bankWorld) complete(serverTransID, how string) string {
	b.t.Helper()
	req, err := http.NewRequest("POST", b.server.URL+"/sim/3ds/complete", strings.NewReader(`{"threeDSServerTransID":"`+serverTransID+`",`+how+`}`))
	require.NoError(b.t, err)
	req.Header.Set("APIKey", "demo")
	r, err := b.client.Do(req)
	require.NoError(b.t, err)
	defer r.Body.Close()
	body := readAll(b.t, r)
	require.Equal(b.t, 200, r.StatusCode, body)
	var out struct{ TransStatus string }
	require.NoError(b.t, json.Unmarshal([]byte(body), &out))
	return out.TransStatus
}

// A push of a vendor ends an app's challenge too. The vendor gets every field of the app's SDK.
func TestAppAtAVendorThatPushes(t *testing.T) {
	t.Parallel()
	answers := netceteraAnswers()
	answers["/3ds/authentication"] = `{"threeDSServerTransID":"s-1","transStatus":"C","authenticationResponse":{"dsTransID":"f25084f0-5b16-4c0a-ae5d-b24808a95e4b",
		"acsTransID":"a-1","messageVersion":"2.2.0","acsReferenceNumber":"ref-1","acsSignedContent":"h.p.s","acsRenderingType":{"acsInterface":"01","acsUiTemplate":"01"}}}`
	w := newVendorWorld(t, netcetera.Adapter(), netceteraMetadata, answers)
	p, _ := w.invoke("4242424242424242")
	out := w.app(p, `,"sdk_information":`+strings.Replace(sdkInformation, `"sdk_max_timeout":5`, `"sdk_max_timeout":255`, 1)).ok()
	require.Equal(t, "C", out["trans_status"])
	require.Equal(t, "h.p.s", out["acs_signed_content"])
	require.Equal(t, "ref-1", out["acs_reference_number"])
	require.Equal(t, "shop://back", out["three_ds_requestor_app_url"])
	asked := w.vendor.body(t, "/3ds/authentication")
	require.Equal(t, "01", asked["deviceChannel"])
	require.Nil(t, asked["browserInformation"])
	require.Equal(t, map[string]any{"sdkAppID": "dbd64fcb-c19a-4728-8849-e3d50bfdde39", "sdkEncData": "eyJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.a.b.c.d",
		"sdkTransID": "b2385523-a66c-4907-ac3c-91848e8c0067", "sdkReferenceNumber": "3DS_LOA_SDK_PPFU_020100_00007", "sdkMaxTimeout": "99",
		"sdkEphemPubKey": map[string]any{"kty": "EC", "crv": "P-256", "x": "WWcpTjbOqiu_1aODllw5rYTq5oLXE_T0huCPjMIRbkI", "y": "Wz_7anIeadV8SJZUfr4drwjzuWoUbOsHp5GdRZBAAiw"},
	}, asked["sdkInformation"])
	result := strings.TrimPrefix(asked["merchant"].(map[string]any)["resultsResponseNotificationUrl"].(string), publicURL)
	require.Equal(t, 200, w.hook("POST", result, rreq("Y"), nil).status)
	require.Equal(t, "succeeded", w.ended(p)["status"])
}

// An authenticator that lacks the channel gets no request, and the payment can go on in another channel.
func TestAppAtAVendorForBrowsers(t *testing.T) {
	t.Parallel()
	w := newVendorWorld(t, gpayments.Adapter(), gpaymentsMetadata, gpaymentsAnswers())
	p, _ := w.invoke("4242424242424242")
	w.app(p, `,"sdk_information":`+sdkInformation).refused(400, "IR_16", "does not authenticate in the device channel APP")
	require.Zero(t, w.vendor.count("POST /api/v2/auth/brw"))
	require.Equal(t, "C", w.authenticate(p, "N")["trans_status"])
}
