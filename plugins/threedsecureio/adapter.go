// Package threedsecureio is the adapter for 3dsecure.io, a 3DS server as a service (docs.3dsecure.io).
//
// Its messages are EMV 3-D Secure's in flat JSON: /preauth looks the card up, /auth takes the AReq and answers with the
// ARes, /postauth answers with the RReq. The messageType decides what a message is, whatever the HTTP status.
package threedsecureio

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

const apiKey = "api_key"

// Times of 3dsecure.io, in seconds: how long a transaction id of /preauth is valid, and how long a result is stored.
const (
	sessionTTL   = 80
	resultTTL    = 300
	decoupledTTL = 1200
)

// Adapter returns a new adapter.
func Adapter() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "threedsecureio", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "3dsecure.io",
			Description: "EMV 3-D Secure 2 through 3dsecure.io's 3DS server.", Website: "https://3dsecure.io",
			Environments: map[string]sdk.Environment{
				"test": {BaseURL: "https://service.sandbox.3dsecure.io", Hosts: []string{"service.sandbox.3dsecure.io"}},
				"live": {BaseURL: "https://service.3dsecure.io", Hosts: []string{"service.3dsecure.io"}},
			},
			Credentials: []sdk.Field{{Name: apiKey, Label: "API key", Type: "secret",
				Help: "Sandbox and production have different keys."}}, Config: threeds.Config(),
			Authentication: []sdk.Placement{{Secret: apiKey, In: "header", Field: "APIKey"}},
			Placements: []sdk.Placement{
				{Secret: "card_number", Operation: sdk.OpPrepare, Method: "POST", Path: "/preauth", In: "body",
					Field: "acctNumber"},
				{Secret: "card_number", Operation: sdk.OpAuthenticate, Method: "POST", Path: "/auth", In: "body",
					Field: "acctNumber"},
			},
			Networks: []sdk.CardNetwork{sdk.Visa, sdk.Mastercard, sdk.Maestro, sdk.AmericanExpress, sdk.JCB, sdk.Discover,
				sdk.DinersClub, sdk.UnionPay}, Authenticator: &sdk.AuthenticatorRule{
				Channels:        []sdk.DeviceChannel{sdk.ChannelBrowser, sdk.ChannelApp, sdk.Channel3RI},
				MessageVersions: []string{"2.1.0", "2.2.0", "2.3.1"},
				SessionTTL:      sessionTTL, Method: "acs_post", Completion: "notification", Challenge: "creq_post",
				Result: "pull", ResultTTL: resultTTL, DecoupledTTL: decoupledTTL, Decoupled: true, DataOnly: true,
			},
		},
		Prepare: prepare, Authenticate: authenticate, Result: result,
	}
}

// directoryServers are 3dsecure.io's names (ds), which choose a brand of a co-badged card.
var directoryServers = []struct {
	network sdk.CardNetwork
	name    string
}{
	{sdk.Visa, "visa"}, {sdk.Mastercard, "mastercard"}, {sdk.Maestro, "mastercard"}, {sdk.AmericanExpress, "amex"},
	{sdk.JCB, "jcb"},
	{sdk.UnionPay, "upi"}, {sdk.Discover, "protectbuy"}, {sdk.DinersClub, "protectbuy"},
}

// directoryServer names the chosen brand; "" without a choice, or if 3dsecure.io has no name for the brand.
func directoryServer(in *sdk.AuthenticationRequest) string {
	for _, d := range directoryServers {
		if in.Network != "" && d.network == in.Network {
			return d.name
		}
	}
	return ""
}

// post sends one message and reads the answer, which is JSON. The refusal of a key is plain text.
func post(c *sdk.Call, path string, body *sdk.Object, safe, secret bool) (sdk.JSON, *sdk.AuthenticationError, error) {
	send := &sdk.Send{Method: "POST", URL: path, Body: body.Bytes(), SafeToRepeat: safe, Headers: []sdk.Header{
		sdk.H("APIKey", c.Account.Credentials[apiKey]), sdk.H("Content-Type", "application/json; charset=utf-8")}}
	if secret {
		send.Capture = []sdk.Capture{{Path: "authenticationValue", Name: "authentication_value"}}
	}
	resp, err := c.Do(send)
	if err != nil {
		return sdk.JSON{}, nil, err
	}
	j := resp.JSON()
	if j.Str("messageType") == "" {
		if e := threeds.Refused(resp.Status); e != nil {
			return j, e, nil
		}
		return j, nil, errors.New("HTTP " + sdk.Decimal(int64(resp.Status), 0) + " without a message")
	}
	if j.Str("messageType") != "Erro" { // an error message counts with any status, any other only with success
		if !resp.OK() {
			return j, nil, errors.New("HTTP " + sdk.Decimal(int64(resp.Status), 0) +
				" with a message that needs a status of success")
		}
		return j, nil, nil
	}
	e := threeds.Erro(j)
	if e == nil {
		return j, nil, errors.New("the error message has no code")
	}
	return j, e, nil
}

// failed returns the outcome of an error message.
func failed(status sdk.OutcomeStatus, j sdk.JSON, e *sdk.AuthenticationError) (*sdk.Outcome, error) {
	return &sdk.Outcome{Status: status,
		Authentication: &sdk.AuthenticationOutcome{Error: e, ServerTransID: j.Str("threeDSServerTransID"),
			ACSTransID: j.Str("acsTransID"), DSTransID: j.Str("dsTransID")}}, nil
}
