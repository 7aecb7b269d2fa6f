package plugins

import (
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

// Programs that validate or dump a request write a CVC in forms of their own. No form shows a difference between two CVCs.
func TestCodesInReportsAndDumps(t *testing.T) {
	Sequential(t)
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
	} {
		t.Run(name, func(t *testing.T) {
			c := classScrubber("", "", 0)
			for _, form := range []func(string) string{
				func(s string) string { return s },
				func(s string) string { b, _ := json.Marshal(s); return `{"error":` + string(b) + `}` },
			} {
				seen := map[string]bool{}
				for n := 100; n < 1000; n++ {
					text, known := c.text(form(fmt.Sprintf(layout, fmt.Sprint(n))), nil)
					require.True(t, known, text)
					seen[text] = true
				}
				require.Len(t, seen, 1, "%v", seen)
			}
		})
	}
	c := classScrubber("", "", 0)
	one, _ := c.text(`{"cvc":37}`, nil)
	other, _ := c.text(`{"cvc":737}`, nil)
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
	} {
		seen, known := c.text(text, nil)
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
	} {
		t.Run(name, func(t *testing.T) {
			c := classScrubber("411111", "1881", 16)
			for range 200 {
				one, other := cardOf(r, "411111", "1881", 16), cardOf(r, "411111", "1881", 16)
				a, _ := c.text(form(one), nil)
				b, _ := c.text(form(other), nil)
				require.Equal(t, a, b)
				if strings.HasPrefix(form(one), "{") {
					require.True(t, json.Valid([]byte(a)), a)
				}
			}
		})
	}
}
