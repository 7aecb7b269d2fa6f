package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/sdk"
	"payswitch/sdk/sdktest/wire"
)

// calledAdapters are the adapters in the tests of `plugin call`.
var calledAdapters = []string{"adyen", "authorizedotnet", "bluesnap", "braintree", "checkout", "cybersource", "globalpay", "mollie", "nmi", "paypal", "stripe", "worldpay"}

// callFlags returns flags for these adapters, built from the present source, and for a folder with them compiled. The built program compiles them.
var callFlags = sync.OnceValues(func() ([]string, error) {
	dir := filepath.Join(scratch, "call")
	flags := []string{"--cache", filepath.Join(dir, "cache")}
	lines := ""
	for _, name := range calledAdapters {
		file, err := builtAdapter(name)
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--plugin", file)
		lines += `{"connector":"` + name + `","flow":"void","input":{"connector_transaction_id":"t"}}` + "\n"
	}
	program, err := binary()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, append([]string{"plugin", "call", "--cases", "-"}, flags...)...)
	cmd.Stdin = strings.NewReader(lines)
	return flags, cmd.Run()
})

// pluginCall runs the command with a standard input.
func pluginCall(t testing.TB, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	flags, err := callFlags()
	require.NoError(t, err)
	var out, problems strings.Builder
	code = run(t.Context(), append(append([]string{"plugin", "call"}, flags...), args...), nil, strings.NewReader(stdin), &out, &problems)
	return code, out.String(), problems.String()
}

// callLines answers cases as lines.
func callLines(t testing.TB, cases ...any) []callAnswer {
	t.Helper()
	var in strings.Builder
	for _, c := range cases {
		text, ok := c.(string)
		if !ok {
			b, err := json.Marshal(c)
			require.NoError(t, err)
			text = string(b)
		}
		in.WriteString(text + "\n")
	}
	code, stdout, stderr := pluginCall(t, in.String(), "--cases", "-")
	require.Equal(t, exitOK, code, stderr)
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	require.Len(t, lines, len(cases))
	all := make([]callAnswer, len(lines))
	for i, line := range lines {
		require.NoError(t, json.Unmarshal([]byte(line), &all[i]), line)
	}
	return all
}

// recordedCases returns an adapter's cases by name, in the form of lines, and their recorded requests.
func recordedCases(t testing.TB, name string) (map[string]object, map[string]*wire.Request) {
	t.Helper()
	return casesIn(t, filepath.Join(root, "plugins", name, "testdata"), name)
}

// oldWords are cases of Mollie in the words of before, which plugin call still reads.
const oldWords = "testdata/oldwords"

func casesIn(t testing.TB, folder, name string) (map[string]object, map[string]*wire.Request) {
	t.Helper()
	file, _, err := wire.Load(os.DirFS(folder), name)
	require.NoError(t, err)
	cases, requests := map[string]object{}, map[string]*wire.Request{}
	for _, c := range file.Cases {
		cases[c.Name] = object{"connector": name, "input": c.Input, "credentials": file.Credentials.Values, "clock": file.Clock, "base_url": file.BaseURL}
		if c.Op != "" {
			cases[c.Name]["operation"] = c.Op
		} else {
			cases[c.Name]["flow"] = c.Flow
		}
		if len(c.Exchanges) > 0 {
			cases[c.Name]["exchanges"] = c.Exchanges
		}
		requests[c.Name] = c.Request
	}
	return cases, requests
}

// TestCallSendsWhatIsRecorded compares whole requests, except those for which the adapters' own tests make an exception.
func TestCallSendsWhatIsRecorded(t *testing.T) {
	t.Parallel()
	for name, which := range map[string][]string{
		"stripe": {"authorize_auto", "authorize_details", "authorize_processor_3ds", "setup_mandate_card", "mandate_payment_by_id",
			"mandate_payment_by_network_id", "capture_partial", "void_full", "refund_full", "create_customer", "incremental_authorization"},
		"authorizedotnet": {"create_customer", "void_full", "capture_partial", "payment_sync"},
		"adyen": {"authorize_minimal", "authorize_jpy", "authorize_external_3ds", "authorize_store_card", "setup_mandate_card", "mandate_payment_by_id",
			"capture_partial", "void_full", "incremental_authorization"},
		"nmi": {"capture_full", "void_full", "refund_full", "payment_sync", "refund_sync"},
	} {
		t.Run(name, func(t *testing.T) {
			cases, requests := recordedCases(t, name)
			var lines []any
			for _, c := range which {
				require.Contains(t, cases, c)
				lines = append(lines, cases[c])
			}
			for i, a := range callLines(t, lines...) {
				require.NotNil(t, a.Request, "%s: %s", which[i], a.Error)
				requireSame(t, which[i], requests[which[i]], a.Request)
			}
		})
	}
}

