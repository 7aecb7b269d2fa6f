package cybersource_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

func TestExternal3DS(t *testing.T) {
	for _, x := range []struct {
		network           sdk.CardNetwork
		status            string
		indicator, field  string
		collectionOfUCAFs string
	}{
		{sdk.Visa, "Y", "vbv", "cavv", ""},
		{sdk.Visa, "A", "vbv_attempted", "cavv", ""},
		{sdk.Mastercard, "Y", "spa", "ucafAuthenticationData", "2"},
		{sdk.Mastercard, "A", "spa", "ucafAuthenticationData", "1"},
		{sdk.AmericanExpress, "Y", "aesk", "cavv", ""},
		{sdk.JCB, "A", "js_attempted", "cavv", ""},
		{sdk.Visa, "I", "internet", "cavv", ""},
	} {
		r := payment()
		r.Request3DS, r.Instrument = true, card(x.network)
		r.ThreeDS = &sdk.ThreeDSResult{CAVV: "AAABBEg0VhI0VniQEjRWAAAAAAA=", ECI: "05", TransStatus: x.status, Version: "2.2.0", DSTransID: "ds"}
		b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
		require.Equal(t, x.indicator, b.Str("processingInformation.commerceIndicator"))
		require.Equal(t, "AAABBEg0VhI0VniQEjRWAAAAAAA=", b.Str("consumerAuthenticationInformation."+x.field))
		require.Equal(t, x.collectionOfUCAFs, b.Str("consumerAuthenticationInformation.ucafCollectionIndicator"))
	}
}

func TestExemptions(t *testing.T) {
	for e, want := range map[sdk.Exemption]string{"": "", sdk.ExemptionLowValue: `{"lowValueExemptionIndicator":"1"}`,
		sdk.ExemptionRiskAnalysis: `{"riskAnalysisExemptionIndicator":"1"}`, sdk.ExemptionTrustedBeneficiary: `{"trustedMerchantExemptionIndicator":"1"}`,
		sdk.ExemptionSecureCorporate: `{"secureCorporatePaymentIndicator":"1"}`, sdk.ExemptionDelegation: `{"delegatedAuthenticationExemptionIndicator":"1"}`} {
		for _, proof := range []*sdk.ThreeDSResult{nil, {ECI: "07", TransStatus: "I", Version: "2.2.0", DSTransID: "ds"}} {
			r := payment()
			r.Exemption, r.ThreeDS = e, proof
			b := wire.JSONBody(t, play(t, sdk.OpAuthorize, r, answer(201, approved)).Sends[0])
			require.Equal(t, want, b.Raw("consumerAuthenticationInformation.strongAuthentication"))
			require.Equal(t, proof != nil, b.Has("consumerAuthenticationInformation.paresStatus"))
		}
	}
}

// The enrollment sends what is known about the browser.
func TestEnrollmentBrowser(t *testing.T) {
	r := payment()
	r.Request3DS, r.ConnectorData = true, sdk.Keep("device", "dev-1")
	enrolled := answer(201, `{"status":"PENDING_AUTHENTICATION","consumerAuthenticationInformation":{"accessToken":"j","stepUpUrl":"https://x.example/","authenticationTransactionId":"a"}}`)
	require.False(t, wire.JSONBody(t, play(t, sdk.OpComplete, r, enrolled).Sends[0]).Has("deviceInformation"))
	r.StoredCredential = &sdk.StoredCredentialUse{Initiator: "cit", First: true, Usage: "off_session"}
	require.Equal(t, "04", wire.JSONBody(t, play(t, sdk.OpComplete, r, enrolled).Sends[0]).Str("consumerAuthenticationInformation.challengeCode"))
	r.StoredCredential = nil
	r.Browser = &sdk.Browser{IP: "203.0.113.10", UserAgent: "UA", AcceptHeader: "*/*", Language: "en", ScreenWidth: 1920, TimeZone: -60, JavaScriptEnable: true}
	require.JSONEq(t, `{"ipAddress":"203.0.113.10","userAgentBrowserValue":"UA","httpAcceptContent":"*/*","httpBrowserLanguage":"en","httpBrowserJavaEnabled":false,
		"httpBrowserJavaScriptEnabled":true,"httpBrowserScreenWidth":"1920","httpBrowserTimeDifference":"-60"}`,
		wire.JSONBody(t, play(t, sdk.OpComplete, r, enrolled).Sends[0]).Raw("deviceInformation"))
}

