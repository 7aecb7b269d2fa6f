package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"payswitch/sdk"
)

// ownRequests and ownResponses are the cases of tiny in the SDK's vocabulary.
const (
	ownRequests = `{"base_url": "https://api.tiny.example", "credentials": {"secret_key": "probe_key", "webhook_secret": "whsec"}, "clock": "2026-01-15T10:20:30Z",
	"cases": [{"name": "authorize_auto", "operation": "authorize",
		"input": {"reference": "order-1", "amount": 2499, "currency": "USD", "card": {"number": "4111111111111111", "exp_month": 3, "exp_year": 2030, "cvc": "737"}},
		"request": {"method": "POST", "url": "https://api.tiny.example/v1/pay", "headers": {"authorization": "Basic cHJvYmVfa2V5Og==", "content-type": "application/json"}, "body_kind": "json",
			"body": {"reference": "order-1", "amount": 24.99, "nonce": "differs", "card": {"number": "4111111111111111", "cvc": "737", "month": 3}}},
		"volatile": {"random": ["body.nonce"]}}]}`
	ownResponses = `{"samples": [
		{"name": "captured", "operation": "authorize", "response": {"status": 200, "body": {"id": "tx_1", "state": "ok"}},
			"expected": {"status": "captured", "transaction_id": "tx_1"}},
		{"name": "declined", "operation": "authorize", "response": {"status": 402, "body": {"id": "tx_1", "state": "no", "code": "51", "text": "too poor"}},
			"expected": {"status": "declined", "decline": {"code": "51", "message": "too poor", "reason": "insufficient_funds"}}},
		{"name": "news", "operation": "webhook", "message": {"url": "https://switch.example/webhooks/m/a?x=1",
			"headers": {"Sig": "746e09d103163d1f8e01f7d665312197962256dc0683926bd4f0587fd162312a"}, "body": "{\"id\":\"tx_1\",\"time\":1768472430}"},
			"expected": {"status": "handled", "events": [{"object": "payment", "transaction_id": "tx_1", "sync": true}]}}],
	"status_tables": [{"operation": "authorize", "field": "state", "map": {"ok": "captured", "no": "declined"}}],
	"declines": {"field": "code", "codes": {"51": "insufficient_funds", "5": "generic_decline"}}}`
)

// A recorder is a T that keeps what a run reports.
type recorder struct{ wrong, done *[]string }

func (r recorder) Helper() {}
func (r recorder) Error(args ...any) {
	for _, a := range args {
		*r.wrong = append(*r.wrong, a.(string))
	}
}
func (r recorder) Errorf(f string, args ...any) { *r.wrong = append(*r.wrong, f) }
func (r recorder) Fatal(args ...any) {
	*r.wrong = append(*r.wrong, args[0].(error).Error())
	panic(r)
}
func (r recorder) Fatalf(f string, args ...any) { *r.wrong = append(*r.wrong, f) }
func (r recorder) Log(...any)                   {}
func (r recorder) Logf(string, ...any)          {}
func (r recorder) Run(name string, f func(recorder)) bool {
	*r.done = append(*r.done, name)
	f(r)
	return true
}

func ownFiles(replace ...string) fstest.MapFS {
	change := strings.NewReplacer(replace...)
	return fstest.MapFS{"tiny.json": {Data: []byte(change.Replace(ownRequests))}, "tiny.responses.json": {Data: []byte(change.Replace(ownResponses))}}
}