// telephone is a number in a request. The recorded ones lack the country code, which adapters send: their own tests hold it.
var telephone = regexp.MustCompile(`(?i)"[^"]*phone[^"]*":"[^"]*"`)

func requireSame(t *testing.T, name string, want *wire.Request, got *callRequest) {
	t.Helper()
	require.Equal(t, want.Method, got.Method, name)
	require.Equal(t, want.URL, got.URL, name)
	for header, value := range want.Headers {
		if header != "content-type" || got.Body != "" {
			require.Equal(t, value, got.Headers[header], "%s: %s", name, header)
		}
	}
	switch body, err := json.Marshal(want.Body); {
	case want.BodyKind == "json":
		require.NoError(t, err)
		require.JSONEq(t, telephone.ReplaceAllString(string(body), `"t":""`), telephone.ReplaceAllString(got.Body, `"t":""`), name)
	case want.BodyKind == "form" && want.Raw == "":
		b, err := url.ParseQuery(got.Body)
		require.NoError(t, err)
		given := want.Body.(map[string]any)
		require.Len(t, b, len(given), name)
		for field, value := range given {
			if strings.HasSuffix(field, "[phone]") {
				require.Contains(t, b.Get(field), fmt.Sprint(value), name)
				continue
			}
			require.Equal(t, fmt.Sprint(value), b.Get(field), "%s: %s", name, field)
		}
	case want.BodyKind == "form":
		a, err := url.ParseQuery(want.Raw)
		require.NoError(t, err)
		b, err := url.ParseQuery(got.Body)
		require.NoError(t, err)
		require.Equal(t, a, b, name)
	default:
		require.Equal(t, want.Raw, got.Body, name)
	}
}

// TestCallReadsAnswers runs an operation of two requests: the answer to each leads to the next request, or to the outcome.
func TestCallReadsAnswers(t *testing.T) {
	t.Parallel()
	cases, _ := recordedCases(t, "stripe")
	with := func(name string, more object) object {
		c := object{}
		for k, v := range cases[name] {
			c[k] = v
		}
		for k, v := range more {
			c[k] = v
		}
		return c
	}
	customer := object{"status": 200, "body": object{"object": "customer", "id": "cus_1"}}
	intent := object{"status": 200, "headers": object{"Content-Type": "application/json"}, "body": `{"object":"payment_intent","id":"pi_1","status":"succeeded","amount":2499,"amount_received":2499,"currency":"usd"}`}
	declined := object{"status": 402, "body": object{"error": object{"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds", "message": "No.",
		"payment_intent": object{"object": "payment_intent", "id": "pi_2", "status": "requires_payment_method"}}}}
	all := callLines(t,
		with("create_customer", nil),
		with("create_customer", object{"exchanges": []any{customer}}),
		with("create_customer", object{"exchanges": []any{customer}, "response": intent}),
		with("authorize_auto", object{"response": intent}),
		with("authorize_auto", object{"response": declined}),
		with("authorize_auto", object{"response": object{"status": 500, "body": "<html>"}}),
		with("authorize_auto", nil),
		with("authorize_auto", object{"response": nil}))
	require.True(t, strings.HasSuffix(all[0].Request.URL, "/v1/customers"))
	require.True(t, strings.HasSuffix(all[1].Request.URL, "/v1/payment_intents"), "%+v", all[1])
	require.Contains(t, all[1].Request.Body, "customer=cus_1")
	require.NotEqual(t, all[0].Request.Headers["idempotency-key"], all[1].Request.Headers["idempotency-key"])
	require.Equal(t, "pi_1", all[2].Outcome.TransactionID)
	require.Equal(t, sdk.StatusCaptured, all[3].Outcome.Status)
	require.Equal(t, "pi_1", all[3].Outcome.TransactionID)
	require.Equal(t, sdk.DeclineInsufficientFunds, all[4].Outcome.Decline.Reason)
	require.Equal(t, sdk.StatusUnknown, all[5].Outcome.Status)
	require.Equal(t, all[6], all[7], "the same case is the same operation")
}

