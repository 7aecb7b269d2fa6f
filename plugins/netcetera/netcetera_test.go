package netcetera_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/netcetera"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, netcetera.Adapter(), os.DirFS("testdata"), facts) }

// TestSuite runs the suite of all adapters.
func TestSuite(t *testing.T) {
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(netcetera.Adapter()), sdktest.Options{
		Answer: func(op sdk.Operation, _ int, _ *sdk.Send) sdk.Exchange {
			body := `{"threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","cardRanges":[{"schemeId":"Visa","highestCommonSupportedVersion":"2.2.0"}]}`
			if op == sdk.OpAuthenticate {
				body = `{"threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","transStatus":"Y","eci":"05","authenticationValue":"capturedStandIn"}`
			}
			return sdk.Exchange{Status: 200, Body: []byte(body)}
		},
		Request: func(op sdk.Operation, r *sdk.Request) {
			if op == sdk.OpWebhook {
				r.Webhook.Body = []byte(pushed)
				r.Webhook.BodyLength = len(pushed)
			}
		},
	}))
}

// pushed is a result that Netcetera posts.
const pushed = `{"threeDSServerTransID":"c0828e03-8173-4bef-91f7-a025057c74fb","transStatus":"Y","eci":"05","authenticationValue":"capturedStandIn",
 "resultsRequest":{"messageType":"RReq","acsTransID":"a-1","dsTransID":"d-1","transStatus":"Y","interactionCounter":"01","challengeCancel":null,"transStatusReason":null},
 "resultsResponse":{},"errorDetails":null}`

func push(t *testing.T, body string) *sdk.Outcome {
	t.Helper()
	s := wire.NewStep(&netcetera.Adapter().Manifest, sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}})
	_, r, err := wire.Play(netcetera.Adapter(), s)
	require.NoError(t, err)
	require.NotNil(t, r.Outcome)
	return r.Outcome
}

func TestPush(t *testing.T) {
	for name, k := range map[string]struct {
		body string
		want sdk.AuthenticationOutcome
	}{
		"authenticated": {pushed, sdk.AuthenticationOutcome{TransStatus: "Y", ECI: "05", CAVV: "capturedStandIn", ServerTransID: "c0828e03-8173-4bef-91f7-a025057c74fb",
			ACSTransID: "a-1", DSTransID: "d-1", InteractionCounter: "01"}},
		"cancelled": {`{"threeDSServerTransID":"s","transStatus":"N","resultsRequest":{"transStatus":"N","transStatusReason":"01","challengeCancel":"01"}}`,
			sdk.AuthenticationOutcome{TransStatus: "N", TransStatusReason: "01", ChallengeCancel: "01", ServerTransID: "s"}},
		"error": {`{"threeDSServerTransID":"s","errorDetails":{"errorCode":"405","errorComponent":"D"}}`,
			sdk.AuthenticationOutcome{ServerTransID: "s", Error: &sdk.AuthenticationError{Class: sdk.ErrorTechnical, Code: "405", Component: "D"}}},
		"status of no EMV": {`{"threeDSServerTransID":"s","transStatus":"OK"}`, sdk.AuthenticationOutcome{ServerTransID: "s", Error: &sdk.AuthenticationError{
			Class: sdk.ErrorProtocol, Code: "trans_status", Description: "a transStatus that EMV 3-D Secure does not have", Detail: "OK"}}},
	} {
		o := push(t, k.body)
		require.Equal(t, sdk.StatusHandled, o.Status, name)
		require.Equal(t, 200, o.Reply.Status, name)
		require.Len(t, o.Events, 1, name)
		require.Equal(t, sdk.EventAuthentication, o.Events[0].Object, name)
		require.Equal(t, k.want.ServerTransID, o.Events[0].TransactionID, name)
		require.Equal(t, &k.want, o.Events[0].Outcome.Authentication, name)
	}
	for _, body := range []string{"", "{}", "[]", `{"transStatus":"Y"}`, `{"threeDSServerTransID":"s"}`, `{"threeDSServerTransID":"s","transStatus":{}}`, "<html>"} {
		require.Equal(t, sdk.StatusUnknown, push(t, body).Status, body)
	}
}

// The manifest captures exactly the fields of pushes that the adapter reads.
func TestTheValueOfAPushIsCaptured(t *testing.T) {
	var paths []string
	for _, c := range netcetera.Adapter().Manifest.Webhook.Capture {
		paths = append(paths, c.Path)
	}
	require.Equal(t, []string{"authenticationValue", "resultsRequest.authenticationValue"}, paths)
	o := push(t, `{"threeDSServerTransID":"s","transStatus":"Y","resultsRequest":{"authenticationValue":"inner"}}`)
	require.Equal(t, "inner", o.Events[0].Outcome.Authentication.CAVV)
}

func TestWithoutAnAcquirer(t *testing.T) {
	step := func(configuration string) *sdk.Step {
		s := wire.NewStep(&netcetera.Adapter().Manifest, sdk.OpAuthenticate, sdk.Request{Amount: sdk.Money{Minor: 100, Currency: "CHF"}, Browser: &sdk.Browser{},
			Instrument:     &sdk.Instrument{Card: &sdk.Card{Number: "n", ExpMonth: 1, ExpYear: 2030}},
			Authentication: &sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0", ServerTransID: "s"}})
		s.Account.Config = map[string]string{"endpoint_prefix": "acme", "merchant_configuration_id": configuration}
		return s
	}
	r := netcetera.Adapter().Step(step(""))
	require.Equal(t, &sdk.Reject{Code: sdk.RejectConfig, Parameter: "acquirer_bin", Message: r.Reject.Message}, r.Reject)
	require.NotNil(t, netcetera.Adapter().Step(step("cfg-1")).Send, "Netcetera knows merchant and acquirer")
}
