// Package gpayments is the adapter for GPayments ActiveServer, API version 2.
//
// ActiveServer hides the ACS: its own pages run the 3DS method and the challenge in frames, and let the browser post
// events. GPayments has its own names of fields. A client certificate identifies the account; a group's account also
// has a token.
package gpayments

import (
	"errors"
	"strings"

	"payswitch/sdk"
	"payswitch/sdk/threeds"
)

// Names of the account's fields.
const (
	certificate   = "certificate"
	privateKey    = "private_key"
	merchantToken = "merchant_token"
	prefix        = "endpoint_prefix"
	merchantID    = "merchant_id"
)

const (
	testHost = "{endpoint_prefix}-test.api.as1.gpayments.net"
	liveHost = "{endpoint_prefix}.api.as1.gpayments.net"
)

// Paths of the API.
const (
	enrolPath     = "/api/v2/auth/enrol"
	initPath      = "/api/v2/auth/brw/init"
	resultPath    = "/api/v2/auth/brw/result"
	threeRIPath   = "/api/v2/auth/3ri"
	threeRIResult = "/api/v2/auth/3ri/result"
	challengePath = "/api/v2/auth/challenge/status"
)

// Adapter returns a new adapter.
func Adapter() *sdk.Adapter {
	card := func(op sdk.Operation, path string) sdk.Placement {
		return sdk.Placement{Secret: "card_number", Operation: op, Method: "POST", Path: path, In: "body",
			Field: "acctNumber"}
	}
	return &sdk.Adapter{
		Manifest: sdk.Manifest{
			Name: "gpayments", Kind: sdk.KindAuthenticator, Version: "1.0.0", DisplayName: "GPayments",
			Description: "EMV 3-D Secure 2 through GPayments ActiveServer.", Website: "https://www.gpayments.com",
			Environments: map[string]sdk.Environment{
				"test": {BaseURL: "https://" + testHost, Hosts: []string{testHost}},
				"live": {BaseURL: "https://" + liveHost, Hosts: []string{liveHost}},
			},
			Credentials: []sdk.Field{
				{Name: certificate, Label: "Client certificate", Type: "client_certificate",
					Help: "PEM, with the chain behind it; of a .p12: openssl pkcs12 -nodes."},
				{Name: privateKey, Label: "Its private key", Type: "client_certificate", Help: "PEM, not encrypted."},
				{Name: merchantToken, Key: "api_key", Label: "Merchant token", Type: "secret", Optional: true,
					Help: "With a certificate of a group of merchants."},
			},
			Config: append([]sdk.Field{
				{Name: prefix, Label: "Endpoint prefix", Type: "text", Help: "The host name's first label, without -test."},
				{Name: merchantID, Label: "Merchant id", Type: "text", Help: "At ActiveServer, 35 characters at most."},
			}, threeds.Config()...),
			Authentication: []sdk.Placement{{Secret: certificate, In: "tls", Field: "client_certificate"},
				{Secret: merchantToken, In: "header", Field: tokenHeader}},
			// ActiveServer names the URL of the authentication, on the same host.
			Placements: []sdk.Placement{card(sdk.OpPrepare, enrolPath), card(sdk.OpPrepare, initPath),
				card(sdk.OpAuthenticate, "")},
			Networks: []sdk.CardNetwork{sdk.Visa, sdk.Mastercard, sdk.Maestro, sdk.AmericanExpress, sdk.JCB, sdk.Discover,
				sdk.DinersClub, sdk.UnionPay}, Authenticator: &sdk.AuthenticatorRule{
				Channels:        []sdk.DeviceChannel{sdk.ChannelBrowser, sdk.Channel3RI},
				MessageVersions: []string{"2.1.0", "2.2.0", "2.3.1"},
				Method:          "get_frame", Completion: "event", Challenge: "get_frame", Result: "pull", NeedsAmount: true,
			},
		},
		Prepare: prepare, Authenticate: authenticate, Result: result, CancelChallenge: cancel, Webhook: webhook,
	}
}

const tokenHeader = "AS-Merchant-Token"

