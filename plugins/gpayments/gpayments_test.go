package gpayments_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/plugins/gpayments"
	"payswitch/sdk"
	"payswitch/sdk/sdktest"
	"payswitch/sdk/sdktest/wire"
)

var facts = wire.Options{}

func TestWire(t *testing.T) { wire.Run(t, gpayments.Adapter(), os.DirFS("testdata"), facts) }

// TestSuite runs the suite of all adapters.
func TestSuite(t *testing.T) {
	base := ""
	require.NoError(t, sdktest.Check(t.Context(), sdktest.Native(gpayments.Adapter()), sdktest.Options{
		Request: func(op sdk.Operation, r *sdk.Request) {
			if op == sdk.OpAuthenticate {
				r.Authentication.Data = `{"requestor":"r","auth_url":"https://sample-test.api.as1.gpayments.net/api/v2/auth/brw?t=1"}`
			}
		},
		Account: &sdk.Account{ID: "mca_1", Connector: "gpayments", Environment: "test", BaseURL: "https://sample-test.api.as1.gpayments.net",
			Config: map[string]string{"endpoint_prefix": "sample", "merchant_id": "m_1"}},
		Answer: func(op sdk.Operation, i int, s *sdk.Send) sdk.Exchange {
			base, _, _ = strings.Cut(s.URL, "/api/")
			body := `{"threeDSServerTransID":"s","transStatus":"Y","eci":"05","authenticationValue":"capturedStandIn","dsTransID":"d","acsTransID":"a"}`
			switch {
			case op == sdk.OpPrepare && i == 0:
				body = `{"enrolmentStatus":"01","supportedMessageVersions":["2.2.0"]}`
			case op == sdk.OpPrepare:
				body = `{"threeDSServerTransID":"s","authUrl":"` + base + `/api/v2/auth/brw?t=1","threeDSServerCallbackUrl":"` + base + `/cb"}`
			}
			return sdk.Exchange{Status: 200, Body: []byte(body)}
		},
	}))
}

func step(op sdk.Operation, r sdk.Request) *sdk.Step {
	s := wire.NewStep(&gpayments.Adapter().Manifest, op, r)
	s.Account.BaseURL = "https://acme-test.api.as1.gpayments.net"
	return s
}

func purchase(in sdk.AuthenticationRequest) sdk.Request {
	return sdk.Request{Amount: sdk.Money{Minor: 100, Currency: "EUR"}, Browser: &sdk.Browser{}, Authentication: &in,
		Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "n", ExpMonth: 1, ExpYear: 2030, Network: sdk.DinersClub}}}
}

// authenticate uses the state of prepare, and result the state of authenticate.
func TestFromPrepareToResult(t *testing.T) {
	const base = "https://acme-test.api.as1.gpayments.net"
	in := sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0", EventURL: "https://switch.example/3ds/e/1"}
	sends, r, err := wire.Play(gpayments.Adapter(), step(sdk.OpPrepare, purchase(in)), wire.Answer(200, `{"enrolmentStatus":"01","supportedMessageVersions":["2.1.0","2.2.0"]}`),
		wire.Answer(200, `{"threeDSServerTransID":"s-1","threeDSServerCallbackUrl":"`+base+`/cb","monUrl":"`+base+`/mon","authUrl":"`+base+`/api/v2/auth/brw?t=a%2Fb","resolvedCardScheme":"DISCOVER"}`))
	require.NoError(t, err)
	require.Len(t, sends, 2)
	a := r.Outcome.Authentication
	require.Equal(t, sdk.StatusPrepared, r.Outcome.Status)
	require.Equal(t, []string{base + "/cb", base + "/mon"}, a.Frames)
	require.Equal(t, []sdk.CardRange{{Network: sdk.DinersClub, Versions: []sdk.ProtocolVersion{{Version: "2.1.0"}, {Version: "2.2.0"}}}}, a.Ranges)
	body, err := sdk.ParseJSON(sends[1].Body)
	require.NoError(t, err)
	id := body.Str("threeDSRequestorTransID")
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, id)

	in.ServerTransID, in.Data = a.ServerTransID, a.Data
	sends, r, err = wire.Play(gpayments.Adapter(), step(sdk.OpAuthenticate, purchase(in)), wire.Answer(200, `{"threeDSServerTransID":"s-1","transStatus":"C","acsTransID":"a","dsTransID":"d",
		"challengeUrl":"`+base+`/challenge","resultMonUrl":"`+base+`/result-mon?x=1"}`))
	require.NoError(t, err)
	require.Equal(t, base+"/api/v2/auth/brw?t=a%2Fb", sends[0].URL)
	body, err = sdk.ParseJSON(sends[0].Body)
	require.NoError(t, err)
	require.Equal(t, id, body.Str("threeDSRequestorTransID"))
	require.Equal(t, base+"/challenge", r.Outcome.Authentication.ACSURL)

	in.Data = r.Outcome.Authentication.Data
	sends, r, err = wire.Play(gpayments.Adapter(), step(sdk.OpResult, purchase(in)), wire.Answer(200, `{"event":"AuthResultNotReady"}`))
	require.NoError(t, err)
	require.Equal(t, base+"/result-mon?x=1", sends[0].URL)
	require.True(t, r.Outcome.Authentication.Pending)
}

