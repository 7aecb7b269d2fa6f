package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// a change replaces a text of the project's file, which must be there.
type change struct{ file, old, new string }

// A mutant is the project of plugin new with one mistake in it.
type mutant struct {
	changes []change
	rule    string // that plugin check reports as failed
	// finds are texts of the report: they name the cause, and the case or field.
	finds []string
	// native says that the project's own tests find the mistake too, and are tried.
	native bool
}

const (
	adapterFile = "acme.go"
	answerFile  = "answer.go"
)

// in is one change of acme.go.
func in(old, new string) []change { return []change{{adapterFile, old, new}} }

// withConfig adds a required config field, which each payment sends.
func withConfig(read string) []change {
	return []change{
		{adapterFile, `		// The proof of whose`, `		Config: []sdk.Field{{Name: "merchant_id", Label: "Merchant", Type: "text"}},
		// The proof of whose`},
		{adapterFile, `NewObject().Str("reference", r.Reference).Int`, `NewObject().OptStr("merchant", c.Account.Config["` + read + `"]).Str("reference", r.Reference).Int`},
	}
}

const (
	numberPlacement = `			{Secret: "card_number", Operation: sdk.OpAuthorize, Method: "POST", Path: "/v1/payments", In: "body", Field: "card.number"},
`
	authentication = `		Authentication: []sdk.Placement{{Secret: "api_key", In: "header", Field: "Authorization"}},
`
	bearerOfPost  = `sdk.JSONSend("POST", path, body, c.Bearer("api_key"))`
	bearerOfQuery = `sdk.QueryEscape(c.Request.Reference), c.Bearer("api_key")`
	captureLine   = `func capture(c *sdk.Call) (*sdk.Outcome, error) { return change(c, "/capture", c.Request.CaptureReference, amount(c)) }`
	amountOf      = `amount := sdk.Decimals{}.Stated(j, "amount", "currency", c.Request.Amount.Currency)`
)

