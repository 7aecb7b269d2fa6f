package paylink

import (
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"
)

// Texts are the texts of the pages in one language, by name. {0} stands for a value.
type Texts map[string]string

// Say returns the text of a name, with its value.
func (t Texts) Say(name string, v ...string) string {
	s := t[name]
	if len(v) > 0 {
		s = strings.ReplaceAll(s, "{0}", v[0])
	}
	return s
}

// all reads the texts once. English fills what another language lacks.
var all = sync.OnceValue(func() map[string]Texts {
	out := map[string]Texts{}
	entries, err := fs.ReadDir(files, "texts")
	if err != nil {
		panic("router/paylink: " + err.Error())
	}
	for _, e := range entries {
		raw, err := fs.ReadFile(files, "texts/"+e.Name())
		var t Texts
		if err == nil {
			err = json.Unmarshal(raw, &t)
		}
		if err != nil {
			panic("router/paylink: " + e.Name() + ": " + err.Error()) // embedded; a test reads them all
		}
		out[strings.TrimSuffix(e.Name(), path.Ext(e.Name()))] = t
	}
	for _, t := range out {
		for name, text := range out["en"] {
			if t[name] == "" {
				t[name] = text
			}
		}
	}
	return out
})

// Language returns the page's language for an Accept-Language header: that of its first language, else English.
func Language(accept string) (name string, t Texts) {
	first, _, _ := strings.Cut(accept, ",")
	first, _, _ = strings.Cut(first, ";")
	first = strings.ToLower(strings.TrimSpace(first))
	switch {
	case strings.HasPrefix(first, "zh-tw"), strings.HasPrefix(first, "zh-hk"), strings.HasPrefix(first, "zh-hant"):
		return "zh-hant", all()["zh-hant"]
	case first == "iw": // the old name of Hebrew
		first = "he"
	}
	if t := all()[first]; t != nil {
		return first, t
	}
	base, _, _ := strings.Cut(first, "-")
	if t := all()[base]; t != nil {
		return base, t
	}
	return "en", all()["en"]
}

// direction returns the direction in which a language is written.
func direction(language string) string {
	if language == "ar" || language == "he" {
		return "rtl"
	}
	return "ltr"
}