// Cases in the SDK's vocabulary run, and each difference names its place.
func TestOwnVocabulary(t *testing.T) {
	run := func(replace ...string) (wrong string, done []string) {
		var all []string
		defer func() {
			if p := recover(); p != nil {
				_ = p.(recorder) // Fatal ends a run
				wrong = strings.Join(all, "\n")
			}
		}()
		Run(recorder{&all, &done}, tiny(), ownFiles(replace...), Options{})
		return strings.Join(all, "\n"), done
	}
	wrong, done := run()
	require.Empty(t, wrong)
	require.Subset(t, done, []string{"request/authorize_auto", "response/captured", "damaged/declined", "webhook/news", "status/authorize/ok", "decline/51"})
	for name, row := range map[string][3]string{
		"a status":       {`"status": "captured", "tr`, `"status": "authorized", "tr`, "status: want authorized, got captured"},
		"an id":          {`"transaction_id": "tx_1"}}`, `"transaction_id": "tx_2"}}`, "transaction_id: want tx_2, got tx_1"},
		"a reason":       {`"reason": "insufficient_funds"`, `"reason": "lost_card"`, "decline.reason: want lost_card, got insufficient_funds"},
		"an amount":      {`"expected": {"status": "captured"`, `"expected": {"amount": {"minor": 5}, "status": "captured"`, `amount: want {"minor":5}, got`},
		"an event":       {`"sync": true`, `"sync": false`, "events[0].sync: want false, got true"},
		"a table":        {`"no": "declined"`, `"no": "captured"`, "no: want captured = [captured], got declined (in sample captured)"},
		"a code":         {`"5": "generic_decline"`, `"5": "lost_card"`, "5: want lost_card = [lost_card], got generic_decline"},
		"unknown apart":  {`"ok": "captured"`, `"ok": "unknown"`, "ok: want unknown = [unknown], got captured"},
		"no operation":   {`"operation": "webhook", "m`, `"operation": "webhooks", "m`, `case news: operation: "webhooks" is not an operation: choose one of authorize, `},
		"an old status":  {`"status": "captured", "tr`, `"status": "charged", "tr`, `expected.status: "charged" is not a result of authorize: the SDK's word for it is captured`},
		"an old reason":  {`"reason": "insufficient_funds"`, `"reason": "invalid_cvc"`, `"invalid_cvc" is not a decline reason: the SDK's word for it is incorrect_cvc`},
		"both words":     {`"operation": "webhook", "m`, `"operation": "webhook", "flow": "webhook", "m`, "flow: the case names its operation already: leave flow out"},
		"a slip":         {`"reference": "order-1", "amount": 2499`, `"referense": "order-1", "amount": 2499`, `input: "referense" is not a field here: did you mean "reference"?`},
		"a slip inside":  {`"exp_month": 3`, `"exp_mnth": 3`, `input: "exp_mnth" is not a field of card: did you mean "exp_month"?`},
		"a guess":        {`"reference": "order-1", "amount": 2499`, `"connector_data": {"data": {}}, "amount": 2499`, `input: "data" is not a field of connector_data: choose one of version, payment, method, customer`},
		"a slip outside": {`"volatile": {`, `"volatiles": {`, `"volatiles" is not a field here: did you mean "volatile"?`},
		"a kind":         {`"exp_month": 3`, `"exp_month": "03"`, "exp_month: must be a whole number, not a JSON string"},
		"a currency":     {`"currency": "USD"`, `"currency": "USA"`, `input: currency: "USA" is not an ISO 4217 code`},
		"an old table":   {`"no": "declined"`, `"no": "failure"`, `(status no): "failure" is not a result of authorize: the SDK's word for it is declined`},
		"no message":     {`{"name": "captured", "operation": "authorize"`, `{"name": "captured", "operation": "webhook"`, "message: missing: a case of webhook"},
	} {
		wrong, _ := run(row[0], row[1])
		require.Contains(t, wrong, row[2], name)
	}
}

