package scrub

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	mrand "math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"payswitch/engine/secret"
	"payswitch/sdk"
)

func keyOf(r *mrand.Rand, prefix, alphabet string, n int) string {
	b := []byte(prefix)
	for range n {
		b = append(b, alphabet[r.IntN(len(alphabet))])
	}
	return string(b)
}

func scrubberOf(secrets ...string) Scrubber {
	c := New(Card{}, nil, nil)
	for _, s := range secrets {
		c.AddKey(secret.New(s))
	}
	return c
}

// Two accounts' keys, echoed in any form, give the same visible text.
func TestKeysAreMasked(t *testing.T) {
	const alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := mrand.New(mrand.NewPCG(1, 1))
	kinds := map[string]func() string{
		"stripe":     func() string { return keyOf(r, "sk_live_51M2JTkLkdIwHu7ix", alnum, 82) },
		"mollie":     func() string { return "live_" + keyOf(r, "A1", alnum, 28) },
		"plain":      func() string { return keyOf(r, "", alnum, 32) },
		"hex":        func() string { return keyOf(r, "", "0123456789abcdef", 64) },
		"with signs": func() string { return keyOf(r, "", alnum+`+/=&"<`, 48) },
		"digits":     func() string { return keyOf(r, "", "0123456789", 30) },
		"short":      func() string { return keyOf(r, "", alnum, 12) },
	}
	forms := map[string]func(s string) string{
		"raw": func(s string) string { return s }, "capitals": strings.ToUpper, "small": strings.ToLower,
		"base64":              func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
		"basic":               func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte("us:"+s)) },
		"basic, another user": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s + ":")) },
		"base64url":           func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s + ":")) },
		"base64 twice": func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte("key=" + s))))
		},
		"hex": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"HEX": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"URL": url.QueryEscape, "URL path": url.PathEscape,
		"JSON":     func(s string) string { b, _ := json.Marshal(s); return string(b) },
		"unicode":  func(s string) string { return each(s, func(c byte) string { return fmt.Sprintf(`\u%04x`, c) }) },
		"entities": func(s string) string { return each(s, func(c byte) string { return fmt.Sprintf("&#%d;", c) }) },
		"in a URL": func(s string) string { return "https://a.example/x?k=" + url.QueryEscape(s) + "&b=1" },
		"under its name": func(s string) string {
			return `{"api_key":` + strings.ReplaceAll(fmt.Sprintf("%q", s), "\\x", "\\u00") + `}`
		},
	}
	for kind, make := range kinds {
		for name, form := range forms {
			t.Run(kind+" "+name, func(t *testing.T) {
				for range 20 {
					a, b := make(), make()
					one, other := scrubberOf(a), scrubberOf(b)
					for _, layout := range []string{"%s", "no such key: %s.", `{"a":"x %s"}`} {
						formA, formB := form(a), form(b)
						if len(formA) != len(formB) && kind == "with signs" {
							continue // escaped, they differ in length
						}
						seenA, known := one.Text(fmt.Sprintf(layout, formA), nil)
						seenB, _ := other.Text(fmt.Sprintf(layout, formB), nil)
						require.True(t, known, "%s", formA)
						if kind != "with signs" {
							require.Equal(t, seenA, seenB, "%s", formA)
						}
						require.NotContains(t, seenA, formA)
					}
				}
			})
		}
	}
	for _, kind := range []string{"stripe", "mollie", "plain", "hex"} {
		t.Run("cut "+kind, func(t *testing.T) {
			for range 50 {
				s := kinds[kind]()
				c := scrubberOf(s)
				for _, cut := range []string{s[:minScrubbed], s[:20], s[:len(s)-3], s[len(s)-minScrubbed:], s[len(s)/2-5:], s[3:]} {
					seen, known := c.Text("key "+cut+" is wrong", nil)
					require.True(t, known, "%s of %s", cut, s)
					require.Equal(t, "key [redacted] is wrong", seen)
				}
			}
		})
	}
	t.Run("a weak one by its place", func(t *testing.T) {
		c := scrubberOf("hunter2")
		c.names = NamesOf(&sdk.Manifest{Placements: []sdk.Placement{{Secret: "pin", In: sdk.InBody, Field: "login.kennwort"}}})
		for _, guess := range []string{"hunter2", "hunter3", "x"} {
			for format, want := range map[string]string{`{"password":"%s"}`: `{"password":"[redacted]"}`, "user=a&passwd=%s&x=1": "user=a&passwd=[redacted]&x=1",
				"<Password>%s</Password>": "<Password>[redacted]</Password>", `{"login":{"kennwort":"%s"}}`: `{"login":{"kennwort":"[redacted]"}}`,
				"Authorization: Basic %s\r\n": "Authorization: Basic [redacted]\r\n", `{\"Api-Key\":\"%s\"}`: `{\"Api-Key\":\"[redacted]\"}`} {
				seen, known := c.Text(fmt.Sprintf(format, guess), nil)
				require.Equal(t, want, seen)
				require.True(t, known)
			}
			seen, _ := c.Text("the word "+guess, nil)
			require.Equal(t, "the word "+guess, seen, "it is never compared")
		}
	})
	t.Run("what only looks like it", func(t *testing.T) {
		c := scrubberOf("sk_live_51M2JTkLkdIwHu7ixQ9aZk3", "live_A1b2C3d4E5f6G7h8")
		for _, text := range []string{`{"id":"pi_3PxTf2LkdIwHu7ix1HRaLbKz","livemode":false,"live_mode":true,"live_something_long":1}`, `{"client_secret":"pi_1_secret_2","secret":null,"password":true}`,
			`{"authorization":"A1B2C3","key":"value","token":"tok_1"}`} {
			seen, known := c.Text(text, nil)
			require.Equal(t, text, seen)
			require.False(t, known)
		}
	})
}

