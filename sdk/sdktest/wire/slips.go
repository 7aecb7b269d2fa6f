package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"payswitch/sdk"
	"payswitch/sdk/nearest"
)

// Fits returns an error if the file names a field of the account that the manifest does not declare: the adapter would never read it. A field that
// the manifest requires must be there. The old form of the credentials has its own names, and always fits.
func (f *Requests) Fits(m *sdk.Manifest) error {
	if f.Credentials.old {
		return nil
	}
	var declared []string
	for _, field := range slices.Concat(m.Credentials, m.Config) {
		declared = append(declared, field.Name)
	}
	known := slices.Clone(declared)
	for _, field := range slices.Concat(m.Credentials, m.Config) {
		known = append(known, field.Key)
	}
	if slices.ContainsFunc(m.Authentication, func(p sdk.Placement) bool { return p.In == "response" || p.Secret == accessToken }) {
		declared, known = append(declared, accessToken), append(known, accessToken)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Credentials.Values)) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("credentials.%s: the manifest declares no such field%s", name, meant(name, declared))
		}
	}
	for _, field := range slices.Concat(m.Credentials, m.Config) { // an adapter never gets a client's certificate
		if v := f.Credentials.Values; field.Type != sdk.FieldClientCertificate && !field.Optional && field.Default == "" && v[field.Name] == "" && v[field.Key] == "" {
			return fmt.Errorf("credentials.%s: missing: the manifest requires this field", field.Name)
		}
	}
	return Choices(m, f.Credentials.Values)
}

// Choices returns an error for a value of an account that is not a choice of its enum: no account can have it.
func Choices(m *sdk.Manifest, values map[string]string) error {
	for _, f := range slices.Concat(m.Credentials, m.Config) {
		for _, name := range []string{f.Name, f.Key} {
			if v := values[name]; f.Type == sdk.FieldEnum && v != "" && !slices.Contains(f.Values, v) {
				return fmt.Errorf("credentials.%s: %q is not a value of the manifest%s", name, v, meant(v, f.Values))
			}
		}
	}
	return nil
}

// meant is the end of a message about a mistaken name.
func meant(name string, names []string) string {
	if best := nearest.Of(name, names); best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	if len(names) == 0 {
		return ": remove it"
	}
	return ": choose one of " + strings.Join(names, ", ")
}

// slips returns an error for a slip that would hide a difference, or a text that no switch sends: a volatile field that the request lacks, a
// control character.
func (c *Case) slips() error {
	if err := c.controls(); err != nil {
		return fmt.Errorf("case %s: %w", clean(c.Name), err)
	}
	if err := c.volatiles(); err != nil {
		return fmt.Errorf("case %s: %w", c.Name, err)
	}
	return nil
}

// volatiles refuses volatile fields that the case's request does not have.
func (c *Case) volatiles() error {
	var all map[string]string
	for _, list := range []struct {
		name  string
		paths []string
	}{{"clock", c.Volatile.Clock}, {"random", c.Volatile.Random}} {
		for i, path := range list.paths {
			at := fmt.Sprintf("volatile.%s[%d]", list.name, i)
			if c.Request == nil {
				return fmt.Errorf("%s: the case has no request: remove %q", at, path)
			}
			if all == nil {
				var err error
				if all, err = c.Request.fields(); err != nil {
					return fmt.Errorf("request: %w", err)
				}
			}
			if _, ok := all[path]; !ok {
				return fmt.Errorf("%s: the request has no field %q%s", at, path, meant(path, slices.Sorted(maps.Keys(all))))
			}
		}
	}
	return nil
}

// controls refuses control characters where neither a merchant nor a processor can send one. The bodies of requests and answers may hold some.
func (c *Case) controls() error {
	check := noControls{}
	check.text("name", c.Name)
	check.value("input", c.Input)
	if q := c.Request; q != nil {
		check.text("request.method", q.Method)
		check.text("request.url", q.URL)
		check.headers("request.headers", q.Headers)
	}
	if r := c.Response; r != nil {
		check.headers("response.headers", r.Headers)
	}
	for i := range c.Exchanges {
		check.headers(fmt.Sprintf("exchanges[%d].headers", i), c.Exchanges[i].Headers)
	}
	if m := c.Message; m != nil {
		check.text("message.method", m.Method)
		check.text("message.url", m.URL)
		check.headers("message.headers", m.Headers)
	}
	return check.err
}

// controls refuses control characters in the settings of the file.
func (f *Requests) controls() error {
	check := noControls{}
	check.text("base_url", f.BaseURL)
	for _, name := range slices.Sorted(maps.Keys(f.Credentials.Values)) {
		check.text("credentials", name)
		check.value("credentials."+name, f.Credentials.Values[name])
	}
	return check.err
}

// noControls keeps the error for the first control character that it is shown.
type noControls struct{ err error }

// text refuses every control character.
func (n *noControls) text(path, text string) { n.refuse(path, text, unicode.IsControl) }

// value refuses control characters in all texts of a value, but for tabs and line breaks: a merchant may send those in a description, and a key
// in PEM has several lines.
func (n *noControls) value(path string, v any) {
	switch v := v.(type) {
	case string:
		n.refuse(path, v, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) })
	case []any:
		for i := range v {
			n.value(fmt.Sprintf("%s[%d]", path, i), v[i])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			n.text(path, name)
			n.value(path+"."+name, v[name])
		}
	}
}

func (n *noControls) headers(path string, all map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		n.text(path, name)
		n.text(path+"."+name, all[name])
	}
}

func (n *noControls) refuse(path, text string, refused func(rune) bool) {
	if i := strings.IndexFunc(text, refused); i >= 0 && n.err == nil {
		r := []rune(text[i:])[0]
		n.err = fmt.Errorf("%s: %q holds the control character U+%04X: did you mean %q?", clean(path), text, r, clean(text))
	}
}

// clean returns a text without control characters.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}