// TestCallReverse: a payment that is captured at once is reversed as a captured payment.
func TestCallReverse(t *testing.T) {
	costly(t)
	a := callLines(t, `{"connector":"adyen","flow":"reverse","credentials":{"api_key":"k","merchant_account":"m"},"input":{"reference":"rev-1","connector_transaction_id":"T1"}}`)[0]
	require.NotNil(t, a.Request, a.Error)
	require.True(t, strings.HasSuffix(a.Request.URL, "/payments/T1/reversals"), a.Request.URL)
	require.JSONEq(t, `{"merchantAccount":"m","reference":"rev-1"}`, a.Request.Body)
}

// A set-up with a small amount is an authorization that stores the card; a set-up without an amount is a verification.
func TestCallSetUpWithAnAmount(t *testing.T) {
	line := func(rest string) string {
		return `{"connector":"adyen","flow":"setup_mandate","credentials":{"api_key":"k","merchant_account":"m"},"input":{"reference":"m-1",` + rest +
			`"currency":"EUR","card":{"number":"4111111111111111","exp_month":"03","exp_year":"2030","cvc":"737"},"customer":{"id":"c"}}}`
	}
	for rest, want := range map[string]string{`"amount":100,`: `"value":100`, `"amount":0,`: `"value":0`, ``: `"value":0`} {
		a := callLines(t, line(rest))[0]
		require.NotNil(t, a.Request, a.Error)
		require.Contains(t, a.Request.Body, want)
		require.Contains(t, a.Request.Body, `"storePaymentMethod":true`)
		require.Equal(t, rest == `"amount":100,`, strings.Contains(a.Request.Body, `"manualCapture":"true"`), a.Request.Body)
	}
}