// A PEM key is masked in its lines, wherever its secret part begins.
func TestPEMKeysAreMasked(t *testing.T) {
	small, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for _, key := range []any{small, large} {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
		c := scrubberOf(text)
		quoted, _ := json.Marshal(text)
		for _, form := range []string{text, string(quoted), strings.ReplaceAll(text, "\n", ""), strings.ToUpper(text)} {
			seen, known := c.Text(form, nil)
			require.True(t, known)
			lines := strings.Split(text, "\n")
			for _, line := range lines[2 : len(lines)-3] {
				require.NotContains(t, seen, line[8:40])
			}
		}
	}
}

// FuzzScrub: two cards of one class, inserted into any text, give the same result; JSON stays JSON; UTF-8 stays UTF-8.
func FuzzScrub(f *testing.F) {
	for i, s := range []string{`{"a":"`, "number=", "<n>", `[1,2,`, `{"n":`, "x", " ", `\"`, "cvc=", "4111 11"} {
		f.Add(s, `"}`, byte(i), uint64(i))
	}
	names := sortedKeys(numberForms)
	f.Fuzz(func(t *testing.T, before, after string, which byte, seed uint64) {
		// The text directly before a number must not be the beginning of an escape that includes the number; nor a word that the number would end.
		// Guests cannot write there: processors put a name or a quote.
		before, after = before+"; ", " ;"+after
		r := mrand.New(mrand.NewPCG(seed, 1))
		one, other := cardOf(r, "411112", "1881", 16), cardOf(r, "411112", "1881", 16)
		form := numberForms[names[int(which)%len(names)]]
		c := classScrubber("411112", "1881", 16)
		a, _ := c.Text(before+form(one)+after, nil)
		b, _ := c.Text(before+form(other)+after, nil)
		if a != b {
			t.Fatalf("%q\n%q\nof %q and %q", a, b, before+form(one)+after, before+form(other)+after)
		}
		for _, text := range []string{before + form(one) + after, `{"a":` + fmt.Sprintf("%q", before+after) + `,"n":` + one.number + `,"m":[` + between(one.number, ",") + `],"cvc":` + "737" + `}`} {
			seen, _ := c.Text(text, nil)
			if json.Valid([]byte(text)) && !json.Valid([]byte(seen)) {
				t.Fatalf("%q was JSON, %q is not", text, seen)
			}
			if utf8.ValidString(text) && !utf8.ValidString(seen) {
				t.Fatalf("%q is not UTF-8", seen)
			}
		}
	})
}
