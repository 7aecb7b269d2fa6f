package plugins

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"payswitch/plugins/scrub"
	"payswitch/sdk"
)

// A request that holds card data, or whose answer is captured, must belong to this account. Its credential stands where the manifest
// declares it, and no other field may hold another account's credential. The host can only guess which undeclared fields a processor
// reads. It guesses by names, compared as lenient servers read them, and by values that look like keys.

// stranger returns the place at which a request may name another account, "" for none.
func (f *filler) stranger(where string) {
	if f.foreign == "" {
		f.foreign = where
	}
}

// ours reports whether a value cannot be another account's credential: it is this account's own, or the merchant or the payer gave it. It does not
// decide whether a stand-in may stand there.
func (f *filler) ours(value string) bool {
	switch value {
	case "", "null", "true", "false":
		return true
	}
	if start, _ := f.secrets.next(value); start >= 0 {
		return !f.authors(value, 0)
	}
	return slices.Contains(f.secrets.plain, value) || f.secrets.isGiven(value)
}

// authors reports whether a text with stand-ins holds a derivation of the adapter's own text alone: plain, encoded, or as the key of a
// signature. A plain digest of the body does not count.
func (f *filler) authors(text string, depth int) bool {
	for depth <= maxDerivations {
		start, end := f.secrets.next(text)
		if start < 0 {
			return false
		}
		if d := f.values.derivation(text[start:end]); d != nil && !f.holdsSecret(&d.Expr, depth+1) {
			return true
		}
		text = text[end:]
	}
	return true
}

// holdsSecret reports whether an expression depends on a secret. If the expression has a key, the key must depend on one.
func (f *filler) holdsSecret(x *sdk.Expr, depth int) bool {
	args := x.Args
	switch {
	case depth > maxDerivations:
		return false
	case x.Fn == sdk.FnBody:
		return true
	case len(args) > 0 && arity[x.Fn] == 2 && x.Fn != sdk.FnBasic && x.Fn != sdk.FnRSAOAEPSHA256:
		args = args[:1]
	}
	for text := x.Text; ; {
		start, end := f.secrets.next(text)
		if start < 0 {
			break
		}
		d := f.values.derivation(text[start:end])
		if d == nil || f.holdsSecret(&d.Expr, depth+1) {
			return true
		}
		text = text[end:]
	}
	return slices.ContainsFunc(args, func(a sdk.Expr) bool { return f.holdsSecret(&a, depth+1) })
}

// field checks a field of the body. value is the text that the processor reads.
func (d *document) field(path []step, value string) {
	if !d.ruled {
		return
	}
	flat := d.kind == kindForm || d.kind == kindMultipart
	named := false // as credentials are
	if d.scratch, d.ends = d.scratch[:0], d.ends[:0]; flat {
		named = d.foldFlat(path[0].name)
	} else {
		named = d.foldPath(path, value)
	}
	declared, taken := false, ""
	for _, p := range d.places {
		exact := flat && path[0].name == p.Field || !flat && isPath(path, p.segments)
		switch {
		case exact:
			declared = true
			if !p.authentication && p.isCredential() && !d.ours(value) {
				d.stranger("the body's field " + nameOf(path) + ", which is declared for " + p.Secret + ", holds something else")
			}
		case d.takenFor(p.folded) && !(!flat && isAttributeOf(path, p.segments)):
			taken = p.Field
		}
	}
	if !declared {
		if taken != "" {
			d.stranger("the body's field " + nameOf(path) + " can be taken for " + taken)
		}
		for _, p := range d.allowed { // if authentication stands in the query or a header instead of the body
			if p.authentication && (p.In == sdk.InQuery || p.In == sdk.InHeader) && flat && string(d.scratch) == p.folded && !d.ours(value) {
				d.stranger("the body's field " + nameOf(path) + " can be taken for " + string(p.In) + " " + p.Field)
			}
		}
		if named && !d.ours(value) {
			d.stranger("the body's field " + nameOf(path) + " is named like a credential and holds none of the account's")
		}
	}
	d.constant("the body's field ", path, value)
}

// foldPath folds the path of a field of JSON or XML, and reports whether its name is that of a credential.
func (d *document) foldPath(path []step, value string) (named bool) {
	for i := range path {
		if path[i].index < 0 {
			start := len(d.scratch)
			d.scratch = scrub.AppendFolded(d.scratch, path[i].name)
			name := d.scratch[start:]
			switch {
			case i < len(path)-1 && path[i+1].index < 0:
				named = named || credentialGroups[string(name)]
			case string(name) == "key": // for a name: it belongs to a pair with a value
				named = named || isCode(value)
			default:
				named = named || isCredentialName(name)
			}
		}
		d.ends = append(d.ends, len(d.scratch))
	}
	return named
}