// TestCallSaysWhatIsWrong answers a wrong case with the field at fault, and continues with the next case.
func TestCallSaysWhatIsWrong(t *testing.T) {
	costly(t)
	t.Parallel()
	stripe := func(rest string) string { return `{"connector":"stripe","flow":"authorize",` + rest + `}` }
	input := func(rest string) string { return stripe(`"credentials":{"api_key":"k"},"input":{` + rest + `}`) }
	money, card := `"amount":100,"currency":"USD",`, `"card":{"number":"4111111111111111","exp_month":"03","exp_year":"2030"}`
	tests := [][2]string{ // line, beginning of its answer; "" is a request
		{`{`, "the case is not a JSON object"},
		{`[]`, "the case is not a JSON object"},
		{`{"flow":"authorize"}`, "connector: missing"},
		{`{"connector":"acme","flow":"authorize"}`, `connector: no adapter is called "acme": choose one of adyen, authorizedotnet, bluesnap, braintree, checkout, cybersource, globalpay, mollie, nmi, paypal, stripe, worldpay`},
		{`{"connector":7}`, "connector: must be a text"},
		{`{"connector":"stripe"}`, "flow: missing"},
		{`{"connector":"stripe","flow":"revoke_mandate"}`, `flow: "revoke_mandate" is not a flow of plugin call: choose one of authorize, mandate_payment, setup_mandate, complete, capture, `},
		{`{"connector":"stripe","flow":"webhook"}`, `flow: "webhook" is not a flow`},
		{`{"connector":"adyen","flow":"payment_sync"}`, "flow: adyen does not offer payment_sync: choose one of authorize, mandate_payment, setup_mandate, complete, capture, void, "},
		{`{"connector":"stripe","flow":"capture","input":{"amount":100,"currency":"USD"}}`, "input.connector_transaction_id: is missing"},
		{`{"connector":"stripe","flow":"refund","input":{"amount":100,"currency":"USD","connector_transaction_id":""}}`, "input.connector_transaction_id: is missing"},
		{`{"connector":"stripe","flow":"void"}`, "input.connector_transaction_id: is missing"},
		{`{"connector":"stripe","flow":"tokenize","input":{` + money + card + `},"credentials":{"api_key":"k"}}`, "flow: stripe needs no tokenize: its payment begins with the request of authorize"},
		{`{"connector":"adyen","flow":"create_order","input":{` + money + `"reference":"1"},"credentials":{"api_key":"k","merchant_account":"m"}}`, "flow: adyen needs no create_order"},
		{`{"connector":"mollie","flow":"create_order","input":{` + money + `"reference":"1"},"credentials":{"api_key":"k","key1":"p"}}`, "flow: mollie needs no create_order"},
		{`{"connector":"nmi","flow":"session_token","input":{` + money + `"reference":"1"},"credentials":{"api_key":"k"}}`, "flow: nmi needs no session_token"},
		{stripe(`"clock":"yesterday"`), "clock: must be a time"},
		{stripe(`"input":[]`), "input: must be an object"},
		{stripe(`"input":{}`), "input.amount: is missing"},
		{stripe(`"credentials":"k"`), "credentials: must be an object"},
		{stripe(`"credentials":{"api_key":{"secret":"k"}}`), "credentials.api_key: must be a text"},
		{stripe(`"credentials":{"values":{"api_key":[]}}`), "credentials.api_key: must be a text"},
		{stripe(`"credentials":{"api_key":"k","api_kye":"41111"}`), "credentials.api_kye: the manifest of stripe declares no such field: choose one of api_key, webhook_secret, incremental_authorization"},
		{stripe(`"credentials":{"api_key":"k","incremental_authorization":"maybe"}`), `credentials.incremental_authorization: "maybe" is not a value of the manifest: choose one of `},
		{stripe(`"credentials":{"values":{"key1":"k"}}`), "credentials.key1: the manifest of stripe declares no such field"},
		{`{"connector":"stripe","operation":"authorize","credentials":{"access_token":"k"}}`, "credentials.access_token: the manifest of stripe declares no such field"},
		{input(`"amount":"ten","currency":"USD"`), "input.amount: must be a whole number"},
		{input(`"amount":10.5,"currency":"USD"`), "input.amount: must be a whole number"},
		{input(`"amount":-1,"currency":"USD"`), "input.amount: must be a whole number, not negative"},
		{input(`"amount":1,"currency":"XXQ"`), "input.currency: must be an ISO 4217 code"},
		{input(money + `"capture":"later"`), "input.capture: must be automatic or manual"},
		{input(money + `"store_card":"yes"`), "input.store_card: must be one of off_session, on_session"},
		{input(money + `"mit_category":"monthly"`), "input.mit_category: must be one of recurring, unscheduled, installment, resubmission"},
		{input(money + `"card":"4111111111111111"`), "input.card: must be an object"},
		{input(money + `"card":{"number":"4111 1111"}`), "input.card.number: must be 12 to 19 digits"},
		{input(money + `"card":{"number":"4111111111111111","exp_month":"13"}`), "input.card.exp_month: must be 1 to 12"},
		{input(money + `"card":{"number":"4111111111111111","exp_month":3,"exp_year":"30"}`), "input.card.exp_year: must be four digits"},
		{input(money + `"billing":{"line1":{}}`), "input.billing.line1: must be a text"},
		{input(money + `"request_3ds":"yes"`), "input.request_3ds: must be true or false"},
		{input(money + card + `,"browser":{"color_depth":"deep"}`), "input.browser.color_depth: must be a whole number"},
		{input(money + card + `,"browser":{"screen_width":4294967296}`), "input.browser.screen_width: must be a whole number of at most 32 bits"},
		{stripe(`"response":{"body":{}}`), "response.status: must be an HTTP status"},
		{stripe(`"response":200`), "response: must be an object of status, headers and body"},
		{stripe(`"response":{"status":200,"headers":{"x":{}}}`), "response.headers.x: must be a text or a list of texts"},
		{stripe(`"response":{"status":200,"headers":{"x":["a",[]]}}`), "response.headers.x: must be a text or a list of texts"},
		{stripe(`"exchanges":{}`), "exchanges: must be a list"},
		{stripe(`"exchanges":[{"response":{"status":1}}]`), "exchanges[0].response.status: must be an HTTP status"},
		{stripe(`"base_url":"http://processor.example","input":{` + money + card + `},"credentials":{"api_key":"k"}`), "rehearse authorize of adapter stripe"},
		{stripe(`"input":{` + money + card + `}`), "rehearse authorize of adapter stripe"}, // no key, no card
		{input(money + card), ""},
	}
	var lines []any
	for _, tc := range tests {
		lines = append(lines, tc[0])
	}
	for i, a := range callLines(t, lines...) {
		if tests[i][1] == "" {
			require.NotNil(t, a.Request, "%s: %s", tests[i][0], a.Error)
			continue
		}
		require.True(t, strings.HasPrefix(a.Error, tests[i][1]), "%s: %s", tests[i][0], a.Error)
		require.NotContains(t, a.Error, "41111", "no card in an error")
	}
	require.Contains(t, callLines(t, `{"connector":"nmi","flow":"authorize","credentials":{"api_key":"k"},"input":{`+money+card+`,"request_3ds":true}}`)[0].Error,
		"(authentication_type): in a case, input.request_3ds")
	require.Contains(t, callLines(t, stripe(`"input":{`+money+card+`}`))[0].Error, "credentials: api_key missing")
	complete := func(rest string) string {
		return `{"connector":"adyen","flow":"complete","credentials":{"api_key":"k"},"input":{` + money + card + rest + `}}`
	}
	require.Contains(t, callLines(t, complete(""))[0].Error, "input.connector_data: missing")
	require.NotContains(t, callLines(t, complete(`,"connector_data":{"version":1,"payment":"x"}`))[0].Error, "connector_data")
}

