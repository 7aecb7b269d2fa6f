package plugins

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payswitch/sdk"
)

// Difference is one field that differs between a recording and its replay. An absent value is "".
type Difference struct {
	Where    string `json:"where"` // "request 1 body amount", "outcome status"
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

// Differences lists what differs, in the order of the steps. It is empty if and only if Same.
func (r *Replayed) Differences() []Difference {
	var all []Difference
	for i := range r.Steps {
		if s := &r.Steps[i]; !s.Same {
			all = append(all, s.differences(i+1)...)
		}
	}
	return all
}

func (s *ReplayedStep) differences(n int) []Difference {
	a, b := s.Recorded, s.Replayed
	var d differing
	switch {
	case a == nil && s.RecordedFault == "":
		d.at("request "+strconv.Itoa(n)+" hash", s.RecordedHash, hashOfResult(b))
	case a == nil || b == nil || (a.Send == nil) != (b.Send == nil) || (a.Verify == nil) != (b.Verify == nil) || (a.Reject == nil) != (b.Reject == nil):
		d.at("step "+strconv.Itoa(n), describe(a, s.RecordedFault), describe(b, s.ReplayedFault))
	case a.Send != nil:
		d.send("request "+strconv.Itoa(n)+" ", s.Recorded.Send, s.Replayed.Send)
	case s.Recorded.Outcome != nil:
		d.fields("outcome ", jsonOf(s.Recorded.Outcome), jsonOf(s.Replayed.Outcome))
	case s.Recorded.Reject != nil:
		d.fields("reject ", jsonOf(s.Recorded.Reject), jsonOf(s.Replayed.Reject))
	default:
		d.fields("verify "+strconv.Itoa(n)+" ", jsonOf(s.Recorded.Verify), jsonOf(s.Replayed.Verify))
	}
	if len(d.all) == 0 && a != nil && b != nil { // an absent value differs from an empty one
		x, y := string(sdk.EncodeResult(a)), string(sdk.EncodeResult(b))
		d.at("step "+strconv.Itoa(n), excerpt(x, y), excerpt(y, x))
	}
	if s.Refused != "" {
		d.at("step "+strconv.Itoa(n)+" is refused by the host", "", s.Refused)
	}
	return d.all
}

// String describes the replayed result.
func (s *ReplayedStep) String() string { return describe(s.Replayed, s.ReplayedFault) }

// describe names the result of a step.
func describe(r *sdk.Result, fault string) string {
	switch {
	case r == nil:
		return "fault: " + fault
	case r.Send != nil:
		return "request " + r.Send.Method + " " + r.Send.URL
	case r.Verify != nil:
		return "verify"
	case r.Reject != nil:
		return "reject " + string(r.Reject.Code)
	}
	if text := r.Outcome.Raw["error"]; text != "" {
		return "outcome " + string(r.Outcome.Status) + ": " + text
	}
	return "outcome " + string(r.Outcome.Status)
}

type differing struct{ all []Difference }

// mostShown is the length above which only the differing part of a value is shown.
const mostShown = 400

func (d *differing) at(where, recorded, replayed string) {
	if recorded == replayed {
		return
	}
	if max(len(recorded), len(replayed)) > mostShown {
		recorded, replayed = excerpt(recorded, replayed), excerpt(replayed, recorded)
	}
	if recorded != replayed {
		d.all = append(d.all, Difference{Where: strings.TrimSpace(where), Recorded: recorded, Replayed: replayed})
	}
}

func (d *differing) send(where string, a, b *sdk.Send) {
	d.at(where+"method", a.Method, b.Method)
	d.at(where+"url", a.URL, b.URL)
	d.fields(where+"header ", headerFields(a.Headers), headerFields(b.Headers))
	d.body(where+"body ", string(a.Body), string(b.Body))
	d.at(where+"idempotency_header", a.IdempotencyHeader, b.IdempotencyHeader)
	d.at(where+"safe_to_repeat", strconv.FormatBool(a.SafeToRepeat), strconv.FormatBool(b.SafeToRepeat))
	d.at(where+"timeout_ms", strconv.Itoa(a.TimeoutMillis), strconv.Itoa(b.TimeoutMillis))
	d.fields(where+"derive ", jsonOf(a.Derive), jsonOf(b.Derive))
	d.fields(where+"capture ", jsonOf(a.Capture), jsonOf(b.Capture))
}

// body compares field by field if both bodies have the same format. It shows the differing part if they have not, or if equal
// fields are written with different bytes.
func (d *differing) body(where, a, b string) {
	if a == b {
		return
	}
	before := len(d.all)
	for _, read := range []func(string) ([]textField, bool){jsonFields, xmlFields, formFields} {
		x, ok := read(a)
		y, also := read(b)
		if ok && also {
			d.fields(where, x, y)
			break
		}
	}
	if len(d.all) == before {
		d.at(where, excerpt(a, b), excerpt(b, a))
	}
}

// fields compares by path. It compares values with the same path in order.
func (d *differing) fields(where string, a, b []textField) {
	numbered(a)
	numbered(b)
	other := make(map[string]string, len(b))
	for _, f := range b {
		other[f.path] = f.value
	}
	known := make(map[string]bool, len(a))
	for _, f := range a {
		known[f.path] = true
		d.at(where+f.path, f.value, other[f.path])
	}
	for _, f := range b {
		if !known[f.path] {
			d.at(where+f.path, "", f.value)
		}
	}
}

// textField is one value of a document with its path.
type textField struct{ path, value string }

// numbered makes repeated paths unique.
func numbered(all []textField) {
	seen := make(map[string]int, len(all))
	for i := range all {
		p := all[i].path
		if seen[p]++; seen[p] > 1 {
			all[i].path = p + "[" + strconv.Itoa(seen[p]) + "]"
		}
	}
}

func headerFields(all []sdk.Header) []textField {
	out := make([]textField, len(all))
	for i := range all {
		out[i] = textField{all[i].Name, all[i].Value}
	}
	return out
}

func jsonOf(v any) []textField {
	b, err := json.Marshal(v)
	if err != nil {
		return []textField{{"", err.Error()}}
	}
	all, _ := jsonFields(string(b))
	return all
}

func jsonFields(text string) (all []textField, ok bool) {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, false
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		join := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(join(k), v[k])
			}
		case []any:
			for i := range v {
				walk(join(strconv.Itoa(i)), v[i])
			}
		case string:
			all = append(all, textField{path, v})
		default:
			all = append(all, textField{path, fmt.Sprint(v)})
		}
	}
	walk("", v)
	return all, true
}