// foldFlat folds the name of a form's field. It reports whether the name, or a part of the name as in auth[password], is a credential's.
func (d *document) foldFlat(name string) (named bool) {
	b, part := d.scratch, 0 // part is the index in b at which the current part begins
	for {
		n := strings.IndexAny(name, "[].")
		if n < 0 {
			break
		}
		b = scrub.AppendFolded(b, name[:n])
		named = named || isCredentialName(b[part:])
		if part = len(b); name[n] == '[' { // servers may read security_key[x] in the place of security_key
			d.ends = append(d.ends, part)
		}
		name = name[n+1:]
	}
	b = scrub.AppendFolded(b, name)
	d.scratch, d.ends = b, append(d.ends, len(b))
	return named || isCredentialName(b[part:]) || isCredentialName(b)
}

// isCode reports whether a value is longer than a word, and has more than letters.
func isCode(value string) bool {
	const least = 8
	return len(value) >= least && strings.ContainsAny(value, "0123456789")
}

// takenFor reports whether a processor may take a folded field for a declared field, or for a part of it.
func (d *document) takenFor(field string) bool {
	for _, end := range d.ends {
		if end == len(field) && string(d.scratch[:end]) == field {
			return true
		}
	}
	return false
}

// isAttributeOf reports whether a path names an attribute of the element that segments name. An attribute does not take the place of the element's
// text.
func isAttributeOf(path []step, segments []string) bool {
	last := len(path) - 1
	return strings.HasPrefix(path[last].name, "@") && isPath(path[:last], segments)
}

// hasCredentialPart reports whether a part of a form's name, as in auth[password] and auth.password, is the name of a credential.
func hasCredentialPart(name string) bool {
	if !strings.ContainsAny(name, "[.") {
		return false
	}
	var b [64]byte
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '[' || r == ']' || r == '.' }) {
		if isCredentialName(scrub.AppendFolded(b[:0], part)) {
			return true
		}
	}
	return false
}

// isCredential reports whether the placement is for one credential alone.
func (p *place) isCredential() bool {
	return !scrub.CardData(p.Secret) && p.Secret != secretAny && p.Secret != secretBody
}

// parent refuses an XML document that repeats an element on the way to a declared field: of two, the processor may read either.
func (d *document) parent(path []step, seen map[string]int) error {
	d.scratch = d.scratch[:0]
	for i := range path {
		d.scratch = scrub.AppendFolded(d.scratch, path[i].name)
	}
	for _, p := range d.places {
		for i := range p.segments {
			if strings.HasPrefix(p.segments[i], "@") || i+1 != len(path) || scrub.Folded(strings.Join(p.segments[:i+1], "")) != string(d.scratch) {
				continue
			}
			if seen[string(d.scratch)]++; seen[string(d.scratch)] == 1 {
				return nil
			}
			if p.authentication {
				return violation(RuleAuthentication, "the element %s stands twice, on the way to %s, where authentication stands", nameOf(path), p.Field)
			}
			return malformed(kindXML, "holds the element %s twice, on the way to %s", nameOf(path), p.Field)
		}
	}
	return nil
}

// outside looks at the headers, the query and the path.
func (f *filler) outside(s *sdk.Send, u *url.URL) error {
	for i := range s.Headers {
		name, value := s.Headers[i].Name, s.Headers[i].Value
		key := http.CanonicalHeaderKey(name)
		if key == "Accept" || key == "Content-Type" || key == "User-Agent" || f.declares(sdk.InHeader, name) {
			continue
		}
		n := scrub.Folded(name)
		if (n == "contenttype" || n == "contentencoding") && key != "Content-Encoding" {
			return violation(RuleAuthentication, "%s, and the header %s, which can be taken for another", f.why(), name)
		}
		if (looksLikeAuthentication(n) || f.likeDeclared(n)) && !f.ours(value) {
			return violation(RuleAuthentication, "%s, and the header %s, which authentication does not declare", f.why(), name)
		}
		f.constant("the header ", []step{member(key)}, value)
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		f.constant("the path", nil, segment)
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		rawName, rawValue, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(rawName)
		value, err2 := url.QueryUnescape(rawValue)
		if err != nil || err2 != nil || strings.IndexByte(pair, ';') >= 0 { // some servers read ; as &
			return violation(RuleAuthentication, "%s, and a query that cannot be read", f.why())
		}
		if f.declares(sdk.InQuery, name) || name == "" {
			continue
		}
		if n := scrub.Folded(name); (looksLikeAuthentication(n) || hasCredentialPart(name) || f.likeDeclared(n)) && !f.ours(value) {
			return violation(RuleAuthentication, "%s, and a query field that looks like authentication", f.why())
		}
		f.constant("a query field", nil, value)
	}
	return nil
}

