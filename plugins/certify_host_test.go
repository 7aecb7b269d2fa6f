package plugins_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"payswitch/plugins"
	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// tokenBank returns a processor adapter that takes cards in bodies of that kind, fetches an access token, and receives signed messages.
func tokenBank(kind string) *sdk.Adapter {
	hosts := sdk.At("https://api.bank.example/v1")
	a := &sdk.Adapter{Manifest: sdk.Manifest{Name: "bank", Kind: sdk.KindProcessor, Version: "1.0.0", DisplayName: "Bank", Description: "Takes cards.",
		Environments: map[string]sdk.Environment{"test": hosts, "live": hosts},
		Credentials: []sdk.Field{{Name: "client_secret", Key: "api_key", Label: "Secret", Type: "secret"},
			{Name: "webhook_key", Label: "Key of messages", Type: "secret", Optional: true}},
		Config: []sdk.Field{{Name: "client", Key: "client", Label: "Client", Type: "text"}},
		Authentication: []sdk.Placement{
			{Secret: "access_token", Operation: sdk.OpAuthorize, In: "header", Field: "Authorization"},
			{Secret: "access_token", Operation: sdk.OpSync, In: "header", Field: "Authorization"},
			{Secret: "client_secret", Operation: sdk.OpAccessToken, In: "header", Field: "Authorization"},
			{Secret: "access_token", Operation: sdk.OpAccessToken, In: "response", Field: "token"},
		},
		Placements: []sdk.Placement{{Secret: "card_number", Operation: sdk.OpAuthorize, Method: "POST", Path: "/v1/pay", In: "body", Field: numberField[kind]}},
		Webhook:    &sdk.WebhookRule{Scheme: "hmac"},
		Resolve:    sdk.ResolveRule{By: []sdk.ResolveBy{sdk.ResolveByReference}, NotFoundFinalAfterSeconds: 60},
	}}
	a.AccessToken = func(c *sdk.Call) (*sdk.Outcome, error) {
		return c.Token(&sdk.Send{Method: "POST", URL: "/token", Headers: []sdk.Header{
			sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(c.Account.Config["client"], c.Account.Credentials["client_secret"])))}}, "token", "expires_in")
	}
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		i, own := c.Request.Instrument, c.Bearer("access_token")
		sdk.Check(c.Request.NeedCard())
		body, media := "", ""
		switch kind {
		case "json":
			media = "application/json"
			body = sdk.NewObject().Str("ref", c.Request.Reference).Raw("cards", "["+sdk.NewObject().Str("number", i.Card.Number).String()+"]").String()
		case "form":
			body, media = "ref="+c.Request.Reference+"&card%5Bnumber%5D="+i.Card.Number, "application/x-www-form-urlencoded"
		case "xml":
			body, media = "<pay><ref>"+c.Request.Reference+"</ref><card number=\""+i.Card.Number+"\"/></pay>", "application/xml"
		}
		r := sdk.Must(c.Do(&sdk.Send{Method: "POST", URL: "/pay", Body: []byte(body), Headers: []sdk.Header{sdk.H("Content-Type", media), own}}))
		if r.OK() && r.JSON().Str("state") == "ok" {
			return &sdk.Outcome{Status: sdk.StatusAuthorized, TransactionID: r.JSON().Str("id")}, nil
		}
		return &sdk.Outcome{Status: sdk.StatusUnknown}, nil
	}
	a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
		_, err := c.Get("/pay?ref="+sdk.QueryEscape(c.Request.Reference), c.Bearer("access_token"))
		return &sdk.Outcome{Status: sdk.StatusUnknown}, err
	}
	a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
		w := c.Request.Webhook
		c.Signed("webhook_key", sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_key"]), sdk.Body())), sdk.HeaderValue(w.Headers, "Sig"))
		j := c.Message()
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: sdk.EventObject(j.Str("object")), TransactionID: j.Str("id"),
			Outcome: &sdk.Outcome{Status: sdk.OutcomeStatus(j.Str("state"))}}}}, nil
	}
	return a
}

var numberField = map[string]string{"json": "cards[].number", "form": "card[number]", "xml": "pay.card.@number"}

