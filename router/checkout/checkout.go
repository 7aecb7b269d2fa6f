package checkout

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// ErrNotBuilt is the error of New in a binary without the checkout's scripts.
var ErrNotBuilt = errors.New("the checkout's scripts are not built: run make assets, and build again")

// Document is one file as browsers get it. It does not change.
type Document struct {
	Body   []byte
	Zipped []byte // Body, compressed with gzip
	Type   string // Content-Type
	Tag    string // ETag
	// Policy is the Content-Security-Policy of a page, without frame-src and frame-ancestors; "" for a script.
	Policy string
}

// Pages are the documents of a checkout. They are safe for concurrent use.
type Pages struct {
	Loader    *Document // window.Hyper
	Module    *Document // hyper.mjs: loadHyper for bundlers
	Hash      string    // of Loader, for its address that never changes
	Integrity string    // of Loader, for the attribute integrity of a script element
	frames    map[string]func() *Document
	manage    map[string]func() *Document
	challenge map[string]func() *Document
}

// fieldsPolicy is what the frames with the fields may do besides: call the switch, and load the shop's fonts.
const fieldsPolicy = "connect-src 'self'; font-src https:"

// New reads what make assets has built.
func New() (*Pages, error) {
	read := func(name string) ([]byte, error) {
		b, err := fs.ReadFile(files, "assets/"+name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNotBuilt
		}
		return b, err
	}
	made := map[string][]byte{}
	for _, name := range []string{"loader.js", "hyper.mjs", "frame.js", "manage.js", "frame.css", "manage.css", "challenge.js", "challenge.css"} {
		b, err := read(name)
		if err != nil {
			return nil, err
		}
		made[name] = b
	}
	const script = "text/javascript; charset=utf-8"
	sum, long := sha256.Sum256(made["loader.js"]), sha512.Sum384(made["loader.js"])
	p := &Pages{Loader: document(made["loader.js"], script, ""), Module: document(made["hyper.mjs"], script, ""), Hash: hex.EncodeToString(sum[:8]),
		Integrity: "sha384-" + base64.StdEncoding.EncodeToString(long[:]), frames: map[string]func() *Document{},
		manage: map[string]func() *Document{}, challenge: map[string]func() *Document{}}
	for _, language := range Languages {
		texts, err := textsOf(language)
		if err != nil {
			return nil, err
		}
		// New builds the page of a language when a payer first asks for it. All languages at the start would cost a tenth of a second.
		p.frames[language] = sync.OnceValue(func() *Document {
			return page(language, texts["title"], used(texts, made["frame.js"]), made["frame.js"], made["frame.css"], fieldsPolicy)
		})
		p.manage[language] = sync.OnceValue(func() *Document {
			return page(language, texts["title"], used(texts, made["manage.js"]), made["manage.js"], slices.Concat(made["frame.css"], made["manage.css"]), fieldsPolicy)
		})
		p.challenge[language] = sync.OnceValue(func() *Document {
			return page(language, texts["challenge_title"], challenged(texts), made["challenge.js"], made["challenge.css"], "form-action http: https:")
		})
	}
	return p, nil
}

// Script is one line of the inventory of scripts that a shop keeps for PCI DSS (6.4.3).
type Script struct {
	Name, Address, RunsIn, Purpose, Integrity string
	Bytes                                     int // on the wire, with gzip
}

// Inventory lists every script of the checkout, for a switch at the given address. The shop's page runs the first one alone.
func (p *Pages) Inventory(at string) []Script {
	inFrame := func(d *Document) string {
		_, after, _ := strings.Cut(d.Policy, "script-src '")
		hash, _, _ := strings.Cut(after, "'")
		return hash
	}
	frame, manage, challenge := p.Frame("en"), p.Manage("en"), p.Challenge("en")
	return []Script{
		{"loader", at + "/checkout/" + p.Hash + "/loader.js", "the shop's page", "defines Hyper and makes the frames; it sees no card", p.Integrity, len(p.Loader.Zipped)},
		{"frame", at + "/checkout/v1/frame", "a frame of the switch", "shows the card fields and sends the payment", inFrame(frame), len(frame.Zipped)},
		{"management", at + "/checkout/v1/frame?type=paymentMethodsManagement", "a frame of the switch", "lists and removes the customer's saved cards", inFrame(manage), len(manage.Zipped)},
		{"challenge", at + "/checkout/v1/challenge", "a frame of the switch", "frames the page of the card's bank", inFrame(challenge), len(challenge.Zipped)},
	}
}