var mutants = map[string]mutant{
	"the CVC's placement names another field": {in(`Field: "card.cvc"`, `Field: "card.cvv"`), "host",
		[]string{"authorize: acme.json:7 (case authorize_auto): the host refuses it: rule secret: the stand-in of cvc in the body's field card.cvc"}, true},
	"the CVC's placement is of another method": {in(`{Secret: "cvc", Operation: sdk.OpAuthorize, Method: "POST"`, `{Secret: "cvc", Operation: sdk.OpAuthorize, Method: "PUT"`), "host",
		[]string{"rule secret: the stand-in of cvc"}, false},
	"the card has no placement": {in(numberPlacement, ""), "host", []string{"rule secret: the stand-in of card_number", "acme.json:7 (case authorize_auto)"}, true},
	"the placement's path has no version": {in(`{Secret: "card_number", Operation: sdk.OpAuthorize, Method: "POST", Path: "/v1/payments"`,
		`{Secret: "card_number", Operation: sdk.OpAuthorize, Method: "POST", Path: "/payments"`), "host", []string{"rule secret: the stand-in of card_number"}, false},
	"the placement is of another operation": {in(`{Secret: "card_number", Operation: sdk.OpAuthorize`, `{Secret: "card_number", Operation: sdk.OpCapture`), "host",
		[]string{"rule secret: the stand-in of card_number"}, false},
	"the placement's escapes are of another format": {in(`In: "body", Field: "card.number"}`, `In: "body", Field: "card.number", Escapes: "xml"}`), "host",
		[]string{"rule secret: the stand-in of card_number"}, false},
	"authentication is not declared": {in(authentication, ""), "host", []string{"rule secret: the stand-in of api_key in the header Authorization"}, false},
	"authentication is declared in another header": {in(`In: "header", Field: "Authorization"}}`, `In: "header", Field: "X-Key"}}`), "host",
		[]string{"rule secret: the stand-in of api_key in the header Authorization"}, false},
	"authentication has another format": {in(`In: "header", Field: "Authorization"}}`, `In: "header", Field: "Authorization", Format: "Key {}"}}`), "host",
		[]string{"rule secret: the stand-in of api_key in the header Authorization"}, false},
	"a credential is misspelt everywhere": {[]change{{adapterFile, bearerOfPost, `sdk.JSONSend("POST", path, body, c.Bearer("api_kye"))`},
		{adapterFile, bearerOfQuery, `sdk.QueryEscape(c.Request.Reference), c.Bearer("api_kye")`}}, "fields",
		[]string{`the adapter reads the credential "api_kye", which the manifest does not declare: did you mean "api_key"?`,
			`the credential "api_key" is required, but no request or signature of any operation holds it`}, true},
	"a credential is misspelt in queries": {in(bearerOfQuery, `sdk.QueryEscape(c.Request.Reference), c.Bearer("apikey")`), "fields",
		[]string{`sync: the adapter reads the credential "apikey", which the manifest does not declare: did you mean "api_key"?`}, false},
	"a query is sent without a credential": {in(bearerOfQuery, `sdk.QueryEscape(c.Request.Reference)`), "proof",
		[]string{"GET /v1/payments does not hold the account's credential: authentication declares it in the header Authorization", "(case sync)"}, false},
	"a credential has a name that is nowhere near": {in(bearerOfPost, `sdk.JSONSend("POST", path, body, c.Bearer("that_thing"))`), "host",
		[]string{"capture: acme.json:", "rule header: the value of Authorization", "check that the manifest declares its name"}, false},
	"a config field is misspelt": {withConfig("merchnt_id"), "fields",
		[]string{`authorize: the adapter reads the config field "merchnt_id", which the manifest does not declare: did you mean "merchant_id"?`}, true},
	"a config field is read among the credentials": {append(withConfig("merchant_id"), change{adapterFile, `c.Account.Config["merchant_id"]`, `c.Account.Credentials["merchant_id"]`}),
		"fields", []string{`the field stands in the other list; read it there by its name "merchant_id"`}, false},
	"a request goes to another host": {in(`post(c, "/payments/"+sdk.PathEscape(c.Request.TransactionID)+action`, `post(c, "https://eu.acme.example/v1/payments/"+sdk.PathEscape(c.Request.TransactionID)+action`),
		"host", []string{`rule host: host "eu.acme.example" is not approved`, "declare the host in environments", "(case capture_partial)"}, false},
	"the key of the card is a digest": {in(`Str("number", card.Number)`, `Str("number", c.Derive(sdk.Fn(sdk.FnHex, sdk.Fn(sdk.FnSHA256, sdk.Text(card.Number)))))`), "host",
		[]string{"rule derivation: sha256 cannot be applied to card data"}, false},
	"the card stands beside other text": {in(`Str("number", card.Number)`, `Str("number", "PAN "+card.Number)`), "host",
		[]string{"rule secret: ", "card_number is only part of the value"}, false},
	"the card stands in the query": {in(`return post(c, "/payments", sdk`, `return post(c, "/payments?pan="+card.Number, sdk`), "host", []string{"the query field pan, where the manifest does not declare it"}, false},
	"the idempotency key is set by hand too": {in(`c.Bearer("api_key")).Keyed("Idempotency-Key")`, `c.Bearer("api_key"), sdk.H("Idempotency-Key", c.IdempotencyKey())).Keyed("Idempotency-Key")`), "host",
		[]string{"rule header: Idempotency-Key is the idempotency header: leave it out, the host sets it"}, false},
	"a header is the host's own": {in(bearerOfPost, `sdk.JSONSend("POST", path, body, c.Bearer("api_key"), sdk.H("Host", "other.example"))`), "host",
		[]string{"rule header: the header Host may only be set by the host: leave it out"}, false},
	"another key stands beside the account's": {in(bearerOfPost, `sdk.JSONSend("POST", path, body, c.Bearer("api_key"), sdk.H("X-Auth-Token", "mine"))`), "host",
		[]string{"rule authentication: the request holds card data, and the header X-Auth-Token, which authentication does not declare"}, false},
	"a captured value has no placement": {in(`	return post(c, "/payments", sdk.NewObject()`, `	opens := sdk.JSONSend("POST", "/sessions", sdk.NewObject().Str("reference", r.Reference), c.Bearer("api_key")).Safe()
	opens.Capture = []sdk.Capture{{Path: "id", Name: "session"}}
	session := sdk.Must(c.Do(opens))
	return post(c, "/payments", sdk.NewObject().OptStr("session", session.JSON().Str("id"))`), "host",
		[]string{"rule secret: the stand-in of session in", "(case captured)"}, false},
	"a 3DS result has no placement": {[]change{{adapterFile, `Features: sdk.Features{`, `Features: sdk.Features{External3DS: true, `},
		{adapterFile, `	return post(c, "/payments", sdk.NewObject()`, `	cavv := ""
	if r.ThreeDS != nil {
		cavv = r.ThreeDS.CAVV
	}
	return post(c, "/payments", sdk.NewObject().OptStr("cavv", cavv)`}}, "host",
		[]string{"authorize: request authorize with a 3DS result: the host refuses it: rule secret: the stand-in of cavv in the body's field cavv"}, false},
	"a stored card is taken for a card": {[]change{{adapterFile, `Features: sdk.Features{`, `Features: sdk.Features{StoredCredential: true, `},
		{adapterFile, `	sdk.Check(r.NeedCard())
`, ``}}, "message", []string{`authorize: the adapter fails: "panic`, `authorize: request authorize with a stored card: the adapter fails: "panic`}, true},
	"a payment is voided when it is authorized": {[]change{{answerFile, `"authorized": sdk.StatusAuthorized`, `"authorized": sdk.StatusVoided`}}, "outcome",
		[]string{"acme.responses.json:7 (case authorized): authorize cannot end with the outcome voided: use"}, true},
	"a capture only authorizes": {[]change{{answerFile, `		if status == sdk.StatusDeclined {`, `		if op == sdk.OpCapture {
			o.Status = sdk.StatusAuthorized
		}
		if status == sdk.StatusDeclined {`}}, "outcome",
		[]string{"capture: acme.responses.json:14 (case part_captured): capture cannot end with the outcome authorized: use captured"}, false},
	"a capture takes more than was asked for": {[]change{{answerFile, `		if status == sdk.StatusDeclined {`, `		if op == sdk.OpCapture {
			o.Amount = &sdk.Money{Minor: c.Request.Amount.Minor + c.Request.Payment.Authorized, Currency: c.Request.Amount.Currency}
		}
		if status == sdk.StatusDeclined {`}}, "outcome", []string{"is more than the requested 10.00 USD", "(case part_captured)"}, true},
	"amounts are in another currency": {[]change{{answerFile, amountOf, `amount := j.Money("amount", "EUR")`}}, "outcome",
		[]string{"is not in the request's currency USD"}, true},
	"a refusal after the request is a reject": {[]change{{answerFile, `		return &sdk.Outcome{Status: sdk.StatusDeclined, Decline: decline(j)}, nil`,
		`		return nil, &sdk.Reject{Code: sdk.RejectInvalid, Message: j.Str("error.message")}`}}, "message",
		[]string{`authorize: acme.responses.json:10 (case declined): the adapter fails: "reject after sending: invalid_parameter: Not enough money"`}, true},
	"a lost answer is followed by another payment": {in(`	answer := sdk.Must(c.Do(sdk.JSONSend("POST", path, body, c.Bearer("api_key")).Keyed("Idempotency-Key")))`,
		`	send := func(path string) (*sdk.Response, error) {
		return c.Do(sdk.JSONSend("POST", path, body, c.Bearer("api_key")).Keyed("Idempotency-Key"))
	}
	answer, err := send(path)
	if err != nil {
		answer = sdk.Must(send(path + "?again=1"))
	}`), "host", []string{"rule repeat: the adapter asks for a different send after one that may have arrived and has no answer"}, false},
	"the card goes into the outcome": {in(`	return post(c, "/payments", sdk.NewObject()`, `	defer func() {
		if o != nil {
			o.Raw = map[string]string{"pan": card.Number}
		}
	}()
	return post(c, "/payments", sdk.NewObject()`), "host", []string{"rule secret: the stand-in of card_number in the outcome"}, false},
	"a webhook is believed without its signature": {in(`RefundSync: refundSync,`, `RefundSync: refundSync,
	Webhook: func(c *sdk.Call) (*sdk.Outcome, error) {
		return &sdk.Outcome{Status: sdk.StatusHandled, Events: []sdk.Event{{Object: "payment", Outcome: &sdk.Outcome{Status: sdk.StatusCaptured}}}}, nil
	},`), "evidence", []string{"webhook: the adapter believes a message without verifying its signature"}, false},
	"a result is resolved by an operation that is missing": {in(`Sync: sync, `, ``), "manifest", []string{"resolve.by"}, false},
}

