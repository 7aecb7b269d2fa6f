package router_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A test of a section of the v1 API's contract is a list of steps: each row of the contract is a call over HTTP, and what the answer must have.

// step is a row of a section. Its calls go to one switch, in order, so a later step may use what an earlier step made.
type step struct {
	row string // the row, in the contract's words
	// call is "POST /path", with the merchant's secret key. "admin POST /path" has the operator's key, "publishable POST /path" the checkout's, "open POST /path" none.
	// "wait 5 days" calls nothing: the time passes. "signed POST /webhooks/…" is a processor's message, signed with messageSecret as the simulator signs,
	// "stripe POST …" as stripe does. "endpoint answers 503" sets what
	// merchants' endpoints answer, and "arrives" wants their next request; world.arrives has more about it. In call, body and want, {payment_id}, {relay_id}, {client_secret} and the other names of known stand
	// for the values in the latest answer that had them; {mca:stripe} is the id of the connector's account, and {profile} that of the profile.
	call, body string
	// want is a JSON object, list or text, or "400 IR_16 the message" of a refusal. A refusal may end with a further object after " + ", compared with the
	// error. An object may leave out keys. The text "*" stands for any value, "-" for a key that the answer lacks, "/…/" for a regular expression.
	want string
}

// known are the fields of answers that later steps may use.
var known = []string{"dispute_id", "connector_refund_id", "payment_response_hash_key", "payment_id", "client_secret", "refund_id", "relay_id", "connector_transaction_id", "connector_reference_id", "payment_method_id", "profile_id", "issuer_id"}

// section performs the steps. values are those that steps may use in braces.
func (w *world) section(t *testing.T, values map[string]string, steps ...step) {
	t.Helper()
	if values == nil {
		values = map[string]string{}
	}
	values["profile"] = w.profile
	for i, s := range steps {
		says := fmt.Sprintf("row %d: %s: %s %s", i+1, s.row, s.call, s.body)
		if w.happens(t, says, s, values) {
			continue
		}
		r := w.perform(w.filled(s.call, values), w.filled(s.body, values))
		got := answered(r)
		says += "\n" + r.body
		want, more, _ := strings.Cut(w.filled(s.want, values), " + ")
		if status, rest, _ := strings.Cut(want, " "); len(status) == 3 && strings.Trim(status, "0123456789") == "" {
			code, message, _ := strings.Cut(rest, " ")
			require.Equal(t, status, strconv.Itoa(r.status), says)
			if code != "" {
				e := r.error()
				require.Equal(t, code, e["code"], says)
				require.Contains(t, e["message"], message, says)
				matches(t, says, more, e)
			}
			continue
		}
		require.Equal(t, 200, r.status, says)
		matches(t, says, want, got)
		if list, ok := got.([]any); ok && len(list) == 1 {
			got = list[0]
		}
		if object, ok := got.(map[string]any); ok {
			for _, key := range known {
				if v, ok := object[key].(string); ok {
					values[key] = v
				}
			}
			if id, _ := object["id"].(string); strings.HasPrefix(id, "relay_") {
				values["relay_id"] = id
			} else if id != "" {
				values["issuer_id"] = id
			}
		}
	}
}

var inBraces = regexp.MustCompile(`\{[a-z_]+(:[a-z]+)?\}`)

// filled replaces the names in braces.
func (w *world) filled(text string, values map[string]string) string {
	return inBraces.ReplaceAllStringFunc(text, func(name string) string {
		name = name[1 : len(name)-1]
		if connector, ok := strings.CutPrefix(name, "mca:"); ok {
			return w.accountOf(connector)
		}
		v, ok := values[name]
		require.True(w.t, ok, "no answer had %s: %s", name, text)
		return v
	})
}