// The report says what the cases never exercise.
func TestCoverage(t *testing.T) {
	a := tiny()
	q, p, err := Load(ownFiles(), "tiny")
	require.NoError(t, err)
	var c coverage
	end := c.begin()
	r := &runner{manifest: &a.Manifest, take: a.Step, requests: q, account: Account(&a.Manifest, q), cover: c}
	require.Empty(t, r.checkRequest(&q.Cases[0]))
	r.cover.operation(sdk.OpAuthorize)
	report := end(a, p)
	require.Contains(t, report, "operations: 1 of 2 never exercised: webhook")
	require.Contains(t, report, "placements of card data: all 2 exercised")
	a.Manifest.Placements = append(a.Manifest.Placements, sdk.Placement{Secret: "cavv", In: "body", Field: "cavv", Operation: sdk.OpAuthorize})
	require.Contains(t, end(a, p), "placements of card data: 1 of 3 never exercised: cavv in body cavv, authorize")

	var table = sdk.Statuses{{sdk.StatusCaptured, "2:settled 3"}, {sdk.StatusVoided, "9"}}
	codes := sdk.ParseDeclines("51 insufficient_funds\n52 lost_card\n")
	end = c.begin()
	_, _ = table.Of("2"), codes.Of("51")
	report = end(a, p)
	require.Contains(t, report, "rows of tables: 3 of 5 never exercised: ")
	for _, missed := range []string{"3 = captured", "9 = voided", "decline code 52"} {
		require.Contains(t, report, missed)
	}
}

