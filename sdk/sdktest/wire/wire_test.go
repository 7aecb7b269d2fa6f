package wire

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// tiny returns a processor of a few fields: it authorizes and knows one decline code.
func tiny() *sdk.Adapter {
	return &sdk.Adapter{
		Manifest: sdk.Manifest{Name: "tiny", Kind: sdk.KindProcessor, Version: "1.0.0",
			Credentials:    []sdk.Field{{Name: "secret_key", Key: "api_key", Type: "secret"}, {Name: "webhook_secret", Type: "secret"}},
			Authentication: []sdk.Placement{{Secret: "*", In: "header", Field: "Authorization"}},
			Placements: []sdk.Placement{{Secret: "card_number", Operation: sdk.OpAuthorize, Path: "/v1/pay", In: "body", Field: "card.number"},
				{Secret: "cvc", In: "body", Field: "card.cvc"}},
			Webhook: &sdk.WebhookRule{Scheme: "hmac", ToleranceSeconds: 300}},
		Authorize: func(c *sdk.Call) (*sdk.Outcome, error) {
			r := c.Request
			card := sdk.NewObject().Str("number", r.Instrument.Card.Number).Str("cvc", r.Instrument.Card.CVC).Int("month", int64(r.Instrument.Card.ExpMonth))
			body := sdk.NewObject().Obj("card", card).Number("amount", r.Amount.Major()).Str("reference", r.Reference).Str("nonce", c.ID("n_")).Bytes()
			answer, err := c.Do(&sdk.Send{Method: "POST", URL: "/v1/pay", Body: body, IdempotencyHeader: "Idempotency-Key", Headers: []sdk.Header{
				sdk.H("Content-Type", "application/json"), sdk.H("Authorization", "Basic "+c.Derive(sdk.Basic(c.Account.Credentials["secret_key"], "")))}})
			if err != nil {
				return nil, err
			}
			j := answer.JSON()
			o := &sdk.Outcome{Status: sdk.StatusUnknown, TransactionID: j.Str("id")}
			switch {
			case answer.OK() && j.Str("state") == "ok":
				o.Status = sdk.StatusCaptured
			case (answer.OK() || answer.Refuses()) && j.Str("state") == "no":
				o.Status = sdk.StatusDeclined
				o.Decline = &sdk.Decline{Code: j.Str("code"), Message: j.Str("text"), Reason: sdk.DeclineGeneric}
				if o.Decline.Code == "51" {
					o.Decline.Reason = sdk.DeclineInsufficientFunds
				}
			}
			return o, nil
		},
		Webhook: func(c *sdk.Call) (*sdk.Outcome, error) {
			w := c.Request.Webhook
			ok, err := c.Verify(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnHMACSHA256, sdk.Text(c.Account.Credentials["webhook_secret"]), sdk.Body())), sdk.HeaderValue(w.Headers, "sig"))
			j, parseErr := sdk.ParseJSON(w.Body)
			if err != nil || parseErr != nil {
				return nil, sdk.ErrJSON
			}
			if age := c.Now().Unix() - j.Int("time"); !ok || age > 300 {
				return &sdk.Outcome{Status: sdk.StatusHandled, Reply: &sdk.Reply{Status: 400}}, nil
			}
			return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", TransactionID: j.Str("id"), Sync: true}}}, nil
		},
	}
}

func testdata(t *testing.T, replace ...string) fstest.MapFS {
	all := fstest.MapFS{}
	for _, name := range []string{"tiny.json", "tiny.responses.json"} {
		text, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		all[name] = &fstest.MapFile{Data: []byte(strings.NewReplacer(replace...).Replace(string(text)))}
	}
	return all
}

func TestRun(t *testing.T) {
	Run(t, tiny(), testdata(t), Options{Skip: map[string]string{"flow/reverse": "tiny cannot", "decline/99": "tiny has no such code"}})
}

// wrongsOf returns the findings of a run with one request or sample.
func wrongsOf(t *testing.T, a *sdk.Adapter, o Options, replace ...string) string {
	q, p, err := Load(testdata(t, replace...), "tiny")
	require.NoError(t, err)
	r := &runner{manifest: &a.Manifest, take: a.Step, requests: q, options: o, account: Account(&a.Manifest, q), allow: ledger{o.Allow, map[string]bool{}}}
	wrong := r.checkRequest(&q.Cases[0])
	for i := range p.Samples {
		wrong = append(wrong, r.checkSample(r.complete(&p.Samples[i]))...)
	}
	for i := range p.StatusTables {
		for value, status := range p.StatusTables[i].Map {
			wrong = append(wrong, r.checkStatus(p.Samples, &p.StatusTables[i], "status/authorize/"+value, value, status)...)
		}
		wrong = append(wrong, r.checkStatus(p.Samples, &p.StatusTables[i], "", "unheardof", "")...)
	}
	return strings.Join(append(wrong, r.checkDecline(p, "51")...), "\n")
}