// happens performs a step that calls nothing, and returns false for any other one.
func (w *world) happens(t *testing.T, says string, s step, values map[string]string) bool {
	t.Helper()
	words := strings.Fields(s.call)
	switch words[0] {
	case "wait":
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err, says)
		d := time.Duration(n) * map[string]time.Duration{"seconds": time.Second, "minutes": time.Minute, "hours": time.Hour, "days": 24 * time.Hour}[words[2]]
		require.NotZero(t, d, says)
		if w.bubble {
			time.Sleep(d)
		} else {
			w.passes(d)
		}
	case "endpoint": // "endpoint answers 503"
		status, err := strconv.Atoi(words[2])
		require.NoError(t, err, says)
		w.hooks.answer(status)
	case "arrives":
		w.arrives(t, says, s, values)
	case "nothing": // "nothing arrives"
		w.nothingArrives(t, says)
	default:
		return false
	}
	return true
}

// messageSecret is the merchant_secret of accounts whose processors' messages are signed.
const messageSecret = "a webhook secret of the merchant's"

func (w *world) perform(call, body string) response {
	who, rest, _ := strings.Cut(call, " ")
	if who == "signed" || who == "stripe" {
		method, path, _ := strings.Cut(rest, " ")
		at := strconv.FormatInt(w.now().Unix(), 10)
		header := map[string]string{"Stripe-Signature": "t=" + at + ",v1=" + signedBy(messageSecret, at+"."+body)}
		if who == "signed" {
			header = map[string]string{"X-Simulator-Signature": signedBy(messageSecret, body)}
		}
		return w.hook(method, path, body, header)
	}
	key, ok := map[string]string{"admin": adminKey, "publishable": w.publishable, "open": ""}[who]
	if !ok {
		key, rest = w.secret, call
	}
	call, header, _ := strings.Cut(rest, " X-") // "POST /relay X-Profile-Id: pro_1"
	method, path, _ := strings.Cut(call, " ")
	if name, value, ok := strings.Cut(header, ": "); ok {
		return w.send(method, path, key, body, "X-"+name, value)
	}
	return w.send(method, path, key, body)
}

func answered(r response) (got any) {
	if json.Unmarshal([]byte(r.body), &got) != nil {
		return r.body
	}
	return got
}

// matches compares an answer with what a step wants of it.
func matches(t *testing.T, says, want string, got any) {
	t.Helper()
	if want == "" {
		return
	}
	var w any
	if json.Unmarshal([]byte(want), &w) != nil {
		require.Contains(t, got, want, says)
		return
	}
	matchesValue(t, says, "", w, got)
}

func matchesValue(t *testing.T, says, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok, "%s\n%s is no object: %v", says, at, got)
		for key, v := range want {
			value, there := object[key]
			if v == "-" {
				require.False(t, there, "%s\n%s.%s is there: %v", says, at, key, value)
				continue
			}
			require.True(t, there, "%s\n%s.%s is not there", says, at, key)
			matchesValue(t, says, at+"."+key, v, value)
		}
	case []any:
		list, ok := got.([]any)
		require.True(t, ok, "%s\n%s is no list: %v", says, at, got)
		require.Len(t, list, len(want), "%s\n%s", says, at)
		for i := range want {
			matchesValue(t, says, fmt.Sprintf("%s[%d]", at, i), want[i], list[i])
		}
	case string:
		if want == "*" {
			require.NotNil(t, got, "%s\n%s", says, at)
			return
		}
		if len(want) > 1 && want[0] == '/' && want[len(want)-1] == '/' {
			require.Regexp(t, want[1:len(want)-1], got, "%s\n%s", says, at)
			return
		}
		require.Equal(t, any(want), got, "%s\n%s", says, at)
	default:
		require.Equal(t, want, got, "%s\n%s", says, at)
	}
}

// pay is the body of a create with confirm and capture_method manual, of 60.00 with a test card. changes are those of with.
func pay(connector string, changes ...string) string {
	body := `{"amount":6000,"currency":"USD","confirm":true,"capture_method":"manual",` + tableCard + `}`
	return with(body, append([]string{"routing", `{"type":"single","data":"` + connector + `"}`}, changes...)...)
}
