package sdk

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// fill sets v to a random value of its type. Strings of named types get one of their constants, as the schema demands.
func fill(r *rand.Rand, v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(randomText(r, v.Type().Name()))
	case reflect.Int:
		v.SetInt(int64(int32(r.Uint32())) >> r.IntN(32))
	case reflect.Int64:
		v.SetInt(int64(r.Uint64()) >> r.IntN(64))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Pointer:
		if depth > 0 && r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem(), depth-1)
		}
	case reflect.Slice:
		n := r.IntN(4)
		if depth <= 0 || n == 0 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			if v.Type().Elem().Kind() == reflect.Uint8 {
				v.Index(i).SetUint(uint64(r.IntN(256)))
				continue
			}
			fill(r, v.Index(i), depth-1)
		}
	case reflect.Map:
		n := r.IntN(4)
		if depth <= 0 || n == 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range n {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(r, e, depth-1)
			v.SetMapIndex(reflect.ValueOf(randomText(r, "string")), e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(r, v.Field(i), depth)
		}
		if body, length := v.FieldByName("Body"), v.FieldByName("BodyLength"); body.IsValid() && length.IsValid() {
			length.SetInt(int64(body.Len()))
		}
	}
}

var texts = []string{"", "a", "card", "ünïcödé 漢字 😀", "quote\" back\\slash /", "\x00\x01\x1f\x7f\n\r\t\b\f", "\u2028\u2029", "<&>", strings.Repeat("x", 300)}

func randomText(r *rand.Rand, typ string) string {
	values := map[string][]string{"Operation": {string(OpAuthorize), string(OpWebhook)}, "Kind": {string(KindProcessor)}, "OutcomeStatus": {string(StatusDeclined)},
		"DeclineReason": {string(DeclineGeneric)}, "CaptureMethod": {string(CaptureManual)}, "CardNetwork": {string(Visa)}, "DeviceChannel": {string(ChannelBrowser)}, "ErrorClass": {string(ErrorConfig)}, "RejectCode": {string(RejectMissing)},
		"ResolveBy": {string(ResolveByWebhook)}, "Currency": {"USD", "JPY"}, "Exemption": {string(ExemptionLowValue), string(ExemptionDelegation)},
		"NextActionType": {string(NextActionRedirect), string(NextActionDeviceData)}, "CheckResult": {string(CheckPass)}, "EventObject": {string(EventRefund)},
		"DisputeStatus": {string(DisputeOpened), string(DisputeLost)}, "DisputeStage": {string(StagePreDispute), string(StageArbitration)},
		"EvidenceType": {string(EvidenceReceipt), string(EvidenceUncategorizedFile)},
		"Initiator":    {string(InitiatorCustomer), string(InitiatorMerchant)}, "CredentialUsage": {string(UsageOnSession)}, "MITCategory": {string(MITRecurring)},
		"FieldType": {string(FieldText), string(FieldClientCertificate)}, "PlacementIn": {string(InBody), string(InTLS)}, "Escapes": {string(EscapesXMLForm)},
		"MethodType": {string(MethodDebit)}, "ReferenceCharacters": {string(ReferenceDigits)}, "MethodRun": {string(MethodGetFrame)},
		"MethodReport": {string(MethodByEvent)}, "ChallengeStart": {string(ChallengeCReqPost)}, "ResultDelivery": {string(ResultPullOnce)},
		"PushProof": {string(PushProofHMAC)}, "AuthenticationEvent": {string(EventResultReady)}, "CancelReason": {string(CancelLeft)}}[typ]
	if values == nil {
		values = texts
	}
	return values[r.IntN(len(values))]
}

func random[T any](r *rand.Rand) *T {
	v := new(T)
	fill(r, reflect.ValueOf(v).Elem(), 6)
	return v
}

// one clears all fields of a result except one.
func one(r *rand.Rand, v *Result) *Result {
	for {
		all := []func(*Result){func(n *Result) { n.Send = v.Send }, func(n *Result) { n.Verify = v.Verify }, func(n *Result) { n.Outcome = v.Outcome }, func(n *Result) { n.Reject = v.Reject }}
		n := new(Result)
		all[r.IntN(4)](n)
		if *n != (Result{}) {
			return n
		}
		*v = *random[Result](r)
	}
}