// TestCallTellsUnreadFields: standard error names misspelt fields once; fields of the format are not named.
func TestCallTellsUnreadFields(t *testing.T) {
	line := `{"connector":"stripe","flow":"void","credentials":{"api_key":"k"},"input":{"connector_transaction_id":"pi_1","card":{"number":"4111111111111111",
		"exp_month":"3","exp_year":"2030","cvv":"737"},"billing":{"zip":"1"},"three_ds":{"eci":"05"},"browser":{"colour":1},"customer":{"ID":"1"},
		"metadata":{"any":"x"},"connector_data":{"any":"x"},"customer_acceptance":{"channel":"online"},"complete_url":"https://shop.example"}}`
	line = strings.ReplaceAll(line, "\n\t\t", "")
	code, stdout, stderr := pluginCall(t, line+"\n"+line+"\n", "--cases", "-")
	require.Equal(t, exitOK, code)
	require.Equal(t, 2, strings.Count(stdout, `{"request":`), stdout)
	var told []string
	for _, text := range strings.Split(strings.TrimSpace(stderr), "\n") {
		told = append(told, strings.TrimSuffix(text, ": a case has no such field, so it has no effect"))
	}
	require.Equal(t, []string{"input.billing.zip", "input.browser.colour", "input.card.cvv", "input.customer.ID", "input.three_ds"}, told)
	for _, name := range calledAdapters {
		cases, _ := recordedCases(t, name)
		for _, c := range cases {
			if c["flow"] == nil { // in the SDK's words, where a misspelt field is an error
				continue
			}
			require.Empty(t, unread("", c["input"].(map[string]any)))
		}
	}
}

