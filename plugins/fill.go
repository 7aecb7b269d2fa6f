package plugins

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"payswitch/sdk"
)

// filler puts values in the place of stand-ins in one request. It never reads a value again that it has put in.
type filler struct {
	secrets *standIns
	allowed []*place // the placements about this request
	values  evaluation

	edits []edit // of the text that is being read
	marks []int  // where stand-ins begin in that text

	ruled    bool   // the request may turn out to fall under the rule of authentication
	card     bool   // card data has been put in
	proven   bool   // this account's own credential stands where authentication does
	unproven string // a place of authentication that holds something else than this account's credential
	foreign  string // the place where the request may name another account
	seen     map[*place]int
	put      []put

	candidates []candidate
	scratch    []byte // the names of a path, folded (see appendFolded)
	ends       []int  // where the parts of a name end
}

// maxMarks bounds the stand-ins of one text, because the host looks for each of them in every value.
const maxMarks = 256

// edit is a part of a text, and the text that replaces it.
type edit struct {
	start, end int
	text       string
}

// put is a value that a request holds, for scrubbing the answer.
type put struct {
	value  string
	field  string // the last name of its path in the body, "" elsewhere
	secret string // card_number, cvc …, "" for a derivation
	card   bool
}

// filled holds the results of a filler beyond the parts of the request.
type filled struct {
	proven bool
	places []*place
	put    []put
}

// fill makes the request that leaves from the request that the adapter asked for. Only here do stand-ins turn into values, and only as whole values
// of declared fields.
func fill(s *sdk.Send, secrets *standIns, places []place, op sdk.Operation, to *reach, idempotencyKey string) (*outgoing, error) {
	switch s.Method {
	case http.MethodGet, http.MethodHead:
		if len(s.Body) > 0 {
			return nil, violation(RuleRequest, "%s with a body", s.Method)
		}
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return nil, violation(RuleRequest, "method %.20q is not GET, HEAD, POST, PUT, PATCH or DELETE", s.Method)
	}
	u, err := to.check(s.URL)
	if err != nil {
		return nil, err
	}
	h, err := headers(s, idempotencyKey)
	if err != nil {
		return nil, err
	}
	out := &outgoing{method: s.Method, url: u, header: h, body: s.Body, safeToRepeat: s.SafeToRepeat}
	f := &filler{secrets: secrets, allowed: make([]*place, 0, 8), values: evaluation{rule: RuleDerivation, secrets: secrets}}
	path := to.path(u)
	for i := range places {
		if p := &places[i]; p.fits(op, s.Method, path) && (p.Host == "" || to.isHost(p.Host, u)) {
			f.allowed = append(f.allowed, p)
		}
	}
	out.filled.places = f.allowed
	if err := checkCaptures(s.Capture); err != nil {
		return nil, err
	}
	body := string(s.Body)
	captures := len(s.Capture) > 0 && !secrets.revealed
	if len(s.Derive) == 0 && !captures && !f.holds(s, body) {
		return out, nil
	}
	f.ruled = captures || len(s.Derive) > 0 || secrets.holdsCard(body)
	if err := f.fill(s, body, out, to); err != nil {
		return nil, err
	}
	out.filled.proven, out.filled.put = f.proven && f.unproven == "", f.put
	return out, nil
}

// holds reports whether a request holds a stand-in.
func (f *filler) holds(s *sdk.Send, body string) bool {
	for i := range s.Headers {
		if f.secrets.found(s.Headers[i].Name) != "" || f.secrets.found(s.Headers[i].Value) != "" {
			return true
		}
	}
	if f.secrets.found(body) != "" || f.secrets.found(s.URL) != "" {
		return true
	}
	unescaped, err := url.QueryUnescape(s.URL)
	return err == nil && f.secrets.found(unescaped) != ""
}

func (f *filler) fill(s *sdk.Send, body string, out *outgoing, to *reach) error {
	if err := f.values.declare(s.Derive); err != nil {
		return err
	}
	if err := f.url(out, to); err != nil {
		return err
	}
	var err error
	if out.body, err = f.body(out.header, body); err != nil {
		return err
	}
	f.values.body, f.values.bodySize, f.values.hasBody = out.body, len(body)+secretSize*len(f.secrets.marks(body)), true
	if err := f.headers(s, out.header); err != nil {
		return err
	}
	if !f.card && (len(s.Capture) == 0 || f.secrets.revealed) {
		return nil
	}
	f.proven = f.proven || f.presents(out, to)
	return f.authenticated(s, out)
}