var requestOf = map[string]string{
	"json": `"body_kind": "json", "headers": {"content-type": "application/json", "authorization": "Bearer tok_1"},
  "body": {"ref": "order1", "cards": [{"number": "4111111111111111"}]}`,
	"form": `"body_kind": "form", "headers": {"content-type": "application/x-www-form-urlencoded", "authorization": "Bearer tok_1"},
  "raw": "ref=order1&card%5Bnumber%5D=4111111111111111"`,
	"xml": `"body_kind": "xml", "headers": {"content-type": "application/xml", "authorization": "Bearer tok_1"},
  "raw": "<pay><ref>order1</ref><card number=\"4111111111111111\"/></pay>"`,
}

// tokenBankCases returns the recorded cases of tokenBank. state is the payment's state in its signed message.
func tokenBankCases(kind, state string) fstest.MapFS {
	message := `{"object":"payment","id":"tx_1","state":"` + state + `"}`
	signature, _ := wire.Evaluate(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text("whsec_1"), sdk.Body())), []byte(message))
	requests := `{"base_url": "https://api.bank.example/v1", "clock": "2026-01-15T10:20:30Z",
 "credentials": {"values": {"client_secret": "secret_1", "client": "client_1"}},
 "cases": [
  {"name": "pay", "flow": "authorize", "input": {"reference": "order1", "amount": 1050, "currency": "USD", "access_token": "tok_1",
   "card": {"number": "4111111111111111", "exp_month": "03", "exp_year": "2030", "holder": "Ada Lovelace"}},
   "request": {"method": "POST", "url": "https://api.bank.example/v1/pay", ` + requestOf[kind] + `}},
  {"name": "token", "flow": "access_token", "input": {}}
 ]}`
	responses := `{"samples": [
  {"name": "fetched", "flow": "access_token", "kind": "success", "input": {}, "response": {"status": 200, "body": {"token": "tok_2", "expires_in": 600}}},
  {"name": "paid", "flow": "authorize", "kind": "success", "input": {}, "response": {"status": 200, "body": {"id": "tx_1", "state": "ok"}}}
 ],
 "webhooks": {"sample": {"secret": "whsec_1", "headers": {"Sig": "` + string(signature) + `"}, "body": ` + fmt.Sprintf("%q", message) + `}}}`
	return fstest.MapFS{"bank.json": {Data: []byte(requests)}, "bank.responses.json": {Data: []byte(responses)}}
}

