package plugins_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/card"
	"payswitch/engine/port"
	"payswitch/engine/secret"
	"payswitch/plugins"
	"payswitch/plugins/testdata/hostile"
	"payswitch/sdk"
)

// Two cards with the same first six digits, last four digits and length, and valid check digits: an adapter must not see a
// difference.
const (
	oneNumber, oneCVC     = "4012881234561881", "737"
	otherNumber, otherCVC = "4012887778881881", "218"
)

// echoed is what the processor received and returns in some form.
type echoed struct{ number, cvc, key, note, body string }

// echoAttack is a mode of the hostile adapter, with the processor's answer.
type echoAttack struct {
	mode   string
	answer func(w http.ResponseWriter, e echoed)
	change func(d *port.Drive)
	failed bool // the adapter gets no answer, or asks for none
}

func says(format string, args ...func(e echoed) string) func(http.ResponseWriter, echoed) {
	return func(w http.ResponseWriter, e echoed) {
		var all []any
		for _, f := range args {
			all = append(all, f(e))
		}
		_, _ = fmt.Fprintf(w, format, all...)
	}
}

func number(e echoed) string { return e.number }
func cvc(e echoed) string    { return e.cvc }
func key(e echoed) string    { return e.key }
func note(e echoed) string   { return e.note }
func whole(e echoed) string  { return e.body }

func each(f func(e echoed) string, format string) func(e echoed) string {
	return func(e echoed) string {
		var b strings.Builder
		for _, c := range f(e) {
			fmt.Fprintf(&b, format, c)
		}
		return b.String()
	}
}

func in4(by string) func(e echoed) string {
	return func(e echoed) string {
		return e.number[:4] + by + e.number[4:8] + by + e.number[8:12] + by + e.number[12:]
	}
}

func b64(f func(e echoed) string) func(e echoed) string {
	return func(e echoed) string { return base64.StdEncoding.EncodeToString([]byte(f(e))) }
}

func hexed(f func(e echoed) string) func(e echoed) string {
	return func(e echoed) string { return hex.EncodeToString([]byte(f(e))) }
}

func part(f func(e echoed) string, from, to int) func(e echoed) string {
	return func(e echoed) string { s := f(e); return s[from:min(to, len(s))] }
}

// the candidates and the card, under a name that says what each is
var (
	withCVC    = says(`{"note":"%s","card":{"number":"x","cvc":"%s"}}`, func(e echoed) string { return strings.ReplaceAll(e.note, `"`, `\"`) }, cvc)
	withNumber = says(`{"note":"%s","number":"%s"}`, note, number)
)