// presents reports whether the connection itself proves the account: over TLS, with the client certificate that the manifest's authentication
// declares. The server knows the account by it before it reads the request.
func (f *filler) presents(out *outgoing, to *reach) bool {
	return to.certificate != nil && out.url.Scheme == "https" &&
		slices.ContainsFunc(f.allowed, func(p *place) bool { return p.authentication && p.In == sdk.InTLS })
}

// authenticated checks the rule of authentication on a request with card data, or with a captured answer. The request must name this account, in
// the place that the manifest declares, and no other account anywhere. Otherwise an adapter could put cards into its author's account, or use
// the author's key or token as if it were the account's own.
func (f *filler) authenticated(s *sdk.Send, out *outgoing) error {
	switch {
	case !f.proven:
		return violation(RuleAuthentication, "%s, but no credential of this account's stands where authentication does", f.why())
	case f.unproven != "":
		return violation(RuleAuthentication, "%s, and %s does not hold this account's credential alone", f.why(), f.unproven)
	}
	if err := f.outside(s, out.url); err != nil {
		return err
	}
	if f.foreign != "" {
		return violation(RuleAuthentication, "%s, and %s", f.why(), f.foreign)
	}
	if c := f.foreignKey(); c != nil {
		return violation(RuleAuthentication, "%s, and %s holds a text that looks like a key and is not a key of the account", f.why(), c.where)
	}
	return nil
}

func (f *filler) declares(in sdk.PlacementIn, field string) bool {
	return slices.ContainsFunc(f.allowed, func(p *place) bool {
		return p.authentication && p.In == in && (p.Field == field || in == sdk.InHeader && strings.EqualFold(p.Field, field))
	})
}

// at returns the places of a field outside the body.
func (f *filler) at(in sdk.PlacementIn, field string) (all []*place) {
	for _, p := range f.allowed {
		if p.In == in && (p.Field == field || in == sdk.InHeader && strings.EqualFold(p.Field, field)) {
			all = append(all, p)
		}
	}
	return all
}

// headers fills in header values. The idempotency header is the host's.
func (f *filler) headers(s *sdk.Send, h http.Header) error {
	for i := range s.Headers {
		name, value := s.Headers[i].Name, s.Headers[i].Value
		if secret := f.secrets.found(name); secret != "" {
			return violation(RuleSecret, "the stand-in of %s in the name of a header", secret)
		}
		at := f.at(sdk.InHeader, name)
		key := http.CanonicalHeaderKey(name)
		if len(h[key]) > 1 && slices.ContainsFunc(at, func(p *place) bool { return p.authentication }) {
			return violation(RuleAuthentication, "the header %s, where authentication stands, twice", key)
		}
		v, changed, err := f.value(value, at, "the header "+key, "")
		if err != nil {
			return err
		}
		if !changed {
			continue
		}
		if !isFieldValue(v) {
			f.secrets.wrong = append(f.secrets.wrong, "a value in the header "+key+" holds control characters, or begins or ends with a space: they are left out")
			v = fieldValue(v)
		}
		h[key][slices.Index(h[key], value)] = v
	}
	return nil
}

// fieldValue returns a text without the characters that a header's value must not hold.
func fieldValue(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, s)
	return strings.Trim(s, " \t")
}

// url fills in segments of the path and fields of the query.
func (f *filler) url(out *outgoing, to *reach) error {
	u := out.url
	if f.secrets.found(u.Host) != "" {
		return violation(RuleSecret, "a stand-in in the host")
	}
	segments := strings.Split(u.EscapedPath(), "/")
	first := 1 + strings.Count(u.EscapedPath(), "/") - strings.Count(to.path(u), "/") // placements count segments from the manifest's base URL
	for i, s := range segments {
		if hasDots(s) {
			return violation(RuleURL, "a dot segment in the path of a request with secrets")
		}
		v, changed, err := f.value(s, f.at(sdk.InPath, strconv.Itoa(i-first)), "the path", "")
		if err != nil {
			return err
		}
		if changed {
			segments[i] = url.PathEscape(v)
		}
	}
	if path := strings.Join(segments, "/"); path != u.EscapedPath() {
		unescaped, err := url.PathUnescape(path)
		if err != nil {
			return violation(RuleURL, "the path is not valid once the values are filled in")
		}
		u.Path, u.RawPath = unescaped, path
	}
	if f.secrets.found(u.EscapedPath()) == "" && f.secrets.found(u.Path) != "" {
		return violation(RuleSecret, "an encoded stand-in in the path")
	}
	if f.secrets.found(u.RawQuery) == "" && !slices.ContainsFunc(f.allowed, func(p *place) bool { return p.In == sdk.InQuery }) {
		if unescaped, err := url.QueryUnescape(u.RawQuery); err != nil || f.secrets.found(unescaped) != "" {
			return violation(RuleSecret, "an encoded stand-in in the query, or one that is no query")
		}
		return nil
	}
	filled, err := f.text(u.RawQuery, func() error {
		return f.pairs(u.RawQuery, func(name, value string) (string, bool, error) {
			return f.value(value, f.at(sdk.InQuery, name), "the query field "+name, "")
		})
	})
	if err != nil {
		return err
	}
	u.RawQuery = string(filled)
	return nil
}