func TestDifferencesAreFound(t *testing.T) {
	require.Empty(t, wrongsOf(t, tiny(), Options{}))
	for name, row := range map[string]struct{ old, new, want string }{
		"body":             {`"amount": 24.99`, `"amount": 24.98`, "body.amount: want 24.98, got 24.99"},
		"number not text":  {`"amount": 24.99`, `"amount": "24.99"`, `body.amount: want "24.99", got 24.99`},
		"missing in ours":  {`"amount": 24.99`, `"amount": 24.99, "more": true`, "body.more: want true, got (missing)"},
		"missing in case":  {`"amount": 24.99,`, ``, "body.amount: want (missing), got 24.99"},
		"number's form":    {`"amount": 24.99`, `"amount": 24.990`, ""},
		"url":              {`example/v1/pay"`, `example/v2/pay"`, `url: want "https://api.tiny.example/v2/pay", got "https://api.tiny.example/v1/pay"`},
		"query":            {`example/v1/pay"`, `example/v1/pay?a=1"`, `url.a: want "1", got (missing)`},
		"method":           {`"method": "POST"`, `"method": "PUT"`, `method: want "PUT", got "POST"`},
		"header":           {`"authorization": "Basic`, `"authorization": "Bearer`, `headers.authorization: want "Bearer cHJvYmVfa2V5Og==", got "Basic cHJvYmVfa2V5Og=="`},
		"credential":       {`"probe_key"`, `"other"`, `headers.authorization: want "Basic cHJvYmVfa2V5Og==", got "Basic b3RoZXI6"`},
		"volatile":         {`"random": ["body.nonce"]`, `"random": []`, `body.nonce: want "differs", got "n_`},
		"status":           {`"status": "charged"`, `"status": "authorized"`, "status: want authorized = [authorized], got captured"},
		"transaction":      {`"connector_transaction_id": "tx_1"`, `"connector_transaction_id": "tx_2"`, "transaction_id: want tx_2, got tx_1"},
		"reason":           {`"decline_reason": "insufficient_funds"`, `"decline_reason": "lost_card"`, "reason: want lost_card, got insufficient_funds"},
		"decline's code":   {`"51": "insufficient_funds"`, `"51": "stolen_card"`, "51: want stolen_card = [stolen_card], got insufficient_funds"},
		"table of states":  {`"no": "failure"`, `"no": "charged"`, "no: want charged = [captured], got declined (in sample charged)"},
		"no such status":   {`"no": "failure"`, `"huh": "failure"`, "huh: want failure = [declined], got unknown (in sample declined)"},
		"message":          {`"message": "too poor"`, `"message": "too rich"`, "message: want too rich, got too poor"},
		"no field to set":  {`"field": "state"`, `"field": "situation"`, "no sample of authorize holds the field situation: add a sample with it"},
		"capital header":   {`"authorization": "Basic`, `"Authorization": "Basic`, ""},
		"captured less":    {`"captured_amount": 2499`, `"captured_amount": 2400`, "captured_amount: want 2400, got 2499"},
		"host's own":       {`"headers": {"auth`, `"headers": {"content-length": "7", "auth`, ""},
		"header not there": {`"headers": {"auth`, `"headers": {"x-version": "7", "auth`, `headers.x-version: want "7", got (missing)`},
	} {
		t.Run(name, func(t *testing.T) {
			got := wrongsOf(t, tiny(), Options{}, row.old, row.new)
			if row.want == "" {
				require.Empty(t, got)
			}
			require.Contains(t, got, row.want)
		})
	}
}

func TestAllow(t *testing.T) {
	change := []string{`"amount": 24.99,`, ``}
	for _, key := range []string{"body.amount", "authorize_auto body.amount", "request/authorize_auto body.am*", "body.*"} {
		require.Empty(t, wrongsOf(t, tiny(), Options{Allow: map[string]string{key: "why"}}, change...), key)
	}
	for _, key := range []string{"body.amoun", "other body.amount", "response/charged body.amount"} {
		require.NotEmpty(t, wrongsOf(t, tiny(), Options{Allow: map[string]string{key: "why"}}, change...), key)
	}
	unused := ledger{map[string]string{"a": "", "b": ""}, map[string]bool{}}
	require.True(t, unused.allows(nil, "b"))
	require.Equal(t, []string{"a"}, unused.unused())
}