func init() { // the outcome needs a name to be changed by defer
	m := mutants["the card goes into the outcome"]
	m.changes = append([]change{{adapterFile, `func authorize(c *sdk.Call) (*sdk.Outcome, error) {`, `func authorize(c *sdk.Call) (o *sdk.Outcome, err error) {`}}, m.changes...)
	mutants["the card goes into the outcome"] = m
}

// What the host would refuse or not believe is not certified: plugin check names the rule, the cause and the case or field. One mutant of each rule is a module
// too, about which the command says the same.
func TestPluginCheckFindsMutants(t *testing.T) {
	costly(t)
	t.Parallel()
	names := slices.Sorted(maps.Keys(mutants))
	var changes [][]change
	for _, name := range names {
		changes = append(changes, mutants[name].changes)
	}
	program := buildMutants(t, newProject(t, "acme"), "acme", changes)
	asModule := map[string]bool{}
	for i, name := range names {
		m := mutants[name]
		first := !asModule[m.rule]
		asModule[m.rule] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report, printed := checkMutant(t, program, i)
			require.False(t, report.Passed)
			require.NotContains(t, printed, "is certified")
			require.Regexp(t, `(?m)^failed +`+m.rule+` `, printed)
			for _, text := range m.finds {
				require.Contains(t, printed, text)
			}
			if !first && !m.native {
				return
			}
			dir := newProject(t, "acme")
			for _, c := range m.changes {
				edit(t, filepath.Join(dir, c.file), c.old, c.new)
			}
			if first {
				cmd := exec.CommandContext(t.Context(), "go", append([]string{"build"}, wasmArgs("acme.wasm", "./wasm")...)...)
				cmd.Dir, cmd.Env = dir, append(append(offline(), "GOFLAGS=-mod=mod"), wasmEnv...)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s", out)
				code, stdout, stderr := author(t, dir, "plugin", "check", "--json", "acme.wasm")
				require.Equal(t, exitFailed, code, stdout)
				require.Contains(t, stderr, "acme.wasm is not certified: broken rules: ")
				var found checkReport
				require.NoError(t, json.Unmarshal([]byte(stdout), &found))
				require.Equal(t, report.Rules, found.Rules)
			}
			if m.native {
				cmd := exec.CommandContext(t.Context(), "go", "test", ".")
				cmd.Dir, cmd.Env = dir, offline()
				out, err := cmd.CombinedOutput()
				require.Error(t, err, "the project's own tests find nothing: %s", out)
			}
		})
	}
	require.GreaterOrEqual(t, len(asModule), 7)
}