// hasDots reports whether a server may read a segment of a path as a step upwards. It looks for . and .. in the decoded segment, between slashes and
// before a semicolon.
func hasDots(segment string) bool {
	unescaped, err := url.PathUnescape(segment)
	if err != nil {
		return true
	}
	if twice, err := url.PathUnescape(unescaped); err == nil {
		unescaped = twice
	}
	for part := range strings.FieldsFuncSeq(unescaped, func(r rune) bool { return r == '/' || r == '\\' || r == ';' }) {
		if part == "." || part == ".." {
			return true
		}
	}
	return false
}

// contentType returns the kind of a body.
func contentType(h http.Header) (kind, boundary string, err error) {
	all := h["Content-Type"]
	if len(all) == 0 {
		return kindRaw, "", nil
	}
	if len(all) > 1 || len(h["Content-Encoding"]) > 0 {
		return "", "", violation(RuleTemplate, "a request with secrets has one Content-Type and no Content-Encoding")
	}
	t, params, err := mime.ParseMediaType(all[0])
	if charset := strings.ToLower(params["charset"]); err != nil || charset != "" && charset != "utf-8" && charset != "us-ascii" {
		return "", "", violation(RuleTemplate, "Content-Type is malformed or not of UTF-8")
	}
	switch {
	case t == "application/json" || strings.HasSuffix(t, "+json"):
		return kindJSON, "", nil
	case t == "application/x-www-form-urlencoded":
		return kindForm, "", nil
	case t == "application/xml" || t == "text/xml" || strings.HasSuffix(t, "+xml"):
		return kindXML, "", nil
	case t == "multipart/form-data":
		return kindMultipart, params["boundary"], nil
	}
	return kindRaw, "", nil
}

// body fills in a body.
func (f *filler) body(h http.Header, text string) ([]byte, error) {
	if text == "" {
		return nil, nil
	}
	kind, boundary, err := contentType(h)
	if err != nil {
		return nil, err
	}
	if kind == kindRaw && f.secrets.found(text) == "" {
		if f.ruled {
			f.stranger("the body is of a kind that the host cannot read: JSON, form, XML and multipart/form-data it can")
		}
		return []byte(text), nil
	}
	return f.document(text, kind, "", boundary)
}

// marked counts the stand-ins that begin in a part of the current text.
func (f *filler) marked(start, end int) (n int) {
	for _, at := range f.marks {
		if at >= start && at < end {
			n++
		}
	}
	return n
}

// text calls read, which notes the edits of a text, and then makes them. Every stand-in in the text must be part of an edit.
func (f *filler) text(text string, read func() error) ([]byte, error) {
	edits, marks := f.edits, f.marks
	f.edits, f.marks = nil, f.secrets.marks(text)
	defer func() { f.edits, f.marks = edits, marks }()
	if len(f.marks) > maxMarks {
		return nil, violation(RuleLimit, "more than %d stand-ins in a request", maxMarks)
	}
	if err := read(); err != nil {
		return nil, err
	}
	left := len(f.marks)
	slices.SortFunc(f.edits, func(a, b edit) int { return a.start - b.start })
	out := make([]byte, 0, len(text)+64*len(f.edits))
	at := 0
	for _, e := range f.edits {
		left -= f.marked(e.start, e.end)
		out = append(out, text[at:e.start]...)
		out = append(out, e.text...)
		at = e.end
	}
	out = append(out, text[at:]...)
	if left != 0 {
		return nil, violation(RuleSecret, "the stand-in of %s where it is not the whole value of a declared field", f.secrets.found(text))
	}
	return out, nil
}
