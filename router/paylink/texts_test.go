package paylink

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"payswitch/engine/paylink"
	"payswitch/sdk"
)

// TestTexts holds that every language has every text of its own, with the values of the English one.
func TestTexts(t *testing.T) {
	require.Equal(t, []string{"ar", "ca", "de", "en", "es", "fr", "he", "it", "ja", "nl", "pl", "pt", "ru", "sv", "zh", "zh-hant"}, sorted(all()))
	english := all()["en"]
	for name, texts := range all() {
		require.Len(t, texts, len(english), name)
		for key, text := range texts {
			require.NotEmpty(t, text, "%s %s", name, key)
			require.Equal(t, strings.Count(english[key], "{0}"), strings.Count(text, "{0}"), "%s %s", name, key)
			if name != "en" && len(english[key]) > 12 {
				require.NotEqual(t, english[key], text, "%s %s is not translated", name, key)
			}
		}
	}
}

func TestLanguage(t *testing.T) {
	for accept, want := range map[string]string{"": "en", "de-AT,de;q=0.9": "de", "en-GB": "en", "fr-BE;q=1": "fr", "zh-Hant-HK": "zh-hant", "zh-TW": "zh-hant", "zh-CN": "zh",
		"iw": "he", "xx, de": "en", "*": "en", "PT-br": "pt", "\x00": "en"} {
		got, texts := Language(accept)
		require.Equal(t, want, got, accept)
		require.NotEmpty(t, texts)
	}
}

func TestFigure(t *testing.T) {
	for want, m := range map[string]sdk.Money{"0": {Minor: 0, Currency: "JPY"}, "999": {Minor: 999, Currency: "JPY"}, "1\u202f234\u202f567": {Minor: 1234567, Currency: "JPY"},
		"65.40": {Minor: 6540, Currency: "USD"}, "123\u202f456.00": {Minor: 12345600, Currency: "USD"}, "1\u202f234.567": {Minor: 1234567, Currency: "KWD"}} {
		require.Equal(t, want, Figure(m))
	}
}

func TestColours(t *testing.T) {
	for in, want := range map[string]string{"#fff": "#ffffff", "#A1B2C3": "#a1b2c3", "white": "#ffffff", "red;}": "", "#12": "", "url(x)": "", "#12345g": ""} {
		require.Equal(t, want, colour(in), in)
	}
	require.Equal(t, "#ffffff", ink("#212e46"))
	require.Equal(t, "#000000", ink("#ffd700"))
}

// FuzzRules holds that no rule of a merchant leaves its block, loads anything or closes the style.
func FuzzRules(f *testing.F) {
	for _, s := range [][3]string{{"#details", "color", "red"}, {"a", "color", "red}b{color:red"}, {"a{}", "color", "red"}, {"a", "backgroundImage", "url(//x)"},
		{"a", "color", `\75rl(x)`}, {"a,b>c", "borderRadius", "calc(1px + 2px)"}, {"a/**/", "color", "/*"}, {"a", "background", "image-set('x' 1x)"}, {"</style>", "color", "x"}} {
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, selector, property, value string) {
		css, err := style(&paylink.Config{PageRules: map[string]paylink.Styles{selector: {property: value}}}, "")
		if err != nil {
			require.Empty(t, strings.TrimSpace(selector))
			return
		}
		require.LessOrEqual(t, strings.Count(string(css), "{"), 1)
		require.Equal(t, strings.Count(string(css), "{"), strings.Count(string(css), "}"))
		for _, bad := range []string{"url", "@", "\\", "<", "expression", "/*", "\"", "'", "image", "position:"} {
			if _, body, found := strings.Cut(strings.ToLower(string(css)), "{"); found {
				require.NotContains(t, body, bad+"(")
				if len(bad) < 3 {
					require.NotContains(t, body, bad)
				}
			}
		}
	})
}

// FuzzBackground holds that the address of a picture stays within its quotes.
func FuzzBackground(f *testing.F) {
	for _, s := range []string{"https://a.example/b.png", `https://a.example/"),url(https://b`, `https://a.example/\"`, "https://a.example/</style>", "javascript:x", "https://a;b/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, address string) {
		src, origin := picture(address, false)
		if src == "" {
			return
		}
		require.NotContains(t, origin, ";")
		require.NotContains(t, origin, " ")
		css, err := style(&paylink.Config{Background: &paylink.Background{URL: address}}, src)
		require.NoError(t, err)
		_, rest, _ := strings.Cut(string(css), `url("`)
		inside, after, found := strings.Cut(rest, `")`)
		require.True(t, found)
		require.False(t, strings.ContainsAny(inside, "\"'()\\<>\n\r\f"), inside)
		require.True(t, strings.HasPrefix(after, ";background-repeat"))
	})
}

func TestQR(t *testing.T) {
	code, err := QR("https://switch.example/payment_link/m1/pay_1?locale=en")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(code, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 41 41"`), code[:80])
	_, err = QR(strings.Repeat("x", 5000))
	require.Error(t, err)
}