var attacks = map[string]echoAttack{
	"all as it is": {mode: "see", answer: says("%s", whole)},
	"gzip": {mode: "see", failed: true, answer: func(w http.ResponseWriter, e echoed) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = io.WriteString(w, gzipped(e.body))
	}},
	"gzip, not named": {mode: "see", failed: true, answer: func(w http.ResponseWriter, e echoed) { _, _ = io.WriteString(w, gzipped(e.body)) }},
	"br": {mode: "see", failed: true, answer: func(w http.ResponseWriter, e echoed) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, e.body)
	}},
	"utf-16": {mode: "see", failed: true, answer: func(w http.ResponseWriter, e echoed) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-16be")
		_, _ = io.WriteString(w, inUTF16(e.body))
	}},
	"utf-16, not named":        {mode: "see", failed: true, answer: func(w http.ResponseWriter, e echoed) { _, _ = io.WriteString(w, inUTF16(e.body)) }},
	"ask for gzip":             {mode: "ask:Accept-Encoding=gzip", failed: true},
	"ask for a part":           {mode: "ask:Range=bytes=10-20", failed: true},
	"ask for a digest":         {mode: "ask:Want-Repr-Digest=sha-256=1", failed: true},
	"cvc candidates":           {mode: "cvc_candidates", answer: withCVC},
	"cvc candidates, fields":   {mode: "cvc_fields", answer: withCVC},
	"cvc candidates, form":     {mode: "cvc_candidates", answer: says("note=%s&cvc=%s", note, cvc)},
	"cvc candidates, XML":      {mode: "cvc_candidates", answer: says("<a><n>%s</n><cvv2>%s</cvv2></a>", note, cvc)},
	"cvc, header":              {mode: "cvc_candidates", answer: func(w http.ResponseWriter, e echoed) { w.Header().Set("CVC", e.cvc) }},
	"number candidates":        {mode: "number_candidates:,", answer: withNumber},
	"number candidates, apart": {mode: "number_candidates: and ", answer: withNumber},
	"number candidates, words": {mode: "number_candidates: x ", answer: says("%s\n%s", note, number)},
	"number candidates, only":  {mode: "number_candidates:,", answer: says(`{"yours":%q}`, note)},
	"captured candidates":      {mode: "capture_candidates:737", answer: says(`{"cvc":"%s","number":"%s","note":"%s"}`, cvc, number, note)},
	"captured middle":          {mode: "capture_candidates:2881234561881", answer: says(`{"number":"x","note":"%s","again":"%s"}`, note, number)},
	"captured cut":             {mode: "capture_candidates:401288123456", answer: says(`{"number":"x","note":"%s","again":"%s"}`, note, number)},
	"spaces":                   {mode: "see", answer: says("%s", in4(" "))},
	"NBSP":                     {mode: "see", answer: says("%s", in4("\u00a0"))},
	"double spaces":            {mode: "see", answer: says("%s", in4("  "))},
	"line breaks":              {mode: "see", answer: says("%s", in4("\n"))},
	"escaped line breaks":      {mode: "see", answer: says(`{"a":"%s"}`, in4(`\n`))},
	"dots":                     {mode: "see", answer: says("%s", in4("."))},
	"slashes":                  {mode: "see", answer: says(`{"a":"%s"}`, in4(`\/`))},
	"underscores":              {mode: "see", answer: says("%s", in4("_"))},
	"NULs":                     {mode: "see", answer: says(strings.Repeat("words ", 100)+"%s", in4("\x00"))},
	"unicode":                  {mode: "see", answer: says(`{"a":"%s","cvc":"%s"}`, each(number, `\u%04x`), each(cvc, `\u%04x`))},
	"unicode twice":            {mode: "see", answer: says(`{"a":"{\"n\":\"%s\"}"}`, each(number, `\\u%04x`))},
	"percent":                  {mode: "see", answer: says("n=%s&cvc=%s", each(number, "%%%02X"), each(cvc, "%%%02x"))},
	"quoted-printable":         {mode: "see", answer: says("%s", each(number, "=%02X"))},
	"entities":                 {mode: "see", answer: says("<n>%s</n><cvc>%s</cvc>", each(number, "&#%d;"), each(cvc, "&#x%x;"))},
	"base64":                   {mode: "see", answer: says(`{"a":"%s"}`, b64(number))},
	"base64 of all":            {mode: "see", answer: says(`{"a":"%s"}`, b64(whole))},
	"base64 of a CVC":          {mode: "see", answer: says(`{"cvc":"%s"}`, b64(cvc))},
	"base64url":                {mode: "see", answer: says("%s", func(e echoed) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + e.body)) })},
	"base64 twice":             {mode: "see", answer: says("%s", b64(b64(whole)))},
	"hex":                      {mode: "see", answer: says(`{"a":"%s","cvc":"%s"}`, hexed(number), hexed(cvc))},
	"hex as a number":          {mode: "see", answer: says(`{"a":%s}`, hexed(number))},
	"full-width":               {mode: "see", answer: says("%s", func(e echoed) string { return strings.Map(func(r rune) rune { return r - '0' + 0xFF10 }, e.number) })},
	"reversed":                 {mode: "see", answer: says("%s", func(e echoed) string { return reversed(e.number) })},
	"commas":                   {mode: "see", answer: says("%s", each(number, "%c,"))},
	"array":                    {mode: "see", answer: says(`{"n":[%s0]}`, each(number, "%c, "))},
	"array of strings":         {mode: "see", answer: says(`["%s"]`, func(e echoed) string { return strings.Join(strings.Split(e.number, ""), `", "`) })},
	"a number of JSON":         {mode: "see", answer: says(`{"number":%s,"cvc":%s}`, number, func(e echoed) string { return e.cvc })},
	"the first 12":             {mode: "see", answer: says("%s", part(number, 0, 12))},
	"the first 13":             {mode: "see", answer: says("%s", part(number, 0, 13))},
	"the first 15":             {mode: "see", answer: says("%s", part(number, 0, 15))},
	"header names":             {mode: "see", answer: func(w http.ResponseWriter, e echoed) { w.Header()["X-"+e.number] = []string{"1"} }},
	"header values":            {mode: "see", answer: func(w http.ResponseWriter, e echoed) { w.Header().Set("X-A", reversed(e.number)) }},
	"a digest of the answer": {mode: "see", answer: func(w http.ResponseWriter, e echoed) {
		w.Header().Set("ETag", `"`+e.number[6:12]+`"`) // derived from the body, like a digest
		w.Header().Set("Content-MD5", base64.StdEncoding.EncodeToString([]byte(e.number[6:12])))
		_, _ = io.WriteString(w, e.body)
	}},
	"a dump with pipes":    {mode: "see", answer: says("%s|12|2030|%s|x", number, cvc)},
	"a dump of the form":   {mode: "see", answer: says(`{"request":"number=%s&cvv2=%s"}`, number, cvc)},
	"a multipart dump":     {mode: "see", answer: says("--b\r\nContent-Disposition: form-data; name=\"cvc\"\r\n\r\n%s\r\n--b--", cvc)},
	"pairs of names":       {mode: "see", answer: says(`[{"name":"cvc","value":"%s"}]`, cvc)},
	"connector data":       {mode: "carry", answer: says(`{"note":%q,"number":"%s"}`, note, number), change: carried},
	"after the card":       {mode: "carry", answer: says(`{"note":%q,"number":"4012881234561881","again":"4012887778881881"}`, note), change: later},
	"the key":              {mode: "see", answer: says("%s", key)},
	"a malformed answer":   {mode: "see", failed: true, answer: malformed},
	"capitals of the key":  {mode: "see", answer: says("%s", func(e echoed) string { return strings.ToUpper(e.key) })},
	"half the key":         {mode: "see", answer: says("%s", part(key, 0, 14))},
	"the end of the key":   {mode: "see", answer: says("%s", part(key, 13, 99))},
	"base64 of the key":    {mode: "see", answer: says("%s", b64(func(e echoed) string { return "user:" + e.key }))},
	"base64 of two":        {mode: "see", answer: says("%s", b64(b64(key)))},
	"hex of the key":       {mode: "see", answer: says("%s", hexed(key))},
	"the key under a name": {mode: "see", answer: says(`{"api_key":"%s","password":"hunter2"}`, part(key, 8, 15))},
}