func jsonOf(message []byte) []byte {
	n := int(message[0]) | int(message[1])<<8 | int(message[2])<<16 | int(message[3])<<24
	return message[4 : 4+n]
}

func envelope(json string, bodies string) []byte {
	b := append(appendUint32(nil, uint32(len(json))), json...)
	return append(b, bodies...)
}

// TestCodecAgainstEncodingJSON: the codec and encoding/json read each other's output, and random values survive.
func TestCodecAgainstEncodingJSON(t *testing.T) {
	costly(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		step, result, manifest := random[Step](r), one(r, random[Result](r)), random[Manifest](r)

		message := EncodeStep(step)
		got, err := DecodeStep(message)
		require.NoError(t, err)
		require.Equal(t, step, got)
		other := new(Step)
		require.NoError(t, json.Unmarshal(jsonOf(message), other))
		for i := range other.Exchanges {
			other.Exchanges[i].Body = step.Exchanges[i].Body
		}
		if w := other.Request.Webhook; w != nil {
			w.Body = step.Request.Webhook.Body
		}
		if f := other.Request.file(); f != nil {
			f.Body = step.Request.file().Body
		}
		require.True(t, bytes.Equal(message, EncodeStep(other)), "encoding/json reads the same")
		std, err := json.Marshal(step)
		require.NoError(t, err)
		got, err = DecodeStep(envelope(string(std), bodiesOf(message)))
		require.NoError(t, err)
		require.Equal(t, step, got, "what encoding/json writes is read the same")

		message = EncodeResult(result)
		gotResult, err := DecodeResult(message)
		require.NoError(t, err)
		require.Equal(t, result, gotResult)
		std, err = json.Marshal(result)
		require.NoError(t, err)
		gotResult, err = DecodeResult(envelope(string(std), bodiesOf(message)))
		require.NoError(t, err)
		require.Equal(t, result, gotResult)

		gotManifest, err := DecodeManifest(EncodeManifest(manifest))
		require.NoError(t, err)
		require.Equal(t, manifest, gotManifest)
		std, err = json.Marshal(manifest)
		require.NoError(t, err)
		gotManifest, err = DecodeManifest(envelope(string(std), ""))
		require.NoError(t, err)
		require.Equal(t, manifest, gotManifest)
	}
}

func bodiesOf(message []byte) string { return string(message[4+len(jsonOf(message)):]) }

func TestEncodingLeavesItsArgumentAlone(t *testing.T) {
	s := step(OpAuthorize)
	s.Exchanges = []Exchange{{Body: []byte("abc"), BodyLength: 77}}
	got, err := DecodeStep(EncodeStep(&s))
	require.NoError(t, err)
	require.Equal(t, 77, s.Exchanges[0].BodyLength)
	require.Equal(t, 3, got.Exchanges[0].BodyLength)
	require.Equal(t, "abc", string(got.Exchanges[0].Body))
	s.Account.ID = "a\xffb"
	got, err = DecodeStep(EncodeStep(&s))
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", got.Account.ID)
}