// Frame returns the page with the fields, in the best language for the wish: a tag such as de-AT, or an Accept-Language header.
func (p *Pages) Frame(wish string) *Document { return p.frames[Language(wish)]() }

// Manage returns the page with which customers manage their saved cards.
func (p *Pages) Manage(wish string) *Document { return p.manage[Language(wish)]() }

// Challenge returns the page that frames the pages of the card's bank.
func (p *Pages) Challenge(wish string) *Document { return p.challenge[Language(wish)]() }

// page joins script, style and texts into one document. The policy allows exactly these. The texts are a block of data, which browsers do not run.
func page(language, title string, texts map[string]string, script, style []byte, policy string) *Document {
	data, err := json.Marshal(texts)
	if err != nil {
		panic("checkout: " + err.Error()) // texts are strings, which encoding/json always accepts
	}
	direction := "ltr"
	if rightToLeft[language] {
		direction = "rtl"
	}
	script, style = bytes.TrimSpace(script), bytes.TrimSpace(style)
	var b bytes.Buffer
	fmt.Fprintf(&b, `<!doctype html><html lang="%s" dir="%s"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`+
		`<title>%s</title><style>%s</style><main id="root"></main><script type="application/json" id="texts">%s</script><script>%s</script>`,
		language, direction, title, style, data, script)
	return document(b.Bytes(), "text/html; charset=utf-8", "default-src 'none'; script-src '"+hashOf(script)+"'; style-src '"+hashOf(style)+
		"'; img-src data:; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'; "+policy)
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func document(body []byte, kind, policy string) *Document {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(body)                                  // a buffer takes everything
	_ = w.Close()
	sum := sha256.Sum256(body)
	return &Document{Body: body, Zipped: b.Bytes(), Type: kind, Tag: `"` + hex.EncodeToString(sum[:12]) + `"`, Policy: policy}
}

// Languages are the languages of the texts.
var Languages = []string{"en", "en-GB", "he", "fr", "fr-BE", "ar", "ja", "de", "es", "ca", "zh", "zh-Hant", "pt", "it", "pl", "nl", "sv", "ru"}

var rightToLeft = map[string]bool{"ar": true, "he": true}

// textsOf returns all texts of a language. A variant of a language, such as en-GB, may hold only what differs.
func textsOf(language string) (map[string]string, error) {
	texts := map[string]string{}
	base, _, _ := strings.Cut(language, "-")
	for _, name := range slices.Compact([]string{base, language}) {
		b, err := fs.ReadFile(files, path.Join("locales", name+".json"))
		if err != nil {
			return nil, fmt.Errorf("checkout: %w", err)
		}
		if err := json.Unmarshal(b, &texts); err != nil {
			return nil, fmt.Errorf("checkout: locales/%s.json: %w", name, err)
		}
	}
	return texts, nil
}

// challenged returns the texts of the page around the bank's page. Their keys begin with challenge_ in the locales.
func challenged(texts map[string]string) map[string]string {
	out := map[string]string{}
	for key, text := range texts {
		if name, ok := strings.CutPrefix(key, "challenge_"); ok {
			out[name] = text
		}
	}
	return out
}

// used returns the texts that a script names, so that no page carries the texts of another page.
func used(texts map[string]string, script []byte) map[string]string {
	out := map[string]string{}
	for key, text := range texts {
		if bytes.Contains(script, []byte(`"`+key+`"`)) {
			out[key] = text
		}
	}
	return out
}

// Language returns the best of Languages for a wish: an exact match first, then the base language, then English. The wish is a list, as in
// Accept-Language; its weights are ignored, because browsers list the languages in the order of the weights.
func Language(wish string) string {
	for item := range strings.SplitSeq(wish, ",") {
		tag, _, _ := strings.Cut(item, ";")
		tag = strings.ToLower(strings.TrimSpace(strings.ReplaceAll(tag, "_", "-")))
		for _, region := range []string{"tw", "hk", "mo"} {
			if tag == "zh-"+region {
				tag = "zh-hant"
			}
		}
		for tag != "" {
			if i := slices.IndexFunc(Languages, func(l string) bool { return strings.ToLower(l) == tag }); i >= 0 {
				return Languages[i]
			}
			tag = tag[:max(strings.LastIndexByte(tag, '-'), 0)]
		}
	}
	return "en"
}