// malformed is an answer that breaks HTTP and holds the card's number, which the error of net/http quotes.
func malformed(w http.ResponseWriter, e echoed) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = fmt.Fprintf(c, "HTTP/1.1 %s OK\r\n\r\n", e.number)
		_ = c.Close()
	}
}

// carried hands the data that an earlier operation stored to the next.
func carried(d *port.Drive) {
	d.Request.ConnectorData = &sdk.ConnectorData{Payment: strings.Join(hostile.Candidates(oneNumber[:6], oneNumber[12:], 16, 100), ",")}
}

// later is an operation of the payment after the number was deleted.
func later(d *port.Drive) {
	carried(d)
	d.Secrets = card.Secrets{CVC: secret.New("999"), Number: secret.Value{}}
	d.Request.Instrument = &sdk.Instrument{Card: &sdk.Card{ExpMonth: 12, ExpYear: 2030}}
	d.Card = &card.Facts{BIN: "401288", LastFour: "1881", Length: 16}
}

var guestSays = regexp.MustCompile(`(?m)^.*msg="output of an adapter".*$`)

// The processor echoes everything in any form, and the adapter tries all it can with the answers. For two cards that the adapter
// cannot tell apart, everything that it sees and everything that is stored has the same bytes. This holds in the sandbox and
// natively.
func TestHostileToAnswers(t *testing.T) {
	plugins.Sequential(t)
	dir := t.TempDir()
	put(t, dir, "hostile.wasm", module(t, "payswitch/plugins/testdata/hostile/wasm"))
	var log logged
	o := plugins.Options{Directory: dir, CacheDir: cacheDir(), Logger: log.logger()}
	sandboxed := newHost(t, o)
	o.AllowLoopbackHTTP = true
	native, err := plugins.NewNative(map[string]*sdk.Adapter{"hostile": hostile.Adapter()}, o)
	require.NoError(t, err)
	p := new(struct {
		answer func(w http.ResponseWriter, e echoed)
	})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var in struct {
			Note string
			Card struct{ Number, CVC string }
		}
		_ = json.Unmarshal(body, &in)
		w.Header()["Date"] = nil
		p.answer(w, echoed{in.Card.Number, in.Card.CVC, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), in.Note, string(body)})
	}))
	defer s.Close()

	// seen is everything of a drive: what the adapter receives, what it returns, and what is stored.
	seen := func(t *testing.T, host port.Connectors, a echoAttack, number, cvc string) (string, *port.DriveResult, error) {
		p.answer = a.answer
		d := authorize("hostile", s.URL)
		d.OperationID, d.Request.Reference, d.Seed = "op_same", "reference_same", [32]byte{1}
		d.Account.Config = map[string]string{"mode": a.mode}
		if host != port.Connectors(sandboxed) {
			d.Account.Config["target"] = "all"
		}
		d.Request.Instrument.Card.BIN, d.Request.Instrument.Card.LastFour, d.Request.Instrument.Card.Length = number[:6], number[12:], 16
		d.Secrets = card.Secrets{Number: secret.New(number), CVC: secret.New(cvc)}
		if a.change != nil {
			a.change(d)
		}
		before := len(log.String())
		res, err := host.Drive(context.Background(), d)
		res.Duration = 0
		var b bytes.Buffer
		for i := range res.Exchanges {
			x := &res.Exchanges[i]
			x.Now = 0
			fmt.Fprintf(&b, "%d %s %v %s\n", x.Status, x.Failure, x.Headers, x.Body)
		}
		if res.Outcome != nil {
			b.Write(sdk.EncodeResult(&sdk.Result{Outcome: res.Outcome}))
		}
		fmt.Fprintf(&b, "\n%+v %+v %v\n", res.Reject, res.Violations, err)
		lines := log.String()[before:]
		for _, line := range guestSays.FindAllString(lines, -1) {
			_, said, _ := strings.Cut(line, "msg=")
			b.WriteString(said + "\n")
		}
		for _, secret := range []string{number, reversed(number), base64.StdEncoding.EncodeToString([]byte(number)), hex.EncodeToString([]byte(number)), secretKey} {
			require.NotContains(t, lines, secret, "in the log")
			if !strings.HasSuffix(a.mode, secret) {
				require.NotContains(t, b.String(), secret)
			}
		}
		return b.String(), res, err
	}
	require.Greater(t, len(attacks), 50)
	for where, host := range map[string]port.Connectors{"sandbox": sandboxed, "native": native} {
		t.Run(where, func(t *testing.T) {
			for name, a := range attacks {
				t.Run(name, func(t *testing.T) {
					one, res, err := seen(t, host, a, oneNumber, oneCVC)
					other, _, _ := seen(t, host, a, otherNumber, otherCVC)
					require.Equal(t, one, other)
					if !a.failed {
						require.NoError(t, err)
						require.Equal(t, sdk.StatusDeclined, res.Outcome.Status, "%s", one)
						return
					}
					if err == nil {
						require.Equal(t, sdk.StatusUnknown, res.Outcome.Status)
					} else {
						require.ErrorAs(t, err, new(*plugins.Violation))
					}
				})
			}
			// The adapter's own texts about a card: a class of guesses looks alike, so a reader does not learn which guess was
			// right.
			for name, mode := range map[string]string{"reject": "reject_text:", "error": "error_text:", "stderr": "stderr:", "outcome": "outcome_text:"} {
				t.Run(name, func(t *testing.T) {
					var all []string
					for _, n := range []string{oneNumber, otherNumber, "4012880000001881"} {
						text, _, _ := seen(t, host, echoAttack{mode: mode + n, answer: says("")}, oneNumber, oneCVC)
						all = append(all, text)
						require.NotContains(t, text, n)
					}
					require.Equal(t, all[0], all[1], "a right guess and a wrong one")
					require.Equal(t, all[0], all[2])
					if where == "sandbox" || name != "stderr" { // natively it is the test's own standard error
						require.Contains(t, all[0], "401288******1881")
					}
				})
			}
			// Guesses that extend a known part do not find the account's key. An adapter that knows ten characters of a block of
			// twelve would find the other two, and nothing beyond them.
			for _, known := range []string{"sk_live_", "sk_live_a_", "live_a_very", "very_sec", "_secret_k", "secret_key", "a_very_sec"} {
				t.Run("key "+known, func(t *testing.T) {
					text, _, _ := seen(t, host, echoAttack{mode: "key_candidates:" + known, answer: says("%s", note)}, oneNumber, oneCVC)
					masked := strings.Count(strings.SplitN(text, "\n", 2)[0], "[redacted]")
					require.Contains(t, []int{0, 37 * 37}, masked, "all guesses look alike")
				})
			}
		})
	}
}