// likeDeclared reports whether a folded name is the name of a declared field of authentication, wherever that field stands.
func (f *filler) likeDeclared(name string) bool {
	return slices.ContainsFunc(f.allowed, func(p *place) bool { return p.authentication && p.folded == name })
}

// why returns the reason for which a request falls under the rule of authentication.
func (f *filler) why() string {
	if f.card {
		return "the request holds card data"
	}
	return "the request's answer is captured"
}

// candidate is a value that looks like a key.
type candidate struct{ where, value string }

// maxCandidates bounds the candidates of one request, because the host looks for each of them in the operation's input.
const maxCandidates = 128

// constant notes a value that looks like a key of the adapter's author. foreignKey decides about it, if the rule of authentication applies.
func (f *filler) constant(where string, path []step, value string) {
	if len(value) < minKey || !looksLikeKey(value) {
		return
	}
	if len(f.candidates) >= maxCandidates {
		f.stranger("more of its values than can be looked at look like keys")
		return
	}
	if start, _ := f.secrets.next(value); start < 0 {
		f.candidates = append(f.candidates, candidate{where + nameOf(path), value})
	}
}

// Lengths of texts that count as keys.
const (
	minKey = 20
	minRun = 24
)

// keyPrefixes are the beginnings of keys, headerPrefixes the beginnings of header values that hold a key.
var (
	keyPrefixes    = []string{"sk_", "rk_", "whsec_", "akia"}
	headerPrefixes = []string{"bearer ", "basic ", "-----begin "}
)

// looksLikeKey reports whether a text begins like a key, or has a long run that looks random.
func looksLikeKey(s string) bool {
	return hasKeyPrefix(s) || randomRun(s) != ""
}

func hasKeyPrefix(s string) bool {
	if beginsWith(s, headerPrefixes) {
		return true
	}
	for i := 0; i+minKey <= len(s); i++ {
		if (i == 0 || keySeparators[s[i-1]]) && strings.IndexByte("srwa", s[i]|32) >= 0 && beginsWith(s[i:], keyPrefixes) {
			return true
		}
	}
	return false
}

// keySeparators are the characters that may stand before a key.
var keySeparators = [256]bool{' ': true, ':': true, '=': true, '"': true, '\'': true, '&': true, ',': true, ';': true}

// beginsWith reports whether a text begins with one of the prefixes, in upper or lower case.
func beginsWith(s string, with []string) bool {
	return slices.ContainsFunc(with, func(p string) bool { return len(s) >= len(p) && strings.EqualFold(s[:len(p)], p) })
}

// randomRun returns the first run of at least minRun letters and digits in a text that looks random; "" for none. The signs of base64 belong to a
// run, its padding does not. A UUID is no such run: requests are full of them.
func randomRun(s string) string {
	start := 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && keyBytes[s[i]] {
			continue
		}
		if run := s[start:i]; len(run) >= minRun && isRandom(run) && !isUUID(run) {
			return run
		}
		start = i + 1
	}
	return ""
}

// keyBytes are the bytes that keys consist of.
var keyBytes = func() (all [256]bool) {
	for c := range 256 {
		all[c] = byte(c)-'0' <= 9 || byte(c)|32 >= 'a' && byte(c)|32 <= 'z' || strings.IndexByte("+/_-", byte(c)) >= 0
	}
	return all
}()

// isRandom reports whether a run has letters and digits, and many different ones.
func isRandom(run string) bool {
	var seen [256]bool
	digits, letters, different := 0, 0, 0
	for i := range len(run) {
		c := run[i]
		switch {
		case c-'0' <= 9:
			digits++
		case c|32 >= 'a' && c|32 <= 'z':
			letters++
		}
		if !seen[c] {
			seen[c] = true
			different++
		}
	}
	return digits >= 2 && letters >= 3 && different >= 10
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// foreignKey returns the first of the values that look like keys and come from nowhere but the adapter, nil for none.
func (f *filler) foreignKey() *candidate {
	for i := range f.candidates {
		if c := &f.candidates[i]; f.isForeign(c.value, true) {
			return c
		}
	}
	return nil
}

func (f *filler) isForeign(value string, outer bool) bool {
	in := f.secrets.input()
	if in == nil || slices.Contains(f.secrets.plain, value) || in.holds(value) {
		return false
	}
	if hasKeyPrefix(value) {
		return true
	}
	for run := randomRun(value); run != ""; run = randomRun(value) {
		if outer {
			if text := textInBase64(run); text != "" { // the adapter made this document: the values in it are checked instead
				if f.isForeign(text, false) {
					return true
				}
				_, value, _ = strings.Cut(value, run)
				continue
			}
		}
		if !in.holds(run) && !in.made(run) && !in.holdsParts(run) {
			return true
		}
		_, value, _ = strings.Cut(value, run)
	}
	return false
}

// textInBase64 returns the printable text that a run is base64 of, "" for none.
func textInBase64(run string) string {
	for _, e := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		b, err := e.DecodeString(run)
		if err == nil && utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }) {
			return string(b)
		}
	}
	return ""
}