func TestLive(t *testing.T) {
	s := step(sdk.OpResult, purchase(sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, ServerTransID: "s 1"}))
	s.Account.Environment, s.Account.BaseURL = "live", "https://acme.api.as1.gpayments.net"
	sends, _, err := wire.Play(gpayments.Adapter(), s)
	require.NoError(t, err)
	require.Equal(t, "https://acme.api.as1.gpayments.net/api/v2/auth/brw/result?threeDSServerTransID=s+1&trans-type=prod", sends[0].URL)
	s.Operation = sdk.OpPrepare
	sends, _, err = wire.Play(gpayments.Adapter(), s)
	require.NoError(t, err)
	require.Equal(t, "https://acme.api.as1.gpayments.net/api/v2/auth/enrol?trans-type=prod", sends[0].URL)
}

func TestRejects(t *testing.T) {
	data := `{"requestor":"r","auth_url":"https://acme-test.api.as1.gpayments.net/api/v2/auth/brw?t=1"}`
	for parameter, change := range map[string]func(*sdk.Request){
		"data":   func(r *sdk.Request) { r.Authentication.Data = "" },
		"amount": func(r *sdk.Request) { r.Amount.Minor = 0 },
		"device_channel": func(r *sdk.Request) {
			r.Authentication.DeviceChannel, r.Authentication.App = sdk.ChannelApp, &sdk.AppSDK{}
		},
		"browser_info": func(r *sdk.Request) { r.Browser = nil },
	} {
		r := purchase(sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0", ServerTransID: "s", Data: data})
		change(&r)
		got := gpayments.Adapter().Step(step(sdk.OpAuthenticate, r))
		require.NotNil(t, got.Reject, parameter)
		require.Equal(t, parameter, got.Reject.Parameter)
	}
	r := purchase(sdk.AuthenticationRequest{DeviceChannel: sdk.ChannelBrowser, MessageVersion: "2.2.0", ServerTransID: "s",
		Data: `{"auth_url":"https://acme-test.api.as1.gpayments.net.evil.example/api"}`})
	require.NotNil(t, gpayments.Adapter().Step(step(sdk.OpAuthenticate, r)).Reject, "the card goes to ActiveServer alone")
}

func TestEvents(t *testing.T) {
	for name, k := range map[string]struct {
		event sdk.AuthenticationEvent
		sync  bool
	}{"3DSMethodFinished": {"method_completed", false}, "3DSMethodSkipped": {"method_skipped", false}, "InitAuthTimedOut": {"timed_out", false},
		"3DSMethodHasError": {"information", false}, "AuthResultReady": {"result_ready", true}} {
		s := step(sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte("requestorTransId=r-1&event=" + name + "&param=eyJ9&transStatus=Y")}})
		r := gpayments.Adapter().Step(s)
		require.Len(t, r.Outcome.Events, 1, name)
		e := r.Outcome.Events[0]
		require.Equal(t, sdk.Event{Object: "authentication", Reference: "r-1", Sync: k.sync,
			Outcome: &sdk.Outcome{Status: sdk.StatusHandled, Authentication: &sdk.AuthenticationOutcome{Event: k.event}}}, e, name)
	}
	for _, body := range []string{"", "event=", "event=Paid", "%zz", `{"event":"AuthResultReady"}`} {
		r := gpayments.Adapter().Step(step(sdk.OpWebhook, sdk.Request{Webhook: &sdk.WebhookMessage{Method: "POST", Body: []byte(body)}}))
		require.Equal(t, sdk.StatusUnknown, r.Outcome.Status, body)
	}
}
