package wire

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"payswitch/sdk"
)

// A secret is the value behind a stand-in.
type secret struct{ name, value string }

// standIns replaces the secrets of a step by stand-ins, as the host does.
func standIns(s *sdk.Step, m *sdk.Manifest) map[string]secret {
	const pad = "Zq7Xw3Kd9Tn5Lb1Vc8Rm4Hs6Jf"
	all := map[string]secret{}
	mint := func(name string, value *string) {
		if *value != "" {
			standIn := "sI" + strings.ReplaceAll(name, "_", "U") + pad
			all[standIn] = secret{name, *value}
			*value = standIn
		}
	}
	for k, v := range s.Account.Credentials {
		i := slices.IndexFunc(m.Credentials, func(f sdk.Field) bool { return f.Name == k })
		if i < 0 || m.Credentials[i].Type == "secret" || m.Credentials[i].Type == "pem" {
			mint(k, &v)
			s.Account.Credentials[k] = v
		}
	}
	if i := s.Request.Instrument; i != nil && i.Card != nil {
		mint("card_number", &i.Card.Number)
		mint("cvc", &i.Card.CVC)
	}
	if s.Request.ThreeDS != nil {
		mint("cavv", &s.Request.ThreeDS.CAVV)
	}
	return all
}

// checkBlind runs a case with stand-ins. With the values in their places the request must equal the request made from the values. Card data
// must stand where the manifest declares. checkBlind does not check the places of credentials: the host does.
func (r *runner) checkBlind(c *Case, real *sdk.Send) []string {
	s, err := r.step(c)
	if err != nil {
		return []string{err.Error()}
	}
	secrets := standIns(s, r.manifest)
	send, err := r.send(c, s)
	if err != nil {
		return []string{"with stand-ins: " + err.Error()}
	}
	values := map[string]string{}
	for standIn, x := range secrets {
		values[standIn] = x.value
	}
	filled, err := Substitute(send, values)
	if err != nil {
		return []string{"with stand-ins: " + err.Error()}
	}
	want, err := fieldsOf(real)
	if err != nil {
		return []string{err.Error()}
	}
	got, err := fieldsOf(filled)
	if err != nil {
		return []string{"with stand-ins: " + err.Error()}
	}
	var wrong []string
	for _, path := range paths(want, got) {
		if want[path] != got[path] {
			wrong = append(wrong, "with stand-ins: "+difference{path, want[path], got[path]}.String())
		}
	}
	return append(wrong, r.misplaced(s.Operation, send, secrets)...)
}

// misplaced lists card data in places that no placement allows.
func (r *runner) misplaced(op sdk.Operation, s *sdk.Send, secrets map[string]secret) (wrong []string) {
	f, err := fieldsOf(s)
	if err != nil {
		return []string{err.Error()}
	}
	for _, standIn := range slices.Sorted(maps.Keys(secrets)) {
		name := secrets[standIn].name
		if name != "card_number" && name != "cvc" && name != "cavv" {
			continue
		}
		for _, path := range paths(f, nil) {
			if strings.Contains(f[path], standIn) && !r.placed(op, s, path, name, f[path] == quote(standIn)) {
				wrong = append(wrong, fmt.Sprintf("%s: no placement of the manifest lets %s stand there", path, name))
			}
		}
	}
	return wrong
}

// placed reports whether a placement allows card data at the path of a send. It does not look into a document within a form field.
func (r *runner) placed(op sdk.Operation, s *sdk.Send, path, name string, whole bool) bool {
	u, err := url.Parse(s.URL)
	field, body := strings.CutPrefix(path, "body.")
	if err != nil || !body {
		return false
	}
	return slices.ContainsFunc(r.manifest.Placements, func(p sdk.Placement) (fits bool) {
		defer func() { r.cover.place(&p, fits) }()
		if p.Secret != name || p.In != sdk.InBody || p.Operation != "" && p.Operation != op || p.Host != "" && p.Host != u.Host ||
			p.Method != "" && p.Method != s.Method || p.Path != "" && !samePath(p.Path, u.EscapedPath()) {
			return false
		}
		if outer, _, nested := strings.Cut(p.Field, "/"); nested {
			return outer == field
		}
		return whole && (p.Field == field || bodyKind(s) != "form" && anyElement(p.Field) == anyElement(field))
	})
}

// index matches an array index in a path. Placements use [] for any index.
var index = regexp.MustCompile(`\[\d+\]`)

func anyElement(path string) string {
	return strings.ReplaceAll(index.ReplaceAllString(path, "[]"), ".[]", "[]")
}

func samePath(pattern, path string) bool {
	a, b := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != "*" && a[i] != b[i] {
			return false
		}
	}
	return true
}