// cases.schema.json accepts the cases of a new project and those of this test, and refuses other words.
func TestCasesSchema(t *testing.T) {
	text, err := os.ReadFile("../../cases.schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("cases.json", doc))
	schema, err := c.Compile("cases.json")
	require.NoError(t, err)
	valid := func(text string) error {
		var v any
		require.NoError(t, json.Unmarshal([]byte(text), &v))
		return schema.Validate(v)
	}
	require.NoError(t, valid(ownRequests))
	require.NoError(t, valid(ownResponses))
	for _, name := range []string{"acme.json.txt", "acme.responses.json.txt"} {
		text, err := os.ReadFile("../../../cmd/payswitch/project/all/testdata/" + name)
		require.NoError(t, err)
		require.NoError(t, valid(string(text)), name)
	}
	page, err := os.ReadFile("../../CASES.md")
	require.NoError(t, err)
	blocks := strings.Split(string(page), "```json\n")[1:]
	require.Len(t, blocks, 2)
	for _, block := range blocks {
		example, _, _ := strings.Cut(block, "```")
		require.NoError(t, valid(example))
	}
	for _, op := range sdk.Operations() {
		require.Contains(t, string(page), "`"+string(op)+"`")
		for _, status := range op.Outcomes() {
			require.Contains(t, string(page), "`"+string(status)+"`")
		}
	}
	for _, change := range [][2]string{{`"operation": "authorize"`, `"flow": "authorize"`}, {`"status": "captured", "tr`, `"status": "charged", "tr`},
		{`"sync": true`, `"synk": true`}, {`"51": "insufficient_funds"`, `"51": "poor"`}} {
		require.Error(t, valid(strings.Replace(ownResponses, change[0], change[1], 1)), change[1])
	}
}

// Judge finds with the steps alone what Run finds, and names the case. It leaves cases in the old words out, and takes the files' exceptions.
func TestJudge(t *testing.T) {
	judge := func(files fs.FS, change func(*sdk.Outcome)) (string, int) {
		a := tiny()
		take := func(s *sdk.Step) sdk.Result {
			r := a.Step(s)
			if r.Outcome != nil {
				change(r.Outcome)
			}
			return r
		}
		found, others, err := Judge(&a.Manifest, take, files)
		require.NoError(t, err)
		text := ""
		for _, f := range found {
			text += fmt.Sprintf("%s %s: %s\n", f.Operation, f.Where, f.Detail)
		}
		return text, others
	}
	same := func(*sdk.Outcome) {}
	captures := func(o *sdk.Outcome) {
		if o.Status == sdk.StatusDeclined {
			o.Status = sdk.StatusCaptured
		}
	}
	text, others := judge(ownFiles(), same)
	require.Empty(t, text)
	require.Zero(t, others)
	text, _ = judge(ownFiles(), captures)
	require.Regexp(t, `(?m)^authorize tiny\.responses\.json:\d+ \(case \w+\): status: want declined, got captured`, text)
	text, others = judge(testdata(t), captures)
	require.Empty(t, text, "old words")
	require.NotZero(t, others)

	files := ownFiles()
	allowing := strings.Replace(string(files["tiny.json"].Data), `"cases"`, `"allow": {"response/declined *": "a trial", "response/none x": "nothing"}, "cases"`, 1)
	files["tiny.json"] = &fstest.MapFile{Data: []byte(allowing)}
	text, _ = judge(files, captures)
	require.NotContains(t, text, "want declined, got captured")
	require.Contains(t, text, ` tiny.json: allow: "response/none x" matches no difference: remove it`)
}

// Cases that could hide what they do not prove are refused, by a message that names the field and the remedy.
func TestCasesThatLie(t *testing.T) {
	for want, change := range map[string][3]string{
		`tiny.json: allow: "*" holds for every difference: name one case`:       {"tiny.json", `"cases": [`, `"allow": {"*": "all"}, "cases": [`},
		`tiny.json: allow: "body.*" holds for every difference: name one case`:  {"tiny.json", `"cases": [`, `"allow": {"body.*": "all"}, "cases": [`},
		`tiny.json: cases[1].name: "a" is used twice: choose another name`:      {"tiny.json", `"cases": [`, `"cases": [{"name": "a", "operation": "sync"}, {"name": "a", "operation": "void"}, `},
		`tiny.json: clock: "yesterday" is not a time such as`:                   {"tiny.json", "2026-01-15T10:20:30Z", "yesterday"},
		`samples[1].name: "captured" is used twice: choose another name`:        {"tiny.responses.json", `"name": "declined"`, `"name": "captured"`},
		`case captured: expected.status: missing: without it the sample proves`: {"tiny.responses.json", `"status": "captured", "transaction_id"`, `"transaction_id"`},
	} {
		files := ownFiles()
		changed := strings.Replace(string(files[change[0]].Data), change[1], change[2], 1)
		require.NotEqual(t, string(files[change[0]].Data), changed)
		files[change[0]] = &fstest.MapFile{Data: []byte(changed)}
		_, _, err := Load(files, "tiny")
		require.ErrorContains(t, err, want)
	}
}

// A sample of a later request needs the answers to the earlier ones; the message says where they go.
func TestSampleOfALaterRequest(t *testing.T) {
	c := &Case{}
	require.NoError(t, json.Unmarshal([]byte(`{"name": "a", "operation": "authorize", "input": {}, "response": {"status": 200}, "expected": {"status": "captured"}}`), c))
	r := newRunner(&sdk.Manifest{}, func(s *sdk.Step) sdk.Result {
		return sdk.Result{Send: &sdk.Send{Method: "POST", URL: "https://x.example/confirm"}}
	}, &Requests{}, Options{})
	require.Contains(t, strings.Join(r.checkSample(c), "\n"),
		"after this answer the adapter sends POST https://x.example/confirm: if the sample is the answer to that request, put the answers to the earlier ones into the sample's exchanges")
}

// A sample that asks for 3-D Secure takes its card from the first case too, if no case asks for it.
func TestSampleWith3DS(t *testing.T) {
	var plain, secure, sample Case
	require.NoError(t, json.Unmarshal([]byte(`{"name": "a", "operation": "authorize", "input": {"reference": "1", "card": {"number": "4111111111111111"}}}`), &plain))
	require.NoError(t, json.Unmarshal([]byte(`{"name": "b", "operation": "authorize", "input": {"reference": "2", "request_3ds": true}}`), &secure))
	require.NoError(t, json.Unmarshal([]byte(`{"name": "c", "operation": "authorize", "input": {"request_3ds": true}}`), &sample))
	completed := func(cases ...Case) map[string]any {
		return newRunner(&sdk.Manifest{}, nil, &Requests{Cases: cases}, Options{}).complete(&sample).Input
	}
	require.Equal(t, "1", completed(plain)["reference"])
	require.NotNil(t, completed(plain)["card"])
	require.Equal(t, "2", completed(plain, secure)["reference"], "a case that asks for it too comes first")
	require.Len(t, completed(), 1)
}

// An adapter that offers the result of an authentication, or a network transaction id, and sends the same without them is found by its cases.
func TestOffersAreKept(t *testing.T) {
	f := &Requests{}
	require.NoError(t, json.Unmarshal([]byte(`{"cases": [{"name": "a", "operation": "authorize", "input": {"reference": "1", "amount": 5, "card": {"number": "4111111111111111"}}}]}`), f))
	for kept, want := range map[string]string{"": "external_3ds network_mit", "eci": "network_mit", "id": "external_3ds", "eci id": ""} {
		r := newRunner(&sdk.Manifest{Features: sdk.Features{External3DS: true, NetworkMIT: true}}, func(s *sdk.Step) sdk.Result {
			body := sdk.NewObject().Str("reference", s.Request.Reference)
			if strings.Contains(kept, "eci") && s.Request.ThreeDS != nil {
				body.Str("eci", s.Request.ThreeDS.ECI)
			}
			if strings.Contains(kept, "id") {
				body.OptStr("id", s.Request.Instrument.NetworkTransactionID)
			}
			return sdk.Result{Send: sdk.JSONSend("POST", "https://x.example/", body)}
		}, f, Options{})
		var found []string
		r.subtest = func(name string, check func() []string) {
			if len(check()) > 0 {
				found = append(found, strings.TrimPrefix(name, "offered/"))
			}
		}
		r.checkOffered()
		require.Equal(t, want, strings.Join(found, " "), kept)
	}
}

// The account of a file has the token of access_token for all other operations, and for none of the fields that the file leaves out.
func TestTokenOfTheFile(t *testing.T) {
	m := &sdk.Manifest{Credentials: []sdk.Field{{Name: "id"}, {Name: "other", Optional: true}}}
	f := &Requests{}
	require.NoError(t, json.Unmarshal([]byte(`{"credentials": {"id": "1", "access_token": "tok"}}`), f))
	a := Account(m, f)
	require.Equal(t, map[string]string{"id": "1", "access_token": "tok"}, a.Credentials)
	c := &Case{}
	require.NoError(t, json.Unmarshal([]byte(`{"name": "a", "operation": "sync", "input": {}}`), c))
	require.Equal(t, "tok", c.Step(sdk.OpSync, a, f.Clock).Account.Credentials["access_token"])
	require.NotContains(t, c.Step(sdk.OpAccessToken, a, f.Clock).Account.Credentials, "access_token")
}

// An adapter gets the network of a card as the host names it: from the number, unless the case says otherwise.
func TestNetworkOfACard(t *testing.T) {
	for card, want := range map[string]sdk.CardNetwork{`"number": "4111111111111111"`: sdk.Visa, `"number": "5555555555554444"`: sdk.Mastercard,
		`"number": "4111111111111111", "network": "CartesBancaires"`: sdk.CartesBancaires, `"number": "9999999999999995"`: ""} {
		c := &Case{}
		require.NoError(t, json.Unmarshal([]byte(`{"name": "a", "operation": "authorize", "input": {"card": {`+card+`}}}`), c))
		require.Equal(t, want, c.Step(sdk.OpAuthorize, sdk.Account{}, time.Time{}).Request.Instrument.Card.Network, card)
	}
}

// The authentication that a sample expects is compared as a whole, and its cavv is a captured value.
func TestAuthenticationIsWhole(t *testing.T) {
	check := func(expected string) string {
		c := &Case{}
		require.NoError(t, json.Unmarshal([]byte(`{"name": "a", "operation": "result", "input": {}, "response": {"status": 200, "body": {"v": "real", "eci": "05"}},
			"expected": {"status": "authenticated", "authentication": `+expected+`}}`), c))
		r := newRunner(&sdk.Manifest{}, func(s *sdk.Step) sdk.Result {
			if len(s.Exchanges) == 0 {
				return sdk.Result{Send: &sdk.Send{Method: "GET", URL: "https://x.example", Capture: []sdk.Capture{{Path: "v", Name: "cavv"}}}}
			}
			j, err := sdk.ParseJSON(s.Exchanges[0].Body)
			require.NoError(t, err)
			return sdk.Result{Outcome: &sdk.Outcome{Status: sdk.StatusAuthenticated, Authentication: &sdk.AuthenticationOutcome{TransStatus: "Y", CAVV: j.Str("v"), ECI: j.Str("eci")}}}
		}, &Requests{}, Options{})
		return strings.Join(r.checkSample(c), "\n")
	}
	require.Empty(t, check(`{"trans_status": "Y", "cavv": "real", "eci": "05"}`))
	require.Contains(t, check(`{"trans_status": "Y", "cavv": "real"}`), "authentication.eci")
	require.Contains(t, check(`{"trans_status": "Y", "eci": "05", "cavv": "other"}`), "authentication.cavv")
}

// A slip in a case is refused by a message that names the case, the field and the name that was probably meant.
func TestSlipsInCases(t *testing.T) {
	whole := func(files fstest.MapFS) error {
		requests, _, err := Load(files, "tiny")
		if err == nil {
			err = requests.Fits(&tiny().Manifest)
		}
		return err
	}
	require.NoError(t, whole(ownFiles()))
	for want, change := range map[string][2]string{
		`credentials.secret_kye: the manifest declares no such field: did you mean "secret_key"?`:                                         {`"secret_key": "probe_key"`, `"secret_kye": "probe_key"`},
		`credentials.secret_key: missing: the manifest requires this field`:                                                               {`"secret_key": "probe_key", `, ``},
		`credentials.access_token: the manifest declares no such field: choose one of `:                                                   {`"secret_key": "probe_key"`, `"access_token": "probe_key"`},
		`case authorize_auto: volatile.random[0]: the request has no field "body.nonse": did you mean "body.nonce"?`:                      {`"random": ["body.nonce"]`, `"random": ["body.nonse"]`},
		`case authorize_auto: volatile.clock[0]: the request has no field "headers.content_type": did you mean "headers.content-type"?`:   {`"random": ["body.nonce"]`, `"clock": ["headers.content_type"]`},
		`case captured: volatile.clock[0]: the case has no request: remove "body.time"`:                                                   {`{"name": "captured", `, `{"name": "captured", "volatile": {"clock": ["body.time"]}, `},
		`case authorize_auto: name: "authorize_\aauto" holds the control character U+0007: did you mean "authorize_auto"?`:                {`"name": "authorize_auto"`, `"name": "authorize_\u0007auto"`},
		`case authorize_auto: input.reference: "order-1\x00" holds the control character U+0000: did you mean "order-1"?`:                 {`"reference": "order-1", "amount": 2499`, `"reference": "order-1\u0000", "amount": 2499`},
		`case authorize_auto: request.headers.authorization: "Basic cHJvYmVfa2V5Og==\n" holds the control character U+000A: did you mean`: {`cHJvYmVfa2V5Og==`, `cHJvYmVfa2V5Og==\n`},
		`case authorize_auto: request.url: "https://api.tiny.example/v1/pay\r" holds the control character U+000D: did you mean`:          {`example/v1/pay"`, `example/v1/pay\r"`},
		`credentials.webhook_secret: "whsec\x1b" holds the control character U+001B: did you mean "whsec"?`:                               {`"whsec"`, `"whsec\u001b"`},
		`case news: message.headers.Sig: "`:                                                 {`"Sig": "746e`, `"Sig": "\t746e`},
		`case captured: response.headers.Date: "\u0085" holds the control character U+0085`: {`"response": {"status": 200,`, `"response": {"headers": {"Date": "\u0085"}, "status": 200,`},
	} {
		require.ErrorContains(t, whole(ownFiles(change[0], change[1])), want)
	}
	c := new(Case)
	require.ErrorContains(t, json.Unmarshal([]byte(`{"name": "a", "operation": "access_token", "input": {}, "response": {"status": 200},
		"expected": {"status": "token", "token": {"value": "t", "expires_in": -60}}}`), c),
		"case a: expected.token.expires_in: the token's lifetime of -60 s is not between 1 s and")
	require.NoError(t, whole(ownFiles(`"whsec"`, `"a key\nof two lines"`)), "a key in PEM has several lines")
}