// xmlFields returns the texts and attributes of an XML document.
func xmlFields(text string) (all []textField, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "<") {
		return nil, false
	}
	d := xml.NewDecoder(strings.NewReader(text))
	var path []string
	for {
		token, err := d.Token()
		if err != nil {
			return all, errors.Is(err, io.EOF) && len(all) > 0
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			for _, a := range t.Attr {
				all = append(all, textField{strings.Join(path, ".") + "@" + a.Name.Local, a.Value})
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if s := strings.TrimSpace(string(t)); s != "" {
				all = append(all, textField{strings.Join(path, "."), s})
			}
		}
	}
}

// formFields returns the pairs of a URL-encoded form.
func formFields(text string) (all []textField, ok bool) {
	for pair := range strings.SplitSeq(text, "&") {
		name, value, found := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if !found || err1 != nil || err2 != nil || strings.ContainsAny(pair, "\r\n ") {
			return nil, false
		}
		all = append(all, textField{n, v})
	}
	return all, true
}

// excerpt is the part of a that differs from b, with some text around it. It quotes a part that is not text.
func excerpt(a, b string) string {
	const around = 24
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	from, to := max(0, start-around), min(len(a), len(a)-end+around, start+mostShown-around)
	for from > 0 && !utf8.RuneStart(a[from]) {
		from--
	}
	for to < len(a) && !utf8.RuneStart(a[to]) {
		to++
	}
	s := a[from:to]
	if !utf8.ValidString(s) {
		s = strconv.Quote(s)
	}
	if from > 0 {
		s = "…" + s
	}
	if to < len(a) {
		s += "…"
	}
	return s
}