// send makes one call and reads the answer. An error message counts with any HTTP status, any other message only with a
// status of success.
func send(c *sdk.Call, s *sdk.Send) (sdk.JSON, *sdk.AuthenticationError, error) {
	if token := c.Account.Credentials[merchantToken]; token != "" {
		s.Headers = append(s.Headers, sdk.H(tokenHeader, token))
	}
	resp, err := c.Do(s)
	if err != nil {
		return sdk.JSON{}, nil, err
	}
	j := resp.JSON()
	if e := threeds.Erro(j); e != nil {
		e.Class = classOf(e.Code)
		return j, e, nil
	}
	if e := threeds.Refused(resp.Status); e != nil {
		return j, e, nil
	}
	if !resp.OK() || !j.IsObject() {
		return j, nil, errors.New("HTTP " + sdk.Decimal(int64(resp.Status), 0) + " without a message")
	}
	return j, nil, nil
}

func post(c *sdk.Call, url string, body *sdk.Object, safe bool, captured ...sdk.Capture) (sdk.JSON,
	*sdk.AuthenticationError, error) {
	return send(c, &sdk.Send{Method: "POST", URL: url, Body: body.Bytes(), SafeToRepeat: safe, Capture: captured,
		Headers: []sdk.Header{sdk.H("Content-Type", "application/json; charset=utf-8")}})
}

func get(c *sdk.Call, url string, captured ...sdk.Capture) (sdk.JSON, *sdk.AuthenticationError, error) {
	return send(c, &sdk.Send{Method: "GET", URL: url, SafeToRepeat: true, Capture: captured})
}

// cryptogram is the field of results that the host captures.
var cryptogram = sdk.Capture{Path: "authenticationValue", Name: "authentication_value"}

// Codes of GPayments.
const (
	noDirectoryServer = "1001"
	notParticipating  = "1005"
	unknownServerID   = "1013"
)

// classOf returns the class of a code: GPayments' codes have four digits, EMV's three.
func classOf(code string) sdk.ErrorClass {
	switch code {
	case "1009", "1011":
		return sdk.ErrorConfig
	case noDirectoryServer, notParticipating, unknownServerID, "1014":
		return sdk.ErrorBadRequest
	}
	return sdk.EMVErrorClass(code) // 1002 to 1004 and unknown codes are technical
}

func failed(status sdk.OutcomeStatus, j sdk.JSON, e *sdk.AuthenticationError) (*sdk.Outcome, error) {
	return &sdk.Outcome{Status: status,
		Authentication: &sdk.AuthenticationOutcome{Error: e, ServerTransID: j.Str("threeDSServerTransID")}}, nil
}

// production marks a call for the schemes' directory servers; without the mark ActiveServer uses TestLabs'.
func production(c *sdk.Call, path string) string {
	switch {
	case c.Account.Environment != "live":
		return path
	case strings.Contains(path, "?"):
		return path + "&trans-type=prod"
	}
	return path + "?trans-type=prod"
}

// ours reports whether a URL from ActiveServer lies below the account's base URL.
func ours(c *sdk.Call, url string) bool { return strings.HasPrefix(url, c.Account.BaseURL+"/") }

// schemes are ActiveServer's names of networks.
var schemes = []struct {
	network sdk.CardNetwork
	name    string
}{
	{sdk.Visa, "VISA"}, {sdk.Mastercard, "MASTERCARD"}, {sdk.Maestro, "MASTERCARD"}, {sdk.AmericanExpress, "AMEX"},
	{sdk.AmericanExpress, "AMERICANEXPRESS"},
	{sdk.JCB, "JCB"}, {sdk.Discover, "DISCOVER"}, {sdk.DinersClub, "DISCOVER"}, {sdk.UnionPay, "UNIONPAY"},
}

func schemeOf(n sdk.CardNetwork) string {
	for _, s := range schemes {
		if s.network == n && n != "" {
			return s.name
		}
	}
	return ""
}

// networkOf returns the network of a name; the card's network if ActiveServer gives none, or if two networks share the
// name.
func networkOf(name string, card sdk.CardNetwork) (n sdk.CardNetwork) {
	for _, s := range schemes {
		if s.name == strings.ToUpper(name) && (n == "" || s.network == card) {
			n = s.network
		}
	}
	if n == "" {
		return card
	}
	return n
}