// A mutant is not bundled either, and the cases may stand elsewhere.
func TestPluginBundleRefusesMutants(t *testing.T) {
	costly(t)
	t.Parallel()
	dir := newProject(t, "acme")
	edit(t, filepath.Join(dir, answerFile), `"authorized": sdk.StatusAuthorized`, `"authorized": sdk.StatusVoided`)
	code, _, stderr := author(t, dir, "plugin", "build")
	require.Equal(t, exitOK, code, stderr)
	code, stdout, stderr := author(t, dir, "plugin", "bundle", "acme.wasm")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "acme.wasm does not pass the check, so that it cannot be bundled: broken rules: outcome")
	require.Contains(t, stdout, "(case authorized)")

	elsewhere := filepath.Join(t.TempDir(), "cases")
	require.NoError(t, os.Rename(filepath.Join(dir, "testdata"), elsewhere))
	code, stdout, _ = author(t, dir, "plugin", "check", "acme.wasm")
	require.Equal(t, exitOK, code, "only a case shows the mistake: %s", stdout)
	require.Contains(t, stdout, "no cases were found: name their folder with --cases")
	code, stdout, _ = author(t, dir, "plugin", "check", "--cases", elsewhere, "acme.wasm")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stdout, "(case authorized)")
	code, _, stderr = author(t, dir, "plugin", "check", "--cases", dir, "acme.wasm")
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "--cases: there is no file")
}