func TestCertificationDrivesTheHost(t *testing.T) {
	for kind := range numberField {
		driven, err := plugins.CheckHost(t.Context(), tokenBank(kind), tokenBankCases(kind, "captured"))
		require.NoError(t, err, kind)
		require.Greater(t, driven, 20)
	}
	for name, tc := range map[string]struct {
		change func(a *sdk.Adapter)
		state  string
		wants  []string
	}{
		"a token that proves nothing": {change: func(a *sdk.Adapter) { a.Manifest.Authentication = a.Manifest.Authentication[:3] },
			wants: []string{"authorize: request authorize, with its access token fetched: the host refuses it: rule authentication"}},
		"a token that another field is declared for": {change: func(a *sdk.Adapter) { a.Manifest.Authentication[3].Field = "access_token" },
			wants: []string{"with its access token fetched: the host refuses it: rule authentication"}},
		"a token fetched without proof": {change: func(a *sdk.Adapter) {
			a.AccessToken = func(c *sdk.Call) (*sdk.Outcome, error) {
				return c.Token(&sdk.Send{Method: "POST", URL: "/token"}, "token", "expires_in")
			}
		}, wants: []string{`rule host: access_token: bank.json:8 (case token): the host refuses it: rule authentication: the request's answer is captured, but no credential of this account's`,
			`the credential "client_secret" is required, but no request or signature of any operation holds it`}},
		"an event that cannot be": {state: "verify", wants: []string{"bank.responses.json:5 (webhook sample): event 0: sync cannot end with the outcome verify"}},
		"a signature compared with card data in it": {change: func(a *sdk.Adapter) {
			a.Webhook = func(c *sdk.Call) (*sdk.Outcome, error) {
				_, err := c.Verify(sdk.Fn("rot13", sdk.Body()), "x")
				return &sdk.Outcome{Status: sdk.StatusHandled}, err
			}
		}, wants: []string{"webhook: bank.responses.json:5 (webhook sample): the host refuses it: rule verify: \"rot13\" is not a function"}},
		"an answer that is repeated without a key": {change: func(a *sdk.Adapter) {
			authorize := a.Authorize
			a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
				if _, err := c.Do(&sdk.Send{Method: "POST", URL: "/begin", Headers: []sdk.Header{c.Bearer("access_token")}}); err != nil {
					return authorize(c)
				}
				return authorize(c)
			}
		}, wants: []string{"the host objects: rule repeat: the adapter asks for a different send after one that may have arrived and has no answer"}},
		"more requests than an operation has": {change: func(a *sdk.Adapter) {
			a.Sync = func(c *sdk.Call) (*sdk.Outcome, error) {
				for {
					if _, err := c.Get("/pay?id="+c.ID(""), c.Bearer("access_token")); err != nil {
						return nil, err
					}
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a := tokenBank("json")
			if tc.change != nil {
				tc.change(a)
			}
			if tc.state == "" {
				tc.state = "captured"
			}
			_, err := plugins.CheckHost(t.Context(), a, tokenBankCases("json", tc.state))
			if tc.wants == nil { // the SDK keeps the limit
				require.NoError(t, err)
				return
			}
			for _, want := range tc.wants {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

// stage is a test that a run of package wire may fail.
type stage struct{ wrong []string }

func (s *stage) Helper()             {}
func (s *stage) Log(...any)          {}
func (s *stage) Logf(string, ...any) {}
func (s *stage) Error(args ...any)   { s.wrong = append(s.wrong, fmt.Sprint(args...)) }
func (s *stage) Errorf(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}
func (s *stage) Fatal(args ...any)                   { panic(fmt.Sprint(args...)) }
func (s *stage) Fatalf(format string, args ...any)   { panic(fmt.Sprintf(format, args...)) }
func (s *stage) Run(_ string, f func(t *stage)) bool { f(s); return true }

// The model of package wire, which adapter projects use in their own tests, agrees with the host about where card data may stand.
func TestTheModelOfPackageWireAgreesWithTheHost(t *testing.T) {
	for kind, field := range numberField {
		for name, p := range map[string]sdk.Placement{
			"as it is":            {Operation: sdk.OpAuthorize, Method: "POST", Path: "/v1/pay", Field: field},
			"anywhere":            {Field: field},
			"any segment":         {Path: "/*/pay", Field: field},
			"of the host":         {Host: "api.bank.example", Field: field},
			"another operation":   {Operation: sdk.OpSync, Field: field},
			"another method":      {Method: "PUT", Field: field},
			"another path":        {Path: "/pay", Field: field},
			"a longer path":       {Path: "/v1/pay/*", Field: field},
			"another field":       {Field: field + "s"},
			"the field's parent":  {Field: field[:strings.LastIndexAny(field, ".[")]},
			"another case":        {Field: strings.ToUpper(field)},
			"another secret":      {Secret: "cvc", Field: field},
			"the same in a query": {In: "query", Field: field},
		} {
			a := tokenBank(kind)
			p.Secret, p.In = or(p.Secret, "card_number"), sdk.PlacementIn(or(string(p.In), "body"))
			a.Manifest.Placements = []sdk.Placement{p}
			var s stage
			wire.Run(&s, a, tokenBankCases(kind, "captured"), wire.Options{Skip: map[string]string{"request/token": "it has no request"}})
			model := !strings.Contains(strings.Join(s.wrong, "\n"), "no placement of the manifest lets card_number stand there")
			_, err := plugins.CheckHost(t.Context(), a, tokenBankCases(kind, "captured"))
			host := err == nil || !strings.Contains(err.Error(), "rule secret: the stand-in of card_number")
			require.Equal(t, host, model, "%s, placement %s: the host says %v\nthe model: %s", kind, name, err, s.wrong)
		}
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}