// TestProcessor3DS runs payer authentication: device data, enrollment, challenge, payment.
func TestProcessor3DS(t *testing.T) {
	r := payment()
	r.Request3DS = true
	p := play(t, sdk.OpAuthorize, r, answer(201, `{"status":"COMPLETED","consumerAuthenticationInformation":{"accessToken":"jwt-1",
		"deviceDataCollectionUrl":"https://collect.example/","referenceId":"dev-1"}}`))
	require.Equal(t, sdk.StatusCustomerAction, p.Status)
	require.Equal(t, sdk.NextAction{Type: "device_data", URL: "https://collect.example/", Fields: []sdk.Header{sdk.H("JWT", "jwt-1")}}, *p.NextAction)

	r.ConnectorData, r.Return = p.ConnectorData, &sdk.Return{Method: "POST", DeviceData: "Y"}
	challenge := answer(201, `{"status":"PENDING_AUTHENTICATION","consumerAuthenticationInformation":{"accessToken":"jwt-2",
		"stepUpUrl":"https://stepup.example/","authenticationTransactionId":"txn-1"}}`)
	p = play(t, sdk.OpComplete, r, challenge)
	require.Equal(t, "dev-1", wire.JSONBody(t, p.Sends[0]).Str("consumerAuthenticationInformation.referenceId"))
	require.Equal(t, "https://pay.example/return", wire.JSONBody(t, p.Sends[0]).Str("consumerAuthenticationInformation.returnUrl"))
	require.Equal(t, sdk.NextAction{Type: "form_post", URL: "https://stepup.example/", Fields: []sdk.Header{sdk.H("JWT", "jwt-2")}}, *p.NextAction)

	frictionless := r
	p = play(t, sdk.OpComplete, frictionless, answer(201, `{"status":"AUTHENTICATION_SUCCESSFUL","consumerAuthenticationInformation":{"cavv":"CAPTURED",
		"ecommerceIndicator":"vbv","eciRaw":"05","paresStatus":"Y"}}`), answer(201, approved))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, []sdk.Capture{{Path: "consumerAuthenticationInformation.cavv", Name: "authentication_cavv"},
		{Path: "consumerAuthenticationInformation.ucafAuthenticationData", Name: "authentication_ucafauthenticationdata"}}, p.Sends[0].Capture)
	require.Equal(t, "CAPTURED", wire.JSONBody(t, p.Sends[1]).Str("consumerAuthenticationInformation.cavv"))
	require.Equal(t, "vbv", wire.JSONBody(t, p.Sends[1]).Str("processingInformation.commerceIndicator"))

	failed := answer(201, `{"status":"AUTHENTICATION_FAILED","errorInformation":{"reason":"CONSUMER_AUTHENTICATION_FAILED","message":"Failed."}}`)
	p = play(t, sdk.OpComplete, r, failed)
	require.Equal(t, sdk.DeclineAuthenticationFailed, p.Decline.Reason)

	r.ConnectorData = play(t, sdk.OpComplete, r, challenge).ConnectorData
	p = play(t, sdk.OpComplete, r, answer(201, approved))
	require.Equal(t, sdk.StatusAuthorized, p.Status)
	require.Equal(t, "txn-1", wire.JSONBody(t, p.Sends[0]).Str("consumerAuthenticationInformation.authenticationTransactionId"))
	require.Equal(t, "VALIDATE_CONSUMER_AUTHENTICATION", wire.JSONBody(t, p.Sends[0]).Str("processingInformation.actionList.0"))
	require.Equal(t, sdk.StatusDeclined, play(t, sdk.OpComplete, r, failed).Status)

	r.ConnectorData = nil
	require.Equal(t, sdk.RejectInvalid, play(t, sdk.OpComplete, r).Reject.Code)
}

// TestSetupProvesNothing: an answer to the setup without the browser's data is not an action.
func TestSetupProvesNothing(t *testing.T) {
	r := payment()
	r.Request3DS = true
	require.Equal(t, sdk.StatusUnknown, play(t, sdk.OpAuthorize, r, answer(201, `{"status":"COMPLETED"}`)).Status)
	p := play(t, sdk.OpAuthorize, r, answer(400, `{"status":"INVALID_REQUEST","reason":"INVALID_DATA","message":"Bad."}`))
	require.Equal(t, sdk.StatusDeclined, p.Status)
	p = play(t, sdk.OpAuthorize, r, answer(401, `{"response":{"rmsg":"Authentication Failed"}}`))
	require.Equal(t, sdk.DeclineInvalidMerchant, p.Decline.Reason)
}