func TestBlindness(t *testing.T) {
	a := tiny()
	a.Manifest.Placements[0].Path = "/v2/pay"
	require.Equal(t, "body.card.number: no placement of the manifest lets card_number stand there", wrongsOf(t, a, Options{}))
	a = tiny()
	authorize := a.Authorize
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		c.Request.Instrument.Card.CVC = "cvc:" + c.Request.Instrument.Card.CVC
		return authorize(c)
	}
	require.Contains(t, wrongsOf(t, a, Options{}), "body.card.cvc: no placement of the manifest lets cvc stand there")
	a = tiny()
	a.Authorize = func(c *sdk.Call) (*sdk.Outcome, error) {
		c.Request.Reference += c.Request.Instrument.Card.Number[:1]
		return authorize(c)
	}
	require.Contains(t, wrongsOf(t, a, Options{}), `with stand-ins: body.reference: want "order-14", got "order-1s"`)
}

func TestWebhookBelievedBlindly(t *testing.T) {
	a := tiny()
	a.Webhook = func(*sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", TransactionID: "tx_1"}}}, nil
	}
	q, p, err := Load(testdata(t), "tiny")
	require.NoError(t, err)
	r := &runner{manifest: &a.Manifest, take: a.Step, requests: q, account: Account(&a.Manifest, q)}
	o, _ := r.webhook(p.Webhooks.Sample, true, 0)
	require.True(t, statesEvent(o))
}

// Connector data in an outcome's form comes back unchanged. Other connector data comes back as text for the adapter.
func TestConnectorData(t *testing.T) {
	for text, want := range map[string]*sdk.ConnectorData{
		`{}`: nil,
		`{"connector_data":{"version":2,"payment":"p","method":"m"}}`:                                     {Version: 2, Payment: "p", Method: "m"},
		`{"connector_data":{"payment":"p"},"customer":{"connector_id":"c"}}`:                              {Version: 1, Payment: "p", Customer: "c"},
		`{"connector_data":{"version":1,"payment":"p","customer":"told"},"customer":{"connector_id":""}}`: {Version: 1, Payment: "p", Customer: "told"},
		`{"connector_data":{"authorize_id":"A"},"customer":{"connector_id":"c"}}`:                         {Version: 1, Payment: `{"authorize_id":"A"}`, Customer: "c"},
		`{"connector_data":{"payment":{"id":1}}}`:                                                         {Version: 1, Payment: `{"payment":{"id":1}}`},
	} {
		in, d := input{}, json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		require.NoError(t, d.Decode(&in))
		require.Equal(t, want, connectorData(in), text)
	}
}

// The customer's return data begins the authentication, unless an earlier outcome kept connector data.
func TestAuthenticate(t *testing.T) {
	for text, want := range map[string]string{
		`{"redirect_result":{"query":"transaction_id=d1&x=y"}}`:                              `{"device":"d1"}`,
		`{"redirect_result":{"query":"d2"}}`:                                                 `{"device":"d2"}`,
		`{"redirect_result":{"query":"d3"},"connector_data":{"version":1,"payment":"kept"}}`: "kept",
		`{}`: "",
	} {
		c, d := Case{Flow: "authenticate"}, json.NewDecoder(strings.NewReader(text))
		require.NoError(t, d.Decode(&c.Input))
		c.Input["complete_url"] = "https://shop.example/complete"
		r := c.Step(sdk.OpComplete, sdk.Account{}, time.Unix(0, 0)).Request
		require.Equal(t, want, r.Kept().Payment, text)
		require.Equal(t, "https://shop.example/complete", r.ReturnURL)
	}
}

func TestSupport(t *testing.T) {
	text, err := Support(tiny(), testdata(t), Options{Skip: map[string]string{"reverse": "tiny cannot"}, Allow: map[string]string{"body.x": "why"}},
		map[sdk.Operation]string{sdk.OpVoid: "no"})
	require.NoError(t, err)
	for _, line := range []string{"| authorize | yes | `authorize_auto` |", "| void | – | no |", "| partial refund | – |", "| `reverse` | tiny cannot |", "| `body.x` | why |"} {
		require.Contains(t, text, line+"\n")
	}
}

func TestPlay(t *testing.T) {
	a := tiny()
	step := NewStep(&a.Manifest, sdk.OpAuthorize, sdk.Request{Amount: sdk.Money{Minor: 1, Currency: "USD"}, Instrument: &sdk.Instrument{Card: &sdk.Card{Number: "1"}}})
	sends, end, err := Play(a, step)
	require.NoError(t, err)
	require.NotNil(t, end.Send)
	require.Equal(t, "Basic dGVzdF9zZWNyZXRfa2V5Og==", sdk.HeaderValue(sends[0].Headers, "Authorization"))
	_, end, err = Play(a, step, Answer(200, `{"id":"tx_1","state":"ok"}`))
	require.NoError(t, err)
	require.Equal(t, sdk.StatusCaptured, end.Outcome.Status)
}