// input holds the texts that an operation was given: its call, and the processors' answers so far.
type input struct {
	step  *sdk.Step
	texts []string
}

// input collects the texts of the operation's input; nil without a step.
func (s *standIns) input() *input {
	if s.step == nil {
		return nil
	}
	in := &input{step: s.step, texts: []string{s.step.OperationID, s.step.Seed, s.step.Account.ID, s.step.Account.BaseURL}}
	collect := func(text string) { in.texts = append(in.texts, text) }
	everyText(reflect.ValueOf(&s.step.Request), collect)
	for i := range s.step.Exchanges {
		x := &s.step.Exchanges[i]
		in.texts = append(in.texts, string(x.Body))
		for j := range x.Headers {
			in.texts = append(in.texts, x.Headers[j].Value)
		}
	}
	return in
}

func (in *input) holds(text string) bool {
	return slices.ContainsFunc(in.texts, func(t string) bool { return strings.Contains(t, text) })
}

// holdsParts reports whether a run consists of parts of the operation's input: an id without its hyphens, or two ids in a row.
func (in *input) holdsParts(run string) bool {
	const least = 8
	for _, t := range in.texts {
		if bare := strings.ReplaceAll(t, "-", ""); bare != t && strings.Contains(bare, run) {
			return true
		}
	}
	parts := strings.FieldsFunc(run, func(r rune) bool { return r == '/' || r == '_' || r == '-' || r == '+' })
	return len(parts) > 1 && !slices.ContainsFunc(parts, func(p string) bool {
		return len(p) >= least && strings.ContainsAny(p, "0123456789") && !in.holds(p)
	})
}

// maxMade is the number of ids of one operation that made recognizes.
const maxMade = 16

// made reports whether a run ends in an id that the adapter made from the operation's seed, as sdk/ABI.md, "Determinism", defines.
func (in *input) made(run string) bool {
	const alphabet, length = "abcdefghijklmnopqrstuvwxyz234567", 26
	if len(run) < length {
		return false
	}
	id := run[len(run)-length:]
	for n := range uint32(maxMade) {
		sum := sha256.Sum256(binary.LittleEndian.AppendUint32([]byte(in.step.Seed+"id"), n))
		same := true
		for i := 0; i < length && same; i++ {
			same = id[i] == alphabet[sum[i]&31]
		}
		if same {
			return true
		}
	}
	return false
}

// isGiven reports whether a value is a whole text that the merchant or the payer gave for this operation. Texts that the adapter stored earlier, and
// processors' answers, do not count: they could be the author's.
func (s *standIns) isGiven(value string) bool {
	if s.step == nil {
		return false
	}
	r := &s.step.Request
	said := sdk.Request{PaymentID: r.PaymentID, AttemptID: r.AttemptID, Reference: r.Reference, Reason: r.Reason, Customer: r.Customer, Billing: r.Billing,
		Shipping: r.Shipping, Browser: r.Browser, Description: r.Description, DescriptorName: r.DescriptorName, DescriptorSuffix: r.DescriptorSuffix,
		OrderReference: r.OrderReference, Lines: r.Lines, Metadata: r.Metadata, ReturnURL: r.ReturnURL, WebhookURL: r.WebhookURL}
	found := false
	everyText(reflect.ValueOf(&said), func(text string) { found = found || text == value })
	return found || r.Instrument != nil && r.Instrument.Card != nil && r.Instrument.Card.Holder == value
}

// everyText calls its function with every text in v, at any depth.
func everyText(v reflect.Value, show func(string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			everyText(v.Elem(), show)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			everyText(v.Field(i), show)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			show(string(v.Bytes()))
			return
		}
		for i := range v.Len() {
			everyText(v.Index(i), show)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			everyText(it.Key(), show)
			everyText(it.Value(), show)
		}
	case reflect.String:
		if v.Len() > 0 {
			show(v.String())
		}
	}
}
