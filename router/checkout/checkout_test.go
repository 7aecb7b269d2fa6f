package checkout

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func built(t *testing.T) *Pages {
	t.Helper()
	p, err := New()
	require.NoError(t, err, "run make assets")
	return p
}

// TestSize holds what a payer loads to 30 KB in every language, in bytes after gzip.
func TestSize(t *testing.T) {
	p := built(t)
	loader, module, longest := len(p.Loader.Zipped), len(p.Module.Zipped), ""
	frame, challenge := map[string]int{}, map[string]int{}
	for _, language := range Languages {
		frame[language], challenge[language] = len(p.Frame(language).Zipped), len(p.Challenge(language).Zipped)
		require.LessOrEqual(t, challenge[language], 2<<10, language)
		require.LessOrEqual(t, loader+frame[language]+challenge[language], 30<<10, language)
		if frame[language] > frame[longest] {
			longest = language
		}
	}
	t.Logf("loader %d, frame %d, in %s %d, challenge %d, in %s %d, module %d", loader, frame["en"], longest, frame[longest], challenge["en"], longest, challenge[longest], module)
	require.LessOrEqual(t, loader, 6<<10+256)
	require.LessOrEqual(t, frame["en"], 21<<10+256)
}

// TestScripts: the scripts evaluate no text, write no markup, keep nothing in the browser, and name no other host.
func TestScripts(t *testing.T) {
	p := built(t)
	forbidden := regexp.MustCompile(`\beval\b|new Function|innerHTML|outerHTML|insertAdjacent|document\.write|localStorage|sessionStorage|indexedDB|document\.cookie|sendBeacon|WebSocket`)
	host := regexp.MustCompile(`https?://[a-z0-9]`)
	for name, d := range map[string]*Document{"loader": p.Loader, "module": p.Module, "frame": p.Frame("en"), "challenge": p.Challenge("en")} {
		require.Empty(t, forbidden.FindAllString(string(d.Body), -1), name)
		body := bytes.ReplaceAll(d.Body, []byte("http://www.w3.org/2000/svg"), nil)
		require.Empty(t, host.FindAllString(string(body), -1), name)
	}
}

// TestTexts: every language has every text, with the same places to fill.
func TestTexts(t *testing.T) {
	english, err := textsOf("en")
	require.NoError(t, err)
	places := regexp.MustCompile(`\{\d\}`)
	for _, language := range Languages {
		texts, err := textsOf(language)
		require.NoError(t, err)
		require.ElementsMatch(t, slices.Collect(maps.Keys(english)), slices.Collect(maps.Keys(texts)), language)
		for key, text := range texts {
			require.NotEmpty(t, text, "%s %s", language, key)
			require.ElementsMatch(t, places.FindAllString(english[key], -1), places.FindAllString(text, -1), "%s %s", language, key)
		}
	}
	listed, err := os.ReadDir("locales")
	require.NoError(t, err)
	require.Len(t, listed, len(Languages))
	used := regexp.MustCompile(`say\("([a-z_0-9]+)"|\["(err_[a-z_]+)"`)
	for _, name := range []string{"src/frame/main.ts", "src/frame/form.ts", "src/frame/saved.ts", "src/frame/fields.ts", "src/frame/manage.ts", "src/frame/options.ts", "src/lib/cards.ts"} {
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range used.FindAllStringSubmatch(string(source), -1) {
			require.Contains(t, english, m[1]+m[2], name)
		}
	}
	var raw map[string]string
	b, err := os.ReadFile("locales/en.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &raw))
}

// TestTextsOfPages: a page carries every text that its sources name, and none of another page.
func TestTextsOfPages(t *testing.T) {
	p := built(t)
	english, err := textsOf("en")
	require.NoError(t, err)
	frame := []string{"frame/main.ts", "frame/form.ts", "frame/saved.ts", "frame/fields.ts", "lib/cards.ts"}
	for name, c := range map[string]struct {
		page    *Document
		sources []string
		not     string
	}{"frame": {p.Frame("en"), frame, "remove_ask"}, "manage": {p.Manage("en"), append(frame, "frame/manage.ts"), "challenge_ask"}, "challenge": {p.Challenge("en"), []string{"challenge.ts"}, "number"}} {
		var texts map[string]string
		_, data, _ := bytes.Cut(c.page.Body, []byte(`id="texts">`))
		data, _, _ = bytes.Cut(data, []byte("</script>"))
		require.NoError(t, json.Unmarshal(data, &texts), name)
		require.NotContains(t, texts, c.not, name)
		for _, source := range c.sources {
			b, err := os.ReadFile("src/" + source)
			require.NoError(t, err)
			for _, m := range regexp.MustCompile(`"([a-z_0-9]+)"|texts\.([a-z_]+)`).FindAllStringSubmatch(string(b), -1) {
				if key := m[1] + m[2]; english[key] != "" || m[2] != "" {
					require.NotEmpty(t, texts[key], "%s: %s of %s", name, key, source)
				}
			}
		}
	}
	require.Contains(t, string(p.Challenge("de").Body), "<title>"+must(textsOf("de"))["challenge_title"])
}

func must(texts map[string]string, err error) map[string]string {
	if err != nil {
		panic(err)
	}
	return texts
}

func TestLanguage(t *testing.T) {
	for wish, want := range map[string]string{"": "en", "de": "de", "de-AT": "de", "en-gb": "en-GB", "en-US,fr": "en", "xx,fr-BE;q=0.3": "fr-BE", "zh-TW": "zh-Hant", "zh-Hant-HK": "zh-Hant",
		"zh-CN": "zh", "pt_BR": "pt", "*": "en", "he-IL": "he", ",,;": "en"} {
		require.Equal(t, want, Language(wish), wish)
	}
}