// TestCallAccessToken: a single response does not answer the request for an access token.
func TestCallAccessToken(t *testing.T) {
	const answer = `{"status":200,"body":{}}`
	for text, want := range map[string]string{
		`{"flow":"authorize"}`: "",
		`{"flow":"authorize","input":{"access_token":"mine"},"response":` + answer + `}`:                    "mine",
		`{"flow":"authorize","response":` + answer + `}`:                                                    someToken,
		`{"flow":"authorize","exchanges":[` + answer + `],"response":` + answer + `}`:                       "",
		`{"flow":"access_token","response":` + answer + `}`:                                                 "",
		`{"operation":"authorize","input":{"amount":1},"credentials":{"access_token":"ours"}}`:              "ours",
		`{"flow":"authorize","exchanges":[` + answer + `],"input":{"access_token":"mine"},"response":null}`: "mine",
	} {
		k, err := readCallCase([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, k.rehearsal().AccessToken.Reveal(), text)
	}
}

// TestCallOne: a single case on standard input is shown for people to read. Secrets and card data are shown by their names.
func TestCallOne(t *testing.T) {
	cases, _ := recordedCases(t, "stripe")
	one := func(of string, more object) string {
		c := maps.Clone(cases[of])
		maps.Copy(c, more)
		b, err := json.Marshal(c)
		require.NoError(t, err)
		return string(b)
	}
	code, stdout, stderr := pluginCall(t, one("capture_partial", nil))
	require.Equal(t, exitOK, code, stderr)
	require.True(t, strings.HasPrefix(stdout, "  → POST https://api.stripe.com/v1/payment_intents/"), stdout)
	require.Contains(t, stdout, "\n      Authorization: Bearer «api_key»\n")
	require.Contains(t, stdout, "\n      Idempotency-Key: «idempotency key»\n")
	require.Contains(t, stdout, "\n      amount_to_capture=1000")
	require.NotContains(t, stdout, "←", "no answer was given")

	answer := object{"response": object{"status": 200, "body": object{"object": "payment_intent", "id": "pi_1", "status": "succeeded",
		"amount": 2499, "amount_received": 1000, "currency": "usd"}}}
	for _, of := range []string{"capture_partial", "authorize_auto"} {
		code, stdout, stderr = pluginCall(t, one(of, answer))
		require.Equal(t, exitOK, code, stderr)
		require.Contains(t, stderr, "  → POST https://api.stripe.com/v1/payment_intents")
		require.Contains(t, stderr, "\n      Authorization: Bearer «api_key»\n")
		require.Contains(t, stderr, `  ← 200 {"amount":2499`)
		require.Contains(t, stderr, `  outcome {"status":"captured"`)
		require.NotContains(t, stderr+stdout, "probe_key")
		require.NotContains(t, stderr+stdout, "4242424242424242")
	}
	require.Contains(t, stderr, "[number]=«card_number»")
	var outcome sdk.Outcome
	require.NoError(t, json.Unmarshal([]byte(stdout), &outcome))
	require.Equal(t, sdk.StatusCaptured, outcome.Status)

	code, stdout, stderr = pluginCall(t, one("capture_partial", object{"operation": "sell"}))
	require.Equal(t, exitFailed, code)
	require.Empty(t, stdout)
	require.Contains(t, stderr, `operation: "sell"`)

	code, _, stderr = pluginCall(t, "", "--plugin", filepath.Join(t.TempDir(), "none.wasm"))
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "--plugin: there is no file")

	broken := filepath.Join(t.TempDir(), "broken.wasm")
	require.NoError(t, os.WriteFile(broken, []byte("\x00asm"), 0o600))
	code, _, stderr = pluginCall(t, "", "--plugin", broken)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "12 of 13 files hold an adapter")
}

func TestUserCache(t *testing.T) {
	for want, env := range map[string][]string{
		"":                                  nil,
		"/home/a/.cache/payswitch/adapters": {"HOME=/home/a", "XDG_CACHE_HOME=relative"},
		"/cache/payswitch/adapters":         {"HOME=/home/a", "XDG_CACHE_HOME=/cache"},
		"kept":                              {"HOME=/home/a", "XDG_CACHE_HOME=/cache", "PAYSWITCH_PLUGINS__CACHE_DIRECTORY=kept"},
	} {
		require.Equal(t, want, (&program{env: env}).userCache())
	}
}

// BenchmarkPluginCall measures one line among many.
func BenchmarkPluginCall(b *testing.B) {
	cases, _ := recordedCases(b, "stripe")
	line, err := json.Marshal(cases["authorize_auto"])
	require.NoError(b, err)
	in := strings.Repeat(string(line)+"\n", b.N)
	pluginCall(b, "") // builds and compiles missing adapters
	b.ResetTimer()
	code, _, stderr := pluginCall(b, in, "--cases", "-")
	require.Equal(b, exitOK, code, stderr)
}
