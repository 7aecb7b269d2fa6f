// Package netcetera is the adapter for Netcetera's 3DS Server, operated as a service.
//
// Its messages hold EMV 3-D Secure's fields in groups. A client certificate identifies the account. Netcetera pushes
// the result of a challenge to a URL of that authentication alone; the adapter cannot ask for it.
package netcetera

import (
	"errors"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// Names of the account's fields.
const (
	certificate     = "certificate"
	privateKey      = "private_key"
	prefix          = "endpoint_prefix"
	configurationID = "merchant_configuration_id"
)

const (
	testHost = "{endpoint_prefix}.3ds-server.prev.netcetera-cloud-payment.ch"
	liveHost = "{endpoint_prefix}.3ds-server.prod.netcetera-cloud-payment.ch"
)

// Adapter returns a new adapter.
func Adapter() *sdk.Adapter {
	value := []sdk.Capture{{Path: "authenticationValue", Name: "authentication_value"},
		{Path: "resultsRequest.authenticationValue", Name: "authentication_value"}}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "netcetera", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "Netcetera",
			Description: "EMV 3-D Secure 2 through Netcetera's 3DS Server.", Website: "https://3dss.netcetera.com",
			Environments: map[string]sdk.Environment{
				"test": {BaseURL: "https://" + testHost, Hosts: []string{testHost}},
				"live": {BaseURL: "https://" + liveHost, Hosts: []string{liveHost}},
			},
			Credentials: []sdk.Field{
				{Name: certificate, Label: "Client certificate", Type: "client_certificate",
					Help: "PEM, with the chain behind it."},
				{Name: privateKey, Label: "Its private key", Type: "client_certificate", Help: "PEM, not encrypted."},
			},
			Config: append([]sdk.Field{
				{Name: prefix, Label: "Endpoint prefix", Type: "text",
					Help: "The first label of the host name that Netcetera gave."},
				{Name: configurationID, Label: "Merchant configuration id", Type: "text", Optional: true,
					Help: "The configuration of merchant and acquirer at Netcetera."},
			}, threeds.Config()...),
			Authentication: []sdk.Placement{{Secret: certificate, In: "tls", Field: "client_certificate"}},
			Placements: []sdk.Placement{
				{Secret: "card_number", Operation: sdk.OpPrepare, Method: "POST", Path: versioningPath, In: "body",
					Field: "cardholderAccountNumber"},
				{Secret: "card_number", Operation: sdk.OpAuthenticate, Method: "POST", Path: authenticationPath, In: "body",
					Field: "cardholderAccount.acctNumber"},
			},
			Networks: []sdk.CardNetwork{sdk.Visa, sdk.Mastercard, sdk.Maestro, sdk.AmericanExpress, sdk.JCB, sdk.Discover,
				sdk.DinersClub, sdk.UnionPay, sdk.CartesBancaires}, Webhook: &sdk.WebhookRule{Scheme: "url_token", Capture: value},
			Authenticator: &sdk.AuthenticatorRule{
				Channels:        []sdk.DeviceChannel{sdk.ChannelBrowser, sdk.ChannelApp, sdk.Channel3RI},
				MessageVersions: []string{"2.1.0", "2.2.0", "2.3.1"},
				Method:          "acs_post", Completion: "notification", Challenge: "creq_post",
				Result: "push", PushAuthentication: "none", Decoupled: true,
			},
		},
		Prepare: prepare, Authenticate: authenticate, CancelChallenge: cancel, Webhook: webhook,
	}
}

// Paths of the API.
const (
	versioningPath     = "/3ds/versioning"
	authenticationPath = "/3ds/authentication"
	cancelledPath      = "/3ds/challenge-cancelled"
)

// schemes are Netcetera's names of networks (schemeId).
var schemes = []struct {
	network sdk.CardNetwork
	id      string
}{
	{sdk.Visa, "Visa"}, {sdk.Mastercard, "Mastercard"}, {sdk.Maestro, "Mastercard"}, {sdk.JCB, "JCB"},
	{sdk.AmericanExpress, "American Express"},
	{sdk.DinersClub, "Diners"}, {sdk.Discover, "Diners"}, {sdk.CartesBancaires, "CB"}, {sdk.UnionPay, "UnionPay"},
}

// schemeID returns the name of a network; "" for a network without one.
func schemeID(n sdk.CardNetwork) string {
	for _, s := range schemes {
		if s.network == n && n != "" {
			return s.id
		}
	}
	return ""
}

// networkOf returns the network of a name. If two networks share the name, the card's decides.
func networkOf(id string, card sdk.CardNetwork) (n sdk.CardNetwork) {
	for _, s := range schemes {
		if s.id == id && (n == "" || s.network == card) {
			n = s.network
		}
	}
	return n
}

// post sends one message and reads the answer. An error message counts with any HTTP status, any other message only
// with a status of success.
func post(c *sdk.Call, path string, body *sdk.Object, safe bool, captured ...sdk.Capture) (sdk.JSON, int,
	*sdk.AuthenticationError, error) {
	resp, err := c.Do(&sdk.Send{Method: "POST", URL: path, Body: body.Bytes(), SafeToRepeat: safe, Capture: captured,
		Headers: []sdk.Header{sdk.H("Content-Type", "application/json; charset=utf-8")}})
	if err != nil {
		return sdk.JSON{}, 0, nil, err
	}
	j := resp.JSON()
	if e := threeds.Erro(j.Get("errorDetails")); e != nil {
		return j, resp.Status, e, nil
	}
	if e := threeds.Refused(resp.Status); e != nil {
		return j, resp.Status, e, nil
	}
	if !resp.OK() {
		return j, resp.Status, nil, errors.New("HTTP " + sdk.Decimal(int64(resp.Status), 0) + " without a message")
	}
	return j, resp.Status, nil, nil
}

// failed returns the outcome of an error message.
func failed(status sdk.OutcomeStatus, j sdk.JSON, e *sdk.AuthenticationError) *sdk.Outcome {
	a := &sdk.AuthenticationOutcome{Error: e}
	details := j.Get("errorDetails")
	a.ServerTransID, a.ACSTransID, a.DSTransID = details.Str("threeDSServerTransID"), details.Str("acsTransID"),
		details.Str("dsTransID")
	if a.ServerTransID == "" {
		a.ServerTransID = j.Str("threeDSServerTransID")
	}
	return &sdk.Outcome{Status: status, Authentication: a}
}