func TestDecodeResultRefuses(t *testing.T) {
	for name, message := range map[string][]byte{
		"empty":              nil,
		"short":              {1, 0, 0},
		"length":             {3, 0, 0, 0, '{', '}'},
		"huge length":        {255, 255, 255, 255, '{', '}'},
		"too large":          make([]byte, MaxMessage+1),
		"nothing":            envelope(`{}`, ""),
		"null":               envelope(`null`, ""),
		"null field":         envelope(`{"reject":null}`, ""),
		"two":                envelope(`{"reject":{"code":"x"},"outcome":{"status":"unknown"}}`, ""),
		"duplicate":          envelope(`{"reject":{"code":"x"},"reject":{"code":"x"}}`, ""),
		"duplicate inside":   envelope(`{"outcome":{"status":"declined","status":"captured"}}`, ""),
		"duplicate escaped":  envelope(`{"outcome":{"status":"declined","\u0073tatus":"captured"}}`, ""),
		"duplicate in map":   envelope(`{"outcome":{"status":"declined","raw":{"a":"1","a":"2"}}}`, ""),
		"two values":         envelope(`{"reject":{}}{}`, ""),
		"trailing comma":     envelope(`{"reject":{"code":"x",}}`, ""),
		"array comma":        envelope(`{"outcome":{"status":"x","events":[{},]}}`, ""),
		"fraction":           envelope(`{"outcome":{"status":"x","amount":{"minor":1.0,"currency":"USD"}}}`, ""),
		"exponent":           envelope(`{"outcome":{"status":"x","amount":{"minor":1e3,"currency":"USD"}}}`, ""),
		"leading zero":       envelope(`{"outcome":{"status":"x","amount":{"minor":010,"currency":"USD"}}}`, ""),
		"out of range":       envelope(`{"outcome":{"status":"x","amount":{"minor":9223372036854775808,"currency":"USD"}}}`, ""),
		"very out of range":  envelope(`{"outcome":{"status":"x","amount":{"minor":92233720368547758070,"currency":"USD"}}}`, ""),
		"int out of range":   envelope(`{"send":{"timeout_ms":2147483648}}`, ""),
		"string for number":  envelope(`{"send":{"timeout_ms":"1"}}`, ""),
		"number for string":  envelope(`{"send":{"method":1}}`, ""),
		"invalid UTF-8":      envelope("{\"send\":{\"method\":\"\xff\"}}", ""),
		"surrogate":          envelope(`{"send":{"method":"\ud800"}}`, ""),
		"control":            envelope("{\"send\":{\"method\":\"\n\"}}", ""),
		"escape":             envelope(`{"send":{"method":"\x"}}`, ""),
		"NUL":                envelope("{\"reject\":{}}\x00", ""),
		"bad unknown":        envelope(`{"reject":{"x":[1,}}`, ""),
		"deep unknown":       envelope(`{"reject":{"x":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}}`, ""),
		"deep expression":    envelope(`{"verify":{"equal":"","expr":`+strings.Repeat(`{"args":[`, 70)+strings.Repeat(`]}`, 70)+`}}`, ""),
		"many elements":      envelope(`{"send":{"headers":[`+strings.Repeat(`{},`, 5000)+`{}]}}`, ""),
		"body missing":       envelope(`{"send":{"body_length":3}}`, "ab"),
		"body too long":      envelope(`{"send":{"body_length":3}}`, "abcd"),
		"body negative":      envelope(`{"send":{"body_length":-1}}`, "a"),
		"body of an outcome": envelope(`{"outcome":{"status":"x"}}`, "a"),
	} {
		_, err := DecodeResult(message)
		require.Error(t, err, name)
	}
	got, err := DecodeResult(envelope(` {"reject":{"code":"x","future":{"a":[1.5e3,true,null,"\ud83d\ude00"]},"message":"\u00e9\ud83d\ude00\/"} , "later":null}`+"\n", ""))
	require.NoError(t, err, "unknown names are ignored")
	require.Equal(t, &Reject{Code: "x", Message: "é😀/"}, got.Reject)
	got, err = DecodeResult(envelope(`{"outcome":{"status":"x","amount":{"minor":-9223372036854775808,"currency":"USD"}}}`, ""))
	require.NoError(t, err)
	require.Equal(t, int64(math.MinInt64), got.Outcome.Amount.Minor)
}

func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		f.Add(EncodeManifest(random[Manifest](r)))
	}
	f.Add(EncodeStep(benchmarkStep()))
	for _, json := range []string{`{"send":{"method":"GET","url":"/","headers":[{"name":"a","value":"b"}],"derive":[{"stand_in":"d0","expr":{"fn":"hex","args":[{"fn":"body"}]}}],"body_length":2}}`,
		`{"verify":{"expr":{"fn":"text","text":"x"},"equal":"y"}}`, `{"reject":{"code":"unsupported","message":"\u00e9"}}`,
		`{"outcome":{"status":"declined","amount":{"minor":1,"currency":"USD"},"decline":{"code":"","message":"","reason":"blocked"},"raw":{"a":"b"},"events":[{"object":"payment","outcome":{"status":"voided"}}]}}`,
		`{"abi":1,"operation":"authorize","exchanges":[{"now":1,"sent":true,"status":200,"body_length":2,"verified":false}]}`} {
		f.Add(envelope(json, "ab"))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		if s, err := DecodeStep(message); err == nil {
			again, err := DecodeStep(EncodeStep(s))
			require.NoError(t, err)
			require.Equal(t, EncodeStep(s), EncodeStep(again))
		}
		if s, err := DecodeResult(message); err == nil {
			require.True(t, json.Valid(jsonOf(message)))
			again, err := DecodeResult(EncodeResult(s))
			require.NoError(t, err)
			require.Equal(t, EncodeResult(s), EncodeResult(again))
		}
		if s, err := DecodeManifest(message); err == nil {
			_, err := DecodeManifest(EncodeManifest(s))
			require.NoError(t, err)
		}
		_ = (&Adapter{Authorize: func(c *Call) (*Outcome, error) { _, err := c.Get("/"); return nil, err }}).Handle(message)
	})
}

func TestSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	text, err := os.ReadFile("schema.json")
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, c.AddResource("schema.json", doc))
	schemas := map[string]*jsonschema.Schema{}
	for _, name := range []string{"Step", "Result", "Manifest"} {
		schemas[name], err = c.Compile("schema.json#/$defs/" + name)
		require.NoError(t, err)
	}
	check := func(name string, message []byte) {
		t.Helper()
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(jsonOf(message)))
		require.NoError(t, err)
		require.NoError(t, schemas[name].Validate(v))
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		check("Step", EncodeStep(random[Step](r)))
		check("Result", EncodeResult(one(r, random[Result](r))))
		check("Manifest", EncodeManifest(random[Manifest](r)))
	}
	for _, bad := range []string{`{}`, `{"send":{"method":"GET"}}`, `{"outcome":{"status":"approved"}}`, `{"outcome":{"status":"captured"},"reject":{"code":"unsupported","message":""}}`} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		require.NoError(t, err)
		require.Error(t, schemas["Result"].Validate(v), bad)
	}
}

func TestGeneratedFilesAreFresh(t *testing.T) {
	dir := t.TempDir()
	sources, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range sources {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), b, 0o600))
	}
	out, err := exec.Command("go", "run", "./internal/gen", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, name := range []string{"codec_gen.go", "schema.json", "cases.schema.json", "ABI_REFERENCE.md"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(want, got), "%s is stale: run go generate ./sdk", name)
	}
}

func BenchmarkEncodeStep(b *testing.B) {
	s := benchmarkStep()
	for b.Loop() {
		b.SetBytes(int64(len(EncodeStep(s))))
	}
}

func BenchmarkDecodeStep(b *testing.B) {
	message := EncodeStep(benchmarkStep())
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := DecodeStep(message); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeResult(b *testing.B) {
	message := EncodeResult(&Result{Send: &Send{Method: "POST", URL: "https://api.example.com/v1/payments", Body: make([]byte, 1000),
		Headers: []Header{H("Content-Type", "application/json"), H("Authorization", "Bearer abcdefghijklmnop")}}})
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		if _, err := DecodeResult(message); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkStep returns a step of about 2 KB.
func benchmarkStep() *Step {
	s := step(OpAuthorize)
	a := Address{FirstName: "Joseph", LastName: "Doe", Line1: "1467", Line2: "Harrison Street", City: "San Fransico", State: "California", Zip: "94122", Country: "US"}
	s.Request = Request{PaymentID: "pay_mbabizu24mvu3mela5njyhpit4", Reference: "mbabizu24mvu3mela5njyhpit4", Amount: Money{6540, "USD"}, Billing: &a, Shipping: &a,
		Instrument: &Instrument{Card: &Card{Number: strings.Repeat("n", 26), CVC: strings.Repeat("c", 26), ExpMonth: 3, ExpYear: 2030, BIN: "424242", LastFour: "4242", Length: 16}},
		Customer:   &Customer{ID: "cus_1", Name: "Joseph Doe", Email: "joseph@example.com"}, Description: strings.Repeat("d", 700), Metadata: map[string]string{"a": "b"}}
	return &s
}

// costly skips a test that costs many seconds of a processor, unless TEST_ALL is set. make test sets it, so that go test alone ends in two minutes.
func costly(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_ALL") == "" {
		t.Skip("TEST_ALL=1 runs this test too")
	}
}
