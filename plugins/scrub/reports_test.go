package scrub

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// codes writes each byte of a text as a number.
func codes(text, by string) string {
	all := make([]string, len(text))
	for i := range len(text) {
		all[i] = fmt.Sprint(text[i])
	}
	return strings.Join(all, by)
}

// members writes each byte of a text as the member of an object, with the byte's place as its name.
func members(text string, value func(b byte) string) string {
	all := make([]string, len(text))
	for i := range len(text) {
		all[i] = fmt.Sprintf("%q:%s", fmt.Sprint(i), value(text[i]))
	}
	return strings.Join(all, ",")
}

// Programs that validate or dump a request write a CVC in forms of their own. No form shows a difference between two CVCs.
func TestCodesInReportsAndDumps(t *testing.T) {
	for name, layout := range map[string]string{
		"a text of Python 2":       `{u'cvc': u'%s'}`,
		"bytes of Python":          `{'cvc': b'%s'}`,
		"a decimal of Python":      `{'cvc': Decimal('%s')}`,
		"an option of Rust":        `Card { cvc: Some("%s") }`,
		"an optional of Java":      `Card[cvc=Optional[%s]]`,
		"var_dump":                 "[\"cvc\"]=>\n  string(3) \"%s\"",
		"var_dump, a number":       "[\"cvc\"]=>\n  int(%s)",
		"a tag of YAML":            "cvc: !!str %s",
		"a block of YAML":          "cvc: |\n  %s",
		"a binding error":          `Field error in object 'card' on field 'cvc': rejected value [%s]; codes [x]`,
		"location and input":       `{"loc":["body","card","cvc"],"msg":"too short","input":"%s"}`,
		"value and parameter":      `{"value":"%s","msg":"Invalid value","param":"cvc"}`,
		"value and path":           `{"type":"field","value":"%s","msg":"Invalid value","path":"cvc"}`,
		"an invalid value":         `{"propertyPath":"cvc","invalidValue":"%s"}`,
		"a path with dots":         `{"path":"card.cvc","value":"%s"}`,
		"a path with slashes":      `{"field":"/card/cvc","value":"%s"}`,
		"a path in brackets":       `{"param":"card[cvc]","value":"%s"}`,
		"an object in JSON":        `{"cvc":{"errors":["x"],"value":"%s"}}`,
		"an element in an element": `<cvc><value>%s</value></cvc>`,
		"a form of HTML":           `<input type="text" value="%s" name="cvc">`,
		"space before":             `{"cvc":" %s"}`,
		"space behind":             `{"cvc":"%s "}`,
		"a number with a fraction": `{"cvc":%s.0}`,
		"serialized by PHP":        `a:2:{s:1:"x";s:1:"y";s:3:"cvc";s:3:"%s";}`,
		"a serialized number":      `a:1:{s:3:"cvc";i:%s;}`,
		"a map of Clojure":         `{:cvc "%s", :exp 12}`,
		"a tuple of Erlang":        `{cvc,<<"%s">>}`,
		"a pair of Erlang":         `[{<<"cvc">>,"%s"}]`,
		"a list of one":            `{"cvc":["%s"]}`,
		"a message with the value": `{"cvc":["\"%s\" is not a valid choice."]}`,
		"a message that begins so": `{"errors":{"card.cvc":["%s is not valid"]}}`,
		"a sentence":               `The card security code %s is wrong`,
		"a sentence with quotes":   `cvc was '%s'`,
		"a sentence with is":       `Error: the CVV2 is %s.`,
		"two words":                `CVV %s`,
	} {
		t.Run(name, func(t *testing.T) {
			c := classScrubber("", "", 0)
			for _, form := range []func(string) string{
				func(s string) string { return s },
				func(s string) string { b, _ := json.Marshal(s); return `{"error":` + string(b) + `}` },
			} {
				seen := map[string]bool{}
				for n := 100; n < 1000; n++ {
					text, known := c.Text(form(fmt.Sprintf(layout, fmt.Sprint(n))), nil)
					require.True(t, known, text)
					seen[text] = true
				}
				require.Len(t, seen, 1, "%v", seen)
			}
		})
	}
	c := classScrubber("", "", 0)
	one, _ := c.Text(`{"cvc":37}`, nil)
	other, _ := c.Text(`{"cvc":737}`, nil)
	require.Equal(t, other, one, "037 as a number")
}

// Texts that only look like one stay: amounts, codes of errors, results of checks.
func TestWhatIsNoCodeInReports(t *testing.T) {
	c := classScrubber("424242", "4242", 16)
	for _, text := range []string{
		`{"amount":{"currency":"USD","value":2499},"card":{"cvc":"matched"}}`,
		`{"value":2499,"cvc":"matched","currency":"EUR"}`,
		`{"value":2499,"message":"Invalid cvc"}`,
		`{"code":"1234","field":"cvc","message":"is missing"}`,
		`{"cvc":null,"amount":737}`,
		`{"cvc":true,"value":"737"}`,
		"value=2499&cvc=M&code=1234",
		"CVV: M\nCode 1234",
		"CVC: failed, error 1234",
		`{"data":[12,34,56,78,90,11,22,33,44,55,66,77,88,99]}`,
		`{"amount":"4,242.42","other":"4242 4300"}`,
		`{"cvc":"","value":2499}`,
		`{"missing":["cvc"],"status":422}`,
		"CVC error code 1234",
		"the cvc, expiry and amount 2499",
		"cvc\n2499",
		"cvc 24.99",
		"cvc 2026-11-29",
		"00000000  61 62 63 64\n00000010  65 66 67 68",
		`{"0":"a","1":"b","2":"c","3":"d","4":"e","5":"f","6":"g","7":"h","8":"i","9":"j","10":"k"}`,
		`{"0":12,"1":34,"2":56,"3":78,"4":90,"5":11,"6":22,"7":33,"8":44,"9":55,"10":66}`,
		"0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x20, 0x21",
	} {
		seen, known := c.Text(text, nil)
		require.Equal(t, text, seen)
		require.False(t, known)
	}
}

// A number in groups of four with eight visible digits shows no difference between two cards of a class; nor does a request in the codes of its bytes.
func TestNumbersInDumps(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	request := func(c someCard) string { return `{"number":"` + c.number + `","cvc":"` + c.cvc + `"}` }
	for name, form := range map[string]func(c someCard) string{
		"eight and four digits": func(c someCard) string { return c.number[:4] + " " + c.number[4:8] + " **** " + c.number[12:] },
		"bytes of Go":           func(c someCard) string { return "bad [" + codes(request(c), " ") + "]" },
		"bytes of Python":       func(c someCard) string { return "bad [" + codes(request(c), ", ") + "]" },
		"bytes of Node.js":      func(c someCard) string { return `{"type":"Buffer","data":[` + codes(request(c), ",") + `]}` },
		"bytes of the number":   func(c someCard) string { return `{"error":"[` + codes(c.number, ",") + `]"}` },
		"bytes after a status":  func(c someCard) string { return "400 [" + codes(request(c), " ") + "] 3, 1000" },
		"bytes before a zero":   func(c someCard) string { return `{"buffer":[` + codes(c.number, ",") + `,0,0,0]}` },
		"bytes as texts":        func(c someCard) string { return `{"buffer":["` + codes(c.number, `","`) + `","0"]}` },
		"hexadecimal bytes of Go": func(c someCard) string {
			return strings.TrimPrefix(fmt.Sprintf("bad %#v", []byte(request(c))), "[]byte")
		},
		"hexadecimal bytes apart":  func(c someCard) string { return "bad " + fmt.Sprintf("% X", request(c)) },
		"hexadecimal bytes, lower": func(c someCard) string { return "bad " + fmt.Sprintf("% x", request(c)) + "." },
		"lines of hexdump":         func(c someCard) string { return "bad\n" + hex.Dump([]byte(request(c))) },
		"lines of xxd": func(c someCard) string {
			var b strings.Builder
			for i, s := 0, request(c); i < len(s); i += 16 {
				row := s[i:min(i+16, len(s))]
				fmt.Fprintf(&b, "%08x: ", i)
				for j := 0; j < len(row); j += 2 {
					fmt.Fprintf(&b, "%x ", row[j:min(j+2, len(row))])
				}
				b.WriteString(" " + row + "\n")
			}
			return b.String()
		},
		"lines of hexdump in JSON": func(c someCard) string {
			b, _ := json.Marshal(hex.Dump([]byte("POST / HTTP/1.1\n\n" + request(c))))
			return `{"message":` + string(b) + `}`
		},
		"an array of JavaScript": func(c someCard) string {
			return `{"body":{` + members(request(c), func(b byte) string { return fmt.Sprint(b) }) + `},"x":1}`
		},
		"a text spread by JavaScript": func(c someCard) string {
			return `{` + members(c.number, func(b byte) string { return `"` + string(b) + `"` }) + `,"x":1}`
		},
		"an array of JavaScript in a text": func(c someCard) string {
			b, _ := json.Marshal(`{` + members(request(c), func(b byte) string { return fmt.Sprint(b) }) + `}`)
			return `{"message":` + string(b) + `}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := classScrubber("411111", "1881", 16)
			for range 200 {
				one, other := cardOf(r, "411111", "1881", 16), cardOf(r, "411111", "1881", 16)
				a, _ := c.Text(form(one), nil)
				b, _ := c.Text(form(other), nil)
				require.Equal(t, a, b)
				if strings.HasPrefix(form(one), "{") {
					require.True(t, json.Valid([]byte(a)), a)
				}
			}
		})
	}
}
